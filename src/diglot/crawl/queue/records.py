"""Records of the archive, doubted validators, denials of earlier pages, and the addresses that an update requests.

The archive only grows. An address points at the record in use; its earlier records stay in the archive, and only
`diglot forget` deletes records.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from diglot.crawl.queue.journal import Journal, unpack

REOPENED = "reopened"
"""Reason of an address in a language that was not wanted, until its links are read again."""
_ABSENT = (
    "(state='failed' AND kind='page' AND how NOT IN ('start', 'redirect') AND coalesce(status, 0) IN (404, 410)"
    " AND (digest IS NULL OR id IN (SELECT address FROM denial WHERE gone)))"
)
_STANDS = "id NOT IN (SELECT address FROM denial WHERE gone)"
_IN_USE = f"warc IS NOT NULL AND {_STANDS}"
NOT_ASKED = -1
"""Number of tries of a failed address that an update leaves alone."""
PLACE = ("warc", "start", "length", "fetched")
"""Columns with the place of a record, and the time of its fetch."""


class Copy(NamedTuple):
    """A record of a page in the archive.

    ``chars``: characters of its text, None if unknown; ``words``: hash of its text; ``lang``: language of its text;
    ``marks``: packed, see :class:`TextRecord`; ``contents``: hash of all that is read of it. A redirect has no text;
    its digest is of status and target.
    """

    digest: str | None
    chars: int | None = None
    words: str = ""
    lang: str | None = None
    marks: bytes | None = None
    contents: str = ""


class TextRecord(NamedTuple):
    """The text of a record. ``words``: its hash; ``marks``: hash and length in characters of each chunk, shape
    (chunks, 2)."""

    digest: str
    words: str
    lang: str | None
    packed: bytes | None

    @property
    def marks(self) -> np.ndarray[Any, np.dtype[np.uint64]]:
        """The unpacked marks; shape (0, 2) for a record of an older version."""
        return (unpack(self.packed, "uint64") if self.packed else np.zeros(0, np.uint64)).reshape(-1, 2)


class Alike(NamedTuple):
    """A record like an answer. ``place``: columns of the journal, see :data:`PLACE`; ``in_use``: whether the address
    points at it."""

    digest: str | None
    place: dict[str, object]
    in_use: bool


class RecordPlace(NamedTuple):
    """Offset and length in bytes of a record in its file, and the time of its fetch."""

    start: int
    length: int
    fetched: str


class Denial(NamedTuple):
    """Answer of a site that denies a page it gave before.

    ``said``: the answer; ``first``: time of the first update with this answer, in seconds on the clock of the run;
    ``gone``: whether the page is out of use.
    """

    said: str
    first: float
    gone: bool = False


class Records(Journal):
    """The tables ``record``, ``doubted`` and ``denial`` of a journal, and the records in use."""

    def note_record(self, address_id: int, copy: Copy, **place: object) -> None:
        """Note a record of an address; ``place``: warc, start, length, and fetched."""
        names = ["address", *Copy._fields, *place]
        self._db.execute(
            f"INSERT OR REPLACE INTO record ({', '.join(names)}) VALUES ({','.join('?' * len(names))})",
            (address_id, *copy, *place.values()),
        )

    def copy_of(self, address_id: int) -> Copy | None:
        """The record in use of an address; None without one."""
        row = self._db.execute(
            f"SELECT {', '.join('r.' + name for name in Copy._fields)} FROM address a JOIN record r USING (warc, start)"
            " WHERE a.id=?",
            (address_id,),
        ).fetchone()
        return Copy(*row) if row else None

    def record_like(self, address_id: int, copy: Copy) -> Alike | None:
        """A record of an address with the same body, or with the same text as read; None without one.

        The record in use comes first, then the latest.
        """
        row = self._db.execute(
            "SELECT r.digest, r.warc, r.start, r.length, r.fetched, (r.warc, r.start) = (a.warc, a.start) AS used"
            " FROM record r JOIN address a ON a.id=r.address"
            " WHERE a.id=? AND (r.digest=? OR (r.contents<>'' AND r.contents=?))"
            " ORDER BY used DESC, r.warc DESC, r.start DESC LIMIT 1",
            (address_id, copy.digest, copy.contents),
        ).fetchone()
        return Alike(row[0], dict(zip(PLACE, row[1:5], strict=True)), bool(row[5])) if row else None

    def unread_copy(self, address_id: int) -> tuple[str, int, int] | None:
        """Place of the record in use of an address, where a journal of an older version has no marks of its text."""
        row = self._db.execute(
            "SELECT r.warc, r.start, r.length FROM address a JOIN record r USING (warc, start)"
            " WHERE a.id=? AND a.digest<>'' AND r.marks IS NULL AND coalesce(r.chars, 1)>0",
            (address_id,),
        ).fetchone()
        return tuple(row) if row else None

    def note_text(self, warc: str, start: int, copy: Copy) -> None:
        """Note everything about the text of an archived record."""
        names = [name for name in Copy._fields if name != "digest"]
        changes = ", ".join(f"{name}=:{name}" for name in names)
        values = {**copy._asdict(), "warc": warc, "start": start}
        self._db.execute(f"UPDATE record SET {changes} WHERE warc=:warc AND start=:start", values)

    def doubt(self, address_id: int, validators: Iterable[str]) -> None:
        """Note that ETags and dates of an address came with different pages."""
        self._db.executemany(
            "INSERT OR IGNORE INTO doubted VALUES (?,?)", [(address_id, validator) for validator in validators]
        )

    def doubted_validators(self, address_id: int) -> set[str]:
        """Doubted ETags and dates of an address: the server sent them with different pages."""
        rows = self._db.execute("SELECT validator FROM doubted WHERE address=?", (address_id,))
        return {validator for (validator,) in rows}

    def shared_validators(self) -> frozenset[str]:
        """ETags and dates of several addresses with different pages, as from a cache with one ETag for the whole site,
        or a site deployed at once."""
        query = "SELECT {0} FROM address WHERE {0}<>'' AND digest<>'' GROUP BY {0} HAVING count(DISTINCT digest)>1"
        columns = "etag", "modified"
        return frozenset(value for name in columns for (value,) in self._db.execute(query.format(name)))

    def page_digests(self) -> dict[str, str]:
        """Digest of the body of each archived page in use, by address."""
        query = f"SELECT url, digest FROM address WHERE kind='page' AND digest IS NOT NULL AND {_STANDS} ORDER BY id"
        return dict(self._db.execute(query))

    def texts_ever(self) -> dict[int, list[TextRecord]]:
        """Records of each address, by id, oldest first; only records with a text."""
        found: dict[int, list[TextRecord]] = defaultdict(list)
        query = "SELECT address, digest, words, lang, marks FROM record WHERE words<>'' ORDER BY warc, start"
        for address_id, *columns in self._db.execute(query):
            found[address_id].append(TextRecord(*columns))
        return found

    def restore_copy(self, address_id: int, digest: str, reason: str, detail: str) -> None:
        """Let an address point at an earlier record again, the latest with this digest, and fail it."""
        self._db.execute(
            # Without ETag: the server's answer to it would be about the later record.
            "UPDATE address SET (digest, warc, start, length, fetched, page_lang) = (SELECT digest, warc, start,"
            " length, fetched, lang FROM record WHERE address=? AND digest=? ORDER BY warc DESC, start DESC LIMIT 1),"
            " etag=NULL, modified=NULL, state='failed', reason=?, detail=? WHERE id=?",
            (address_id, digest, reason, detail, address_id),
        )

    def denials(self) -> dict[int, Denial]:
        """Denials of pages, by id of the address."""
        rows = self._db.execute("SELECT address, said, first, gone FROM denial")
        return {entry_id: Denial(said, first, bool(gone)) for entry_id, said, first, gone in rows}

    def set_denials(self, denials: Mapping[int, Denial]) -> None:
        """Replace all denials."""
        self._db.execute("DELETE FROM denial")
        self._db.executemany(
            "INSERT INTO denial VALUES (?,?,?,?)", [(entry_id, *denials[entry_id]) for entry_id in sorted(denials)]
        )

    def places_in_use(self) -> dict[str, list[RecordPlace]]:
        """Places of the records in use, by archive file, in order."""
        found = defaultdict(list)
        query = f"SELECT warc, start, length, coalesce(fetched, '') FROM address WHERE {_IN_USE} ORDER BY warc, start"
        for warc, *place in self._db.execute(query):
            found[warc].append(RecordPlace(*place))
        return found

    def are_all_in_use(self) -> bool:
        """Whether every record of the archive is in use."""
        query = (
            "SELECT 1 FROM record r WHERE NOT EXISTS (SELECT 1 FROM address"
            f" WHERE id=r.address AND warc=r.warc AND start=r.start AND {_STANDS}) LIMIT 1"
        )
        return self._db.execute(query).fetchone() is None

    def places(self, name: str) -> list[tuple[int, int, int]]:
        """Id of the address, start and length of the committed records in an archive file, in order."""
        query = "SELECT address, start, length FROM record WHERE warc=? ORDER BY start"
        return self._db.execute(query, (name,)).fetchall()

    def replace_archive(self, old: str, new: str, length: int, starts: Mapping[int, int]) -> None:
        """Replace an archive file by a new file; ``starts``: new offset of each record by its offset in the old."""
        self._db.execute("DELETE FROM warc WHERE name=?", (old,))
        self.note_archive(new, length)
        moved = [(new, after, old, before) for before, after in starts.items()]
        for table in ("address", "record"):
            self._db.executemany(f"UPDATE {table} SET warc=?, start=? WHERE warc=? AND start=?", moved)
        self._db.execute("DELETE FROM record WHERE warc=?", (old,))

    def drop_records(self, ids: Collection[int]) -> None:
        """Delete the records, doubted validators and denials of these addresses from the journal."""
        own = [(entry_id,) for entry_id in ids]
        for table in ("record", "doubted", "denial"):
            self._db.executemany(f"DELETE FROM {table} WHERE address=?", own)

    # -- repeated requests ---------------------------------------------------------------------

    def ask_again(self) -> None:
        """Requeue fetched pages and sitemaps, failures, and addresses refused by host rules or for their answer.

        A page that was never there, or is gone, is requested by the 1st, 2nd, 4th, 8th ... update after it was found
        absent, as long as other pages stand. Where none does, the whole site was away, and may be back.
        A page keeps its record in the archive, in case no better answer comes. Pages in the archive are ``known`` from
        now on; ``missed`` counts the updates in a row that did not get to request them.
        """
        self._db.execute(
            "UPDATE address SET known=1, missed=CASE WHEN state IN ('queued', 'in_flight') THEN missed+1 ELSE 0 END"
            " WHERE digest IS NOT NULL"
        )
        self._db.execute(f"UPDATE address SET absent=CASE WHEN {_ABSENT} THEN absent+1 ELSE 0 END")
        self._db.execute(
            "UPDATE address SET state='queued', tries=0, reason='', detail=''"
            " WHERE (state IN ('done', 'failed') AND (NOT absent & (absent-1) OR NOT EXISTS"
            f" (SELECT 1 FROM address WHERE kind='page' AND state='done' AND status=200 AND {_IN_USE}))) OR"
            # With a status there was an answer; other refusals are by the address alone.
            " (state='refused' AND (digest IS NOT NULL OR status IS NOT NULL OR reason IN ('robots', 'unreachable')))"
        )
        # A failure that this update does not repeat is no error of this update.
        self._db.execute("UPDATE address SET tries=? WHERE state='failed'", (NOT_ASKED,))
        self._db.execute("UPDATE host SET robots_time=0")
        self._db.execute("DELETE FROM asked")

    def reopen_languages(self) -> None:
        """Reopen addresses in unwanted languages and requeue sitemaps, before links are read for other languages."""
        self._db.execute("UPDATE address SET reason=? WHERE state='refused' AND reason='other_language'", (REOPENED,))
        self._db.execute("UPDATE address SET state='queued', tries=0 WHERE kind='sitemap' AND state='done'")

    def close_languages(self) -> None:
        """Refuse the reopened addresses that no link has named since."""
        self._db.execute("UPDATE address SET reason='other_language' WHERE reason=?", (REOPENED,))
