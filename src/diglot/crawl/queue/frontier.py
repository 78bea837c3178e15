"""The journal of a crawl: its addresses and what became of each, hosts, archive files, and what traps are told by."""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

_TABLES = """
CREATE TABLE IF NOT EXISTS address (
    id INTEGER PRIMARY KEY, url TEXT UNIQUE NOT NULL, kind TEXT NOT NULL, host TEXT NOT NULL, folder TEXT NOT NULL,
    state TEXT NOT NULL, tier INT NOT NULL, priority REAL NOT NULL, depth INT NOT NULL, hops INT NOT NULL,
    tries INT NOT NULL DEFAULT 0, found_by INT, how TEXT NOT NULL, family INT, lang TEXT NOT NULL,
    reason TEXT NOT NULL DEFAULT '', detail TEXT NOT NULL DEFAULT '', status INT, page_lang TEXT, partnered INT,
    etag TEXT, modified TEXT, digest TEXT, warc TEXT, start INT, length INT, fetched TEXT);
CREATE INDEX IF NOT EXISTS address_next ON address (state, priority DESC, id);
CREATE INDEX IF NOT EXISTS address_folder ON address (folder, state);
CREATE INDEX IF NOT EXISTS address_family ON address (family, state);
CREATE TABLE IF NOT EXISTS host (host TEXT PRIMARY KEY, scheme TEXT NOT NULL, member INT NOT NULL DEFAULT 0,
    robots BLOB, robots_status INT, robots_time REAL, tdm BLOB);
CREATE TABLE IF NOT EXISTS warc (name TEXT PRIMARY KEY, length INT NOT NULL);
CREATE TABLE IF NOT EXISTS asked (host TEXT NOT NULL, kind TEXT NOT NULL, tries INT NOT NULL,
    PRIMARY KEY (host, kind));
CREATE TABLE IF NOT EXISTS rest (host TEXT PRIMARY KEY, until REAL NOT NULL);
CREATE TABLE IF NOT EXISTS seen (id INTEGER PRIMARY KEY, address INT NOT NULL, links BLOB, texts BLOB);
CREATE TABLE IF NOT EXISTS forgotten (mark BLOB PRIMARY KEY) WITHOUT ROWID;
"""


class HostNote(NamedTuple):
    """A host as the journal has it; ``robots`` and ``tdm`` are None until they were asked for."""

    host: str
    scheme: str
    member: int
    robots: bytes | None
    robots_status: int | None
    robots_time: float | None
    tdm: bytes | None


