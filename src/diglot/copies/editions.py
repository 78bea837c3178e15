"""Originals shown in another edition: in the frame of its menus, or as the page that should be its translation."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse

from diglot.arrays import Ints, Mask, Pairs, Rows
from diglot.copies.reprints import own_blocks
from diglot.documents.language import SAMPLE_CHARS, identify, language_of
from diglot.site import Site

MIN_CONTAINED = 0.5
"""Share of a copy's own text, in characters, that must stand word for word on the original."""
MAX_PAGES_A_BLOCK, MIN_COMMON_PAGES, COMMON_SHARE = 50, 3, 0.1
"""Blocks on more pages of a language than the first, or than a tenth of them and three, say nothing of whose copy a
page is."""
MIN_FRAME_PAGES = 3
"""A text on so many pages, of whatever language, belongs to a frame."""
MIN_CONFIDENCE = 0.9
"""How sure the identification of a frame or a text must be for it to be foreign."""
UNTRANSLATED_SHARE = 0.8
"""Share of a page's own text, in characters, that stands word for word on pages of another language: what is left
makes no bitext."""


def pages_in_foreign_frames(site: Site) -> dict[int, int]:
    """Pages that repeat another page of their language in the frame of another edition: row -> row of the original.

    Half of the copy's own text stands on the original. What only the copy has of the site's recurring texts is written
    in another language; what only the original has is in its own language, if there is any. Versions of a page, such
    as licences, share one frame, and all stay.
    """
    texts = _Texts(site)
    found: dict[int, int] = {}
    for code, lang in enumerate(texts.langs):
        rows = np.flatnonzero(texts.lang_of_row == code).astype(np.int32)
        for copy, original in rows[_contained(site, rows)].tolist():
            if copy not in found and original not in found and texts.is_framed_elsewhere(copy, original, lang):
                found[copy] = original
    return found


def pages_left_untranslated(site: Site) -> dict[int, int]:
    """Pages most of whose own text stands on pages of another language, and is in another language than the page:
    row -> row of the page of another language that holds most of it."""
    texts = _Texts(site)
    own = ~site.repeated_blocks.values
    shared = own & (texts.langs_with > 1)[texts.number]
    chars = np.where(_has_words(texts.dictionary), pc.utf8_length(texts.dictionary).to_numpy(), 0)[texts.number]
    size, foreign = (np.bincount(texts.row[kept], weights=chars[kept], minlength=len(site)) for kept in (own, shared))
    found = {}
    for page in np.flatnonzero((size > 0) & (foreign >= UNTRANSLATED_SHARE * size)).tolist():
        mine = texts.of(page)
        told = texts.number[mine][shared[mine]]
        if texts.is_foreign(told.tolist(), texts.langs[texts.lang_of_row[page]]):
            found[page] = _holder(texts, page, np.unique(told))
    return found


class _Texts:
    """The block texts of a site by number, where each stands, and in how many languages."""

    def __init__(self, site: Site) -> None:
        numbered = site.numbered_blocks
        self.dictionary: pa.StringArray = numbered.dictionary
        self.number, self.row = numbered.indices.to_numpy(), site.repeated_blocks.rows_of_values()
        langs, self.lang_of_row = np.unique(np.array(site.strings("lang"), dtype=object), return_inverse=True)
        self.langs: list[str] = [str(lang) for lang in langs]
        self._starts = np.searchsorted(self.row, np.arange(len(site) + 1))
        text, page = np.unique(np.stack([self.number, self.row], axis=1), axis=0).T
        size = len(self.dictionary)
        self._in_frame = np.bincount(text, minlength=size) >= MIN_FRAME_PAGES
        in_langs = np.unique(text * max(len(langs), 1) + self.lang_of_row[page]) // max(len(langs), 1)
        self.langs_with = np.bincount(in_langs, minlength=size)

    def of(self, page: int) -> slice:
        """Where the blocks of a page stand."""
        return slice(self._starts[page], self._starts[page + 1])

    def is_framed_elsewhere(self, copy: int, original: int, lang: str) -> bool:
        """Whether what recurs on the site shows the copy in another edition and the original in its own."""
        only_copy, only_original = (
            self._recurring_only(page, than) for page, than in ((copy, original), (original, copy))
        )
        at_home = not only_original or self._language(only_original)[0] == language_of(lang)
        return at_home and self.is_foreign(only_copy, lang)

    def _recurring_only(self, page: int, other: int) -> list[int]:
        """Recurring texts of one page that the other does not have, in order, each once."""
        mine, others = self.number[self.of(page)], self.number[self.of(other)]
        return list(dict.fromkeys(mine[self._in_frame[mine] & ~np.isin(mine, others)].tolist()))

    def is_foreign(self, numbers: list[int], lang: str) -> bool:
        """Whether some texts are surely in another language."""
        found, confidence = self._language(numbers)
        return found not in ("und", language_of(lang)) and confidence >= MIN_CONFIDENCE

    def _language(self, numbers: list[int]) -> tuple[str, float]:
        """Primary subtag of the language of some texts, and how sure that is; "und" for too little of them."""
        sample = " ".join(self.dictionary[number].as_py() for number in islice(numbers, SAMPLE_CHARS))
        tag, confidence = identify(sample[:SAMPLE_CHARS])
        return language_of(tag), confidence


def _holder(texts: _Texts, page: int, told: Ints) -> int:
    """The page of another language that has most of some texts, the first of several."""
    elsewhere = np.isin(texts.number, told) & (texts.lang_of_row[texts.row] != texts.lang_of_row[page])
    return int(np.bincount(texts.row[elsewhere]).argmax())


def _has_words(texts: pa.StringArray) -> Mask:
    """Which texts have a word, and not only numbers, signs and letters by themselves."""
    return np.asarray(pc.match_substring_regex(texts, r"\p{L}{2}").to_numpy(zero_copy_only=False), bool)


def _contained(site: Site, rows: Rows) -> Pairs:
    """Local pairs (copy, original), most shared text first: half of the copy's text stands on the original."""
    has, chars = own_blocks(site, rows)
    common = np.bincount(has.indices, minlength=has.shape[1]) > min(
        MAX_PAGES_A_BLOCK, max(MIN_COMMON_PAGES, COMMON_SHARE * len(rows))
    )
    weighted = sparse.csr_array(has @ sparse.diags_array(np.where(common, 0.0, chars)))
    weighted.eliminate_zeros()
    met = sparse.coo_array(weighted @ (weighted > 0).astype(np.float32).T)
    pairs = np.stack(met.coords, axis=1).astype(np.int32)
    size = np.asarray(weighted.sum(axis=1)).ravel()
    kept = (pairs[:, 0] != pairs[:, 1]) & (met.data >= MIN_CONTAINED * size[pairs[:, 0]])
    order = np.lexsort((pairs[kept, 1], pairs[kept, 0], -met.data[kept]))
    return pairs[kept][order]
