"""Originals shown in another edition: in the frame of its menus, or as the page that should be its translation."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot import sparse
from diglot.arrays import Floats, Ints, Mask, Pairs, Rows, distinct
from diglot.documents.language import SAMPLE_CHARS, identify, language_of, no_identifier_tells, probabilities
from diglot.duplicates.reprints import MAX_PAGES_A_BLOCK, own_blocks
from diglot.features.links import names_language
from diglot.page_language.own_text import weights
from diglot.site import Site

MAX_ALIKE = 3
"""Of how many more pages than the site has editions one may be a copy: on a site of many alike, as versions of a manual
are, each has most of all others, and looking at all pairs would grow with their square. Our choice."""
MIN_CONTAINED = 0.5
"""Share of a copy's own text, in characters, that must stand word for word on the original."""
MIN_COMMON_PAGES, COMMON_SHARE = 3, 0.1
"""Blocks on more than a tenth of the pages of a language, and on more than three, say nothing of whose copy a page is;
nor do those on more than :data:`diglot.duplicates.reprints.MAX_PAGES_A_BLOCK`."""
MIN_FRAME_PAGES = 3
"""A text on so many pages, of whatever language, belongs to a frame."""
MIN_CONFIDENCE = 0.9
"""How sure the identification of a frame or a text must be for it to be foreign."""
FRAME_BLOCKS = 8
"""A page's frame is typical of its language as far as its eight commonest blocks are common there, on average, those
left out that stand rather on pages of other languages."""
MIN_FRAME, MAX_FRAME_SHARE, MIN_FOREIGN_BLOCKS = 0.1, 0.6, 3
"""By its frame alone a page is a copy if the original's is at least so typical, its own at most this share of that, and
if it has so many blocks more that stand rather on pages of other languages."""
MORE_SURPRISING, MIN_FRAME_LETTERS = 10, 6
"""Of near copies one stands in another edition if the few words of its frame that differ are in their language ten
times more surprising than those of the other: ``versión, junio 4`` and ``version, June 4`` on English pages. How
surprising words are is how many times likelier they are in the language that suits them best."""
UNTRANSLATED_SHARE = 0.8
"""Share of a page's own text, in characters, that stands word for word on pages of another language: what is left
makes no bitext. Ideographs count for more characters, as they say more."""


def pages_in_foreign_frames(site: Site, rows: Rows) -> dict[int, int]:
    """Which of some pages repeat another of their language in the frame of another edition: row -> the original's.

    Half of the copy's own text stands on the original. What only the copy has of the site's recurring texts is written
    in another language, and what only the original has, if anything, in theirs; or the copy's frame is far less
    typical of their language than the original's. Versions of a page, such as licences, share one frame, and all stay.
    """
    texts = _texts(site)
    langs = np.unique(texts.lang_of_row[rows])
    found: dict[int, int] = {}
    contained: dict[int, Pairs] = {}
    for is_framed_elsewhere in (texts.is_untypical, texts.is_in_foreign_frame):
        # What stands on copies alone is no frame, and no text that tells pages apart: they are left out of the counts.
        recurring = texts.recurring(without=list(found))
        for lang in langs.tolist():
            left = np.setdiff1d(rows[texts.lang_of_row[rows] == lang], list(found))
            if lang not in contained or found:
                contained[lang] = _contained(site, left, len(texts.langs) + MAX_ALIKE)
            for copy, original in contained[lang].tolist():
                if copy not in found and original not in found and is_framed_elsewhere(copy, original, recurring):
                    found[copy] = original
    return found


def near_copies_in_foreign_frames(site: Site, copies: Mapping[int, tuple[int, ...]]) -> dict[int, int]:
    """Which of some near copies has, of the site's recurring texts, words that are far more surprising in their
    language than another's: row -> row of that page. The words are too few to identify a language by."""
    texts = _texts(site)
    recurring = texts.recurring(without=[])
    found = {}
    for copy, others in copies.items():
        surprise = {other: texts.more_surprising(copy, other, recurring) for other in others}
        best = max(surprise, key=lambda other: (surprise[other], -other))
        if surprise[best] >= MORE_SURPRISING:
            found[copy] = best
    return found


def pages_left_untranslated(site: Site) -> dict[int, int]:
    """Pages most of whose own text stands on pages of another language, and is in another language than the page:
    row -> row of the page of another language that holds most of it."""
    texts = _texts(site)
    own = ~site.repeated_blocks.values
    shared = own & (texts.langs_with > 1)[texts.number]
    chars = np.where(_has_words(texts.dictionary), weights(texts.dictionary), 0)[texts.number]
    size, foreign = (np.bincount(texts.row[kept], weights=chars[kept], minlength=len(site)) for kept in (own, shared))
    found = {}
    for page in np.flatnonzero((size > 0) & (foreign >= UNTRANSLATED_SHARE * size)).tolist():
        mine = texts.of(page)
        told = texts.number[mine][shared[mine]]
        if texts.is_foreign(told.tolist(), texts.langs[texts.lang_of_row[page]]):
            found[page] = texts.holder(page, np.unique(told))
    return found


