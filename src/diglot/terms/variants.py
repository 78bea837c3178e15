"""Step 6. Groups of inflected forms, and the base form of each group.

The forms of a pair differ from it, on both sides, in the endings of words alone. The endings are learnt from the site.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from heapq import merge
from itertools import combinations, product, repeat

import numpy as np

from diglot.arrays import Ints
from diglot.terms.candidates import Candidates, Phrases, Side
from diglot.words import is_within, without_marks

_STEM, _DERIVED = 3, 4
"""Least common first letters: of forms of a word, and of derived words."""
_LONGER = 3
"""Most further letters of the longer form. With more it is a compound or a derived word: "Quelle" and "Quellcode"."""
_RECURS = 2
"""Least number of stems with the same two endings, to take these for endings of forms: one may be chance."""
_UNKNOWN = 3
"""Least length of a stem, in lengths of the longer ending, where the two endings do not recur on the site."""

_JOINED = "\u0590-\u08ff"
"""Hebrew, Arabic and Syriac letters. There the article, prepositions and "and" are written as one word with the next,
so that forms differ in their beginnings, too. Elsewhere a beginning makes another word: "fair" and "unfair"."""

_BASE_SHARE, _ONE_SIDED_SHARE = 0.25, 0.5
"""Least links of a base form that the site never shows alone, as a share of those of the most linked form: a rarer one
is often a name, or only looks like a form. More, where one side alone gets shorter: that may be a verb form."""

Words = tuple[str, ...]

Endings = frozenset[tuple[str, str]]
"""Pairs of endings that change into each other in forms, in order: ("", "s"), ("e", "ing"). Beginnings have a hyphen:
("-", "ال-")."""


def find_endings(own: Sequence[Words], other: Sequence[Words], sides: tuple[Ints, Ints]) -> Endings:
    """Endings of forms on one side: those in which several words differ that are alike on both sides.

    ``own``, ``other``: content words of the phrases on this and on the other side; ``sides``: numbers of these phrases
    by candidate. Two words with a common stem, whose translations have one, too, are mostly forms of one word, and
    forms of many words end alike. Near words as "сервер" and "сервис" differ in endings that no other word has.
    """
    near: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for mine, its in zip(*(each.tolist() for each in sides), strict=True):
        if len(own[mine]) == len(other[its]) == 1:
            (one,), (word,) = own[mine], other[its]
            # Only words alike on both sides are compared: a few instead of all. Without a beginning on either side,
            # only words with one translation.
            near[_beginning(one), _beginning(word) or (word if not _beginning(one) else "")].append((one, word))
    seen: dict[tuple[str, str], set[str]] = defaultdict(set)
    for pairs in near.values():
        for (one, its), (another, others) in combinations(pairs, 2):
            stem, ends = _differences(one, another)
            if ends and _outweighs(stem, ends) and _outweighs(*_differences(its, others)):
                for each in ends:
                    seen[each].add(stem)
    return frozenset(ends for ends, stems in seen.items() if len(stems) >= _RECURS)


def is_form(one: str, other: str, endings: Endings, unknown: bool = False) -> bool:
    """Whether two words look like forms of one word: they differ in ``endings`` or in marks.

    ``unknown``: other endings will do, if they are short beside the stem.

    >>> endings = frozenset({("", "s"), ("ied", "y"), ("-", "ال-")})
    >>> [is_form(*each, endings) for each in (("logiciel", "logiciels"), ("modify", "modified"), ("cat", "car"))]
    [True, True, False]
    >>> is_form("الحرة", "حرة", endings), is_form("الحرب", "حرة", endings)
    (True, False)
    """
    if one == other:
        return True
    stem, ends = _differences(one, other)
    return _outweighs(stem, ends) and all(
        each in endings or (unknown and len(stem) >= _UNKNOWN * max(map(len, each))) for each in ends
    )


def _differences(one: str, other: str) -> tuple[str, list[tuple[str, str]]]:
    """The common stem of two words, "" without one, and the pairs of endings and beginnings in which they differ."""
    one, other = _plain(one), _plain(other)
    if is_within(one[:1], _JOINED):
        first, second, size = SequenceMatcher(None, one, other, autojunk=False).find_longest_match()
    else:
        first = second = 0
        shorter = min(len(one), len(other))
        size = next((place for place in range(shorter) if one[place] != other[place]), shorter)
    found = []
    for mark, *ends in (("-", one[:first], other[:second]), ("", one[first + size :], other[second + size :])):
        if ends[0] != ends[1]:
            # Names and versions differ in figures.
            if not "".join(ends).isalpha():
                return "", [(one, other)]
            found.append((min(ends) + mark, max(ends) + mark))
    return one[first : first + size], found


def _outweighs(stem: str, ends: list[tuple[str, str]]) -> bool:
    """Whether words have as many letters in common as either ending has, and endings of a similar length."""
    if len(stem) < _STEM:
        return not ends
    return all(len(stem) >= max(map(len, each)) and abs(len(each[0]) - len(each[1])) <= _LONGER for each in ends)


def is_derived(one: str, other: str) -> bool:
    """Whether two words share the first letters of a derivation, as verb and noun do."""
    one, other = _plain(one), _plain(other)
    return len(one) >= _DERIVED and one[:_DERIVED] == other[:_DERIVED]


def are_forms(one: Words, other: Words, endings: Endings, unknown: bool = False) -> bool:
    """Whether two phrases are forms of one phrase, word by word (:func:`is_form`)."""
    return len(one) == len(other) and all(map(is_form, one, other, repeat(endings), repeat(unknown)))


def beginnings(words: Words) -> Words:
    """First letters of the words, common to all forms of a phrase but for the scripts where beginnings change."""
    return tuple(map(_first_letters, words))


def _beginning(word: str) -> str:
    """First letters of a word, common to all its forms: none in a script where beginnings change."""
    return "" if is_within(word[:1], _JOINED) else _first_letters(word)


def _first_letters(word: str) -> str:
    return _plain(word)[:_STEM]


def keys_of(words: Words, endings: Endings) -> list[Words]:
    """Keys of a phrase. Each form of the phrase has a key in common with it."""
    first, rest = words[0] if words else "", tuple(map(_beginning, words[1:]))
    if not is_within(first[:1], _JOINED):
        return [(_first_letters(first), *rest)]
    starts = {"", *(end[:-1] for pair in endings for end in pair if end.endswith("-"))}
    plain = _plain(first)
    return [(plain[len(start) :][:_STEM], *rest) for start in sorted(starts) if plain.startswith(start)]


@lru_cache(maxsize=1 << 16)
def _plain(word: str) -> str:
    """The word without marks."""
    return word if word.isascii() else without_marks(word)


def content_words(side: Side, phrases: Phrases) -> list[Words]:
    """Content words of each phrase, in order."""
    words, names, function = side.tokens.words, side.tokens.names, side.words.is_function
    found = []
    for first, size in zip(phrases.first.tolist(), phrases.sizes.tolist(), strict=True):
        found.append(tuple(names[word] for word in words[first : first + size].tolist() if not function[word]))
    return found


def group_forms(
    candidates: Candidates, src: Sequence[Words], tgt: Sequence[Words], endings: tuple[Endings, Endings]
) -> Ints:
    """Group of each candidate: itself and the forms of the most linked candidate; groups in the order of the latter.

    A candidate joins the most linked candidate of which it is a form on both sides. Endings may be unknown on one of
    them: a small site shows few of its endings twice, and words of one translation are forms all the same.
    """
    texts = [(src[one], tgt[other]) for one, other in zip(candidates.src, candidates.tgt, strict=True)]

    def keys(number: int) -> Iterable[Hashable]:
        return product(*map(keys_of, texts[number], endings))

    def have_one_term(number: int, other: int) -> bool:
        sure = list(map(are_forms, texts[number], texts[other], endings))
        return all(sure) or (any(sure) and all(map(are_forms, texts[number], texts[other], endings, repeat(True))))

    return np.unique(find_leaders(candidates.linked, keys, have_one_term), return_inverse=True)[1].ravel()


def find_leaders(
    linked: Ints, keys: Callable[[int], Iterable[Hashable]], belong_together: Callable[[int, int], bool]
) -> Ints:
    """For each item the most linked item that it belongs to, itself where it belongs to none; shape (items,).

    ``linked``: links of each item; ``keys``: keys of an item. Two items belong together only if they have a key in
    common, so that a few are compared instead of all.
    """
    leaders: dict[Hashable, list[int]] = defaultdict(list)
    leader = np.arange(len(linked))
    order = np.lexsort((leader, -linked)).tolist()
    for rank, number in enumerate(order):
        near = [leaders[key] for key in keys(number)]
        others = map(order.__getitem__, merge(*near))
        found = next((other for other in others if belong_together(number, other)), None)
        if found is None:
            for each in near:
                each.append(rank)
        else:
            leader[number] = found
    return leader


def base_forms(candidates: Candidates, groups: Ints, best: Ints, src: Sequence[Words], tgt: Sequence[Words]) -> Ints:
    """Base form of each group, as a candidate: the shortest that the most linked form ``best`` lengthens on both sides.

    In most languages endings are added to a base form. The site must show the base form alone in a segment, such as a
    heading or a menu entry, or in enough segments (:data:`_BASE_SHARE`). A most linked form that stands alone, such as
    the page "Settings", stays unless the shorter form stands alone, too. A text that is the same in both languages is a
    name, and has no other form.
    """
    base = best.copy()
    # Most linked first: among forms of equal length the most usual is the base.
    for number in np.lexsort((np.arange(len(candidates)), -candidates.linked)).tolist():
        group = groups[number]
        own, first, now = (
            (src[candidates.src[each]], tgt[candidates.tgt[each]]) for each in (number, best[group], base[group])
        )
        if number == best[group] or own[0] == own[1] or first[0] == first[1] or _letters(own) >= _letters(now):
            continue
        if all(map(_lengthens, first, own)) and _is_shown(candidates, number, int(best[group]), own, first):
            base[group] = number
    return base


def _is_shown(
    candidates: Candidates, number: int, best: int, own: tuple[Words, Words], first: tuple[Words, Words]
) -> bool:
    """Whether the site shows a form alone, or often enough beside the most linked form."""
    if candidates.units[number] or candidates.units[best]:
        return bool(candidates.units[number])
    both = own[0] != first[0] and own[1] != first[1]
    share = _BASE_SHARE if both else _ONE_SIDED_SHARE
    return bool(candidates.linked[number] >= share * candidates.linked[best])


def _lengthens(longer: Words, shorter: Words) -> bool:
    """Whether each word of a phrase holds the same word of a shorter phrase."""
    return all(_plain(other) in _plain(one) for one, other in zip(longer, shorter, strict=True))


def _letters(pair: tuple[Words, Words]) -> int:
    return sum(len(_plain(word)) for words in pair for word in words)
