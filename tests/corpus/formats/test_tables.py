"""Tables on disk: one row is one line to every reader, and the text is what it was."""

import csv
import json
import math
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diglot.corpus.characters import one_line
from diglot.corpus.formats import tables
from diglot.corpus.formats.tables import (
    with_kind_names,
    with_page_facts,
    write_csv,
    write_jsonl,
    write_moses,
    write_pairs_tsv,
    write_parquet,
    write_segments_tsv,
    write_tsv,
)
from diglot.records import PAGE_FACTS_SCHEMA, PAIR_SCHEMA, SEGMENT_SCHEMA
from made_segments import made_segment

NASTY = [
    '"opened and not closed',
    '"" = "',
    "=1+1\t@x",
    "a\rb\nc\r\nd",
    "\x0b\x0c\x1c\x1d\x1e\x1f\x85\u2028\u2029",
    "back\\slash \\t \\n",
    "#not a comment",
    "NULL",
    "'",
    "\ufeffbom",
    "\x00nul",
    "مرحبا \u202eabc\u202c \U0001f600",
    "",
]


def segment(src: str, tgt: str, **other: Any) -> dict[str, Any]:
    return made_segment(src, tgt, **{"score": 0.9, "src_url": "s", "tgt_url": "t", **other})


def segments(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=SEGMENT_SCHEMA)


def pair(src_url: str, tgt_url: str, probability: float, accepted: bool = True) -> dict[str, Any]:
    row = {"src_url": src_url, "tgt_url": tgt_url, "src_lang": "en", "tgt_lang": "fr", "accepted": accepted}
    evidence = [("hreflang", 3.5), ("images", math.nan)]
    return row | {"probability": probability, "method": "em", "refused_by": "", "evidence": evidence}


def test_pairs_are_those_accepted_best_first(tmp_path: Path) -> None:
    rows = [
        pair("b", "y", 0.5),
        pair("a", "z", 0.90001),
        pair("c", "w", 0.90004),
        pair("x", "x", 0.99, accepted=False),
        pair("a", "x", 0.5),
        pair("a", "y", 0.5),
        pair("d", "v", 1.0),
    ]
    path = tmp_path / "pairs.en-fr.tsv"
    assert write_pairs_tsv(path, pa.Table.from_pylist(rows, schema=PAIR_SCHEMA)) == 6
    assert path.read_text() == (
        "src_url\ttgt_url\tprobability\tmethod\n"
        "d\tv\t1.0000\tem\n"
        "c\tw\t0.9000\tem\n"
        "a\tz\t0.9000\tem\n"
        "a\tx\t0.5000\tem\n"
        "a\ty\t0.5000\tem\n"
        "b\ty\t0.5000\tem\n"
    )


def test_no_pairs_are_a_header(tmp_path: Path) -> None:
    assert write_pairs_tsv(tmp_path / "p", PAIR_SCHEMA.empty_table()) == 0
    assert (tmp_path / "p").read_text() == "src_url\ttgt_url\tprobability\tmethod\n"


def test_segments_keep_order_flags_and_text(tmp_path: Path) -> None:
    path = tmp_path / "segments.en-fr.tsv"
    rows = [segment("A\tb", "C", flags=["duplicate", "numbers"]), segment('"d', "", bead="1-0", score=0.12344)]
    assert write_segments_tsv(path, segments(rows)) == 2
    assert path.read_text() == (
        "src\ttgt\tscore\tbead\tflags\tsrc_url\ttgt_url\n"
        "A b\tC\t0.9000\t1-1\tduplicate,numbers\ts\tt\n"
        '"d\t\t0.1234\t1-0\t\ts\tt\n'
    )


def line_counts(path: Path) -> dict[str, int]:
    """Lines as several readers count them, quoting off."""
    content = path.read_bytes()
    with path.open(encoding="utf-8", newline="") as handle:
        counts = {
            "bytes": content.count(b"\n"),
            "splitlines": len(content.decode().splitlines()),
            "csv": sum(1 for _ in csv.reader(handle, delimiter="\t", quoting=csv.QUOTE_NONE)),
        }
    with path.open(encoding="utf-8") as handle:
        counts["open"] = sum(1 for _ in handle)
    if shutil.which("wc"):
        counts["wc"] = int(subprocess.check_output(["wc", "-l", str(path)]).split()[0])
    options = pa_csv.ParseOptions(delimiter="\t", quote_char=False)
    counts["arrow"] = pa_csv.read_csv(path, parse_options=options).num_rows + 1
    return counts


def test_one_row_is_one_line_to_every_reader(tmp_path: Path) -> None:
    rows = [segment(one, other, src_url=one) for one in NASTY for other in NASTY]
    path = tmp_path / "segments.tsv"
    write_segments_tsv(path, segments(rows))
    assert set(line_counts(path).values()) == {len(rows) + 1}
    with path.open(encoding="utf-8", newline="") as handle:
        read = list(csv.DictReader(handle, delimiter="\t", quoting=csv.QUOTE_NONE))
    for row, expected in zip(read, rows, strict=True):
        assert (row["src"], row["tgt"], row["src_url"]) == tuple(
            one_line(expected[name]) for name in ("src", "tgt", "src_url")
        )


