"""What each host asks of a crawl, asked for before its first page: robots.txt, mining reservations, sitemaps."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import urlsplit

from diglot.crawl.crawl_state import CrawlState, columns_of
from diglot.crawl.page_reading import REDIRECTS, ROBOTS, TDM, Answer, Job
from diglot.crawl.queue.frontier import DONE, MAX_TRIES, PAGE, SITEMAP, Entry, Found
from diglot.crawl.queue.journal import HostNote
from diglot.crawl.queue.prioritiser import START, TIER_PRIORITY
from diglot.crawl.queue.site_scope import by_other_scheme, host_of, joined
from diglot.crawl.queue.sitemaps import MAX_DEPTH, read_sitemap
from diglot.crawl.queue.traps import MAX_URL_CHARS
from diglot.crawl.rules.reservations import WELL_KNOWN, TdmRule, read_tdmrep, site_reservation
from diglot.crawl.rules.robots import ROBOTS_MAX_AGE_S, Manners, Verdict, read_manners
from diglot.crawl.wire.pacing import MAX_DELAY_S
from diglot.records import Reason

MAX_HOPS = 5
"""Redirects in a row that are followed (RFC 9309, 2.3.1.2, for robots.txt; the same for pages)."""
FIRST_SITEMAPS, MAX_SITEMAPS = 10, 500
MAX_SITEMAPS_ELSEWHERE = 10
"""Sitemaps that one robots.txt may name on hosts that are none of the site's: a network that delivers them has one."""
ROBOTS_PATH = "/robots.txt"
LATE_SITEMAP_PRIORITY = 8.0


class Refusal(NamedTuple):
    """Why nothing is asked for, as the journal has it."""

    reason: str
    detail: str


