"""A process warmed for its forks: each fork is a command line that costs its work, without start and imports."""

from __future__ import annotations

import ctypes
import gc
import importlib
import os
import select
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import SimpleNamespace
from typing import NamedTuple

from diglot import engines
from diglot.cli import main
from diglot.crawl import child as crawl_child
from diglot.crawl import crawling
from diglot.crawl.options import CrawlOptions
from diglot.engines.server import serve_from_here
from diglot.run.work import PRELOAD

_SET_CHILD_SUBREAPER = 36
"""Of Linux's ``prctl``."""


def type_line(words: Sequence[str]) -> int:
    """Exit code of a command line in this process, which forks its workers from itself, as the program does.

    A crawl is forked, too: the program starts it in a new interpreter, which takes longer than the crawl.
    """
    engines.is_own_program = True
    # Not only the commands that do so themselves: a crawl would start a new interpreter for the pages that it reads.
    serve_from_here(PRELOAD)
    crawling._child = _crawl_in_a_fork
    return main([*words])


@contextmanager
def _crawl_in_a_fork(options: CrawlOptions, arguments: Sequence[str]) -> Iterator[SimpleNamespace]:
    """The process of a crawl; its input is open as long as this process lives, which ends it."""
    (in_end, tell), (heard, out_end) = os.pipe(), os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if not pid:
        code = 1
        try:
            os.dup2(in_end, 0)
            os.dup2(out_end, 1)
            for end in (in_end, tell, heard, out_end):
                os.close(end)
            sys.argv[1:], sys.stdin = arguments, os.fdopen(0)
            code = crawl_child.main()
        finally:
            os._exit(code)
    os.close(in_end)
    os.close(out_end)
    ended: list[int] = []

    def wait(_seconds: float = 0.0) -> None:
        if not ended:
            ended.append(os.waitpid(pid, 0)[1])

    with os.fdopen(heard) as said, os.fdopen(tell, "w") as told:
        told.write(options.to_json() + "\n")
        told.flush()
        try:
            yield SimpleNamespace(stdout=said, wait=wait, terminate=lambda: os.kill(pid, signal.SIGTERM))
        finally:
            if not ended:
                os.kill(pid, signal.SIGKILL)
                wait()


class Ended(NamedTuple):
    """How work in a fork ended. ``said``: what it returned, "" where it died; ``status``: as of ``os.waitpid``;
    ``cpu_s``, ``mib``: processor time and peak of its processes, workers too."""

    said: str
    status: int
    cpu_s: float
    mib: float


def work_in_a_fork(work: Callable[[], str], seconds: float) -> Ended:
    """Do work in a fork that has a server of workers of its own, and wait for all its processes.

    They are killed after so many seconds. This process may have no other children.
    """
    _adopt_orphans()
    read_end, write_end = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if not pid:
        code = 1
        try:
            os.setsid()
            os.close(read_end)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            engines.is_own_program = True
            serve_from_here(PRELOAD)
            os.write(write_end, work().encode()[:4000])
            code = 0
        finally:
            os._exit(code)
    os.close(write_end)
    with os.fdopen(read_end, "rb", buffering=0) as told:
        ready, _, _ = select.select([told], [], [], seconds)
        said = os.read(read_end, 4000).decode("utf-8", "replace") if ready else ""
        if not ready:
            os.killpg(pid, signal.SIGKILL)
    ended = Ended(said, 0, 0.0, 0.0)
    with suppress(ChildProcessError):
        while True:
            child, status, used = os.wait4(-1, 0)
            ended = Ended(
                said,
                status if child == pid else ended.status,
                ended.cpu_s + used.ru_utime + used.ru_stime,
                max(ended.mib, used.ru_maxrss / 1024),
            )
    return ended


def _adopt_orphans() -> None:
    """Make servers of workers children of this process once their parents end, so that it can wait for them."""
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def warm_up(work: Callable[[], object]) -> None:
    """Do work in a fork, and import into this process what it has imported. SystemExit where it fails."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if not pid:
        code = 1
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            work()
            os.write(write_end, "\n".join(sys.modules).encode())
            code = 0
        finally:
            os._exit(code)
    os.close(write_end)
    with os.fdopen(read_end) as told:
        names = told.read()
    if os.waitpid(pid, 0)[1]:
        raise SystemExit("the work that warms up has failed")
    for name in names.split():
        with suppress(ImportError):
            importlib.import_module(name)
    # As the program does before it forks workers: the collector of a fork need not visit modules.
    gc.collect()
    gc.freeze()
