"""Progress listeners of a run; the default listener is silent."""

from __future__ import annotations

import sys
from typing import Protocol

from diglot.notebook import InNotebook

BYTES = "bytes"
"""Unit of work that a listener may show in larger units."""


class Progress(Protocol):
    """Listener to the progress of a run."""

    def start(self, stage: str, total: int | None, unit: str) -> None:
        """A stage begins; ``total``: units of work, None if unknown."""

    def advance(self, done: int) -> None:
        """``done`` more units are done."""

    def step(self, text: str, total: int | None = None, unit: str = "") -> None:
        """A step of the stage begins, described by ``text``; units count from 0 again."""

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

    def finish(self, text: str) -> None:
        """Ignored."""

    def reuse(self, stage: str, text: str) -> None:
        """Ignored."""


def usual() -> Progress:
    """Default listener: in a notebook lines below the cell, else silence."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return InNotebook() if hasattr(shell, "kernel") else Silent()
