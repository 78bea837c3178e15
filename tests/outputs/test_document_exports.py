"""Whole pages as rows: every block of both pages in its order, aligned or marked, and pages without a partner."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from diglot.corpus.formats.documents import PageBlocks, _links, _place
from diglot.errors import RunFolderError
from diglot.harvesting import clean_run, harvest
from diglot.merging import merge
from diglot.results.run import Run
from made_website import HOST, as_folder
from packed_files import contents


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("documents")
    site = as_folder(folder / "site")
    page = (site / "fr" / "chapter3.html").read_text(encoding="utf-8")
    mail = "<p>Écrivez à marie.dupont@example.org pour toute question sur les horaires de la bibliothèque.</p>"
    (site / "fr" / "chapter3.html").write_text(page.replace("<h2>", f"{mail}<h2>"), encoding="utf-8")
    return harvest(site, "en,fr", folder / "run", jobs=1, base_url=HOST)


@pytest.fixture(scope="module")
def out(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("exported")
    run.export(["documents", "documents-jsonl", "pages", "pages-jsonl"], out)
    return out


def rows(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    return found


def letters(texts: list[str]) -> str:
    return "".join("".join(text.split()) for text in texts)


def test_every_block_and_every_sentence_is_there_once_and_in_order(run: Run, out: Path) -> None:
    documents = rows(out / "documents.en-fr.parquet")
    assert len(documents) == len(run.pairs())
    for row in documents:
        for side in ("src", "tgt"):
            blocks = row[f"{side}_blocks"]
            assert letters([each[side] for each in row["segments"]]) == letters([block["text"] for block in blocks])
            named = [number for link in row["links"] for number in link[side]]
            assert sorted(named) == list(range(len(blocks)))
            for segment in row["segments"]:
                own = "".join(blocks[number]["text"] for number in segment[f"{side}_blocks"])
                assert letters([segment[side]]) in letters([own])
    assert sum(segment["kept"] for row in documents for segment in row["segments"]) == len(run.segments().clean())


def test_a_block_without_a_counterpart_is_at_its_place(out: Path) -> None:
    (row,) = (row for row in rows(out / "documents.en-fr.parquet") if row["tgt_url"] == f"{HOST}/fr/chapter3.html")
    (number,) = (n for n, block in enumerate(row["tgt_blocks"]) if "marie.dupont" in block["text"])
    place = row["links"].index({"src": [], "tgt": [number], "score": 0.0})
    assert row["links"][place - 1]["tgt"] == [number - 1]
    assert row["links"][place + 1]["tgt"] == [number + 1]
    assert row["tgt_blocks"][number]["kind"] == "paragraph"


def test_links_by_hand() -> None:
    def segment(src: list[int], tgt: list[int], score: float = 0.5) -> dict[str, Any]:
        return {"src": "x" * len(src), "tgt": "x" * len(tgt), "src_blocks": src, "tgt_blocks": tgt, "score": score}

    # Blocks 1 and 3 of the source share target 1; block 2 stands between them without a counterpart.
    aligned = [segment([0], [0], 1.0), segment([1], [1]), segment([2], []), segment([3], [1]), segment([], [2])]
    assert _links(aligned, (5, 3)) == [
        {"src": [0], "tgt": [0], "score": 1.0},
        {"src": [1, 3], "tgt": [1], "score": 0.5},
        {"src": [2], "tgt": [], "score": 0.0},
        {"src": [4], "tgt": [], "score": 0.0},
        {"src": [], "tgt": [2], "score": 0.0},
    ]
    assert _links([], (1, 1)) == [{"src": [0], "tgt": [], "score": 0.0}, {"src": [], "tgt": [0], "score": 0.0}]


def test_lines_hold_what_parquet_holds(out: Path) -> None:
    for name in ("documents.en-fr", "pages.en", "pages.fr"):
        lines = (out / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        known = rows(out / f"{name}.parquet")
        assert len(lines) == len(known)
        for line, row in zip(map(json.loads, lines), known, strict=True):
            row.pop("probability", None), line.pop("probability", None)
            for moment in [key for key in row if key.endswith("fetched")]:
                row[moment] = f"{row[moment]:%Y-%m-%dT%H:%M:%SZ}" if row[moment] else ""
            assert {**line, "segments": 0, "links": 0} == {**row, "segments": 0, "links": 0}


def test_pages_are_there_whether_paired_or_not(out: Path) -> None:
    pages = {row["url"]: row for row in rows(out / "pages.en.parquet")}
    alone, paired = pages[f"{HOST}/en/credits.html"], pages[f"{HOST}/en/chapter1.html"]
    assert (alone["fate"], alone["reason"], alone["group"]) == ("dropped", "no_partner", "")
    assert (paired["fate"], paired["reason"], paired["group"]) == ("used", "", paired["url"])
    assert alone["text"] == "\n".join(block["text"] for block in alone["blocks"] if block["main"])
    assert "Home page" not in alone["text"]
    french = {row["url"]: row for row in rows(out / "pages.fr.parquet")}
    assert french[f"{HOST}/fr/chapter1.html"]["group"] == paired["url"]


def test_a_language_pair_without_page_pairs_has_a_file_only_if_it_is_named(tmp_path: Path) -> None:
    run = harvest(as_folder(tmp_path / "site"), "en,fr,eo", tmp_path / "run", jobs=1, base_url=HOST)
    names = {path.name for path in run.export(["documents", "documents-jsonl"], tmp_path / "out")}
    assert names == {"documents.en-fr.parquet", "documents.en-fr.jsonl", "README.md"}
    assert (tmp_path / "out" / "documents.en-fr.jsonl").stat().st_size
    (path, _) = run.export(["documents"], tmp_path / "alone", langs="en,eo")
    assert (path.name, rows(path)) == ("documents.en-eo.parquet", [])


def test_the_card_explains_whole_pages(out: Path) -> None:
    card = (out / "README.md").read_text(encoding="utf-8")
    assert '- config_name: "documents.en-fr"\n  data_files: "documents.en-fr.parquet"' in card
    assert "| pages.fr | pages.fr.parquet | 12 |" in card
    assert "| links | " in card
    assert "| bead | " not in card


def test_personal_data_is_masked_in_blocks_too(run: Run, tmp_path: Path) -> None:
    masked = clean_run(run, pii="mask")
    masked.export(["documents", "pages-jsonl"], tmp_path)
    assert b"marie.dupont" not in (tmp_path / "pages.fr.jsonl").read_bytes()
    assert "marie.dupont" not in str(rows(tmp_path / "documents.en-fr.parquet"))


def test_personal_data_is_masked_in_the_titles_of_pages_in_every_output(tmp_path: Path) -> None:
    mail, site = b"marie.dupont@example.org", as_folder(tmp_path / "site")
    for path in site.rglob("*.html"):
        path.write_bytes(path.read_bytes().replace(b"</title>", b" " + mail + b"</title>"))
    run = harvest(site, "en,fr", tmp_path / "run", jobs=1, base_url=HOST)
    forms = ["csv", "jsonl", "parquet", "sqlite", "documents-jsonl", "pages", "cesalign"]
    for pii, placeholder in (("flag", mail), ("mask", b"<email>"), ("flag", mail)):
        changed = clean_run(run, pii=pii)
        changed.export(forms, tmp_path / pii)
        files = [path for path in (tmp_path / pii).iterdir() if path.suffix in (".csv", ".jsonl", ".db", ".parquet")]
        assert len(files) == 7
        pages = [*(tmp_path / pii).rglob("en-1.xml"), run.path / "report.html", run.path / "out" / "pages.tsv"]
        for path in (*files, *pages):
            held = contents(path)
            assert placeholder in held or b"&lt;email&gt;" in held, path
            assert (mail in held) == (pii == "flag"), path


def test_a_merge_has_no_pages_to_write(run: Run, tmp_path: Path) -> None:
    shutil.copytree(run.path, tmp_path / "second")
    merged = merge([run, tmp_path / "second"], tmp_path / "merged")
    with pytest.raises(RunFolderError, match="and no text of pages"):
        merged.export(["documents"], tmp_path)


def test_links_of_moved_blocks_by_hand() -> None:
    """Source block 1 is target block 2; blocks 2 and 3 share target 1, which a moved block stands between."""

    def segment(src: list[int], tgt: list[int]) -> dict[str, Any]:
        return {"src": "x", "tgt": "x", "src_blocks": src, "tgt_blocks": tgt, "score": 0.5}

    aligned = [segment([0], [3]), segment([1], [1]), segment([2], [5]), segment([3], [1]), segment([4], [4])]
    assert [(link["src"], link["tgt"]) for link in _links(aligned, (6, 7))] == [
        ([], [0]),
        ([], [2]),
        ([0], [3]),
        ([1, 3], [1]),
        ([2], [5]),
        ([4], [4]),
        ([5], []),
        ([], [6]),
    ]


def test_blocks_of_moved_segments_by_hand() -> None:
    """The three sentences of the target page are in blocks 0, 0 and 1; its last block is the first of the source."""
    pages = PageBlocks([], [0, 1, 1]), PageBlocks([], [0, 0, 1])
    own = {"src": "", "tgt": "", "score": 0.5, "flags": [], "kept": True}
    beads = [("1-1", 2), ("1-2", 0), ("1-0", 2)]

    def blocks(starts: list[int | None]) -> list[tuple[list[int], list[int]]]:
        segments = [own | {"bead": bead, "tgt_start": start} for (bead, _), start in zip(beads, starts, strict=True)]
        return [(each["src_blocks"], each["tgt_blocks"]) for each in _place(segments, *pages, "here")]

    assert blocks([start for _, start in beads]) == [([0], [1]), ([1], [0]), ([1], [])]
    assert blocks([None, None, None]) == [([0], [0]), ([1], [0, 1]), ([1], [])]
