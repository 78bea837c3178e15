"""The listener of a run that is started in a notebook: lines below the cell."""

from __future__ import annotations

import time
from typing import Any

_SHOWN_EVERY_S = 0.2


class InNotebook:
    """A :class:`diglot.progress.Progress`: a line a stage, which says how far it is until it says what was done."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._stage, self._at, self._unit = "", "", ""
        self._done = 0
        self._total: int | None = None
        self._shown_at = 0.0
        self._handle: Any = None

    def start(self, stage: str, total: int | None, unit: str) -> None:
        """A line for the stage."""
        self._stage, self._at = stage, ""
        self._count_anew(total, unit)

    def advance(self, done: int) -> None:
        """The line counts on, a few times a second."""
        self._done += done
        if time.monotonic() - self._shown_at > _SHOWN_EVERY_S:
            self._show(self._line())

    def step(self, text: str, total: int | None = None, unit: str = "") -> None:
        """The line says what the stage is at, and counts anew."""
        self._at = text
        self._count_anew(total, unit)

    def finish(self, text: str) -> None:
        """The line says what was done."""
        self._end(text)

    def kept(self, stage: str, text: str) -> None:
        """The line says what there is."""
        self._stage = stage
        self._end(f"{text}, as before")

    def _count_anew(self, total: int | None, unit: str) -> None:
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
