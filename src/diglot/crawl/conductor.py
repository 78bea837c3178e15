"""Decides what is fetched next and what an answer means; knows nothing of sockets.

The one who fetches asks :meth:`Conductor.next_job`, waits :meth:`Conductor.wait_s`, makes the request and gives
what came of it to :meth:`Conductor.answered` or :meth:`Conductor.failed`.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from urllib.parse import urljoin, urlsplit

from diglot.crawl.answer import ROBOTS, TDM, Answer, Job, exchange_of
from diglot.crawl.archive import Archive
from diglot.crawl.frontier import (
    DONE,
    FAILED,
    MAX_TRIES,
    PAGE,
    QUEUED,
    REFUSED,
    SITEMAP,
    Entry,
    Found,
    Frontier,
    HostNote,
)
from diglot.crawl.manners import ROBOTS_MAX_AGE_S, Manners, read_manners
from diglot.crawl.options import CrawlOptions
from diglot.crawl.pacing import MAX_DELAY_S, MAX_HOLD_S, Clock, Pacing
from diglot.crawl.page_reading import ReadPage, read_page
from diglot.crawl.reservations import WELL_KNOWN, TdmRule, page_reservation, read_tdmrep, site_reservation
from diglot.crawl.robots import robot_name
from diglot.crawl.site_scope import SiteScope, folder_of, host_of
from diglot.crawl.sitemaps import MAX_DEPTH as MAX_SITEMAP_DEPTH
from diglot.crawl.sitemaps import read_sitemap
from diglot.crawl.steering import (
    BY_MARKER,
    BY_RULE,
    LINK,
    PER_DEPTH,
    START,
    TIER_PRIORITY,
    VERSION,
    Steering,
    expands,
)
from diglot.crawl.traps import TrapGuard, TrapStop
from diglot.documents.language import language_of
from diglot.records import Drop, Reason

MAX_HOPS = 5
TRAP_WORTH_SAYING = 10
"""Addresses of a pattern left as a trap from which on the user is told."""
FIRST_SITEMAPS, MAX_SITEMAPS = 10, 500
LATE_SITEMAP_PRIORITY = 8.0
REQUESTS_A_PAGE = 5
SPARE_REQUESTS = 200
"""A crawl of at most n pages makes at most 5 n + 200 requests: a site of errors ends too."""
REDIRECTS = frozenset((301, 302, 303, 307, 308))
NOT_MODIFIED = 304
OVERLOADED = frozenset((429, 503))
Now = Callable[[], datetime]


def utc_now() -> datetime:
    """The time, which archive records state."""
    return datetime.now(UTC)


class Conductor:
    """State of a crawl at work, over its frontier and archive."""

    def __init__(
        self, options: CrawlOptions, frontier: Frontier, archive: Archive, *, clock: Clock, now: Now = utc_now
    ) -> None:
        self.options = options
        self._frontier = frontier
        self._archive = archive
        self._now = now
        self._clock = clock
        self._began_at = clock()
        self._stopped = False
        self._scope = SiteScope(options.langs, options.include, options.exclude)
        self._steering = Steering(self._scope, options.langs)
        self._pacing = Pacing(options.delay_s, clock)
        self._noted: dict[str, str] = {}
        self._manners: dict[str, Manners] = {}
        self._tdm: dict[str, list[TdmRule]] = {}
        self._robots_hops: dict[str, Job] = {}
        self._traps = TrapGuard()
        self._trapped: Counter[str] = Counter()
        self._busy: set[str] = set()
        self._left_alone: set[str] = set()
        self._requests = 0
        self._stored = 0
        self.counts: Counter[str] = Counter()
        """What this process did: stored, requests, bytes, refused."""
        self.notices: list[str] = []
        self.trouble = ""
        """What the first request to the first host failed of, where it did: a crawl that never began."""

    def begin(self) -> None:
        """Take up the journal: what was in flight waits again, what is known of the site is learnt again."""
        with self._frontier.transaction():
            self._frontier.back_to_queue()
            for note in self._frontier.hosts():
                self._take_up(note)
            starts = []
            for start in self.options.starts:
                parts = urlsplit(start)
                host = host_of(self._scope.spell(start))
                if not self._scope.scheme_of(host):
                    self._scope.admit(host, parts.scheme)
                url = self._scope.spell(start)
                starts.append(Found(url, host, folder_of(url), tier=START, priority=TIER_PRIORITY[START], how="start"))
            self._frontier.add(starts)
            self._note_hosts()
            self._learn_again()
        self._stored = self._frontier.count("kind='page' AND state='done' AND warc IS NOT NULL AND status=200")

    def _take_up(self, note: HostNote) -> None:
        self._scope.note_scheme(note.host, note.scheme)
        if note.member:
            self._scope.admit(note.host, note.scheme)
        fresh = 0 <= self._now().timestamp() - (note.robots_time or 0.0) < ROBOTS_MAX_AGE_S
        if note.robots_status and fresh:
            self._take_manners(note.host, read_manners(note.robots or b"", note.robots_status, self.options.user_agent))
            if note.tdm is not None:
                self._tdm[note.host] = read_tdmrep(note.tdm)

    def _learn_again(self) -> None:
        """Tell steering and traps what the journal knows; what pages said to each other is not in it."""
        columns = "id, url, page_lang, partnered, state, found_by"
        rows = self._frontier.rows(columns, "kind='page' AND reason<>'other_language'")
        url_of = {row[0]: row[1] for row in rows}
        for _, url, lang, partnered, state, found_by in rows:
            self._traps.found([url], parent=url_of.get(found_by, ""))
            if state == QUEUED:
                self._steering.note_waiting([url])
            elif lang:
                wanted = self._scope.wants(lang)
                self._steering.learn_page(url, lang, wanted=wanted, has_version=bool(partnered))

    # -- what comes next -----------------------------------------------------------------------

    def next_job(self) -> Job | None:
        """The next request, its host busy until its outcome is told; None where nothing can be asked for now."""
        while not self._spent():
            entry = self._frontier.take(sorted(self._busy | self._left_alone))
            if entry is None:
                return None
            manners = self._manners.get(entry.host)
            if manners is None:
                self._frontier.settle(entry.id, QUEUED, tries=entry.tries)
                self._busy.add(entry.host)
                robots = Job(f"{urlsplit(entry.url).scheme}://{entry.host}/robots.txt", entry.host, ROBOTS)
                return self._robots_hops.pop(entry.host, robots)
            if entry.host not in self._tdm:
                self._frontier.settle(entry.id, QUEUED, tries=entry.tries)
                self._busy.add(entry.host)
                return Job(f"{urlsplit(entry.url).scheme}://{entry.host}{WELL_KNOWN}", entry.host, TDM)
            verdict = manners.verdict(entry.url, self.options.user_agent)
            if entry.kind == PAGE and not verdict.allowed:
                self._settle(entry, REFUSED, reason="robots", detail=f"robots.txt: {verdict.line}")
                continue
            trap = self._traps.judge(entry.url) if entry.kind == PAGE and entry.tier != START else None
            if trap is not None:
                self._settle(entry, REFUSED, reason="trap", detail=str(trap))
                self._note_trap(trap)
                continue
            self._busy.add(entry.host)
            return Job(entry.url, entry.host, entry.kind, entry, entry.hops, _conditions(entry))
        return None

    def _note_trap(self, trap: TrapStop) -> None:
        """Say once a pattern that, and why, a crawl leaves a part of the site."""
        self._trapped[trap.pattern] += 1
        if self._trapped[trap.pattern] == TRAP_WORTH_SAYING:
            self.notices.append(f"left alone: {trap}")

    def _spent(self) -> str:
        """Which limit is reached, "" while none is."""
        if self._stopped:
            return "stopped"
        if self.options.max_time_s and self._clock() - self._began_at >= self.options.max_time_s:
            return "max-time"
        limit = self.options.page_limit
        requests = self.options.max_requests or (REQUESTS_A_PAGE * limit + SPARE_REQUESTS if limit else 0)
        full = limit and self._stored + len(self._busy) >= limit
        return "max-pages" if full or (requests and self._requests + len(self._busy) >= requests) else ""

    @property
    def limit(self) -> str:
        """Which limit ended the crawl while addresses were waiting, "" where none did."""
        return self._spent() if self._frontier.count("state='queued'") else ""

    def stop(self) -> None:
        """Ask for nothing more."""
        self._stopped = True

    def wait_s(self, job: Job) -> float:
        """How long to wait before the request is made."""
        return self._pacing.wait_s(job.host)

    def finished(self) -> bool:
        """Whether nothing is left to do now."""
        if self._busy:
            return False
        marks = ",".join("?" * len(self._left_alone))
        waiting = self._frontier.count(f"state='queued' AND host NOT IN ({marks})", sorted(self._left_alone))
        return waiting == 0 or bool(self._spent())

    # -- what came of it -----------------------------------------------------------------------

    def failed(self, job: Job, reason: str, detail: str, *, for_good: bool) -> None:
        """A request brought no answer. ``for_good``: it need not be tried again."""
        with self._outcome(job, 0.0):
            if job.kind == ROBOTS:
                self._robots_told(job, b"", 0, detail)
            elif job.kind == TDM:
                self._tdm_told(job, b"")
            elif job.entry is not None:
                again = not for_good and job.entry.tries + 1 < MAX_TRIES
                self._settle(job.entry, QUEUED if again else FAILED, reason=reason, detail=detail)

    def answered(self, job: Job, answer: Answer) -> None:
        """A request brought an answer; it is kept, its links are noted, in one transaction."""
        with self._outcome(job, answer.took_s):
            self.counts["bytes"] += len(answer.body)
            if answer.status in OVERLOADED and self._overloaded(job, answer):
                return
            if job.kind == ROBOTS:
                self._robots_answered(job, answer)
            elif job.kind == TDM:
                self._tdm_told(job, answer.body if answer.status == 200 else b"")
            elif answer.status == NOT_MODIFIED and job.conditions:
                self._settle(job.entry, DONE, status=200)
            elif answer.status in REDIRECTS and answer.get("location"):
                self._redirected(job, answer)
            elif answer.status != 200:
                self._settle(job.entry, FAILED, reason=Reason.HTTP_STATUS, detail=str(answer.status), **_of(answer))
            elif job.kind == SITEMAP:
                self._sitemap(job, answer)
            else:
                self._page(job, answer)

    @contextmanager
    def _outcome(self, job: Job, took_s: float) -> Iterator[None]:
        """Count the request, and free its host when what came of it is told."""
        self._requests += 1
        self.counts["requests"] += 1
        self.counts["took_ms"] += round(1000 * took_s)
        try:
            with self._frontier.transaction():
                yield
        finally:
            self._busy.discard(job.host)
            self._pacing.answered(job.host, took_s)

    def _settle(self, entry: Entry | None, state: str, **values: object) -> None:
        assert entry is not None
        self._frontier.settle(entry.id, state, **values)
        if state in (FAILED, REFUSED):
            self.counts[state] += 1

    def _overloaded(self, job: Job, answer: Answer) -> bool:
        """The host asks for rest: it gets it, and the address waits; False where it has been asked often enough."""
        hold_s = self._pacing.hold(job.host, answer.get("retry-after"), self._now())
        if hold_s > MAX_HOLD_S:
            self._left_alone.add(job.host)
            self.notices.append(
                f"{job.host} asks to be left alone for {hold_s:,.0f} s; run the same command after that"
            )
        if job.entry is None or job.entry.tries + 1 >= MAX_TRIES:
            return job.host in self._left_alone
        self._settle(job.entry, QUEUED, reason=Reason.HTTP_STATUS, detail=str(answer.status))
        return True

    def gave_up(self, job: Job, error: BaseException) -> None:
        """An answer that we could not make sense of, and should have: it costs its address only."""
        detail = f"{type(error).__name__}: {ascii(str(error))[1:-1][:200]}"
        self.notices.append(f"{job.url}: could not be read ({detail})")
        if job.entry is not None:
            with self._frontier.transaction():
                self._settle(job.entry, FAILED, reason=Reason.PARSER_CRASH, detail=detail)

    # -- robots.txt ----------------------------------------------------------------------------

    def _robots_answered(self, job: Job, answer: Answer) -> None:
        if answer.status in REDIRECTS and answer.get("location") and job.hops < MAX_HOPS:
            target = self._scope.spell(urljoin(job.url, answer.get("location").strip()))
            if target and target != job.url:
                self._robots_hops[job.host] = Job(target, job.host, ROBOTS, hops=job.hops + 1)
                return
        body, status = answer.body, answer.status
        self._robots_told(job, body, status, f"robots.txt answered {status}")

    def _robots_told(self, job: Job, body: bytes, status: int, detail: str) -> None:
        manners = read_manners(body, status, self.options.user_agent)
        self._frontier.note_robots(job.host, body, status, self._now().timestamp())
        self._take_manners(job.host, manners)
        if manners.problem:
            self._frontier.refuse_host(job.host, "robots" if status else "unreachable", detail)
            self.trouble = self.trouble or f"{job.host}: {detail}"
        elif manners.delay_s > MAX_DELAY_S:
            detail = f"robots.txt asks for {manners.delay_s:,.0f} s between requests"
            self._frontier.refuse_host(job.host, "robots", detail)
            self.notices.append(f"{job.host}: {detail}, more than {MAX_DELAY_S:.0f} s: nothing is fetched from it")
        else:
            self._find_sitemaps(job.host, manners)

    def _tdm_told(self, job: Job, body: bytes) -> None:
        self._tdm[job.host] = read_tdmrep(body)
        self._frontier.note_tdm(job.host, body)

    def _take_manners(self, host: str, manners: Manners) -> None:
        self._manners[host] = manners
        self._pacing.set_delay(host, manners.delay_s)

    def _find_sitemaps(self, host: str, manners: Manners) -> None:
        """Queue the sitemaps that robots.txt names, or the usual one."""
        scheme = self._scope.scheme_of(host) or "https"
        named = [self._scope.spell(url) for url in manners.sitemaps]
        self._queue_sitemaps(list(filter(None, named)) or [f"{scheme}://{host}/sitemap.xml"], depth=0)

    def _queue_sitemaps(self, urls: list[str], *, depth: int) -> None:
        """Queue sitemaps, the first of them ahead of pages and the rest behind: pages should not wait for hundreds."""
        known = self._frontier.count("kind='sitemap'")
        self._frontier.add(
            Found(
                url,
                host_of(url),
                kind=SITEMAP,
                priority=TIER_PRIORITY[START] - 1 if known + number < FIRST_SITEMAPS else LATE_SITEMAP_PRIORITY,
                depth=depth,
                how="sitemap",
            )
            for number, url in enumerate(urls[: max(0, MAX_SITEMAPS - known)])
        )

    def _sitemap(self, job: Job, answer: Answer) -> None:
        """Queue what a sitemap names, pages with versions ahead of others."""
        entry = job.entry
        assert entry is not None
        sitemap = read_sitemap(answer.body, url=job.url, content_encoding=answer.get("content-encoding"))
        told = f"{len(sitemap.entries)} pages, {len(sitemap.sitemaps)} sitemaps"
        self._settle(entry, DONE, detail=f"{told}; {sitemap.problem}" if sitemap.problem else told, **_of(answer))
        if entry.depth < MAX_SITEMAP_DEPTH:
            further = [self._scope.spell(url) for url in sitemap.sitemaps]
            self._queue_sitemaps([url for url in further if url and self._scope.belongs(url)], depth=entry.depth + 1)
        for each in sitemap.entries:
            family = self._steering.sitemap_family(each)
            self._queue(family[:1], entry)
            if len(family) > 1:
                lead = self._frontier.family_of(family[0].url)
                self._queue([replace(member, family=lead) for member in family], entry)

    # -- pages and redirects -------------------------------------------------------------------

    def _redirected(self, job: Job, answer: Answer) -> None:
        """Keep the redirect and queue where it leads, if that is of the site and not one hop too far."""
        entry = job.entry
        assert entry is not None
        place = self._archive.append(exchange_of(job, answer), self._frontier)
        target = self._scope.spell(urljoin(job.url, answer.get("location").strip()))
        detail = f"{answer.status} to {target}"
        if target == job.url or not target:
            target = self._other_scheme(job.url, answer)
        at_start = entry.depth == 0
        if entry.hops >= MAX_HOPS:
            target, detail = "", f"more than {MAX_HOPS} redirects"
        elif target and not self._scope.belongs(target):
            if at_start:
                self._scope.admit(host_of(target), urlsplit(target).scheme)
            else:
                target, detail = "", f"{detail}, which is not of this site"
        values = {"warc": place.warc, "start": place.start, "length": place.length, **_of(answer)}
        self._settle(entry, FAILED, reason=Reason.HTTP_STATUS, detail=detail, **values)
        if target:
            found = Found(
                target,
                host_of(target),
                folder_of(target),
                kind=job.kind,
                tier=entry.tier,
                priority=entry.priority,
                depth=entry.depth,
                hops=entry.hops + 1,
                how="redirect",
                family=entry.family,
                lang=entry.lang,
            )
            self._queue([found], entry)

    def _other_scheme(self, url: str, answer: Answer) -> str:
        """The same address by the scheme that the redirect asks for; its host is reached so from now on."""
        scheme = urlsplit(urljoin(url, answer.get("location").strip())).scheme
        if scheme not in ("http", "https") or scheme == urlsplit(url).scheme:
            return ""
        host = host_of(url)
        self._scope.note_scheme(host, scheme)
        self._frontier.change_scheme(host, scheme)
        return self._scope.spell(url)

    def _page(self, job: Job, answer: Answer) -> None:
        entry = job.entry
        assert entry is not None
        read = read_page(job.url, answer, max_bytes=self.options.max_page_bytes)
        if isinstance(read, Drop):
            self._settle(entry, REFUSED, reason=read.reason, detail=read.detail, **_of(answer))
            return
        site = site_reservation(self._tdm.get(job.host, ()), job.url)
        asked = page_reservation(answer.texts(), read.metas, robot_name(self.options.user_agent), site)
        if asked.tdm or asked.noindex:
            reason, detail = ("tdm_reserved", asked.tdm_policy) if asked.tdm else ("noindex", "")
            self._settle(entry, REFUSED, reason=reason, detail=detail, **_of(answer))
        else:
            self._keep(job, answer, entry, read)
        if read.contents is not None and not asked.nofollow and not asked.tdm:
            self._follow(entry, read)

    def _keep(self, job: Job, answer: Answer, entry: Entry, read: ReadPage) -> None:
        digest = hashlib.sha256(read.body).hexdigest()
        if digest == entry.digest:
            self._settle(entry, DONE, status=200, etag=answer.get("etag"), modified=answer.get("last-modified"))
            return
        place = self._archive.append(exchange_of(job, answer), self._frontier)
        self._stored += 1
        self.counts["stored"] += 1
        values = {"warc": place.warc, "start": place.start, "length": place.length, **_of(answer)}
        self._settle(entry, DONE, reason=read.reason, detail=read.detail, digest=digest, **values)

    def _follow(self, entry: Entry, read: ReadPage) -> None:
        """Queue what a page leads to, its versions first, and learn from it."""
        page = read.contents
        assert page is not None
        wanted = expands(page, self._scope.wants)
        links = self._steering.links(entry, page, expand=wanted or entry.depth == 0)
        has_version = links.has_version
        self._queue(links.found, entry)
        if wanted:
            versions = [found.url for found in links.found if found.how == "version" and not found.refused]
            self._steering.learn_versions(entry.url, versions)
            by_marker = self._steering.versions_by_marker(entry.url)
            by_rule = set(self._steering.versions_by_rule(entry.url))
            self._frontier.raise_addresses(by_rule, tier=BY_RULE, priority=TIER_PRIORITY[BY_RULE])
            self._frontier.raise_addresses(by_marker, tier=BY_MARKER, priority=TIER_PRIORITY[BY_MARKER])
            has_version |= bool(by_marker or by_rule)
            self._frontier.raise_family(entry.family or entry.id, tier=VERSION, priority=TIER_PRIORITY[VERSION])
        self._traps.fetched(entry.url, page.chunks)
        lang = page.told_lang
        self._check_promise(entry, page.lang)
        self._frontier.settle(entry.id, self._frontier.state_of(entry.url), page_lang=lang, partnered=int(has_version))
        before = self._steering.link_priority(entry.folder)
        self._steering.learn_page(entry.url, lang, wanted=wanted, has_version=has_version)
        after = self._steering.link_priority(entry.folder)
        if after != before:
            self._frontier.reweigh_folder(entry.folder, tier=LINK, priority=after, per_depth=PER_DEPTH)

    def _check_promise(self, entry: Entry, lang: str) -> None:
        """Weigh the versions that wait anew where this one was, or was not, in the language it was linked as."""
        known_as, family = self._frontier.promise_of(entry.id)
        if not known_as or lang == "und" or family is None:
            return
        self._steering.learn_promise(family, known_as, kept=language_of(lang) == language_of(known_as))
        self._frontier.weigh_versions(
            family, language_of(known_as), tier=VERSION, weigh=self._steering.version_priority
        )

    def _queue(self, found: list[Found], entry: Entry) -> None:
        self._frontier.add(found, entry.id)
        waiting = [each.url for each in found if not each.refused and each.kind == PAGE]
        self._steering.note_waiting(waiting)
        self._traps.found(waiting, parent=entry.url if entry.kind == PAGE else "")
        self._note_hosts()

    def _note_hosts(self) -> None:
        for host, scheme in self._scope.hosts():
            if self._noted.get(host) != scheme:
                self._frontier.note_host(host, scheme, member=True)
                self._noted[host] = scheme


def _conditions(entry: Entry) -> tuple[tuple[str, str], ...]:
    """Fields that ask for a page only if it is not what is in the archive."""
    if not entry.digest:
        return ()
    fields = (("If-None-Match", entry.etag), ("If-Modified-Since", entry.modified))
    return tuple((name, value) for name, value in fields if value)


def _of(answer: Answer) -> dict[str, object]:
    """Columns of an address that an answer fills."""
    return {
        "status": answer.status,
        "etag": answer.get("etag"),
        "modified": answer.get("last-modified"),
        "fetched": answer.fetched,
    }
