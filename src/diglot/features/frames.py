"""Frames: the menus round the text, and how common the frame of a page is among pages of its language."""

from __future__ import annotations

import numpy as np

from diglot.arrays import Floats, Ints, Rows, distinct
from diglot.site import Site

FRAME_BLOCKS = 8
"""Typicality of a frame: mean commonness of the page's eight commonest blocks among pages, without blocks of pages in a
second language."""


def text_places(site: Site) -> tuple[Ints, Ints]:
    """Every text of a site's blocks, by number, and each page that holds the text, by row; sorted. Cached."""
    return site.keep("text places", lambda: _text_places(site))


def _text_places(site: Site) -> tuple[Ints, Ints]:
    pages = max(len(site), 1)
    numbers = site.numbered_blocks.indices.to_numpy().astype(np.int64)
    text, page = np.divmod(distinct(numbers * pages + site.repeated_blocks.rows_of_values()), pages)
    return text, page


def frame_typicality(site: Site, rows: Rows, foreign: Rows) -> Floats:
    """Mean commonness of the eight commonest blocks of each page among ``rows``, in [0, 1]; shape (pages of the site,).

    0 for pages outside ``rows``. Blocks on pages in ``foreign``, rows of a second language, do not count.
    """
    text, page = text_places(site)
    here = np.isin(page, rows)
    share = np.bincount(text[here], minlength=int(text.max(initial=0)) + 1) / max(len(rows), 1)
    # An untranslated page stands in the frame of its language version: it must be untypical among the originals.
    share[text[np.isin(page, foreign)]] = 0
    return _mean_of_highest(page[here], share[text[here]], len(site))


def _mean_of_highest(page: Ints, share: Floats, pages: int) -> Floats:
    """Mean of the eight highest values of each page; missing values count as 0."""
    order = np.lexsort((-share, page))
    page, share = page[order], share[order]
    top = np.arange(len(page)) - np.searchsorted(page, page) < FRAME_BLOCKS
    return np.bincount(page[top], weights=share[top], minlength=pages) / FRAME_BLOCKS