def test_polars_reads_the_same_rows(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    rows = [segment(one, other) for one in NASTY for other in NASTY]
    write_segments_tsv(tmp_path / "s.tsv", segments(rows))
    read = polars.read_csv(tmp_path / "s.tsv", separator="\t", quote_char=None)
    assert read["src"].fill_null("").to_list() == [one_line(row["src"]) for row in rows]


def test_every_code_point_stays_on_its_line(tmp_path: Path) -> None:
    codes = [code for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    texts = ["".join(map(chr, codes[start : start + 1000])) for start in range(0, len(codes), 1000)]
    table = segments([segment(f"a{text}", "b") for text in texts])
    write_segments_tsv(tmp_path / "s.tsv", table)
    write_jsonl(tmp_path / "s.jsonl", table)
    write_moses(tmp_path / "s", table, src_lang="en", tgt_lang="zh-Hant")
    assert len((tmp_path / "s.tsv").read_text(encoding="utf-8").splitlines()) == len(texts) + 1
    lines = (tmp_path / "s.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["src"] for line in lines] == [f"a{text}" for text in texts]
    assert (tmp_path / "s.en").read_text(encoding="utf-8").splitlines() == [one_line(f"a{text}") for text in texts]
    assert (tmp_path / "s.zh-Hant").read_text() == "b\n" * len(texts)


@settings(max_examples=50)
@given(st.lists(st.tuples(st.text(), st.text(), st.floats(0, 1, width=32)), max_size=5))
def test_jsonl_gives_back_the_table(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, float]]
) -> None:
    path = tmp_path_factory.getbasetemp() / "round.jsonl"
    table = segments([segment(src, tgt, score=score, flags=["numbers"]) for src, tgt, score in rows])
    assert write_jsonl(path, table) == len(rows)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert segments([json.loads(line) for line in lines]).equals(table)


def test_jsonl_of_pairs_is_json_for_everybody(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "p.jsonl", pa.Table.from_pylist([pair("a", "b", 0.9)], schema=PAIR_SCHEMA))
    line = (tmp_path / "p.jsonl").read_text()
    row = json.loads(line, parse_constant=pytest.fail)
    assert list(row) == PAIR_SCHEMA.names
    assert '"probability": 0.9,' in line
    assert row["evidence"] == {"hreflang": 3.5, "images": None}


def test_parquet_gives_back_the_table_and_is_zstd(tmp_path: Path) -> None:
    table = segments([segment(one, one) for one in NASTY])
    for name in ("one", "two"):
        assert write_parquet(tmp_path / name, table) == len(NASTY)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    back = pq.read_table(tmp_path / "one")
    assert back.drop_columns("fetched").equals(table.drop_columns("fetched"))
    assert pq.ParquetFile(tmp_path / "one").metadata.row_group(0).column(0).compression == "ZSTD"


def test_parquet_has_moments_kinds_by_name_and_the_meaning_of_columns(tmp_path: Path) -> None:
    noon = datetime(2024, 5, 1, 12, tzinfo=UTC)
    moments = {"2024-05-01T12:00:00Z": noon, "2024-05-01T14:00:00.25+02:00": noon, "2024-05-01T12:00:00": noon}
    moments |= dict.fromkeys(("2024-13-01T12:00:00Z", "yesterday"))
    table = segments([{**segment("a", "b"), "fetched": each, "kind": place} for place, each in enumerate(moments)])
    write_parquet(tmp_path / "p", with_kind_names(table), {"src, tgt": "the two texts"})
    back = pq.read_table(tmp_path / "p")
    assert back.schema.field("fetched").type == pa.timestamp("ms", "UTC")
    assert back["fetched"].to_pylist() == list(moments.values())
    assert back["kind"].to_pylist() == ["paragraph", "title", "heading", "list_item", "table_cell"]
    assert back.schema.field("tgt").metadata == {b"description": b"the two texts"}
    assert back.schema.field("score").metadata is None


def test_slices_and_chunks_do_not_matter(tmp_path: Path) -> None:
    rows = [segment(str(number), "t") for number in range(30)]
    whole = segments(rows)
    pieces = pa.concat_tables([whole.slice(0, 7), whole.slice(7, 1), whole.slice(8)])
    for name, table in (("whole", whole), ("pieces", pieces)):
        write_segments_tsv(tmp_path / name, table)
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "pieces").read_bytes()
    assert np.loadtxt(tmp_path / "whole", dtype=str, delimiter="\t", skiprows=1)[:, 0].tolist() == [
        row["src"] for row in rows
    ]


