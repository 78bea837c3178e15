"""Progress on a terminal: bars with an ETA where somebody watches, plain lines or JSON elsewhere."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Any

from diglot.cli.streams import say

if TYPE_CHECKING:
    from rich.progress import Progress


class Lines:
    """Listener that prints one line a finished stage; the summary goes to standard output."""

    def __init__(self, *, as_json: bool = False, quiet: bool = False) -> None:
        self._as_json = as_json
        self._quiet = quiet
        self._stage = ""
        self._started = 0.0

    def start(self, stage: str, total: int | None, unit: str) -> None:
        """A stage begins."""
        self._stage, self._started = stage, time.monotonic()
        if self._as_json and not self._quiet:
            say(json.dumps({"stage": stage, "total": total, "unit": unit}))

    def advance(self, done: int) -> None:
        """Nothing to show between lines."""

    def finish(self, text: str) -> None:
        """The stage's line of the funnel."""
        seconds = time.monotonic() - self._started
        self._tell(self._stage, text, {"seconds": round(seconds, 2)}, f"{seconds:.1f} s")

    def kept(self, stage: str, text: str) -> None:
        """The line of a stage that is as before."""
        self._tell(stage, text, {"kept": True}, "as before")

    def _tell(self, stage: str, text: str, how: dict[str, Any], in_words: str) -> None:
        if not self._quiet:
            say(
                json.dumps({"stage": stage, "done": text, **how}) if self._as_json else f"{stage:<9} {text}, {in_words}"
            )

    def result(self, summary: dict[str, Any], text: str) -> None:
        """What the run found."""
        if self._as_json:
            print(json.dumps(summary, ensure_ascii=False))
        elif not self._quiet:
            print(text)


class Bars(Lines):
    """Listener that draws a bar a stage on a terminal."""

    def __init__(self) -> None:
        super().__init__()
        self._bars: Progress | None = None

    def start(self, stage: str, total: int | None, unit: str) -> None:
        """Draw the stage's bar."""
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        super().start(stage, total, unit)
        columns = (TextColumn("{task.description:<9}"), BarColumn(), MofNCompleteColumn(), TextColumn(unit))
        self._bars = Progress(*columns, TimeRemainingColumn(compact=True), console=Console(stderr=True), transient=True)
        self._bars.start()
        self._bars.add_task(stage, total=total)

    def advance(self, done: int) -> None:
        """Move the bar."""
        if self._bars is not None:
            self._bars.advance(self._bars.task_ids[0], done)

    def finish(self, text: str) -> None:
        """Replace the bar by its line."""
        if self._bars is not None:
            self._bars.stop()
            self._bars = None
        super().finish(text)


def console_for(*, as_json: bool = False, quiet: bool = False) -> Lines:
    """Bars on a terminal, lines elsewhere."""
    if sys.stderr.isatty() and not as_json and not quiet:
        return Bars()
    return Lines(as_json=as_json, quiet=quiet)
