"""Makes the requests of a crawl, to several hosts at once, and passes the answers to the scheduler.

Parts of a page, its scripts and data in the browser, are fetched under the same rules as pages: robots.txt and pace of
their host, the address guard, and the limits of a page. The robots.txt of a host outside the site is fetched likewise.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from urllib.parse import urldefrag, urlsplit

from w3lib.url import safe_url_string

from diglot.crawl.chromium import Browser
from diglot.crawl.crawl_state import MAX_DELAY_S
from diglot.crawl.host_rules import MAX_HOPS
from diglot.crawl.page_reading import (
    PART,
    REDIRECTS,
    ROBOTS,
    Answer,
    Job,
    Parse,
    ReadPage,
    Rendering,
    read_answer,
    read_rendered,
)
from diglot.crawl.queue.frontier import PAGE
from diglot.crawl.queue.site_scope import host_of, resolve_reference
from diglot.crawl.rules import ROBOTS_MAX_BYTES, RobotsPolicy, page_reservation, read_policy, robot_name
from diglot.crawl.scheduler import OVERLOADED, Scheduler, utc_now
from diglot.crawl.unread_copies import read_copy
from diglot.crawl.visit import Part, SentPage
from diglot.crawl.wire.address_guard import read_allow_hosts
from diglot.crawl.wire.connection import FetchFailed, TimedOut
from diglot.crawl.wire.download import Downloader, Request
from diglot.document_kinds import MEDIA
from diglot.errors import DiglotError
from diglot.pages.http_response import decode_content
from diglot.records import Refused

MAX_KEPT_BYTES = 64 << 20
"""Size at which the cache of parts is emptied; there is one, as pages of a site mostly share their scripts."""
PASSED_ON = frozenset(("accept", "origin", "x-requested-with"))
"""Header fields of a browser request to be sent; the others may hold anything from the page."""
LEFT_OUT = frozenset(("connection", "content-encoding", "content-length", "link", "set-cookie", "transfer-encoding"))
"""Header fields withheld from the browser: the coding is undone, hints and cookies are not followed."""

Download = Callable[[Job], Awaitable[Answer | None]]
"""Makes a request at the pace of its host; None without an answer."""

MAX_HOSTS_AT_ONCE = 16
MAX_LOOKUPS = 64
"""Lookups of names at once, including abandoned lookups still waiting for a name server."""
FETCH_TIMEOUT_S = 120.0
"""Longest time of one request, to the end of the body."""
PART_TIMEOUT_S = 30.0
"""The same for a part: the page in the browser waits meanwhile."""
SHOWN_FIELDS = ("content-type", "content-security-policy")
"""Header fields of a page that are passed to the browser."""
ACCEPT = "text/html,application/xhtml+xml;q=0.9,{documents}application/xml;q=0.5,*/*;q=0.1"
DOCUMENT_QUALITY = "".join(f"{medium.types[0]};q=0.8," for medium in MEDIA)
"""HTML is preferred where a server offers both."""


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
        if part is not None and _may_keep(part):
            self._make_room(part)
        else:
            del self._kept[url]  # the next page asks again
        return part

    async def _answer(self, url: str, fields: tuple[tuple[str, str], ...]) -> Answer | None:
        """The final answer after redirects; None without one, or if a rule forbids a request."""
        for _ in range(MAX_HOPS + 1):
            host = host_of(url)
            if host in self._state.left:
                return None
            policy = await self._policy(host, urlsplit(url).scheme)
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

    def _make_room(self, part: Part) -> None:
        """Count a part that is kept, and empty the cache if it is full."""
        self._kept_bytes += len(part.body)
        if self._kept_bytes > MAX_KEPT_BYTES:
            self._kept = {url: task for url, task in self._kept.items() if not task.done()}
            self._kept_bytes = len(part.body)

    # -- robots.txt of hosts that are not of the site ------------------------------------------

    async def _policy(self, host: str, scheme: str) -> RobotsPolicy:
        """The robots.txt of a host, asked for once."""
        known = self._scheduler.policy_of(host)
        if known is not None:
            return known
        if host not in self._hosts:
            self._hosts[host] = asyncio.create_task(self._fetch_policy(host, f"{scheme}://{host}/robots.txt"))
        return await asyncio.shield(self._hosts[host])

    async def _fetch_policy(self, host: str, url: str) -> RobotsPolicy:
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


def _may_keep(part: Part) -> bool:
    control = part.fields.get("cache-control", "").lower()
    return part.status == 200 and "no-store" not in control and "private" not in control


class Fetcher:
    """Makes the requests of a scheduler. ``reader``: a thread to parse pages in; ``after_answer``: called with each
    address."""

    def __init__(
        self, scheduler: Scheduler, *, parse: Parse, reader: Executor, after_answer: Callable[[str], None]
    ) -> None:
        self._scheduler = scheduler
        self._parse = parse
        self._reader = reader
        self._after_answer = after_answer
        options = scheduler.options
        self._downloader = Downloader(read_allow_hosts(options.allow_hosts), proxy=options.proxy)
        self._servers: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._browser: Browser | None = None
        self._parts: PageParts | None = None
        self._broken: DiglotError | None = None

    async def run(self) -> None:
        """Fetch until nothing is queued or a signal stops the crawl. Raises the error that broke the crawl."""
        with contextlib.suppress(NotImplementedError):  # Windows
            for number in (signal.SIGTERM, signal.SIGINT):
                asyncio.get_running_loop().add_signal_handler(number, self._scheduler.stop)
        # Lookups run in threads and cannot be cancelled: slow name servers must not hold up the other hosts.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(MAX_LOOKUPS, "lookup"))
        running: set[asyncio.Task[None]] = set()
        try:
            while True:
                while len(running) < MAX_HOSTS_AT_ONCE and (job := self._scheduler.next_job()) is not None:
                    running.add(asyncio.create_task(self._serve(job)))
                if not running:
                    break
                done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                # An error of the crawl itself, which must not be lost.
                for task in done:
                    task.result()
        finally:
            self._downloader.close()
            if self._browser is not None:
                await self._browser.close()
        if self._broken is not None:
            raise self._broken

    async def _serve(self, job: Job) -> None:
        """Fetch one address and report the outcome to the scheduler."""
        try:
            await self._hand_over(job, await self._fetch(job))
        except TimedOut:
            self._scheduler.note_failure(job, TimedOut.reason, "no answer in time", for_good=False)
        except FetchFailed as error:
            detail = " ".join(str(error).split())[:300]
            self._scheduler.note_failure(job, error.reason, detail, for_good=error.for_good)
        except DiglotError as error:
            self._broken = self._broken or error
            self._scheduler.stop()
        except Exception as error:  # noqa: BLE001  a stranger's bytes cost their address only
            self._scheduler.note_crash(job, error)
        self._after_answer(job.url)

    async def _fetch(self, job: Job) -> Answer:
        """Make a request after the delay of the server, with a single request to each server at a time."""
        # By server: a part or a moved robots.txt may be on the host of another job.
        async with self._servers[job.server]:
            while (wait_s := self._scheduler.wait_s(job)) > 0:
                await asyncio.sleep(wait_s)
            took_s = 0.0
            try:
                response = await self._downloader.fetch(self._request(job))
                took_s = response.took_s
            finally:
                self._scheduler.state.pacing.note_answer(job.server, took_s)
        return Answer(
            status=response.status,
            fields=response.fields,
            body=response.body,
            fetched=_now(),
            took_s=took_s,
            truncated=response.truncated,
            request_line=response.request_line,
            request_fields=response.request_fields,
        )

    def _request(self, job: Job) -> Request:
        options = self._scheduler.options
        accept = ACCEPT.format(documents=DOCUMENT_QUALITY if not options.no_documents else "")
        fields = {"User-Agent": options.user_agent, "Accept": accept, "Accept-Encoding": "gzip, deflate"}
        fields |= {name.title(): value for name, value in (*job.conditions, *job.fields)}
        return Request(
            safe_url_string(job.url),
            [(name.encode(), value.encode("latin-1", "replace")) for name, value in fields.items()],
            max_bytes=ROBOTS_MAX_BYTES if job.kind == ROBOTS else options.max_page_bytes,
            total_s=PART_TIMEOUT_S if job.kind == PART else FETCH_TIMEOUT_S,
            pages_only=job.kind == PAGE,
            documents=not options.no_documents,
        )

    async def _fetch_part(self, job: Job) -> Answer | None:
        """The answer to a request of a page in the browser; None on failure."""
        try:
            return await self._fetch(job)
        except (FetchFailed, ValueError):  # ValueError: no address
            return None

    async def _hand_over(self, job: Job, answer: Answer) -> None:
        loop, limit = asyncio.get_running_loop(), self._scheduler.options.max_page_bytes
        # In a thread, so that other hosts are served while a page is parsed.
        work = partial(
            read_answer,
            job,
            answer,
            max_bytes=limit,
            parse=self._parse,
            documents=not self._scheduler.options.no_documents,
        )
        read = await loop.run_in_executor(self._reader, work)
        if isinstance(read, ReadPage) and self._scheduler.wants_rendered(job, answer, read):
            answer = replace(answer, rendering=await self._render(job, answer, read))
            read = await loop.run_in_executor(
                self._reader, partial(read_rendered, job, answer, read, parse=self._parse)
            )
        await self._read_copy(job)
        self._scheduler.handle_response(job, answer, read)

    async def _read_copy(self, job: Job) -> None:
        """Read the copy of a page that was answered, where the journal knows nothing of its text."""
        place = self._scheduler.unread_copy(job)
        if place is None:
            return
        path, limit = self._scheduler.state.archive.path_of(place.warc), self._scheduler.options.max_page_bytes
        work = partial(read_copy, path, place.start, place.length, max_bytes=limit, parse=self._parse)
        self._scheduler.note_copy(place, await asyncio.get_running_loop().run_in_executor(self._reader, work))

    async def _render(self, job: Job, answer: Answer, read: ReadPage) -> Rendering:
        """Render a page in the browser, which is started for the first page."""
        if self._browser is None or self._parts is None:
            options = self._scheduler.options
            self._browser = Browser(options.user_agent, max_bytes=options.max_page_bytes)
            self._parts = PageParts(self._scheduler, self._fetch_part)
        fields = {name: answer.get(name) for name in SHOWN_FIELDS if answer.get(name)}
        rendering = await self._browser.render(SentPage(job.url, read.body, fields), self._parts.fetch)
        return replace(rendering, made=_now())


def _now() -> str:
    return utc_now().strftime("%Y-%m-%dT%H:%M:%SZ")
