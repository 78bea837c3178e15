"""Scrapy as the engine of a crawl: its queue is the conductor, its answers go to the conductor, nothing else is on."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial
from typing import Any, Self
from urllib.parse import urlsplit

from scrapy import Request, Spider
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler
from scrapy.exceptions import CannotResolveHostError, DownloadFailedError, DownloadTimeoutError, IgnoreRequest
from scrapy.http import Response
from twisted.python.failure import Failure

from diglot.crawl.browser.chromium import Browser
from diglot.crawl.browser.visit import Sent
from diglot.crawl.options import CrawlOptions
from diglot.crawl.page_parts import PageParts
from diglot.crawl.page_reading import PART, ROBOTS, Answer, Job, Parse, ReadPage, Rendering, read_answer, read_rendered
from diglot.crawl.queue.frontier import PAGE
from diglot.crawl.queue.site_scope import REFUSED_ADDRESS
from diglot.crawl.rules.robots import ROBOTS_MAX_BYTES
from diglot.crawl.scheduler import Conductor, utc_now
from diglot.crawl.wire.download import (
    ALLOW_HOSTS_SETTING,
    PAGES_ONLY,
    UNWANTED,
    CertificateFailed,
    RequestRefused,
    truncation,
)
from diglot.records import Drop

MAX_HOSTS_AT_ONCE = 16
FETCH_TIMEOUT_S = 120.0
"""Of one address, from the request to the end of its body."""
PART_TIMEOUT_S = 30.0
"""Of a script or of data that a page in the browser asks for; the page waits meanwhile."""
SHORT_WAIT_S = 0.05
SHOWN_FIELDS = ("content-type", "content-security-policy")
"""Header fields of a page that the browser is told."""
ACCEPT = "text/html,application/xhtml+xml;q=0.9,application/xml;q=0.5,*/*;q=0.1"

logger = logging.getLogger(__name__)


class ConductedSpider(Spider):
    """Makes the conductor's requests and hands it what comes of them."""

    name = "diglot"
    conductor: Conductor
    told: Callable[[], None]
    parse: Parse
    reader: Executor
    """A thread, so that other hosts are served while a page is parsed."""
    browser: Browser | None = None
    parts: PageParts | None = None

    async def start(self) -> AsyncIterator[Any]:
        """Nothing: all requests come from the conductor."""
        requests: tuple[Request, ...] = ()
        for request in requests:
            yield request

    def request(self, job: Job) -> Request:
        """The request for a job."""
        options = self.conductor.options
        meta: dict[str, Any] = {"job": job, "download_slot": job.server, PAGES_ONLY: job.kind == PAGE}
        if options.proxy:
            meta["proxy"] = options.proxy
        if job.kind == ROBOTS:
            meta["download_maxsize"] = ROBOTS_MAX_BYTES
        if job.kind == PART:
            meta["download_timeout"] = PART_TIMEOUT_S
        headers = {"User-Agent": options.user_agent, "Accept": ACCEPT, "Accept-Encoding": "gzip, deflate"}
        headers |= {name.title(): value for name, value in (*job.conditions, *job.fields)}
        return Request(
            job.url, self.answered, headers=headers, errback=self.failed, meta=meta, dont_filter=True, priority=0
        )

    async def answered(self, response: Response) -> None:
        """A request was answered."""
        assert response.request is not None
        job: Job = response.request.meta["job"]
        answer = _answer(response)
        loop = asyncio.get_running_loop()
        read = await loop.run_in_executor(self.reader, self._read, job, answer)
        if isinstance(read, ReadPage) and self.conductor.wants_rendered(job, answer, read):
            answer = replace(answer, rendering=await self._render(job, answer, read))
            read = await loop.run_in_executor(self.reader, partial(read_rendered, job, answer, read, parse=self.parse))
        self.conductor.answered(job, answer, read)
        self.told()

    async def _render(self, job: Job, answer: Answer, read: ReadPage) -> Rendering:
        """A page in the browser, which is started for the first of them."""
        if self.browser is None:
            options = self.conductor.options
            self.browser = Browser(options.user_agent, max_bytes=options.max_page_bytes)
            self.parts = PageParts(self.conductor, self.download)
        assert self.parts is not None
        fields = {name: answer.get(name) for name in SHOWN_FIELDS if answer.get(name)}
        rendering = await self.browser.render(Sent(job.url, read.body, fields), self.parts.fetch)
        return replace(rendering, made=_now())

    async def download(self, job: Job) -> Answer | None:
        """Make a request beside those of the conductor; None where it brings no answer."""
        assert self.crawler.engine is not None
        try:
            return _answer(await self.crawler.engine.download_async(self.request(job)))
        except (IgnoreRequest, CannotResolveHostError, DownloadFailedError, DownloadTimeoutError, OSError) as error:
            logger.info("%s: %s", job.url, error)
            return None

    async def closed(self, _: str) -> None:
        """The crawl is over."""
        if self.browser is not None:
            await self.browser.close()

    def _read(self, job: Job, answer: Answer) -> ReadPage | Drop | None:
        return read_answer(job, answer, max_bytes=self.conductor.options.max_page_bytes, parse=self.parse)

    def failed(self, failure: Failure) -> None:
        """A request was refused by the address guard, or failed."""
        job: Job = failure.request.meta["job"]
        error = failure.value
        if isinstance(error, RequestRefused):
            self.conductor.failed(job, REFUSED_ADDRESS, error.refusal.detail, for_good=True)
        elif isinstance(error, CannotResolveHostError):
            self.conductor.failed(job, "unreachable", f"{job.host} is not known to the name servers", for_good=True)
        elif isinstance(error, CertificateFailed):
            self.conductor.failed(job, "certificate", str(error), for_good=True)
        elif isinstance(error, DownloadTimeoutError):
            self.conductor.failed(job, "unreachable", "no answer in time", for_good=False)
        else:
            detail = " ".join(str(error).split())[:300]
            for_good = not isinstance(error, DownloadFailedError | OSError)
            self.conductor.failed(job, "unreachable", detail or type(error).__name__, for_good=for_good)
        self.told()


