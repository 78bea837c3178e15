"""A process warmed for its forks: each fork is a command line that costs its work, without start and imports."""

from __future__ import annotations

import gc
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress

from diglot import engines
from diglot.cli import main
from diglot.engines.server import serve_from_here
from diglot.run.work import PRELOAD


def type_line(words: Sequence[str]) -> int:
    """Exit code of a command line in this process, which forks its workers from itself, as the program does."""
    engines.is_own_program = True
    # Not only the commands that do so themselves: a crawl would start a new interpreter for the pages that it reads.
    serve_from_here(PRELOAD)
    return main([*words])


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
