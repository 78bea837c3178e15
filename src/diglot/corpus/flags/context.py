"""What flags are found by: segments with their texts, sites and copies, and the options of cleaning."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Floats, Ints, Mask
from diglot.corpus.flags.codes import SegmentSites, both_sides, codes_of, combine, encode_sorted, segment_sites, stack
from diglot.corpus.flags.lengths import Lengths, lengths_of
from diglot.corpus.flags.personal import Mode
from diglot.corpus.flags.repeats import TextCodes, best_rows, is_boilerplate, is_label, log_odds, supports, text_codes
from diglot.corpus.flags.wrong_language import PAGE_TEXTS, SideTexts, is_wrong_language
from diglot.errors import DiglotError

Holds = Callable[[str, str], bool]


@dataclass(frozen=True, slots=True)
class PageFacts:
    """Facts about pages, by address; a page may be missing."""

    machine_translated: frozenset[str] = frozenset()
    declared_lang: Mapping[str, str] = field(default_factory=dict)
    other_texts: pa.Table = field(default_factory=PAGE_TEXTS.empty_table)
    """Texts of pages in languages outside the run (:data:`PAGE_TEXTS`): they teach the words of these languages."""


BOILERPLATE_PAGES, BOILERPLATE_SHARE = 5, 0.3
"""Boilerplate stands on more page pairs than the first, and than this share of all."""
_SYMBOL_BEFORE = r"^\s*[\p{So}\p{Sm}•·*]+\s*[^\s\p{N}]"
"""An icon, arrow or bullet, as a site puts before the name of a thing in one list and not in the other. Before a number
it may be a minus or *less than*."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaning:
    """Options of cleaning."""

    personal_data: Mode = "flag"
    offensive: frozenset[str] = frozenset()
    """Words in lower case."""
    min_score: float = 0.0
    """Least score of a kept segment: no translation below it is preferred to one above."""
    one_site: bool = False
    """Treat all pages as one site."""
    probabilities: bool = True
    """Scores are probabilities of right segments. Scores that only say how well lengths fit make no segment sure."""


@dataclass
class Context:
    """Segments to be flagged, and what several flags need of them, computed once.

    ``segments``: in their final text form. ``sure``: mask of rows whose score reaches ``Cleaning.min_score``.
    ``usable``: mask of rows not excluded by the flags found so far; rows with an empty side are never usable.
    """

    segments: pa.Table
    options: Cleaning
    pages: PageFacts
    sure: Mask
    usable: Mask = field(init=False)

    def __post_init__(self) -> None:
        self.usable = ~self.is_empty

    @cached_property
    def is_empty(self) -> Mask:
        """Mask of rows with an empty side."""
        sides = (pc.equal(pc.utf8_trim_whitespace(self.segments[side]), "").to_numpy() for side in ("src", "tgt"))
        return np.asarray(np.logical_or(*sides), bool)

    @cached_property
    def sites(self) -> SegmentSites:
        return segment_sites(self.segments, one_site=self.options.one_site)

    @cached_property
    def peers(self) -> Ints:
        """A code for the site and language pair of each row."""
        langs = combine(codes_of(self.segments["src_lang"]), codes_of(self.segments["tgt_lang"]))
        return combine(self.sites.of_row, langs)

    @cached_property
    def texts(self) -> SideTexts:
        """The texts of both sides and of other pages, numbered once."""
        texts = stack(self.segments["src"], self.segments["tgt"], self.pages.other_texts["text"])
        values, codes = encode_sorted(texts)
        sides, others = np.split(codes, [2 * self.segments.num_rows])
        return SideTexts(values, sides.reshape(2, -1), others)

    @cached_property
    def lengths(self) -> Lengths:
        return lengths_of(self.texts.values, self.texts.sides)

    @cached_property
    def codes(self) -> TextCodes:
        return text_codes(self.texts.values, self.texts.sides)

    @cached_property
    def is_machine_translated(self) -> Mask:
        """Mask of rows with a machine-translated page on either side."""
        known = pa.array(sorted(self.pages.machine_translated), pa.string())
        sides = (pc.is_in(self.segments[name], known).to_numpy() for name in ("src_url", "tgt_url"))
        return np.asarray(np.logical_or(*sides), bool)

    @cached_property
    def text_pair(self) -> Ints:
        """A code for the pair of texts of each row within its site and language pair."""
        return combine(self.peers, *self.codes.same)

    @cached_property
    def page_pair(self) -> Ints:
        """A code for the two pages of each row within their site and language pair."""
        return combine(self.peers, *(codes_of(self.segments[name]) for name in ("src_url", "tgt_url")))

    @cached_property
    def _doubts(self) -> Ints:
        """Degree of doubt of each row among its copies: sure texts without a symbol before them come first, a machine's
        translations last."""
        has_symbol = self.by_texts(lambda pairs: np.asarray(sides_match(pairs, _SYMBOL_BEFORE).any(axis=0), bool))
        return np.asarray(2 * self.is_machine_translated + (has_symbol | ~self.sure), np.int64)

    @cached_property
    def best_copy(self) -> Ints:
        """For each row the best row with the same two texts."""
        return best_rows(self.segments, self.text_pair, self._doubts)

    @cached_property
    def best_near_copy(self) -> Ints:
        """For each row the best row with nearly the same two texts; copies are among these."""
        return best_rows(self.segments, combine(self.peers, *self.codes.near), self._doubts)

    @cached_property
    def support(self) -> Floats:
        """Evidence for each row by itself and its copies (:func:`supports`), without boilerplate; 0 for the copies."""
        scores = self.segments["score"].to_numpy().astype(np.float64)
        weights = log_odds(scores) if self.options.probabilities else scores
        return supports(np.where(self.is_boilerplate, 0.0, weights), self.best_near_copy)

    @cached_property
    def is_boilerplate(self) -> Mask:
        """Mask of rows whose pair of texts is on more than :data:`BOILERPLATE_PAGES` page pairs, and on more than
        :data:`BOILERPLATE_SHARE` of those of its site and language pair; the best row of each pair of texts is left
        out of the mask."""
        codes = self.text_pair, self.page_pair, self.peers
        found = is_boilerplate(*codes, least=BOILERPLATE_PAGES, share=BOILERPLATE_SHARE)
        return np.asarray(found & (self.best_copy != np.arange(self.segments.num_rows)), bool)

    @property
    def is_copy(self) -> Mask:
        """Mask of rows with a better copy or near copy."""
        rows = np.arange(self.segments.num_rows)
        return np.asarray((self.best_copy != rows) | (self.best_near_copy != rows), bool)

    @property
    def is_identical(self) -> Mask:
        """Mask of rows with the same letters and digits on both sides."""
        return np.asarray(self.codes.letters[0] == self.codes.letters[1], bool)

    @cached_property
    def is_label(self) -> Mask:
        """Mask of rows without a sentence; see :func:`diglot.corpus.flags.repeats.is_label`."""
        return self.by_texts(is_label)

    @cached_property
    def is_wrong_language(self) -> Mask:
        """Mask of rows with a side in a foreign language."""
        return is_wrong_language(self.segments, self.texts, self.sites, ~self.is_empty, self.pages.other_texts)

    @cached_property
    def _distinct(self) -> tuple[pa.Table, Ints]:
        """Distinct pairs of texts, and the place of each row's pair among these pairs."""
        src, tgt = self.texts.sides
        _, first, of_row = np.unique(src * len(self.texts.values) + tgt, return_index=True, return_inverse=True)
        return self.segments.select(["src", "tgt"]).take(pa.array(first)), of_row

    def by_texts(self, mask_of: Callable[[pa.Table], Mask]) -> Mask:
        """A mask of rows by their texts alone; ``mask_of`` is asked once for the table of distinct pairs of texts."""
        pairs, of_row = self._distinct
        return np.asarray(mask_of(pairs)[of_row], bool)


