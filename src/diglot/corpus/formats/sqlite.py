"""A harvest as one SQLite file with indexes over the texts, for sqlite3, datasette, sqlite-utils and any program.

``pages`` has every record and its fate, ``pairs`` the page pairs, ``segments`` the kept segments, ``copies`` the
addresses of their copies. ``segments_fts`` is the index (FTS5) of words, without case and accents. Texts of languages
without blanks between words are in ``unspaced_fts`` instead, which finds any three characters or more; the view
``unspaced`` has these texts for shorter searches. The same run gives the same bytes with the same version of SQLite.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from typing import Any, NamedTuple

import pyarrow as pa

from diglot.corpus.characters import one_line
from diglot.corpus.formats.page_fragments import NUMBER_COLUMNS, page_fragment
from diglot.corpus.formats.tables import rows_of
from diglot.disk.atomic import replacing
from diglot.errors import UsageError, describe_error
from diglot.records import BlockKind
from diglot.words import UNSPACED

PAGE_COLUMNS = ("url", "site", "lang", "title", "fate", "reason", "detail", "fetched", "licence", "source")
_PAIR_COLUMNS = ("src_lang", "tgt_lang", "probability", "method")
_SEGMENT_COLUMNS = (
    *("src_lang", "tgt_lang", "src", "tgt", "score", "bead", "kind", "flags", "position", "fetched"),
    *("src_variant", "tgt_variant", "src_url", "tgt_url"),
)
_ROWS_HELD = 10_000
_TABLES = f"""
CREATE TABLE pages (id INTEGER PRIMARY KEY, {", ".join(f"{name} TEXT NOT NULL" for name in PAGE_COLUMNS)});
CREATE TABLE pairs (
    id INTEGER PRIMARY KEY,
    src_page INTEGER NOT NULL REFERENCES pages(id), tgt_page INTEGER NOT NULL REFERENCES pages(id),
    src_lang TEXT NOT NULL, tgt_lang TEXT NOT NULL, probability REAL, method TEXT NOT NULL
);
CREATE TABLE segments (
    id INTEGER PRIMARY KEY, pair INTEGER NOT NULL REFERENCES pairs(id),
    src_lang TEXT NOT NULL, tgt_lang TEXT NOT NULL, src TEXT NOT NULL, tgt TEXT NOT NULL,
    score REAL NOT NULL, bead TEXT NOT NULL, kind TEXT NOT NULL, flags TEXT NOT NULL, position INTEGER NOT NULL,
    fetched TEXT NOT NULL,
    src_variant TEXT NOT NULL, tgt_variant TEXT NOT NULL, src_url TEXT NOT NULL, tgt_url TEXT NOT NULL
);
CREATE TABLE copies (
    segment INTEGER NOT NULL REFERENCES segments(id), src_url TEXT NOT NULL, tgt_url TEXT NOT NULL
);
CREATE VIRTUAL TABLE segments_fts USING fts5(
    src, tgt, content="segments", content_rowid="id", tokenize="unicode61 remove_diacritics 2"
);
"""
_UNSPACED_TABLES = """
CREATE VIEW unspaced AS SELECT id, {src} AS src, {tgt} AS tgt FROM segments;
CREATE VIRTUAL TABLE unspaced_fts USING fts5(src, tgt, content="unspaced", content_rowid="id", tokenize="trigram");
"""
_INDEX_OF_UNSPACED = """
INSERT INTO unspaced_fts (unspaced_fts) VALUES ('rebuild');
INSERT INTO unspaced_fts (unspaced_fts) VALUES ('optimize');
"""
_INDEXES = """
INSERT INTO segments_fts (rowid, src, tgt) SELECT id, {src}, {tgt} FROM segments;
INSERT INTO segments_fts (segments_fts) VALUES ('optimize');
CREATE INDEX pages_url ON pages (url);
CREATE INDEX pairs_src_page ON pairs (src_page);
CREATE INDEX pairs_tgt_page ON pairs (tgt_page);
CREATE INDEX segments_pair ON segments (pair);
CREATE INDEX copies_segment ON copies (segment);
"""


_TABLE_MEANING = {
    "segments": "Segments of the translation memory",
    "pages": "Every record of the sources, and whether it is used",
    "pairs": "Page pairs",
    "copies": "Addresses of copies of segments, which are left out",
}
_SEGMENTS_VIEW = {"fts_table": "segments_fts", "fts_pk": "id", "label_column": "src", "sort_desc": "score"}
_SEARCH = "SELECT src, tgt, src_lang, tgt_lang, score, src_url, tgt_url FROM segments"
# In quotes, a text is a phrase and not an expression of FTS5.
_MATCH = """SELECT rowid FROM {index} WHERE {index} MATCH '"' || replace(:text, '"', '""') || '"'"""
# The index of characters has none of fewer than three, for which FTS5 finds nothing even with LIKE.
_BY_FEW_CHARACTERS = (
    "SELECT id FROM unspaced WHERE length(:text) BETWEEN 1 AND 2"
    " AND (instr(lower(src), lower(:text)) OR instr(lower(tgt), lower(:text)))"
)


class SiteTables(NamedTuple):
    """Some whole sites: the fate of their records, their accepted page pairs, and their kept segments.

    ``pages`` has the columns of :data:`PAGE_COLUMNS`; ``pairs`` are of :data:`diglot.records.PAIR_SCHEMA`, ``segments``
    of :data:`diglot.records.FLAGGED_SCHEMA`.
    """

    pages: pa.Table
    pairs: pa.Table
    segments: pa.Table


def write_sqlite(path: str | os.PathLike[str], sites: Iterable[SiteTables], langs: Sequence[str]) -> int:
    """Write a database of these languages, some sites at a time in memory; returns the number of segments.

    Raises: UsageError if ``path`` cannot be written, and for a SQLite without FTS5.
    """
    unspaced = _without_blanks(langs)
    with replacing(path) as handle:
        try:
            with closing(sqlite3.connect(handle.name, isolation_level=None)) as base:
                # An unfinished file is thrown away, so nothing has to be undone.
                base.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA page_size = 4096;")
                base.executescript(_TABLES)
                if unspaced:
                    base.executescript(_UNSPACED_TABLES.format(**_texts(unspaced, within=True)))
                base.execute("BEGIN")
                filling = _Filling(base)
                for each in sites:
                    filling.add(each)
                base.execute("COMMIT")
                # The place of a row in the file no longer depends on the parts it came in.
                base.execute("VACUUM")
                base.executescript(_INDEXES.format(**_texts(unspaced, within=False)))
                if unspaced:
                    base.executescript(_INDEX_OF_UNSPACED)
        except sqlite3.Error as error:
            raise UsageError(
                f"{path}: cannot be written ({describe_error(error)}); free its place and that of temporary files "
                "(TMPDIR), or choose another"
            ) from error
    return filling.segments


def _without_blanks(langs: Iterable[str]) -> list[str]:
    """The languages that have no blanks between words."""
    return [lang for lang in langs if lang.split("-")[0] in UNSPACED]


def _texts(langs: Sequence[str], *, within: bool) -> dict[str, str]:
    """SQL for both texts of a segment, "" in place of a text left out: in a language other than ``langs``, or, with
    ``within`` False, in one of them."""
    if not langs:
        return {"src": "src", "tgt": "tgt"}
    # Language tags have no quotes.
    listed = ", ".join(f"'{lang}'" for lang in langs)
    test = "IN" if within else "NOT IN"
    return {side: f"CASE WHEN {side}_lang {test} ({listed}) THEN {side} ELSE '' END" for side in ("src", "tgt")}


def write_metadata(path: str | os.PathLike[str], langs: Sequence[str]) -> None:
    """Write metadata for ``datasette --metadata``: meanings of tables, and a query that searches all languages.

    Raises: UsageError if ``path`` cannot be written.
    """
    tables = {
        table: {"description": text, **(_SEGMENTS_VIEW if table == "segments" else {})}
        for table, text in _TABLE_MEANING.items()
    }
    found = [_MATCH.format(index="segments_fts")]
    if _without_blanks(langs):
        found += [_MATCH.format(index="unspaced_fts"), _BY_FEW_CHARACTERS]
    query = {
        "title": "Search all languages",
        "description": "Words and phrases without case and accents; in languages without blanks any characters",
        "sql": f"{_SEARCH} WHERE id IN ({' UNION '.join(found)}) ORDER BY score DESC",
        "params": ["text"],
    }
    database = {"tables": tables, "queries": {"search": query}}
    value = {"title": f"Translations in {', '.join(langs)}", "databases": {"segments": database}}
    with replacing(path) as handle:
        handle.write((json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode())


class _Filling:
    """Fills the tables and numbers their rows."""

    def __init__(self, base: sqlite3.Connection) -> None:
        self._base = base
        self._pages = self._pairs = self.segments = 0

    def add(self, sites: SiteTables) -> None:
        """Add some sites."""
        page_of = self._add_pages(sites.pages)
        pair_of = self._add_pairs(sites.pairs, page_of)
        self._add_segments(sites.segments, pair_of)

    def _add_pages(self, pages: pa.Table) -> dict[str, int]:
        """Number of the record of each address: the used record, else the first record."""
        page_of: dict[str, int] = {}
        rows: list[tuple[Any, ...]] = []
        for row in rows_of(pages, PAGE_COLUMNS):
            self._pages += 1
            page = dict(zip(PAGE_COLUMNS, row, strict=True))
            if page["fate"] == "used" or page["url"] not in page_of:
                page_of[page["url"]] = self._pages
            rows.append((self._pages, *map(one_line, row)))
        self._insert("pages", rows)
        return page_of

    def _add_page(self, url: str, lang: str) -> int:
        """Add a page with only an address and a language; returns the number of the row."""
        self._pages += 1
        page = {"url": url, "lang": lang, "fate": "used"}
        self._insert("pages", [(self._pages, *(page.get(name, "") for name in PAGE_COLUMNS))])
        return self._pages

    def _add_pairs(self, pairs: pa.Table, page_of: dict[str, int]) -> dict[tuple[str, str, str, str], int]:
        pair_of: dict[tuple[str, str, str, str], int] = {}
        rows = []
        for src_url, tgt_url, *values in rows_of(pairs, ("src_url", "tgt_url", *_PAIR_COLUMNS)):
            self._pairs += 1
            for url, lang in ((src_url, values[0]), (tgt_url, values[1])):
                if url not in page_of:  # a record of another site, or of another language
                    page_of[url] = self._add_page(url, lang)
            pair_of[src_url, tgt_url, values[0], values[1]] = self._pairs
            values[2] = _round_score(values[2])
            rows.append((self._pairs, page_of[src_url], page_of[tgt_url], *values))
        self._insert("pairs", rows)
        return pair_of

    def _add_segments(self, segments: pa.Table, pair_of: dict[tuple[str, str, str, str], int]) -> None:
        names = (*_SEGMENT_COLUMNS, "other_src_urls", "other_tgt_urls", *NUMBER_COLUMNS)
        rows: list[tuple[Any, ...]] = []
        copies: list[tuple[Any, ...]] = []
        for row in rows_of(segments, names):
            self.segments += 1
            segment = dict(zip(names, row, strict=True))
            others = zip(segment.pop("other_src_urls"), segment.pop("other_tgt_urls"), strict=True)
            copies += [(self.segments, *both) for both in others]
            segment |= {"flags": ",".join(segment["flags"]), "score": _round_score(segment["score"])}
            segment |= {"kind": BlockKind(segment["kind"]).label}
            segment |= {name: one_line(segment[name]) for name in ("src", "tgt")}
            pair = pair_of[segment["src_url"], segment["tgt_url"], segment["src_lang"], segment["tgt_lang"]]
            for side in ("src", "tgt"):
                segment[f"{side}_url"] += page_fragment(segment[f"{side}_url"], segment.pop(f"{side}_page"))
            rows.append((self.segments, pair, *segment.values()))
            if len(rows) == _ROWS_HELD:
                self._insert("segments", rows)
                self._insert("copies", copies)
                rows, copies = [], []
        self._insert("segments", rows)
        self._insert("copies", copies)

    def _insert(self, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
        if rows:
            marks = ", ".join("?" * len(rows[0]))
            self._base.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)


def _round_score(value: float) -> float | None:
    """Four decimals, as in all formats; None for NaN."""
    # Only NaN differs from itself.
    return None if value != value else round(value, 4)
