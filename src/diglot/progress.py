"""How a run tells the one who started it how far it is; the default says nothing."""

from __future__ import annotations

import sys
from typing import Protocol

from diglot.notebook import InNotebook

BYTES = "bytes"
"""A unit of work that a listener may show in larger ones."""


class Progress(Protocol):
    """Listener of a run."""

    def start(self, stage: str, total: int | None, unit: str) -> None:
        """A stage begins; ``total`` units of work, None where unknown."""

    def advance(self, done: int) -> None:
        """``done`` more units."""

    def step(self, text: str, total: int | None = None, unit: str = "") -> None:
        """What the stage is at from here on, in a few words; it counts anew, ``total`` units where there is a count."""

    def finish(self, text: str) -> None:
        """The stage is done; ``text`` is its line of the funnel."""

    def kept(self, stage: str, text: str) -> None:
        """A stage is as it was before: nothing of it had to be done."""


class Silent:
    """Says nothing."""

    def start(self, stage: str, total: int | None, unit: str) -> None:
        """Ignored."""

    def advance(self, done: int) -> None:
        """Ignored."""

    def step(self, text: str, total: int | None = None, unit: str = "") -> None:
        """Ignored."""

    def finish(self, text: str) -> None:
        """Ignored."""

    def kept(self, stage: str, text: str) -> None:
        """Ignored."""


def usual() -> Progress:
    """Who listens where nobody was named: the notebook that the program runs in, or nobody."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return InNotebook() if hasattr(shell, "kernel") else Silent()
