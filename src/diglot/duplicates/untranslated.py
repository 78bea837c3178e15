"""Original pages shown again in another language version: in foreign menus, or in place of a translation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Ints, Mask, Pairs, Rows
from diglot.documents.language import SAMPLE_CHARS, identify, is_indistinguishable, language_of, probabilities
from diglot.duplicates.reprints import MAX_PAGES_PER_BLOCK, near_duplicates, own_blocks, with_like_headings
from diglot.features.frames import text_places
from diglot.page_language.own_text import weights
from diglot.site import Site

MAX_ALIKE = 3
"""A page is compared with as many candidates as the site has languages, and three more. Our choice: on sites of many
similar pages, such as versions of a manual, all pairs would grow with the square of the pages."""
MIN_CONTAINED = 0.5
"""Least share of a duplicate's own text, in characters, found word for word on the original."""
MIN_COMMON_PAGES, COMMON_SHARE = 3, 0.1
"""Blocks on more than three pages and a tenth of the language's pages are no evidence of duplication, nor are blocks on
more than :data:`diglot.duplicates.reprints.MAX_PAGES_PER_BLOCK` pages."""
MIN_FRAME_PAGES = 3
"""A block on three pages, of any language, belongs to a frame: the menus round the text."""
MIN_CONFIDENCE = 0.9
"""Least confidence of the language identifier for a frame or a text to be foreign."""
MORE_SURPRISING, MIN_FRAME_LETTERS = 10, 6
"""Of two near duplicates one stands in another language version if the few frame words that differ are ten times more
surprising in the pages' language: ``versión, junio 4`` and ``version, June 4`` on English pages. The surprise of words
is the ratio of their probability in the likeliest language to their probability in the pages' language."""
ALONE_TIMES = 10
"""A language alone has near duplicates if it has ten, and ten times as many as any other."""
UNTRANSLATED_SHARE = 0.8
"""Share of a page's own text, in characters, found word for word on pages of another language, or on a near duplicate:
the rest is too little for bitext. Ideographs weigh more than one character where languages are compared, as in
:func:`diglot.page_language.own_text.weights`."""


def pages_in_foreign_frames(site: Site, rows: Rows) -> dict[int, int]:
    """Row of the original for every row in ``rows`` that repeats a page of its language in a foreign frame.

    Half of the duplicate's own text stands on the original. Recurring blocks found only on the duplicate are in another
    language, and recurring blocks found only on the original are not. Versions of a page, such as licences, share a
    frame and all stay.
    """
    texts = _block_texts(site)
    recurring = texts.recurring()
    found: dict[int, int] = {}
    for lang in np.unique(texts.lang_of_row[rows]).tolist():
        pairs = _contained_pairs(site, rows[texts.lang_of_row[rows] == lang], len(texts.langs) + MAX_ALIKE)
        for copy, original in with_like_headings(site, pairs).tolist():
            if texts.is_at_home(copy) or copy in found or original in found:
                continue
            if texts.is_in_foreign_frame(copy, original, recurring):
                found[copy] = original
    return found


def near_duplicates_in_foreign_frames(site: Site, near: Mapping[int, tuple[int, ...]]) -> dict[int, int]:
    """Row of the representative for every near duplicate whose frame words are far more surprising in the language.

    For frames of too few words to identify a language. ``near``: see
    :func:`diglot.duplicates.reprints.near_duplicates`.
    """
    texts = _block_texts(site)
    recurring = texts.recurring()
    found = {}
    for page, alike in near.items():
        if texts.is_at_home(page):
            continue
        surprise = {row: texts.surprise_ratio(page, row, recurring) for row in alike}
        # Of equally surprising pages the first wins, for the same result in every run.
        best = max(surprise, key=lambda row: (surprise[row], -row))
        if surprise[best] >= MORE_SURPRISING:
            found[page] = best
    return found


