"""Original pages shown again in another language version: in foreign menus, or in place of a translation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Ints
from diglot.documents.language import SAMPLE_CHARS, is_indistinguishable, probabilities
from diglot.documents.language_tags import language_of
from diglot.features.frames import text_places
from diglot.page_language.own_text import weights
from diglot.site import REPEATED_SHARE, Site

MAX_ALIKE = 3
"""The frame of a page is compared with the frames of this many pages more than the site has languages. Our choice: on
sites of many similar pages, such as versions of a manual, all pairs would grow with the square of the pages."""
MIN_FRAME_PAGES, MIN_FRAME_PAGES_OF_A_LANGUAGE = 3, 2
"""A block on three pages belongs to a frame, the menus round the text, if two of the pages are in one language. A
slogan that stands untranslated on the home page of each language version does not."""
MIN_CONFIDENCE = 0.9
"""Least confidence that a text is foreign."""
MORE_SURPRISING = 10
"""A page stands in a foreign frame if the frame words that differ from another page's are ten times more surprising in
the pages' language. The surprise of words is the ratio of their probability in the likeliest language to their
probability in the pages' language."""
MIN_FRAME_LETTERS = 6
"""Letters of the frame words enough to compare: ``versión, junio 4`` and ``version, June 4``."""
ALONE_TIMES = 10
"""A language alone has near duplicates if it has ten, and ten times as many as any other."""
UNTRANSLATED_SHARE = 0.8
"""Share of a page's own text found word for word on pages of another language: the rest is too little for bitext."""


def pages_in_foreign_frames(texts: BlockTexts, alike: Mapping[int, Sequence[int]], sureness: float) -> dict[int, int]:
    """Row of the original for every page that repeats a page of its language in a foreign frame.

    The frame words on the page alone are far more surprising in the language than those on the original alone.
    Versions of a page, such as licences, share a frame and all stay. ``alike``: pages with much of a page's text.
    ``sureness``: least probability of the likeliest language of the frame words.
    """
    most = texts.languages + MAX_ALIKE
    found = {}
    for page, others in alike.items():
        if texts.is_at_home(page):
            continue
        surprise = {row: texts.surprise_ratio(page, row, sureness) for row in others[:most] if not texts.is_abroad(row)}
        # Of equally surprising pages the first wins, for the same result in every run.
        best = max(surprise, key=lambda row: (surprise[row], -row), default=None)
        if best is not None and surprise[best] >= MORE_SURPRISING:
            found[page] = best
    return found


