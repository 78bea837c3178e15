"""Paragraphs of main text, their lengths and their digits, without navigation and boilerplate.

Source: ILSP/ARC at WMT 2016, sections 2.2 and 2.3; a paragraph there is a block here. The paper leaves boilerplate out
by a modified Boilerpipe, which is not available; left out here are navigation, blocks of mostly links, and blocks
repeated all over the site. Translation leaves digits as they are: the digits of a page, in order, are one string. Tiers
and cut are those of the pair detector of ILSP-FC.
"""

from __future__ import annotations

import unicodedata

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cpdist

from diglot.arrays import Column, Pairs, Ragged
from diglot.site import Site
from diglot.words import PRINTED_TOKEN

DIGIT_TIERS: tuple[tuple[int, float], ...] = ((15, 0.0), (30, 0.1), (90, 0.2))
"""(fewer digits than, most edits as a share of the shorter string): two strings under 15 digits must be equal; strings
of which the shorter has under 30 or 90 digits may differ a little (ILSP-FC)."""
TOP_TIER = 0.3
"""Most edits for longer strings, as a share of the shorter string."""
CUT_DIGITS = 500
"""Two longer strings are cut to the shorter length before the comparison (ILSP-FC)."""


def kept_blocks(site: Site, *, main: bool = True) -> Ragged:
    """Mask of the blocks of every page that count: main text, or with ``main=False`` all blocks."""
    return site.keep(("kept_blocks", main), lambda: _mark_kept(site, main))


def _mark_kept(site: Site, main: bool) -> Ragged:
    marks = site.ragged_column("block_main")
    values = marks.values.astype(bool) & ~site.repeated_blocks.values if main else np.ones(len(marks.values), bool)
    return Ragged(values, marks.offsets)


def kept_texts(site: Site, *, main: bool = True) -> pa.Array:
    """Texts of the blocks that count, page after page; :func:`paragraph_rows` gives the page of each."""
    return site.block_texts.flatten().filter(pa.array(kept_blocks(site, main=main).values))


def paragraph_rows(site: Site, *, main: bool = True) -> npt.NDArray[np.int64]:
    """Row of the page of every block that counts."""
    kept = kept_blocks(site, main=main)
    return kept.rows_of_values()[kept.values]


def paragraph_counts(site: Site, *, main: bool = True) -> npt.NDArray[np.int64]:
    """Number of paragraphs of each page, shape (len(site),)."""
    return site.keep(
        ("paragraph_counts", main), lambda: np.bincount(paragraph_rows(site, main=main), minlength=len(site))
    )


def paragraph_tokens(site: Site, *, main: bool = True) -> npt.NDArray[np.int64]:
    """Number of tokens in the paragraphs of each page, shape (len(site),)."""
    return site.keep(("paragraph_tokens", main), lambda: _paragraph_tokens(site, main))


def _paragraph_tokens(site: Site, main: bool) -> npt.NDArray[np.int64]:
    tokens = pc.count_substring_regex(kept_texts(site, main=main), PRINTED_TOKEN).to_numpy()
    counts = np.bincount(paragraph_rows(site, main=main), weights=tokens, minlength=len(site))
    return np.asarray(counts.astype(np.int64))


def paragraph_ratio(site: Site, pairs: Pairs, *, main: bool = True) -> Column:
    """Fewer paragraphs over more, in [0, 1]; NaN where neither page has any."""
    return ratio_of_counts(paragraph_counts(site, main=main), pairs)


def token_ratio(site: Site, pairs: Pairs, *, main: bool = True) -> Column:
    """Fewer tokens over more, in [0, 1]; NaN where neither page has any."""
    return ratio_of_counts(paragraph_tokens(site, main=main), pairs)


def fewer_paragraphs(site: Site, pairs: Pairs, *, main: bool = True) -> Column:
    """Smaller number of paragraphs of the two pages."""
    return paragraph_counts(site, main=main)[pairs].min(axis=1).astype(np.float32)


def ratio_of_counts(counts: npt.NDArray[np.int64], pairs: Pairs) -> Column:
    """Smaller count over larger of every pair, in [0, 1]; NaN where both are 0."""
    sides = counts[pairs].astype(np.float64)
    larger = sides.max(axis=1)
    none = np.full(len(pairs), np.nan)
    return np.divide(sides.min(axis=1), larger, out=none, where=larger > 0).astype(np.float32)


def digit_strings(site: Site, *, main: bool = True) -> list[str]:
    """Decimal digits of the main text of each page, in order, converted to 0 to 9 from any script."""
    return site.keep(("digit_strings", main), lambda: _digit_strings(site, main))


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
    return site.keep(("digit_counts", main), lambda: np.array([len(text) for text in strings], np.int64))


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
