"""Decisions on terms come back from sheets and from the workbench."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow as pa
import pytest
from xlsxwriter import Workbook

from diglot.errors import SourceError
from diglot.terms.decisions import as_edited, changed_terms, key_of, read_decisions, with_decisions
from diglot.terms.rows import Terms
from diglot.terms.table import TERM_SCHEMA
from report.made_terms import term


def found() -> Terms:
    rows = []
    for src, tgt in (("wheel", "roue"), ("key", "clef"), ("page", "le")):
        row = {f.name: [] if pa.types.is_list(f.type) else "" if f.type == pa.string() else 1 for f in TERM_SCHEMA}
        row["termhood"] = 0.1 if src == "page" else 0.9
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


HEAD = "src_lang,tgt_lang,src,tgt,verdict,edited_tgt\n"


def sheet(path: Path, *lines: str) -> Path:
    path.write_text(HEAD + "".join(f"en,fr,{line}\n" for line in lines), encoding="utf-8")
    return path


def test_decisions_on_no_term_are_listed_and_kept_in_sheets(tmp_path: Path) -> None:
    """A colleague changed the term itself, or an update took it away."""
    given = sheet(tmp_path / "d.csv", "wheel,volant,accepted,", "key,clef,accepted,clé", "gone,parti,rejected,")
    decided = found().decide(given)
    assert [row["src"] for row in decided.decisions_on_others] == ["wheel", "gone"]
    tsv, xlsx, glossary = decided.write(tmp_path, "tsv", "xlsx", "omegat")
    assert read_decisions(tsv) == read_decisions(xlsx) == read_decisions(given)
    assert "volant" not in glossary.read_text(encoding="utf-8")
    # As many decisions when the sheet goes round again.
    assert found().decide(tsv).decisions_on_others == decided.decisions_on_others


def test_a_sheet_of_some_terms_keeps_the_decisions_on_the_others(tmp_path: Path) -> None:
    decided = found().decide(sheet(tmp_path / "d.csv", "wheel,volant,accepted,", "key,clef,,clé", "page,le,rejected,"))
    for chosen in (decided.choose(termhood=0.5), decided.choose(inconsistent=True)):
        assert len(chosen.found) < len(decided.found)
        for path in chosen.write(tmp_path, "tsv", "xlsx"):
            assert read_decisions(path) == decided.decisions
            assert found().decide(path).table == decided.table


def test_a_sheet_with_decisions_that_the_new_one_has_not_is_kept(tmp_path: Path) -> None:
    decided = found().decide(sheet(tmp_path / "d.csv", "wheel,roue,rejected,", "gone,parti,rejected,"))
    of_one = found().decide(sheet(tmp_path / "e.csv", "wheel,roue,accepted,"))
    aside = [tmp_path / f"terms.en-fr.{end}.yours" for end in ("tsv", "xlsx")]
    for terms in (found(), decided, decided, decided.choose(termhood=0.95)):
        terms.write(tmp_path, "tsv", "xlsx")
        assert not any(path.exists() for path in aside)
    # Another decision on a term replaces that of the sheet; the one on no term would be lost.
    of_one.write(tmp_path, "tsv", "xlsx")
    for path in aside:
        assert read_decisions(path) == decided.decisions
        path.unlink()
    found().write(tmp_path, "tsv", "omegat")
    assert read_decisions(aside[0]) == of_one.decisions
    assert not aside[1].exists()


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (("wheel,volant,,", "key,clef,,", "page,le,,"), ["line 2"]),
        (("wheels,roue,,", "key,clé,,"), ["line 2", "line 3"]),
        (("wheel,volant,accepted,", "key,clef,,"), []),  # told as a decision on no term
        (("wheel,roue,,", "wheel,volant,,"), []),  # a translation below the least probability
        (("gone,parti,,",), []),  # an update took the term away
        (("Wheel,roue,,", "key,clef,,"), []),
    ],
)
def test_a_text_that_was_changed_in_its_own_column_is_found(
    lines: tuple[str, ...], told: list[str], tmp_path: Path
) -> None:
    given = sheet(tmp_path / "d.csv", *lines)
    assert changed_terms(found().found, ("en", "fr"), given) == told
    assert changed_terms(found().found, ("en", "de"), given) == []


def test_a_decision_without_languages_or_texts_names_its_row(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text(HEAD + "en,fr,key,clef,accepted,\n,,lathe,tour,accepted,\n", encoding="utf-8")
    with pytest.raises(SourceError, match="line 3: decides on no term, for src_lang and tgt_lang are empty"):
        read_decisions(path)
    with pytest.raises(SourceError, match="line 2: decides on no term, for tgt is empty"):
        read_decisions(sheet(path, "lathe,,,tour"))
    assert read_decisions(sheet(path, ",,,", "lathe,,,")) == {}


def with_forms() -> Terms:
    """Terms of which the first has other forms."""
    table = found().found
    for name, forms in (("src_forms", ["wheels"]), ("tgt_forms", ["roues"])):
        column = TERM_SCHEMA.field(name)
        cells = pa.array([forms, *[[]] * (table.num_rows - 1)], column.type)
        table = table.set_column(TERM_SCHEMA.get_field_index(name), column, cells)
    return Terms(table, "en", "fr")


@pytest.mark.parametrize("other", ["wheel,roue", "WHEELS,roues", "Wheels,roue"])
def test_two_decisions_on_forms_of_a_term_are_refused(tmp_path: Path, other: str) -> None:
    lines = ["wheels,roues,rejected,", "key,clef,accepted,", f"{other},accepted,"]
    for given in (lines, lines[::-1]):
        twice = sheet(tmp_path / "d.csv", *given)
        with pytest.raises(SourceError, match=r"line [24] and line [24] decide differently on forms .* wheel - roue"):
            with_forms().decide(twice)
    same = sheet(twice, "wheels,roues,rejected,", f"{other},rejected,")
    assert texts(with_forms().decide(same)) == [("key", "clef"), ("page", "le")]


def test_the_latest_decision_in_the_workbench_counts_among_forms(tmp_path: Path) -> None:
    entries = [
        {"src_lang": "en", "tgt_lang": "fr", "src": src, "tgt": "roues", "verdict": verdict}
        for src, verdict in (("wheels", "rejected"), ("WHEELS", "accepted"))
    ]
    (tmp_path / "decided.json").write_text(json.dumps(dict(enumerate(entries))), encoding="utf-8")
    assert len(with_forms().decide(tmp_path / "decided.json")) == 3


def test_a_form_of_a_term_and_another_language_are_not_lost(tmp_path: Path) -> None:
    terms = with_forms()
    path = tmp_path / "d.csv"
    path.write_text(HEAD + "en,fr,Wheels,roue,accepted,\nen,de,key,Schlüssel,accepted,\n", encoding="utf-8")
    assert terms.decide(path).decisions_on_others == []


def test_two_decisions_on_a_term_are_refused(tmp_path: Path) -> None:
    twice = sheet(tmp_path / "d.csv", "key,clef,accepted,", "wheel,roue,accepted,", "key,clef,rejected,")
    with pytest.raises(SourceError, match="line 4: line 2 decides otherwise"):
        read_decisions(twice)
    assert len(read_decisions(sheet(twice, "key,clef,accepted,", "key,clef,accepted,"))) == 1


def test_blanks_around_a_text_are_dropped(tmp_path: Path) -> None:
    decided = found().decide(sheet(tmp_path / "d.csv", "key,clef , Accepted ,  clé "))
    assert texts(decided)[1] == ("key", "clé")


def test_column_names_may_stand_below_a_title_in_capitals_and_on_another_sheet(tmp_path: Path) -> None:
    lines = ["Terms of the site;;;;", "", "SRC_LANG;TGT_LANG; Src;Tgt;Verdict", "en;fr;key;clef;rejected"]
    (tmp_path / "d.csv").write_text("\n".join(lines), encoding="utf-8")
    with Workbook(tmp_path / "d.xlsx") as book:
        book.add_worksheet("Hinweise").write_row(0, 0, ["Please fill in verdict"])
        judged = book.add_worksheet("terms")
        for number, line in enumerate(lines):
            judged.write_row(number, 0, line.split(";"))
    for name in ("d.csv", "d.xlsx"):
        assert [term.src for term in found().decide(tmp_path / name)] == ["wheel", "page"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.tsv", "src\ttgt\nwheel\troue\n", "first 10 rows name no columns src_lang, tgt_lang, src, tgt"),
        ("a.tsv", "src\ttgt\tsrc_lang\ttgt_lang\tverdict\na\tb\ten\tfr\tperhaps\n", "line 2: verdict 'perhaps'"),
        ("a.json", "[1]", "cannot be read as decisions"),
        ("a.json", '{"a": {"src": "x"}}', "entry 1: has no src_lang"),
        ("a.tsv", "x\n", "first 10 rows name no columns src_lang, tgt_lang, src, tgt"),
        ("a.xlsx", "x", "x"),
        ("a.tsv", None, "cannot be read"),
    ],
)
def test_another_file_is_said_by_its_row(tmp_path: Path, name: str, text: str | None, message: str) -> None:
    if text is not None:
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(SourceError, match=message):
        read_decisions(tmp_path / name)


def test_another_encoding_is_told_in_plain_words(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes((HEAD + "en,fr,key,clé,accepted,\n").encode("cp1252"))
    with pytest.raises(SourceError, match=r"not UTF-8 at byte 57; save it in UTF-8, in Excel as CSV UTF-8"):
        read_decisions(tmp_path / "a.csv")


def hosts() -> list[dict[str, object]]:
    """Two terms of one source, each with a sentence."""
    urls = {"example_src_urls": ["http://a/en"], "example_tgt_urls": ["http://a/fr"]}
    found = {**term("virtual host", "hôte virtuel"), **urls, "linked": 9}
    found |= {"example_srcs": ["A virtual host answers."], "example_tgts": ["Un hôte virtuel répond."]}
    other = {**term("Virtual Host", "serveurs virtuels", "hôte virtuel"), **urls, "tgt_forms": ["Serveur virtuel"]}
    other |= {"example_srcs": ["Virtual Host"], "example_tgts": ["Serveurs virtuels"]}
    return [term("boat", "bateau"), other, term("Boat", "bateau"), found]


EDIT = {"src_lang": "en", "tgt_lang": "fr", "verdict": ""}
EDIT |= {"src": "Virtual Host", "tgt": "serveurs virtuels", "edited_src": "virtual host", "edited_tgt": "Hôte virtuel"}


def test_a_term_edited_into_another_is_one_term_with_it() -> None:
    decided = with_decisions(pa.Table.from_pylist(hosts(), TERM_SCHEMA), {key_of(EDIT): EDIT})
    boat, host, other_boat = as_edited(decided).to_pylist()
    assert (boat["src"], other_boat["src"]) == ("boat", "Boat")
    assert (host["src"], host["tgt"], host["verdict"]) == ("virtual host", "Hôte virtuel", "accepted")
    # What was counted and read is that of the term that the site has.
    assert (host["linked"], host["example_tgts"]) == (9, ["Un hôte virtuel répond."])


def test_an_edited_term_keeps_no_sentence_form_or_rival_that_its_text_contradicts() -> None:
    terms = pa.Table.from_pylist(hosts()[1:2], TERM_SCHEMA)
    (host,) = as_edited(with_decisions(terms, {key_of(EDIT): EDIT})).to_pylist()
    assert (host["tgt_forms"], host["rivals"], host["inconsistent"], host["example_tgts"]) == ([], [], False, [])
    singular = {**EDIT, "edited_src": "", "edited_tgt": "serveur virtuel"}
    (host,) = as_edited(with_decisions(terms, {key_of(EDIT): singular})).to_pylist()
    assert (host["tgt_forms"], host["rivals"], host["example_tgts"]) == (["Serveur virtuel"], ["hôte virtuel"], [])
    case = {**EDIT, "edited_src": "virtual host", "edited_tgt": ""}
    (host,) = as_edited(with_decisions(terms, {key_of(EDIT): case})).to_pylist()
    assert (host["example_srcs"], host["example_src_urls"]) == (["Virtual Host"], ["http://a/en"])
