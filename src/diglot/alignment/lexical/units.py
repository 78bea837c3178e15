"""Step 1. Texts as numbers: every sentence a set of units (see :mod:`diglot.alignment.lexical.tokens`), every unit a
number."""

from __future__ import annotations

import hashlib
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from itertools import repeat
from typing import NamedTuple

import numpy as np

from diglot.alignment.beads import Similarity
from diglot.alignment.gale_church import text_length
from diglot.alignment.lexical.cutting_kernels import sentence_units
from diglot.alignment.lexical.tokens import LINK_MARK, SENTENCE_END, UnitClass, cut_text, same_units, token_units
from diglot.arrays import Floats, Ints, Ints32, Mask

FOLDS = 5
"""Folds of the beads: the beads of a fold are scored by a lexicon learnt from the four other folds. Otherwise pairs
seen once confirm themselves."""
FREQUENT_SHARE = 0.3
"""A sentence in more than this share of the texts, and in two at least, is in the same fold in all of them: otherwise a
menu with other entries in each language confirms itself. Rarer sentences may confirm others, as the teaser of an
article does."""
FOLD_SENTENCES = (4, 16)
"""Consecutive source sentences of a fold, at least and at most, chosen for four stretches of every fold. Longer
stretches take too much from a short text, shorter stretches too little from a long text: neighbours share their
words."""
_FOLD_STRETCHES = 4

UnitNumbers = tuple[dict[str, int], dict[str, int]]
"""Number of every unit of the source side, and of the target side."""


class Folding(NamedTuple):
    """How the source sentences of the texts of a lexicon are put into folds."""

    sentences: int
    """Consecutive sentences of a fold."""
    frequent: Ints
    """Keys of the sentences of many texts, of either side (:func:`sentence_keys`, :data:`FREQUENT_SHARE`), rising: the
    frame of the pages."""

    def folds(self, keys: Ints, first: int) -> Ints:
        """Fold of every source sentence of a text. ``keys``: of the sentences; ``first``: fold of the first stretch."""
        in_stretches = np.arange(len(keys)) // self.sentences + first
        return np.where(np.isin(keys, self.frequent), keys, in_stretches) % FOLDS


NO_TEXTS = Folding(FOLD_SENTENCES[1], np.zeros(0, np.int64))
"""Folding of a lexicon that was learnt from nothing."""


@dataclass(frozen=True, slots=True)
class ParallelText:
    """Sentences of the two sides of a text.

    ``opens`` (1 for a sentence that opens a block, else 0) and ``kinds`` (of its block): empty for texts without
    blocks. ``fold``: any number, different for the texts of a lexicon. ``evidence``: similarities of beads from outside
    the text, of the same kinds in all texts aligned together. ``links``: key of the link of every sentence, equal on
    both sides for the same place ("" for no link). ``whole_links``: 1 if the link is the whole sentence, else 0.
    """

    src: Sequence[str]
    tgt: Sequence[str]
    opens: tuple[Sequence[int], Sequence[int]] = ((), ())
    kinds: tuple[Sequence[int], Sequence[int]] = ((), ())
    fold: int = 0
    evidence: Sequence[Similarity] = ()
    links: tuple[Sequence[str], Sequence[str]] = ((), ())
    whole_links: tuple[Sequence[int], Sequence[int]] = ((), ())


class Step(IntEnum):
    """The step from a sentence to the next one: inside of a block, over a boundary, or to a block of another kind."""

    INSIDE = 0
    OVER = 1
    TO_OTHER_KIND = 2


@dataclass(frozen=True, slots=True)
class NumberedSide:
    """Sentences of a side of a text, as numbers.

    ``offsets``: int64 (n + 1,); sentence i has the distinct units ``units[offsets[i]:offsets[i + 1]]`` (int64).
    ``lengths``: characters without white space, float64 (n,). ``opens``: int64 (n,), 1 for a sentence that opens a
    block, else 0; all 0 in a text without blocks. ``kinds``: int64 (n,), kind of block.
    """

    offsets: Ints
    units: Ints
    lengths: Floats
    opens: Ints
    kinds: Ints

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def length_sums(self) -> Floats:
        """Characters before each sentence, and of all, float64 (n + 1,)."""
        return np.concatenate(([0.0], np.cumsum(self.lengths)))

    @property
    def steps(self) -> Ints:
        """The step to every sentence from the one before, a :class:`Step`, int64 (n,)."""
        before = np.concatenate((self.kinds[:1], self.kinds[:-1]))
        return np.asarray(self.opens * np.where(self.kinds == before, Step.OVER, Step.TO_OTHER_KIND), np.int64)

    def part(self, start: int, end: int) -> NumberedSide:
        """The sentences ``start`` to ``end`` - 1."""
        own = slice(start, end)
        offsets = self.offsets[start : end + 1]
        units = self.units[offsets[0] : offsets[-1]]
        return NumberedSide(offsets - offsets[0], units, self.lengths[own], self.opens[own], self.kinds[own])


