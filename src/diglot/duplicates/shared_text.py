"""Equal text on several pages of a language, apart from menus."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Floats, Mask, Pairs, Rows
from diglot.features.sparse_rows import products
from diglot.records import BlockKind
from diglot.site import Site
from diglot.sparse import SparseMatrix, matrix_of_ones

MIN_CONTAINED, MIN_LIKE = 0.5, 0.8
"""Least share of a page's text, or of the longer page's, in characters, found word for word on both pages. Pages with
less in common are not compared further."""
MIN_COMMON_PAGES, COMMON_SHARE, MAX_PAGES_PER_BLOCK = 3, 0.1, 50
"""Blocks on more than three pages and on more than a tenth of the language's pages are mostly menus: they count in the
share of the longer page's text, not in the share of a page's own text. Blocks on more than fifty pages propose no
pairs, which keeps the search linear."""


class SharedText(NamedTuple):
    """Pages and other pages of their language with half of the page's text, or 80% of the longer one's; arrays of one
    length."""

    pairs: Pairs
    """Rows (page, other), the most shared text of a page first."""
    of_page: Floats
    """Share of the page's text that the other page has, in characters, in [0, 1]."""
    of_longer: Floats
    """Shared text as a share of the longer page's, in [0, 1]."""

    def others(self, kept: Mask) -> dict[int, list[int]]:
        """By page, the other pages in the pairs of a mask."""
        found: dict[int, list[int]] = {}
        for page, other in self.pairs[kept].tolist():
            found.setdefault(page, []).append(other)
        return found


def shared_text(site: Site) -> SharedText:
    """Text shared by pages that no reason leaves out, apart from repeated blocks (:attr:`Site.repeated_blocks`)."""
    langs = np.array(site.strings("lang"), dtype=object)
    # Pages left out for a reason, mostly an unwanted language, are not compared; on many sites they are the majority.
    compared = np.array(site.strings("reason"), dtype=object) == ""
    has, headings, chars = _own_blocks(site, compared)
    found = [SharedText(np.zeros((0, 2), np.int32), np.zeros(0), np.zeros(0))]
    for lang in sorted(set(langs[compared].tolist())):
        rows = np.flatnonzero(compared & (langs == lang)).astype(np.int32)
        found.append(_shared_by(rows, has[rows], headings[rows], chars))
    return SharedText(*map(np.concatenate, zip(*found, strict=True)))


def _shared_by(rows: Rows, has: SparseMatrix, headings: SparseMatrix, chars: Floats) -> SharedText:
    """Text shared by pages of one language."""
    on_pages = has.column_sizes()
    rare = has.keep_columns(on_pages <= min(MAX_PAGES_PER_BLOCK, max(MIN_COMMON_PAGES, COMMON_SHARE * len(rows))))
    telling = has.keep_columns(on_pages <= MAX_PAGES_PER_BLOCK)
    met = telling @ telling.T
    pairs = np.stack([met.row_numbers(), met.columns], axis=1).astype(np.int32)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    rare_text, text = (blocks.scale_columns(chars) for blocks in (rare, has))
    rare_size, size = (each.row_sums() for each in (rare_text, text))
    # Most pairs share a line or two: lengths alone rule them out, which costs no product.
    here, there = rare_size[pairs].T
    pairs = pairs[
        (there >= MIN_CONTAINED * here) & (here > 0) | (_of_longer(size[pairs].min(axis=1), size, pairs) >= MIN_LIKE)
    ]
    of_page = products(rare_text, rare, pairs) / np.maximum(rare_size[pairs[:, 0]], 1)
    of_longer = _of_longer(products(text, has, pairs), size, pairs)
    kept = ((of_page >= MIN_CONTAINED) | (of_longer >= MIN_LIKE)) & _have_like_headings(headings, pairs)
    pairs, of_page, of_longer = pairs[kept], of_page[kept], of_longer[kept]
    order = np.lexsort((pairs[:, 1], -of_longer, -of_page, pairs[:, 0]))
    return SharedText(rows[pairs[order]], of_page[order], of_longer[order])


def _of_longer(shared: Floats, size: Floats, pairs: Pairs) -> Floats:
    """Shared text as a share of the longer page's."""
    return np.asarray(shared / np.maximum(size[pairs].max(axis=1, initial=0), 1))


def _have_like_headings(headings: SparseMatrix, pairs: Pairs) -> Mask:
    """Mask of pairs with a common heading, or with a page without headings: other headings stand over other pages.

    Siblings from one template, such as the stops of a tour, may have all text in common but the heading.
    """
    return np.asarray((products(headings, headings, pairs) > 0) | (headings.row_sizes()[pairs] == 0).any(axis=1))


def _own_blocks(site: Site, compared: Mask) -> tuple[SparseMatrix, SparseMatrix, Floats]:
    """Unrepeated blocks of each compared page, and the headings among these: 0 or 1, sparse (pages, texts).

    Also the characters of each text, (texts,). Texts with equal words count as the same text.
    """
    numbered, row = site.numbered_blocks, site.repeated_blocks.rows_of_values()
    mine = np.zeros(len(numbered.dictionary), bool)
    mine[numbered.indices.to_numpy()[compared[row]]] = True
    # Language versions put their own quotation marks into text left untranslated.
    words = pc.replace_substring_regex(numbered.dictionary.filter(pa.array(mine)), r"[^\p{L}\p{N}]+", " ")
    texts = pc.replace_with_mask(numbered.dictionary, pa.array(mine), words).dictionary_encode()
    text = texts.indices.take(numbered.indices).to_numpy()
    own = compared[row] & ~site.repeated_blocks.values
    is_heading = site.ragged_column("block_kinds").values == BlockKind.HEADING
    size = (len(site), len(texts.dictionary))
    has, headings = (matrix_of_ones(row[kept], text[kept], size) for kept in (own, own & is_heading))
    return has, headings, pc.utf8_length(texts.dictionary).to_numpy().astype(np.float64)
