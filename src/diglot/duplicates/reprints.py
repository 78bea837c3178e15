"""Pages of one language that say the same word for word: versions, reprints, originals shown a second time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from diglot import sparse
from diglot.arrays import Pairs, Rows, distinct
from diglot.features.links import linked_pages, neighbouring_pages
from diglot.features.sparse_rows import products
from diglot.site import Site

MIN_SHARED = 0.95
"""Share of the text of either page, in characters, that stands on both: Bitextor's and WMT16's near-identical."""
OFTENER_TIMES, OFTENER_PAGES = 2, 2
"""A page is linked far oftener than another from twice as many pages and two more."""
ABROAD_PAGES, ABROAD_SHARE = 2, 1 / 3
"""A page stands in another edition if so many of its neighbours, and this share of all, are in one other language."""
MAX_PAGES_A_BLOCK = 50
"""Blocks on more pages of a language do not bring pages together, which keeps the search linear."""


def shown_again(site: Site, copies: Mapping[int, tuple[int, ...]]) -> dict[int, int]:
    """Which of some pages with near copies (:func:`near_copies`) are shown in another place or edition: row -> row of
    the page that stands for both.

    Both fit a translation equally well. The copy is linked far less often from pages of its language, or it stands
    among pages of one other language and the original does not.
    """
    if not copies:
        return {}
    links, abroad = _linking_pages(site), _stand_abroad(site)

    def stands_for(other: int, page: int) -> bool:
        oftener, seldom = _far_oftener(links[other], links[page]), _far_oftener(links[page], links[other])
        return oftener or bool(abroad[page] and not abroad[other] and not seldom)

    found = {
        page: max(originals, key=lambda other: (links[other], -other))
        for page, others in copies.items()
        if (originals := [other for other in others if stands_for(other, page)])
    }
    return dict(sorted(found.items()))


def near_copies(site: Site, rows: Rows) -> dict[int, tuple[int, ...]]:
    """For each of some pages that has any, those of them in its language with nearly its text.

    Compared are blocks that are not repeated all over the language (:attr:`Site.repeated_blocks`).
    """
    copies: defaultdict[int, list[int]] = defaultdict(list)
    langs = np.array(site.strings("lang"), dtype=object)[rows]
    for lang in sorted(set(langs.tolist())):
        mine = rows[langs == lang]
        for i, j in mine[_alike(*own_blocks(site, mine))].tolist():
            copies[i].append(j)
    return {page: tuple(others) for page, others in copies.items()}


def _far_oftener(links: int, than: int) -> bool:
    """Whether a page is linked from twice as many pages as another, and two more."""
    return bool(links >= OFTENER_TIMES * than + OFTENER_PAGES)


def _linking_pages(site: Site) -> npt.NDArray[np.int64]:
    """How many other pages of its language link to each page, shape (len(site),)."""
    here, there = linked_pages(site).T
    langs = np.array(site.strings("lang"), dtype=object)
    return np.asarray(np.bincount(there[langs[here] == langs[there]], minlength=len(site)), np.int64)


def _stand_abroad(site: Site) -> npt.NDArray[np.bool_]:
    """Which pages have two neighbours or more, and a third of all, in one language that is not theirs.

    Neighbours are pages that it links to or that link to it. A language switch leads to one page a language.
    """
    langs, codes = np.unique(np.array(site.strings("lang"), dtype=object), return_inverse=True)
    page, neighbour = neighbouring_pages(site).T
    counts = np.zeros((len(site), len(langs)), np.int64)
    np.add.at(counts, (page, codes[neighbour]), 1)
    total = counts.sum(axis=1)
    counts[np.arange(len(site)), codes] = 0
    most = counts.max(axis=1, initial=0)
    return np.asarray((most >= ABROAD_PAGES) & (most >= ABROAD_SHARE * total))


def own_blocks(site: Site, rows: Rows) -> tuple[sparse.csr_array, npt.NDArray[np.float64]]:
    """Which of its own blocks each page has, 0 or 1, sparse (rows, texts), and the characters of each text.

    Texts of the same words are one: editions put their own quotation marks into what they left untranslated.
    """
    texts = blocks_by_words(site)
    place = np.full(len(site), -1, np.int64)
    place[rows] = np.arange(len(rows))
    page = place[site.repeated_blocks.rows_of_values()]
    kept = (page >= 0) & ~site.repeated_blocks.values
    size = (len(rows), len(texts.dictionary))
    places = np.divmod(distinct(page[kept] * max(size[1], 1) + texts.indices.to_numpy()[kept]), max(size[1], 1))
    has = sparse.csr_array((np.ones(len(places[0]), np.float32), places), shape=size)
    return has, pc.utf8_length(texts.dictionary).to_numpy().astype(np.float64)


def blocks_by_words(site: Site) -> pa.DictionaryArray:
    """Every block of a site by its text, whatever stands between letters and digits made a blank; once a site."""
    return site.cached("blocks by words", lambda: _by_words(site.numbered_blocks))


def _by_words(texts: pa.DictionaryArray) -> pa.DictionaryArray:
    words = pc.replace_substring_regex(texts.dictionary, r"[^\p{L}\p{N}]+", " ").dictionary_encode()
    return pa.DictionaryArray.from_arrays(words.indices.take(texts.indices), words.dictionary)


def _alike(has: sparse.csr_array, chars: npt.NDArray[np.float64]) -> Pairs:
    """Pairs of local rows, either way round, that share at least 95% of their characters."""
    pages_with = np.bincount(has.indices, minlength=has.shape[1])
    telling = sparse.csr_array(has[:, np.flatnonzero(pages_with <= MAX_PAGES_A_BLOCK)])
    met = sparse.coo_array(telling @ telling.T)
    pairs = np.stack(met.coords, axis=1).astype(np.int32)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    weighted = sparse.csr_array(has @ sparse.diags_array(chars))
    size = np.asarray(weighted.sum(axis=1)).ravel()
    longer = size[pairs].max(axis=1, initial=0)
    # Most that met share a line or two: lengths alone rule them out.
    likely = size[pairs].min(axis=1, initial=np.inf) >= MIN_SHARED * longer
    pairs, longer = pairs[likely], longer[likely]
    return pairs[(products(weighted, has, pairs) >= MIN_SHARED * longer) & (longer > 0)]
