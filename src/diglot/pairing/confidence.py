"""Assignments by how many candidates a page has left: few rivals, high confidence.

Source: the pair detector of ILSP-FC, its methods h, m and l.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from diglot.pairing.assignment import Mask, Ranks, mutual_best
from diglot.site import Pairs


def without_rivals(pairs: Pairs, ranks: Ranks) -> Mask:
    """High confidence: pairs whose pages occur in no other candidate. Ranks do not matter."""
    return np.asarray(most_candidates(pairs) == 1)


def best_of_two(pairs: Pairs, ranks: Ranks) -> Mask:
    """Medium: pairs whose pages occur in two candidates at most and that are the better one of both."""
    return np.asarray((most_candidates(pairs) <= 2) & mutual_best(pairs, ranks))


def most_candidates(pairs: Pairs) -> npt.NDArray[np.int64]:
    """For each pair the number of candidates of that page of it which has more."""
    if not len(pairs):
        return np.zeros(0, np.int64)
    counts = [np.bincount(pairs[:, side])[pairs[:, side]] for side in (0, 1)]
    return np.asarray(np.maximum(*counts))
