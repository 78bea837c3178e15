"""Makes the requests of a crawl, to several hosts at once, and passes the answers to the scheduler."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from functools import partial

from w3lib.url import safe_url_string

from diglot.crawl.browser.chromium import Browser
from diglot.crawl.browser.visit import SentPage
from diglot.crawl.page_parts import PageParts
from diglot.crawl.page_reading import PART, ROBOTS, Answer, Job, Parse, ReadPage, Rendering, read_answer, read_rendered
from diglot.crawl.queue.frontier import PAGE
from diglot.crawl.rules.robots import ROBOTS_MAX_BYTES
from diglot.crawl.scheduler import Scheduler, utc_now
from diglot.crawl.wire.address_guard import read_allow_hosts
from diglot.crawl.wire.connection import FetchFailed, TimedOut
from diglot.crawl.wire.download import Downloader, Request
from diglot.errors import DiglotError

MAX_HOSTS_AT_ONCE = 16
MAX_LOOKUPS = 64
"""Lookups of names at once, with those that were given up and still wait for a name server."""
FETCH_TIMEOUT_S = 120.0
"""For one address, from the request to the end of the body."""
PART_TIMEOUT_S = 30.0
"""For a script or data of a page in the browser, because the page waits meanwhile."""
SHOWN_FIELDS = ("content-type", "content-security-policy")
"""Header fields of a page that are passed to the browser."""
ACCEPT = "text/html,application/xhtml+xml;q=0.9,application/xml;q=0.5,*/*;q=0.1"


class Fetcher:
    """Makes the requests of a scheduler. ``reader``: a thread to parse pages in; ``after_answer``: a callback."""

    def __init__(
        self, scheduler: Scheduler, *, parse: Parse, reader: Executor, after_answer: Callable[[], None]
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
        # A lookup cannot be cancelled: slow name servers of some hosts must not hold up the lookups of others.
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
        self._after_answer()

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
        fields = {"User-Agent": options.user_agent, "Accept": ACCEPT, "Accept-Encoding": "gzip, deflate"}
        fields |= {name.title(): value for name, value in (*job.conditions, *job.fields)}
        return Request(
            safe_url_string(job.url),
            [(name.encode(), value.encode("latin-1", "replace")) for name, value in fields.items()],
            max_bytes=ROBOTS_MAX_BYTES if job.kind == ROBOTS else options.max_page_bytes,
            total_s=PART_TIMEOUT_S if job.kind == PART else FETCH_TIMEOUT_S,
            pages_only=job.kind == PAGE,
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
        work = partial(read_answer, job, answer, max_bytes=limit, parse=self._parse)
        read = await loop.run_in_executor(self._reader, work)
        if isinstance(read, ReadPage) and self._scheduler.wants_rendered(job, answer, read):
            answer = replace(answer, rendering=await self._render(job, answer, read))
            read = await loop.run_in_executor(
                self._reader, partial(read_rendered, job, answer, read, parse=self._parse)
            )
        self._scheduler.handle_response(job, answer, read)

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
