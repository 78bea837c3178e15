"""Step 6. Groups of inflected forms: pairs with differences in the endings of words alone, on both sides; the base form
of each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from diglot.arrays import Ints
from diglot.terms.candidates import Candidates, Phrases, Side
from diglot.words import without_marks

_LONG = 6
"""Least letters of a word with a changed ending; a shorter word can only be lengthened."""
_ENDING, _LONGER = 2, 3
"""Most different letters at the end of the shorter word, and most further letters of the longer word."""
_STEM, _DERIVED = 3, 4
"""Least common first letters: of forms of a word, and of derived words."""

_ARTICLE = "ال"

_BASE_SHARE, _ONE_SIDED_SHARE = 0.25, 0.5
"""Least links of a base form that the site never shows alone, as a share of those of the most linked form: a rarer one
is often a name, or only looks like a form. More, where one side alone gets shorter: that may be a verb form."""

Words = tuple[str, ...]


def is_form(one: str, other: str) -> bool:
    """Whether two words look like forms of one word: they differ in a short ending, in marks, or in
    the Arabic article.

    >>> is_form("logiciel", "logiciels"), is_form("internet", "international"), is_form("modify", "modified")
    (True, False, True)
    >>> is_form("الحرة", "حرة"), is_form("الحرب", "حرة"), is_form("آليات", "يات")
    (True, False, False)
    """
    if one == other:
        return True
    one, other = _plain(one), _plain(other)
    shorter = min(len(one), len(other))
    if abs(len(one) - len(other)) > _LONGER or not (one.isalpha() and other.isalpha()):
        return False
    common = next((place for place in range(shorter) if one[place] != other[place]), shorter)
    # Short words differ in meaning by one letter: "car" and "cat".
    return common >= max(_STEM, shorter - (_ENDING if shorter >= _LONG else 0))


def is_derived(one: str, other: str) -> bool:
    """Whether two words share the first letters of a derivation, as verb and noun do."""
    one, other = _plain(one), _plain(other)
    return len(one) >= _DERIVED and one[:_DERIVED] == other[:_DERIVED]


def are_forms(one: Words, other: Words) -> bool:
    """Whether two phrases are forms of one phrase, word by word."""
    return len(one) == len(other) and all(map(is_form, one, other))


def beginnings(words: Words) -> Words:
    """First letters of the words, common to all forms of a phrase."""
    return tuple(_plain(word)[:_STEM] for word in words)


@lru_cache(maxsize=1 << 16)
def _plain(word: str) -> str:
    """The word without marks and without the Arabic article, which is written as one word with its noun."""
    if word.isascii():
        return word
    # Before the marks are taken off: آليات is no article with its noun.
    has_article = word.startswith(_ARTICLE) and len(word) >= len(_ARTICLE) + _STEM
    return without_marks(word.removeprefix(_ARTICLE) if has_article else word)


def content_words(side: Side, phrases: Phrases) -> list[Words]:
    """Content words of each phrase, in order."""
    words, names, function = side.tokens.words, side.tokens.names, side.words.is_function
    found = []
    for first, size in zip(phrases.first.tolist(), phrases.sizes.tolist(), strict=True):
        found.append(tuple(names[word] for word in words[first : first + size].tolist() if not function[word]))
    return found


def group_forms(candidates: Candidates, src: Sequence[Words], tgt: Sequence[Words]) -> Ints:
    """Group of each candidate: itself and the forms of the most linked candidate; groups in the order of the latter.

    A candidate joins the most linked candidate of which it is a form on both sides.
    """
    leaders: dict[tuple[Words, Words], list[int]] = defaultdict(list)
    leader = np.arange(len(candidates))
    for number in np.lexsort((np.arange(len(candidates)), -candidates.linked)).tolist():
        own = src[candidates.src[number]], tgt[candidates.tgt[number]]
        # Only candidates with the same first letters can be forms: a few instead of all.
        near = leaders[beginnings(own[0]), beginnings(own[1])]
        for other in near:
            if are_forms(own[0], src[candidates.src[other]]) and are_forms(own[1], tgt[candidates.tgt[other]]):
                leader[number] = other
                break
        else:
            near.append(number)
    return np.unique(leader, return_inverse=True)[1].ravel()


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
    """Whether each word of a phrase begins with the same word of a shorter phrase."""
    return all(_plain(one).startswith(_plain(other)) for one, other in zip(longer, shorter, strict=True))


def _letters(pair: tuple[Words, Words]) -> int:
    return sum(len(_plain(word)) for words in pair for word in words)