def pages_abroad(texts: BlockTexts, alike: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """Row of the original for every page that repeats a page of its language in another language version.

    Two cases. (1) The page lies in another language's version of the site, and the original does not. (2) The page does
    not lie in its own language's version, its language is the only one with near duplicates (:data:`ALONE_TIMES`), its
    blocks are on fewer pages of the language than the original's, because its frame is foreign, and it has no title of
    its own in the language (a list of contents has). Versions of one text, such as licences, have near duplicates in
    other languages, too, and all stay. ``alike``: rows of pages that share 80% of the longer page's text.
    """
    count = Counter(texts.lang_of_row[page] for page in alike)
    alone = {
        lang
        for lang, number in count.items()
        if number >= ALONE_TIMES * max((count[other] for other in count if other != lang), default=1)
    }
    found = {}
    for page, others in alike.items():
        is_alone = texts.lang_of_row[page] in alone and not texts.is_at_home(page)
        originals = [
            row
            for row in others
            if (texts.is_abroad(page) and not texts.is_abroad(row))
            or (is_alone and texts.commonness[row] > texts.commonness[page] and not texts.has_own_title(page, row))
        ]
        if originals:
            # Of equal pages the first wins, for the same result in every run.
            found[page] = max(originals, key=lambda row: (texts.is_at_home(row), texts.commonness[row], -row))
    return found


def pages_left_untranslated(texts: BlockTexts) -> dict[int, int]:
    """Row of the original of every page left untranslated.

    80% of the own text of such a page stand on a page of another language, the original, and are in that language. Of
    several such pages the original is in the likeliest language of the text. Both with and without the menus of few
    pages (:attr:`BlockTexts.frequent`).
    """
    shared = texts.own & (texts.langs_with > 1)[texts.number]
    has_word = pc.match_substring_regex(texts.dictionary, r"\p{L}{2}").to_numpy(zero_copy_only=False)
    chars = np.where(has_word, weights(texts.dictionary), 0)
    size, foreign, text_size, foreign_text = (
        np.bincount(texts.row[kept], weights=chars[texts.number[kept]], minlength=len(texts.lang_of_row))
        for kept in (texts.own, shared, texts.own & ~texts.frequent, shared & ~texts.frequent)
    )
    # A menu alone is no trace of an original, nor does an own menu round a foreign text make a translation.
    is_foreign = (foreign >= UNTRANSLATED_SHARE * size) & (foreign_text >= UNTRANSLATED_SHARE * text_size)
    found = {}
    for page in np.flatnonzero(is_foreign & (text_size > 0)).tolist():
        mine = texts.blocks_of(page)
        numbers = texts.number[mine][shared[mine]]
        # A page in its own language version may be a list of entries from many pages: one foreign page must hold 80% of
        # its text. For other pages, any foreign page with some of the text will do.
        least = UNTRANSLATED_SHARE * size[page] if texts.is_at_home(page) else 1
        holders = texts.foreign_holders(page, numbers, chars, least)
        original = texts.likeliest_original(page, numbers, holders)
        if original is not None:
            found[page] = original
    return found


class BlockTexts:
    """Block texts of a site by number, with their pages and languages."""

    def __init__(self, site: Site) -> None:
        numbered = site.numbered_blocks
        self.dictionary: pa.StringArray = numbered.dictionary
        self.number, self.row = numbered.indices.to_numpy(), site.repeated_blocks.rows_of_values()
        self.own = ~site.repeated_blocks.values
        self._langs = list(map(language_of, site.strings("lang")))
        tags, self.lang_of_row = np.unique(np.array(site.strings("lang"), dtype=object), return_inverse=True)
        self.languages = len(tags)
        self._surprises: dict[tuple[int, int], tuple[float, float]] = {}
        self._versions, self._titles = site.strings("edition"), site.strings("title")
        self._starts = np.searchsorted(self.row, np.arange(len(site) + 1))
        self._chars = pc.utf8_length(self.dictionary).to_numpy()
        text, page = self.places = text_places(site)
        size = len(self.dictionary)
        keys = text * max(len(tags), 1) + self.lang_of_row[page]
        in_langs, place, pages_in = np.unique(keys, return_inverse=True, return_counts=True)
        self.langs_with = np.bincount(in_langs // max(len(tags), 1), minlength=size)
        lang = self.lang_of_row[self.row]
        pages_with = pages_in[np.searchsorted(in_langs, self.number * len(tags) + lang)]
        least = np.maximum(MIN_FRAME_PAGES - 1, REPEATED_SHARE * np.bincount(self.lang_of_row)[lang])
        self.frequent = pages_with > least
        """Mask of blocks with a text on three pages of their language, and on more than 30%; shape (blocks,)."""
        most = np.zeros(size, np.int64)
        np.maximum.at(most, in_langs // max(len(tags), 1), pages_in)
        self._recurring = np.bincount(text, minlength=size) >= MIN_FRAME_PAGES
        self._recurring &= most >= MIN_FRAME_PAGES_OF_A_LANGUAGE
        self.commonness = np.bincount(page, weights=pages_in[place], minlength=len(site))
        """Number of pages of a page's language with each of its blocks, summed; shape (pages,)."""

    def is_at_home(self, page: int) -> bool:
        """Whether a page stands in the language version of its own language: its frame is not foreign."""
        return self._versions[page] == self._langs[page]

    def is_abroad(self, page: int) -> bool:
        """Whether a page stands in the language version of another language."""
        return bool(self._versions[page]) and not self.is_at_home(page)

    def blocks_of(self, page: int) -> slice:
        """Range of a page's blocks."""
        return slice(self._starts[page], self._starts[page + 1])

    def has_own_title(self, page: int, other: int) -> bool:
        """Whether the title of a page differs from the title of another, and is not surely in a foreign language."""
        title = self._titles[page]
        return title != self._titles[other] and probabilities(title).get(self._langs[page], 0.0) > 1 - MIN_CONFIDENCE

    def surprise_ratio(self, page: int, other: int, sureness: float) -> float:
        """Surprise of the frame words on ``page`` alone over that of the words on ``other`` alone, in their language.

        1 where ``page`` has too few letters, or no language of them is probable enough (``sureness``).
        """
        here, most = self._surprise(page, other)
        there, most_there = self._surprise(other, page)
        if sureness:
            # If the frame of the other is foreign, too (``there`` is not 1), neither is the original.
            return here if most >= sureness and there == 1 else 1.0
        # If nothing is sure, words on one page alone, such as the name of a language in a menu, say nothing.
        return here / there if most and most_there else 1.0

    def _surprise(self, page: int, other: int) -> tuple[float, float]:
        """Surprise of the frame words on ``page`` alone, in its language, and the probability of their likeliest
        language; 1 and 0 for too few letters. Kept: two rules ask for the same pages, in both orders."""
        if (page, other) not in self._surprises:
            text = self._sample(self._frame_only_on(page, other))
            has_letters = sum(map(str.isalpha, text)) >= MIN_FRAME_LETTERS
            chances = probabilities(text) if has_letters else {}
            most, lang = max(chances.values(), default=0.0), self._langs[page]
            self._surprises[page, other] = most / chances[lang] if lang in chances else 1.0, most
        return self._surprises[page, other]

    def _frame_only_on(self, page: int, other: int) -> list[int]:
        """Numbers of the recurring texts on ``page`` and not on ``other``, in order, without repeats."""
        mine, theirs = self.number[self.blocks_of(page)], set(self.number[self.blocks_of(other)].tolist())
        return [number for number in dict.fromkeys(mine[self._recurring[mine]].tolist()) if number not in theirs]

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
        langs = {self._langs[row]: row for row in reversed(holders)}
        own = self._langs[page]
        sample = self._sample(list(dict.fromkeys(numbers.tolist())))
        chances = probabilities(sample, {*langs, own})
        best = max(langs, key=lambda lang: (chances.get(lang, 0.0), lang), default=own)
        is_sure = chances.get(best, 0.0) * (1 - MIN_CONFIDENCE) > chances.get(own, 0.0) * MIN_CONFIDENCE
        return langs[best] if is_sure and not is_indistinguishable(own, best, sample) else None

    def _sample(self, numbers: list[int]) -> str:
        """The texts joined, cut to the length of a sample."""
        # A few texts fill the sample: the others are never taken from Arrow.
        enough = int(np.searchsorted(np.cumsum(self._chars[numbers] + 1), SAMPLE_CHARS)) + 1
        return " ".join(self.dictionary.take(pa.array(numbers[:enough], pa.int64())).to_pylist())[:SAMPLE_CHARS]
