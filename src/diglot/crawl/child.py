"""The process a crawl runs in: ``python -m diglot.crawl.child JOURNAL WARC_FOLDER``, options as JSON on its input."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from diglot.crawl.archive import Archive
from diglot.crawl.fetcher import MAX_HOSTS_AT_ONCE, Fetcher
from diglot.crawl.options import CrawlOptions
from diglot.crawl.page_parser import PageParser
from diglot.crawl.page_reading import NOT_RENDERED
from diglot.crawl.queue.frontier import Frontier
from diglot.crawl.scheduler import Scheduler
from diglot.disk.locks import held
from diglot.errors import DiglotError, RunFolderError
from diglot.version import __version__

LOCK_WAIT_S = 20.0
"""How long to wait for a crawl whose starter was killed and that has yet to notice."""


def main() -> int:
    """Crawl; 0, or 1 after an ``error`` line."""
    _keep_output()
    logging.getLogger().addHandler(logging.NullHandler())
    journal, folder = map(Path, sys.argv[1:3])
    options = CrawlOptions.from_json(sys.stdin.readline())
    threading.Thread(target=_end_with_starter, daemon=True).start()
    try:
        with _alone(folder):
            crawl(options, journal, folder)
    except DiglotError as error:
        say(error=str(error), kind=type(error).__name__)
        return 1
    except Exception as error:  # noqa: BLE001  the one who started us is told of it once
        say(error=f"the crawler broke down: {error}".partition("\n")[0], kind="DiglotError")
        return 1
    return 0


def crawl(options: CrawlOptions, journal: Path, folder: Path) -> None:
    """Run the crawl to its end and say what it came to."""
    frontier = Frontier(journal)
    archive = Archive(folder, frontier, software=f"diglot/{__version__}")
    scheduler = Scheduler(options, frontier, archive, clock=time.monotonic)
    scheduler.begin()
    with PageParser() as parse, ThreadPoolExecutor(max_workers=1) as reader:
        asyncio.run(_fetch_all(Fetcher(scheduler, parse=parse, reader=reader, told=_Teller(scheduler))))
    scheduler.conclude()
    state = scheduler.state
    if given_up := state.counts[NOT_RENDERED]:
        told = f"{given_up} pages could not be shown in the browser and are kept as they were sent"
        state.notices.append(f"{told}; out/fetches.tsv says why ({NOT_RENDERED})")
    say(end=dict(state.counts), limit=scheduler.limit, notices=state.notices, trouble=state.trouble)
    frontier.close()


async def _fetch_all(fetcher: Fetcher) -> None:
    """Run a fetcher with a thread for each host, because a silent name server blocks a thread."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(MAX_HOSTS_AT_ONCE))
    await fetcher.run()


class _Teller:
    """Called after each answer: says how many pages were stored since it last did."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._said = 0

    def __call__(self) -> None:
        stored = self._scheduler.state.counts["stored"]
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
