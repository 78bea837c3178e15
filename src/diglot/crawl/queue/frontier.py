"""The addresses of a crawl, a table of its journal: the queue, and the outcome of each address."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from diglot.crawl.queue.records import NOT_ASKED, REOPENED, Records
from diglot.crawl.queue.site_scope import is_document
from diglot.pages.address import address_key
from diglot.pages.forgotten import bare_address

QUEUED, IN_FLIGHT, DONE, FAILED, REFUSED = "queued", "in_flight", "done", "failed", "refused"
PAGE, SITEMAP = "page", "sitemap"
HOST_LEFT = "host_left"
"""Reason of an address left for a later run because its host is overloaded."""
DOCUMENT = 6
"""Tier of documents: outside of the tiers of pages, which are raised and weighed anew."""
DOCUMENT_PRIORITY = -1.0
"""Below every page."""
MAX_TRIES = 3
"""Attempts per URL, including those cut off by a crash, so that a URL with a fatal answer is given up."""


@dataclass(frozen=True, slots=True)
class NewAddress:
    """An address found on a page, in a sitemap or as a redirect target.

    ``priority``: a higher one comes sooner; ``tier``: class of the address; ``family``: id of the original page of a
    language version, None if unknown.
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
    """Requests of this crawl or update before this one."""
    how: str
    family: int | None
    lang: str
    etag: str | None
    modified: str | None
    digest: str | None
    known: int = 0
    """1 if the page was in the archive before this update, 0 otherwise."""


_ENTRY = (
    "id, url, kind, host, folder, tier, priority, depth, hops, tries, how, family, lang, etag, modified, digest, known"
)
_ASKED = f"tries<>{NOT_ASKED}"
"""Addresses that this crawl or update asks for."""
_REDIRECT = "coalesce(status, 0) IN (301, 302, 303, 307, 308)"  # a 304 that nobody asked for is an error
_STORED = "kind='page' AND state='done' AND warc IS NOT NULL AND NOT known"


class KnownAddress(NamedTuple):
    """Columns of an address from which a resumed crawl learns the site."""

    id: int
    url: str
    kind: str
    page_lang: str | None
    partnered: int | None
    state: str
    how: str
    status: int | None
    lang: str
    family: int | None

    def versions_among(self, others: Sequence[KnownAddress]) -> list[str]:
        """Addresses of the same family: this page in other languages."""
        mine = self.family or self.id
        return [other.url for other in others if (other.family or other.id) == mine]


class PageOutcome(NamedTuple):
    """Columns of a page about its outcome."""

    id: int
    url: str
    host: str
    state: str
    reason: str
    detail: str
    status: int | None
    digest: str | None


