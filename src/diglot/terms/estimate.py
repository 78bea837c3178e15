"""Step 8. The probability of a right pair, and its termhood."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from diglot.arrays import Floats, Ints
from diglot.terms.scoring import Counts

_CONSTANT = -2.17
_OF_LINKED, _OF_SHARE, _OF_WEIGHT, _OF_UNITS, _OF_BOTH, _OF_ENDING = 0.75, 0.45, 2.93, 1.41, 1.2, 0.94
"""Log-odds, learnt by logistic regression (ridge .3) from 237 pairs of two sites, judged by hand."""
_ENDING_RANGE = -3.0, 1.0
"""Bits within which the ending counts."""
_COHESIVE = 6.0
"""Cohesion of a certain phrase, in bits."""


def probability(counts: Counts, ending: Floats) -> Floats:
    """Estimated probability that the two sides of each group translate each other and are complete, in [0, 1].

    The features are the number of linked segments (bits), the share of the links of a side with the other side
    (log-odds, the smaller side), the mean probability of the links, a segment with nothing but the pair, the linked
    share of the segments with both sides, and ``ending``, the relative frequency of the last words at the end of
    clauses (the smaller side, 1 is usual). The probability grows with every feature.
    """
    linked = counts.linked.astype(float)
    # Half a segment is added: no share is 0 or 1, whose log-odds are infinite.
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


class TermPlaces(NamedTuple):
    """Where terms stand; arrays of shape (terms,) but for ``page_tokens`` and ``usual_head``."""

    linked: Ints
    """Segments with a link."""
    occurrences: Ints
    """Of the source side."""
    pages: Ints
    """Pages with the source side."""
    page_tokens: Ints
    """Tokens of each page of the run."""
    heads: Ints
    """Linked segments that are titles, headings, controls, or nothing but the term."""
    usual_head: float
    """Share of such segments among all."""
    cohesive: Floats
    """Bits of :func:`diglot.terms.scoring.cohesion`, inf for one word."""


def termhood(places: TermPlaces) -> Floats:
    """Degree to which each group is a term, and not general text, in [0, 1).

    Signs of a term: it is on fewer pages than its occurrences would reach by chance, it is more often in titles,
    headings and menus than the rest of the text, or it is a firm phrase.
    """
    bursts = 1.0 - (places.pages + 1.0) / (expected_pages(places.occurrences, places.page_tokens) + 1.0)
    # One sign is enough, so the factors are the degrees of general text.
    lift = (places.heads + 1.0) / (places.linked * places.usual_head + 1.0)
    firm = np.where(np.isfinite(places.cohesive), 0.5 * np.clip(places.cohesive / _COHESIVE, 0, 1), 0.0)
    general = (1.0 - np.clip(bursts, 0, 1)) * np.minimum(1.0, 1.0 / lift) * (1.0 - firm)
    return np.asarray(1.0 - general)


def expected_pages(occurrences: Ints, page_tokens: Ints) -> Floats:
    """Expected number of pages with a word, from its occurrences, if pages are drawn by their number of tokens."""
    if not len(occurrences) or not page_tokens.sum():
        return np.zeros(len(occurrences))
    shares = page_tokens / page_tokens.sum()
    # Exact for 64 counts, interpolated between: an array (terms, pages) would be too large.
    grid = np.unique(np.round(np.geomspace(1, max(int(occurrences.max()), 2), 64)))
    reached = np.array([float((1.0 - (1.0 - shares) ** count).sum()) for count in grid])
    return np.asarray(np.interp(np.log(np.maximum(occurrences, 1)), np.log(grid), reached))
