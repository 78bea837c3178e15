"""Pages with too little text of their own to tell what they translate."""

from __future__ import annotations

import numpy as np

from diglot.arrays import Ints, Mask, distinct_counts
from diglot.features.frames import text_places
from diglot.page_language.own_text import weights
from diglot.records import BlockKind
from diglot.site import REPEATED_MIN_PAGES, Site

MIN_OWN_LETTERS = 60
"""Characters of text, without title, repeated blocks and notice, below which a page is near-empty: the imprint and the
terms of a company, each a heading and the company's name, fit one another. Ideographs weigh more than one character, as
in :func:`diglot.page_language.own_text.weights`."""
FULL_LETTERS = 2 * MIN_OWN_LETTERS
"""A page with so many characters of text that are on no other page translates no near-empty page: a translation is
hardly twice as long."""


def near_empty_pages(site: Site) -> Mask:
    """Mask of near-empty pages, (pages,): only addresses and links can tell what such a page translates."""
    return site.keep("near-empty pages", lambda: _near_empty(site))


def full_pages(site: Site) -> Mask:
    """Mask of pages with too much text to be the translation of a near-empty page, (pages,)."""
    return site.keep("full pages", lambda: _full(site))


def _near_empty(site: Site) -> Mask:
    repeated, texts = site.repeated_blocks, site.numbered_blocks
    kinds, page = site.ragged_column("block_kinds").values, repeated.rows_of_values()
    # A title says again what the heading says.
    size = np.where(repeated.values | (kinds == BlockKind.TITLE), 0, _letters(site))
    running = np.where(kinds == BlockKind.HEADING, 0, size)
    size[_are_notices(page, texts.indices.to_numpy(), running)] = 0
    return np.asarray(np.bincount(page, size, minlength=len(site)) < MIN_OWN_LETTERS)


def _full(site: Site) -> Mask:
    # Text on a few pages of one language may be on many pages, and so a menu, in another: such text does not count.
    page, text = site.repeated_blocks.rows_of_values(), site.numbered_blocks.indices.to_numpy()
    kinds = site.ragged_column("block_kinds").values
    is_alone = (np.bincount(text_places(site)[0]) == 1)[text]
    size = np.where(is_alone & (kinds != BlockKind.TITLE), _letters(site), 0)
    return np.asarray(np.bincount(page, size, minlength=len(site)) >= FULL_LETTERS)


def _letters(site: Site) -> Ints:
    """Characters of every block, ideographs weighed; cached."""
    texts = site.numbered_blocks
    return site.keep("letters of blocks", lambda: weights(texts.dictionary)[texts.indices.to_numpy()])


def _are_notices(page: Ints, text: Ints, size: Ints) -> Mask:
    """Mask of blocks that are the notice of their page, such as *this entry is only available in French*.

    A notice is at least half of the running text of its page, and so on more than five pages, most of those that hold
    it. An article in a blog, which stands in several lists, too, is half of the text on its own page alone.
    """
    texts = int(text.max(initial=0)) + 1
    held = size > 0
    is_half = held & (2 * size >= np.bincount(page, size)[page])
    holding, half = (distinct_counts(text[mask], page[mask], texts) for mask in (held, is_half))
    is_notice = (half > REPEATED_MIN_PAGES) & (2 * half > holding)
    return np.asarray(is_half & is_notice[text])
