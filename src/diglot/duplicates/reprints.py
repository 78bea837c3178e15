"""Near duplicates in one language: versions, reprints, originals shown twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Floats, Ints, Pairs, Rows
from diglot.features.links import linked_pages
from diglot.features.sparse_rows import products
from diglot.pages.media import media_rank
from diglot.records import BlockKind
from diglot.site import Site
from diglot.sparse import SparseMatrix, matrix_of_ones

MIN_SHARED = 0.95
"""Share of the longer page's text, in characters, found on both near duplicates; from Bitextor and WMT16."""
OFTENER_TIMES, OFTENER_PAGES = 2, 2
"""A page is linked far more often than a second one from twice as many pages plus two."""
MAX_PAGES_PER_BLOCK = 50
"""Blocks on more pages of a language propose no pairs, which keeps the search linear."""


def find_reprints(site: Site, near: Mapping[int, tuple[int, ...]]) -> dict[int, int]:
    """Row of the representative for every reprint among the near duplicates.

    Both pages would fit a translation equally well. The reprint is a document, such as the print version of an HTML
    page, or it is linked far less often from pages of its language. ``near``: see :func:`near_duplicates`.
    """
    if not near:
        return {}
    links, standing = _linking_pages(site), list(map(media_rank, site.strings("media")))

    def represents(row: int, page: int) -> bool:
        if standing[row] != standing[page]:
            return standing[row] > standing[page]
        return bool(links[row] >= OFTENER_TIMES * links[page] + OFTENER_PAGES)

    found = {
        page: max(originals, key=lambda row: (standing[row], links[row], -row))
        for page, alike in near.items()
        if (originals := [row for row in alike if represents(row, page)])
    }
    return dict(sorted(found.items()))


def near_duplicates(site: Site, rows: Rows, least: float = MIN_SHARED) -> dict[int, tuple[int, ...]]:
    """Rows of the near duplicates, in the same language, of each page in ``rows``; pages without any are left out.

    Pages are compared by their unrepeated blocks (:attr:`Site.repeated_blocks`); ``least``: least share of the longer
    page's text on both, in [0, 1].
    """
    near: defaultdict[int, list[int]] = defaultdict(list)
    langs = np.array(site.strings("lang"), dtype=object)[rows]
    for lang in sorted(set(langs.tolist())):
        mine = rows[langs == lang]
        for i, j in with_like_headings(site, mine[_near_pairs(*own_blocks(site, mine), least)]).tolist():
            near[i].append(j)
    return {page: tuple(alike) for page, alike in near.items()}


def _linking_pages(site: Site) -> Ints:
    """Number of pages of the same language with a link to each page, shape (pages,)."""
    here, there = linked_pages(site).T
    langs = np.array(site.strings("lang"), dtype=object)
    return np.asarray(np.bincount(there[langs[here] == langs[there]], minlength=len(site)), np.int64)


def own_blocks(site: Site, rows: Rows) -> tuple[SparseMatrix, Floats]:
    """Unrepeated blocks of each page, 0 or 1, sparse (rows, texts); characters of each text, (texts,).

    Texts with equal words count as the same text.
    """
    texts = blocks_by_words(site)
    place = np.full(len(site), -1, np.int64)
    place[rows] = np.arange(len(rows))
    page = place[site.repeated_blocks.rows_of_values()]
    kept = (page >= 0) & ~site.repeated_blocks.values
    size = (len(rows), len(texts.dictionary))
    has = matrix_of_ones(page[kept], texts.indices.to_numpy()[kept], size)
    return has, pc.utf8_length(texts.dictionary).to_numpy().astype(np.float64)


def with_like_headings(site: Site, pairs: Pairs) -> Pairs:
    """Pairs of pages with a common heading, or with a page without headings: other headings stand over other pages.

    Siblings from one template, such as the stops of a tour, may have all text in common but the heading.
    """
    has = site.cached("headings", lambda: _headings(site))
    count = has.row_sizes()[pairs]
    return pairs[(products(has, has, pairs) > 0) | (count == 0).any(axis=1)]


def _headings(site: Site) -> SparseMatrix:
    """Unrepeated headings of each page, sparse (pages, texts)."""
    texts = blocks_by_words(site)
    kept = ~site.repeated_blocks.values & (site.ragged("block_kinds").values == BlockKind.HEADING)
    rows = site.repeated_blocks.rows_of_values()[kept]
    return matrix_of_ones(rows, texts.indices.to_numpy()[kept], (len(site), len(texts.dictionary)))


def blocks_by_words(site: Site) -> pa.DictionaryArray:
    """All blocks of a site; those of pages without a reason with a blank for every run of characters between letters
    and digits. Cached."""
    return site.cached("blocks by words", lambda: _by_words(site))


def _by_words(site: Site) -> pa.DictionaryArray:
    texts = site.numbered_blocks
    # Pages with a reason, most in languages that nobody wants, are compared with no page, and are most of many sites.
    compared = np.repeat(np.array(site.strings("reason"), dtype=object) == "", np.diff(site.block_offsets))
    mine = np.zeros(len(texts.dictionary), bool)
    mine[texts.indices.to_numpy()[compared]] = True
    # Language versions put their own quotation marks into text left untranslated.
    words = pc.replace_substring_regex(texts.dictionary.filter(pa.array(mine)), r"[^\p{L}\p{N}]+", " ")
    folded = pc.replace_with_mask(texts.dictionary, pa.array(mine), words).dictionary_encode()
    return pa.DictionaryArray.from_arrays(folded.indices.take(texts.indices), folded.dictionary)


def _near_pairs(has: SparseMatrix, chars: npt.NDArray[np.float64], least: float) -> Pairs:
    """Pairs of local rows, in both orders, that share ``least`` of the characters of the longer page."""
    # Frequent blocks propose no pairs, but count below in the shared text.
    telling = has.keep_columns(has.column_sizes() <= MAX_PAGES_PER_BLOCK)
    met = telling @ telling.T
    pairs = np.stack([met.row_numbers(), met.columns], axis=1).astype(np.int32)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    weighted = has.scale_columns(chars)
    size = weighted.row_sums()
    longer = size[pairs].max(axis=1, initial=0)
    # Most pairs share a line or two: lengths alone rule them out, which costs no product.
    likely = size[pairs].min(axis=1, initial=np.inf) >= least * longer
    pairs, longer = pairs[likely], longer[likely]
    return pairs[(products(weighted, has, pairs) >= least * longer) & (longer > 0)]
