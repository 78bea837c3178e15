"""Step 4 where evidence is given: what a similarity of two sides is worth, learnt from the texts themselves.

A similarity may be of any scale: cosines of vectors, words that a dictionary translates, words shared with a
translation made elsewhere. After each pass its values on likely beads are compared with those on the same sides moved
against each other; the log-likelihood ratio of the two is what the next pass adds to the score of a bead,
times half its number of sentences. Without that factor two beads would be worth twice one bead of the same sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from diglot.alignment.beads import BeadEvidence, Similarity
from diglot.alignment.lexical.rates import LikelyBeads
from diglot.arrays import Floats, Ints

EVIDENCE_WEIGHT = 0.2
"""Share of the log-likelihood ratio that counts, a pair of sentences: it is not independent of what words and lengths
say. Chosen with vectors on alpine yearbooks (.15 to .25 are as good), and kept for all kinds."""
MAX_NATS = 20.0
"""Evidence of one kind on one bead is kept within this, either way."""
MAX_SCALE_BEADS = 4_000
"""Likely beads of a text that a scale is learnt from; more teach little. They are taken evenly spaced."""
_SHIFTS = (1, 2, 3, 5, 8)
"""Beads by which the sides are moved against each other, either way."""
_LEAST_MATCHED = 0.5
"""Of a bead whose similarity counts as that of two matching sides: more likely right than wrong."""
_PRIOR_MATCHES = 10.0
"""Imagined beads that say the similarity is worth nothing."""
_LEAST_DEVIATION = 0.02
"""Standard deviation below which similarities are not believed to lie together, on the scale of cosines."""


class Scale(NamedTuple):
    """Nats of a similarity x: ``slope * x + offset``."""

    slope: float
    offset: float


def fit_scale(matched: Floats, weights: Floats, mismatched: Floats) -> Scale:
    """Log ratio of two normal densities of one variance, drawn towards nothing where few beads speak.

    Parameters: similarities of likely beads with their posteriors, and of sides that do not belong together.
    A slope is never negative: a similarity that tells nothing must not turn round.
    """
    if not len(matched) or not len(mismatched):
        return Scale(0.0, 0.0)
    mean, other = float(np.average(matched, weights=weights)), float(mismatched.mean())
    variance = (float(np.average((matched - mean) ** 2, weights=weights)) + float(mismatched.var())) / 2
    total = float(weights.sum())
    slope = max(0.0, mean - other) / max(variance, _LEAST_DEVIATION**2) * total / (total + _PRIOR_MATCHES)
    return Scale(slope, -slope * (mean + other) / 2)


def learn_scales(similarities: Sequence[Sequence[Similarity]], likely: Sequence[LikelyBeads]) -> list[Scale]:
    """What each kind of similarity is worth, from the likely beads of all texts. ``similarities``: of each text, the
    kinds in one order."""
    scales = []
    for kind in range(max(map(len, similarities), default=0)):
        parts = [_observed(own[kind], beads) for own, beads in zip(similarities, likely, strict=True) if own]
        scales.append(fit_scale(*(np.concatenate(values) for values in zip(*parts, strict=True))))
    return scales


def weighed_evidence(similarities: Sequence[Similarity], scales: Sequence[Scale]) -> BeadEvidence | None:
    """The similarities of one text as nats; None where nothing would be added."""
    parts = [(similarity, scale) for similarity, scale in zip(similarities, scales, strict=True) if scale.slope > 0]
    if not parts:
        return None

    def nats(beads: Ints) -> Floats:
        total = np.zeros(len(beads))
        sentences = beads[:, 1] - beads[:, 0] + beads[:, 3] - beads[:, 2]
        for similarity, scale in parts:
            value = EVIDENCE_WEIGHT * sentences / 2 * (scale.slope * similarity(beads) + scale.offset)
            total += np.nan_to_num(np.clip(value, -MAX_NATS, MAX_NATS))
        return total

    return nats


def _observed(similarity: Similarity, likely: LikelyBeads) -> tuple[Floats, Floats, Floats]:
    """Similarities of the likely beads, their posteriors, and similarities of their sides moved against each other."""
    i, i_end, j, j_end = likely.spans()
    both = np.flatnonzero((i_end > i) & (j_end > j) & (likely.posteriors >= _LEAST_MATCHED))
    chosen = both[np.argsort(i[both], kind="stable")][:: max(1, -(-len(both) // MAX_SCALE_BEADS))]
    beads = np.stack((i, i_end, j, j_end), axis=1)[chosen]
    count = len(beads)
    moved = [np.zeros((0, 4), np.int64)]
    for shift in _SHIFTS:
        left, right = beads[: max(0, count - shift)], beads[shift:]
        moved += [np.hstack((left[:, :2], right[:, 2:])), np.hstack((right[:, :2], left[:, 2:]))]
    matched, mismatched = similarity(beads), similarity(np.concatenate(moved))
    known = ~np.isnan(matched)
    return matched[known], likely.posteriors[chosen][known], mismatched[~np.isnan(mismatched)]
