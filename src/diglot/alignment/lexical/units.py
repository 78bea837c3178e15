"""Step 1. Sentences as sets of units, numbered: numbers, prefixes of words, single characters, punctuation marks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache, lru_cache

import numpy as np
from anyascii import anyascii

from diglot.alignment.beads import Similarity
from diglot.alignment.gale_church import text_length
from diglot.alignment.lexical.cutting_kernels import BLANK, DIGIT, END, LETTER, MARK, SINGLE, cut_tokens, sentence_units
from diglot.arrays import Bytes, Floats, Indices, Ints
from diglot.words import EAST_ASIAN, SOUTH_EAST_ASIAN, is_within, without_marks

PREFIX_LETTERS = 4
"""Letters of a word that count: a stem for most inflecting languages (words of 5 cost .01 F1, whole ones .03)."""
PIECE_LETTERS = 3
"""Letters of the overlapping pieces that stand for words in alphabets without blanks (Thai, Lao, Khmer, Burmese)."""
PUNCTUATION_MARK, LINK_MARK = "P", "L"
"""Stand before a punctuation mark and before what is linked to in their units, so that no word has the same one."""
FOLDS = 5
"""Each fifth of the beads is scored with what the others taught. Without it, pairs seen once confirm themselves."""
FOLD_SENTENCES = (4, 16)
"""Consecutive source sentences of one fold, at least and at most: so many that there are four stretches of each fold.
Longer ones take too much from a short text, shorter ones too little from a long one: neighbours share their words."""
_FOLD_STRETCHES = 4

_KNOWN_TOKENS = 1 << 16
"""Tokens whose units are kept at hand: the pages of a site share most of theirs."""
_ROMAN_LETTERS = 3
"""Letters from which on a unit is compared in Latin letters; shorter ones would meet by chance."""

_LOOK_ALIKES = {
    ord(mark): plain
    for marks, plain in (
        ("。．・।॥۔", "."),
        ("，、،", ","),
        ("؟", "?"),
        ("؛", ";"),
        ("：", ":"),
        ("「」『』“”„«»‹›《》〈〉＂", '"'),
        ("‘’‚‛`´", "'"),
        ("–—―−‐‑", "-"),
        ("【〔［", "["),
        ("】〕］", "]"),
        ("…", "."),
    )
    for mark in marks
}
"""Punctuation of other scripts, read as the mark that does its work in English: both then are one unit."""

_END = "\n"
"""Stands between the sentences of a side, which are all cut into tokens at once."""
_SEPARATORS = np.array(list(map(ord, ".,'’\u00a0\u202f ")), np.uint32)
"""Characters that set off thousands: "12.500", "1’000’000", "3 000"."""
_MAY_HOLD_MARKS = re.compile("[\u0300-\u1fff\u20d0-\u20ff\u2c00-\U0010ffff]")
"""Characters that may be a combining mark or East Asian; in a text without any, joiners join nothing."""
_JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"
_MARKS = "\u0300", "\U0001f000"
"""First mark of a letter, and what lies behind all of them: after that, marks choose a glyph."""
_LAST_OF_PLANE = 0xFFFF
_KIND_PATTERNS = {
    LETTER: re.compile(rf"[^\W\d_{EAST_ASIAN}]"),
    DIGIT: re.compile(r"\d"),
    BLANK: re.compile(r"\s"),
    END: re.compile(_END),
}
"""Characters of each kind; what matches none of them is a token by itself."""

UnitNumbers = tuple[dict[str, int], dict[str, int]]
"""Number of each unit of the source side and of the target side."""


class UnitClass(IntEnum):
    """What a unit mostly is; each class has a rate of its own at which it goes untranslated."""

    NUMBER = 0
    NAME = 1
    """A word with a capital that does not open its sentence."""
    WORD = 2
    PUNCTUATION = 3
    CHARACTER = 4
    """A piece of a script that is written without blanks."""
    LINK = 5
    """What a block links to."""


@dataclass(frozen=True, slots=True)
class ParallelText:
    """Sentences of the two sides of one text.

    ``opens`` (1 where a sentence opens a block, else 0) and ``kinds`` (of its block) are given where blocks are
    known. ``fold``: any number; texts that share a lexicon should differ in it. ``evidence``: similarities of
    beads from outside the text, of the same kinds in all texts that are aligned together. ``links``: what sentences
    link to, equal on both sides for the same ("" for nothing); ``whole_links``: 1 for those that are nothing but their
    link, else 0.
    """

    src: Sequence[str]
    tgt: Sequence[str]
    opens: tuple[Sequence[int], Sequence[int]] = ((), ())
    kinds: tuple[Sequence[int], Sequence[int]] = ((), ())
    fold: int = 0
    evidence: Sequence[Similarity] = ()
    links: tuple[Sequence[str], Sequence[str]] = ((), ())
    whole_links: tuple[Sequence[int], Sequence[int]] = ((), ())


@dataclass(frozen=True, slots=True)
class NumberedSide:
    """Sentences of one side of a text, as numbers.

    ``offsets``: int64 (n + 1,); sentence i has the units ``units[offsets[i]:offsets[i + 1]]`` (int64, each once).
    ``lengths``: characters that are not white space, float64 (n,). ``opens``: int64 (n,), 1 where the sentence
    opens a block, 0 elsewhere and everywhere in a text without blocks. ``kinds``: int64 (n,), kind of its block.
    """

    offsets: Ints
    units: Ints
    lengths: Floats
    opens: Ints
    kinds: Ints

    def __len__(self) -> int:
        return len(self.lengths)


@dataclass(frozen=True, slots=True)
class NumberedText:
    """Two sides of a text, with how their units stand in the lexicon.

    ``numbers``: for each side the number in the lexicon of each of its units, -1 for an unknown one. ``classes``: of
    each unit. ``same``: for each source unit the target unit written alike, -1 for none. ``first_fold``: of its first
    sentence.
    """

    src: NumberedSide
    tgt: NumberedSide
    numbers: tuple[Ints, Ints]
    classes: tuple[Ints, Ints]
    same: Ints
    first_fold: int
    fold_sentences: int = FOLD_SENTENCES[1]

    @property
    def sides(self) -> tuple[NumberedSide, NumberedSide]:
        return self.src, self.tgt

    def folds(self) -> Ints:
        """Fold of each source sentence."""
        return (np.arange(len(self.src)) // self.fold_sentences + self.first_fold) % FOLDS


@dataclass(frozen=True, slots=True)
class Pool:
    """Texts, the numbers of all their units, the class of each, and for each source unit the target unit written
    alike (-1 for none)."""

    texts: list[NumberedText]
    numbers: UnitNumbers
    classes: tuple[Ints, Ints]
    same: Ints

    @property
    def fold_sentences(self) -> int:
        """Length of the folds of all texts."""
        return self.texts[0].fold_sentences


def fold_length(sentences: int) -> int:
    """Sentences of a fold where all texts together have so many source sentences."""
    least, most = FOLD_SENTENCES
    return min(max(sentences // (FOLDS * _FOLD_STRETCHES), least), most)


def make_pool(pairs: Sequence[ParallelText]) -> Pool:
    """Number the units of all texts."""
    numbers: UnitNumbers = ({}, {})
    read = [_read(pair) for pair in pairs]
    places = [tuple(_joined(known, own) for known, (own, _) in zip(numbers, sides, strict=True)) for sides in read]
    classes = []
    for side, known in enumerate(numbers):
        counts = np.zeros((len(known), len(UnitClass)), np.int64)
        for sides, place in zip(read, places, strict=True):
            counts[place[side]] += sides[side][0].class_counts()
        classes.append(counts.argmax(axis=1))
    length = fold_length(sum(len(pair.src) for pair in pairs))
    texts = [
        _numbered(pair, length, sides, (place[0], place[1]), (classes[0][place[0]], classes[1][place[1]]))
        for pair, sides, place in zip(pairs, read, places, strict=True)
    ]
    return Pool(texts, numbers, (classes[0], classes[1]), same_units(*numbers))


def place_text(
    pair: ParallelText, numbers: UnitNumbers, classes: tuple[Ints, Ints], fold_sentences: int = FOLD_SENTENCES[1]
) -> NumberedText:
    """A text as seen by a lexicon that it had no part in; units the lexicon lacks keep the class they have here.

    ``fold_sentences``: of the texts that the lexicon was learnt from."""
    sides = _read(pair)
    places, own_classes = [], []
    for (own, _), known, known_classes in zip(sides, numbers, classes, strict=True):
        place = np.fromiter((known.get(unit, -1) for unit in own.numbers), np.int64)
        here = own.class_counts().argmax(axis=1)
        places.append(place)
        own_classes.append(np.where(place >= 0, known_classes[place], here) if len(known_classes) else here)
    return _numbered(pair, fold_sentences, sides, (places[0], places[1]), (own_classes[0], own_classes[1]))


@dataclass(slots=True)
class Vocabulary:
    """Numbers of the units of one side of a set of texts, in order of their first sight."""

    numbers: dict[str, int] = field(default_factory=dict)
    _seen: list[Ints] = field(default_factory=list)
    """How often the units read so far were of each class, (units, classes), a text at a time."""

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
        offsets, units = self._units(sentences)
        if any(links):
            offsets, units = self._with_links(offsets, units, links)
        return NumberedSide(
            offsets,
            units,
            np.array([text_length(text) for text in sentences], np.float64),
            np.array(opens, np.int64) if len(opens) else np.zeros(count, np.int64),
            np.array(kinds, np.int64) if len(kinds) else np.zeros(count, np.int64),
        )

    def class_counts(self) -> Ints:
        """How often each unit was of each :class:`UnitClass`, (units, classes)."""
        counts = np.zeros((len(self.numbers), len(UnitClass)), np.int64)
        for seen in self._seen:
            counts[: len(seen)] += seen
        return counts

    def _with_links(self, offsets: Ints, units: Ints, links: Sequence[str]) -> tuple[Ints, Ints]:
        """Offsets and units of the sentences, what they link to among them."""
        linking = np.flatnonzero([bool(link) for link in links])
        found = (self.numbers.setdefault(LINK_MARK + links[place], len(self.numbers)) for place in linking.tolist())
        numbers = np.fromiter(found, np.int64, len(linking))
        counts = np.zeros((len(self.numbers), len(UnitClass)), np.int64)
        counts[:, UnitClass.LINK] = np.bincount(numbers, minlength=len(counts))
        self._seen.append(counts)
        linked = np.insert(units, offsets[linking + 1], numbers)
        return offsets + np.searchsorted(linking, np.arange(len(offsets))), linked

    def _units(self, sentences: Sequence[str]) -> tuple[Ints, Ints]:
        """Where the units of each sentence start, (n + 1,), and their numbers; a unit stands once a sentence."""
        # Each distinct token is looked at once. Token 0 is the end of a sentence.
        tokens, distinct = cut_text(_END.join(sentence.replace(_END, " ") for sentence in sentences))
        rows = [(UnitClass.PUNCTUATION, ()), *map(token_units, distinct)]
        numbers = [self.numbers.setdefault(unit, len(self.numbers)) for _, units in rows for unit in units]
        offsets, units, counts = sentence_units(
            tokens,
            np.array([kind for kind, _ in rows], np.int64),
            np.cumsum([0, *(len(units) for _, units in rows)]),
            np.array(numbers, np.int64),
            (UnitClass.NAME.value, UnitClass.WORD.value, UnitClass.NUMBER.value, UnitClass.PUNCTUATION.value),
            (len(self.numbers), len(UnitClass)),
        )
        self._seen.append(counts)
        return offsets[: len(sentences) + 1], units


def run_places(begin: Ints, counts: Ints) -> Ints:
    """The places ``begin[k] .. begin[k] + counts[k] - 1`` of all runs k, one run after the other.

    >>> run_places(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    before = np.cumsum(counts) - counts
    return np.arange(int(counts.sum())) + np.repeat(begin - before, counts)


@lru_cache(maxsize=_KNOWN_TOKENS)
def token_units(token: str) -> tuple[UnitClass, tuple[str, ...]]:
    """Class and units of one token.

    >>> token_units("Häuser"), token_units("12.500")
    ((<UnitClass.NAME: 1>, ('haus',)), (<UnitClass.NUMBER: 0>, ('12500',)))
    """
    first = token[0]
    if token.isascii() and token.isalpha():
        return (UnitClass.NAME if first.isupper() else UnitClass.WORD), (token[:PREFIX_LETTERS].lower(),)
    if first.isdecimal():
        return UnitClass.NUMBER, ("".join(str(unicodedata.decimal(c)) for c in token if c.isdecimal()),)
    if is_within(first, EAST_ASIAN):
        return UnitClass.CHARACTER, (token,)
    if not first.isalpha():
        return UnitClass.PUNCTUATION, (PUNCTUATION_MARK + token,)
    if is_within(first, SOUTH_EAST_ASIAN):
        starts = range(max(1, len(token) - PIECE_LETTERS + 1))
        return UnitClass.CHARACTER, tuple(token[i : i + PIECE_LETTERS] for i in starts)
    plain = without_marks(token.casefold())
    return (UnitClass.NAME if first.isupper() else UnitClass.WORD), (plain[:PREFIX_LETTERS],)


@lru_cache(maxsize=_KNOWN_TOKENS)
def roman(unit: str) -> str:
    """The unit in Latin letters, cut to the length of a unit; itself where that says too little.

    >>> roman("иван"), roman("шекс"), roman("王"), roman("1945")
    ('ivan', 'shek', '王', '1945')
    """
    if unit.isascii() or len(unit) < _ROMAN_LETTERS:
        return unit
    return anyascii(unit).lower()[:PREFIX_LETTERS] or unit


def same_units(src: Mapping[str, int], tgt: Mapping[str, int]) -> Ints:
    """For each source unit the target unit that is written alike, or alike in Latin letters; -1 for none."""
    by_roman: dict[str, int] = {}
    for unit, number in tgt.items():
        by_roman.setdefault(roman(unit), number)
    found = (tgt[unit] if unit in tgt else by_roman.get(roman(unit), -1) for unit in src)
    return np.fromiter(found, np.int64, len(src))


def cut_text(text: str) -> tuple[Ints, list[str]]:
    """The tokens of a text, words, numbers, marks and ends of sentences (:data:`_END`), as numbers of distinct ones.

    Number 0 is the end of a sentence; the others are numbered from 1 in order of their first sight, and returned.

    >>> cut_text("1’000 Hüte; Hüte?")[1]
    ["1'000", 'Hüte', ';', '?']
    """
    plain = unicodedata.normalize("NFKC", _without_look_alikes(text))
    codes = _codes(plain)
    tokens, starts, ends = cut_tokens(codes, _kinds(plain, codes), _SEPARATORS)
    return tokens, [plain[start:end] for start, end in zip(starts[1:].tolist(), ends[1:].tolist(), strict=True)]


def _codes(text: str) -> Indices:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _without_look_alikes(text: str) -> str:
    """The text with its punctuation as in English."""
    if text.isascii():
        return text.replace("`", "'")
    codes = _codes(text)
    if codes.max() <= _LAST_OF_PLANE:
        plain = _plain_marks()[codes]
    else:
        plain = np.where(codes > _LAST_OF_PLANE, codes, _plain_marks()[np.minimum(codes, _LAST_OF_PLANE)])
    return plain.tobytes().decode("utf-32-le", "surrogatepass")


def _kinds(text: str, codes: Indices) -> Bytes:
    """What each character of a text is to :func:`cut_tokens`."""
    last = codes.max(initial=0)
    with_marks = last >= ord(_MARKS[0]) and bool(_MAY_HOLD_MARKS.search(text))
    if last <= _LAST_OF_PLANE:
        return _plane_kinds(with_marks)[codes]
    kinds = _plane_kinds(with_marks)[np.minimum(codes, _LAST_OF_PLANE)]
    others = codes > _LAST_OF_PLANE
    distinct, place = np.unique(codes[others], return_inverse=True)
    kinds[others] = _kinds_of(distinct.tobytes().decode("utf-32-le"), with_marks=True)[place]
    return kinds


@cache
def _plain_marks() -> Indices:
    """Of each character of the first plane, what it is without look-alikes."""
    codes = np.arange(_LAST_OF_PLANE + 1, dtype=np.uint32)
    codes[list(_LOOK_ALIKES)] = list(map(ord, _LOOK_ALIKES.values()))
    return codes


@cache
def _plane_kinds(with_marks: bool) -> Bytes:
    """What each character of the first plane is; ``with_marks``: in a text that may hold marks."""
    return _kinds_of("".join(map(chr, range(_LAST_OF_PLANE + 1))), with_marks=with_marks)


def _kinds_of(characters: str, *, with_marks: bool) -> Bytes:
    kinds = np.full(len(characters), SINGLE, np.uint8)
    for kind, pattern in _KIND_PATTERNS.items():
        kinds[[found.start() for found in pattern.finditer(characters)]] = kind
    if with_marks:
        kinds[[place for place, char in enumerate(characters) if char in _JOINERS or _is_mark(char)]] = MARK
    return kinds


def _is_mark(char: str) -> bool:
    return _MARKS[0] <= char < _MARKS[1] and unicodedata.category(char)[0] == "M"


_SideRead = tuple[Vocabulary, NumberedSide]


def _read(pair: ParallelText) -> tuple[_SideRead, _SideRead]:
    """Both sides in numbers of their own."""
    src, tgt = Vocabulary(), Vocabulary()
    return (
        (src, src.side(pair.src, pair.opens[0], pair.kinds[0], pair.links[0])),
        (tgt, tgt.side(pair.tgt, pair.opens[1], pair.kinds[1], pair.links[1])),
    )


def _joined(known: dict[str, int], own: Vocabulary) -> Ints:
    """Number among the ``known`` units, which new ones join, of each unit of one side of a text."""
    return np.fromiter((known.setdefault(unit, len(known)) for unit in own.numbers), np.int64)


def _numbered(
    pair: ParallelText,
    fold_sentences: int,
    sides: tuple[_SideRead, _SideRead],
    numbers: tuple[Ints, Ints],
    classes: tuple[Ints, Ints],
) -> NumberedText:
    (src_own, src), (tgt_own, tgt) = sides
    same = same_units(src_own.numbers, tgt_own.numbers)
    return NumberedText(src, tgt, numbers, classes, same, pair.fold % FOLDS, fold_sentences)
