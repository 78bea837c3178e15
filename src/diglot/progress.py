"""Listeners to the progress of a run: one that is silent, and one that shows lines below the cell of a notebook."""

from __future__ import annotations

import sys
import time
from typing import Any, Protocol, runtime_checkable

BYTES = "bytes"
"""A unit of work, which a listener may show in larger units."""
SHORT_REST_S = 5.0
"""Seconds of a host's rest below which the rest is not reported."""
_SHOWN_EVERY_S = 0.2


@runtime_checkable
class Progress(Protocol):
    """Listener to the progress of a run."""

    def start(self, stage: str, total: int | None, unit: str) -> None:
        """A stage begins; ``total``: units of work, None if unknown."""

    def advance(self, done: int) -> None:
        """``done`` more units are done."""

    def step(self, text: str, total: int | None = None, unit: str = "") -> None:
        """A step of the stage begins, described by ``text``; units count from 0 again."""

    def show_state(self, text: str, total: int | None = None, *, at_once: bool = False) -> None:
        """State of the running step, beside its count; ``total``: the units known by now, where they grow.

        ``at_once``: no other state may follow for long, so a listener shows this one now.
        """

    def finish(self, text: str) -> None:
        """The stage is done; ``text``: its line of the funnel."""

    def reuse(self, stage: str, text: str) -> None:
        """The stage reuses the results of an earlier command; ``text``: its line of the funnel."""


class Silent:
    """Silent listener."""

    def start(self, stage: str, total: int | None, unit: str) -> None:
        """Ignored."""

    def advance(self, done: int) -> None:
        """Ignored."""

    def step(self, text: str, total: int | None = None, unit: str = "") -> None:
        """Ignored."""

    def show_state(self, text: str, total: int | None = None, *, at_once: bool = False) -> None:
        """Ignored."""

    def finish(self, text: str) -> None:
        """Ignored."""

    def reuse(self, stage: str, text: str) -> None:
        """Ignored."""


class InNotebook:
    """Listener in notebooks, with a line for each stage: progress first, the result at the end."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._stage, self._at, self._unit = "", "", ""
        self._done = 0
        self._total: int | None = None
        self._shown_at = 0.0
        self._handle: Any = None

    def start(self, stage: str, total: int | None, unit: str) -> None:
        """Add a line for the stage."""
        self._stage, self._at = stage, ""
        self._restart_count(total, unit)

    def advance(self, done: int) -> None:
        """Count on, and show the count a few times a second."""
        self._done += done
        if time.monotonic() - self._shown_at > _SHOWN_EVERY_S:
            self._show(self._line())

    def step(self, text: str, total: int | None = None, unit: str = "") -> None:
        """Show the step in the line, and count from 0."""
        self._at = text
        self._restart_count(total, unit)

    def show_state(self, text: str, total: int | None = None, *, at_once: bool = False) -> None:
        """Show the state in the line."""
        self._at, self._total = text, total
        self._show(self._line())

    def finish(self, text: str) -> None:
        """Show the result in the line."""
        self._end(text)

    def reuse(self, stage: str, text: str) -> None:
        """Show an earlier result in the line."""
        self._stage = stage
        self._end(f"{text}, as before")

    def _restart_count(self, total: int | None, unit: str) -> None:
        self._done, self._total, self._unit = 0, total, unit
        self._show(self._line())

    def _line(self) -> str:
        counted = f"{self._done:,}{f' of {self._total:,}' if self._total else ''} {self._unit}"
        return f"{self._stage}: {self._at}{', ' if self._at else ''}{counted if self._done or self._total else '...'}"

    def _end(self, text: str) -> None:
        self._lines.append(f"{self._stage}: {text}")
        self._show()

    def _show(self, *running: str) -> None:
        from IPython.display import display

        self._shown_at = time.monotonic()
        shown = {"text/plain": "\n".join([*self._lines, *running])}
        if self._handle is None:
            self._handle = display(shown, raw=True, display_id=True)
        else:
            self._handle.update(shown, raw=True)


def default_progress() -> Progress:
    """Default listener: in a notebook lines below the cell, else silence."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return InNotebook() if hasattr(shell, "kernel") else Silent()
