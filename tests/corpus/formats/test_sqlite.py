"""A harvest in SQLite: rows that refer to each other, and what the index finds in each kind of language."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from diglot.corpus.formats.sqlite import PAGE_COLUMNS, SiteTables, write_metadata, write_sqlite
from diglot.errors import UsageError
from diglot.records import FLAGGED_SCHEMA, PAIR_SCHEMA


def site(src: str, tgt: str, src_lang: str, tgt_lang: str, name: str = "a", **other: Any) -> SiteTables:
    """A site of one page pair with one segment."""
    urls = {"src_url": f"{name}/{src_lang}", "tgt_url": f"{name}/{tgt_lang}"}
    langs = {"src_lang": src_lang, "tgt_lang": tgt_lang}
    blank = dict.fromkeys(PAGE_COLUMNS, "")
    pages = [
        {**blank, "url": urls["src_url"], "lang": src_lang, "fate": "dropped", "reason": "repeated_address"},
        *(
            {**blank, "url": urls[f"{side}_url"], "lang": langs[f"{side}_lang"], "fate": "used"}
            for side in ("src", "tgt")
        ),
    ]
    pair = {"site": name, **urls, **langs, "accepted": True, "probability": 0.75, "method": "m", "refused_by": ""}
    segment = {"src": src, "tgt": tgt, **langs, **urls, "score": 0.9, "bead": "1-1", "kind": 0, "flags": ["names"]}
    segment |= {"position": 0, "fetched": "", "src_variant": "", "tgt_variant": ""}
    segment |= {"other_src_urls": ["b/1", "b/2"], "other_tgt_urls": ["c/1", "c/2"], **other}
    return SiteTables(
        pa.Table.from_pylist(pages),
        pa.Table.from_pylist([{**pair, "evidence": []}], schema=PAIR_SCHEMA),
        pa.Table.from_pylist([segment], schema=FLAGGED_SCHEMA),
    )


def found(path: Path, query: str, index: str = "segments_fts") -> list[int]:
    with closing(sqlite3.connect(path)) as base:
        return [row for (row,) in base.execute(f"SELECT rowid FROM {index} WHERE {index} MATCH ?", (query,))]


def test_rows_refer_to_each_other_across_sites(tmp_path: Path) -> None:
    """The page that counts is that which was used; a page told of elsewhere has a row all the same."""
    lone = site("Two", "Deux", "en", "fr", "b")
    lone = lone._replace(pages=lone.pages.slice(0, 2))  # nothing is told of the target page
    assert write_sqlite(tmp_path / "s.db", [site("One", "Un", "en", "fr"), lone], ["en", "fr"]) == 2
    with closing(sqlite3.connect(tmp_path / "s.db")) as base:
        assert base.execute("PRAGMA foreign_key_check").fetchall() == []
        rows = base.execute(
            "SELECT s.id, s.src, s.score, s.flags, a.url, a.fate, b.url, b.lang, p.probability FROM segments s "
            "JOIN pairs p ON p.id = s.pair JOIN pages a ON a.id = p.src_page JOIN pages b ON b.id = p.tgt_page"
        ).fetchall()
        copies = base.execute("SELECT segment, src_url, tgt_url FROM copies").fetchall()
    assert rows == [
        (1, "One", 0.9, "names", "a/en", "used", "a/fr", "fr", 0.75),
        (2, "Two", 0.9, "names", "b/en", "used", "b/fr", "fr", 0.75),
    ]
    assert copies == [(n, f"b/{k}", f"c/{k}") for n in (1, 2) for k in (1, 2)]


SEGMENTS = (("The IP road", "L'été à Köln, sécurité", "fr"), ("The road", "IPアドレスの設定", "ja"))


def test_words_are_found_without_accents_and_characters_in_languages_without_blanks(tmp_path: Path) -> None:
    sites = [site(src, tgt, "en", lang, lang) for src, tgt, lang in SEGMENTS]
    write_sqlite(tmp_path / "s.db", sites, ["en", "fr", "ja"])
    words = {"ete": [1], "KOLN": [1], "securite": [1], "oad": [], "src:road": [1, 2], "ip": [1], "設定": []}
    assert {query: found(tmp_path / "s.db", query) for query in words} == words
    characters = {"の設定": [2], "ip": [], "アドレスの": [2], "ipア": [2], "設定の": [], "road": []}
    assert {query: found(tmp_path / "s.db", query, "unspaced_fts") for query in characters} == characters
    with closing(sqlite3.connect(tmp_path / "s.db")) as base:
        assert base.execute("SELECT id FROM unspaced WHERE tgt LIKE '%設定%'").fetchall() == [(2,)]
        assert base.execute("SELECT src FROM unspaced").fetchall() == [("",), ("",)]
        assert base.execute("SELECT kind FROM segments").fetchall() == [("paragraph",), ("paragraph",)]


@pytest.mark.parametrize("langs", [["en", "fr"], ["en", "fr", "ja"]])
def test_the_search_of_the_metadata_finds_texts_in_all_languages(tmp_path: Path, langs: list[str]) -> None:
    """The query that datasette offers, asked here as datasette asks it."""
    sites = [site(src, tgt, "en", lang, lang) for src, tgt, lang in SEGMENTS if lang in langs]
    write_sqlite(tmp_path / "segments.db", sites, langs)
    write_metadata(tmp_path / "m.json", langs)
    metadata = json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))
    (database,) = metadata["databases"].values()
    wanted = {"設定": 1, "IP": 2, "securite": 1, "the road": 1, '"': 0, "": 0} if "ja" in langs else {"IP": 1, "été": 1}
    with closing(sqlite3.connect(tmp_path / "segments.db")) as base:
        tables = {name for (name,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        assert set(database["tables"]) <= tables
        search = database["queries"]["search"]
        assert {text: len(base.execute(search["sql"], {"text": text}).fetchall()) for text in wanted} == wanted


def test_the_same_rows_are_the_same_bytes_and_nothing_is_a_database(tmp_path: Path) -> None:
    for name in ("a.db", "b.db"):
        write_sqlite(tmp_path / name, iter([site("One", "Un", "en", "fr")]), ["en", "fr"])
    assert (tmp_path / "a.db").read_bytes() == (tmp_path / "b.db").read_bytes()
    copies = {f"other_{side}_urls": [f"{side}{n}" for n in range(500)] for side in ("src", "tgt")}
    both = [site(str(n) * 9_000, "Un", "en", "fr", str(n), **copies) for n in range(4)]
    together = SiteTables(*(pa.concat_tables(tables) for tables in zip(*both, strict=True)))
    write_sqlite(tmp_path / "apart.db", both, ["en", "fr"])
    write_sqlite(tmp_path / "together.db", [together], ["en", "fr"])
    assert (tmp_path / "apart.db").read_bytes() == (tmp_path / "together.db").read_bytes()
    assert write_sqlite(tmp_path / "none.db", [], ["en", "fr"]) == 0
    assert found(tmp_path / "none.db", "one") == []


def test_a_database_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    write_sqlite(tmp_path / "a.db", [site("One", "Un", "en", "fr")], ["en", "fr"])
    before = (tmp_path / "a.db").read_bytes()

    def full(*_: Any) -> Any:
        raise sqlite3.OperationalError("database or disk is full")
        yield

    with pytest.raises(UsageError, match=r"a\.db: cannot be written \(the disk is full"):
        write_sqlite(tmp_path / "a.db", full(), ["en", "fr"])
    assert [path.name for path in tmp_path.iterdir()] == ["a.db"]
    assert (tmp_path / "a.db").read_bytes() == before
