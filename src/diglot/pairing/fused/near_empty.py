"""Pages with too little text of their own to tell what they translate."""

from __future__ import annotations

import numpy as np

from diglot.arrays import Mask
from diglot.page_language.own_text import weights
from diglot.records import BlockKind
from diglot.site import Site

MIN_OWN_LETTERS = 60
"""Characters of text, without title and repeated blocks, below which a page is near-empty: the legal notice and the
terms of a company, each a heading and the company's name, fit one another. Ideographs weigh more than one character, as
in :func:`diglot.page_language.own_text.weights`."""


def near_empty_pages(site: Site) -> Mask:
    """Mask of near-empty pages, (pages,): only addresses and links can tell what such a page translates."""
    return site.keep("near-empty pages", lambda: _near_empty(site))


def _near_empty(site: Site) -> Mask:
    repeated, texts = site.repeated_blocks, site.numbered_blocks
    # A title says again what the heading says.
    counted = ~repeated.values & (site.ragged_column("block_kinds").values != BlockKind.TITLE)
    size = np.where(counted, weights(texts.dictionary)[texts.indices.to_numpy()], 0)
    return np.asarray(np.bincount(repeated.rows_of_values(), size, minlength=len(site)) < MIN_OWN_LETTERS)
