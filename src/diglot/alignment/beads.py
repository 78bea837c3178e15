"""A bead: which units of the source side correspond to which of the target side; and what is said of many at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from diglot.arrays import Floats, Ints

Similarity = Callable[[Ints], Floats]
"""Beads with two sides, int64 (k, 4): first sentence and end of the source side, then of the target side -> how well
the two sides match, (k,), on any scale, higher for better; NaN where nothing is known."""

BeadEvidence = Callable[[Ints], Floats]
"""The same beads -> log-likelihood ratios in nats, (k,), of the two sides translating each other against their being
unrelated."""


@dataclass(frozen=True, slots=True)
class Bead:
    """A run of source units and the run of target units that it corresponds to; either may be empty.

    ``src`` and ``tgt`` are half-open ranges ``(start, end)``, counted from 0. ``score`` is in [0, 1]; what it
    measures is said by the aligner that made the bead, and it is 0 where one side is empty.
    """

    src: tuple[int, int]
    tgt: tuple[int, int]
    score: float = 0.0

    @property
    def kind(self) -> str:
        """Units a side: "1-1", "2-1", "0-1" ..."""
        return f"{self.src[1] - self.src[0]}-{self.tgt[1] - self.tgt[0]}"


def format_bead(bead: Bead) -> str:
    """The bead as a line of the ladder format that vecalign and its scorers read.

    >>> format_bead(Bead((0, 2), (2, 3))), format_bead(Bead((5, 5), (3, 4)))
    ('[0, 1]:[2]', '[]:[3]')
    """
    return f"{list(range(*bead.src))}:{list(range(*bead.tgt))}"