class Journal:
    """The tables ``host``, ``warc``, ``asked``, ``rest`` and ``seen``, and their file; one process at a time owns it.

    WAL with synchronous=NORMAL keeps every commit through a killed process; after a power cut the last ones may
    be gone, and the archive is cut back to them.
    """

    def __init__(self, journal: Path) -> None:
        self._db = sqlite3.connect(journal, timeout=30, isolation_level=None)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.executescript(_TABLES)
        self._forgotten = {mark for (mark,) in self._db.execute("SELECT mark FROM forgotten")}

    def close(self) -> None:
        """Close the journal."""
        self._db.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing of what is done inside."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    # -- hosts and archive files ---------------------------------------------------------------

    def hosts(self) -> list[HostNote]:
        """Every host known, in the order they were met."""
        return [HostNote(*row) for row in self._db.execute("SELECT * FROM host ORDER BY rowid")]

    def note_host(self, host: str, scheme: str, member: bool) -> None:
        """Note how a host is reached and whether it belongs to the site; nothing of one that is forgotten."""
        if self.is_forgotten(host):
            return
        self._db.execute(
            "INSERT INTO host (host, scheme, member) VALUES (?,?,?)"
            " ON CONFLICT(host) DO UPDATE SET scheme=excluded.scheme, member=max(member, excluded.member)",
            (host, scheme, int(member)),
        )

    def note_robots(self, host: str, scheme: str, robots: bytes, status: int, moment: float) -> None:
        """Note the robots.txt of a host; ``status`` 0: it could not be reached. ``scheme`` is for a host not known."""
        self._db.execute("INSERT OR IGNORE INTO host (host, scheme) VALUES (?,?)", (host, scheme))
        statement = "UPDATE host SET robots=?, robots_status=?, robots_time=? WHERE host=?"
        self._db.execute(statement, (robots, status, moment, host))

    def note_tdm(self, host: str, body: bytes) -> None:
        """Note what a host reserves in its well-known file."""
        self._db.execute("UPDATE host SET tdm=? WHERE host=?", (body, host))

    def tries_of(self, host: str, kind: str) -> int:
        """Requests for a file of a host's rules (robots.txt, reservations) since one last told us anything."""
        row = self._db.execute("SELECT tries FROM asked WHERE host=? AND kind=?", (host, kind)).fetchone()
        return int(row[0]) if row else 0

    def note_try(self, host: str, kind: str) -> None:
        """Count such a request before it is made: one that kills the crawl counts, too."""
        statement = "INSERT INTO asked VALUES (?,?,1) ON CONFLICT(host, kind) DO UPDATE SET tries=tries+1"
        self._db.execute(statement, (host, kind))

    def forget_tries(self, host: str, kind: str) -> None:
        """A file of a host's rules has told us something."""
        self._db.execute("DELETE FROM asked WHERE host=? AND kind=?", (host, kind))

    def rests(self) -> dict[str, float]:
        """Until when hosts were to be left alone when they were last asked (Unix time)."""
        return dict(self._db.execute("SELECT host, until FROM rest"))

    def note_rest(self, host: str, until: float) -> None:
        """Note until when a host is to be left alone, whoever asks next; no later call makes it earlier."""
        statement = "INSERT INTO rest VALUES (?,?) ON CONFLICT(host) DO UPDATE SET until=max(until, excluded.until)"
        self._db.execute(statement, (host, until))

    def archives(self) -> dict[str, int]:
        """Length in bytes of each archive file up to the last record that counts, in order of age."""
        return dict(self._db.execute("SELECT name, length FROM warc ORDER BY name"))

    def note_archive(self, name: str, length: int) -> None:
        """Note how long an archive file is now."""
        self._db.execute("INSERT OR REPLACE INTO warc VALUES (?,?)", (name, length))

    def places(self, name: str) -> list[tuple[int, int, int]]:
        """Id of the address, start and length of the records in an archive file that count, in order."""
        statement = "SELECT id, start, length FROM address WHERE warc=? ORDER BY start"
        return [(entry_id, start, length) for entry_id, start, length in self._db.execute(statement, (name,))]

    def replace_archive(self, old: str, new: str, length: int, starts: dict[int, int]) -> None:
        """Note that the records with these ids lie in another file now, at these offsets, and the old one is gone."""
        self._db.execute("DELETE FROM warc WHERE name=?", (old,))
        self.note_archive(new, length)
        self._db.executemany(
            "UPDATE address SET warc=?, start=? WHERE id=?", [(new, start, each) for each, start in starts.items()]
        )

    # -- what is forgotten ---------------------------------------------------------------------

    def is_forgotten(self, *names: str) -> bool:
        """Whether any of these, addresses or hosts, was forgotten, by whatever scheme."""
        return bool(self._forgotten) and any(_mark(name) in self._forgotten for name in names)

    def mark_forgotten(self, names: Iterable[str]) -> None:
        """Keep of these addresses and hosts a hash each, by which they are refused from now on."""
        marks = {_mark(name) for name in names}
        self._db.executemany("INSERT OR IGNORE INTO forgotten VALUES (?)", [(mark,) for mark in sorted(marks)])
        self._forgotten |= marks

    # -- what traps are told by ----------------------------------------------------------------

    def note_links(self, address_id: int, linked: Iterable[int]) -> None:
        """Note which addresses, by id, a page, sitemap or redirect led to."""
        ids = np.unique(np.fromiter(linked, np.int64))
        steps = np.diff(ids, prepend=0).astype(np.int32)
        self._db.execute("INSERT INTO seen (address, links) VALUES (?,?)", (address_id, _packed(steps)))

    def note_texts(self, address_id: int, texts: Iterable[int]) -> None:
        """Note the texts of a page, as hashes of 64 bits."""
        self._db.execute(
            "INSERT INTO seen (address, texts) VALUES (?,?)", (address_id, _packed(np.fromiter(texts, np.uint64)))
        )

    def seen(self) -> Iterator[tuple[int, list[int] | None, list[int] | None]]:
        """What was noted, in that order: id of an address with the ids it led to, or with the hashes of its texts."""
        for address_id, links, texts in self._db.execute("SELECT address, links, texts FROM seen ORDER BY id"):
            ids = None if links is None else np.cumsum(_unpacked(links, "int32"), dtype=np.int64).tolist()
            yield address_id, ids, None if texts is None else _unpacked(texts, "uint64").tolist()


