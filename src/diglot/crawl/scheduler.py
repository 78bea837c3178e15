"""Decides what is fetched next and what an answer means; knows nothing of sockets.

The one who fetches asks :meth:`Scheduler.next_job`, waits :meth:`Scheduler.wait_s`, makes the request and gives
what came of it to :meth:`Scheduler.answered` or :meth:`Scheduler.failed`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from urllib.parse import urlsplit

from diglot.crawl.archive import Archive
from diglot.crawl.crawl_state import CrawlState
from diglot.crawl.host_rules import HostRules
from diglot.crawl.options import CrawlOptions
from diglot.crawl.page_reading import REDIRECTS, ROBOTS, TDM, Answer, Job, ReadPage
from diglot.crawl.queue.frontier import DONE, FAILED, MAX_TRIES, PAGE, QUEUED, REFUSED, SITEMAP, Entry, Found, Frontier
from diglot.crawl.queue.prioritiser import START, TIER_PRIORITY, Prioritiser
from diglot.crawl.queue.site_scope import SiteScope, folder_of, host_of, matches_glob
from diglot.crawl.queue.traps import TrapStop
from diglot.crawl.response_handling import asks_of, take_page, take_redirect
from diglot.crawl.rules.robots import Manners
from diglot.crawl.wire.address_guard import REFUSED_ADDRESS
from diglot.crawl.wire.pacing import Clock, Pacing
from diglot.records import Drop, Reason

TRAP_WORTH_SAYING = 10
"""Addresses of a pattern left as a trap from which on the user is told."""
REQUESTS_A_PAGE = 5
SPARE_REQUESTS = 200
"""A crawl of at most n pages makes at most 5 n + 200 requests: a site of errors ends too."""
NOT_MODIFIED = 304
OVERLOADED = frozenset((429, 503))
Now = Callable[[], datetime]


def utc_now() -> datetime:
    """The time, which archive records state."""
    return datetime.now(UTC)


class Scheduler:
    """A crawl at work, over its frontier and archive. ``clock``: seconds, monotonic."""

    def __init__(
        self, options: CrawlOptions, frontier: Frontier, archive: Archive, *, clock: Clock, now: Now = utc_now
    ) -> None:
        scope = SiteScope(options.langs, options.include, options.exclude, options.allow_hosts)
        pacing = Pacing(options.delay_s, clock)
        self.state = CrawlState(options, frontier, archive, scope, Prioritiser(scope, options.langs), pacing, now)
        self._rules = HostRules(self.state)
        self._frontier = frontier
        self._clock = clock
        self._began_at = clock()
        self._stopped = False
        self._stored_before = 0
        self._trapped: Counter[str] = Counter()
        self._busy: set[str] = set()

    @property
    def options(self) -> CrawlOptions:
        """What the crawl was asked for."""
        return self.state.options

    def begin(self) -> None:
        """Take up the journal: what was in flight waits again, what is known of the site is learnt again."""
        scope = self.state.scope
        with self._frontier.transaction():
            self._frontier.back_to_queue()
            self._frontier.take_up_left()
            for note in self._frontier.hosts():
                self._rules.take_up(note)
            for host, until in self._frontier.rests().items():
                self.state.rest_on(host, until)
            starts = []
            for start in self.options.starts:
                host = host_of(scope.spell(start))
                if not scope.scheme_of(host):
                    scope.admit(host, urlsplit(start).scheme)
                url = scope.spell(start)
                starts.append(Found(url, host, folder_of(url), tier=START, priority=TIER_PRIORITY[START], how="start"))
            self._frontier.add(starts)
            self.state.note_hosts()
            self.state.learn_again()
        self._stored_before = self._frontier.count_stored_pages()

    # -- what comes next -----------------------------------------------------------------------

    def next_job(self) -> Job | None:
        """The next request, its host busy until its outcome is told; None where nothing can be asked for now."""
        while not self._spent():
            entry = self._frontier.take(sorted(self._busy | self.state.left.keys()))
            if entry is None:
                return None
            before = self._rules.job_before(entry)
            if before is not None:
                self._frontier.settle(entry.id, QUEUED, tries=entry.tries)
                if self.state.left_with(before):
                    continue
            elif self._is_left(entry):
                continue
            conditions = () if self._in_browser(entry.url) else _conditions(entry)
            job = before or Job(entry.url, entry.host, entry.kind, entry, entry.hops, conditions)
            self._busy.add(job.host)
            self._note_rest(job.server)
            return job
        return None

    def _note_rest(self, host: str) -> None:
        """Write down that a host is asked now, so that a crawl which goes on after a kill is no sooner there."""
        rest_s = self.state.pacing.wait_s(host) + self.state.pacing.delay_s(host)
        if rest_s:
            self._frontier.note_rest(host, self.state.now().timestamp() + rest_s)

    def _is_left(self, entry: Entry) -> bool:
        """Whether the host's rules or the look of a trap keep us from an address, which is then settled."""
        refusal = self._rules.refusal(entry)
        if refusal is not None:
            self.state.settle(entry, REFUSED, reason=refusal.reason, detail=refusal.detail)
            return True
        trap = self.state.traps.judge(entry.url) if entry.kind == PAGE and entry.tier != START else None
        if trap is None:
            return False
        self.state.settle(entry, REFUSED, reason="trap", detail=str(trap))
        self._note_trap(trap)
        return True

    def _note_trap(self, trap: TrapStop) -> None:
        """Say once a pattern that, and why, a crawl leaves a part of the site."""
        self._trapped[trap.pattern] += 1
        if self._trapped[trap.pattern] == TRAP_WORTH_SAYING:
            self.state.notices.append(f"left alone: {trap}")

    def _spent(self) -> str:
        """Which limit is reached, "" while none is."""
        if self._stopped:
            return "stopped"
        if self.options.max_time_s and self._clock() - self._began_at >= self.options.max_time_s:
            return "max-time"
        limit = self.options.page_limit
        requests = self.options.max_requests or (REQUESTS_A_PAGE * limit + SPARE_REQUESTS if limit else 0)
        made, stored = self.state.counts["requests"], self._stored_before + self.state.counts["stored"]
        full = limit and stored + len(self._busy) >= limit
        return "max-pages" if full or (requests and made + len(self._busy) >= requests) else ""

    @property
    def limit(self) -> str:
        """Which limit ended the crawl while addresses were waiting, "" where none did."""
        return self._spent() if self._frontier.count_queued() else ""

    def stop(self) -> None:
        """Ask for nothing more."""
        self._stopped = True

    def wait_s(self, job: Job) -> float:
        """How long to wait before the request is made."""
        return self.state.pacing.wait_s(job.server)

    def finished(self) -> bool:
        """Whether nothing is left to do now."""
        if self._busy:
            return False
        return self._frontier.count_queued(self.state.left) == 0 or bool(self._spent())

    def conclude(self) -> None:
        """The crawl is over: the journal says of what still waits for a host that was left why it does."""
        with self._frontier.transaction():
            for host, why in self.state.left.items():
                self._frontier.note_left(host, why)

    # -- pages in the browser ------------------------------------------------------------------

    def _in_browser(self, url: str) -> bool:
        return any(matches_glob(url, glob) for glob in self.options.browser)

    def wants_rendered(self, job: Job, answer: Answer, read: ReadPage | Drop | None) -> bool:
        """Whether a page that was fetched is to be shown in the browser: not where its makers reserve it."""
        if job.entry is None or not isinstance(read, ReadPage) or not read.body or not self._in_browser(job.url):
            return False
        return asks_of(self.state, answer, read, self._rules.reservation(job.entry)).tdm is not True

    def manners_of(self, host: str) -> Manners | None:
        """What the robots.txt of a host of the site says, None where it has not been read."""
        return self._rules.manners_of(host)

    # -- what came of it -----------------------------------------------------------------------

    def failed(self, job: Job, reason: str, detail: str, *, for_good: bool) -> None:
        """A request brought no answer. ``for_good``: it need not be tried again."""
        with self._outcome(job, 0.0):
            if job.kind == ROBOTS:
                self._rules.robots_failed(job, reason, detail)
            elif job.kind == TDM:
                self._rules.tdm_told(job, b"")
            elif job.entry is not None:
                again = not for_good and job.entry.tries + 1 < MAX_TRIES
                state = QUEUED if again else REFUSED if reason == REFUSED_ADDRESS else FAILED
                self.state.settle(job.entry, state, reason=reason, detail=detail)

    def answered(self, job: Job, answer: Answer, read: ReadPage | Drop | None) -> None:
        """A request brought an answer; it is kept, its links are noted, in one transaction.

        ``read``: what :func:`diglot.crawl.page_reading.read_answer` made of it.
        """
        with self._outcome(job, answer.took_s):
            self.state.counts["bytes"] += len(answer.body)
            if answer.status not in OVERLOADED:
                self.state.at_work(job.server)
            elif self._overloaded(job, answer):
                return
            if job.kind == ROBOTS:
                self._rules.robots_answered(job, answer)
            elif job.kind == TDM:
                self._rules.tdm_told(job, answer.body if answer.status == 200 else b"")
            elif job.entry is not None:
                self._take(job, job.entry, answer, read)

    def _take(self, job: Job, entry: Entry, answer: Answer, read: ReadPage | Drop | None) -> None:
        if answer.status == NOT_MODIFIED and job.conditions:
            self.state.settle(entry, DONE, status=200)
        elif answer.status in REDIRECTS and answer.get("location"):
            take_redirect(self.state, job, entry, answer)
        elif answer.status != 200:
            values = {"status": answer.status, "fetched": answer.fetched}  # a page keeps the ETag that it came with
            self.state.settle(entry, FAILED, reason=Reason.HTTP_STATUS, detail=str(answer.status), **values)
        elif job.kind == SITEMAP:
            self._rules.take_sitemap(entry, answer)
        elif read is not None:
            take_page(self.state, job, entry, answer, read=read, reserved=self._rules.reservation(entry))

    @contextmanager
    def _outcome(self, job: Job, took_s: float) -> Iterator[None]:
        """Count the request, and free its host when what came of it is told."""
        self.state.counts["requests"] += 1
        self.state.counts["took_ms"] += round(1000 * took_s)
        try:
            with self._frontier.transaction():
                yield
        finally:
            self._rest(job, took_s)

    def _rest(self, job: Job, took_s: float) -> None:
        self._busy.discard(job.host)
        self.state.pacing.answered(job.server, took_s)
        self._frontier.note_rest(job.server, self.state.now().timestamp() + self.state.pacing.wait_s(job.server))

    def _overloaded(self, job: Job, answer: Answer) -> bool:
        """The host asks for rest: it gets it, and the address waits; False where it has been asked often enough."""
        self.state.hold(job.server, answer.get("retry-after"))
        if job.entry is None:
            self.state.left_with(job)
            return self._rules.may_ask_again(job)
        if job.entry.tries + 1 >= MAX_TRIES:
            return False
        self.state.settle(job.entry, QUEUED, reason=Reason.HTTP_STATUS, detail=str(answer.status))
        return True

    def gave_up(self, job: Job, error: BaseException) -> None:
        """An answer that we could not make sense of, and should have: it costs its address only.

        Where the answer was to be the host's rules, it counts as none: it must not be asked for again and again.
        """
        self._rest(job, 0.0)
        detail = f"{type(error).__name__}: {ascii(str(error))[1:-1][:200]}"
        self.state.notices.append(f"{job.url}: could not be read ({detail})")
        with self._frontier.transaction():
            if job.kind == ROBOTS:
                self._rules.robots_failed(job, "unreachable", f"robots.txt: {detail}")
            elif job.kind == TDM:
                self._rules.tdm_told(job, b"")
            elif job.entry is not None:
                self.state.settle(job.entry, FAILED, reason=Reason.PARSER_CRASH, detail=detail)


def _conditions(entry: Entry) -> tuple[tuple[str, str], ...]:
    """Fields that ask for a page only if it is not what is in the archive."""
    if not entry.digest:
        return ()
    fields = (("If-None-Match", entry.etag), ("If-Modified-Since", entry.modified))
    return tuple((name, value) for name, value in fields if value)
