"""No-break blanks: found in pages, kept beside plain texts, and back in all that is written."""

from __future__ import annotations

import base64
import json
import re
import shutil
import sqlite3
import sys
import zlib
from contextlib import closing
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent / "documents"))

from made_office import made_docx, made_odt

from diglot.alignment.segmenting import join_sentences
from diglot.corpus.flags.context import Cleaning, PageFacts
from diglot.corpus.flags.flagging import clean_segments
from diglot.corpus.formats.tmx import read_tmx
from diglot.corpus.shown_segments import shown_segments
from diglot.corpus.verdicts import segment_id
from diglot.disk.folder import RunFolder
from diglot.documents.html.pieces import no_break_places
from diglot.documents.parse import parse_page
from diglot.harvesting import align_run, clean_run, harvest
from diglot.no_breaks import blanks_of_texts, plain_blanks, with_blanks
from diglot.records import SEGMENT_SCHEMA, Page
from diglot.results.delta import kept_marks
from diglot.results.drawing import sample
from diglot.results.run import Run
from diglot.results.search import search
from diglot.results.take_verdicts import take_verdicts, withdraw_verdicts
from diglot.run.clean import _flag_part
from diglot.run.judgements import read_judgements
from diglot.texts import TextOptions, align_files
from diglot.workbench.run_work import INDEXED_COLUMNS, segments_kept
from diglot.workbench.verdicts import _key as verdict_key
from linearised import linearise
from made_segments import made_segment
from made_sites import SENTENCES, address, lett_line, page_html

FRENCH = "Une petite biblioth\u00e8que\u00a0: elle pr\u00eate des livres en 7\u202f000 langues."
"""In place of the sentence on a library; a no-break blank of either kind."""


def places(html: str) -> list[int]:
    linear = linearise(html, "https://a.example/")
    return no_break_places(linear.chunks, linear.blocks.ends).tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>Quoi&nbsp;? 10\u202f% et 1&#160;200</p>", [4, -7, 11]),
        ("<p><b>Note</b>&nbsp;: <i>\u00e9</i>&#8239;<i>!</i>", [4, -6]),
        # Beside another blank, in a run, and at the edge of a block it is layout.
        ("<p>a&nbsp; b &nbsp;c&nbsp;&nbsp;d <b>&nbsp;e</b>", []),
        ("<p>a&nbsp;<b>&nbsp;b</b>&nbsp;<b> c</b>&nbsp;<br>d<td>&nbsp;</td>&nbsp;<p>&nbsp;e", []),
        ("<p>a&nbsp;</p><p>b</p>", []),
        # No other white space, not even the bytes that mark it while text is folded.
        ("<p>a\u2009b\u2007c\u3000d&#30;e\x1ff g", []),
    ],
)
def test_where_a_blank_is_text(html: str, expected: list[int]) -> None:
    assert places(html) == expected


SIGNS = st.sampled_from(["a", "\U00020000", " ", "&nbsp;", "\u202f", "\u2009", "<b>", "</b>", "<p>"])


@given(st.lists(SIGNS, max_size=30))
def test_the_text_of_a_page_is_as_without_no_break_blanks(signs: list[str]) -> None:
    html = "x" + "".join(signs)
    with_them, without = (linearise(each, "") for each in (html, re.sub("&nbsp;|[\u00a0\u202f]", " ", html)))
    for name in ("tokens", "before", "text", "offsets"):
        assert getattr(with_them.chunks, name).tolist() == getattr(without.chunks, name).tolist()


@given(st.lists(SIGNS, max_size=30), st.lists(st.integers(1, 5), max_size=9))
def test_lone_blanks_come_back_however_the_text_is_cut(signs: list[str], sizes: list[int]) -> None:
    html = "".join(signs)
    raw = re.sub("</?b>", "", html).replace("&nbsp;", "\u00a0").split("<p>")
    lone = [re.sub(r"(?<!\S)[\u00a0\u202f]|[\u00a0\u202f](?!\S)", " ", text) for text in raw]
    blocks = [text for text in (re.sub("[ \u2009]+", " ", text).strip() for text in lone) if text]
    words = [word for text in blocks for word in text.split(" ")]
    ends = sorted({0, *(sum(sizes[: n + 1]) for n in range(len(sizes))), len(words)} & {*range(len(words) + 1)})
    texts = [" ".join(words[start:end]) for start, end in pairwise(ends)]
    plain = list(map(plain_blanks, texts))
    found = blanks_of_texts(plain, places(html))
    assert [
        text if blanks is None else with_blanks(text, blanks) for text, blanks in zip(plain, found, strict=True)
    ] == texts


def test_joined_sentences_keep_their_places() -> None:
    # No blank stands between the first two; the blank between the others is that of the page.
    texts = [join_sentences(["\u7b2c\u4e00\u3002", "\u7b2c\u4e8c\u3002"]), join_sentences(["Oui !", "Non !"])]
    assert blanks_of_texts(texts, [9, -10, 13]) == [None, "\u00a0\u202f\u00a0"]
    assert blanks_of_texts(texts, []) == blanks_of_texts(texts, None) == [None, None]