def _mark(name: str) -> bytes:
    """Hash of a host, or of an address without its scheme: what a redirect from http to https finds, too."""
    return hashlib.sha256(name.rpartition("://")[2].encode()).digest()


def _packed(values: np.ndarray[Any, Any]) -> bytes:
    return zlib.compress(values.tobytes(), 1)


def _unpacked(data: bytes, kind: str) -> np.ndarray[Any, Any]:
    return np.frombuffer(zlib.decompress(data), kind)


QUEUED, IN_FLIGHT, DONE, FAILED, REFUSED = "queued", "in_flight", "done", "failed", "refused"
PAGE, SITEMAP = "page", "sitemap"
HOST_LEFT = "host_left"
"""Reason of an address that waits for a later run because its host asked to be left alone."""
MAX_TRIES = 3
"""Requests for one address, those included during which a crawl was killed: one that kills it every time ends."""


@dataclass(frozen=True, slots=True)
class Found:
    """An address that a page, sitemap or redirect led to. The higher ``priority``, the sooner; ``tier`` is its kind.

    ``family``: id of the address whose versions in other languages these are, None where that is not known.
    """

    url: str
    host: str
    folder: str = ""
    kind: str = PAGE
    tier: int = 0
    priority: float = 0.0
    depth: int = 0
    hops: int = 0
    how: str = "link"
    family: int | None = None
    lang: str = ""
    refused: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """An address taken from the queue."""

    id: int
    url: str
    kind: str
    host: str
    folder: str
    tier: int
    priority: float
    depth: int
    hops: int
    tries: int
    how: str
    family: int | None
    lang: str
    etag: str | None
    modified: str | None
    digest: str | None


_ENTRY = "id, url, kind, host, folder, tier, priority, depth, hops, tries, how, family, lang, etag, modified, digest"


