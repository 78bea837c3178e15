"""The process of a crawl: ``python -m diglot.crawl.child JOURNAL WARC_FOLDER [again]``, options as JSON on its input.

``again``: the links of archived pages are followed first, because the wanted languages have changed.
"""

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

from diglot.crawl import FOLLOW_AGAIN
from diglot.crawl.archive import Archive
from diglot.crawl.archived_links import follow_archived_pages
from diglot.crawl.crawl_state import CrawlState
from diglot.crawl.fetcher import Fetcher
from diglot.crawl.options import CrawlOptions
from diglot.crawl.page_reading import NOT_RENDERED, PageParser
from diglot.crawl.queue.frontier import Frontier
from diglot.crawl.queue.site_scope import host_of
from diglot.crawl.scheduler import Scheduler
from diglot.disk.atomic import lock_file
from diglot.errors import DiglotError, RunFolderError, describe_error
from diglot.progress import SHORT_REST_S
from diglot.version import __version__

LOCK_WAIT_S = 20.0
"""Wait for the lock of a crawl whose parent has just died."""
STATE_EVERY_S = 1.0
"""Least time between two counts of the queue."""
HOSTS_NAMED = 2
"""Most hosts in the report on links to other sites."""


def main() -> int:
    """Crawl; returns 0, or 1 after an ``error`` line."""
    _reserve_stdout()
    logging.getLogger().addHandler(logging.NullHandler())
    journal, folder = map(Path, sys.argv[1:3])
    options = CrawlOptions.from_json(sys.stdin.readline())
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    try:
        with _lock_archive(folder):
            crawl(options, journal, folder, follow_again=FOLLOW_AGAIN in sys.argv[3:])
    except DiglotError as error:
        report(error=str(error), kind=type(error).__name__)
        return 1
    except Exception as error:  # noqa: BLE001  reported once instead of ten restarts by the parent
        report(error=f"the crawler broke down: {describe_error(error)}", kind="DiglotError")
        return 1
    return 0


def crawl(options: CrawlOptions, journal: Path, folder: Path, *, follow_again: bool = False) -> None:
    """Run the crawl to the end and print the results."""
    frontier = Frontier(journal)
    archive = Archive(folder, frontier, software=f"diglot/{__version__}")
    scheduler = Scheduler(options, frontier, archive, clock=time.monotonic)
    scheduler.begin()
    with PageParser() as parse, ThreadPoolExecutor(max_workers=1) as reader:
        if follow_again:
            follow_archived_pages(scheduler.state, folder, parse)
        asyncio.run(Fetcher(scheduler, parse=parse, reader=reader, after_answer=_PageReporter(scheduler)).run())
    scheduler.conclude()
    state = scheduler.state
    if given_up := state.counts[NOT_RENDERED]:
        notice = f"{given_up} pages could not be rendered in the browser and are kept as sent"
        state.notices.append(f"{notice}; out/fetches.tsv has the reasons ({NOT_RENDERED})")
    elsewhere = state.elsewhere.most_common(HOSTS_NAMED)
    report(
        end=dict(state.counts),
        limit=scheduler.limit,
        notices=state.notices,
        trouble=state.trouble,
        elsewhere=[host for host, _ in elsewhere],
    )
    frontier.close()


class _PageReporter:
    """Called after each answer: reports the pages stored since the last report and, now and then, the queue."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._reported = 0
        self._counted_at = -STATE_EVERY_S

    def __call__(self, url: str) -> None:
        state = self._scheduler.state
        stored = state.counts["stored"]
        if stored > self._reported:
            report(pages=stored - self._reported)
            self._reported = stored
        shown = _with_rest(state, url)
        rests = shown != url  # report at once: the next call may be minutes away
        if rests or time.monotonic() - self._counted_at >= STATE_EVERY_S:
            queue = state.frontier.queue_counts()
            report(queue=queue, url=shown, known=self._scheduler.stored_pages + queue["queued"], rests=rests)
            # The time after the count: a long count must not follow the last one at once.
            self._counted_at = time.monotonic()


def _with_rest(state: CrawlState, url: str) -> str:
    """The last address; with status and seconds to the next request after an error that makes its server rest."""
    troubled, status = state.troubled
    server = host_of(url)
    rest_s = state.pacing.wait_s(server)
    if url != troubled or server in state.left or rest_s < SHORT_REST_S:
        return url
    # A terminal cuts the end of the line.
    return f"status {status}, next request in {rest_s:.0f} s: {url}"


def report(**event: Any) -> None:
    """Print an event for the parent process, as one line of JSON."""
    print(json.dumps(event), flush=True)


def _reserve_stdout() -> None:
    """Keep standard output for this process: a child that hangs must not hold the pipe open."""
    sys.stdout = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)


def _exit_with_parent() -> None:
    """Wait for the end of the input, which comes when the parent exits or is killed."""
    while os.read(0, 1 << 12):
        pass
    # Not sys.exit, which would wait for the threads.
    os._exit(1)


@contextlib.contextmanager
def _lock_archive(folder: Path) -> Iterator[None]:
    """Lock the archive; the lock of the run folder belongs to the parent and ends with it."""
    folder.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + LOCK_WAIT_S
    with contextlib.ExitStack() as stack:
        while True:
            try:
                stack.enter_context(lock_file(folder / ".lock"))
                break
            except BlockingIOError as error:
                if time.monotonic() > until:
                    raise RunFolderError(f"{folder}: another crawl is at work here; wait for it") from error
                time.sleep(0.05)
        yield


if __name__ == "__main__":
    sys.exit(main())