def test_a_text_with_another_number_of_blanks_stays_plain() -> None:
    mail = made_segment(
        "Write to a@b.example : now", "\u00c9crire \u00e0 +33 1 23 45 67 89 : oui", tgt_blanks="  \u00a0   \u00a0 "
    )
    row = made_segment("A colon : here", "Deux points : ici", src_blanks=" \u00a0 ", tgt_blanks=" \u202f ")
    table = pa.Table.from_pylist([mail, row], schema=SEGMENT_SCHEMA)
    shown = shown_segments(clean_segments(table, Cleaning(personal_data="mask")))
    assert "\u00a0" not in shown["tgt"][0].as_py()
    assert (shown["src"][1].as_py(), shown["tgt"][1].as_py()) == ("A colon\u00a0: here", "Deux points\u202f: ici")
    assert shown_segments(shown).equals(shown)
    assert segment_id(shown.to_pylist()[1]) == segment_id(row)


def test_flags_and_scores_do_not_see_them() -> None:
    rows = [made_segment(f"It costs {n} 200 euros", f"Il co\u00fbte {n} 200 euros", page=n) for n in range(9)]
    marked = [{**row, "tgt_blanks": "  \u202f\u00a0"} for row in rows]
    plain, kept = (
        clean_segments(pa.Table.from_pylist(each, schema=SEGMENT_SCHEMA), Cleaning()) for each in (rows, marked)
    )
    assert kept.drop_columns(["src_blanks", "tgt_blanks"]).equals(plain.drop_columns(["src_blanks", "tgt_blanks"]))
    assert kept["tgt_blanks"].to_pylist() == ["  \u202f\u00a0"] * 9


@pytest.mark.parametrize("make", [made_docx, made_odt])
def test_documents_keep_them(make: object) -> None:
    body = make([("p", "Quoi\u00a0? 1\u202f200 \u00a0euros")], "fr")  # type: ignore[operator]
    row = parse_page(Page("https://a.example/a", body))
    assert isinstance(row, dict)
    assert row["no_breaks"].tolist() == [4, -6]