def near_duplicates_abroad(site: Site, rows: Rows) -> dict[int, int]:
    """Row of the representative for every near duplicate that is a copy by its language version or its frame.

    Near duplicates share 80% of their text here. A copy stands in the language version of another language, and the
    original does not. Or, in a language that alone has near duplicates, it holds less of what is common in the
    language, as its frame lacks blocks that many pages have; not with a title of its own in that language, as lists of
    contents have. Versions of a text, such as licences, are translated as well, and all stay.
    """
    texts = _block_texts(site)
    near = near_duplicates(site, rows, UNTRANSLATED_SHARE)
    count = Counter(texts.lang_of_row[page] for page in near)
    alone = {
        lang
        for lang, number in count.items()
        if number >= ALONE_TIMES * max((count[other] for other in count if other != lang), default=1)
    }
    found = {}
    for page, alike in near.items():
        is_alone = texts.lang_of_row[page] in alone and not texts.is_at_home(page)
        originals = [
            row
            for row in alike
            if (texts.is_abroad(page) and not texts.is_abroad(row))
            or (is_alone and texts.commonness[row] > texts.commonness[page] and not texts.has_own_title(page, row))
        ]
        if originals:
            # Of equal pages the first wins, for the same result in every run.
            found[page] = max(originals, key=lambda row: (texts.is_at_home(row), texts.commonness[row], -row))
    return found


def pages_left_untranslated(site: Site) -> dict[int, int]:
    """Row of the original for every page with 80% of its own text on a page of another language, and in its language.

    Of several such pages the original is the one whose language is the likeliest for the text.
    """
    texts = _block_texts(site)
    own = ~site.repeated_blocks.values
    shared = own & (texts.langs_with > 1)[texts.number]
    chars = np.where(_has_words(texts.dictionary), weights(texts.dictionary), 0)
    size, foreign = (
        np.bincount(texts.row[kept], weights=chars[texts.number[kept]], minlength=len(site)) for kept in (own, shared)
    )
    found = {}
    for page in np.flatnonzero((size > 0) & (foreign >= UNTRANSLATED_SHARE * size)).tolist():
        mine = texts.blocks_of(page)
        numbers = texts.number[mine][shared[mine]]
        if texts.is_at_home(page):
            # A list of entries that stand on many pages is a page of its own: one page has to hold the text.
            holders = texts.foreign_holders(page, numbers, chars, UNTRANSLATED_SHARE * size[page])
            original = texts.likeliest_original(page, numbers, holders)
        else:
            is_foreign = texts.is_foreign(numbers.tolist(), texts.langs[texts.lang_of_row[page]])
            original = texts.holder(page, np.unique(numbers)) if is_foreign else None
        if original is not None:
            found[page] = original
    return found


def _block_texts(site: Site) -> _BlockTexts:
    return site.cached("block texts", lambda: _BlockTexts(site))


