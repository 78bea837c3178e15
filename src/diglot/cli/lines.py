"""Progress as plain lines, or as JSON for a program that reads it."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from diglot.cli.streams import fitted, say, terminal_columns

TOLD_EVERY_S = 2.0
"""Least time between two events of a count, as JSON."""


class Lines:
    """Listener that prints one line a finished stage; the summary goes to standard output.

    ``quiet``: neither. ``verbose``: a line a step, too, and whoever prints a result may tell more.
    """

    is_json = False

    def __init__(self, *, quiet: bool = False, verbose: bool = False) -> None:
        self.quiet, self.verbose = quiet, verbose
        self._stage = ""
        self._started = 0.0

    def start(self, stage: str, total: int | None, unit: str) -> None:
        """A stage begins."""
        self._stage, self._started = stage, time.monotonic()

    def advance(self, done: int) -> None:
        """Nothing to show between lines."""

    def step(self, text: str, total: int | None = None, unit: str = "") -> None:
        """A line for those who want all of it."""
        if self.verbose:
            self._say(f"{self._stage:<9} ... {text}{f' ({total:,} {unit})' if total else ''}")

    def finish(self, text: str) -> None:
        """The stage's line of the funnel."""
        self._tell(text, seconds=time.monotonic() - self._started)

    def kept(self, stage: str, text: str) -> None:
        """The line of a stage that is as before."""
        self._stage = stage
        self._tell(text, seconds=None)

    def close(self) -> None:
        """Leave the terminal as it was, in the middle of a stage, too."""

    def _tell(self, text: str, *, seconds: float | None) -> None:
        self._say(f"{self._stage:<9} {text}, {'as before' if seconds is None else f'{seconds:.1f} s'}")

    def _say(self, line: str) -> None:
        if not self.quiet:
            say(line)

    def result(self, summary: dict[str, Any], text: str) -> None:
        """What the run found."""
        if text and not self.quiet:
            print(fitted(text, terminal_columns(sys.stdout)))


class Events(Lines):
    """Listener that prints a JSON object for whatever happens, a count at most every :data:`TOLD_EVERY_S`."""

    is_json = True

    def __init__(self, *, quiet: bool = False, verbose: bool = False) -> None:
        super().__init__(quiet=quiet, verbose=verbose)
        self._step: dict[str, Any] = {}
        self._done = 0
        self._told = 0.0

    def start(self, stage: str, total: int | None, unit: str) -> None:
        """A stage begins."""
        super().start(stage, total, unit)
        self._begin(total=total, unit=unit)

    def step(self, text: str, total: int | None = None, unit: str = "") -> None:
        """A step begins."""
        self._begin(step=text, total=total, unit=unit)

    def _begin(self, **step: Any) -> None:
        self._step, self._done, self._told = step, 0, time.monotonic()
        self._say(json.dumps({"stage": self._stage, **step}))

    def advance(self, done: int) -> None:
        """Tell how far it is, now and then."""
        self._done += done
        if time.monotonic() - self._told >= TOLD_EVERY_S:
            self._told = time.monotonic()
            self._say(json.dumps({"stage": self._stage, **self._step, "at": self._done}))

    def _tell(self, text: str, *, seconds: float | None) -> None:
        how = {"kept": True} if seconds is None else {"seconds": round(seconds, 2)}
        self._say(json.dumps({"stage": self._stage, "done": text, **how}))

    def result(self, summary: dict[str, Any], text: str) -> None:
        """The summary as JSON, whatever else is not to be said."""
        print(json.dumps(summary, ensure_ascii=False))
