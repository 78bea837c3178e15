"""Progress as plain lines for people, or as JSON for programs."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from diglot.cli.streams import say, terminal_columns, wrap_lines

COUNT_EVERY_S = 2.0
"""Least time between two JSON events of a count."""
STATE_EVERY_S = 60.0
"""Least time between two lines about the state of a stage: a log of an hour has 60 at most."""


class Lines:
    """Listener: prints a line per finished stage to standard error, and the summary to standard output.

    ``quiet``: print neither, but the answer of a command that writes no file. ``verbose``: also print a
    line for each step.
    """

    is_json = False

    def __init__(self, *, quiet: bool = False, verbose: bool = False) -> None:
        self.quiet, self.verbose = quiet, verbose
        self._stage = self._unit = ""
        self._started = self._state_printed = 0.0
        self._done = 0

    def start(self, stage: str, total: int | None, unit: str) -> None:
        """A stage begins."""
        self._stage, self._unit, self._done = stage, unit, 0
        self._started = self._state_printed = time.monotonic()

    def advance(self, done: int) -> None:
        """Count on; there is nothing to show between lines."""
        self._done += done

    def step(self, text: str, total: int | None = None, unit: str = "") -> None:
        """Print the step if verbose."""
        if self.verbose:
            self._say(f"{self._stage:<9} ... {text}{f' ({total:,} {unit})' if total else ''}")

    def show_state(self, text: str, total: int | None = None, *, at_once: bool = False) -> None:
        """Print the count and the state every :data:`STATE_EVERY_S`, or at once."""
        if at_once or time.monotonic() - self._state_printed >= STATE_EVERY_S:
            self._state_printed = time.monotonic()
            self._say(f"{self._stage:<9} ... {self._done:,} {self._unit}, {text}")

    def finish(self, text: str) -> None:
        """Print the line of the stage."""
        self._print_stage(text, seconds=time.monotonic() - self._started)

    def reuse(self, stage: str, text: str) -> None:
        """Print the line of a stage with an earlier result."""
        self._stage = stage
        self._print_stage(text, seconds=None)

    def close(self) -> None:
        """Nothing to restore on the terminal."""

    def _print_stage(self, text: str, *, seconds: float | None) -> None:
        self._say(f"{self._stage:<9} {text}, {'as before' if seconds is None else f'{seconds:.1f} s'}")

    def _say(self, line: str) -> None:
        if not self.quiet:
            say(line)

    def result(self, summary: dict[str, Any], text: str) -> None:
        """Print the summary of a run as text."""
        if text and not self.quiet:
            self.answer(summary, text)

    def answer(self, summary: dict[str, Any], text: str) -> None:
        """Print the answer of a command as text, even if quiet: it writes no file in which to read the answer."""
        print(wrap_lines(text, terminal_columns(sys.stdout)))


class Events(Lines):
    """Listener: prints events as JSON objects, and counts at most every :data:`COUNT_EVERY_S`."""

    is_json = True

    def __init__(self, *, quiet: bool = False, verbose: bool = False) -> None:
        super().__init__(quiet=quiet, verbose=verbose)
        self._step: dict[str, Any] = {}
        self._printed = 0.0

    def start(self, stage: str, total: int | None, unit: str) -> None:
        """A stage begins."""
        super().start(stage, total, unit)
        self._begin(total=total, unit=unit)

    def step(self, text: str, total: int | None = None, unit: str = "") -> None:
        """A step begins."""
        self._begin(step=text, total=total, unit=unit)

    def _begin(self, **step: Any) -> None:
        self._step, self._done, self._printed = step, 0, time.monotonic()
        self._say(json.dumps({"stage": self._stage, **step}))

    def advance(self, done: int) -> None:
        """Print the count now and then."""
        self._done += done
        if time.monotonic() - self._printed >= COUNT_EVERY_S:
            self._print_count()

    def show_state(self, text: str, total: int | None = None, *, at_once: bool = False) -> None:
        """Keep the state for the next count."""
        self._step |= {"state": text, "total": total}
        if at_once:
            self._print_count()
        else:
            self.advance(0)

    def _print_count(self) -> None:
        self._printed = time.monotonic()
        self._say(json.dumps({"stage": self._stage, **self._step, "at": self._done}))

    def _print_stage(self, text: str, *, seconds: float | None) -> None:
        how = {"kept": True} if seconds is None else {"seconds": round(seconds, 2)}
        self._say(json.dumps({"stage": self._stage, "done": text, **how}))

    def result(self, summary: dict[str, Any], text: str) -> None:
        """Print the summary as JSON, even if quiet."""
        self.answer(summary, text)

    def answer(self, summary: dict[str, Any], text: str) -> None:
        """Print the answer as JSON."""
        print(json.dumps(summary, ensure_ascii=False))