class HostRules:
    """The rules of the hosts met so far, in memory and in the journal."""

    def __init__(self, state: CrawlState) -> None:
        self._state = state
        self._manners: dict[str, Manners] = {}
        self._tdm: dict[str, list[TdmRule]] = {}
        self._refusals: dict[str, Refusal] = {}
        self._hops: dict[str, Job] = {}
        self._chains: defaultdict[str, set[str]] = defaultdict(set)
        self._of_starts: set[str] = set()

    def take_up(self, note: HostNote) -> None:
        """Believe what the journal has of a host, unless it is too old."""
        scope, agent = self._state.scope, self._state.options.user_agent
        scope.note_scheme(note.host, note.scheme)
        if note.member:
            scope.admit(note.host, note.scheme)
        fresh = 0 <= self._state.now().timestamp() - (note.robots_time or 0.0) < ROBOTS_MAX_AGE_S
        if note.robots_status and fresh:
            self._take_manners(note.host, read_manners(note.robots or b"", note.robots_status, agent))
            if note.tdm is not None:
                self._tdm[note.host] = read_tdmrep(note.tdm)

    def job_before(self, entry: Entry) -> Job | None:
        """What must be asked for before this address is; None where all is known, or is not to be had."""
        host, scheme = entry.host, urlsplit(entry.url).scheme
        if entry.kind == PAGE and entry.depth == 0:
            self._of_starts.add(host)
        if host not in self._manners and host in self._hops:
            return self._hops.pop(host)
        if host not in self._manners:
            robots = Job(f"{scheme}://{host}{ROBOTS_PATH}", host, ROBOTS)
            if self._tries(robots):
                return robots
            self.robots_failed(robots, "unreachable", f"robots.txt: no answer that could be read, {MAX_TRIES} times")
        if host not in self._tdm and host not in self._refusals and entry.kind == PAGE:
            reservations = Job(f"{scheme}://{host}{WELL_KNOWN}", host, TDM)
            if self._tries(reservations):
                return reservations
            self.tdm_told(reservations, b"")
        return None

    def _tries(self, job: Job) -> bool:
        """Whether a file of rules may be asked for, which is then counted: it is about to be."""
        if not self.may_ask_again(job):
            return False
        self._state.frontier.note_try(job.host, job.kind)
        return True

    def may_ask_again(self, job: Job) -> bool:
        """Whether a file of rules was not asked for too often already, by this process or earlier ones."""
        return self._state.frontier.tries_of(job.host, job.kind) < MAX_TRIES

    def manners_of(self, host: str) -> Manners | None:
        """What a host's robots.txt says, None where it has not been read."""
        return self._manners.get(host)

    def verdict(self, entry: Entry) -> Verdict:
        """Whether the host's robots.txt allows an address."""
        return self._manners[entry.host].verdict(entry.url, self._state.options.user_agent)

    def refusal(self, entry: Entry) -> Refusal | None:
        """Why an address may not be asked for; None where it may. A sitemap that robots.txt names may."""
        if entry.host in self._refusals:
            return self._refusals[entry.host]
        if urlsplit(entry.url)[2:4] in ((ROBOTS_PATH, ""), (WELL_KNOWN, "")):
            return Refusal(Reason.NOT_HTML, "a file of rules")
        if entry.kind == SITEMAP and entry.depth == 0:
            return None
        verdict = self.verdict(entry)
        return None if verdict.allowed else Refusal("robots", f"robots.txt: {verdict.line}")

    def reservation(self, entry: Entry) -> TdmRule | None:
        """What the host's well-known file reserves of an address."""
        return site_reservation(self._tdm.get(entry.host, ()), entry.url)

    # -- answers -------------------------------------------------------------------------------

    def robots_answered(self, job: Job, answer: Answer) -> None:
        """A robots.txt came, or an answer in its place; a redirect is asked for next."""
        if answer.status in REDIRECTS and answer.get("location") and job.hops < MAX_HOPS:
            told = joined(job.url, answer.get("location"))
            target = self._state.scope.spell(told)
            target = by_other_scheme(job.url, told) if target == job.url else target
            self._chains[job.host].add(job.url)
            if target and target not in self._chains[job.host] and len(target) <= MAX_URL_CHARS:
                self._hops[job.host] = Job(target, job.host, ROBOTS, hops=job.hops + 1)
                return
        self._robots_told(job, answer.body, answer.status, "robots", f"robots.txt answered {answer.status}")

    def robots_failed(self, job: Job, reason: str, detail: str) -> None:
        """No robots.txt could be had, so nothing of the host is asked for."""
        self._robots_told(job, b"", 0, reason, detail)

    def _robots_told(self, job: Job, body: bytes, status: int, reason: str, detail: str) -> None:
        state = self._state
        manners = read_manners(body, status, state.options.user_agent)
        state.frontier.note_robots(job.host, urlsplit(job.url).scheme, body, status, state.now().timestamp())
        self._chains.pop(job.host, None)
        if status:
            state.frontier.forget_tries(job.host, ROBOTS)
        self._take_manners(job.host, manners)
        if manners.problem:
            self._refusals[job.host] = Refusal(reason, detail)
            state.trouble = state.trouble or f"{job.host}: {detail}"
        if refusal := self._refusals.get(job.host):
            state.frontier.refuse_host(job.host, *refusal)
        else:
            self._find_sitemaps(job.host, manners)

    def _take_manners(self, host: str, manners: Manners) -> None:
        """Go by what a host says from now on; one that nothing may be fetched from is refused, now and later."""
        self._manners[host] = manners
        self._state.pacing.set_delay(host, min(manners.delay_s, MAX_DELAY_S))
        self._refusals.pop(host, None)
        if manners.problem:
            self._refusals[host] = Refusal("robots", manners.problem)
        elif manners.delay_s > MAX_DELAY_S:
            detail = f"robots.txt asks for {manners.delay_s:,.0f} s between requests"
            self._refusals[host] = Refusal("robots", detail)
            told = f"{host}: {detail}, more than {MAX_DELAY_S:.0f} s: nothing is fetched from it"
            self._state.notices.append(told)

    def tdm_told(self, job: Job, body: bytes) -> None:
        """A well-known file of reservations came; b"" where there is none."""
        self._tdm[job.host] = read_tdmrep(body)
        self._state.frontier.note_tdm(job.host, body)
        self._state.frontier.forget_tries(job.host, TDM)

    # -- sitemaps ------------------------------------------------------------------------------

    def _find_sitemaps(self, host: str, manners: Manners) -> None:
        """Queue the sitemaps that the robots.txt of a host of the site names, or the usual one.

        They may lie on hosts that are none of the site's; what the robots.txt of those names does not concern it.
        """
        scope = self._state.scope
        usual = f"{scope.scheme_of(host) or 'https'}://{host}/sitemap.xml"
        if not (scope.belongs(usual) or host in self._of_starts):
            return
        named = [url for url in map(scope.spell, manners.sitemaps) if url]
        elsewhere = [url for url in named if host_of(url) != host and not scope.belongs(url)]
        too_many = set(elsewhere[MAX_SITEMAPS_ELSEWHERE:])
        if named:
            self._queue_sitemaps([url for url in named if url not in too_many], depth=0)
        elif manners.verdict(usual, self._state.options.user_agent).allowed:
            self._queue_sitemaps([usual], depth=0)

    def _queue_sitemaps(self, urls: list[str], *, depth: int) -> None:
        """Queue sitemaps, the first of them ahead of pages and the rest behind: pages should not wait for hundreds."""
        known = self._state.frontier.count_sitemaps()
        self._state.frontier.add(
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

    def take_sitemap(self, entry: Entry, answer: Answer) -> None:
        """Queue what a sitemap names, pages with versions ahead of others."""
        state = self._state
        sitemap = read_sitemap(answer.body, url=entry.url, content_encoding=answer.get("content-encoding"))
        told = f"{len(sitemap.entries)} pages, {len(sitemap.sitemaps)} sitemaps"
        told += f"; {sitemap.problem}" if sitemap.problem else ""
        state.settle(entry, DONE, detail=told, **columns_of(answer))
        if entry.depth < MAX_DEPTH:
            further = [state.scope.spell(url) for url in sitemap.sitemaps]
            self._queue_sitemaps([url for url in further if url and state.scope.belongs(url)], depth=entry.depth + 1)
        found: list[Found] = []
        for each in sitemap.entries:
            family = state.prioritiser.sitemap_family(each)
            if len(family) > 1:
                state.frontier.add(family[:1], entry.id)
                lead = state.frontier.family_of(family[0].url)
                family = [replace(member, family=lead) for member in family]
            found += family
        state.queue(found, entry)
