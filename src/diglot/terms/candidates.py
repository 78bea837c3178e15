"""Step 5. Candidates: pairs of phrases that may be terms, with their counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from diglot.arrays import Floats, Ints, Mask, distinct
from diglot.sparse import SparseMatrix, matrix_of_ones
from diglot.terms.function_words import FunctionWords, well_bounded
from diglot.terms.links import Links
from diglot.terms.phrases import Hashes, Pairs, Places, places_of
from diglot.terms.tokens import Tokens

UNIT_WORDS = 4
"""Most words of a segment that may be a term as a whole, on both sides: a menu entry, a heading."""
_PASSED = 2
"""Most function words between a phrase and an unlinked word, to take the word for a part of the phrase."""
LEAST_LINKED = 2
"""Least segments with a link of a pair, unless it is a whole segment of at most :data:`UNIT_WORDS` words."""


class Side(NamedTuple):
    """One side of all segments: tokens, function words, hashes of phrases."""

    tokens: Tokens
    words: FunctionWords
    hashes: list[Hashes]


class Phrases(NamedTuple):
    """Phrases on one side, sorted by hash. ``sizes``: number of words; ``first``: first token of an occurrence;
    ``places``: all occurrences; ``holds``: matrix (phrases, segments) with ones for the segments of a phrase."""

    hashes: Hashes
    sizes: Ints
    first: Ints
    places: Places
    holds: SparseMatrix

    def counts(self) -> Ints:
        """Number of segments with each phrase."""
        return self.holds.row_sizes()


class Candidates(NamedTuple):
    """Pairs of phrases. ``src``, ``tgt``: numbers of the phrases. ``linked``: segments with a link between them;
    ``units``: such segments with nothing else in them. ``weight``: mean probability of the links. ``pairs``: the
    occurrences; ``numbers``: the candidate of each."""

    src: Ints
    tgt: Ints
    linked: Ints
    units: Ints
    weight: Floats
    pairs: Pairs
    numbers: Ints

    def __len__(self) -> int:
        return len(self.src)


def find_candidates(src: Side, tgt: Side, pairs: Pairs) -> tuple[Candidates, Phrases, Phrases]:
    """Candidates, and the phrases of both sides: pairs of well bounded phrases with links in several segments, or of
    whole short segments."""
    good = well_bounded(src.tokens, src.words, pairs.src_first, pairs.src_size)
    good &= well_bounded(tgt.tokens, tgt.words, pairs.tgt_first, pairs.tgt_size)
    good &= _has_letters(src, pairs.src_first, pairs.src_size) & _has_letters(tgt, pairs.tgt_first, pairs.tgt_size)
    pairs = _with_units(src, tgt, pairs.take(good))
    _, numbers = np.unique(np.stack((pairs.src, pairs.tgt)), axis=1, return_inverse=True)
    numbers = numbers.ravel()
    count = int(numbers.max(initial=-1)) + 1
    segments = len(src.tokens.offsets) - 1
    linked = np.bincount(distinct(numbers * segments + pairs.segments) // max(segments, 1), minlength=count)
    whole = _is_whole(src.tokens, pairs.src_first, pairs.src_size) & _is_whole(
        tgt.tokens, pairs.tgt_first, pairs.tgt_size
    )
    units = np.bincount(
        distinct(numbers[whole] * segments + pairs.segments[whole]) // max(segments, 1), minlength=count
    )
    short = np.zeros(count, bool)
    short[numbers] = np.maximum(pairs.src_size, pairs.tgt_size) <= UNIT_WORDS
    # A longer segment is a sentence rather than a term.
    kept = (linked >= LEAST_LINKED) | ((units > 0) & short)
    rows = np.flatnonzero(kept[numbers])
    pairs, numbers = pairs.take(rows), (np.cumsum(kept) - 1)[numbers[rows]]
    linked, units, count = linked[kept], units[kept], int(kept.sum())
    weight = np.bincount(numbers, pairs.weights, count) / np.maximum(np.bincount(numbers, minlength=count), 1)
    one = np.zeros(count, np.int64)
    # Assigned backwards, so that the first occurrence of a candidate wins.
    one[numbers[::-1]] = np.arange(len(numbers))[::-1]
    src_phrases = _phrases(src, pairs.src[one], pairs.src_first[one], pairs.src_size[one])
    tgt_phrases = _phrases(tgt, pairs.tgt[one], pairs.tgt_first[one], pairs.tgt_size[one])
    of_src = np.searchsorted(src_phrases.hashes, pairs.src[one])
    of_tgt = np.searchsorted(tgt_phrases.hashes, pairs.tgt[one])
    return Candidates(of_src, of_tgt, linked, units, weight, pairs, numbers), src_phrases, tgt_phrases


def is_complete(sides: Sequence[Side], links: Links, pairs: Pairs) -> Mask:
    """Mask of pairs without an unlinked content word beside them in either language.

    Such a word may be a part of the phrase that the links missed.
    """
    complete = np.ones(len(pairs.src), bool)
    spans = (links.src, pairs.src_first, pairs.src_size), (links.tgt, pairs.tgt_first, pairs.tgt_size)
    for side, (linked, first, sizes) in zip(sides, spans, strict=True):
        before, behind = _left_over(side, linked)
        complete &= ~before[first] & ~behind[first + sizes - 1]
    return complete


def _left_over(side: Side, linked: Ints) -> tuple[Mask, Mask]:
    """Masks of tokens with an unlinked content word before and behind, function words between passed over."""
    tokens, free = side.tokens, np.ones(len(side.tokens), bool)
    free[linked] = False
    function = side.words.is_function[tokens.words]
    before, behind = np.zeros(len(tokens), bool), np.zeros(len(tokens), bool)
    for _ in range(_PASSED + 1):
        before[1:] = ~tokens.breaks[1:] & free[:-1] & (~function[:-1] | before[:-1])
        behind[:-1] = ~tokens.breaks[1:] & free[1:] & (~function[1:] | behind[1:])
    return before, behind


def _with_units(src: Side, tgt: Side, pairs: Pairs) -> Pairs:
    """The pairs, and short segments as pairs of their own, even without links."""
    counts = src.tokens.counts(), tgt.tokens.counts()
    short = np.flatnonzero((counts[0] > 0) & (counts[0] <= UNIT_WORDS) & (counts[1] > 0) & (counts[1] <= UNIT_WORDS))
    first, tgt_first = src.tokens.offsets[short], tgt.tokens.offsets[short]
    sizes, tgt_sizes = counts[0][short], counts[1][short]
    src_hash = np.stack(src.hashes)[sizes - 1, first]
    tgt_hash = np.stack(tgt.hashes)[tgt_sizes - 1, tgt_first]
    good = (src_hash != 0) & (tgt_hash != 0)
    good &= well_bounded(src.tokens, src.words, first, sizes) & well_bounded(
        tgt.tokens, tgt.words, tgt_first, tgt_sizes
    )
    good &= _has_letters(src, first, sizes) & _has_letters(tgt, tgt_first, tgt_sizes)
    # Segments with links are pairs already.
    known = set(
        zip(
            pairs.src_first.tolist(),
            pairs.src_size.tolist(),
            pairs.tgt_first.tolist(),
            pairs.tgt_size.tolist(),
            strict=True,
        )
    )
    spans = zip(first.tolist(), sizes.tolist(), tgt_first.tolist(), tgt_sizes.tolist(), strict=True)
    good &= np.fromiter((span not in known for span in spans), bool, len(short))
    rows = np.flatnonzero(good)
    extra = (src_hash, tgt_hash, first, sizes, tgt_first, tgt_sizes, short, np.zeros(len(short)))
    return Pairs(*(np.concatenate((own, more[rows])) for own, more in zip(pairs, extra, strict=True)))


def _is_whole(side: Tokens, first: Ints, sizes: Ints) -> Mask:
    """Mask of runs of tokens equal to their segment."""
    segments = side.segments[first]
    return np.asarray((side.offsets[segments] == first) & (side.offsets[segments + 1] == first + sizes))


def _has_letters(side: Side, first: Ints, sizes: Ints) -> Mask:
    """Mask of runs with a letter in their first and last word, and more than one character."""
    names = side.tokens.names
    lettered = np.fromiter((any(map(str.isalpha, name)) for name in names), bool, len(names))[side.tokens.words]
    last = first + sizes - 1
    # One ideograph is a word; one letter is not.
    long = side.tokens.ends[last] - side.tokens.starts[first] > 1
    single = np.fromiter((len(name) == 1 and ord(name) > 0x2E7F for name in names), bool, len(names))[side.tokens.words]
    return np.asarray(lettered[first] & lettered[last] & (long | single[first]))


def _phrases(side: Side, hashes: Hashes, first: Ints, sizes: Ints) -> Phrases:
    """The distinct phrases among some given by hash, first token and number of words, with all their places."""
    known, one = np.unique(hashes, return_index=True)
    places = places_of(known, side.hashes)
    segments = len(side.tokens.offsets) - 1
    holds = matrix_of_ones(places.phrases, side.tokens.segments[places.first], (len(known), segments))
    return Phrases(known, sizes[one], first[one], places, holds)
