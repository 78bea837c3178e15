"""Search in the segments of all runs of a folder: an index for each run, in SQLite (FTS5), kept up to date as runs end.

Words are cut the same way for index and query. Where blanks stand between words a token is a word. Chinese, Japanese,
Thai and their like have none: a token is two characters that follow each other, so words of two characters are found.
"""

from __future__ import annotations

import re
import sqlite3
import threading
import unicodedata
import weakref
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

VERSION = 1
"""Version of tables and tokens; an index of another version is made again."""
HITS = 50
"""Most hits shown."""
MAX_QUERY_CHARS = 200
_UNSPACED = (
    r"\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u1950-\u19ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    r"\u3400-\u4dbf\u4e00-\u9fff\uaa60-\uaa7f\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Thai, Lao, Tibetan, Burmese, Khmer, Tai, Japanese, Chinese: scripts without blanks between words."""
_RUN = re.compile(rf"[{_UNSPACED}\u0e31-\u0e4e]+|[^\W_{_UNSPACED}]+")
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]")
_FIRST_ACCENT = 200
"""Least combining class of an accent; marks of lower classes make another letter, as in Japanese."""
TABLES = """
CREATE TABLE about (version INT, stamp TEXT);
CREATE TABLE pair (id INTEGER PRIMARY KEY, src_lang TEXT, tgt_lang TEXT);
CREATE TABLE page (id INTEGER PRIMARY KEY, src_url TEXT, tgt_url TEXT);
CREATE TABLE segment (id INTEGER PRIMARY KEY, pair INT, page INT, src TEXT, tgt TEXT);
CREATE VIRTUAL TABLE word USING
 fts5(src, tgt, pair, content='', prefix='1 2 3', tokenize="unicode61 remove_diacritics 0");
"""


@dataclass(frozen=True, slots=True)
class Hit:
    """A segment with the words of a search."""

    site: str
    src_lang: str
    tgt_lang: str
    src: str
    tgt: str
    src_url: str
    tgt_url: str


def tokens(text: str) -> Iterator[str]:
    """Tokens of a text, in order, without case and accents.

    >>> list(tokens("L'Été à Paris")), list(tokens("東京都 B2"))
    (['l', 'ete', 'a', 'paris'], ['東京', '京都', '都', 'b2'])
    """
    for run in _RUN.findall("".join(map(_fold, text))):
        if _IS_UNSPACED.match(run):
            yield from (run[place : place + 2] for place in range(len(run)))
        else:
            yield run


@lru_cache(maxsize=1 << 16)
def _fold(sign: str) -> str:
    parts = unicodedata.normalize("NFKD", sign)
    bare = "".join(part for part in parts if unicodedata.combining(part) < _FIRST_ACCENT)
    return unicodedata.normalize("NFC", bare).casefold()


def match_text(query: str, pair: int | None = None) -> str:
    """A query for FTS5: the words one after the other, the last perhaps only begun; "" for a query without words."""
    cut = list(tokens(query[:MAX_QUERY_CHARS]))
    if len(cut) > 1 and _IS_UNSPACED.match(cut[-1]) and len(cut[-1]) == 1:
        # The character is the end of the token before it.
        cut.pop()
    if not cut:
        return ""
    wanted = '{src tgt} : "' + " ".join(cut) + '" *'
    return wanted if pair is None else f"{wanted} AND pair : p{pair}"


def make_index(path: Path, stamp: str, rows: Iterable[tuple[str, str, str, str, str, str]]) -> int:
    """Write the index of a run; returns the number of segments.

    ``rows``: languages, texts and addresses of segments, in this order; ``stamp``: of their outputs.
    """
    path.unlink(missing_ok=True)
    pairs: dict[tuple[str, str], int] = {}
    pages: dict[tuple[str, str], int] = {}
    count = 0
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        # A file that a kill leaves incomplete is thrown away, so SQLite need not keep it safe while it is written.
        db.executescript(f"PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; {TABLES} BEGIN;")
        for src_lang, tgt_lang, src, tgt, src_url, tgt_url in rows:
            pair = pairs.setdefault((src_lang, tgt_lang), len(pairs))
            page = pages.setdefault((src_url, tgt_url), len(pages))
            db.execute("INSERT INTO segment VALUES (?,?,?,?,?)", (count, pair, page, src, tgt))
            cut = (count, " ".join(tokens(src)), " ".join(tokens(tgt)), f"p{pair}")
            db.execute("INSERT INTO word (rowid, src, tgt, pair) VALUES (?,?,?,?)", cut)
            count += 1
        db.executemany("INSERT INTO pair VALUES (?,?,?)", [(number, *langs) for langs, number in pairs.items()])
        db.executemany("INSERT INTO page VALUES (?,?,?)", [(number, *urls) for urls, number in pages.items()])
        db.execute("INSERT INTO word(word) VALUES ('optimize')")
        db.execute("INSERT INTO about VALUES (?,?)", (VERSION, stamp))
        db.execute("COMMIT")
    return count


class Index:
    """The index of a run, open for reading."""

    def __init__(self, path: Path) -> None:
        self.site = path.stem
        # Nobody changes the file: a new index takes its place.
        self._db = sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False)
        # Closed with the last reference: a thread may be searching when another index takes the place of this one.
        weakref.finalize(self, self._db.close)
        self._lock = threading.Lock()
        self.version, self.stamp = self._db.execute("SELECT version, stamp FROM about").fetchone()
        self.pairs = [(src, tgt) for src, tgt in self._db.execute("SELECT src_lang, tgt_lang FROM pair ORDER BY id")]

    def search(self, query: str, langs: tuple[str, str] | None, limit: int) -> list[Hit]:
        """At most ``limit`` segments with the words of a query, of one pair of languages in either order, or of all."""
        number = None
        if langs is not None:
            wanted = [pair for pair in (langs, langs[::-1]) if pair in self.pairs]
            if not wanted:
                return []
            number = self.pairs.index(wanted[0])
        match = match_text(query, number)
        if not match or limit < 1:
            return []
        statement = (
            "SELECT pair.src_lang, pair.tgt_lang, src, tgt, src_url, tgt_url FROM"
            " (SELECT rowid AS id FROM word WHERE word MATCH ? LIMIT ?) JOIN segment USING (id)"
            " JOIN pair ON pair.id = segment.pair JOIN page ON page.id = segment.page"
        )
        with self._lock:
            return [Hit(self.site, *row) for row in self._db.execute(statement, (match, limit))]


class Concordance:
    """The indexes of all runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._open: dict[str, tuple[int, Index]] = {}
        self.failed: set[tuple[str, str]] = set()
        """Runs that cannot be read, with the stamp of their outputs."""
        folder.mkdir(parents=True, exist_ok=True)

    def is_current(self, name: str, stamp: str) -> bool:
        """Whether the index of a run is of these outputs."""
        index = self._index(name)
        return index is not None and (index.version, index.stamp) == (VERSION, stamp)

    def path_of(self, name: str) -> Path:
        """The index of a run."""
        return self.folder / f"{name}.db"

    def lang_pairs(self, names: Iterable[str]) -> list[tuple[str, str]]:
        """Pairs of languages in the indexes of these runs."""
        indexes = filter(None, map(self._index, names))
        return sorted({pair for index in indexes for pair in index.pairs})

    def search(self, query: str, names: Iterable[str], langs: tuple[str, str] | None = None) -> list[Hit]:
        """Segments of these runs, in the order of the runs: :data:`HITS` at most, and one more if there are more."""
        found: list[Hit] = []
        for index in filter(None, map(self._index, names)):
            found += index.search(query, langs, HITS + 1 - len(found))
            if len(found) > HITS:
                break
        return found

    def _index(self, name: str) -> Index | None:
        """The open index of a run; None without one."""
        path = self.path_of(name)
        try:
            number = path.stat().st_ino
        except OSError:
            self._open.pop(name, None)
            return None
        known = self._open.get(name)
        if known is not None and known[0] == number:
            return known[1]
        try:
            index = Index(path)
        except (sqlite3.Error, TypeError):  # not whole, or of another program
            with suppress(OSError):
                path.unlink()
            return None
        self._open[name] = number, index
        return index
