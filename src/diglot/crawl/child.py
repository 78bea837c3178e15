"""The process a crawl runs in: ``python -m diglot.crawl.child JOURNAL WARC_FOLDER``, options as JSON on its input.

Says on its output, one JSON object a line, how far it is; ends when its input is closed, so that it never
outlives the one who started it. Scrapy wants a process of its own: its reactor can be started once.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import logging
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scrapy import signals
from scrapy.crawler import CrawlerProcess
from scrapy.http import Response
from twisted.python.failure import Failure

from diglot import __version__
from diglot.crawl.archive import Archive
from diglot.crawl.conductor import Conductor
from diglot.crawl.frontier import Frontier
from diglot.crawl.options import CrawlOptions
from diglot.crawl.spider import ConductedSpider, scrapy_settings
from diglot.errors import DiglotError, RunFolderError

LOCK_WAIT_S = 20.0
"""How long to wait for a crawl whose starter was killed and that has yet to notice."""


def main() -> int:
    """Crawl; 0, or 1 after an ``error`` line."""
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
    process = CrawlerProcess(scrapy_settings(options))
    crawler = process.create_crawler(ConductedSpider)
    broken: list[DiglotError] = []

    def erred(failure: Failure, response: Response) -> None:
        if isinstance(failure.value, DiglotError):
            broken.append(failure.value)
            conductor.stop()
        else:
            conductor.gave_up(response.request.meta["job"], failure.value)

    logging.getLogger().addHandler(_Alarm(logging.ERROR))
    crawler.signals.connect(erred, signals.spider_error)
    process.crawl(crawler, conductor=conductor, told=_Teller(conductor))
    process.start()
    if broken:
        raise broken[0]
    say(end=dict(conductor.counts), limit=conductor.limit, notices=conductor.notices, trouble=conductor.trouble)
    frontier.close()


class _Alarm(logging.Handler):
    """Ends the process where Scrapy's own machinery breaks down, which it logs and survives without going on."""

    def emit(self, record: logging.LogRecord) -> None:
        """Say what broke, unless it is an answer that failed, which the conductor is told of."""
        if record.name.startswith(("asyncio", "scrapy.core.engine", "twisted")):
            error = record.exc_info[1] if record.exc_info else None
            say(error=f"the crawler broke down: {error or record.getMessage()}".splitlines()[0], kind="DiglotError")
            os._exit(1)


class _Teller:
    """Called after each answer: says how many pages were stored since it last did."""

    def __init__(self, conductor: Conductor) -> None:
        self._conductor = conductor
        self._said = 0

    def __call__(self) -> None:
        stored = self._conductor.counts["stored"]
        if stored > self._said:
            say(pages=stored - self._said)
            self._said = stored


def say(**event: Any) -> None:
    """One line to the one who started us."""
    print(json.dumps(event), flush=True)


def _end_with_starter() -> None:
    """Wait until the input is closed, which the system does for a starter that was killed."""
    while os.read(0, 1 << 12):
        pass
    os._exit(1)


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the archive; the lock of the run folder is its starter's and goes with it."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as handle:
        until = time.monotonic() + LOCK_WAIT_S
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError as error:
                if time.monotonic() > until:
                    raise RunFolderError(f"{folder}: another crawl is at work here; wait for it") from error
                time.sleep(0.05)
        yield


if __name__ == "__main__":
    sys.exit(main())
