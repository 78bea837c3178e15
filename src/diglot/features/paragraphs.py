"""Paragraphs of main text and their lengths, without navigation and boilerplate.

Source: ILSP/ARC at WMT 2016, sections 2.2 and 2.3; a paragraph there is a block here. Boilerplate there is the verdict
of a modified Boilerpipe, which is not available; here it is navigation, blocks of mostly links, and blocks repeated all
over the site.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Column, Pairs, Ragged
from diglot.site import Site
from diglot.words import PRINTED_TOKEN


def kept_blocks(site: Site, *, main: bool = True) -> Ragged:
    """Mask of the blocks of every page that count: main text, or with ``main=False`` all blocks."""
    return site.cached(("kept_blocks", main), lambda: _mark_kept(site, main))


def _mark_kept(site: Site, main: bool) -> Ragged:
    marks = site.ragged("block_main")
    values = marks.values.astype(bool) & ~site.repeated_blocks.values if main else np.ones(len(marks.values), bool)
    return Ragged(values, marks.offsets)


def kept_texts(site: Site, *, main: bool = True) -> pa.Array:
    """Texts of the blocks that count, of all pages in a row; :func:`paragraph_rows` has their pages."""
    return site.block_texts.flatten().filter(pa.array(kept_blocks(site, main=main).values))


def paragraph_rows(site: Site, *, main: bool = True) -> npt.NDArray[np.int64]:
    """Row of the page of every block that counts."""
    kept = kept_blocks(site, main=main)
    return kept.rows_of_values()[kept.values]


def paragraph_counts(site: Site, *, main: bool = True) -> npt.NDArray[np.int64]:
    """Number of paragraphs of each page, shape (len(site),)."""
    return site.cached(
        ("paragraph_counts", main), lambda: np.bincount(paragraph_rows(site, main=main), minlength=len(site))
    )


def paragraph_tokens(site: Site, *, main: bool = True) -> npt.NDArray[np.int64]:
    """Number of tokens in the paragraphs of each page, shape (len(site),)."""
    return site.cached(("paragraph_tokens", main), lambda: _paragraph_tokens(site, main))


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
