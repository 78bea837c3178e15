"""A bead: which units of the source side correspond to which of the target side."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from diglot.errors import SourceError

_LINE = re.compile(r"\s*\[([\d,\s]*)\]\s*:\s*\[([\d,\s]*)\]\s*(?::.*)?$", re.ASCII)


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


def parse_beads(lines: Iterable[str]) -> Iterator[Bead]:
    """Beads of lines such as ``[0, 1]:[2]``; blank lines and what follows a second colon are left out.

    An empty side gets the place where the side stands: the end of the bead before it.

    Raises: SourceError for a line in another format or with units that are not consecutive.
    """
    src_end = tgt_end = 0
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        found = _LINE.match(line)
        if found is None:
            raise SourceError(f'line {number}: {line.strip()!r} is not a bead; write "[0, 1]:[2]"')
        src = _span(found[1], src_end, number)
        tgt = _span(found[2], tgt_end, number)
        src_end, tgt_end = src[1], tgt[1]
        yield Bead(src, tgt)


def _span(listed: str, empty_at: int, number: int) -> tuple[int, int]:
    try:
        units = [int(unit) for unit in listed.split(",")] if listed.strip() else []
    except ValueError:
        raise SourceError(f"line {number}: [{listed}] is not a list of unit numbers such as [0, 1]") from None
    if not units:
        return empty_at, empty_at
    if units != list(range(units[0], units[0] + len(units))):
        raise SourceError(f"line {number}: the units [{listed}] of a bead must be consecutive and rising")
    return units[0], units[-1] + 1
