"""Step 9. Rivals: several translations of one term."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from diglot.arrays import Floats, Ints
from diglot.terms.variants import Endings, Words, are_forms, find_leaders, is_derived, is_form, keys_of

LEAST_LINKED, LEAST_PAGES, LEAST_SHARE, LEAST_PROBABILITY = 3, 2, 0.1, 0.5
"""Least evidence for each rival: segments, pages, share of the links of the term, probability."""


def same_sources(src: Sequence[Words], linked: Ints, endings: Endings) -> Ints:
    """For each pair the number of the most linked pair whose source side is a form of the same words."""
    return find_leaders(
        linked,
        lambda number: keys_of(src[number], endings),
        lambda number, other: are_forms(src[number], src[other], endings),
    )


class Translations(NamedTuple):
    """Pairs of terms; a value for each pair."""

    src: Sequence[Words]
    tgt: Sequence[Words]
    sources: Ints
    """Number of the pair that stands for the source side (:func:`same_sources`)."""
    linked: Ints
    pages: Ints
    share: Floats
    """Segments with a link of this pair, as a share of the segments with any link of the source side."""
    probability: Floats


def find_rivals(pairs: Translations, endings: Endings) -> list[list[int]]:
    """For each pair the further translations of its source side with enough evidence, most linked first.

    Two translations are no rivals if one has all words of the other, in any form or with the same first letters.
    Untranslated text is no rival.
    """
    src, tgt, linked = pairs.src, pairs.tgt, pairs.linked
    # A name left as it is in some places is no inconsistency.
    translated = np.array([not are_forms(one, other, endings) for one, other in zip(src, tgt, strict=True)], bool)
    able = translated & (linked >= LEAST_LINKED) & (pairs.pages >= LEAST_PAGES)
    able &= (pairs.share >= LEAST_SHARE) & (pairs.probability >= LEAST_PROBABILITY)
    groups: dict[int, list[int]] = defaultdict(list)
    for number, leader in enumerate(pairs.sources.tolist()):
        if able[number]:
            groups[leader].append(number)
    found: list[list[int]] = [[] for _ in src]
    for members in groups.values():
        members.sort(key=lambda number: (-int(linked[number]), number))
        for one in members:
            found[one] = [other for other in members if other != one and _differ(tgt[one], tgt[other], endings)]
    return found


def _differ(one: Words, other: Words, endings: Endings) -> bool:
    return not (_has_words_of(one, other, endings) or _has_words_of(other, one, endings))


def _has_words_of(one: Words, other: Words, endings: Endings) -> bool:
    return all(any(is_form(word, mine, endings) or is_derived(word, mine) for mine in one) for word in other)
