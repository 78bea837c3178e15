"""Step 4. Evidence from outside: the worth of a similarity, learnt from the texts.

A similarity may be on any scale: cosines of vectors, words translated by a dictionary, words shared with a translation.
After every pass its values on likely beads are compared with its values on shifted sides. The next pass adds the
log-likelihood ratio of the two to the score of a bead, times half the number of sentences: otherwise two beads would be
worth twice as much as a single bead of the same sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from diglot.alignment.beads import BeadEvidence, Similarity
from diglot.alignment.lexical.rates import LikelyBeads
from diglot.arrays import Floats, Ints, sampling_step

EVIDENCE_WEIGHT = 0.2
"""Weight of the log-likelihood ratio of a pair of sentences, which depends on words and lengths. Chosen with vectors on
alpine yearbooks (.15 to .25 are as good), and kept for all kinds of evidence."""
MAX_NATS = 20.0
"""Bound of the evidence of a single kind for a bead, positive or negative."""
MAX_SCALE_BEADS = 4_000
"""Likely beads of a text used for a scale, evenly spaced; more teach little."""
_SHIFTS = (1, 2, 3, 5, 8)
"""Distances, in beads, of shifted sides: source of a bead with the target some beads before or after."""
_LEAST_MATCHED = 0.5
"""Least posterior of a bead whose sides count as matching: more likely right than wrong."""
_PRIOR_MATCHES = 10.0
"""Strength of the prior that a similarity is worthless, as a number of beads."""
_LEAST_DEVIATION = 0.02
"""Least standard deviation of similarities, on the scale of cosines."""


class Scale(NamedTuple):
    """Nats of a similarity x: ``slope * x + offset``."""

    slope: float
    offset: float


def fit_scale(matched: Floats, weights: Floats, mismatched: Floats) -> Scale:
    """Log ratio of two normal densities of the same variance, shrunk towards nothing for few beads.

    ``matched``, ``weights``: similarities and posteriors of likely beads. ``mismatched``: similarities of shifted
    sides.
    """
    if not len(matched) or not len(mismatched):
        return Scale(0.0, 0.0)
    mean, other = float(np.average(matched, weights=weights)), float(mismatched.mean())
    variance = (float(np.average((matched - mean) ** 2, weights=weights)) + float(mismatched.var())) / 2
    total = float(weights.sum())
    # Never negative: a worthless similarity must not count in reverse.
    slope = max(0.0, mean - other) / max(variance, _LEAST_DEVIATION**2) * total / (total + _PRIOR_MATCHES)
    return Scale(slope, -slope * (mean + other) / 2)


def learn_scales(similarities: Sequence[Sequence[Similarity]], likely: Sequence[LikelyBeads]) -> list[Scale]:
    """Scale of every kind of similarity, from the likely beads of all texts.

    ``similarities``: for every text one of each kind, in the same order of kinds, or none.
    """
    scales = []
    for kind in range(max(map(len, similarities), default=0)):
        parts = [_matched_and_shifted(own[kind], beads) for own, beads in zip(similarities, likely, strict=True) if own]
        scales.append(fit_scale(*(np.concatenate(values) for values in zip(*parts, strict=True))))
    return scales


def weighed_evidence(similarities: Sequence[Similarity], scales: Sequence[Scale]) -> BeadEvidence | None:
    """The similarities of a text as nats; None if all are worthless."""
    parts = [(similarity, scale) for similarity, scale in zip(similarities, scales, strict=True) if scale.slope > 0]
    if not parts:
        return None

    def nats(beads: Ints) -> Floats:
        total = np.zeros(len(beads))
        sentences = beads[:, 1] - beads[:, 0] + beads[:, 3] - beads[:, 2]
        for similarity, scale in parts:
            value = EVIDENCE_WEIGHT * sentences / 2 * (scale.slope * similarity(beads) + scale.offset)
            # An unknown similarity adds nothing.
            total += np.nan_to_num(np.clip(value, -MAX_NATS, MAX_NATS))
        return total

    return nats


def _matched_and_shifted(similarity: Similarity, likely: LikelyBeads) -> tuple[Floats, Floats, Floats]:
    """Similarities of the likely beads, their posteriors, and similarities of shifted sides (:data:`_SHIFTS`)."""
    i, i_end, j, j_end = likely.spans()
    both = np.flatnonzero((i_end > i) & (j_end > j) & (likely.posteriors >= _LEAST_MATCHED))
    # In the order of the text, so that shifted sides are close neighbours: the hardest to tell apart.
    chosen = both[np.argsort(i[both], kind="stable")][:: sampling_step(len(both), MAX_SCALE_BEADS)]
    beads = np.stack((i, i_end, j, j_end), axis=1)[chosen]
    count = len(beads)
    moved = [np.zeros((0, 4), np.int64)]
    for shift in _SHIFTS:
        left, right = beads[: max(0, count - shift)], beads[shift:]
        moved += [np.hstack((left[:, :2], right[:, 2:])), np.hstack((right[:, :2], left[:, 2:]))]
    matched, mismatched = similarity(beads), similarity(np.concatenate(moved))
    known = ~np.isnan(matched)
    return matched[known], likely.posteriors[chosen][known], mismatched[~np.isnan(mismatched)]
