"""Who tells the person at the terminal: bars where somebody watches, plain lines or JSON elsewhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from diglot.cli.lines import Events, Lines

_open: list[Lines] = []
"""Listeners of this process that may have something on the terminal."""


def console_for(*, as_json: bool = False, quiet: bool = False, verbose: bool = False) -> Lines:
    """Bars on a terminal, lines elsewhere."""
    if as_json:
        return Events(quiet=quiet, verbose=verbose)
    if sys.stderr.isatty() and not quiet and os.environ.get("TERM", "") not in ("", "dumb", "unknown"):
        from diglot.cli.bars import Bars

        _open.append(Bars(verbose=verbose))
        return _open[-1]
    return Lines(quiet=quiet, verbose=verbose)


@contextmanager
def waiting(stage: str, text: str) -> Iterator[None]:
    """Show on a terminal, and nowhere else, what takes a while."""
    listener = console_for(quiet=not sys.stderr.isatty())
    listener.start(stage, None, "")
    listener.step(text)
    try:
        yield
    finally:
        listener.close()


def close_consoles() -> None:
    """Leave the terminal as it was before any stage began."""
    while _open:
        _open.pop().close()