@dataclass(frozen=True, slots=True)
class NumberedText:
    """Two sides of a text, and the place of their units in the lexicon.

    ``numbers``: for every side, the lexicon's number of every unit, -1 for an unknown unit. ``classes``: of every unit.
    ``same``: target unit of the same spelling for every source unit, -1 for no unit. ``folds``: fold of every source
    sentence. ``framed``: for every side, whether a sentence stands in many texts.
    """

    src: NumberedSide
    tgt: NumberedSide
    numbers: tuple[Ints, Ints]
    classes: tuple[Ints, Ints]
    same: Ints
    folds: Ints
    framed: tuple[Mask, Mask]

    @property
    def sides(self) -> tuple[NumberedSide, NumberedSide]:
        return self.src, self.tgt

    def part(self, src: tuple[int, int], tgt: tuple[int, int]) -> NumberedText:
        """The sentences in two ranges, with the same units and folds."""
        folds, framed = self.folds[slice(*src)], (self.framed[0][slice(*src)], self.framed[1][slice(*tgt)])
        return replace(self, src=self.src.part(*src), tgt=self.tgt.part(*tgt), folds=folds, framed=framed)


@dataclass(frozen=True, slots=True)
class NumberedTexts:
    """Texts to learn from together, numbers and classes of all their units, the target unit of the same spelling for
    every source unit (-1 for no unit), and the folding of their sentences."""

    texts: list[NumberedText]
    numbers: UnitNumbers
    classes: tuple[Ints, Ints]
    same: Ints
    folding: Folding


