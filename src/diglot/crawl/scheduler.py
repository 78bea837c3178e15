"""Decides which request comes next and handles its outcome; opens no sockets.

The fetcher asks :meth:`Scheduler.next_job`, waits :meth:`Scheduler.wait_s`, makes the request and reports to
:meth:`Scheduler.handle_response` or :meth:`Scheduler.note_failure`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from urllib.parse import urlsplit

from diglot.crawl.archive import Archive, Place
from diglot.crawl.crawl_state import Clock, CrawlState, Pacing
from diglot.crawl.host_rules import SERVER_ERROR, HostRules
from diglot.crawl.options import CrawlOptions
from diglot.crawl.page_reading import REDIRECTS, ROBOTS, TDM, Answer, Job, ReadPage, cut_text
from diglot.crawl.queue.frontier import (
    DONE,
    FAILED,
    MAX_TRIES,
    PAGE,
    QUEUED,
    REFUSED,
    SITEMAP,
    Entry,
    Frontier,
    NewAddress,
)
from diglot.crawl.queue.prioritiser import START, TIER_PRIORITY, Prioritiser
from diglot.crawl.queue.records import Copy
from diglot.crawl.queue.site_scope import SiteScope, folder_of, host_of, matches_glob
from diglot.crawl.queue.traps import SAME_PAGE, TrapStop
from diglot.crawl.response_handling import copy_from, handle_page, handle_redirect, reservations_of
from diglot.crawl.rules import RobotsPolicy
from diglot.crawl.wire.address_guard import REFUSED_ADDRESS
from diglot.errors import in_ascii
from diglot.pages.http_response import PAGE_STATUS
from diglot.reasons import Reason
from diglot.records import Drop

TRAP_WORTH_SAYING = 10
"""Refused addresses of a pattern before the user is notified of a trap."""
REQUESTS_A_PAGE = 5
SPARE_REQUESTS = 200
"""A crawl of at most n pages makes at most 5 n + 200 requests, so that a site of errors ends too. In an update, the
pages that were in the archive before are among the n, though they do not count for the limit."""
NOT_MODIFIED = 304
OVERLOADED = frozenset((429, 503))
AGAIN_PRIORITY = -10.0
"""Priority of an address to be requested again: below all others, as a server in trouble needs time."""
Now = Callable[[], datetime]


def utc_now() -> datetime:
    """The current time, for archive records."""
    return datetime.now(UTC)


class Scheduler:
    """A running crawl over its frontier and archive. ``clock``: seconds, monotonic."""

    def __init__(
        self, options: CrawlOptions, frontier: Frontier, archive: Archive, *, clock: Clock, now: Now = utc_now
    ) -> None:
        scope = SiteScope(
            options.langs, options.include, options.exclude, options.allow_hosts, documents=not options.no_documents
        )
        pacing = Pacing(options.delay_s, clock)
        self.state = CrawlState(options, frontier, archive, scope, Prioritiser(scope, options.langs), pacing, now)
        self._rules = HostRules(self.state)
        self._frontier = frontier
        self._clock = clock
        self._began_at = clock()
        self._stopped = False
        self._stored_before = self._documents_before = self._known_before = 0
        self._shared_validators: frozenset[str] = frozenset()
        self._trapped: Counter[str] = Counter()
        self._busy: set[str] = set()

    @property
    def options(self) -> CrawlOptions:
        """The options of the crawl."""
        return self.state.options

    def begin(self) -> None:
        """Restore the state of earlier processes from the journal and queue the start addresses."""
        scope = self.state.scope
        with self._frontier.transaction():
            self._frontier.requeue_in_flight()
            self._frontier.clear_left()
            for note in self._frontier.hosts():
                self._rules.restore(note)
            for host, until in self._frontier.rests().items():
                self.state.resume_rest(host, until)
            starts = []
            for start in self.options.starts:
                host = host_of(scope.canonical(start))
                if not scope.scheme_of(host):
                    scope.admit(host, urlsplit(start).scheme)
                url = scope.canonical(start)
                starts.append(
                    NewAddress(url, host, folder_of(url), tier=START, priority=TIER_PRIORITY[START], how="start")
                )
            self._frontier.add(starts)
            self.state.note_hosts()
            self.state.relearn()
        self._stored_before = self._frontier.count_stored_pages()
        self._documents_before = self._frontier.count_stored_documents()
        self._known_before = self._frontier.count_known()
        self._shared_validators = self._frontier.shared_validators()

    # -- what comes next -----------------------------------------------------------------------

    def next_job(self) -> Job | None:
        """The next request, None if nothing can be requested now. The host is busy until the outcome is reported."""
        while not self._reached_limit():
            pages, documents = self._pages_full(), self._documents_full()
            busy = sorted(self._busy | self.state.left.keys())
            entry = self._frontier.take(busy, pages=not pages, documents=not documents)
            if entry is None:
                return None
            before = self._rules.job_before(entry)
            if before is not None:
                # The page itself was not requested, so this is no try.
                self._frontier.finish(entry.id, QUEUED, tries=entry.tries)
                self.state.leave_with_server(before)
                if before.server in self.state.left:
                    continue
            elif self._refuses(entry):
                continue
            # A rendered page can change although its HTML does not.
            conditions = () if self._in_browser(entry.url) else _conditions(entry, self._shared_validators)
            job = before or Job(entry.url, entry.host, entry.kind, entry, entry.hops, conditions)
            self._busy.add(job.host)
            self._note_rest(job.server)
            return job
        return None

    def _note_rest(self, host: str) -> None:
        """Note the delay of the host before a request, for a restarted crawl."""
        rest_s = self.state.pacing.wait_s(host) + self.state.pacing.delay_s(host)
        if rest_s:
            self._frontier.note_rest(host, self.state.now().timestamp() + rest_s)

    def _refuses(self, entry: Entry) -> bool:
        """Finish an address as refused if the rules of the host or the trap guard forbid a request; True if so."""
        refusal = self._rules.refusal(entry)
        if refusal is not None:
            self.state.finish(entry, REFUSED, reason=refusal.reason, detail=refusal.detail)
            return True
        # Start addresses are the choice of the user, whatever they look like.
        if entry.kind != PAGE or entry.tier == START:
            return False
        # An address may have been queued before any page told the language of its marker.
        unwanted = "" if entry.lang or entry.digest else self.state.prioritiser.unwanted_marker(entry.url)
        if unwanted:
            self.state.finish(entry, REFUSED, reason=Reason.OTHER_LANGUAGE, detail=unwanted)
            return True
        trap = self.state.traps.judge(entry.url)
        # A page of the run counts as one of its kind, and an update asks for it again.
        if trap is None or entry.known:
            return False
        self.state.finish(entry, REFUSED, reason="trap", detail=str(trap))
        self._note_trap(trap)
        return True

    def _note_trap(self, trap: TrapStop) -> None:
        """Count refused addresses by pattern, and notify the user of each pattern once."""
        # Session ids are on every page: one example says it.
        key = trap.reason if trap.reason == SAME_PAGE else trap.pattern
        self._trapped[key] += 1
        if self._trapped[key] == TRAP_WORTH_SAYING:
            self.state.notices.append(f"skipped as a trap: {trap}")

    def _reached_limit(self) -> str:
        """Name of a reached limit, "" for none."""
        if self._stopped:
            return "stopped"
        if self.options.max_time_s and self._clock() - self._began_at >= self.options.max_time_s:
            return "max-time"
        limit = self.options.page_limit
        pages = limit + self._known_before
        requests = self.options.max_requests or (REQUESTS_A_PAGE * pages + SPARE_REQUESTS if limit else 0)
        return "max-requests" if requests and self.state.counts["requests"] + len(self._busy) >= requests else ""

    @property
    def stored_pages(self) -> int:
        """Pages in the archive from this crawl, from earlier processes too."""
        return self._stored_before + self.state.counts["stored"]

    def _pages_full(self) -> bool:
        # All requests in flight may bring a page, so they count.
        stored = self.stored_pages + len(self._busy)
        return self.options.only_known or (bool(self.options.page_limit) and stored >= self.options.page_limit)

    def _documents_full(self) -> bool:
        limit = self.options.document_limit
        stored = self._documents_before + self.state.counts["documents"] + len(self._busy)
        return self.options.no_documents or self.options.only_known or (bool(limit) and stored >= limit)

    @property
    def limit(self) -> str:
        """Name of the limit that left addresses in the queue, "" without one.

        ``max-pages`` where pages wait, also beside documents; ``no-documents`` where only unwanted documents wait.
        """
        queued, documents = self._frontier.count_queued(), self._frontier.count_queued_documents()
        if not queued:
            return ""
        if reached := self._reached_limit():
            return reached
        if queued > documents or self.options.only_known:
            return "max-pages" if self._pages_full() else ""
        if self.options.no_documents:
            return "no-documents"
        return "max-documents" if self._documents_full() else ""

    def stop(self) -> None:
        """Make no further requests."""
        self._stopped = True

    def wait_s(self, job: Job) -> float:
        """Seconds to wait before a request."""
        return self.state.pacing.wait_s(job.server)

    def conclude(self) -> None:
        """At the end of the crawl, note in the journal why addresses of abandoned hosts still wait."""
        with self._frontier.transaction():
            for host, why in self.state.left.items():
                self._frontier.note_left(host, why)

    # -- pages in the browser ------------------------------------------------------------------

    def _in_browser(self, url: str) -> bool:
        return any(matches_glob(url, glob) for glob in self.options.browser)

    def wants_rendered(self, job: Job, answer: Answer, read: ReadPage | Drop | None) -> bool:
        """Whether to show a fetched page in the browser: a glob matches, and mining is not reserved."""
        if job.entry is None or not isinstance(read, ReadPage) or not read.body or not self._in_browser(job.url):
            return False
        return reservations_of(self.state, answer, read, self._rules.reservation(job.entry)).tdm is not True

    def policy_of(self, host: str) -> RobotsPolicy | None:
        """The robots.txt policy of a host, None before its robots.txt was read."""
        return self._rules.policy_of(host)

    # -- copies of older versions --------------------------------------------------------------

    def unread_copy(self, job: Job) -> Place | None:
        """Place of the copy of a page, if the journal knows nothing of its text."""
        found = self._frontier.unread_copy(job.entry.id) if job.entry is not None and job.entry.digest else None
        return Place(*found) if found else None

    def note_copy(self, place: Place, read: ReadPage | None) -> None:
        """Note the text of a copy. ``read``: None for a copy without text."""
        copy = copy_from(read, "") if read is not None else Copy("", 0)
        with self._frontier.transaction():
            self._frontier.note_text(place.warc, place.start, copy)

    # -- what came of it -----------------------------------------------------------------------

    def note_failure(self, job: Job, reason: str, detail: str, *, for_good: bool) -> None:
        """Handle a request without an answer. ``for_good``: do not try again."""
        with self._counted_request(job, 0.0):
            if job.kind == ROBOTS:
                self._rules.note_robots_failure(job, reason, detail)
            elif job.kind == TDM:
                self._rules.note_reservations(job, b"")
            elif job.entry is not None and (for_good or not self._asks_again(job.entry, reason, detail)):
                state = REFUSED if reason == REFUSED_ADDRESS else FAILED
                self.state.finish(job.entry, state, reason=reason, detail=detail)

    def handle_response(self, job: Job, answer: Answer, read: ReadPage | Drop | None) -> None:
        """Archive an answer and queue its links, in a single transaction.

        ``read``: the result of :func:`diglot.crawl.page_reading.read_answer`.
        """
        with self._counted_request(job, answer.took_s):
            self.state.counts["bytes"] += len(answer.body)
            if answer.status not in OVERLOADED and not _hides_rules(job, answer):
                self.state.pacing.note_recovery(job.server)
            elif self._back_off(job, answer):
                return
            if job.kind == ROBOTS:
                self._rules.handle_robots(job, answer)
            elif job.kind == TDM:
                self._rules.note_reservations(job, answer.body if answer.status == 200 else b"")
            elif job.entry is not None:
                self._handle_entry(job, job.entry, answer, read)

    def _handle_entry(self, job: Job, entry: Entry, answer: Answer, read: ReadPage | Drop | None) -> None:
        """Handle the answer for a page or a sitemap: keep, follow, ask again later, or fail."""
        # A 304 to an unconditional request is an error of the server.
        if answer.status == NOT_MODIFIED and job.conditions:
            self.state.finish(entry, DONE, status=200)
        elif answer.status in REDIRECTS and answer.get("location"):
            handle_redirect(self.state, job, entry, answer)
        elif (trouble := _passing_trouble(answer)) and self._asks_again(entry, *trouble):
            return
        elif answer.status not in PAGE_STATUS:
            values = {"status": answer.status, "fetched": answer.fetched}  # a page keeps the ETag that it came with
            self.state.finish(entry, FAILED, reason=Reason.HTTP_STATUS, detail=str(answer.status), **values)
        elif job.kind == SITEMAP:
            self._rules.handle_sitemap(entry, answer)
        elif read is not None:
            handle_page(self.state, job, entry, answer, read=read, reserved=self._rules.reservation(entry))

    def _asks_again(self, entry: Entry, reason: str, detail: str) -> bool:
        """Requeue an address behind all others; False after too many tries."""
        if entry.tries + 1 >= MAX_TRIES:
            return False
        self.state.finish(entry, QUEUED, reason=reason, detail=detail, priority=AGAIN_PRIORITY)
        return True

    @contextmanager
    def _counted_request(self, job: Job, took_s: float) -> Iterator[None]:
        """Transaction for the outcome of a request: counts the request and frees its host afterwards."""
        self.state.counts["requests"] += 1
        self.state.counts["took_ms"] += round(1000 * took_s)
        try:
            with self._frontier.transaction():
                yield
        finally:
            self._rest(job, took_s)

    def _rest(self, job: Job, took_s: float) -> None:
        self._busy.discard(job.host)
        self.state.pacing.note_answer(job.server, took_s)
        self._frontier.note_rest(job.server, self.state.now().timestamp() + self.state.pacing.wait_s(job.server))

    def _back_off(self, job: Job, answer: Answer) -> bool:
        """Let an overloaded host rest and requeue the address; False after too many tries.

        Without its robots.txt nothing may be asked of a host, so any error of the server lets it rest. Where the last
        run met such an error too, one request is enough.
        """
        retry_after = answer.get("retry-after")
        if _hides_rules(job, answer) and not retry_after and self._rules.failing_since(job) is not None:
            self._rules.leave(job, answer.status)
            return True
        self.state.troubled = job.url, answer.status
        self.state.hold(job.server, retry_after)
        if job.entry is None:
            self.state.leave_with_server(job)
            if job.kind == ROBOTS and not self._rules.may_ask_again(job):
                self._rules.leave(job, answer.status)
            return job.kind == ROBOTS or self._rules.may_ask_again(job)
        if job.entry.tries + 1 >= MAX_TRIES:
            return False
        self.state.finish(job.entry, QUEUED, reason=Reason.HTTP_STATUS, detail=str(answer.status))
        return True

    def note_crash(self, job: Job, error: BaseException) -> None:
        """Give up an address after an error in our own code, and notify the user.

        A robots.txt or reservation file counts as missing, so that it is not requested for ever.
        """
        self._rest(job, 0.0)
        detail = f"{type(error).__name__}: {in_ascii(error)[:200]}"
        self.state.notices.append(f"{job.url}: could not be read ({detail})")
        with self._frontier.transaction():
            if job.kind == ROBOTS:
                self._rules.note_robots_failure(job, "unreachable", f"robots.txt: {detail}")
            elif job.kind == TDM:
                self._rules.note_reservations(job, b"")
            elif job.entry is not None:
                self.state.finish(job.entry, FAILED, reason=Reason.PARSER_CRASH, detail=detail)


def _hides_rules(job: Job, answer: Answer) -> bool:
    """Whether an answer is an error of the server in place of a robots.txt."""
    return job.kind == ROBOTS and answer.status >= SERVER_ERROR


def _passing_trouble(answer: Answer) -> tuple[str, str] | None:
    """Reason and detail of an answer that says nothing about the address: an error of the server, or a lost connection.

    A body cut by a limit of size or time would be cut again.
    """
    if answer.status >= SERVER_ERROR:
        return Reason.HTTP_STATUS, str(answer.status)
    return (Reason.TRUNCATED, cut_text(answer)) if answer.truncated == "disconnect" else None


def _conditions(entry: Entry, shared: Container[str]) -> tuple[tuple[str, str], ...]:
    """Header fields of a conditional request, if the page is in the archive; ``shared``: validators of other pages."""
    if not entry.digest:
        return ()
    # "Not modified" would be true of any page with a shared ETag, or of a changed page with the date of its site.
    fields = (("If-None-Match", entry.etag), ("If-Modified-Since", entry.modified))
    return tuple((name, value) for name, value in fields if value and value not in shared)
