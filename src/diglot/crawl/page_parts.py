"""Scripts and data of a page in the browser, fetched under the same rules as pages.

A part is fetched if the robots.txt of its host allows it, at the pace of that host, through the address guard and
within the limits of a page. So is the robots.txt of a host outside the site.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from urllib.parse import urldefrag, urlsplit

from diglot.crawl.browser.visit import Part
from diglot.crawl.host_rules import MAX_HOPS
from diglot.crawl.page_reading import PART, REDIRECTS, ROBOTS, Answer, Job
from diglot.crawl.queue.site_scope import host_of, resolve_reference
from diglot.crawl.rules.reservations import page_reservation
from diglot.crawl.rules.robots import RobotsPolicy, read_policy, robot_name
from diglot.crawl.scheduler import OVERLOADED, Scheduler
from diglot.crawl.wire.pacing import MAX_DELAY_S
from diglot.pages.http_response import decode_content
from diglot.records import Refused

MAX_KEPT_BYTES = 64 << 20
"""Size of the cache of parts; pages of a site mostly share their scripts."""
PASSED_ON = frozenset(("accept", "origin", "x-requested-with"))
"""Header fields of a browser request to be sent; the others may hold anything from the page."""
LEFT_OUT = frozenset(("connection", "content-encoding", "content-length", "link", "set-cookie", "transfer-encoding"))
"""Header fields withheld from the browser: the coding is undone, hints and cookies are not followed."""

Download = Callable[[Job], Awaitable[Answer | None]]
"""Makes a request at the pace of its host; None without an answer."""


class PageParts:
    """The parts of the pages of a crawl, with a cache."""

    def __init__(self, scheduler: Scheduler, download: Download) -> None:
        self._state = scheduler.state
        self._scheduler = scheduler
        self._download = download
        self._hosts: dict[str, asyncio.Task[RobotsPolicy]] = {}
        self._kept: dict[str, asyncio.Task[Part | None]] = {}
        self._kept_bytes = 0

    async def fetch(self, url: str, fields: Mapping[str, str]) -> Part | None:
        """The part at an address; None if it may not or cannot be fetched.

        A fetch in progress continues after its page is given up, so that no host gets two requests at once.
        """
        url = urldefrag(url)[0]
        if url not in self._kept:
            self._kept[url] = asyncio.create_task(self._fetch(url, fields))
        # shield: the page may be given up, the fetch goes on.
        return await asyncio.shield(self._kept[url])

    async def _fetch(self, url: str, fields: Mapping[str, str]) -> Part | None:
        passed = tuple((name, value) for name, value in fields.items() if name.lower() in PASSED_ON)
        answer = await self._answer(url, passed)
        part = self._part(answer) if answer is not None else None
        if part is None or not self._may_keep(part):
            del self._kept[url]  # the next page asks again
        return part

    async def _answer(self, url: str, fields: tuple[tuple[str, str], ...]) -> Answer | None:
        """The final answer after redirects; None without one, or if a rule forbids a request."""
        for _ in range(MAX_HOPS + 1):
            host = host_of(url)
            if host in self._state.left:
                return None
            policy = await self._policies(host, urlsplit(url).scheme)
            if policy.delay_s > MAX_DELAY_S or not policy.verdict(url, self._state.options.user_agent).allowed:
                return None
            answer = await self._download(Job(url, host, PART, fields=fields))
            self._state.counts["parts"] += 1
            if answer is None:
                return None
            self._state.counts["bytes"] += len(answer.body)
            if answer.status in OVERLOADED:
                self._state.hold(host, answer.get("retry-after"))
            target = resolve_reference(url, answer.get("location")) if answer.status in REDIRECTS else ""
            if not target:
                return answer
            url = urldefrag(target)[0]
        return None

    def _part(self, answer: Answer) -> Part | None:
        """The part for the browser; None if the answer is truncated or reserved from mining."""
        reserved = page_reservation(answer.texts(), (), robot_name(self._state.options.user_agent)).tdm
        if answer.truncated or reserved:
            return None
        try:
            limit = self._state.options.max_page_bytes
            body = decode_content(answer.body, answer.get("content-encoding"), max_bytes=limit)
        except Refused:
            return None
        fields: defaultdict[str, list[str]] = defaultdict(list)
        for name, value in answer.texts():
            fields[name.lower()].append(value)
        shown = {name: ", ".join(values) for name, values in fields.items() if name not in LEFT_OUT}
        return Part(answer.status, shown, body)

    def _may_keep(self, part: Part) -> bool:
        control = part.fields.get("cache-control", "").lower()
        if part.status != 200 or "no-store" in control or "private" in control:
            return False
        self._kept_bytes += len(part.body)
        if self._kept_bytes > MAX_KEPT_BYTES:
            self._kept = {url: task for url, task in self._kept.items() if not task.done()}
            self._kept_bytes = len(part.body)
        return True

    # -- robots.txt of hosts that are not of the site ------------------------------------------

    async def _policies(self, host: str, scheme: str) -> RobotsPolicy:
        known = self._scheduler.policy_of(host)
        if known is not None:
            return known
        if host not in self._hosts:
            self._hosts[host] = asyncio.create_task(self._ask(host, f"{scheme}://{host}/robots.txt"))
        return await asyncio.shield(self._hosts[host])

    async def _ask(self, host: str, url: str) -> RobotsPolicy:
        agent = self._state.options.user_agent
        policy = read_policy(b"", 0, agent)
        for _ in range(MAX_HOPS + 1):
            answer = await self._download(Job(url, host, ROBOTS))
            if answer is None:
                break
            policy = read_policy(answer.body, answer.status, agent)
            url = resolve_reference(url, answer.get("location")) if answer.status in REDIRECTS else ""
            if not url:
                break
        self._state.pacing.set_delay(host, min(policy.delay_s, MAX_DELAY_S))
        return policy
