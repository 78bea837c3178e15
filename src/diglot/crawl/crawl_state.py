"""State of a crawl, shared by its scheduler, host rules and response handling; delays between requests to a host."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from diglot.crawl.archive import Archive
from diglot.crawl.options import CrawlOptions
from diglot.crawl.page_reading import REDIRECTS, Answer, Job
from diglot.crawl.queue.frontier import FAILED, PAGE, QUEUED, REFUSED, Entry, Frontier, KnownAddress, NewAddress
from diglot.crawl.queue.prioritiser import X_DEFAULT, Contents, Prioritiser
from diglot.crawl.queue.site_scope import SiteScope, host_of
from diglot.crawl.queue.traps import TrapGuard
from diglot.documents.language_tags import language_of

MAX_DELAY_S = 120.0
"""A host with a longer Crawl-delay is not crawled."""
MAX_HOLD_S = 600.0
"""A host with a longer Retry-After is abandoned for this run."""
FIRST_HOLD_S = 30.0
"""Rest of an overloaded host without Retry-After; doubled with each such answer in a row."""
RULES_REST_S = 120.0
"""Rest of a host after errors in place of its robots.txt."""
MAX_DOUBLINGS = 8
"""Most doublings: ``MAX_HOLD_S`` is reached before, and without a limit the power of 2 would overflow a float."""

VALIDATORS = {"etag": "etag", "modified": "last-modified"}
"""Columns of the journal for conditional requests, with their header fields."""
OF_COPY = frozenset((*VALIDATORS, "fetched", "warc", "start", "length"))
"""Columns of the journal about the copy of a page. An ETag of another answer would make a server say "not modified"."""
MAX_RESTS = 12
"""Overload answers in a row before a host is abandoned for this run: four addresses, three tries each."""
MAX_ABSENCE_S = 24 * 3600.0
"""Longest rest to be noted: after a day a host may be asked again, as with robots.txt."""
MAX_SCHEME_CHANGES = 2
"""Changes of a host between http and https to follow: a move and a mistake."""
Clock = Callable[[], float]


class Pacing:
    """Delays of all hosts, with one request at a time to a host.

    The delay runs from the end of an answer to the next request, so that the server sees no shorter gap on any network.
    It grows with the response time up to ``MAX_DELAY_S``, because a slow server is a busy one. ``delay_s``: our delay;
    0 also turns the growth off. ``clock``: seconds, monotonic.
    """

    def __init__(self, delay_s: float, clock: Clock) -> None:
        self._delay_s = delay_s
        self._clock = clock
        self._host_delays_s: dict[str, float] = {}
        self._free_at: dict[str, float] = {}
        self._holds: Counter[str] = Counter()

    def set_delay(self, host: str, delay_s: float) -> None:
        """Set the Crawl-delay of a host."""
        self._host_delays_s[host] = delay_s

    def delay_s(self, host: str) -> float:
        """The larger of our delay and the host's."""
        return max(self._delay_s, self._host_delays_s.get(host, 0.0))

    def wait_s(self, host: str) -> float:
        """Seconds until the next request to a host; 0 for now."""
        return max(0.0, self._free_at.get(host, 0.0) - self._clock())

    def note_answer(self, host: str, took_s: float) -> None:
        """Begin the delay after an answer or a failure; ``took_s``: response time."""
        delay_s = self.delay_s(host)
        # Without a delay of ours the user wants no growing delay either.
        if self._delay_s:
            delay_s = max(delay_s, min(took_s, MAX_DELAY_S))
        self._free_at[host] = max(self._free_at.get(host, 0.0), self._clock() + delay_s)

    def hold(self, host: str, retry_after: str, now: datetime) -> float:
        """Let an overloaded host rest for its Retry-After, at least for the delay. Returns the seconds asked for.

        The rest itself is at most ``MAX_HOLD_S``.
        """
        self._holds[host] += 1
        hold_s = retry_after_s(retry_after, now)
        if hold_s is None:
            hold_s = min(FIRST_HOLD_S * 2 ** min(self._holds[host] - 1, MAX_DOUBLINGS), MAX_HOLD_S)
        hold_s = max(hold_s, self.delay_s(host))
        self.rest(host, hold_s)
        return hold_s

    def holds_in_row(self, host: str) -> int:
        """Number of overload answers of a host in a row."""
        return self._holds[host]

    def note_recovery(self, host: str) -> None:
        """Begin the row of overload answers of a host anew: a large site answers 503 now and then, and is well."""
        del self._holds[host]

    def rest(self, host: str, rest_s: float) -> None:
        """Make no request to a host for some seconds, at most ``MAX_HOLD_S``."""
        self._free_at[host] = max(self._free_at.get(host, 0.0), self._clock() + min(rest_s, MAX_HOLD_S))


