"""What each format makes of the same few segments, by a hash of its text: a change of the bytes is to be meant."""

from __future__ import annotations

import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xxhash

from diglot.corpus.formats import FORMATS, Segments
from diglot.corpus.formats.card import Dataset, is_card, write_card
from diglot.corpus.formats.conflicts import write_conflicts
from diglot.corpus.formats.multilingual import joined_units
from diglot.corpus.formats.sqlite import PAGE_COLUMNS, SiteTables, write_sqlite
from diglot.corpus.formats.tmx import Header, write_multilingual_tmx
from diglot.records import FLAGGED_SCHEMA, PAGE_FACTS_SCHEMA, PAIR_SCHEMA
from diglot.version import __version__

PLAIN = {"kind": 0, "position": 0, "fetched": "2024-01-02T03:04:05Z", "src_variant": "", "tgt_variant": ""}
LISTS: dict[str, Any] = {"flags": [], "other_src_urls": [], "other_tgt_urls": []}


def row(src: str, tgt: str, page: int = 1, **other: Any) -> dict[str, Any]:
    urls = {"src_url": f"https://a.org/en/{page}", "tgt_url": f"https://a.org/fr/{page}"}
    langs = {"src_lang": "en", "tgt_lang": "fr", "score": 0.75, "bead": "1-1"}
    return {"src": src, "tgt": tgt, **urls, **langs, **PLAIN, **LISTS, **other}


ROWS = [
    row('A "cat", & <dog>', "Un chat\u2028là"),
    row("=1+1", "\x02deux", position=1, score=1 / 3, flags=["too_short"], tgt_variant="fr-CA", fetched=""),
    row("So long\tit is", "C'est long", 2, bead="2-1", other_src_urls=["https://a.org/en/9"],
        other_tgt_urls=["https://a.org/fr/9"]),
    row("x", "y", 2, flags=["numbers"]),
    row("low", "bas", 2, score=0.1),
    row("A cat", "Un félin", 3, score=0.6, flags=["conflict"]),
    row("a cat!", "Un chat", 3, score=0.9),
]  # fmt: skip
PAGES = [{"url": "https://a.org/en/1", "title": "Cats", "fetched": "2024-01-02", "licence": "https://cc.org/by"}]


def segments() -> Segments:
    pages = pa.Table.from_pylist([dict.fromkeys(PAGE_FACTS_SCHEMA.names, "") | each for each in PAGES])
    table = pa.Table.from_pylist(ROWS, schema=FLAGGED_SCHEMA)
    return Segments(table, "en", "fr", "recipe|x=1", min_score=0.2, pages=pages.cast(PAGE_FACTS_SCHEMA))


def digest(text: str) -> str:
    return xxhash.xxh3_64_hexdigest(
        text.replace(f'"{__version__}"', '"V"').replace(f"Diglot {__version__}", "").encode()
    )


def text_of(path: Path) -> str:
    """The text of a file; of what is packed, what is within."""
    if path.suffix == ".parquet":
        table = pq.read_table(path)
        return f"{table.schema.names}{table.to_pylist()}"
    if path.suffix == ".xlsx":
        with zipfile.ZipFile(path) as book:
            return book.read("xl/worksheets/sheet1.xml").decode()
    if path.suffix == ".db":
        with closing(sqlite3.connect(path)) as base:
            tables = ("pages", "pairs", "segments", "copies")
            return "\n".join(f"{name} {list(base.execute(f'SELECT * FROM {name}'))}" for name in tables)
    return path.read_text(encoding="utf-8")