def test_what_is_told_of_pages_stands_beside_their_segments() -> None:
    facts = [("a", "Title A", "2024-01-01", "https://l.example/"), ("b", "", "", "")]
    pages = pa.Table.from_pylist(
        [dict(zip(PAGE_FACTS_SCHEMA.names, fact, strict=True)) for fact in facts], schema=PAGE_FACTS_SCHEMA
    )
    segments = pa.table({"src_url": ["a", "b", "a"], "tgt_url": ["b", "unknown", "a"]})
    told = with_page_facts(segments, pages)
    assert told.select(["src_url", "tgt_url"]).equals(segments)
    assert told["src_title"].to_pylist() == ["Title A", "", "Title A"]
    assert told["src_licence"].to_pylist() == ["https://l.example/", "", "https://l.example/"]
    assert told["tgt_fetched"].to_pylist() == ["", "", "2024-01-01"]
    assert with_page_facts(segments, PAGE_FACTS_SCHEMA.empty_table())["src_title"].to_pylist() == [""] * 3


def test_parquet_has_texts_where_the_table_has_numbers_of_them(tmp_path: Path) -> None:
    table = pa.table({"text": pa.array(["a", "b", "a"]).dictionary_encode(), "number": [1, 2, 3]})
    assert write_parquet(tmp_path / "x.parquet", table) == 3
    read = pq.read_table(tmp_path / "x.parquet")
    assert (read.schema.field("text").type, read["text"].to_pylist()) == (pa.string(), ["a", "b", "a"])
    assert write_parquet(tmp_path / "y.parquet", table.slice(0, 0)) == 0
    assert pq.read_table(tmp_path / "y.parquet").schema == read.schema


def test_csv_is_read_back_by_two_readers(tmp_path: Path) -> None:
    rows = [segment(text, text[::-1] or "x", flags=["names", "series"], position=n) for n, text in enumerate(NASTY)]
    table = segments(rows)
    assert write_csv(tmp_path / "a.csv", [table.slice(0, 5), table.slice(5)]) == len(NASTY)
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        read = list(csv.DictReader(file))
    assert [row["src"] for row in read] == [one_line(text) for text in NASTY]
    assert {(row["flags"], row["score"]) for row in read} == {("names,series", "0.9000")}
    options = pa_csv.ConvertOptions(strings_can_be_null=False)
    assert pa_csv.read_csv(tmp_path / "a.csv", convert_options=options)["tgt"].to_pylist() == [r["tgt"] for r in read]
    assert (tmp_path / "a.csv").read_bytes().count(b"\n") == len(NASTY) + 1


def test_lists_of_addresses_in_csv_have_blanks_between_them(tmp_path: Path) -> None:
    column = pa.array([["http://a/1,2", "http://a/3"], []], pa.list_(pa.string()))
    write_csv(tmp_path / "a.csv", pa.table({"other_src_urls": column, "score": pa.array([0.5, 1.0], pa.float32())}))
    assert (tmp_path / "a.csv").read_text() == 'other_src_urls,score\n"http://a/1,2 http://a/3",0.5000\n,1.0000\n'


def test_small_tables_are_joined_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cost grows with the number of tables, and not with its square; a row group has 4 rows."""
    monkeypatch.setattr(tables, "_ROW_GROUP", 4)
    joined: list[int] = []
    whole = pa.concat_tables

    def counted(parts: list[pa.Table]) -> pa.Table:
        joined.append(len(parts))
        return whole(parts)

    monkeypatch.setattr(pa, "concat_tables", counted)
    rows = pa.table({"text": list("abcdefghi")})
    assert write_parquet(tmp_path / "a.parquet", (rows.slice(place, 1) for place in range(9))) == 9
    # Each group takes the empty rest of the group before.
    assert joined == [5, 5, 2]
    groups = pq.ParquetFile(tmp_path / "a.parquet")
    assert [groups.metadata.row_group(number).num_rows for number in range(groups.num_row_groups)] == [4, 4, 1]
    assert groups.read()["text"].to_pylist() == list("abcdefghi")


def test_a_table_of_several_row_groups_goes_on_with_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "_ROW_GROUP", 4)
    parts = [pa.table({"number": pa.array(range(*bounds), pa.int64())}) for bounds in ((0, 3), (3, 12), (12, 12))]
    write_parquet(tmp_path / "a.parquet", parts)
    groups = pq.ParquetFile(tmp_path / "a.parquet")
    assert [groups.metadata.row_group(number).num_rows for number in range(groups.num_row_groups)] == [4, 4, 4]
    assert groups.read()["number"].to_pylist() == list(range(12))


def test_what_is_missing_is_an_empty_cell(tmp_path: Path) -> None:
    lists = pa.array([None, ["x", None]], pa.list_(pa.string()))
    table = pa.table({"a": ["x", None], "b": [None, 0.5], "c": lists, "d": pa.nulls(2)})
    write_csv(tmp_path / "a.csv", table)
    assert (tmp_path / "a.csv").read_text() == 'a,b,c,d\nx,,,\n,0.5000,"x,",\n'
    write_tsv(tmp_path / "a.tsv", table, ("a", "b"))
    assert (tmp_path / "a.tsv").read_text() == "a\tb\nx\t\n\t0.5000\n"