def fold_length(sentences: int) -> int:
    """Sentences of a fold, for texts with this number of source sentences together."""
    least, most = FOLD_SENTENCES
    return min(max(sentences // (FOLDS * _FOLD_STRETCHES), least), most)


def number_texts(pairs: Sequence[ParallelText]) -> NumberedTexts:
    """Number the units of all texts."""
    numbers: UnitNumbers = ({}, {})
    read = [_number_sides(pair) for pair in pairs]
    places = [tuple(_add_units(known, own) for known, (own, _) in zip(numbers, sides, strict=True)) for sides in read]
    classes = []
    for side, known in enumerate(numbers):
        counts = np.zeros((len(known), len(UnitClass)), np.int64)
        for sides, place in zip(read, places, strict=True):
            counts[place[side]] += sides[side][0].class_counts()
        classes.append(counts.argmax(axis=1))
    frequent = np.union1d(_frequent_keys([pair.src for pair in pairs]), _frequent_keys([pair.tgt for pair in pairs]))
    # One folding for all texts: a lexicon is stored with one.
    folding = Folding(fold_length(sum(len(pair.src) for pair in pairs)), frequent)
    texts = [
        _place_numbers(sides, (place[0], place[1]), (classes[0][place[0]], classes[1][place[1]]), pair, folding)
        for sides, place, pair in zip(read, places, pairs, strict=True)
    ]
    return NumberedTexts(texts, numbers, (classes[0], classes[1]), same_units(*numbers), folding)


def place_text(
    pair: ParallelText, numbers: UnitNumbers, classes: tuple[Ints, Ints], folding: Folding = NO_TEXTS
) -> NumberedText:
    """A text in the numbers of a lexicon learnt from other texts; unknown units keep their class of the text.

    ``folding``: of the texts of the lexicon.
    """
    sides = _number_sides(pair)
    places, own_classes = [], []
    for (own, _), known, known_classes in zip(sides, numbers, classes, strict=True):
        place = np.fromiter(map(known.get, own.numbers, repeat(-1)), np.int64, len(own))
        here = own.class_counts().argmax(axis=1)
        places.append(place)
        own_classes.append(np.where(place >= 0, known_classes[place], here) if len(known_classes) else here)
    return _place_numbers(sides, (places[0], places[1]), (own_classes[0], own_classes[1]), pair, folding)


@dataclass(slots=True)
class Vocabulary:
    """Numbers of the units of a side, in order of first occurrence."""

    numbers: dict[str, int] = field(default_factory=dict)
    _seen: list[Ints] = field(default_factory=list)
    """Counts of units by class, (units, classes), an array a text."""

    def __len__(self) -> int:
        return len(self.numbers)

    def side(
        self,
        sentences: Sequence[str],
        opens: Sequence[int] = (),
        kinds: Sequence[int] = (),
        links: Sequence[str] = (),
    ) -> NumberedSide:
        """The sentences as numbers; new units join the vocabulary."""
        count = len(sentences)
        cut = _kept_sides.cut(sentences)
        if self.numbers:
            places = np.array([self.numbers.setdefault(unit, len(self.numbers)) for unit in cut.names], np.int64)
        else:  # the numbers of the sentences are those of the vocabulary
            self.numbers = dict(zip(cut.names, range(len(cut.names)), strict=True))
            places = np.arange(len(cut.names))
        counts = np.zeros((len(self.numbers), len(UnitClass)), np.int64)
        counts[places] = cut.counts
        self._seen.append(counts)
        offsets, units = cut.offsets, places[cut.units]
        if any(links):
            offsets, units = self._with_links(offsets, units, links)
        return NumberedSide(
            offsets,
            units,
            cut.lengths,
            np.array(opens, np.int64) if len(opens) else np.zeros(count, np.int64),
            np.array(kinds, np.int64) if len(kinds) else np.zeros(count, np.int64),
        )

    def class_counts(self) -> Ints:
        """Occurrences of every unit by :class:`UnitClass`, (units, classes)."""
        counts = np.zeros((len(self.numbers), len(UnitClass)), np.int64)
        for seen in self._seen:
            counts[: len(seen)] += seen
        return counts

    def _with_links(self, offsets: Ints, units: Ints, links: Sequence[str]) -> tuple[Ints, Ints]:
        """Offsets and units of the sentences, with their links as units."""
        linking = np.flatnonzero([bool(link) for link in links])
        found = (self.numbers.setdefault(LINK_MARK + links[place], len(self.numbers)) for place in linking.tolist())
        numbers = np.fromiter(found, np.int64, len(linking))
        counts = np.zeros((len(self.numbers), len(UnitClass)), np.int64)
        counts[:, UnitClass.LINK] = np.bincount(numbers, minlength=len(counts))
        self._seen.append(counts)
        # A link is the last unit of its sentence.
        linked = np.insert(units, offsets[linking + 1], numbers)
        return offsets + np.searchsorted(linking, np.arange(len(offsets))), linked


@dataclass(frozen=True, slots=True)
class _CutSentences:
    """Sentences of a side cut into units, numbered in order of first occurrence.

    ``offsets``: first unit of every sentence, (n + 1,). ``units``: a sentence has a unit once. ``names``: of the units;
    ``counts``: of the units by class, (units, classes). ``lengths``: characters of the sentences, (n,).
    """

    offsets: Ints
    units: Ints32
    names: tuple[str, ...]
    counts: Ints32
    lengths: Floats


_KEPT_CHARS = 12_000_000
"""Characters of texts kept cut at most: those of a site of four languages with 800 pages. Their numbers take two to
three bytes a character."""


class _KeptSides:
    """The sides that were cut into units last.

    A page is cut to learn a model, again to be aligned, and both again for every further language pair: of a site in
    four languages six times. With this it is cut once in a process.
    """

    def __init__(self) -> None:
        self._sides: dict[bytes, _CutSentences] = {}
        self._chars = 0

    def cut(self, sentences: Sequence[str]) -> _CutSentences:
        """The sentences cut into units."""
        key = _digest(sentences)
        if (found := self._sides.get(key)) is not None:
            return found
        chars = sum(map(len, sentences))
        if self._chars + chars > _KEPT_CHARS:
            self._sides, self._chars = {}, 0
        self._chars += chars
        return self._sides.setdefault(key, _cut_sentences(tuple(sentences)))


_kept_sides = _KeptSides()


def _digest(sentences: Sequence[str]) -> bytes:
    """A key for sentences that takes less memory than they do; their lengths tell where each begins."""
    lengths = np.array([len(sentences), *map(len, sentences)], np.int64)
    text = "".join(sentences).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(lengths.tobytes() + text, digest_size=16).digest()


def _cut_sentences(sentences: Sequence[str]) -> _CutSentences:
    # An icon, an arrow or a rule that a page repeats stands beside any text: neither its marks nor its length tell a
    # counterpart. One that stands once marks its place on both sides, as the icon of a card does.
    copies = Counter(sentences)
    spoken = [line if copies[line] == 1 or any(map(str.isalnum, line)) else "" for line in sentences]
    # Each distinct token is looked at once. Token 0 is the end of a sentence.
    tokens, distinct = cut_text(SENTENCE_END.join(line.replace(SENTENCE_END, " ") for line in spoken))
    rows = [(UnitClass.PUNCTUATION, ()), *map(token_units, distinct)]
    names: dict[str, int] = {}
    numbers = [names.setdefault(unit, len(names)) for _, units in rows for unit in units]
    offsets, units, counts = sentence_units(
        tokens,
        np.array([kind for kind, _ in rows], np.int64),
        np.cumsum([0, *(len(units) for _, units in rows)]),
        np.array(numbers, np.int64),
        (UnitClass.NAME.value, UnitClass.WORD.value, UnitClass.NUMBER.value, UnitClass.PUNCTUATION.value),
        (len(names), len(UnitClass)),
    )
    lengths = np.array([text_length(text) for text in spoken], np.float64)
    cut = _CutSentences(
        # Numbers of 32 bits, as they are kept.
        offsets[: len(sentences) + 1],
        units.astype(np.int32),
        tuple(names),
        counts.astype(np.int32),
        lengths,
    )
    for shared in (cut.offsets, cut.units, cut.counts, cut.lengths):
        shared.flags.writeable = False
    return cut


_OwnSide = tuple[Vocabulary, NumberedSide]


def _number_sides(pair: ParallelText) -> tuple[_OwnSide, _OwnSide]:
    """Both sides in numbers of their own."""
    src, tgt = Vocabulary(), Vocabulary()
    return (
        (src, src.side(pair.src, pair.opens[0], pair.kinds[0], pair.links[0])),
        (tgt, tgt.side(pair.tgt, pair.opens[1], pair.kinds[1], pair.links[1])),
    )


def _add_units(known: dict[str, int], own: Vocabulary) -> Ints:
    """Numbers of the units of a text in ``known``; new units join ``known``."""
    return np.fromiter((known.setdefault(unit, len(known)) for unit in own.numbers), np.int64)


def _place_numbers(
    sides: tuple[_OwnSide, _OwnSide],
    numbers: tuple[Ints, Ints],
    classes: tuple[Ints, Ints],
    pair: ParallelText,
    folding: Folding,
) -> NumberedText:
    (src_own, src), (tgt_own, tgt) = sides
    same = same_units(src_own.numbers, tgt_own.numbers)
    src_keys, tgt_keys = sentence_keys(pair.src), sentence_keys(pair.tgt)
    framed = np.isin(src_keys, folding.frequent), np.isin(tgt_keys, folding.frequent)
    return NumberedText(src, tgt, numbers, classes, same, folding.folds(src_keys, pair.fold), framed)


def _frequent_keys(sides: Sequence[Sequence[str]]) -> Ints:
    """Keys of the sentences of many texts, given the sentences of one side of each text."""
    keys, texts = np.unique(np.concatenate([np.unique(sentence_keys(side)) for side in sides]), return_counts=True)
    return np.asarray(keys[texts > max(1, FREQUENT_SHARE * len(sides))])


def sentence_keys(sentences: Sequence[str]) -> Ints:
    """A number for every sentence, the same for equal sentences and in every process."""
    # Half a character of UTF-16, as a program may hand over, has no other bytes.
    texts = (sentence.encode("utf-8", "surrogatepass") for sentence in sentences)
    return np.fromiter(map(zlib.crc32, texts), np.int64, len(sentences))
