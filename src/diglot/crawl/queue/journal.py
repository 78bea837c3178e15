"""The journal of a crawl, an SQLite file: hosts, archive files, and the links and texts of pages."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from diglot.disk.journal_file import closed_on_error, connect, unseal
from diglot.disk.stated_paths import require_archive_name
from diglot.pages.forgotten import hashes_of, is_forgotten

_TABLES = """
CREATE TABLE IF NOT EXISTS address (
    id INTEGER PRIMARY KEY, url TEXT UNIQUE NOT NULL, kind TEXT NOT NULL, host TEXT NOT NULL, folder TEXT NOT NULL,
    state TEXT NOT NULL, tier INT NOT NULL, priority REAL NOT NULL, depth INT NOT NULL, hops INT NOT NULL,
    tries INT NOT NULL DEFAULT 0, found_by INT, how TEXT NOT NULL, family INT, lang TEXT NOT NULL,
    reason TEXT NOT NULL DEFAULT '', detail TEXT NOT NULL DEFAULT '', status INT, page_lang TEXT, partnered INT,
    etag TEXT, modified TEXT, digest TEXT, warc TEXT, start INT, length INT, fetched TEXT,
    known INT NOT NULL DEFAULT 0, missed INT NOT NULL DEFAULT 0, absent INT NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS address_folder ON address (folder, state);
CREATE INDEX IF NOT EXISTS address_family ON address (family, state);
CREATE TABLE IF NOT EXISTS host (host TEXT PRIMARY KEY, scheme TEXT NOT NULL, member INT NOT NULL DEFAULT 0,
    robots BLOB, robots_status INT, robots_time REAL, tdm BLOB);
CREATE TABLE IF NOT EXISTS warc (name TEXT PRIMARY KEY, length INT NOT NULL);
CREATE TABLE IF NOT EXISTS asked (host TEXT NOT NULL, kind TEXT NOT NULL, tries INT NOT NULL,
    PRIMARY KEY (host, kind));
CREATE TABLE IF NOT EXISTS failing (host TEXT PRIMARY KEY, since REAL NOT NULL, last REAL NOT NULL);
CREATE TABLE IF NOT EXISTS rest (host TEXT PRIMARY KEY, until REAL NOT NULL);
CREATE TABLE IF NOT EXISTS seen (id INTEGER PRIMARY KEY, address INT NOT NULL, links BLOB, texts BLOB);
CREATE TABLE IF NOT EXISTS forgotten (mark BLOB PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS record (warc TEXT NOT NULL, start INT NOT NULL, length INT NOT NULL, address INT NOT NULL,
    digest TEXT, chars INT, words TEXT NOT NULL DEFAULT '', lang TEXT, fetched TEXT, marks BLOB,
    contents TEXT NOT NULL DEFAULT '', PRIMARY KEY (warc, start)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS record_address ON record (address);
CREATE TABLE IF NOT EXISTS denial (address INTEGER PRIMARY KEY, said TEXT NOT NULL, first REAL NOT NULL,
    gone INT NOT NULL);
CREATE TABLE IF NOT EXISTS doubted (address INT NOT NULL, validator TEXT NOT NULL, PRIMARY KEY (address, validator))
    WITHOUT ROWID;
"""
_FIRST_RECORDS = """
INSERT OR IGNORE INTO record (warc, start, length, address, digest, lang, fetched)
    SELECT warc, start, length, id, digest, page_lang, fetched FROM address WHERE warc IS NOT NULL;
PRAGMA user_version=1;
"""
"""Statements that fill the table ``record`` in a journal of a version without it."""
_LATER_COLUMNS = (
    ("record", "marks", "BLOB"),
    ("record", "contents", "TEXT NOT NULL DEFAULT ''"),
    ("address", "known", "INT NOT NULL DEFAULT 0"),
    ("address", "missed", "INT NOT NULL DEFAULT 0"),
    ("address", "absent", "INT NOT NULL DEFAULT 0"),
)
"""Columns that a journal of an older version lacks: table, name and type."""
_QUEUE_INDEX = """
DROP INDEX IF EXISTS address_next;
CREATE INDEX IF NOT EXISTS address_turn ON address (state, missed DESC, priority DESC, id);
"""


class HostNote(NamedTuple):
    """A row of the table ``host``; ``robots`` and ``tdm`` are None until requested."""

    host: str
    scheme: str
    member: int
    robots: bytes | None
    robots_status: int | None
    robots_time: float | None
    tdm: bytes | None


class Journal:
    """The SQLite file of a crawl, owned by one process at a time, and all its tables except ``address``.

    WAL with synchronous=NORMAL keeps every commit when the process is killed. A power cut may lose the last commits,
    and the archive is then cut back to the journal.
    """

    def __init__(self, journal: Path) -> None:
        self._path = journal
        unseal(journal.parent)
        self._db = connect(journal, isolation_level=None)
        with closed_on_error(self._db):
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.executescript(_TABLES)
            for table, column, kind in _LATER_COLUMNS:
                if not self._db.execute("SELECT 1 FROM pragma_table_info(?) WHERE name=?", (table, column)).fetchone():
                    self._db.execute(f"ALTER TABLE {table} ADD COLUMN {column} {kind}")
            self._db.executescript(_QUEUE_INDEX)
            if self._db.execute("PRAGMA user_version").fetchone() == (0,):
                self._db.executescript(_FIRST_RECORDS)
            # In memory, because every new address is looked up.
            self._forgotten = {mark for (mark,) in self._db.execute("SELECT mark FROM forgotten")}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the journal."""
        self._db.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit everything inside, or nothing."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    # -- hosts and archive files ---------------------------------------------------------------

    def hosts(self) -> list[HostNote]:
        """All known hosts, in the order of their first appearance."""
        return [HostNote(*row) for row in self._db.execute("SELECT * FROM host ORDER BY rowid")]

    def note_host(self, host: str, scheme: str) -> None:
        """Note the scheme of a host of the site, unless the host is forgotten."""
        if self.is_forgotten(host):
            return
        self._db.execute(
            "INSERT INTO host (host, scheme, member) VALUES (?,?,1)"
            " ON CONFLICT(host) DO UPDATE SET scheme=excluded.scheme, member=1",
            (host, scheme),
        )

    def note_robots(self, host: str, scheme: str, robots: bytes, status: int, moment: float) -> None:
        """Note the robots.txt of a host; ``status`` 0: it was unreachable, and the last one stays.

        ``scheme``: scheme of the host, where it is new.
        """
        self._db.execute("INSERT OR IGNORE INTO host (host, scheme) VALUES (?,?)", (host, scheme))
        if not status:
            statement = "UPDATE host SET robots_status=coalesce(robots_status, 0), robots_time=0 WHERE host=?"
            self._db.execute(statement, (host,))
            return
        statement = "UPDATE host SET robots=?, robots_status=?, robots_time=? WHERE host=?"
        self._db.execute(statement, (robots, status, moment, host))
        self._db.execute("DELETE FROM failing WHERE host=?", (host,))

    def note_tdm(self, host: str, body: bytes) -> None:
        """Note the reservation file of a host."""
        self._db.execute("UPDATE host SET tdm=? WHERE host=?", (body, host))

    def tries_of(self, host: str, kind: str) -> int:
        """Requests for a file of rules (robots.txt, reservations) since its last useful answer."""
        row = self._db.execute("SELECT tries FROM asked WHERE host=? AND kind=?", (host, kind)).fetchone()
        return int(row[0]) if row else 0

    def note_try(self, host: str, kind: str) -> None:
        """Count a request for a file of rules before the request, in case it kills the crawl."""
        statement = "INSERT INTO asked VALUES (?,?,1) ON CONFLICT(host, kind) DO UPDATE SET tries=tries+1"
        self._db.execute(statement, (host, kind))

    def forget_tries(self, host: str, kind: str) -> None:
        """Reset the count after a useful answer."""
        self._db.execute("DELETE FROM asked WHERE host=? AND kind=?", (host, kind))

    def robots_of(self, host: str) -> tuple[bytes, int] | None:
        """The last robots.txt of a host and its status; None without an answer so far."""
        row = self._db.execute(
            "SELECT robots, robots_status FROM host WHERE host=? AND robots_status<>0", (host,)
        ).fetchone()
        return (row[0] or b"", row[1]) if row else None

    def failing_times(self, host: str) -> tuple[float, float] | None:
        """Unix times of the first and the last of the latest runs that met errors in place of a host's robots.txt.

        None if the last run read the file.
        """
        row = self._db.execute("SELECT since, last FROM failing WHERE host=?", (host,)).fetchone()
        return (row[0], row[1]) if row else None

    def note_failing(self, host: str, since: float, last: float) -> None:
        """Note the times of :meth:`failing_times`."""
        self._db.execute("INSERT OR REPLACE INTO failing VALUES (?,?,?)", (host, since, last))

    def rests(self) -> dict[str, float]:
        """End of the rest of each host (Unix time)."""
        return dict(self._db.execute("SELECT host, until FROM rest"))

    def note_rest(self, host: str, until: float) -> None:
        """Note the end of a host's rest; a later call cannot make it earlier."""
        statement = "INSERT INTO rest VALUES (?,?) ON CONFLICT(host) DO UPDATE SET until=max(until, excluded.until)"
        self._db.execute(statement, (host, until))

    def archives(self) -> dict[str, int]:
        """Committed length in bytes of each archive file, oldest first.

        Raises: RunFolderError for a name that no crawl gives.
        """
        found = self._db.execute("SELECT name, length FROM warc ORDER BY name").fetchall()
        return {require_archive_name(self._path, name): length for name, length in found}

    def note_archive(self, name: str, length: int) -> None:
        """Note the length of an archive file."""
        self._db.execute("INSERT OR REPLACE INTO warc VALUES (?,?)", (name, length))

    # -- forgotten addresses -------------------------------------------------------------------

    def is_forgotten(self, name: str) -> bool:
        """Whether a host was forgotten, or an address, its host or a variant of it; the scheme is ignored."""
        return is_forgotten(name, self._forgotten)

    def mark_forgotten(self, names: Collection[str]) -> None:
        """Store hashes of addresses, their variants and hosts to refuse from now on."""
        marks = hashes_of(names)
        self._db.executemany("INSERT OR IGNORE INTO forgotten VALUES (?)", [(mark,) for mark in sorted(marks)])
        self._forgotten |= marks

    # -- links and texts for traps ------------------------------------------------------------

    def note_links(self, address_id: int, linked: Iterable[int]) -> None:
        """Note the ids of the addresses on a page, in a sitemap or behind a redirect."""
        ids = np.unique(np.fromiter(linked, np.int64))
        # Differences of sorted ids are small and compress well.
        steps = np.diff(ids, prepend=0).astype(np.int32)
        self._db.execute("INSERT INTO seen (address, links) VALUES (?,?)", (address_id, pack(steps)))

    def note_texts(self, address_id: int, texts: Iterable[int]) -> None:
        """Note the texts of a page, as hashes of 64 bits."""
        self._db.execute(
            "INSERT INTO seen (address, texts) VALUES (?,?)", (address_id, pack(np.fromiter(texts, np.uint64)))
        )

    def noted_links_and_texts(self) -> Iterator[tuple[int, list[int] | None, list[int] | None]]:
        """All notes in order: id of a page, with the ids of links or with the hashes of texts."""
        for address_id, links, texts in self._db.execute("SELECT address, links, texts FROM seen ORDER BY id"):
            ids = None if links is None else np.cumsum(unpack(links, "int32"), dtype=np.int64).tolist()
            yield address_id, ids, None if texts is None else unpack(texts, "uint64").tolist()


def pack(values: np.ndarray[Any, Any]) -> bytes:
    """Numbers, compressed into a cell of a table."""
    return zlib.compress(values.tobytes(), 1)


def unpack(data: bytes, kind: str) -> np.ndarray[Any, Any]:
    """The numbers in a cell from :func:`pack`; ``kind``: their dtype."""
    return np.frombuffer(zlib.decompress(data), kind)