class ConductedScheduler(BaseScheduler):
    """Scrapy's queue: asks the conductor."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Scrapy's way to make one."""
        return cls(crawler)

    @property
    def _spider(self) -> ConductedSpider:
        spider = self._crawler.spider
        assert isinstance(spider, ConductedSpider)
        return spider

    def has_pending_requests(self) -> bool:
        """Whether anything is left to do."""
        return not self._spider.conductor.finished()

    def enqueue_request(self, request: Request) -> bool:
        """Nobody but the conductor queues."""
        return False

    def next_request(self) -> Request | None:
        """The conductor's next request."""
        job = self._spider.conductor.next_job()
        return None if job is None else self._spider.request(job)


class Paced:
    """Downloader middleware: waits until the host may be asked, and is not being asked."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._asked: set[str] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Scrapy's way to make one."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Sleep off what is left of the host's delay."""
        job: Job = request.meta["job"]
        while (wait_s := self._conductor.wait_s(job)) > 0 or job.server in self._asked:
            await asyncio.sleep(max(wait_s, SHORT_WAIT_S))
        self._asked.add(job.server)

    async def process_response(self, request: Request, response: Response) -> Response:
        """The host has answered."""
        self._rest(request)
        return response

    async def process_exception(self, request: Request, exception: Exception) -> None:
        """The host was not reached, or failed."""
        self._rest(request)

    def _rest(self, request: Request) -> None:
        server = request.meta["job"].server
        self._asked.discard(server)
        self._conductor.state.pacing.answered(server, request.meta.get("download_latency", 0.0))

    @property
    def _conductor(self) -> Conductor:
        spider = self._crawler.spider
        assert isinstance(spider, ConductedSpider)
        return spider.conductor


def scrapy_settings(options: CrawlOptions) -> dict[str, Any]:
    """Scrapy with everything off that the conductor does itself or that nobody asked for."""
    return {
        "SCHEDULER": ConductedScheduler,
        "DOWNLOAD_HANDLERS": {
            "http": "diglot.crawl.wire.download.GuardedDownloadHandler",
            "https": "diglot.crawl.wire.download.GuardedDownloadHandler",
            **dict.fromkeys(("data", "file", "ftp", "s3")),
        },
        ALLOW_HOSTS_SETTING: list(options.allow_hosts),
        "DOWNLOADER_MIDDLEWARES_BASE": {},
        "DOWNLOADER_MIDDLEWARES": {Paced: 1},
        "SPIDER_MIDDLEWARES_BASE": {},
        "EXTENSIONS_BASE": {},
        "ADDONS": {},
        "CONCURRENT_REQUESTS": MAX_HOSTS_AT_ONCE,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "DOWNLOAD_DELAY": 0,
        "DOWNLOAD_TIMEOUT": FETCH_TIMEOUT_S,
        "DOWNLOAD_MAXSIZE": options.max_page_bytes,
        "DOWNLOAD_WARNSIZE": 0,
        "DOWNLOAD_FAIL_ON_DATALOSS": False,
        "COOKIES_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "LOG_ENABLED": False,
    }


def _answer(response: Response) -> Answer:
    request = response.request
    assert request is not None
    parts = urlsplit(request.url)
    path = parts.path + (f"?{parts.query}" if parts.query else "")
    return Answer(
        status=response.status,
        fields=_fields(response),
        body=response.body,
        fetched=_now(),
        took_s=request.meta.get("download_latency", 0.0),
        truncated=truncation(response).replace(UNWANTED, "length")
        or ("disconnect" if "dataloss" in response.flags else ""),
        request_line=f"GET {path} HTTP/1.1",
        request_fields=[(b"Host", parts.netloc.encode()), *_fields(request)],
    )


def _now() -> str:
    return utc_now().strftime("%Y-%m-%dT%H:%M:%SZ")


def _fields(message: Request | Response) -> list[tuple[bytes, bytes]]:
    return [(name, value) for name, values in message.headers.items() for value in values]
