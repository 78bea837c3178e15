"""What stands round a page's own text: menus and notes, by which an edition of the site shows."""

from __future__ import annotations

from functools import reduce
from itertools import islice

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse

from diglot.arrays import Floats, Pairs, Rows
from diglot.copies.reprints import own_blocks, shown_again
from diglot.documents.language import SAMPLE_CHARS, identify, language_of
from diglot.site import Site

FRAME_BLOCKS = 8
MIN_FRAME_PAGES = 3
"""A text on so many pages, of whatever language, belongs to a frame."""
MIN_CONTAINED = 0.5
"""Share of a copy's own text, in characters, that must stand word for word on the original."""
MAX_PAGES_A_BLOCK = 50
MIN_CONFIDENCE = 0.9
UNTRANSLATED_SHARE = 0.8
"""Share of a page's own text, in characters, that stands word for word on pages of another language: what is left
makes no bitext."""


def frame_typicality(site: Site, rows: Rows, others: Rows) -> Floats:
    """For every page of the site how common its eight commonest blocks are among ``rows``, in [0, 1].

    Blocks that stand on ``others`` too, the pages of the other language, do not count. A page left
    untranslated stands in its own edition's frame: among the originals it is untypical.
    """
    places = site.cached("block places", lambda: _block_places(site))
    here = np.isin(places[:, 0], rows)
    share = np.bincount(places[here, 1], minlength=int(places[:, 1].max(initial=0)) + 1) / max(len(rows), 1)
    share[places[np.isin(places[:, 0], others), 1]] = 0
    order = np.lexsort((-share[places[:, 1]], places[:, 0]))
    row, value = places[order, 0], share[places[order, 1]]
    top = np.arange(len(row)) - np.searchsorted(row, row) < FRAME_BLOCKS
    return np.asarray(np.bincount(row[top], weights=value[top], minlength=len(site)) / FRAME_BLOCKS)


def _block_places(site: Site) -> npt.NDArray[np.int64]:
    """Row and block text number of every block a page has, each once, sorted."""
    texts = site.numbered_blocks.indices.to_numpy()
    return np.unique(np.stack([site.repeated_blocks.rows_of_values(), texts], axis=1), axis=0)


def no_candidates(site: Site) -> Rows:
    """Pages that are paired with none, since another page stands for them; computed once a site.

    Of two pages of a language that share half of their own text, one is a copy in a foreign frame if what only
    it has of the site's recurring texts is written in another language, and what only the other has in theirs. So
    is a page of which 80% stands on pages of another language and is written in another language than the page.
    Third, near copies of pages that are linked far oftener (:func:`diglot.copies.reprints.shown_again`).
    """
    kinds = (_copies, _untranslated, shown_again)
    return site.cached("no candidates", lambda: reduce(np.union1d, [kind(site) for kind in kinds]))


def _copies(site: Site) -> Rows:
    texts = site.numbered_blocks
    numbers, rows = texts.indices.to_numpy(), site.repeated_blocks.rows_of_values()
    places = np.unique(np.stack([numbers, rows], axis=1), axis=0)
    in_frame = np.bincount(places[:, 0], minlength=len(texts.dictionary)) >= MIN_FRAME_PAGES
    offsets = np.searchsorted(rows, np.arange(len(site) + 1))
    found: set[int] = set()
    for lang in sorted(set(site.strings("lang"))):
        mine = site.rows_of(lang)
        for copy, original in mine[_contained(site, mine)].tolist():
            if copy in found or original in found:
                continue
            blocks = [numbers[offsets[page] : offsets[page + 1]] for page in (copy, original)]
            only = [_only(a, b, in_frame) for a, b in (blocks, blocks[::-1])]
            if _is_foreign(texts.dictionary, only[0], lang) and _is_own(texts.dictionary, only[1], lang):
                found.add(copy)
    return np.array(sorted(found), np.int32)


def _untranslated(site: Site) -> Rows:
    """Pages most of whose own text stands on pages of another language, and is in another language than the page."""
    texts = site.numbered_blocks
    tags, langs = np.unique(np.array(site.strings("lang"), dtype=object), return_inverse=True)
    row, text = site.repeated_blocks.rows_of_values(), texts.indices.to_numpy()
    in_langs = np.bincount(
        np.unique(text * len(tags) + langs[row]) // max(len(tags), 1), minlength=len(texts.dictionary)
    )
    own = ~site.repeated_blocks.values
    chars = np.where(_has_words(texts.dictionary), pc.utf8_length(texts.dictionary).to_numpy(), 0)
    size, foreign = (
        np.bincount(row[kept], weights=chars[text[kept]], minlength=len(site))
        for kept in (own, own & (in_langs > 1)[text])
    )
    likely = np.flatnonzero((size > 0) & (foreign >= UNTRANSLATED_SHARE * size)).tolist()
    offsets = np.searchsorted(row, np.arange(len(site) + 1))
    found = []
    for page in likely:
        mine = slice(offsets[page], offsets[page + 1])
        shared = text[mine][own[mine] & (in_langs > 1)[text[mine]]]
        if _is_foreign(texts.dictionary, shared.tolist(), str(tags[langs[page]])):
            found.append(page)
    return np.array(found, np.int32)


def _has_words(texts: pa.StringArray) -> npt.NDArray[np.bool_]:
    """Which texts have a word, and not only numbers, signs and letters by themselves."""
    return np.asarray(pc.match_substring_regex(texts, r"\p{L}{2}").to_numpy(zero_copy_only=False), bool)


def _contained(site: Site, rows: Rows) -> Pairs:
    """Local pairs (copy, original), most shared text first: half of the text of both stands on the other."""
    has, chars = own_blocks(site, rows)
    common = np.bincount(has.indices, minlength=has.shape[1]) > min(MAX_PAGES_A_BLOCK, max(3, len(rows) / 10))
    weighted = sparse.csr_array(has @ sparse.diags_array(np.where(common, 0.0, chars)))
    weighted.eliminate_zeros()
    met = sparse.coo_array(weighted @ (weighted > 0).astype(np.float32).T)
    pairs = np.stack(met.coords, axis=1).astype(np.int32)
    size = np.asarray(weighted.sum(axis=1)).ravel()
    kept = (pairs[:, 0] != pairs[:, 1]) & (met.data >= MIN_CONTAINED * size[pairs].max(axis=1, initial=0))
    order = np.lexsort((pairs[kept, 1], pairs[kept, 0], -met.data[kept]))
    return pairs[kept][order]


def _only(blocks: npt.NDArray[np.int64], others: npt.NDArray[np.int64], in_frame: npt.NDArray[np.bool_]) -> list[int]:
    """Recurring texts of one page that the other does not have, in order, each once."""
    kept = blocks[in_frame[blocks] & ~np.isin(blocks, others)]
    return list(dict.fromkeys(kept.tolist()))


def _language(texts: pa.StringArray, numbers: list[int]) -> tuple[str, float]:
    """Primary subtag of the language of some texts, and how sure that is; "und" for too little of them."""
    sample = " ".join(texts[number].as_py() for number in islice(numbers, SAMPLE_CHARS))
    tag, confidence = identify(sample[:SAMPLE_CHARS])
    return language_of(tag), confidence


def _is_foreign(texts: pa.StringArray, numbers: list[int], lang: str) -> bool:
    found, confidence = _language(texts, numbers)
    return found not in ("und", language_of(lang)) and confidence >= MIN_CONFIDENCE


def _is_own(texts: pa.StringArray, numbers: list[int], lang: str) -> bool:
    """Whether the texts are in the language; so are none."""
    return not numbers or _language(texts, numbers)[0] == language_of(lang)
