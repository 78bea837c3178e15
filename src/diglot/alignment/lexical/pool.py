"""Texts of one language pair, their units numbered together so that they can share a lexicon."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from diglot.alignment.lexical.lexicon import Text
from diglot.alignment.lexical.model1 import FOLDS
from diglot.alignment.lexical.outside import Similarity
from diglot.alignment.lexical.units import Side, UnitClass, Vocabulary, same_units
from diglot.arrays import Ints

Numbers = tuple[dict[str, int], dict[str, int]]
"""Number of each unit of the source side and of the target side."""


@dataclass(frozen=True, slots=True)
class Bitext:
    """Sentences of the two sides of one text.

    ``opens`` (1 where a sentence opens a block, else 0) and ``kinds`` (of its block) are given where blocks are
    known. ``fold``: any number; texts that share a lexicon should differ in it. ``evidence``: similarities of
    beads from outside the text, of the same kinds in all texts that are aligned together.
    """

    src: Sequence[str]
    tgt: Sequence[str]
    opens: tuple[Sequence[int], Sequence[int]] = ((), ())
    kinds: tuple[Sequence[int], Sequence[int]] = ((), ())
    fold: int = 0
    evidence: Sequence[Similarity] = ()


@dataclass(frozen=True, slots=True)
class Pool:
    """Texts, the numbers of all their units, the class of each, and for each source unit the target unit written
    alike (-1 for none)."""

    texts: list[Text]
    numbers: Numbers
    classes: tuple[Ints, Ints]
    same: Ints


def make_pool(bitexts: Sequence[Bitext]) -> Pool:
    """Number the units of all texts."""
    numbers: Numbers = ({}, {})
    read = [(_read(bitext, 0), _read(bitext, 1)) for bitext in bitexts]
    places = [tuple(_join(known, words) for known, (words, _) in zip(numbers, sides, strict=True)) for sides in read]
    classes = []
    for side, known in enumerate(numbers):
        counts = np.zeros((len(known), len(UnitClass)), np.int64)
        for sides, place in zip(read, places, strict=True):
            counts[place[side]] += sides[side][0].class_counts()
        classes.append(counts.argmax(axis=1))
    texts = [
        _text(bitext, sides, (place[0], place[1]), (classes[0][place[0]], classes[1][place[1]]))
        for bitext, sides, place in zip(bitexts, read, places, strict=True)
    ]
    return Pool(texts, numbers, (classes[0], classes[1]), same_units(*numbers))


def place_text(bitext: Bitext, numbers: Numbers, classes: tuple[Ints, Ints]) -> Text:
    """A text as seen by a lexicon that it had no part in; units the lexicon lacks keep the class they have here."""
    sides = (_read(bitext, 0), _read(bitext, 1))
    places, own = [], []
    for (words, _), known, kinds in zip(sides, numbers, classes, strict=True):
        place = np.fromiter((known.get(unit, -1) for unit in words.numbers), np.int64)
        here = words.class_counts().argmax(axis=1)
        places.append(place)
        own.append(np.where(place >= 0, kinds[place], here) if len(kinds) else here)
    return _text(bitext, sides, (places[0], places[1]), (own[0], own[1]))


def _text(
    bitext: Bitext,
    sides: tuple[tuple[Vocabulary, Side], tuple[Vocabulary, Side]],
    places: tuple[Ints, Ints],
    classes: tuple[Ints, Ints],
) -> Text:
    (src_words, src), (tgt_words, tgt) = sides
    return Text(src, tgt, places, classes, same_units(src_words.numbers, tgt_words.numbers), bitext.fold % FOLDS)


def _read(bitext: Bitext, side: int) -> tuple[Vocabulary, Side]:
    words = Vocabulary()
    return words, words.side((bitext.src, bitext.tgt)[side], bitext.opens[side], bitext.kinds[side])


def _join(known: dict[str, int], words: Vocabulary) -> Ints:
    return np.fromiter((known.setdefault(unit, len(known)) for unit in words.numbers), np.int64)