PINS = {
    ("tmx", "en-fr.tmx"): "e857b0f658ec93e2",
    ("tsv", "segments.en-fr.tsv"): "61cf0841d31f4c0f",
    ("moses", "en-fr.en"): "4969437b668e3d2d",
    ("moses", "en-fr.fr"): "86dee6d45b24b39f",
    ("csv", "en-fr.csv"): "47feb7aabc90ca7e",
    ("jsonl", "en-fr.jsonl"): "8f77626bdfa61a9c",
    ("parquet", "en-fr.parquet"): "ea629acc5fe9c843",
    ("xliff", "en-fr.xlf"): "e183d2e3093c77ec",
    ("xliff12", "en-fr.1.2.xlf"): "497d5220ff7ce558",
    ("xlsx", "en-fr.xlsx"): "75b50b21cfd52488",
    ("vertical", "en-fr.en.vert"): "7e9e79e9d8ac1882",
    ("vertical", "en-fr.fr.vert"): "8b54ef427d9cca88",
    ("vertical", "en-fr.map"): "93533366c856da1c",
    ("conflicts", "conflicts.tsv"): "57a3cd2a5a9b353e",
    ("sqlite", "segments.db"): "5671c328191e6725",
    ("tmx-multi", "m.tmx"): "56d02c09c81997ac",
    ("card", "card.md"): "581aba544a56565a",
}


@pytest.mark.parametrize("form", sorted({form for form, _ in PINS} | {each.name for each in FORMATS if each.write}))
def test_a_format_gives_the_pinned_files(form: str, tmp_path: Path) -> None:
    write: Callable[[Path], list[Path]] = OTHERS.get(form, lambda out: segments().write(out, form))
    found = {(form, path.name): digest(text_of(path)) for path in write(tmp_path)}
    assert found == {key: pin for key, pin in PINS.items() if key[0] == form}


def conflicts(out: Path) -> list[Path]:
    table = segments().table
    with_site = table.append_column("site", pa.array(["00001"] * table.num_rows))
    assert write_conflicts(out / "conflicts.tsv", with_site, 0.5) == 2
    return [out / "conflicts.tsv"]


def database(out: Path) -> list[Path]:
    pages = [
        {"url": "https://a.org/en/1", "fate": "dropped"},
        {"url": "https://a.org/en/1", "fate": "used", "lang": "en", "title": "Cats"},
        {"url": "https://a.org/fr/1", "fate": "used", "lang": "fr"},
    ]
    pairs = [
        {"src_url": f"https://a.org/en/{page}", "tgt_url": f"https://a.org/fr/{page}", "src_lang": "en"}
        | {"tgt_lang": "fr", "accepted": True, "probability": 0.987654, "method": "m", "refused_by": "", "evidence": []}
        for page in (1, 2, 3)
    ]
    sites = SiteTables(
        pa.Table.from_pylist([dict.fromkeys(PAGE_COLUMNS, "") | page for page in pages]),
        pa.Table.from_pylist(pairs, schema=PAIR_SCHEMA),
        segments().kept_rows(),
    )
    assert write_sqlite(out / "segments.db", [sites], ["en", "fr"]) == 4
    return [out / "segments.db"]


def multilingual(out: Path) -> list[Path]:
    german = [{**row("So long\tit is", "So lang ist es", 2), "tgt_lang": "de", "tgt_url": "https://a.org/de/2"}]
    tables = [segments().kept_rows(), pa.Table.from_pylist(german, schema=FLAGGED_SCHEMA)]
    units = joined_units(tables, "en", ["en", "de", "fr"])
    header = Header(created="2024-01-02T03:04:05+01:00", signature="s")
    assert write_multilingual_tmx(out / "m.tmx", units, src_lang="en", header=header) == 4
    return [out / "m.tmx"]


def card(out: Path) -> list[Path]:
    (file,) = segments().write(out, "parquet")
    dataset = Dataset("cats", ["en", "fr"], {"en-fr": file}, "recipe|x=1", ["a.warc.gz"])
    write_card(out / "README.md", dataset)
    assert is_card(out / "README.md")
    text = (out / "README.md").read_text(encoding="utf-8")
    (out / "README.md").write_text(text.replace("4 |", "5 |", 1), encoding="utf-8")
    assert not is_card(out / "README.md")
    (out / "card.md").write_text("\n".join(line for line in text.split("\n") if not line.startswith("# written")))
    return [out / "card.md"]


OTHERS: dict[str, Callable[[Path], list[Path]]] = {
    "conflicts": conflicts,
    "sqlite": database,
    "tmx-multi": multilingual,
    "card": card,
}
