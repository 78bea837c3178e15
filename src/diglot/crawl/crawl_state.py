"""What a crawl at work has at hand: its journal, archive and site, and what it has learnt, for all who act on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import urlsplit

from diglot.crawl.archive import Archive
from diglot.crawl.options import CrawlOptions
from diglot.crawl.page_reading import REDIRECTS, Answer, Job
from diglot.crawl.queue.frontier import FAILED, PAGE, QUEUED, REFUSED, Entry, Found, Frontier, KnownAddress
from diglot.crawl.queue.prioritiser import X_DEFAULT, Prioritiser
from diglot.crawl.queue.site_scope import SiteScope, host_of
from diglot.crawl.queue.traps import TrapGuard
from diglot.crawl.wire.pacing import MAX_HOLD_S, Pacing
from diglot.documents.language import language_of

MAX_RESTS = 12
"""Answers in a row that a host is overloaded, after which it is left for this run: four addresses, three times each."""
MAX_ABSENCE_S = 24 * 3600.0
"""Who asks to be left alone for longer may be asked again tomorrow, as robots.txt is: nobody means ten years."""
MAX_SCHEME_CHANGES = 2
"""Times that a host may turn its pages from http to https or back: there, and for one mistake."""


@dataclass(slots=True)
class CrawlState:
    """One crawl of one process. ``counts``: what this process did (stored, requests, bytes, took_ms, failed, refused).

    ``left``: hosts that are not asked any more, and why; ``notices``: lines for the user; ``trouble``: why the first
    host that was asked let nothing be fetched, if so.
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
    noted_hosts: dict[str, str] = field(default_factory=dict)
    left: dict[str, str] = field(default_factory=dict)
    _rests: Counter[str] = field(default_factory=Counter)
    _scheme_changes: Counter[str] = field(default_factory=Counter)

    def settle(self, entry: Entry, state: str, **values: object) -> None:
        """End the flight of an address: its state and further columns of the journal."""
        self.frontier.settle(entry.id, state, **values)
        if state in (FAILED, REFUSED):
            self.counts[state] += 1

    # -- hosts ---------------------------------------------------------------------------------

    def hold(self, host: str, retry_after: str) -> None:
        """A host answers that it is overloaded: it rests, or is left where it wants that for too long or too often."""
        hold_s = self.pacing.hold(host, retry_after, self.now())
        self._rests[host] += 1
        if hold_s > MAX_HOLD_S:
            self._leave(host, f"asks to be left alone for {hold_s:,.0f} s; run the same command after that")
            self.frontier.note_rest(host, self.now().timestamp() + min(hold_s, MAX_ABSENCE_S))
        elif self._rests[host] >= MAX_RESTS:
            told = f"says of {MAX_RESTS} requests in a row that it is overloaded; run the same command some other time"
            self._leave(host, told)

    def rest_on(self, host: str, until: float) -> None:
        """An earlier process was asked to leave a host alone until then (Unix time)."""
        left_s = min(until - self.now().timestamp(), MAX_ABSENCE_S)
        if left_s > MAX_HOLD_S:
            self._leave(host, f"has asked to be left alone, for {left_s:,.0f} s from now; run the same command then")
        else:
            self.pacing.rest(host, left_s)

    def at_work(self, host: str) -> None:
        """A host answers something else than that."""
        del self._rests[host]

    def left_with(self, job: Job) -> bool:
        """Whether the server that has a host's rules was left, and the host with it."""
        if job.server in self.left and job.host not in self.left:
            self._leave(job.host, f"has its rules on {job.server}, which {self.left[job.server]}")
        return job.server in self.left

    def _leave(self, host: str, why: str) -> None:
        if host not in self.left:
            self.left[host] = why
            self.notices.append(f"{host} {why}")

    def reached_by(self, url: str) -> None:
        """A page came: its host is reached by the scheme of this address, and so are its other pages.

        Not before that, and not again and again where a host cannot make up its mind.
        """
        host, scheme = host_of(url), urlsplit(url).scheme
        if self.scope.scheme_of(host) != scheme and self._scheme_changes[host] < MAX_SCHEME_CHANGES:
            self._scheme_changes[host] += 1
            self.scope.note_scheme(host, scheme)
            self.frontier.change_scheme(host, scheme)

    # -- addresses -----------------------------------------------------------------------------

    def queue(self, found: Sequence[Found], source: Entry) -> None:
        """Queue what an address led to, and tell prioritiser and traps of it."""
        self.frontier.add(found, source.id)
        waiting = [each.url for each in found if not each.refused and each.kind == PAGE]
        self.prioritiser.note_waiting(waiting)
        self.traps.found(waiting, parent=source.url if source.kind == PAGE else "")
        if waiting:
            self.frontier.note_links(source.id, self.frontier.ids_of(waiting))
        self.note_hosts()

    def note_hosts(self) -> None:
        """Write to the journal which hosts belong to the site, those that it does not have."""
        for host, scheme in self.scope.hosts():
            if self.noted_hosts.get(host) != scheme:
                self.frontier.note_host(host, scheme, member=True)
                self.noted_hosts[host] = scheme

    def learn_again(self) -> None:
        """Tell prioritiser and traps what the journal knows, as the pages told it when they were fetched."""
        rows = self.frontier.known_addresses()
        known = {row.id: row for row in rows}
        self.traps.found(row.url for row in rows if row.how == "start")
        for number, links, texts in self.frontier.seen():
            if number not in known:
                continue
            parent = known[number]
            if links is not None:
                led_to = [known[link] for link in links if link in known and known[link].kind == PAGE]
                self.traps.found([row.url for row in led_to], parent=parent.url if parent.kind == PAGE else "")
                if parent.page_lang and self.scope.wants(parent.page_lang):
                    self.prioritiser.learn_versions(parent.url, parent.versions_among(led_to))
            elif texts is not None:
                self.traps.fetched(parent.url, dict.fromkeys(texts, ""))
        for row in rows:
            if row.kind == PAGE:
                self._learn_page_again(row)

    def _learn_page_again(self, row: KnownAddress) -> None:
        if row.state != REFUSED:
            self.prioritiser.note_waiting([row.url])
        if row.state == QUEUED:
            return
        if row.state != REFUSED and row.status not in REDIRECTS:
            self.traps.asked(row.url)
        if row.page_lang:
            wanted = self.scope.wants(row.page_lang)
            self.prioritiser.learn_page(row.url, row.page_lang, wanted=wanted, has_version=bool(row.partnered))
            if row.lang and row.lang.lower() != X_DEFAULT and row.family is not None:
                promised = language_of(row.lang)
                self.prioritiser.learn_promise(row.family, promised, kept=language_of(row.page_lang) == promised)


def columns_of(answer: Answer) -> dict[str, object]:
    """Columns of an address that an answer fills."""
    return {
        "status": answer.status,
        "etag": answer.get("etag"),
        "modified": answer.get("last-modified"),
        "fetched": answer.fetched,
    }