def retry_after_s(value: str, now: datetime) -> float | None:
    """Seconds in a Retry-After field (RFC 9110, 10.2.3: seconds or a date); None if unreadable."""
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, OverflowError):  # no date, or one in a year that no calendar has
        return None
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    return max(0.0, (moment - now).total_seconds())


@dataclass(slots=True)
class CrawlState:
    """State of one crawl in one process.

    ``counts``: work of this process by name, such as requests, bytes, took_ms, stored, failed, refused. ``notices``:
    lines for the user. ``trouble``: why the first host allowed no request, if so. ``troubled``: the last address whose
    answer let its host rest, and the status. ``elsewhere``: links of start pages to other sites, by host.
    ``noted_hosts``: hosts in the journal, with their schemes. ``left``: abandoned hosts with reasons.
    """

    options: CrawlOptions
    frontier: Frontier
    archive: Archive
    scope: SiteScope
    prioritiser: Prioritiser
    pacing: Pacing
    now: Callable[[], datetime]
    traps: TrapGuard = field(default_factory=TrapGuard)
    counts: Counter[str] = field(default_factory=Counter)
    notices: list[str] = field(default_factory=list)
    trouble: str = ""
    troubled: tuple[str, int] = "", 0
    elsewhere: Counter[str] = field(default_factory=Counter)
    noted_hosts: dict[str, str] = field(default_factory=dict)
    left: dict[str, str] = field(default_factory=dict)
    _scheme_changes: Counter[str] = field(default_factory=Counter)

    def finish(self, entry: Entry, state: str, **values: object) -> None:
        """Set the final state of an address and further columns of its row in the journal.

        A page with a copy keeps all columns about the copy, unless the new state is done.
        """
        if entry.digest and state in (FAILED, REFUSED):
            values = {name: value for name, value in values.items() if name not in OF_COPY}
        self.frontier.finish(entry.id, state, **values)
        if state in (FAILED, REFUSED):
            self.counts[state] += 1

    def note_start(self, page: Contents) -> None:
        """Note text and links of a start page, to explain a crawl that finds no other."""
        self.counts["start_chars"] += page.length_chars
        self.counts["start_links"] += len(page.links)
        canonical = filter(None, (self.scope.canonical(link.url) for link in page.links if link.url))
        self.elsewhere.update(host_of(url) for url in canonical if not self.scope.belongs(url))

    # -- hosts ---------------------------------------------------------------------------------

    def hold(self, host: str, retry_after: str) -> None:
        """On 429 or 503 back off; abandon the host if Retry-After is too long or comes too often."""
        hold_s = self.pacing.hold(host, retry_after, self.now())
        if hold_s > MAX_HOLD_S:
            self.abandon(host, f"asks to be left alone for {hold_s:,.0f} s; run the same command after that")
            # In the journal, so that the next process keeps away too.
            self.frontier.note_rest(host, self.now().timestamp() + min(hold_s, MAX_ABSENCE_S))
        elif self.pacing.holds_in_row(host) >= MAX_RESTS:
            why = f"answered {MAX_RESTS} requests in a row that it is overloaded; run the same command later"
            self.abandon(host, why)

    def resume_rest(self, host: str, until: float) -> None:
        """Go on with a rest that an earlier process began, until ``until`` (Unix time)."""
        left_s = min(until - self.now().timestamp(), MAX_ABSENCE_S)
        failing = self.frontier.failing_times(host)
        if failing and left_s > 0 and 0 <= self.now().timestamp() - failing[1] < RULES_REST_S:
            # Nobody waits for a file that did not come three times a moment ago.
            why = "has just answered a request for its robots.txt with an error, and nothing may be fetched without it"
            self.abandon(host, f"{why}; run the same command in {left_s:,.0f} s or later")
        elif left_s > MAX_HOLD_S:
            self.abandon(host, f"has asked to be left alone, for {left_s:,.0f} s from now; run the same command then")
        else:
            self.pacing.rest(host, left_s)

    def leave_with_server(self, job: Job) -> None:
        """Abandon a host, too, where the server with its rules was abandoned."""
        if job.server in self.left:
            self.abandon(job.host, f"has its rules on {job.server}, which {self.left[job.server]}")

    def abandon(self, host: str, why: str) -> None:
        """Ask nothing more of a host in this run, and notify the user."""
        if host not in self.left:
            self.left[host] = why
            self.notices.append(f"{host} {why}")

    def confirm_scheme(self, url: str) -> None:
        """After a page arrived, reach its host by the scheme of this address from now on.

        At most :data:`MAX_SCHEME_CHANGES` times, because some hosts redirect back and forth.
        """
        host, scheme = host_of(url), urlsplit(url).scheme
        if self.scope.scheme_of(host) != scheme and self._scheme_changes[host] < MAX_SCHEME_CHANGES:
            self._scheme_changes[host] += 1
            self.scope.note_scheme(host, scheme)
            self.frontier.change_scheme(host, scheme)

    # -- addresses -----------------------------------------------------------------------------

    def queue(self, found: Sequence[NewAddress], source: Entry) -> None:
        """Queue the addresses found on a page, sitemap or redirect, and inform prioritiser and traps."""
        self.frontier.add(found, source.id)
        waiting = [each.url for each in found if not each.refused and each.kind == PAGE]
        self.prioritiser.note_waiting(waiting)
        self.traps.note_links(waiting, parent=source.url if source.kind == PAGE else "")
        if waiting:
            self.frontier.note_links(source.id, self.frontier.ids_of(waiting))
        self.note_hosts()

    def note_hosts(self) -> None:
        """Write new member hosts and changed schemes of the site to the journal."""
        for host, scheme in self.scope.hosts():
            if self.noted_hosts.get(host) != scheme:
                self.frontier.note_host(host, scheme)
                self.noted_hosts[host] = scheme

    def relearn(self) -> None:
        """Replay the journal to prioritiser and traps, in the order of the original crawl."""
        rows = self.frontier.known_addresses()
        known = {row.id: row for row in rows}
        self.traps.note_links(row.url for row in rows if row.how == "start")
        for number, links, texts in self.frontier.noted_links_and_texts():
            if number not in known:
                continue
            parent = known[number]
            if links is not None:
                led_to = [known[link] for link in links if link in known and known[link].kind == PAGE]
                self.traps.note_links([row.url for row in led_to], parent=parent.url if parent.kind == PAGE else "")
                if parent.page_lang and self.scope.wants(parent.page_lang):
                    self.prioritiser.learn_versions(parent.url, parent.versions_among(led_to))
            elif texts is not None:
                self.traps.note_page(parent.url, dict.fromkeys(texts, ""))
        for row in rows:
            if row.kind == PAGE:
                self._learn_page_again(row)

    def _learn_page_again(self, row: KnownAddress) -> None:
        if row.state != REFUSED:
            self.prioritiser.note_waiting([row.url])
        if row.state == QUEUED:
            return
        if row.state != REFUSED and row.status not in REDIRECTS:
            self.traps.note_request(row.url)
        if row.page_lang:
            wanted = self.scope.wants(row.page_lang)
            self.prioritiser.learn_page(row.url, row.page_lang, wanted=wanted, has_version=bool(row.partnered))
            if row.lang and row.lang.lower() != X_DEFAULT and row.family is not None:
                promised = language_of(row.lang)
                self.prioritiser.learn_promise(row.family, promised, kept=language_of(row.page_lang) == promised)


def columns_of(answer: Answer) -> dict[str, object]:
    """Columns of the journal with values from an answer."""
    return {
        "status": answer.status,
        **{column: answer.get(field) for column, field in VALIDATORS.items()},
        "fetched": answer.fetched,
    }
