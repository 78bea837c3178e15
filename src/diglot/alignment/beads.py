"""Beads (source sentences or blocks with the target sentences or blocks they correspond to), evidence for them, and the
names of the aligners that find them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast, get_args

from diglot.arrays import Floats, Ints
from diglot.errors import RecipeError, no_such

Similarity = Callable[[Ints], Floats]
"""Two-sided beads, int64 (k, 4): first and end of the source run, first and end of the target run -> similarity of the
two sides, (k,), on any scale, higher for better; NaN for unknown."""

BeadEvidence = Callable[[Ints], Floats]
"""The same beads -> log-likelihood ratios in nats, (k,): the two sides as translations against unrelated text."""


Aligner = Literal["tags", "gale_church", "lexical"]
LENGTH_ALIGNERS = frozenset(("tags", "gale_church"))
"""Aligners that score by the fit of lengths; the score of "lexical" is the probability of a right segment."""


@dataclass(frozen=True, slots=True)
class Bead:
    """A run of source sentences (or blocks) and the run of target sentences that translates it; either may be empty.

    ``src`` and ``tgt`` are half-open ranges ``(start, end)``, counted from 0. ``score`` is in [0, 1]; each
    aligner documents its meaning, also for an empty side.
    """

    src: tuple[int, int]
    tgt: tuple[int, int]
    score: float = 0.0

    @property
    def sizes(self) -> tuple[int, int]:
        """Number of sentences of each side."""
        return self.src[1] - self.src[0], self.tgt[1] - self.tgt[0]

    @property
    def kind(self) -> str:
        """Sentences a side: "1-1", "2-1", "0-1" ..."""
        return "{}-{}".format(*self.sizes)


def bead_sizes(kind: str) -> tuple[int, int]:
    """Number of sentences of each side, from the kind of a bead.

    >>> bead_sizes("2-1")
    (2, 1)
    """
    src, _, tgt = kind.partition("-")
    return int(src), int(tgt)


def shift_beads(beads: Sequence[Bead], row: int, column: int) -> list[Bead]:
    """The beads of a part as beads of the whole text; the part begins at source sentence ``row``, target ``column``."""
    return [
        replace(
            bead,
            src=(bead.src[0] + row, bead.src[1] + row),
            tgt=(bead.tgt[0] + column, bead.tgt[1] + column),
        )
        for bead in beads
    ]


def format_bead(bead: Bead) -> str:
    """The bead as a line of the ladder format that vecalign and its scorers read.

    >>> format_bead(Bead((0, 2), (2, 3))), format_bead(Bead((5, 5), (3, 4)))
    ('[0, 1]:[2]', '[]:[3]')
    """
    return f"{list(range(*bead.src))}:{list(range(*bead.tgt))}"


def as_aligner(name: str) -> Aligner:
    """The aligner of a name; :class:`RecipeError` for an unknown name."""
    for known in get_args(Aligner):
        if known == name:
            return cast(Aligner, known)
    raise RecipeError(no_such("aligner", name, get_args(Aligner)))
