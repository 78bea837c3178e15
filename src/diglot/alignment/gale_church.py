"""Gale & Church's alignment: the cheapest sequence of beads by length alone.

Source: Gale & Church 1993, "A program for aligning sentences in bilingual corpora", Computational Linguistics 19(1).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from diglot.alignment.bands import MAX_CELLS, Band, Path, narrow_width, proportional_centre, solve_in_band
from diglot.alignment.beads import Bead
from diglot.alignment.path_kernels import length_path
from diglot.arrays import Floats

PRIORS: Mapping[tuple[int, int], float] = {
    (1, 1): 0.89,
    (1, 0): 0.00495,
    (0, 1): 0.00495,
    (2, 1): 0.0445,
    (1, 2): 0.0445,
    (2, 2): 0.011,
}
"""Probability of every type of bead, Gale & Church 1993, table 5. The paper gives one figure for both directions of a
type, halved here; the six sum to 0.99990 as printed, and :func:`bead_costs` scales them to 1."""

VARIANCE = 6.8
"""Variance of the target length per character of the source (s squared; Gale & Church 1993, section 3.2)."""

KIND_COST = -math.log(0.01)
"""Extra cost of a bead of several kinds of block (a heading with a paragraph), in nats; our choice."""

RATIO_RANGE = (0.1, 10.0)
"""Bounds of the target characters per source character; no two languages are further apart."""

_TABLE_STEP = 1 / 128
_TABLE_SIZE = 32 * 128 + 1
"""Step and number of the deviations in the table of length costs, 0 .. 32; linear in between."""


def text_length(text: str) -> int:
    """Number of characters without white space: the length of a text to all aligners."""
    return sum(map(len, text.split()))


def bead_costs(priors: Mapping[tuple[int, int], float]) -> dict[tuple[int, int], float]:
    """-log probability of every type of bead; the probabilities are scaled to sum to 1.

    Raises: ValueError if a probability is not positive, 1-0 or 0-1 is missing (a page may end up unaligned), or a type
    is 0-0.
    """
    if min(priors.values(), default=0) <= 0 or not {(1, 0), (0, 1)} <= set(priors) or (0, 0) in priors:
        raise ValueError("bead priors must be positive and include 1-0 and 0-1")
    total = math.fsum(priors.values())
    return {kind: -math.log(prior / total) for kind, prior in priors.items()}


def totals_ratio(src_lengths: Sequence[float], tgt_lengths: Sequence[float]) -> float:
    """Target characters per source character over the whole text, within :data:`RATIO_RANGE`; 1 for an empty side."""
    src_total, tgt_total = float(sum(src_lengths)), float(sum(tgt_lengths))
    # A ratio of an empty side would be 0 or infinite, and all lengths with it.
    if src_total <= 0 or tgt_total <= 0:
        return 1.0
    return min(max(tgt_total / src_total, RATIO_RANGE[0]), RATIO_RANGE[1])


def length_fit(src_length: float, tgt_length: float, *, variance: float = VARIANCE) -> float:
    """2 (1 - Phi(abs(delta))): share of true pairs with lengths that fit no better; lengths on one scale; in [0, 1]."""
    mean = (src_length + tgt_length) / 2
    return math.erfc(abs(tgt_length - src_length) / math.sqrt(2 * variance * mean)) if mean > 0 else 1.0


def align_lengths(
    src_lengths: Sequence[float],
    tgt_lengths: Sequence[float],
    *,
    ratio: float | None = None,
    priors: Mapping[tuple[int, int], float] = PRIORS,
    kinds: tuple[Sequence[int], Sequence[int]] | None = None,
    max_cells: int = MAX_CELLS,
) -> list[Bead]:
    """Beads of two lists of lengths; they cover each side once, in order.

    Parameters: ``ratio``, target characters per source character (the paper's c): None takes the ratio of the totals,
    1 is the paper's own figure. ``kinds``, the kind of block of every sentence on both sides: a bead of several kinds
    costs ``KIND_COST``. ``max_cells`` bounds memory and time (one byte a cell). Returns: beads with :func:`length_fit`
    as ``score``, 0 for an empty side. The score measures how well lengths fit and is no probability: over true beads it
    is about uniform on [0, 1]. Cost: O((n + m) * band), about 0.1 microseconds a cell.
    """
    src, tgt = _in_one_unit(src_lengths, tgt_lengths, ratio)
    path = _path(src, tgt, bead_costs(priors), kinds, max_cells)
    beads = []
    for (i, j), (next_i, next_j) in zip(path[:-1].tolist(), path[1:].tolist(), strict=True):
        paired = next_i > i and next_j > j
        fit = length_fit(src[i:next_i].sum(), tgt[j:next_j].sum()) if paired else 0.0
        beads.append(Bead((i, next_i), (j, next_j), fit))
    return beads


def length_nodes(src_lengths: Sequence[float], tgt_lengths: Sequence[float], *, max_cells: int = MAX_CELLS) -> Path:
    """The path of :func:`align_lengths` as nodes, from (0, 0) to the ends of both sides."""
    return _path(*_in_one_unit(src_lengths, tgt_lengths, None), bead_costs(PRIORS), None, max_cells)


def _in_one_unit(
    src_lengths: Sequence[float], tgt_lengths: Sequence[float], ratio: float | None
) -> tuple[Floats, Floats]:
    # Both sides are scaled by the root of the ratio: the deviation is then the same in both directions.
    root = math.sqrt(totals_ratio(src_lengths, tgt_lengths) if ratio is None else ratio)
    return np.asarray(src_lengths, np.float64) * root, np.asarray(tgt_lengths, np.float64) / root


def _path(
    src: Floats,
    tgt: Floats,
    costs: Mapping[tuple[int, int], float],
    kinds: tuple[Sequence[int], Sequence[int]] | None,
    max_cells: int,
) -> Path:
    src_sums, tgt_sums = (np.concatenate(([0.0], np.cumsum(lengths))) for lengths in (src, tgt))
    src_kinds, tgt_kinds = kinds or (np.zeros(len(src)), np.zeros(len(tgt)))
    kind_arrays = (np.asarray(src_kinds, dtype=np.int64), np.asarray(tgt_kinds, dtype=np.int64))
    types = np.array(list(costs), dtype=np.int64)
    beads = (types[:, 0].copy(), types[:, 1].copy(), np.array(list(costs.values())))
    # Without kinds the cost is 0, and the kernel does not look at them.
    model = (VARIANCE, KIND_COST if kinds else 0.0, _fit_table(), _TABLE_STEP)

    def solve(band: Band) -> Path:
        return length_path(src_sums, tgt_sums, kind_arrays, band, beads, model)[1]

    centre = proportional_centre(src, tgt)
    return solve_in_band(solve, centre, len(tgt), half_width=narrow_width(len(src), len(tgt)), max_cells=max_cells)


@cache
def _fit_table() -> Floats:
    """-log erfc(delta / sqrt 2) for delta = 0, 1/128 ... 32; erfc is above the smallest double until 37."""
    return np.array([-math.log(math.erfc(k * _TABLE_STEP / math.sqrt(2))) for k in range(_TABLE_SIZE)])