class _BlockTexts:
    """Block texts of a site by number, with their pages and languages."""

    def __init__(self, site: Site) -> None:
        numbered = site.numbered_blocks
        self.dictionary: pa.StringArray = numbered.dictionary
        self.number, self.row = numbered.indices.to_numpy(), site.repeated_blocks.rows_of_values()
        langs, self.lang_of_row = np.unique(np.array(site.strings("lang"), dtype=object), return_inverse=True)
        self.langs: list[str] = [str(lang) for lang in langs]
        self._versions, self._titles = site.strings("edition"), site.strings("title")
        self._starts = np.searchsorted(self.row, np.arange(len(site) + 1))
        self._chars = pc.utf8_length(self.dictionary).to_numpy()
        self._languages: dict[tuple[int, ...], tuple[str, float]] = {}
        text, page = self.places = text_places(site)
        size = len(self.dictionary)
        keys = text * max(len(langs), 1) + self.lang_of_row[page]
        in_langs, place, pages_in = np.unique(keys, return_inverse=True, return_counts=True)
        self.langs_with = np.bincount(in_langs // max(len(langs), 1), minlength=size)
        self.commonness = np.bincount(page, weights=pages_in[place], minlength=len(site))
        """Number of pages of a page's language with each of its blocks, summed; shape (pages,)."""

    def is_at_home(self, page: int) -> bool:
        """Whether a page stands in the language version of its own language: its frame is not foreign."""
        return bool(self._versions[page] == language_of(self.langs[self.lang_of_row[page]]))

    def is_abroad(self, page: int) -> bool:
        """Whether a page stands in the language version of another language."""
        return bool(self._versions[page]) and not self.is_at_home(page)

    def blocks_of(self, page: int) -> slice:
        """Range of a page's blocks."""
        return slice(self._starts[page], self._starts[page + 1])

    def has_own_title(self, page: int, other: int) -> bool:
        """Whether the title of a page differs from the title of another, and is not surely in a foreign language."""
        title = self._titles[page]
        lang = language_of(self.langs[self.lang_of_row[page]])
        return title != self._titles[other] and probabilities(title).get(lang, 0.0) > 1 - MIN_CONFIDENCE

    def recurring(self) -> Mask:
        """Mask of texts on enough pages to belong to a frame, shape (texts,)."""
        return np.bincount(self.places[0], minlength=len(self.dictionary)) >= MIN_FRAME_PAGES

    def is_in_foreign_frame(self, copy: int, original: int, recurring: Mask) -> bool:
        """Whether frame texts only on ``copy`` are surely foreign, and frame texts only on ``original`` are not."""
        lang = self.langs[self.lang_of_row[original]]
        if not self.is_foreign(self._only_on(copy, original, recurring), lang):
            return False
        own = self._only_on(original, copy, recurring)
        return not own or self._language(own)[0] == language_of(lang)

    def surprise_ratio(self, page: int, near: int, recurring: Mask) -> float:
        """Surprise of the frame words on ``page`` alone over that of the words on ``near`` alone, in their language.

        1 where either page has too few letters.
        """
        lang = language_of(self.langs[self.lang_of_row[page]])
        samples = [self._sample(self._only_on(*pages, recurring)) for pages in ((page, near), (near, page))]
        if min(sum(map(str.isalpha, text)) for text in samples) < MIN_FRAME_LETTERS:
            return 1.0
        chances = [probabilities(text) for text in samples]
        here, there = (max(chance.values()) / chance[lang] if lang in chance else 1.0 for chance in chances)
        return here / there

    def _only_on(self, page: int, absent: int, recurring: Mask) -> list[int]:
        """Numbers of the recurring texts on ``page`` and not on ``absent``, in order, without repeats."""
        mine, theirs = self.number[self.blocks_of(page)], set(self.number[self.blocks_of(absent)].tolist())
        return [number for number in dict.fromkeys(mine[recurring[mine]].tolist()) if number not in theirs]

    def is_foreign(self, numbers: list[int], lang: str) -> bool:
        """Whether the texts are surely in another language than ``lang``."""
        found, confidence = self._language(numbers)
        if found == language_of(lang) or confidence < MIN_CONFIDENCE:
            return False
        return not is_indistinguishable(lang, found, self._sample(numbers))

    def holder(self, page: int, numbers: Ints) -> int:
        """Row of the foreign page with most of the texts ``numbers``; of a page in their language, if any has one."""
        elsewhere = np.isin(self.number, numbers) & (self.lang_of_row[self.row] != self.lang_of_row[page])
        lang = self._language(numbers.tolist())[0]
        at_home = np.array([language_of(tag) == lang for tag in self.langs])[self.lang_of_row[self.row]]
        # The texts may stand on untranslated pages of a third language too.
        kept = elsewhere & at_home if (elsewhere & at_home).any() else elsewhere
        return int(np.bincount(self.row[kept]).argmax())

    def foreign_holders(self, page: int, numbers: Ints, chars: Ints, least: float) -> list[int]:
        """Rows of other languages with ``least`` characters of a page's texts ``numbers``, most characters first."""
        times = np.bincount(numbers, minlength=len(self.dictionary))
        text, there = self.places
        # Places are sorted by text.
        starts, ends = (np.searchsorted(text, np.unique(numbers), side=side) for side in ("left", "right"))
        here = np.concatenate([np.arange(*each) for each in zip(starts.tolist(), ends.tolist(), strict=True)])
        held = np.bincount(there[here], weights=(times * chars)[text[here]], minlength=len(self.lang_of_row))
        held[self.lang_of_row == self.lang_of_row[page]] = 0
        rows = np.flatnonzero(held >= least)
        return rows[np.argsort(-held[rows], kind="stable")].tolist()

    def likeliest_original(self, page: int, numbers: Ints, holders: list[int]) -> int | None:
        """The first of ``holders`` in the language likeliest for the texts; None where it may as well be the page's."""
        langs = {language_of(self.langs[self.lang_of_row[row]]): row for row in reversed(holders)}
        own = language_of(self.langs[self.lang_of_row[page]])
        sample = self._sample(list(dict.fromkeys(numbers.tolist())))
        chances = probabilities(sample, {*langs, own})
        best = max(langs, key=lambda lang: (chances.get(lang, 0.0), lang), default=own)
        is_sure = chances.get(best, 0.0) * (1 - MIN_CONFIDENCE) > chances.get(own, 0.0) * MIN_CONFIDENCE
        return langs[best] if is_sure and not is_indistinguishable(own, best, sample) else None

    def _language(self, numbers: list[int]) -> tuple[str, float]:
        """Primary subtag of the texts' language, and the confidence, 0 for too little text."""
        key = tuple(numbers)
        if key not in self._languages:
            tag, confidence = identify(self._sample(numbers))
            self._languages[key] = language_of(tag), confidence
        return self._languages[key]

    def _sample(self, numbers: list[int]) -> str:
        """The texts joined, cut to the length of a sample."""
        # Far fewer texts than a page has fill the sample: only so many are taken from Arrow.
        enough = int(np.searchsorted(np.cumsum(self._chars[numbers] + 1), SAMPLE_CHARS)) + 1
        return " ".join(self.dictionary.take(pa.array(numbers[:enough], pa.int64())).to_pylist())[:SAMPLE_CHARS]


def _has_words(texts: pa.StringArray) -> Mask:
    """Mask of texts with a word: two letters side by side."""
    return np.asarray(pc.match_substring_regex(texts, r"\p{L}{2}").to_numpy(zero_copy_only=False), bool)


def _contained_pairs(site: Site, rows: Rows, most: int) -> Pairs:
    """Pairs (copy, original) of ``rows`` with half of the copy's text on the original, most shared text first.

    A copy has at most ``most`` originals.
    """
    has, chars = own_blocks(site, rows)
    here = has.column_sizes()
    # Common blocks are mostly menus, and would make pairs of nearly all pages.
    common = here > min(MAX_PAGES_PER_BLOCK, max(MIN_COMMON_PAGES, COMMON_SHARE * len(rows)))
    weighted = has.keep_columns(~common & (chars > 0)).scale_columns(chars)
    met = weighted @ weighted.as_ones().T
    pairs = np.stack([met.row_numbers(), met.columns], axis=1).astype(np.int32)
    size = weighted.row_sums()
    kept = (pairs[:, 0] != pairs[:, 1]) & (met.values >= MIN_CONTAINED * size[pairs[:, 0]])
    pairs, shared = pairs[kept], met.values[kept]
    by_copy = np.lexsort((pairs[:, 1], -shared, pairs[:, 0]))
    copies = pairs[by_copy, 0]
    kept = by_copy[np.arange(len(copies)) - np.searchsorted(copies, copies) < most]
    pairs, shared = pairs[kept], shared[kept]
    return rows[pairs[np.lexsort((pairs[:, 1], pairs[:, 0], -shared))]]
