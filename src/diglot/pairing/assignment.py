"""One-to-one assignment of pages to pairs, by rank or by the number of rivals."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from diglot.arrays import Column, Mask, Pairs, Ranks
from diglot.pairing.assignment_kernels import greedy_choice


def dense_ranks(keys: list[Column]) -> Ranks:
    """Rank of every pair under the first key, ties by the second ...; smaller is better, equal keys share a rank."""
    if not keys or not len(keys[0]):
        return np.zeros(len(keys[0]) if keys else 0, np.int64)
    # NaN, a pair without evidence, ranks last.
    filled = [np.nan_to_num(key, nan=np.inf) for key in keys]
    order = np.lexsort(filled[::-1])
    starts = np.zeros(len(order), np.int64)
    for key in filled:
        starts[1:] |= key[order][1:] != key[order][:-1]
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.cumsum(starts)
    return ranks


def greedy(pairs: Pairs, ranks: Ranks) -> Mask:
    """Accept pairs from the best rank on, unless a page of the pair is taken: the 1-1 rule of WMT16.

    Equal ranks are taken in row order, that is, by address.
    """
    if not len(pairs):
        return np.zeros(0, bool)
    order = np.lexsort((pairs[:, 1], pairs[:, 0], ranks))
    accepted: Mask = greedy_choice(np.ascontiguousarray(pairs, np.int32), order, int(pairs.max()) + 1)
    return accepted


def mutual_best(pairs: Pairs, ranks: Ranks) -> Mask:
    """Pairs that are the best of both pages; a page with two equally good best pairs has none.

    Source: Bitextor 2010, section 4.2, applied to both sides.
    """
    if not len(pairs):
        return np.zeros(0, bool)
    accepted = np.ones(len(pairs), bool)
    for side in (0, 1):
        rows = pairs[:, side]
        best = np.full(rows.max() + 1, np.iinfo(np.int64).max)
        np.minimum.at(best, rows, ranks)
        is_best = ranks == best[rows]
        ties = np.bincount(rows[is_best], minlength=len(best))
        accepted &= is_best & (ties[rows] == 1)
    return accepted


def without_rivals(pairs: Pairs, ranks: Ranks) -> Mask:
    """High confidence: pairs whose pages have no second candidate. Ranks do not matter."""
    return np.asarray(most_candidates(pairs) == 1)


def best_of_two(pairs: Pairs, ranks: Ranks) -> Mask:
    """Medium confidence: pairs whose pages are in two candidates at most, and the best of both pages."""
    return np.asarray((most_candidates(pairs) <= 2) & mutual_best(pairs, ranks))


def most_candidates(pairs: Pairs) -> npt.NDArray[np.int64]:
    """Number of candidates of the source page or of the target page of each pair, the larger."""
    if not len(pairs):
        return np.zeros(0, np.int64)
    counts = [np.bincount(pairs[:, side])[pairs[:, side]] for side in (0, 1)]
    return np.asarray(np.maximum(*counts))
