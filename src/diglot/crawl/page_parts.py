"""Scripts and data that a page asks for while a browser shows it: fetched as politely and as guarded as pages are.

A part is asked for where its host's robots.txt allows it, at the pace of that host, through the address guard, within
the limits of a page; so is the robots.txt of a host that is no host of the site.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from urllib.parse import urldefrag, urlsplit

from diglot.crawl.browser.visit import Part
from diglot.crawl.host_rules import MAX_HOPS
from diglot.crawl.page_reading import PART, REDIRECTS, ROBOTS, Answer, Job
from diglot.crawl.queue.site_scope import host_of, joined
from diglot.crawl.rules.reservations import page_reservation
from diglot.crawl.rules.robots import Manners, read_manners, robot_name
from diglot.crawl.scheduler import OVERLOADED, Scheduler
from diglot.crawl.wire.pacing import MAX_DELAY_S
from diglot.pages.content_coding import decode_content
from diglot.pages.refusal import Refused

MAX_KEPT_BYTES = 64 << 20
"""Of parts that are kept for the pages to come, which mostly share their scripts."""
PASSED_ON = frozenset(("accept", "origin", "x-requested-with"))
"""What of a browser's request goes out; nothing else that a page could write into its fields does."""
LEFT_OUT = frozenset(("connection", "content-encoding", "content-length", "link", "set-cookie", "transfer-encoding"))
"""What of an answer the browser is not told: the coding is undone, and hints and cookies are not followed."""

Download = Callable[[Job], Awaitable[Answer | None]]
"""Makes a request, at the pace of its host; None where it brings no answer."""


class PageParts:
    """The parts of one crawl's pages, those that may be kept asked for once."""

    def __init__(self, scheduler: Scheduler, download: Download) -> None:
        self._state = scheduler.state
        self._scheduler = scheduler
        self._download = download
        self._hosts: dict[str, asyncio.Task[Manners]] = {}
        self._kept: dict[str, asyncio.Task[Part | None]] = {}
        self._kept_bytes = 0

    async def fetch(self, url: str, fields: Mapping[str, str]) -> Part | None:
        """The part with an address; None where it may not or cannot be had.

        A fetch that is under way goes on where its page is given up, so that its host is not asked twice at once.
        """
        url = urldefrag(url)[0]
        if url not in self._kept:
            self._kept[url] = asyncio.create_task(self._fetch(url, fields))
        return await asyncio.shield(self._kept[url])

    async def _fetch(self, url: str, fields: Mapping[str, str]) -> Part | None:
        passed = tuple((name, value) for name, value in fields.items() if name.lower() in PASSED_ON)
        answer = await self._answer(url, passed)
        part = self._part(answer) if answer is not None else None
        if part is None or not self._may_keep(part):
            del self._kept[url]
        return part

    async def _answer(self, url: str, fields: tuple[tuple[str, str], ...]) -> Answer | None:
        """What the server says in the end, redirects followed; None where it is not asked, or says nothing."""
        for _ in range(MAX_HOPS + 1):
            host = host_of(url)
            if host in self._state.left:
                return None
            manners = await self._manners(host, urlsplit(url).scheme)
            if manners.delay_s > MAX_DELAY_S or not manners.verdict(url, self._state.options.user_agent).allowed:
                return None
            answer = await self._download(Job(url, host, PART, fields=fields))
            self._state.counts["parts"] += 1
            if answer is None:
                return None
            self._state.counts["bytes"] += len(answer.body)
            if answer.status in OVERLOADED:
                self._state.hold(host, answer.get("retry-after"))
            target = joined(url, answer.get("location")) if answer.status in REDIRECTS else ""
            if not target:
                return answer
            url = urldefrag(target)[0]
        return None

    def _part(self, answer: Answer) -> Part | None:
        """What the browser is told; None where the answer is not whole or reserved from mining."""
        reserved = page_reservation(answer.texts(), (), robot_name(self._state.options.user_agent)).tdm
        if answer.truncated or reserved:
            return None
        try:
            limit = self._state.options.max_page_bytes
            body = decode_content(answer.body, answer.get("content-encoding"), max_bytes=limit)
        except Refused:
            return None
        names = dict.fromkeys(name.lower() for name, _ in answer.texts())
        return Part(answer.status, {name: answer.get(name) for name in names if name not in LEFT_OUT}, body)

    def _may_keep(self, part: Part) -> bool:
        told = part.fields.get("cache-control", "").lower()
        if part.status != 200 or "no-store" in told or "private" in told:
            return False
        self._kept_bytes += len(part.body)
        if self._kept_bytes > MAX_KEPT_BYTES:
            self._kept = {url: task for url, task in self._kept.items() if not task.done()}
            self._kept_bytes = len(part.body)
        return True

    # -- robots.txt of hosts that are not of the site ------------------------------------------

    async def _manners(self, host: str, scheme: str) -> Manners:
        known = self._scheduler.manners_of(host)
        if known is not None:
            return known
        if host not in self._hosts:
            self._hosts[host] = asyncio.create_task(self._ask(host, f"{scheme}://{host}/robots.txt"))
        return await asyncio.shield(self._hosts[host])

    async def _ask(self, host: str, url: str) -> Manners:
        agent = self._state.options.user_agent
        manners = read_manners(b"", 0, agent)
        for _ in range(MAX_HOPS + 1):
            answer = await self._download(Job(url, host, ROBOTS))
            if answer is None:
                break
            manners = read_manners(answer.body, answer.status, agent)
            url = joined(url, answer.get("location")) if answer.status in REDIRECTS else ""
            if not url:
                break
        self._state.pacing.set_delay(host, min(manners.delay_s, MAX_DELAY_S))
        return manners