class Frontier(Journal):
    """The table ``address`` of a journal."""

    def back_to_queue(self) -> int:
        """Queue again what was in flight when a crawl ended; fail what ended it too often. Returns how many."""
        failed = "UPDATE address SET state=?, reason='crawl_died' WHERE state=? AND tries>=?"
        self._db.execute(failed, (FAILED, IN_FLIGHT, MAX_TRIES))
        return self._db.execute("UPDATE address SET state=? WHERE state=?", (QUEUED, IN_FLIGHT)).rowcount

    # -- addresses -----------------------------------------------------------------------------

    def add(self, found: Iterable[Found], found_by: int | None = None) -> None:
        """Note addresses but forgotten ones; one that is known and waits rises to the higher tier, others stay."""
        rows = [
            (
                *(f.url, f.kind, f.host, f.folder, REFUSED if f.refused else QUEUED, f.tier, f.priority, f.depth),
                *(f.hops, found_by, f.how, f.family, f.lang, f.refused, f.detail),
            )
            for f in found
            if not self.is_forgotten(f.url, f.host)
        ]
        self._db.executemany(
            "INSERT INTO address (url, kind, host, folder, state, tier, priority, depth, hops, found_by, how, family,"
            " lang, reason, detail) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
            " ON CONFLICT(url) DO UPDATE SET tier=max(tier, excluded.tier), priority=CASE"
            " WHEN excluded.tier > tier THEN excluded.priority WHEN excluded.tier < tier THEN priority"
            " ELSE max(priority, excluded.priority) END,"
            " depth=min(depth, excluded.depth), family=coalesce(family, excluded.family),"
            " lang=CASE lang WHEN '' THEN excluded.lang ELSE lang END,"
            " how=CASE WHEN excluded.tier > tier THEN excluded.how ELSE how END"
            " WHERE address.state='queued' AND excluded.state='queued'",
            rows,
        )

    def take(self, busy_hosts: Sequence[str]) -> Entry | None:
        """The most wanted address whose host is free, now in flight; None where none waits."""
        marks = ",".join("?" * len(busy_hosts))
        row = self._db.execute(
            f"SELECT {_ENTRY} FROM address WHERE state='queued' AND host NOT IN ({marks})"
            " ORDER BY priority DESC, id LIMIT 1",
            tuple(busy_hosts),
        ).fetchone()
        if row is None:
            return None
        self._db.execute(
            "UPDATE address SET state=?, tries=tries+1, reason='', detail='' WHERE id=?", (IN_FLIGHT, row[0])
        )
        return Entry(*row)

    def settle(self, entry_id: int, state: str, **values: Any) -> None:
        """End the flight of an address: its state and further columns, such as ``reason`` or ``status``."""
        names = ", ".join(f"{name}=?" for name in ("state", *values))
        self._db.execute(f"UPDATE address SET {names} WHERE id=?", (state, *values.values(), entry_id))

    def waits(self) -> bool:
        """Whether any address is queued or in flight."""
        return self._db.execute("SELECT 1 FROM address WHERE state IN ('queued', 'in_flight')").fetchone() is not None

    def state_of(self, url: str) -> str:
        """State of an address, "" where it is unknown."""
        row = self._db.execute("SELECT state FROM address WHERE url=?", (url,)).fetchone()
        return row[0] if row else ""

    def ids_of(self, urls: Iterable[str]) -> list[int]:
        """Ids of those of the addresses that are known."""
        found = (self._db.execute("SELECT id FROM address WHERE url=?", (url,)).fetchone() for url in urls)
        return [row[0] for row in found if row]

    def raise_family(self, family: int, *, tier: int, priority: float) -> None:
        """Move the waiting members of a family up to a tier, unless they are there."""
        self._db.execute(
            "UPDATE address SET tier=?, priority=? WHERE family=? AND state='queued' AND tier<? AND kind='page'",
            (tier, priority, family, tier),
        )

    def family_of(self, url: str) -> int | None:
        """The family of an address, its own id where it founds one; None where the address is unknown."""
        row = self._db.execute("SELECT coalesce(family, id) FROM address WHERE url=?", (url,)).fetchone()
        return int(row[0]) if row else None

    def promise_of(self, entry_id: int) -> tuple[str, int | None]:
        """In which language an address was named as a version, and of which family."""
        row = self._db.execute("SELECT lang, family FROM address WHERE id=?", (entry_id,)).fetchone()
        return row[0], row[1]

    def weigh_versions(self, family: int, lang: str, *, tier: int, weigh: Callable[[int | None, str], float]) -> None:
        """Set the priority of the waiting versions of a family, and of those in a language (a primary subtag)."""
        rows = self._db.execute(
            "SELECT id, family, lang, priority FROM address WHERE state='queued' AND tier=?"
            " AND (family=? OR lang=? OR lang LIKE ? || '-%')",
            (tier, family, lang, lang),
        ).fetchall()
        changed = [(weigh(of, tag), row) for row, of, tag, before in rows if weigh(of, tag) != before]
        self._db.executemany("UPDATE address SET priority=? WHERE id=?", changed)

    def raise_addresses(self, urls: Iterable[str], *, tier: int, priority: float) -> None:
        """Move waiting addresses up to a tier, unless they are there."""
        statement = "UPDATE address SET tier=?, priority=? WHERE url=? AND state='queued' AND tier<?"
        self._db.executemany(statement, [(tier, priority, url, tier) for url in urls])

    def reweigh_folder(self, folder: str, *, tier: int, priority: float, per_depth: float) -> None:
        """Set the priority of the waiting addresses of a folder and tier, less ``per_depth`` for each step away."""
        self._db.execute(
            "UPDATE address SET priority=?-depth*? WHERE folder=? AND tier=? AND state='queued'",
            (priority, per_depth, folder, tier),
        )

    def change_scheme(self, host: str, scheme: str) -> None:
        """Spell the waiting addresses of a host with another scheme, but for those known in both spellings."""
        self._db.execute(
            "UPDATE OR IGNORE address SET url=? || substr(url, instr(url, '://')) WHERE host=? AND state='queued'",
            (scheme, host),
        )

    def note_left(self, host: str, detail: str) -> None:
        """Say of everything of a host that waits why it still does."""
        statement = "UPDATE address SET reason=?, detail=? WHERE host=? AND state='queued'"
        self._db.execute(statement, (HOST_LEFT, detail, host))

    def take_up_left(self) -> None:
        """What earlier crawls left waits like anything else."""
        self._db.execute("UPDATE address SET reason='', detail='' WHERE state='queued' AND reason=?", (HOST_LEFT,))

    def refuse_host(self, host: str, reason: str, detail: str) -> None:
        """Refuse everything of a host that waits."""
        statement = "UPDATE address SET state='refused', reason=?, detail=? WHERE host=? AND state='queued'"
        self._db.execute(statement, (reason, detail, host))

    def rows(self, columns: str, where: str = "1", values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Columns of the addresses that a condition chooses, by id."""
        return self._db.execute(f"SELECT {columns} FROM address WHERE {where} ORDER BY id", tuple(values)).fetchall()

    def leading_to(self, urls: Collection[str]) -> list[tuple[int, str]]:
        """Id and spelling of the addresses that a redirect takes to one of these, in one step or several."""
        statement = "SELECT id, url, status || ' to ', detail FROM address WHERE status BETWEEN 300 AND 399"
        target_of = {
            (entry_id, url): detail.removeprefix(lead).rpartition("://")[2]
            for entry_id, url, lead, detail in self._db.execute(statement)
        }
        found: list[tuple[int, str]] = []
        targets = {url.rpartition("://")[2] for url in urls}
        while reached := [source for source, target in target_of.items() if target in targets]:
            found += reached
            targets = {url.rpartition("://")[2] for _, url in reached}
            for source in reached:
                del target_of[source]
        return found

    def strike_out(self, ids: Iterable[int]) -> None:
        """Empty the rows of these addresses: that there was one stays, since others point to it, and nothing else."""
        own = [(entry_id,) for entry_id in ids]
        self._db.executemany(
            "UPDATE address SET url='forgotten:' || id, kind='forgotten', host='', folder='', state='refused', how='',"
            " found_by=NULL, family=NULL, lang='', reason='forgotten', detail='', status=NULL, page_lang=NULL,"
            " partnered=NULL, etag=NULL, modified=NULL, digest=NULL, warc=NULL, start=NULL, length=NULL, fetched=NULL"
            " WHERE id=?",
            own,
        )
        self._db.executemany("DELETE FROM seen WHERE address=?", own)

    def drop_hosts(self, hosts: Iterable[str]) -> None:
        """Take hosts out of those that the journal knows."""
        names = [(host,) for host in hosts]
        for table in ("host", "asked", "rest"):
            self._db.executemany(f"DELETE FROM {table} WHERE host=?", names)

    def mend_details(self, mend: Callable[[str], str]) -> None:
        """Put every detail of an address through a function."""
        rows = self._db.execute("SELECT id, detail FROM address WHERE detail<>''").fetchall()
        changed = [(mended, entry_id) for entry_id, detail in rows if (mended := mend(detail)) != detail]
        self._db.executemany("UPDATE address SET detail=? WHERE id=?", changed)

    def drop_contents(self, ids: Iterable[int]) -> None:
        """Note of addresses that their record is gone: whoever asks again asks for all of the page."""
        statement = "UPDATE address SET etag=NULL, modified=NULL, digest=NULL, warc=NULL, start=NULL, length=NULL"
        self._db.executemany(f"{statement} WHERE id=?", [(entry_id,) for entry_id in ids])

    def joined_rows(self, columns: str) -> list[tuple[Any, ...]]:
        """Columns of every address ``a`` and of the one ``b`` that led to it, by address; none of those forgotten."""
        statement = (
            f"SELECT {columns} FROM address a LEFT JOIN address b ON b.id = a.found_by AND b.kind<>'forgotten'"
            " WHERE a.kind<>'forgotten' ORDER BY a.url"
        )
        return self._db.execute(statement).fetchall()

    def count(self, where: str, values: Sequence[Any] = ()) -> int:
        """How many addresses a condition chooses."""
        return int(self._db.execute(f"SELECT count(*) FROM address WHERE {where}", tuple(values)).fetchone()[0])

    def ask_again(self) -> None:
        """Queue every page and sitemap that was fetched, and every failure, to see what has changed.

        A page keeps its place in the archive: it may be told to be what it was.
        """
        self._db.execute(
            "UPDATE address SET state='queued', tries=0, reason='', detail='',"
            " warc=CASE WHEN state='done' OR digest IS NOT NULL THEN warc END"
            " WHERE state='done' OR (state='failed' AND (hops=0 OR digest IS NOT NULL))"
        )
        self._db.execute("UPDATE host SET robots_time=0")
        self._db.execute("DELETE FROM asked")
