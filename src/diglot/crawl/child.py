"""The process a crawl runs in: ``python -m diglot.crawl.child JOURNAL WARC_FOLDER``, options as JSON on its input."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from scrapy import signals
from scrapy.crawler import CrawlerProcess
from scrapy.exceptions import StopDownload
from scrapy.http import Headers, Request, Response
from twisted.python.failure import Failure

from diglot.crawl.archive import Archive
from diglot.crawl.options import CrawlOptions
from diglot.crawl.page_parser import PageParser
from diglot.crawl.page_reading import NOT_RENDERED, Parse
from diglot.crawl.queue.frontier import Frontier
from diglot.crawl.scheduler import Conductor
from diglot.crawl.spider import ConductedSpider, scrapy_settings
from diglot.crawl.wire.download import PAGES_ONLY
from diglot.disk.locks import held
from diglot.errors import DiglotError, RunFolderError
from diglot.pages.html_sniff import may_be_html
from diglot.version import __version__

BROKEN_CONNECTIONS = "broken_connections"
"""Count of connections that Twisted had to give up with an error of its own."""
LOCK_WAIT_S = 20.0
"""How long to wait for a crawl whose starter was killed and that has yet to notice."""


def main() -> int:
    """Crawl; 0, or 1 after an ``error`` line."""
    _keep_output()
    journal, folder = map(Path, sys.argv[1:3])
    options = CrawlOptions.from_json(sys.stdin.readline())
    threading.Thread(target=_end_with_starter, daemon=True).start()
    try:
        with _alone(folder):
            crawl(options, journal, folder)
    except DiglotError as error:
        say(error=str(error), kind=type(error).__name__)
        return 1
    return 0


def crawl(options: CrawlOptions, journal: Path, folder: Path) -> None:
    """Run the crawl to its end and say what it came to."""
    frontier = Frontier(journal)
    archive = Archive(folder, frontier, software=f"diglot/{__version__}")
    conductor = Conductor(options, frontier, archive, clock=time.monotonic)
    conductor.begin()
    with PageParser() as parse, ThreadPoolExecutor(max_workers=1) as reader:
        _run(conductor, options, parse=parse, reader=reader)
    conductor.conclude()
    state = conductor.state
    if given_up := state.counts[NOT_RENDERED]:
        told = f"{given_up} pages could not be shown in the browser and are kept as they were sent"
        state.notices.append(f"{told}; out/fetches.tsv says why ({NOT_RENDERED})")
    say(end=dict(state.counts), limit=conductor.limit, notices=state.notices, trouble=state.trouble)
    frontier.close()


def _run(conductor: Conductor, options: CrawlOptions, *, parse: Parse, reader: Executor) -> None:
    """Let Scrapy fetch what the conductor asks for until there is nothing more. Raises what broke the crawl."""
    process = CrawlerProcess(scrapy_settings(options))
    crawler = process.create_crawler(ConductedSpider)
    broken: list[DiglotError] = []

    def erred(failure: Failure, response: Response) -> None:
        if isinstance(failure.value, DiglotError):
            broken.append(failure.value)
            conductor.stop()
        else:
            conductor.gave_up(response.request.meta["job"], failure.value)

    def headers_came(headers: Headers, request: Request) -> None:
        if request.meta.get(PAGES_ONLY) and not may_be_html((headers.get("Content-Type") or b"").decode("latin-1")):
            raise StopDownload(fail=False)

    crawler.signals.connect(headers_came, signals.headers_received)
    logging.getLogger().addHandler(_Alarm(conductor))
    crawler.signals.connect(erred, signals.spider_error)
    process.crawl(crawler, conductor=conductor, told=_Teller(conductor), parse=parse, reader=reader)
    process.start()
    if broken:
        raise broken[0]


class _Alarm(logging.Handler):
    """Ends the process where Scrapy's own machinery breaks down, which it logs and survives without going on.

    What Twisted logs is about one connection: its request fails, at the latest when its time is over.
    """

    def __init__(self, conductor: Conductor) -> None:
        super().__init__(logging.ERROR)
        self._conductor = conductor

    def emit(self, record: logging.LogRecord) -> None:
        """Say what broke, unless it is an answer that failed, which the conductor is told of."""
        error = record.exc_info[1] if record.exc_info else None
        if type(error).__module__.startswith("playwright"):  # said of a page that was given up, to nobody in particular
            return
        told = f"{error or record.getMessage()}".partition("\n")[0]
        if record.name.startswith("twisted"):
            self._conductor.state.counts[BROKEN_CONNECTIONS] += 1
        elif record.name.startswith(("asyncio", "scrapy.core.engine")):
            say(error=f"the crawler broke down: {told}", kind="DiglotError")
            os._exit(1)


class _Teller:
    """Called after each answer: says how many pages were stored since it last did."""

    def __init__(self, conductor: Conductor) -> None:
        self._conductor = conductor
        self._said = 0

    def __call__(self) -> None:
        stored = self._conductor.state.counts["stored"]
        if stored > self._said:
            say(pages=stored - self._said)
            self._said = stored


def say(**event: Any) -> None:
    """One line to the one who started us."""
    print(json.dumps(event), flush=True)


def _keep_output() -> None:
    """Keep the output to this process: one that it starts, and that hangs, must not hold it open."""
    sys.stdout = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)


def _end_with_starter() -> None:
    """Wait until the input is closed, which the system does for a starter that was killed."""
    while os.read(0, 1 << 12):
        pass
    os._exit(1)


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the archive; the lock of the run folder is its starter's and goes with it."""
    folder.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + LOCK_WAIT_S
    with contextlib.ExitStack() as stack:
        while True:
            try:
                stack.enter_context(held(folder / ".lock"))
                break
            except BlockingIOError as error:
                if time.monotonic() > until:
                    raise RunFolderError(f"{folder}: another crawl is at work here; wait for it") from error
                time.sleep(0.05)
        yield


if __name__ == "__main__":
    sys.exit(main())
