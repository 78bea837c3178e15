"""The addresses of a crawl and what became of each, in the run's journal: what a resumed crawl knows.

Every address is in one state: queued, in_flight, done (stored), failed or refused (with a reason). One
transaction a page takes it out of flight together with the addresses it led to and the place of its
records, so that a process killed at any moment loses and repeats nothing but what was in flight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from diglot.crawl.journal import Journal

QUEUED, IN_FLIGHT, DONE, FAILED, REFUSED = "queued", "in_flight", "done", "failed", "refused"
PAGE, SITEMAP = "page", "sitemap"
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
        """Note addresses; one that is known and waits rises to the higher tier, others stay as they are."""
        rows = [
            (
                *(f.url, f.kind, f.host, f.folder, REFUSED if f.refused else QUEUED, f.tier, f.priority, f.depth),
                *(f.hops, found_by, f.how, f.family, f.lang, f.refused, f.detail),
            )
            for f in found
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
        self._db.execute("UPDATE address SET state=?, tries=tries+1 WHERE id=?", (IN_FLIGHT, row[0]))
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

    def refuse_host(self, host: str, reason: str, detail: str) -> None:
        """Refuse everything of a host that waits."""
        statement = "UPDATE address SET state='refused', reason=?, detail=? WHERE host=? AND state='queued'"
        self._db.execute(statement, (reason, detail, host))

    def rows(self, columns: str, where: str = "1", values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Columns of the addresses that a condition chooses, by id."""
        return self._db.execute(f"SELECT {columns} FROM address WHERE {where} ORDER BY id", tuple(values)).fetchall()

    def forget(self, where: str, values: Sequence[Any]) -> None:
        """Refuse the addresses that a condition chooses, for good."""
        self._db.execute(
            "UPDATE address SET state='refused', reason='forgotten', detail='', digest=NULL, warc=NULL, start=NULL,"
            f" length=NULL WHERE {where}",
            tuple(values),
        )

    def joined_rows(self, columns: str) -> list[tuple[Any, ...]]:
        """Columns of every address ``a`` and of the one ``b`` that led to it, by address."""
        statement = f"SELECT {columns} FROM address a LEFT JOIN address b ON b.id = a.found_by ORDER BY a.url"
        return self._db.execute(statement).fetchall()

    def count(self, where: str, values: Sequence[Any] = ()) -> int:
        """How many addresses a condition chooses."""
        return int(self._db.execute(f"SELECT count(*) FROM address WHERE {where}", tuple(values)).fetchone()[0])

    def ask_again(self) -> None:
        """Queue every page and sitemap that was fetched, and every failure, to see what has changed."""
        self._db.execute(
            "UPDATE address SET state='queued', tries=0, reason='', detail='',"
            " warc=CASE state WHEN 'done' THEN warc END WHERE state='done' OR (state='failed' AND hops=0)"
        )
        self._db.execute("UPDATE host SET robots_time=0")