@dataclass(frozen=True)
class OfTexts:
    """Finds a flag by a test of the two texts of a segment, called as ``holds(src, tgt)``.

    ``pattern`` (RE2): the test is called only for segments with a match on either side, which saves time.
    """

    holds: Holds
    pattern: str = ""

    def __call__(self, context: Context) -> Mask:
        return context.by_texts(self._mask)

    def _mask(self, pairs: pa.Table) -> Mask:
        either = np.asarray(sides_match(pairs, self.pattern).any(axis=0), bool)
        return confirm(either, pairs, self.holds)


def confirm(mask: Mask, pairs: pa.Table, holds: Holds) -> Mask:
    """Mask of the pairs of texts in ``mask`` whose texts pass a test."""
    rows = pa.array(np.flatnonzero(mask))
    texts = (pairs[side].take(rows).to_pylist() for side in ("src", "tgt"))
    confirmed = np.zeros(len(mask), bool)
    answers = [holds(src, tgt) for src, tgt in zip(*texts, strict=True)]
    # NumPy would take None, from a return that was forgotten, for False.
    if strange := [answer for answer in answers if not isinstance(answer, bool | np.bool_)]:
        raise DiglotError(f"its test of two texts gives a {type(strange[0]).__name__}; give True or False")
    confirmed[mask] = answers
    return confirmed


def matches(texts: pa.ChunkedArray, pattern: str) -> Mask:
    """Mask of the texts with a match of a pattern (RE2)."""
    return np.asarray(pc.match_substring_regex(texts, pattern).to_numpy(), dtype=bool)


def sides_match(pairs: pa.Table, pattern: str) -> Mask:
    """Mask of the sides of segments with a match of a pattern (RE2), shape (2, rows)."""
    return matches(both_sides(pairs), pattern).reshape(2, -1)


def holds_word(words: frozenset[str]) -> Holds:
    """A test for whole words of a list, in lower case, on either side."""
    listed = re.compile(rf"(?<!\w)(?:{'|'.join(sorted(map(re.escape, words)))})(?!\w)")
    return lambda src, tgt: bool(listed.search(src.casefold()) or listed.search(tgt.casefold()))
