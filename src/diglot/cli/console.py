"""Listeners on the console: bars on a terminal, else plain lines or JSON; and the end of a finished run."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from diglot.cli.lines import Events, Lines
from diglot.cli.streams import say, terminal_columns
from diglot.disk.atomic import kept_aside
from diglot.disk.written import files_replaced
from diglot.layout import count_text

if TYPE_CHECKING:
    from diglot.results.run import Run

_open: list[Lines] = []
"""Listeners with a bar on the terminal, to be removed before any last line."""


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
    # Logs and pipes need no sign of life: only a person waits.
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


def tell_kept_aside() -> None:
    """Say which files of the user have another name now, and which runs lost files to another."""
    while kept_aside:
        path, other, was_ours = kept_aside.pop(0)
        why = "changed since Diglot wrote it" if was_ours else "was there before, and may be yours"
        say(f"kept      {path}: {why}; it is {other.name} now")
    while files_replaced:
        folder, run, number = files_replaced.pop(0)
        say(f"replaced  {folder}: {count_text(number, 'file')} that the run {run} had written there")


def tell_finished(run: Run, console: Lines) -> None:
    """Print funnel, files and next commands of a finished run."""
    from diglot.outputs.run_text import finished_text

    summary, options = run.summary(), run.settings.to_table() if console.verbose else None
    console.result(summary, finished_text(run.path, summary, options, terminal_columns(sys.stdout)))
