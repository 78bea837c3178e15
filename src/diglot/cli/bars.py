"""A progress bar for the running stage, on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
from rich.text import Text

from diglot.cli.lines import Lines
from diglot.progress import BYTES

BAR_COLUMNS = range(8, 41)
"""Possible widths of the bar."""
OTHER_COLUMNS = 52
"""Columns for the stage, the step, and the time."""
_CLEAR_LINE = "\r\x1b[K"


class _Count(ProgressColumn):
    """The amount done, of the total if known, or the name of the step."""

    max_refresh = None

    def render(self, task: Task) -> Text:
        unit, step, done = task.fields["unit"], task.fields["step"], int(task.completed)
        if unit == BYTES and task.total:
            return Text(f"{done / 1e6:,.1f} of {task.total / 1e6:,.1f} MB")
        if _is_counted(task):
            return Text(f"{done:,} of {int(task.total or 0):,} {unit}")
        return Text(step or (f"{done:,} {unit}" if done else unit))


class _Time(ProgressColumn):
    """Time left, by the speed of the last half minute; time passed, without a count or a speed."""

    max_refresh = 0.5

    def render(self, task: Task) -> Text:
        left = task.time_remaining if _is_counted(task) else None
        seconds, kind = (left, " left") if left else (task.elapsed or 0, "")
        minutes, seconds = divmod(int(seconds), 60)
        hours, minutes = divmod(minutes, 60)
        return Text(f"{hours}:{minutes:02}:{seconds:02}{kind}" if hours else f"{minutes}:{seconds:02}{kind}")


def _is_counted(task: Task) -> bool:
    """Whether the task has several pieces; a count of one piece says less than the name of the step."""
    return task.total is not None and task.total > 1


class _Display(Progress):
    """The bar of a stage, and its state in a line below."""

    state = ""

    def get_renderables(self) -> Iterable[RenderableType]:
        yield from super().get_renderables()
        if self.state:
            yield Text(f"{'':<9} {self.state}", no_wrap=True, overflow="ellipsis")


class Bars(Lines):
    """Listener: draws a progress bar per stage on a terminal; without a count the bar pulses."""

    def __init__(self, *, verbose: bool = False) -> None:
        super().__init__(verbose=verbose)
        self._bars: _Display | None = None
        self._has_loading_line = True
        sys.stderr.write("loading the program")  # takes a second, from a cold disk ten
        sys.stderr.flush()

    def start(self, stage: str, total: int | None, unit: str) -> None:
        """Draw the stage's bar."""
        # rich draws a single bar at a time.
        self.close()
        super().start(stage, total, unit)
        console = Console(stderr=True)
        width = max(BAR_COLUMNS[0], min(BAR_COLUMNS[-1], console.width - OTHER_COLUMNS))
        columns = (TextColumn("{task.description:<9}"), BarColumn(width), _Count(), _Time())
        self._bars = _Display(*columns, console=console, transient=True)
        self._bars.start()
        self._draw("", total, unit)

    def _draw(self, step: str, total: int | None, unit: str) -> None:
        if self._bars is not None:
            # The speed of the last step says nothing about this step: a new task measures anew.
            for task in self._bars.task_ids:
                self._bars.remove_task(task)
            pulse = total is None or total <= 1
            self._bars.add_task(self._stage, total=None if pulse else total, unit=unit, step=step)

    def step(self, text: str, total: int | None = None, unit: str = "") -> None:
        """Restart the bar for the step."""
        super().step(text, total, unit)
        self._draw(text, total, unit)

    def show_state(self, text: str, total: int | None = None, *, at_once: bool = False) -> None:
        """Show the state below the bar; ``total``: units known by now, for the time left."""
        if self._bars is not None:
            self._bars.state = text
            self._bars.update(self._bars.task_ids[0], total=total)

    def advance(self, done: int) -> None:
        """Move the bar."""
        if self._bars is not None:
            self._bars.advance(self._bars.task_ids[0], done)

    def finish(self, text: str) -> None:
        """Replace the bar by the line of the stage."""
        self.close()
        super().finish(text)

    def reuse(self, stage: str, text: str) -> None:
        """Replace the bar by the line of the stage."""
        self.close()
        super().reuse(stage, text)

    def answer(self, summary: dict[str, object], text: str) -> None:
        """Replace the bar by the answer."""
        self.close()
        super().answer(summary, text)

    def _say(self, line: str) -> None:
        if self._bars is None:
            super()._say(line)
        else:
            # Printed by rich, the line goes above the bar and not into it.
            self._bars.console.print(Text(line))

    def close(self) -> None:
        """Remove the bar and show the cursor again."""
        if self._bars is not None:
            self._bars.stop()
            self._bars = None
        if self._has_loading_line:
            self._has_loading_line = False
            sys.stderr.write(_CLEAR_LINE)
            sys.stderr.flush()