def frame_typicality(site: Site, rows: Rows, others: Rows) -> Floats:
    """For each of the pages ``rows`` how common its eight commonest blocks are among them, in [0, 1]; shape (pages of
    the site,), 0 for all others.

    Blocks that stand on ``others`` too, the pages of the other language, do not count. A page left untranslated
    stands in its own edition's frame: among the originals it is untypical.
    """
    text, page = _texts(site).places
    here = np.isin(page, rows)
    share = np.bincount(text[here], minlength=int(text.max(initial=0)) + 1) / max(len(rows), 1)
    share[text[np.isin(page, others)]] = 0
    return _mean_of_highest(page[here], share[text[here]], len(site))


def _texts(site: Site) -> _Texts:
    return site.cached("texts on pages", lambda: _Texts(site))


class _Texts:
    """The block texts of a site by number, where each stands, and in how many languages."""

    def __init__(self, site: Site) -> None:
        numbered = site.numbered_blocks
        self.dictionary: pa.StringArray = numbered.dictionary
        self.number, self.row = numbered.indices.to_numpy(), site.repeated_blocks.rows_of_values()
        langs, self.lang_of_row = np.unique(np.array(site.strings("lang"), dtype=object), return_inverse=True)
        self.langs: list[str] = [str(lang) for lang in langs]
        self._starts = np.searchsorted(self.row, np.arange(len(site) + 1))
        self._chars = pc.utf8_length(self.dictionary).to_numpy()
        self._languages: dict[tuple[int, ...], tuple[str, float]] = {}
        text, page = np.divmod(distinct(self.number.astype(np.int64) * max(len(site), 1) + self.row), max(len(site), 1))
        size = len(self.dictionary)
        self.places = text, page
        keys = text * max(len(langs), 1) + self.lang_of_row[page]
        in_langs, place, pages_in = np.unique(keys, return_inverse=True, return_counts=True)
        self.langs_with = np.bincount(in_langs // max(len(langs), 1), minlength=size)
        own, everywhere = pages_in[place], np.bincount(text, minlength=size)[text]
        is_abroad = 2 * own < everywhere
        self._blocks_abroad = np.bincount(page[is_abroad], minlength=len(site))
        share = np.where(is_abroad, 0.0, own / np.bincount(self.lang_of_row)[self.lang_of_row[page]])
        self._typicality = _mean_of_highest(page, share, len(site))
        self._usual = [2 * np.median(self._typicality[self.lang_of_row == lang]) for lang in range(len(self.langs))]

    def of(self, page: int) -> slice:
        """Where the blocks of a page stand."""
        return slice(self._starts[page], self._starts[page + 1])

    def recurring(self, without: list[int]) -> Mask:
        """Which texts stand on pages enough to belong to a frame, some pages left out."""
        text, page = self.places
        return np.bincount(text[~np.isin(page, without)], minlength=len(self.dictionary)) >= MIN_FRAME_PAGES

    def is_in_foreign_frame(self, copy: int, original: int, recurring: Mask) -> bool:
        """Whether what recurs on the site and only the copy has is surely in another language than their text, and
        what only the original has is not."""
        lang = self.langs[self.lang_of_row[original]]
        if not self.is_foreign(self._only_on(copy, original, recurring), lang):
            return False
        own = self._only_on(original, copy, recurring)
        return not own or self._language(own)[0] == language_of(lang)

    def is_untypical(self, copy: int, original: int, _recurring: Mask) -> bool:
        """Whether the frame of the original is typical of its language, and the copy's far less so and of others."""
        frame, abroad = self._typicality, self._blocks_abroad
        return bool(
            MIN_FRAME <= frame[original] <= self._usual[self.lang_of_row[original]]
            and frame[copy] < MAX_FRAME_SHARE * frame[original]
            and abroad[copy] >= abroad[original] + MIN_FOREIGN_BLOCKS
        )

    def more_surprising(self, page: int, other: int, recurring: Mask) -> float:
        """How many times more surprising in the language of two pages the recurring texts of one alone are than those
        of the other alone; 1 where either has too few letters."""
        lang = language_of(self.langs[self.lang_of_row[page]])
        told = [self._sample(self._words_only_on(*pages, recurring)) for pages in ((page, other), (other, page))]
        if min(sum(map(str.isalpha, text)) for text in told) < MIN_FRAME_LETTERS:
            return 1.0
        chances = [probabilities(text) for text in told]
        here, there = (max(chance.values()) / chance[lang] if lang in chance else 1.0 for chance in chances)
        return here / there

    def _only_on(self, page: int, other: int, recurring: Mask) -> list[int]:
        """Recurring texts of one page that the other does not have, in order, each once."""
        mine, others = self.number[self.of(page)], set(self.number[self.of(other)].tolist())
        return [number for number in dict.fromkeys(mine[recurring[mine]].tolist()) if number not in others]

    def _words_only_on(self, page: int, other: int, recurring: Mask) -> list[int]:
        """The same without names of the site's languages, by which a page leads to its other editions."""
        lang = (self.langs[self.lang_of_row[page]],)
        texts = {number: self.dictionary[number].as_py() for number in self._only_on(page, other, recurring)}
        return [number for number, text in texts.items() if not any(names_language(text, x, lang) for x in self.langs)]

    def is_foreign(self, numbers: list[int], lang: str) -> bool:
        """Whether some texts are surely in another language."""
        found, confidence = self._language(numbers)
        if found in ("und", language_of(lang)) or confidence < MIN_CONFIDENCE:
            return False
        return not no_identifier_tells(lang, found, self._sample(numbers))

    def holder(self, page: int, told: Ints) -> int:
        """The page of another language that has most of some texts; of the language they are in, if there is one."""
        elsewhere = np.isin(self.number, told) & (self.lang_of_row[self.row] != self.lang_of_row[page])
        lang = self._language(told.tolist())[0]
        at_home = np.array([language_of(tag) == lang for tag in self.langs])[self.lang_of_row[self.row]]
        kept = elsewhere & at_home if (elsewhere & at_home).any() else elsewhere
        return int(np.bincount(self.row[kept]).argmax())

    def _language(self, numbers: list[int]) -> tuple[str, float]:
        """Primary subtag of the language of some texts, and how sure that is; "und" for too little of them."""
        key = tuple(numbers)
        if key not in self._languages:
            tag, confidence = identify(self._sample(numbers))
            self._languages[key] = language_of(tag), confidence
        return self._languages[key]

    def _sample(self, numbers: list[int]) -> str:
        """The beginning of some texts, one after the other."""
        enough = int(np.searchsorted(np.cumsum(self._chars[numbers] + 1), SAMPLE_CHARS)) + 1
        return " ".join(self.dictionary.take(pa.array(numbers[:enough], pa.int64())).to_pylist())[:SAMPLE_CHARS]


def _mean_of_highest(page: Ints, share: Floats, pages: int) -> Floats:
    """Mean of the highest eight values of each page, which may have fewer: then the others are 0."""
    order = np.lexsort((-share, page))
    page, share = page[order], share[order]
    top = np.arange(len(page)) - np.searchsorted(page, page) < FRAME_BLOCKS
    return np.bincount(page[top], weights=share[top], minlength=pages) / FRAME_BLOCKS


def _has_words(texts: pa.StringArray) -> Mask:
    """Which texts have a word, and not only numbers, signs and letters by themselves."""
    return np.asarray(pc.match_substring_regex(texts, r"\p{L}{2}").to_numpy(zero_copy_only=False), bool)


def _contained(site: Site, rows: Rows, most: int) -> Pairs:
    """Pairs (copy, original) of some rows, most shared text first: half of the copy's text stands on the original,
    which is one of the ``most`` pages that have most of it."""
    has, chars = own_blocks(site, rows)
    here = np.bincount(has.indices, minlength=has.shape[1])
    common = here > min(MAX_PAGES_A_BLOCK, max(MIN_COMMON_PAGES, COMMON_SHARE * len(rows)))
    weighted = sparse.csr_array(has @ sparse.diags_array(np.where(common, 0.0, chars)))
    weighted.eliminate_zeros()
    met = sparse.coo_array(weighted @ (weighted > 0).astype(np.float32).T)
    pairs = np.stack(met.coords, axis=1).astype(np.int32)
    size = np.asarray(weighted.sum(axis=1)).ravel()
    kept = (pairs[:, 0] != pairs[:, 1]) & (met.data >= MIN_CONTAINED * size[pairs[:, 0]])
    pairs, shared = pairs[kept], met.data[kept]
    by_copy = np.lexsort((pairs[:, 1], -shared, pairs[:, 0]))
    copies = pairs[by_copy, 0]
    kept = by_copy[np.arange(len(copies)) - np.searchsorted(copies, copies) < most]
    pairs, shared = pairs[kept], shared[kept]
    return rows[pairs[np.lexsort((pairs[:, 1], pairs[:, 0], -shared))]]
