"""Host rules, requested before the pages of a host: robots.txt, mining reservations and sitemaps."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import urlsplit

from diglot.crawl.crawl_state import MAX_DELAY_S, RULES_REST_S, CrawlState, columns_of
from diglot.crawl.page_reading import REDIRECTS, ROBOTS, TDM, Answer, Job
from diglot.crawl.queue.frontier import DONE, MAX_TRIES, PAGE, SITEMAP, Entry, NewAddress
from diglot.crawl.queue.journal import HostNote
from diglot.crawl.queue.prioritiser import START, TIER_PRIORITY
from diglot.crawl.queue.site_scope import by_other_scheme, host_of, resolve_reference
from diglot.crawl.queue.sitemaps import MAX_DEPTH, read_sitemap
from diglot.crawl.queue.traps import MAX_FOLLOWED_CHARS
from diglot.crawl.rules import (
    ROBOTS_MAX_AGE_S,
    WELL_KNOWN,
    RobotsPolicy,
    TdmRule,
    Verdict,
    read_policy,
    read_tdmrep,
    site_reservation,
)
from diglot.reasons import Reason

MAX_HOPS = 5
"""Redirects in a row that are followed (RFC 9309, 2.3.1.2, for robots.txt; the same for pages)."""
FIRST_SITEMAPS, MAX_SITEMAPS = 10, 500
"""Sitemaps requested before the pages, and most sitemaps of a crawl."""
MAX_SITEMAPS_ELSEWHERE = 10
"""Sitemaps on foreign hosts in a robots.txt; a content delivery network needs a single sitemap."""
FAILING_S = 30 * 24 * 3600.0
"""Time of errors in place of a robots.txt after which a crawler may go ahead (RFC 9309, 2.3.1.4)."""
FAILING_GAP_S = 7 * 24 * 3600.0
"""Longest time between two errors in place of a robots.txt that count as one outage; in a longer time the file may
have been there."""
SERVER_ERROR = 500
"""Least status of an error of the server (RFC 9110, 15.6)."""
NOT_FOUND = 404
ROBOTS_PATH = "/robots.txt"
LATE_SITEMAP_PRIORITY = 8.0
"""Priority of further sitemaps, below that of all links (:data:`TIER_PRIORITY`)."""


class RefusedEntry(NamedTuple):
    """Reason and detail of a refused address, as in the journal."""

    reason: str
    detail: str


class HostRules:
    """Rules of the hosts met so far, in memory and in the journal."""

    def __init__(self, state: CrawlState) -> None:
        self._state = state
        self._policies: dict[str, RobotsPolicy] = {}
        self._tdm: dict[str, list[TdmRule]] = {}
        self._refusals: dict[str, RefusedEntry] = {}
        # By host: the next request of a redirected robots.txt, and the addresses that redirected so far.
        self._hops: dict[str, Job] = {}
        self._chains: defaultdict[str, set[str]] = defaultdict(set)
        self._start_hosts: set[str] = set()
        # Hosts whose sitemaps were looked for.
        self._searched: set[str] = set()

    def restore(self, note: HostNote) -> None:
        """Take the rules of a host from the journal, unless they are older than a day or allow nothing for lack of a
        robots.txt."""
        scope, agent = self._state.scope, self._state.options.user_agent
        scope.note_scheme(note.host, note.scheme)
        if note.member:
            scope.admit(note.host, note.scheme)
            self._searched.add(note.host)
        fresh = 0 <= self._state.now().timestamp() - (note.robots_time or 0.0) < ROBOTS_MAX_AGE_S
        policy = read_policy(note.robots or b"", note.robots_status or 0, agent)
        if fresh and not policy.problem:
            self._apply_policy(note.host, policy)
            if note.tdm is not None:
                self._tdm[note.host] = read_tdmrep(note.tdm)

    def job_before(self, entry: Entry) -> Job | None:
        """The request for rules that must come before this address; None if they are known or cannot be had."""
        host, scheme = entry.host, urlsplit(entry.url).scheme
        if entry.kind == PAGE and entry.depth == 0:
            self._start_hosts.add(host)
        if host not in self._policies and host in self._hops:
            return self._hops.pop(host)
        if host not in self._policies:
            robots = Job(f"{scheme}://{host}{ROBOTS_PATH}", host, ROBOTS)
            if self._take_try(robots):
                return robots
            self.note_robots_failure(robots, "unreachable", f"robots.txt: no readable answer in {MAX_TRIES} requests")
        if host not in self._tdm and host not in self._refusals and entry.kind == PAGE:
            reservations = Job(f"{scheme}://{host}{WELL_KNOWN}", host, TDM)
            if self._take_try(reservations):
                return reservations
            self.note_reservations(reservations, b"")
        if host not in self._refusals:
            # A host may have joined the site since its robots.txt was read.
            self._find_sitemaps(host, self._policies[host])
        return None

    def _take_try(self, job: Job) -> bool:
        """Whether a file of rules may be requested; counts the request if so."""
        if not self.may_ask_again(job):
            return False
        self._state.frontier.note_try(job.host, job.kind)
        return True

    def may_ask_again(self, job: Job) -> bool:
        """Whether a file of rules has tries left, counted over all processes."""
        return self._state.frontier.tries_of(job.host, job.kind) < MAX_TRIES

    def policy_of(self, host: str) -> RobotsPolicy | None:
        """The robots.txt policy of a host, None before its robots.txt was read."""
        return self._policies.get(host)

    def verdict(self, entry: Entry) -> Verdict:
        """Whether the robots.txt of the host allows an address."""
        return self._policies[entry.host].verdict(entry.url, self._state.options.user_agent)

    def refusal(self, entry: Entry) -> RefusedEntry | None:
        """Why an address may not be requested; None if it may.

        A sitemap named by a robots.txt is refused only if its whole host is.
        """
        if entry.host in self._refusals:
            return self._refusals[entry.host]
        if urlsplit(entry.url)[2:4] in ((ROBOTS_PATH, ""), (WELL_KNOWN, "")):
            return RefusedEntry(Reason.NOT_HTML, "a file of rules")
        if entry.kind == SITEMAP and entry.depth == 0:
            return None
        verdict = self.verdict(entry)
        return None if verdict.allowed else RefusedEntry("robots", f"robots.txt: {verdict.line}")

    def reservation(self, entry: Entry) -> TdmRule | None:
        """The rule of the host's reservation file for an address."""
        return site_reservation(self._tdm.get(entry.host, ()), entry.url)

    # -- answers -------------------------------------------------------------------------------

    def handle_robots(self, job: Job, answer: Answer) -> None:
        """Handle the answer to a robots.txt request: follow a redirect, or read the file."""
        if not job.hops:  # asked for anew
            self._chains.pop(job.host, None)
        if answer.status in REDIRECTS and answer.get("location") and job.hops < MAX_HOPS:
            location = resolve_reference(job.url, answer.get("location"))
            target = self._state.scope.canonical(location)
            # A host spells all addresses with one scheme, so a redirect to the other scheme looks like none.
            target = by_other_scheme(job.url, location) if target == job.url else target
            self._chains[job.host].add(job.url)
            if target and target not in self._chains[job.host] and len(target) <= MAX_FOLLOWED_CHARS:
                self._hops[job.host] = Job(target, job.host, ROBOTS, hops=job.hops + 1)
                return
        self._apply_robots(job, answer.body, answer.status)

    def failing_since(self, job: Job) -> float | None:
        """Since when the runs get errors in place of the robots.txt of a host (Unix time); None if the last run got the
        file, or the last error is older than :data:`FAILING_GAP_S`."""
        now, times = self._state.now().timestamp(), self._state.frontier.failing_times(job.host)
        if times is None or not 0 <= now - times[1] <= FAILING_GAP_S:
            return None
        return times[0]

    def leave(self, job: Job, status: int) -> None:
        """Abandon a host whose server cannot give its robots.txt; the next run asks again. After :data:`FAILING_S`, the
        last known rules count, or none."""
        state, now = self._state, self._state.now().timestamp()
        state.frontier.forget_tries(job.host, ROBOTS)
        if status < SERVER_ERROR:  # overloaded
            why = f"answered {MAX_TRIES} requests for its robots.txt with {status}; run the same command later"
            state.abandon(job.host, why)
            return
        before = self.failing_since(job)
        since = now if before is None else before
        state.frontier.note_failing(job.host, since, now)
        began, ends = (datetime.fromtimestamp(s, UTC).date().isoformat() for s in (since, since + FAILING_S))
        if now < since + FAILING_S:
            how = f"answered {MAX_TRIES} requests" if before is None else f"has since {began} answered requests"
            why = (
                f"{how} for its robots.txt with {status}, and nothing may be fetched without it; run the same command "
                f"later, and tell the site's owner. A crawl that is run at least once a week goes ahead from {ends} on"
            )
            state.abandon(job.host, why)
            state.pacing.rest(job.server, RULES_REST_S)
            return
        known = state.frontier.robots_of(job.host)
        which = "its last one counts" if known else "it counts as a host without one"
        state.notices.append(
            f"{job.host} has since {began} answered requests for its robots.txt with {status}: {which}"
        )
        policy = read_policy(*(known or (b"", NOT_FOUND)), state.options.user_agent)
        self._chains.pop(job.host, None)
        self._apply_policy(job.host, policy)
        self._find_sitemaps(job.host, policy)

    def note_robots_failure(self, job: Job, reason: str, detail: str) -> None:
        """Refuse all addresses of a host whose robots.txt could not be fetched."""
        self._apply_robots(job, b"", 0, RefusedEntry(reason, detail))

    def _apply_robots(self, job: Job, body: bytes, status: int, failure: RefusedEntry | None = None) -> None:
        state = self._state
        policy = read_policy(body, status, state.options.user_agent)
        state.frontier.note_robots(job.host, urlsplit(job.url).scheme, body, status, state.now().timestamp())
        self._chains.pop(job.host, None)
        if status:
            state.frontier.forget_tries(job.host, ROBOTS)
        self._apply_policy(job.host, policy)
        if failure is not None:
            self._refusals[job.host] = failure
            state.trouble = state.trouble or f"{job.host}: {failure.detail}"
        if refusal := self._refusals.get(job.host):
            state.frontier.refuse_host(job.host, *refusal)
        else:
            self._find_sitemaps(job.host, policy)

    def _apply_policy(self, host: str, policy: RobotsPolicy) -> None:
        """Apply the policy of a host: set its delay, or refuse the host if the delay is too long."""
        self._policies[host] = policy
        self._state.pacing.set_delay(host, min(policy.delay_s, MAX_DELAY_S))
        self._refusals.pop(host, None)
        if policy.delay_s > MAX_DELAY_S:
            detail = f"robots.txt asks for {policy.delay_s:,.0f} s between requests"
            self._refusals[host] = RefusedEntry("robots", detail)
            notice = f"{host}: {detail}, more than {MAX_DELAY_S:.0f} s: nothing is fetched from it"
            self._state.notices.append(notice)

    def note_reservations(self, job: Job, body: bytes) -> None:
        """Read and store the reservation file of a host; b"" if there is none."""
        self._tdm[job.host] = read_tdmrep(body)
        self._state.frontier.note_tdm(job.host, body)
        self._state.frontier.forget_tries(job.host, TDM)

    # -- sitemaps ------------------------------------------------------------------------------

    def _find_sitemaps(self, host: str, policy: RobotsPolicy) -> None:
        """Queue the sitemaps in the robots.txt of a host of the site, else /sitemap.xml.

        Sitemaps on other hosts are allowed; the robots.txt of those hosts does not apply to them.
        """
        scope = self._state.scope
        if host in self._searched:
            return
        usual = f"{scope.scheme_of(host) or 'https'}://{host}/sitemap.xml"
        if not (scope.belongs(usual) or host in self._start_hosts):
            return
        self._searched.add(host)
        # A robots.txt can name any number of sitemaps, anywhere.
        named = [url for url in map(scope.canonical, policy.sitemaps) if url]
        elsewhere = [url for url in named if host_of(url) != host and not scope.belongs(url)]
        too_many = set(elsewhere[MAX_SITEMAPS_ELSEWHERE:])
        if named:
            self._queue_sitemaps([url for url in named if url not in too_many], depth=0)
        elif policy.verdict(usual, self._state.options.user_agent).allowed:
            self._queue_sitemaps([usual], depth=0)

    def _queue_sitemaps(self, urls: list[str], *, depth: int) -> None:
        """Queue the first sitemaps ahead of pages and the rest behind, so that pages need not wait for hundreds."""
        known = self._state.frontier.count_sitemaps()
        self._state.frontier.add(
            NewAddress(
                url,
                host_of(url),
                kind=SITEMAP,
                priority=TIER_PRIORITY[START] - 1 if known + number < FIRST_SITEMAPS else LATE_SITEMAP_PRIORITY,
                depth=depth,
                how="sitemap",
            )
            for number, url in enumerate(urls[: max(0, MAX_SITEMAPS - known)])
        )

    def handle_sitemap(self, entry: Entry, answer: Answer) -> None:
        """Queue the pages of a sitemap, those with language versions first."""
        state = self._state
        sitemap = read_sitemap(answer.body, url=entry.url, content_encoding=answer.get("content-encoding"))
        summary = f"{len(sitemap.entries)} pages, {len(sitemap.sitemaps)} sitemaps"
        summary += f"; {sitemap.problem}" if sitemap.problem else ""
        state.finish(entry, DONE, detail=summary, **columns_of(answer))
        if entry.depth < MAX_DEPTH:
            further = [state.scope.canonical(url) for url in sitemap.sitemaps]
            self._queue_sitemaps([url for url in further if url and state.scope.belongs(url)], depth=entry.depth + 1)
        found: list[NewAddress] = []
        for each in sitemap.entries:
            family = state.prioritiser.sitemap_family(each)
            if len(family) > 1:
                state.frontier.add(family[:1], entry.id)
                lead = state.frontier.family_of(family[0].url)
                family = [replace(member, family=lead) for member in family]
            found += family
        state.queue(found, entry)