class Frontier(Records):
    """The table ``address`` of a journal, with all queries on it."""

    def requeue_in_flight(self) -> int:
        """Requeue addresses that a dead crawl left in flight, or fail them after :data:`MAX_TRIES` tries.

        Returns the number of requeued addresses.
        """
        failed = "UPDATE address SET state=?, reason='crawl_died' WHERE state=? AND tries>=?"
        self._db.execute(failed, (FAILED, IN_FLIGHT, MAX_TRIES))
        return self._db.execute("UPDATE address SET state=? WHERE state=?", (QUEUED, IN_FLIGHT)).rowcount

    # -- addresses -----------------------------------------------------------------------------

    def add(self, found: Iterable[NewAddress], found_by: int | None = None) -> None:
        """Insert addresses, except forgotten ones. A queued address can rise to a higher tier; a finished one stays."""
        rows = [
            (
                *(f.url, f.kind, f.host, f.folder, REFUSED if f.refused else QUEUED, f.tier, f.priority, f.depth),
                *(f.hops, found_by, f.how, f.family, f.lang, f.refused, f.detail),
            )
            for f in map(_after_pages, found)
            if not self.is_forgotten(f.url)
        ]
        self._db.executemany(
            # A tier outranks all priorities below it; within a tier the higher priority counts.
            "INSERT INTO address (url, kind, host, folder, state, tier, priority, depth, hops, found_by, how, family,"
            " lang, reason, detail) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
            " ON CONFLICT(url) DO UPDATE SET tier=max(tier, excluded.tier), priority=CASE"
            " WHEN excluded.tier > tier THEN excluded.priority WHEN excluded.tier < tier THEN priority"
            " ELSE max(priority, excluded.priority) END,"
            " depth=min(depth, excluded.depth), family=coalesce(family, excluded.family),"
            " lang=CASE lang WHEN '' THEN excluded.lang ELSE lang END,"
            " how=CASE WHEN excluded.tier > tier THEN excluded.how ELSE how END,"
            " state=excluded.state, reason=excluded.reason, detail=excluded.detail"
            f" WHERE (address.state='queued' AND excluded.state='queued') OR address.reason='{REOPENED}'",
            rows,
        )

    def take(self, busy_hosts: Sequence[str], *, pages: bool = True, documents: bool = True) -> Entry | None:
        """The queued address of highest priority on a free host, now in flight; None without one.

        Pages that the last updates missed come first, those that most updates missed at the head. ``pages``,
        ``documents``: whether new ones may be taken; what was in the archive before an update always may.
        """
        row = self._db.execute(
            f"SELECT {_ENTRY} FROM address WHERE state='queued' AND host NOT IN ({_marks(busy_hosts)})"
            " AND (known OR CASE tier WHEN ? THEN ? ELSE ? END) ORDER BY missed DESC, priority DESC, id LIMIT 1",
            (*busy_hosts, DOCUMENT, documents, pages),
        ).fetchone()
        if row is None:
            return None
        self._db.execute(
            # Counted before the request, so that a crash counts as a try.
            "UPDATE address SET state=?, tries=tries+1, reason='', detail='' WHERE id=?",
            (IN_FLIGHT, row[0]),
        )
        return Entry(*row)

    def finish(self, entry_id: int, state: str, **values: Any) -> None:
        """Set the state of an address after a request, and further columns such as ``reason`` or ``status``."""
        names = ", ".join(f"{name}=?" for name in ("state", *values))
        self._db.execute(f"UPDATE address SET {names} WHERE id=?", (state, *values.values(), entry_id))

    def followed_pages(self, warc: str) -> list[tuple[Entry, int, int]]:
        """Pages in use in an archive file whose links were followed, with start and length of the records, in order."""
        query = f"SELECT {_ENTRY}, start, length FROM address WHERE warc=? AND page_lang IS NOT NULL ORDER BY start"
        return [(Entry(*columns), start, length) for *columns, start, length in self._db.execute(query, (warc,))]

    def state_of(self, url: str) -> str:
        """State of an address, "" if unknown."""
        row = self._db.execute("SELECT state FROM address WHERE url=?", (url,)).fetchone()
        return row[0] if row else ""

    def may_lead_elsewhere(self, entry_id: int) -> bool:
        """Whether the redirect of a start may lead to another site: always in a first crawl.

        In an update only if the start was never answered.
        """
        is_new = self._count("id=? AND how='start' AND status IS NULL", [entry_id])
        return bool(is_new or not self.count_known())

    def moved_starts(self, statuses: Collection[int]) -> list[str]:
        """Where the redirects of starts with these statuses lead."""
        where = f"how='start' AND status IN ({_marks(statuses)})"
        rows = self._select("detail, status", where, [*statuses])
        return [detail.removeprefix(f"{status} to ").partition(",")[0] for detail, status in rows]

    def ids_of(self, urls: Iterable[str]) -> list[int]:
        """Ids of the known addresses among these."""
        found = (self._db.execute("SELECT id FROM address WHERE url=?", (url,)).fetchone() for url in urls)
        return [row[0] for row in found if row]

    def raise_family(self, family: int, *, tier: int, priority: float) -> None:
        """Raise the queued members of a family to a tier, if they are below it."""
        self._db.execute(
            "UPDATE address SET tier=?, priority=? WHERE family=? AND state='queued' AND tier<? AND kind='page'",
            (tier, priority, family, tier),
        )

    def family_of(self, url: str) -> int | None:
        """The family of an address, its own id if it is the first member; None if unknown."""
        row = self._db.execute("SELECT coalesce(family, id) FROM address WHERE url=?", (url,)).fetchone()
        return int(row[0]) if row else None

    def promise_of(self, entry_id: int) -> tuple[str, int | None]:
        """The language and the family of the language version that a link promised at this address."""
        row = self._db.execute("SELECT lang, family FROM address WHERE id=?", (entry_id,)).fetchone()
        return row[0], row[1]

    def weigh_versions(self, family: int, lang: str, *, tier: int, weigh: Callable[[int | None, str], float]) -> None:
        """Recompute the priority of the queued versions in a family and in a language (a primary subtag)."""
        rows = self._db.execute(
            "SELECT id, family, lang, priority FROM address WHERE state='queued' AND tier=?"
            " AND (family=? OR lang=? OR lang LIKE ? || '-%')",
            (tier, family, lang, lang),
        ).fetchall()
        changed = [(after, row) for row, of, tag, before in rows if (after := weigh(of, tag)) != before]
        self._db.executemany("UPDATE address SET priority=? WHERE id=?", changed)

    def raise_addresses(self, urls: Iterable[str], *, tier: int, priority: float) -> None:
        """Raise queued addresses to a tier, if they are below it."""
        statement = "UPDATE address SET tier=?, priority=? WHERE url=? AND state='queued' AND tier<?"
        self._db.executemany(statement, [(tier, priority, url, tier) for url in urls])

    def reweigh_folder(self, folder: str, *, tier: int, priority: float, per_depth: float) -> None:
        """Set the priority of the queued addresses in a folder and tier, less ``per_depth`` for each step of depth."""
        self._db.execute(
            "UPDATE address SET priority=?-depth*? WHERE folder=? AND tier=? AND state='queued'",
            (priority, per_depth, folder, tier),
        )

    def change_scheme(self, host: str, scheme: str) -> None:
        """Change the scheme of the queued addresses of a host, unless both spellings are known."""
        self._db.execute(
            "UPDATE OR IGNORE address SET url=? || substr(url, instr(url, '://')) WHERE host=? AND state='queued'",
            (scheme, host),
        )

    def note_left(self, host: str, detail: str) -> None:
        """Note the reason why addresses of an abandoned host still wait."""
        statement = "UPDATE address SET reason=?, detail=? WHERE host=? AND state='queued'"
        self._db.execute(statement, (HOST_LEFT, detail, host))

    def clear_left(self) -> None:
        """Remove the reason of :meth:`note_left` at the beginning of the next crawl."""
        self._db.execute("UPDATE address SET reason='', detail='' WHERE state='queued' AND reason=?", (HOST_LEFT,))

    def refuse_host(self, host: str, reason: str, detail: str) -> None:
        """Refuse all queued addresses of a host."""
        statement = "UPDATE address SET state='refused', reason=?, detail=? WHERE host=? AND state='queued'"
        self._db.execute(statement, (reason, detail, host))

    def redirects(self) -> dict[str, str]:
        """Target of every redirect that was followed, by the address that redirects."""
        rows = self._select("url, detail, status || ' to '", "status BETWEEN 300 AND 399")
        found = {url: detail.removeprefix(lead) for url, detail, lead in rows if detail.startswith(lead)}
        # The detail of a redirect that was not followed goes on with the reason. Addresses have no blanks.
        return {url: target for url, target in found.items() if target and " " not in target}

    def leading_to(self, urls: Collection[str]) -> list[tuple[int, str]]:
        """Id and spelling of the addresses that redirect to any of these, directly or in several steps."""
        target_of = {source: bare_address(target) for source, target in self.redirects().items()}
        found: list[str] = []
        targets = set(map(bare_address, urls))
        while reached := [source for source, target in target_of.items() if target in targets]:
            found += reached
            targets = set(map(bare_address, reached))
            for source in reached:
                del target_of[source]
        return list(zip(self.ids_of(found), found, strict=True))

    def linked_only_from(self, pages: Collection[int]) -> list[int]:
        """Ids of the addresses without content that were found on these pages and, as far as noted, on no others.

        Links to refused addresses are noted on the first page only.
        """
        found: set[int] = set()
        statement = "SELECT id FROM address WHERE found_by=? AND kind='page' AND state<>'done' AND warc IS NULL"
        ahead = set(pages)
        # A redirect among them leads to further ones.
        while ahead:
            ahead = {row[0] for page in sorted(ahead) for row in self._db.execute(statement, (page,))}
            ahead -= found | set(pages)
            found |= ahead
        for page, links, _ in self.noted_links_and_texts() if found else ():
            if page not in pages and page not in found:
                found.difference_update(links or ())
        return sorted(found)

    def strike_out(self, ids: Collection[int]) -> None:
        """Empty the rows of forgotten addresses; the ids remain, because other rows refer to them."""
        own = [(entry_id,) for entry_id in ids]
        self._db.executemany(
            "UPDATE address SET url='forgotten:' || id, kind='forgotten', host='', folder='', state='refused', how='',"
            " found_by=NULL, family=NULL, lang='', reason='forgotten', detail='', status=NULL, page_lang=NULL,"
            " partnered=NULL, etag=NULL, modified=NULL, digest=NULL, warc=NULL, start=NULL, length=NULL, fetched=NULL"
            " WHERE id=?",
            own,
        )
        self._db.executemany("DELETE FROM seen WHERE address=?", own)
        self.drop_records(ids)

    def drop_hosts(self, hosts: Iterable[str]) -> None:
        """Delete hosts and their rules."""
        names = [(host,) for host in hosts]
        for table in ("host", "asked", "failing", "rest"):
            self._db.executemany(f"DELETE FROM {table} WHERE host=?", names)

    def rewrite_details(self, mend: Callable[[str], str]) -> None:
        """Apply a function to the detail of every address."""
        rows = self._db.execute("SELECT id, detail FROM address WHERE detail<>''").fetchall()
        changed = [(mended, entry_id) for entry_id, detail in rows if (mended := mend(detail)) != detail]
        self._db.executemany("UPDATE address SET detail=? WHERE id=?", changed)

    # -- questions -----------------------------------------------------------------------------

    def known_addresses(self) -> list[KnownAddress]:
        """All sitemaps, and all pages except those refused for their language, by id."""
        where = "kind='sitemap' OR reason<>'other_language'"
        return [KnownAddress(*row) for row in self._select(", ".join(KnownAddress._fields), where)]

    def page_outcomes(self) -> list[PageOutcome]:
        """All pages with their states, by id."""
        return [PageOutcome(*row) for row in self._select(", ".join(PageOutcome._fields), "kind='page'")]

    def start_outcomes(self) -> list[PageOutcome]:
        """Start addresses and redirect targets, by id."""
        where = "kind='page' AND (how='start' OR how='redirect')"
        return [PageOutcome(*row) for row in self._select(", ".join(PageOutcome._fields), where)]

    def fetched_languages(self) -> list[tuple[str | None, int | None]]:
        """Language of each fetched page, and whether the page has a language version."""
        return self._select("page_lang, partnered", "kind='page' AND state='done'")

    def fetches(self) -> list[tuple[Any, ...]]:
        """Rows of out/fetches.tsv, by address, without forgotten addresses.

        Columns: address, state, reason, detail, status, language, how it was found, on which page, time of the fetch.
        """
        return self._db.execute(
            "SELECT a.url, a.state, a.reason, a.detail, a.status, a.page_lang, a.how, b.url, a.fetched"
            " FROM address a LEFT JOIN address b ON b.id = a.found_by AND b.kind<>'forgotten'"
            " WHERE a.kind<>'forgotten' ORDER BY a.url"
        ).fetchall()

    def all_hosts(self) -> set[str]:
        """Hosts of all addresses and all hosts with rules."""
        return {host for (host,) in self._db.execute("SELECT host FROM address UNION SELECT host FROM host")}

    def addresses_on(self, host: str) -> list[tuple[int, str]]:
        """Id and spelling of the addresses of a host."""
        return self._select("id, url", "host=?", (host,))

    def variants_of(self, url: str, host: str) -> list[tuple[int, str]]:
        """Id and spelling of the pages at an address or a variant of it (:func:`diglot.pages.address.address_key`)."""
        key = address_key(url)
        pages = self._select("id, url", "kind='page' AND host=?", (host,))
        return [(entry_id, known) for entry_id, known in pages if address_key(known) == key]

    def outcome_counts(self) -> dict[str, int]:
        """Number of pages by outcome; ``left``: addresses that wait for an abandoned host."""
        failed = f"kind='page' AND state='failed' AND {_ASKED}"
        return {
            "pages": self._count("kind='page' AND state='done'"),
            "redirects": self._count(f"{failed} AND {_REDIRECT}"),
            "failed": self._count(f"{failed} AND NOT {_REDIRECT}"),
            "refused": self._count("kind='page' AND state='refused'"),
            "queued": self._count("kind='page' AND state='queued'"),
            "left": self._count("state='queued' AND reason=?", [HOST_LEFT]),
        }

    def reason_counts(self, state: str) -> dict[str, int]:
        """Number of pages in a state by reason, or by HTTP status; without redirects. Most frequent first."""
        name = "CASE reason WHEN 'http_status' THEN coalesce(status, reason) ELSE reason END"
        where = f"kind='page' AND state=? AND {_ASKED} AND NOT {_REDIRECT}"
        statement = f"SELECT {name}, count(*) FROM address WHERE {where} GROUP BY 1 ORDER BY 2 DESC, 1"
        return {str(reason): count for reason, count in self._db.execute(statement, (state,)) if reason}

    def queue_counts(self) -> dict[str, int]:
        """Numbers of waiting, failed and refused pages; redirects do not count as failures."""
        return {
            "queued": self._count("kind='page' AND state='queued'"),
            "failed": self._count(f"kind='page' AND state='failed' AND {_ASKED} AND NOT {_REDIRECT}"),
            "refused": self._count("kind='page' AND state='refused'"),
        }

    def has_pages(self) -> bool:
        """Whether any page was fetched."""
        return self._count("kind='page' AND state='done'") > 0

    def count_stored_pages(self) -> int:
        """Pages that this crawl brought into the archive, without documents."""
        return self._count(f"{_STORED} AND tier<>?", [DOCUMENT])

    def count_stored_documents(self) -> int:
        """Documents that this crawl brought into the archive."""
        return self._count(f"{_STORED} AND tier=?", [DOCUMENT])

    def count_known(self) -> int:
        """Pages and documents that were in the archive before this update."""
        return self._count("known")

    def count_documents(self) -> int:
        """Documents known by their addresses, fetched or not."""
        return self._count("kind='page' AND tier=?", [DOCUMENT])

    def count_queued(self) -> int:
        """Number of queued addresses."""
        return self._count("state='queued'")

    def count_queued_documents(self) -> int:
        """Number of queued documents."""
        return self._count("state='queued' AND tier=?", [DOCUMENT])

    def count_sitemaps(self) -> int:
        """Sitemaps known, read or not."""
        return self._count("kind='sitemap'")

    def count_read_sitemaps(self) -> int:
        """Sitemaps fetched and read."""
        return self._count("kind='sitemap' AND state='done'")

    def count_sitemap_pages(self) -> int:
        """Pages that a sitemap names."""
        return self._count("kind='page' AND how='sitemap'")

    def count_robots_refusals(self) -> int:
        """Pages that a robots.txt disallows."""
        return self._count("kind='page' AND state='refused' AND reason='robots'")

    def _select(self, columns: str, where: str, values: Sequence[Any] = ()) -> list[Any]:
        return self._db.execute(f"SELECT {columns} FROM address WHERE {where} ORDER BY id", tuple(values)).fetchall()

    def _count(self, where: str, values: Sequence[Any] = ()) -> int:
        return int(self._db.execute(f"SELECT count(*) FROM address WHERE {where}", tuple(values)).fetchone()[0])


def _after_pages(found: NewAddress) -> NewAddress:
    """The address, in the tier of documents if it ends like one and is no start."""
    if found.how == "start" or not is_document(found.url):
        return found
    return replace(found, tier=DOCUMENT, priority=DOCUMENT_PRIORITY - found.depth / 100)


def _marks(values: Collection[Any]) -> str:
    """Placeholders of an SQL list."""
    return ",".join("?" * len(values))