# A run from one end to the other.


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run whose French has no-break blanks; not to be changed."""
    folder = tmp_path_factory.mktemp("blanks")
    library = SENTENCES["fr"][6].encode()
    lines = [
        lett_line(lang, address("a.example", lang, n), page_html(lang, n).replace(library, FRENCH.encode()))
        for n in range(8)
        for lang in SENTENCES
    ]
    (folder / "site.lett").write_bytes(b"".join(lines))
    harvest(folder / "site.lett", "en,fr", folder / "run", jobs=1)
    return folder / "run"


@pytest.fixture
def run(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "run"))


def memory(run: Path) -> set[str]:
    return {unit.variants[1].text for unit in read_tmx(run / "out" / "en-fr.tmx")}


def test_all_that_is_written_has_them(run: Path, tmp_path: Path) -> None:
    forms = [
        "csv",
        "jsonl",
        "moses",
        "xliff",
        "xliff12",
        "vertical",
        "parquet",
        "documents-jsonl",
        "sqlite",
        "tmx-multi",
    ]
    paths = Run(run).export(forms, tmp_path / "exported")
    text_files = [*paths, *(run / "out").glob("*.t[ms][xv]")]
    without = {
        path.name
        for path in text_files
        if path.suffix not in (".parquet", ".db") and FRENCH.encode() not in path.read_bytes()
    }
    # Vertical text has a word a line.
    assert without == {
        *("README.md", "en-fr.en", "en-fr.en.vert", "en-fr.fr.vert", "en-fr.map", "segments.metadata.json"),
        *("pairs.en-fr.tsv", "pages.tsv", "conflicts.en-fr.tsv"),
    }
    assert FRENCH in pq.read_table(tmp_path / "exported" / "en-fr.parquet")["tgt"].to_pylist()
    assert not {"src_blanks", "tgt_blanks"} & {*pq.read_table(tmp_path / "exported" / "en-fr.parquet").column_names}
    with closing(sqlite3.connect(tmp_path / "exported" / "segments.db")) as base:
        assert base.execute("SELECT count(*) FROM segments WHERE tgt = ?", [FRENCH]).fetchone() > (0,)
    assert FRENCH in {segment.tgt for segment in Run(run).segments("en", "fr")}
    hits = list(search(run, "biblioth\u00e8que : elle"))
    assert hits
    assert {hit.tgt for hit in hits} == {FRENCH}


def test_report_sheet_and_workbench_show_them(run: Path, tmp_path: Path) -> None:
    page = (run / "report.html").read_text(encoding="utf-8")
    packed = re.search(r'<script type="[^"]*" id="segments-data">(.*?)</script>', page, re.DOTALL)
    assert packed
    assert FRENCH in json.loads(zlib.decompress(base64.b64decode(packed[1])))["texts"]["fr"]
    sheet = sample(run, out=tmp_path / "sheet.tsv").path
    ids = {line.split("\t")[0] for line in sheet.read_text(encoding="utf-8").splitlines() if FRENCH in line}
    assert ids
    assert ids <= {segment_id(row) for row in Run(run).segments("en", "fr").table.to_pylist()}
    entry = next(row for row in segments_kept(Run(run)) if row[3] == FRENCH)
    shown, stored = (dict(zip(INDEXED_COLUMNS, map(change, entry), strict=True)) for change in (str, plain_blanks))
    assert (verdict_key(shown), verdict_key(stored)) == (verdict_key(stored),) * 2


def test_a_sheet_names_the_same_segment_with_and_without(run: Path, tmp_path: Path) -> None:
    Run(run).export(["csv"], tmp_path)
    head, *lines = (tmp_path / "en-fr.csv").read_text(encoding="utf-8").splitlines()
    for number, change in enumerate((str, plain_blanks)):
        sheet = tmp_path / f"{number}.csv"
        sheet.write_text("\n".join([f"{head},verdict", *(f"{change(line)},right" for line in lines)]), encoding="utf-8")
        taken = take_verdicts(run, [sheet], clear=True)
        assert (taken.taken, taken.foreign) == (len(lines), 0)
        # Stored plain, as by runs of earlier versions.
        assert {each.tgt for each in read_judgements(run).values()} >= {plain_blanks(FRENCH)}
        assert FRENCH in memory(run)


def verdict_on_library(run: Path, tmp_path: Path, **said: str) -> None:
    row = next(
        row for row in shown_segments(Run(run).segments("en", "fr").kept_rows()).to_pylist() if "biblio" in row["tgt"]
    )
    row = {name: row[name] for name in ("src_url", "tgt_url", "src", "tgt")} | said
    (tmp_path / "v.tsv").write_text("\n".join("\t".join(each) for each in (row, row.values())), encoding="utf-8")
    take_verdicts(run, [tmp_path / "v.tsv"])


def test_a_correction_has_the_blanks_that_were_typed(run: Path, tmp_path: Path) -> None:
    # The text as it is shown is no correction.
    verdict_on_library(run, tmp_path, verdict="right", corrected_tgt=FRENCH)
    assert [each.corrected_tgt for each in read_judgements(run).values()] == [""]
    other = FRENCH.translate({0x202F: 0xA0, 0xA0: 0x202F})
    for typed in ("Une petite biblioth\u00e8que : 7 000 langues, ici et l\u00e0 !", other):
        verdict_on_library(run, tmp_path, verdict="", corrected_tgt=typed)
        assert typed in memory(run)
    # A verdict on a text with other blanks leaves the correction as it is, and so do blanks that a program made plain.
    for typed in ("", plain_blanks(FRENCH)):
        verdict_on_library(run, tmp_path, verdict="partly", corrected_tgt=typed)
        assert other in memory(run)
    (judgement,) = read_judgements(run).values()
    assert withdraw_verdicts(run, [{**asdict(judgement), "tgt": FRENCH}]) == 1
    assert not read_judgements(run)


def test_a_run_of_an_earlier_version(run: Path) -> None:
    """Its files lack the columns: it is exported, cleaned and aligned again, and no text counts as changed."""
    marks = kept_marks(Run(run))
    with RunFolder(run) as folder, folder.lock():
        for stage in ("documents", "segments", "flagged"):
            for path in (run / stage).glob("*.parquet"):
                table, (key, number) = pq.read_table(path), path.stem.rsplit("-", 1)
                names = {"no_breaks", "src_blanks", "tgt_blanks"} & {*table.column_names}
                assert names
                folder.write_shard(stage, key, int(number), table.drop_columns([*names]).replace_schema_metadata(None))
    (segments,) = (run / "segments").glob("*.parquet")
    part = pa.table({"path": [str(segments)], "start": [0], "stop": [2], "flagged": [str(run / "flagged.parquet")]})
    assert not _flag_part(part, options=Cleaning(), facts=PageFacts()).num_rows
    for again in (Run, clean_run, align_run):
        if again is align_run:
            for path in (*(run / "segments").iterdir(), *(run / "flagged").iterdir()):
                path.unlink()
        opened = again(run)
        assert kept_marks(opened) == marks
        assert plain_blanks(FRENCH) in {segment.tgt for segment in opened.segments("en", "fr")}


def test_two_documents(tmp_path: Path) -> None:
    menu = "<nav><a href='/'>un&nbsp;menu</a></nav>"
    for lang in ("en", "fr"):
        texts = [
            *SENTENCES[lang][:9],
            FRENCH if lang == "fr" else "A small library: it lends books in 7,000 languages.",
        ]
        body = "".join(f"<p>{text}</p>" for text in texts)
        (tmp_path / f"{lang}.html").write_text(f"<html lang={lang}>{menu}{body}", encoding="utf-8")
    written = align_files(
        tmp_path / "en.html", tmp_path / "fr.html", TextOptions(langs="en,fr"), out=tmp_path / "memory"
    )
    assert written
    for path in written.paths:
        assert FRENCH in path.read_text(encoding="utf-8")
