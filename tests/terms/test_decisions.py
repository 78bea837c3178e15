"""Decisions on terms come back from sheets and from the workbench."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow as pa
import pytest

from diglot.errors import SourceError
from diglot.terms.decisions import read_decisions
from diglot.terms.rows import Terms
from diglot.terms.table import TERM_SCHEMA


def found() -> Terms:
    rows = []
    for src, tgt in (("wheel", "roue"), ("key", "clef"), ("page", "le")):
        row = {f.name: [] if pa.types.is_list(f.type) else "" if f.type == pa.string() else 1 for f in TERM_SCHEMA}
        rows.append({**row, "src": src, "tgt": tgt, "src_lang": "en", "tgt_lang": "fr", "inconsistent": False})
    return Terms(pa.Table.from_pylist(rows, TERM_SCHEMA), "en", "fr")


DECIDED = {"wheel": ("accepted", ""), "key": ("", "clé"), "page": ("Rejected", "")}
LEFT = [("wheel", "roue"), ("key", "clé")]


def texts(terms: Terms) -> list[tuple[str, str]]:
    return [(term.src, term.tgt) for term in terms]


def test_a_sheet_comes_back(tmp_path: Path) -> None:
    tsv, xlsx = found().write(tmp_path, "tsv", "xlsx")
    assert read_decisions(tsv) == read_decisions(xlsx) == {}
    head, *lines = tsv.read_text(encoding="utf-8").splitlines()
    names = head.split("\t")
    filled = [head]
    for line in lines:
        row = dict(zip(names, line.split("\t"), strict=True))
        row["verdict"], row["edited_tgt"] = DECIDED[row["src"]]
        filled.append("\t".join(row.values()))
    tsv.write_text("\n".join(filled), encoding="utf-8")
    decided = found().decide(tsv)
    assert texts(decided) == LEFT
    # Written again, the sheets hold what was decided, also on rejected terms, and come back the same.
    for path in decided.write(tmp_path / "again", "tsv", "xlsx"):
        assert read_decisions(path) == decided.decisions
        assert len(decided.decisions) == 3
    assert texts(decided.choose(termhood=0.5)) == LEFT


@pytest.mark.parametrize(("mark", "first"), [(";", ""), (",", ""), (";", "sep=;\n"), ("|", '"sep=|"\n')])
def test_a_sheet_that_a_spreadsheet_saved_comes_back(tmp_path: Path, mark: str, first: str) -> None:
    with (tmp_path / "terms.csv").open("w", encoding="utf-8-sig", newline="") as file:
        file.write(first)
        writer = csv.writer(file, delimiter=mark)
        writer.writerow(["src", "tgt", "verdict", "edited_tgt", "src_lang", "tgt_lang"])
        writer.writerows([src, tgt, *DECIDED[src], "en", "fr"] for src, tgt in texts(found()))
        writer.writerow([f"a{mark} b", "c", "accepted", 'd "e"', "en", "fr"])
    decisions = read_decisions(tmp_path / "terms.csv")
    assert texts(found().decide(tmp_path / "terms.csv")) == LEFT
    assert [row["edited_tgt"] for row in decisions.values() if row["src"] == f"a{mark} b"] == ['d "e"']


def test_accepted_terms_are_preferred_in_tbx(tmp_path: Path) -> None:
    key = {"src_lang": "en", "tgt_lang": "fr", "edited_src": "", "edited_tgt": ""}
    wheel = {**key, "src": "wheel", "tgt": "roue", "verdict": "accepted"}
    page = {**key, "src": "page", "tgt": "le", "verdict": "rejected"}
    (tmp_path / "d.json").write_text(json.dumps({"wheel": wheel, "page": page}), encoding="utf-8")
    for path in found().decide(tmp_path / "d.json").write(tmp_path, "tbx", "tbx2"):
        entries = path.read_text(encoding="utf-8").split("<note>")[1:]
        assert ["preferredTerm-admn-sts" in entry for entry in entries] == [True, False]


def test_decisions_of_the_workbench_are_read(tmp_path: Path) -> None:
    entries = {
        src: {"src_lang": "en", "tgt_lang": "fr", "src": src, "tgt": tgt, "verdict": verdict.lower()}
        | {"edited_src": "", "edited_tgt": edited}
        for (src, tgt), (verdict, edited) in zip(texts(found()), DECIDED.values(), strict=True)
    }
    (tmp_path / "decided.json").write_text(json.dumps(entries), encoding="utf-8")
    assert texts(found().decide(tmp_path / "decided.json")) == LEFT


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.tsv", "src\ttgt\nwheel\troue\n", "no column src_lang"),
        ("a.tsv", "src\ttgt\tsrc_lang\ttgt_lang\tverdict\na\tb\ten\tfr\tperhaps\n", "line 2: verdict 'perhaps'"),
        ("a.json", "[1]", "cannot be read as decisions"),
        ("a.json", '{"a": {"src": "x"}}', "entry 1: has no src_lang"),
        ("a.tsv", "x\n", "no column src_lang"),
        ("a.xlsx", "x", "x"),
        ("a.tsv", None, "cannot be read as decisions"),
    ],
)
def test_another_file_is_said_by_its_row(tmp_path: Path, name: str, text: str | None, message: str) -> None:
    if text is not None:
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(SourceError, match=message):
        read_decisions(tmp_path / name)
