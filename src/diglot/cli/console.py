"""Choice of the listener that prints progress: bars on a terminal, else plain lines or JSON."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from diglot.cli.lines import Events, Lines

_open: list[Lines] = []
"""Listeners of this process with a bar that may be on the terminal."""


def console_for(*, as_json: bool = False, quiet: bool = False, verbose: bool = False) -> Lines:
    """JSON events if asked for; bars on a terminal; lines elsewhere."""
    if as_json:
        return Events(quiet=quiet, verbose=verbose)
    if sys.stderr.isatty() and not quiet and os.environ.get("TERM", "") not in ("", "dumb", "unknown"):
        from diglot.cli.bars import Bars

        _open.append(Bars(verbose=verbose))
        return _open[-1]
    return Lines(quiet=quiet, verbose=verbose)


@contextmanager
def waiting(stage: str, text: str) -> Iterator[None]:
    """Show a stage of unknown length while the block runs; prints nothing unless standard error is a terminal."""
    listener = console_for(quiet=not sys.stderr.isatty())
    listener.start(stage, None, "")
    listener.step(text)
    try:
        yield
    finally:
        listener.close()


def close_consoles() -> None:
    """Remove all bars from the terminal."""
    while _open:
        _open.pop().close()
