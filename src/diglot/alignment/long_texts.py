"""Texts too long to be aligned at once: cut into parts along their coarse path."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from diglot.alignment.beads import Bead, shift_beads
from diglot.alignment.lexical import one_sided
from diglot.alignment.lexical.units import ParallelText
from diglot.arrays import Ints

PART_SENTENCES = 20_000
"""Most sentences of a side aligned at a time, at 20 to 40 kB each; a book of 700 pages has this number."""
OVERLAP = 200
"""Source sentences at the end of a part that are aligned again with the next one: the coarse path is exact only to
some blocks."""


def is_long(pair: ParallelText) -> bool:
    """Whether a side has more sentences than are aligned at a time."""
    return max(len(pair.src), len(pair.tgt)) > PART_SENTENCES


def align_parts(pair: ParallelText, centre: Ints | None, align: Callable[[ParallelText], list[Bead]]) -> list[Bead]:
    """Beads of a long text, part by part; ``align`` gives the beads of a part.

    ``centre``: column of the coarse path at each row 0 .. len(src). A text with a short side has none: its sentences
    stay without counterparts.
    """
    rows, columns = len(pair.src), len(pair.tgt)
    if centre is None:
        return one_sided(ParallelText(pair.src, [])) + shift_beads(one_sided(ParallelText([], pair.tgt)), rows, 0)
    beads: list[Bead] = []
    row = column = 0
    while row < rows or column < columns:
        # A steep path has few rows for many columns.
        fitting = int(np.searchsorted(centre, column + PART_SENTENCES, "right")) - 1
        end = min(rows, max(row + 1, min(row + PART_SENTENCES, fitting)))
        last = columns if end == rows else max(column, int(centre[end]))
        part = shift_beads(align(_part(pair, slice(row, end), slice(column, last))), row, column)
        if end < rows:
            part = [bead for bead in part if bead.src[1] <= end - OVERLAP] or part
        beads += part
        row, column = part[-1].src[1], part[-1].tgt[1]
    return beads


def first_part(pair: ParallelText) -> ParallelText:
    """The first sentences of a long text, the same share of both sides."""
    longest = max(len(pair.src), len(pair.tgt))
    src, tgt = (slice(0, max(1, len(side) * PART_SENTENCES // longest)) for side in (pair.src, pair.tgt))
    return _part(pair, src, tgt)


def _part(pair: ParallelText, src: slice, tgt: slice) -> ParallelText:
    """A part of a text, without evidence from outside, which is of the whole."""
    return ParallelText(
        src=pair.src[src],
        tgt=pair.tgt[tgt],
        opens=(pair.opens[0][src], pair.opens[1][tgt]),
        kinds=(pair.kinds[0][src], pair.kinds[1][tgt]),
        fold=pair.fold,
        links=(pair.links[0][src], pair.links[1][tgt]),
        whole_links=(pair.whole_links[0][src], pair.whole_links[1][tgt]),
    )
