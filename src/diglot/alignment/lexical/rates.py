"""Step 3. Rates: bead types, lengths, untranslated units, blocks; re-estimated in every pass.

All are expectations over beads weighted by their posteriors, with a prior of some imagined observations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from diglot.alignment.gale_church import RATIO_RANGE, VARIANCE
from diglot.alignment.lexical.units import NumberedSide, Step
from diglot.arrays import Floats, Ints
from diglot.records import BlockKind

TYPE_PRIORS: Mapping[tuple[int, int], float] = {
    (1, 1): 0.80,
    (1, 0): 0.02,
    (0, 1): 0.02,
    (2, 1): 0.06,
    (1, 2): 0.06,
    (2, 2): 0.01,
    (3, 1): 0.01,
    (1, 3): 0.01,
    (4, 1): 0.003,
    (1, 4): 0.003,
    (2, 3): 0.003,
    (3, 2): 0.003,
    (1, 5): 0.001,
    (5, 1): 0.001,
    (3, 3): 0.001,
}
"""Prior share of every type of bead, scaled to sum to 1. Our choice, on alpine yearbooks and a Chinese novel; with
types up to 1-3 and 2-2 alone, strict F1 is .02 lower on both."""
TYPE_SRC = np.array([a for a, _ in TYPE_PRIORS], np.int64)
TYPE_TGT = np.array([b for _, b in TYPE_PRIORS], np.int64)
DEPTH = int(max(TYPE_SRC.max(), TYPE_TGT.max()))
"""Most sentences on a side of a bead."""

NULL = np.array([0.5, 0.7, 0.8, 0.9, 0.9, 0.5])
"""Prior null rate of every :class:`UnitClass`: share of units without a counterpart."""

# Weights of the priors, as numbers of imagined observations, chosen together with the constants of the lexicon on the
# same texts. To keep a rate at its prior costs up to .03 strict F1; to count beads a third as much, .006 at most.
_PRIOR_BEADS = 60.0
"""Beads, of types in the shares of :data:`TYPE_PRIORS`."""
_PRIOR_LENGTHS = 5.0
"""Beads with the variance of lengths of Gale & Church (:data:`diglot.alignment.gale_church.VARIANCE`)."""
_PRIOR_CHARS = 300.0
"""Imagined source characters of a text; its imagined target characters follow the ratio of all texts together."""
_PRIOR_UNITS = 25.0
"""Units of every class, with the null rate of :data:`NULL`."""
_PRIOR_BLOCKS = 20.0
"""Sentences, with blocks in the three shares below."""
_SAME_OPENING, _SAME_KIND, _OVER = 0.95, 0.9, 0.02
"""Prior shares: the two sides open a block together; the blocks are of the same kind; a bead crosses a boundary of
blocks."""

_NULL_RANGE = (0.05, 0.98)
"""Bounds of null rates, so that no class explains everything or nothing."""
_OPENING_RANGE = (0.01, 0.99)
"""Bounds of the share of sentences that open a block."""
_KIND_COUNT = 0.5
"""Added to the sentences of every kind of block, so that an unseen kind has a share."""
_LEAST_MEASURED = 0.2
"""Least posterior of a bead whose lengths count."""
_Z2_PERCENTILE = 98.0
"""Percentile at which squared deviations of lengths are cut: the largest come from wrong beads."""
_KINDS = len(BlockKind)


@dataclass(frozen=True, slots=True)
class BlockRates:
    """Scores of the block structure of a bead, nats. ``opening``: source opens a block, target opens a block, (2, 2).
    ``kinds``: source kind, target kind. ``steps``: side, :class:`diglot.alignment.lexical.units.Step` inside of a bead,
    (2, 3)."""

    opening: Floats
    kinds: Floats
    steps: Floats


@dataclass(frozen=True, slots=True)
class Rates:
    """All rates. ``ratio``: target characters a source character. ``variance``: of the target length, a character.
    ``mean``, ``length_variance``: mean and variance of the lengths of target sentences. ``src_null``, ``tgt_null``: see
    :data:`NULL`."""

    types: Floats
    ratio: float
    variance: float
    mean: float
    length_variance: float
    src_null: Floats
    tgt_null: Floats
    blocks: BlockRates


@dataclass(frozen=True, slots=True)
class LikelyBeads:
    """Beads of a text likely enough to learn from.

    ``beads``: int64 (k, 3), first source sentence, first target sentence, number of the type. ``posteriors``: (k,).
    ``expected``: expected number of beads of every type.
    """

    beads: Ints
    posteriors: Floats
    expected: Floats

    def spans(self) -> tuple[Ints, Ints, Ints, Ints]:
        """First and end of the source side, first and end of the target side of every bead."""
        i, j, kind = self.beads.T
        return i, i + TYPE_SRC[kind], j, j + TYPE_TGT[kind]


TextSides = Sequence[tuple[NumberedSide, NumberedSide]]
"""Both sides of every text."""


def first_rates(texts: TextSides) -> Rates:
    """Rates of the first pass; lengths are those of all texts together."""
    src_total = sum(float(src.lengths.sum()) for src, _ in texts)
    tgt_lengths = np.concatenate([np.zeros(0), *(tgt.lengths for _, tgt in texts)])
    tgt_lengths = tgt_lengths[tgt_lengths > 0]
    ratio = float(np.clip(tgt_lengths.sum() / src_total, *RATIO_RANGE)) if src_total and len(tgt_lengths) else 1.0
    mean = float(tgt_lengths.mean()) if len(tgt_lengths) else 1.0
    # A text of equal lengths must not make every other length impossible.
    length_variance = max(float(tgt_lengths.var()) if len(tgt_lengths) else 0.0, mean)
    variance = VARIANCE * max(1.0, ratio)
    return Rates(first_types(), ratio, variance, mean, length_variance, NULL, NULL, block_rates(texts, None))


def own_ratio(rates: Rates, text: tuple[NumberedSide, NumberedSide], likely: LikelyBeads | None) -> Rates:
    """The rates with the length ratio of a text, from its likely beads, in the first pass from its totals."""
    src, tgt = text
    src_total, tgt_total = float(src.lengths.sum()), float(tgt.lengths.sum())
    if likely is not None:
        weights, src_lengths, tgt_lengths = _weighted_lengths(text, likely)
        src_total, tgt_total = float(weights @ src_lengths), float(weights @ tgt_lengths)
    ratio = (tgt_total + _PRIOR_CHARS * rates.ratio) / (src_total + _PRIOR_CHARS)
    return replace(rates, ratio=float(np.clip(ratio, *RATIO_RANGE)))


def next_rates(rates: Rates, texts: TextSides, likely: Sequence[LikelyBeads]) -> Rates:
    """Re-estimated shares of types, lengths and block rates; null rates stay (see :func:`next_null`)."""
    types = sum((beads.expected for beads in likely), _PRIOR_BEADS * first_types())
    parts = [_weighted_lengths(text, beads) for text, beads in zip(texts, likely, strict=True)]
    weights, src_lengths, tgt_lengths = (np.concatenate(part) for part in zip(*parts, strict=True))
    ratio, variance = rates.ratio, rates.variance
    if weights.sum() > 0:
        ratio = float(np.clip((weights @ tgt_lengths) / (weights @ src_lengths), *RATIO_RANGE))
        together = replace(rates, ratio=ratio)
        # Every text with its own ratio: a free translation would widen the variance of all others.
        own = [own_ratio(together, text, beads).ratio for text, beads in zip(texts, likely, strict=True)]
        expected = src_lengths * np.repeat(own, [len(part[0]) for part in parts])
        z2 = (tgt_lengths - expected) ** 2 / ((expected + tgt_lengths) / 2)
        # Wrong beads have the largest deviations, and their posteriors do not show it.
        z2 = np.minimum(z2, np.percentile(z2, _Z2_PERCENTILE))
        variance = float((weights @ z2 + _PRIOR_LENGTHS * VARIANCE) / (weights.sum() + _PRIOR_LENGTHS))
    return replace(rates, types=types / types.sum(), ratio=ratio, variance=variance, blocks=block_rates(texts, likely))


def first_types() -> Floats:
    """Prior shares of types, summing to 1."""
    types = np.array(list(TYPE_PRIORS.values()))
    return types / types.sum()


def next_null(explained: Floats, units: Floats) -> Floats:
    """Null rates from the number of units of every class and the number of units explained by the lexicon."""
    null = 1 - (explained + _PRIOR_UNITS * (1 - NULL)) / (units + _PRIOR_UNITS)
    return np.clip(null, *_NULL_RANGE)


def _weighted_lengths(text: tuple[NumberedSide, NumberedSide], likely: LikelyBeads) -> tuple[Floats, Floats, Floats]:
    """Posterior and both lengths of the likely beads with text on both sides."""
    src_sums, tgt_sums = (side.length_sums for side in text)
    first, end, tgt_first, tgt_end = likely.spans()
    src_lengths, tgt_lengths = src_sums[end] - src_sums[first], tgt_sums[tgt_end] - tgt_sums[tgt_first]
    kept = (src_lengths > 0) & (tgt_lengths > 0) & (likely.posteriors >= _LEAST_MEASURED)
    return likely.posteriors[kept], src_lengths[kept], tgt_lengths[kept]


def block_rates(texts: TextSides, likely: Sequence[LikelyBeads] | None) -> BlockRates:
    """Block rates from the likely beads, in the first pass from the priors; zeros for texts without blocks.

    All are log ratios: how often the target side opens a block, has a kind, or crosses a boundary, given the source
    side or the step, against the share among all target sentences.
    """
    src_base, tgt_base = (_mean([text[side].opens for text in texts]) for side in (0, 1))
    opens, kinds, steps = np.zeros((2, 2)), np.zeros((_KINDS, _KINDS)), np.zeros((2, len(Step)))
    for text, beads in zip(texts, likely or (), strict=bool(likely)):
        _count_blocks(text, beads, (opens, kinds, steps))
    if not src_base or not tgt_base:
        return BlockRates(np.zeros((2, 2)), np.zeros((_KINDS, _KINDS)), np.zeros((2, len(Step))))
    src_base, tgt_base = (float(np.clip(base, *_OPENING_RANGE)) for base in (src_base, tgt_base))
    prior = np.array([[_SAME_OPENING, 1 - _SAME_OPENING], [1 - _SAME_OPENING, _SAME_OPENING]])
    opening = _conditional_shares(opens, prior) / np.array([1 - tgt_base, tgt_base])
    # The share of a kind among all target sentences is what a matching kind is compared with.
    kind_base = np.bincount(np.concatenate([tgt.kinds for _, tgt in texts]), minlength=_KINDS) + _KIND_COUNT
    kind_base = kind_base / kind_base.sum()
    same = _conditional_shares(kinds, _SAME_KIND * np.eye(_KINDS) + (1 - _SAME_KIND) * kind_base) / kind_base
    step_base = np.array([_step_shares([text[side].steps for text in texts]) for side in (0, 1)])
    # The imagined steps over a boundary lead to a block of another kind as often as the steps of the texts do.
    over = step_base[:, 1:] / step_base[:, 1:].sum(axis=1, keepdims=True)
    within = _conditional_shares(steps, np.column_stack([np.full(2, 1 - _OVER), _OVER * over])) / step_base
    return BlockRates(np.log(opening), np.log(same), np.log(within))


def _step_shares(steps: Sequence[Ints]) -> Floats:
    """Share of every kind of step among all steps; none is 0, and the shares over boundaries sum to the share of
    openings."""
    found = np.concatenate(steps)
    counts = np.bincount(found, minlength=len(Step)) + np.array([0.0, _KIND_COUNT, _KIND_COUNT])
    over = float(np.clip(1 - counts[Step.INSIDE] / len(found), *_OPENING_RANGE))
    return np.concatenate(([1 - over], over * counts[1:] / counts[1:].sum()))


def _conditional_shares(counts: Floats, prior: Floats) -> Floats:
    """Shares of the columns within every row, with a prior."""
    return (counts + _PRIOR_BLOCKS * prior) / (counts.sum(axis=1, keepdims=True) + _PRIOR_BLOCKS)


def _mean(columns: Sequence[Ints]) -> float:
    flat = np.concatenate([np.zeros(0, np.int64), *columns])
    return float(flat.mean()) if len(flat) else 0.0


def _count_blocks(
    text: tuple[NumberedSide, NumberedSide], likely: LikelyBeads, counts: tuple[Floats, Floats, Floats]
) -> None:
    """Add the likely beads of a text to the counts of opens, kinds and steps, laid out as in :class:`BlockRates`."""
    opens, kinds, steps = counts
    first, end, tgt_first, tgt_end = likely.spans()
    both = (end > first) & (tgt_end > tgt_first)
    first, end, tgt_first, tgt_end = first[both], end[both], tgt_first[both], tgt_end[both]
    weights = likely.posteriors[both]
    src, tgt = text
    np.add.at(opens, (src.opens[first], tgt.opens[tgt_first]), weights)
    np.add.at(kinds, (src.kinds[first], tgt.kinds[tgt_first]), weights)
    for row, (side, begin, stop) in enumerate(((src, first, end), (tgt, tgt_first, tgt_end))):
        # The step to the first sentence of a bead leads into the bead, and is none inside.
        before = np.concatenate((np.zeros((1, len(Step))), np.cumsum(np.eye(len(Step))[side.steps], axis=0)))
        steps[row] += weights @ (before[stop] - before[begin + 1])
