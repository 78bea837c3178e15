"""What a crawl at work has at hand: its journal, archive and site, and what it has learnt, for all who act on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from diglot.crawl.archive import Archive
from diglot.crawl.options import CrawlOptions
from diglot.crawl.page_reading import Answer
from diglot.crawl.queue.frontier import FAILED, PAGE, QUEUED, REFUSED, Entry, Found, Frontier
from diglot.crawl.queue.site_scope import SiteScope
from diglot.crawl.queue.steering import Steering
from diglot.crawl.queue.traps import TrapGuard
from diglot.crawl.wire.pacing import Pacing


@dataclass(slots=True)
class CrawlState:
    """One crawl of one process. ``counts``: what this process did (stored, requests, bytes, took_ms, failed, refused).

    ``notices``: lines for the user; ``trouble``: why the first host that was asked let nothing be fetched, if so.
    """

    options: CrawlOptions
    frontier: Frontier
    archive: Archive
    scope: SiteScope
    steering: Steering
    pacing: Pacing
    now: Callable[[], datetime]
    traps: TrapGuard = field(default_factory=TrapGuard)
    counts: Counter[str] = field(default_factory=Counter)
    notices: list[str] = field(default_factory=list)
    trouble: str = ""
    noted_hosts: dict[str, str] = field(default_factory=dict)

    def settle(self, entry: Entry, state: str, **values: object) -> None:
        """End the flight of an address: its state and further columns of the journal."""
        self.frontier.settle(entry.id, state, **values)
        if state in (FAILED, REFUSED):
            self.counts[state] += 1

    def queue(self, found: Sequence[Found], source: Entry) -> None:
        """Queue what an address led to, and tell steering and traps of it."""
        self.frontier.add(found, source.id)
        waiting = [each.url for each in found if not each.refused and each.kind == PAGE]
        self.steering.note_waiting(waiting)
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
        """Tell steering and traps what the journal knows, as the pages told it when they were fetched."""
        columns = "id, url, kind, page_lang, partnered, state, how"
        rows = self.frontier.rows(columns, "kind='sitemap' OR reason<>'other_language'")
        pages = {number: url if kind == PAGE else "" for number, url, kind, *_ in rows}
        self.traps.found(url for _, url, *_, how in rows if how == "start")
        for number, links, texts in self.frontier.seen():
            if number not in pages:
                continue
            if links is not None:
                self.traps.found([pages[link] for link in links if pages.get(link)], parent=pages[number])
            elif texts is not None:
                self.traps.fetched(pages[number], dict.fromkeys(texts, ""))
        for _, url, kind, lang, partnered, state, _ in rows:
            if kind != PAGE:
                continue
            if state == QUEUED:
                self.steering.note_waiting([url])
            elif state != REFUSED:
                self.traps.asked(url)
            if lang and state != QUEUED:
                wanted = self.scope.wants(lang)
                self.steering.learn_page(url, lang, wanted=wanted, has_version=bool(partnered))


def columns_of(answer: Answer) -> dict[str, object]:
    """Columns of an address that an answer fills."""
    return {
        "status": answer.status,
        "etag": answer.get("etag"),
        "modified": answer.get("last-modified"),
        "fetched": answer.fetched,
    }
