"""The digits of a page's main text, in order, as one string: translation leaves them as they are.

Source: ILSP/ARC at WMT 2016, section 2.3; tiers and cut as in the pair detector of ILSP-FC.
"""

from __future__ import annotations

import unicodedata

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cpdist

from diglot.arrays import Column, Pairs
from diglot.features.paragraphs import kept_texts, paragraph_rows
from diglot.site import Site

DIGIT_TIERS: tuple[tuple[int, float], ...] = ((15, 0.0), (30, 0.1), (90, 0.2))
"""(fewer digits than, most edits as a share of the shorter string): both sides under 15 digits must be
equal, one under 30 or under 90 may differ a little (ILSP-FC)."""
TOP_TIER = 0.3
CUT_DIGITS = 500
"""Two longer strings are cut to the shorter length before the comparison (ILSP-FC)."""


def digit_strings(site: Site, *, main: bool = True) -> list[str]:
    """Decimal digits of the main text of each page, in order, converted to 0 to 9 from any script."""
    return site.cached(("digit_strings", main), lambda: _digit_strings(site, main))


def _digit_strings(site: Site, main: bool) -> list[str]:
    digits = pc.replace_substring_regex(kept_texts(site, main=main), r"[^\p{Nd}]+", "").to_pylist()
    parts: list[list[str]] = [[] for _ in range(len(site))]
    for row, text in zip(paragraph_rows(site, main=main).tolist(), digits, strict=True):
        if text:
            parts[row].append(text if text.isascii() else "".join(str(unicodedata.decimal(c)) for c in text))
    return ["".join(pieces) for pieces in parts]


def digit_counts(site: Site, *, main: bool = True) -> npt.NDArray[np.int64]:
    """Number of digits of each page, shape (len(site),)."""
    strings = digit_strings(site, main=main)
    return site.cached(("digit_counts", main), lambda: np.array([len(text) for text in strings], np.int64))


def fewer_digits(site: Site, pairs: Pairs, *, main: bool = True) -> Column:
    """Smaller number of digits of the two pages."""
    return digit_counts(site, main=main)[pairs].min(axis=1).astype(np.float32)


def digit_similarity(site: Site, pairs: Pairs, *, main: bool = True) -> Column:
    """1 minus edit distance over the longer string, in [0, 1]; NaN where neither page has a digit.

    The paper's "reciprocal of the edit distance" has no bound at distance 0.
    """
    longer = digit_counts(site, main=main)[pairs].max(axis=1)
    distance = _edit_distances(site, pairs, main=main, cut=False)
    share = np.divide(distance, longer, out=np.full(len(pairs), np.nan), where=longer > 0)
    return (1 - share).astype(np.float32)


def digit_excess(site: Site, pairs: Pairs, *, main: bool = True) -> Column:
    """Edits over the shorter string, less the limit of :data:`DIGIT_TIERS`: at most 0 for agreeing digits.

    inf where only one page has digits, NaN where neither has.
    """
    counts = digit_counts(site, main=main)[pairs]
    shorter, longer = counts.min(axis=1), counts.max(axis=1)
    distance = _edit_distances(site, pairs, main=main, cut=True)
    share = np.divide(distance, shorter, out=np.full(len(pairs), np.inf), where=shorter > 0)
    share[longer == 0] = np.nan
    (both_under, equal), *others = DIGIT_TIERS
    in_tier = [longer < both_under, *(shorter < under for under, _ in others)]
    allowed = np.select(in_tier, [equal, *(most for _, most in others)], TOP_TIER)
    return (share - allowed).astype(np.float32)


def _edit_distances(site: Site, pairs: Pairs, *, main: bool, cut: bool) -> npt.NDArray[np.float64]:
    strings = digit_strings(site, main=main)
    first, second = ([strings[row] for row in pairs[:, side].tolist()] for side in (0, 1))
    if cut:
        for k, (a, b) in enumerate(zip(first, second, strict=True)):
            if min(len(a), len(b)) > CUT_DIGITS:
                first[k], second[k] = a[: len(b)], b[: len(a)]
    if not first:
        return np.zeros(0)
    return np.asarray(cpdist(first, second, scorer=Levenshtein.distance, workers=-1, dtype=np.int32), np.float64)
