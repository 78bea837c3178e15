"""Step 8. The probability that a pair is a right one, and how far it is a term of the site."""

from __future__ import annotations

import numpy as np

from diglot.arrays import Floats, Ints
from diglot.terms.scoring import Counts

_CONSTANT = -2.17
_OF_LINKED, _OF_SHARE, _OF_WEIGHT, _OF_UNITS, _OF_BOTH, _OF_ENDING = 0.75, 0.45, 2.93, 1.41, 1.2, 0.94
"""Log-odds, learnt by logistic regression (ridge .3) from 237 pairs read by hand, of two sites and language pairs."""
_ENDING_RANGE = -3.0, 1.0


def probability(counts: Counts, ending: Floats) -> Floats:
    """Estimate of the chance that the two sides of each group translate each other and are whole, in [0, 1].

    It grows with the segments that link them (bits), with the smaller of the shares that each side gives to the other
    of all that it is linked to (competition, log-odds), with the mean of the links of their words, where the pair is a
    segment of its own, with the share of the segments that hold both in which they are linked, and with how often the
    last word of either side ends a clause (``ending``: the smaller of both, 1 is usual).
    """
    linked = counts.linked.astype(float)
    shares = [(linked + 0.5) / (of + 1.0) for of in (counts.src_linked, counts.tgt_linked)]
    share = np.minimum(shares[0], shares[1])
    log_odds = (
        _CONSTANT
        + _OF_LINKED * np.log2(np.maximum(linked, 1.0))
        + _OF_SHARE * np.log(share / (1.0 - share))
        + _OF_WEIGHT * np.minimum(counts.weight, 1.0)
        + _OF_UNITS * ((counts.units > 0) & (counts.weight > 0))
        + _OF_BOTH * np.log((linked + 0.5) / (counts.both + 1.0))
        + _OF_ENDING * np.clip(np.log2(np.maximum(ending, 1e-3)), *_ENDING_RANGE)
    )
    return np.asarray(1.0 / (1.0 + np.exp(-log_odds)))


_COHESIVE = 6.0
"""Bits from which on the words of a phrase surely belong together."""


def termhood(
    linked: Ints,
    occurrences: Ints,
    pages: Ints,
    page_tokens: Ints,
    heads: Ints,
    usual_head: float,
    cohesive: Floats,
) -> Floats:
    """How far each group is no general text, in [0, 1): it stands on fewer pages than its occurrences would reach if
    they fell anywhere in the run, or more often than other text in titles, headings and menus, or is a firm phrase.

    ``occurrences`` and ``pages``: of the source side. ``page_tokens``: tokens of each page of the run. ``heads``:
    linked segments that are titles, headings, controls or nothing but the term; ``usual_head``: their share of all.
    ``cohesive``: bits of :func:`diglot.terms.scoring.cohesion`, inf for one word.
    """
    bursts = 1.0 - (pages + 1.0) / (expected_pages(occurrences, page_tokens) + 1.0)
    lift = (heads + 1.0) / (linked * usual_head + 1.0)
    firm = np.where(np.isfinite(cohesive), 0.5 * np.clip(cohesive / _COHESIVE, 0, 1), 0.0)
    general = (1.0 - np.clip(bursts, 0, 1)) * np.minimum(1.0, 1.0 / lift) * (1.0 - firm)
    return np.asarray(1.0 - general)


def expected_pages(occurrences: Ints, page_tokens: Ints) -> Floats:
    """Pages on which so many occurrences would be if each fell on a page by its length; between the points of a grid,
    interpolated."""
    if not len(occurrences) or not page_tokens.sum():
        return np.zeros(len(occurrences))
    shares = page_tokens / page_tokens.sum()
    grid = np.unique(np.round(np.geomspace(1, max(int(occurrences.max()), 2), 64)))
    reached = np.array([float((1.0 - (1.0 - shares) ** count).sum()) for count in grid])
    return np.asarray(np.interp(np.log(np.maximum(occurrences, 1)), np.log(grid), reached))
