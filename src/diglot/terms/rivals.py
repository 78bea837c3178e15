"""Step 9. One term, several translations: which of them are inconsistent."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from diglot.arrays import Floats, Ints
from diglot.terms.variants import Words, are_forms, beginnings, is_derived, is_form

LEAST_LINKED, LEAST_PAGES, LEAST_SHARE, LEAST_PROBABILITY = 3, 2, 0.1, 0.5
"""Evidence that each of several translations needs: segments, pages, share of what the term is linked to, chance."""


def same_sources(src: Sequence[Words], linked: Ints) -> Ints:
    """For each pair the most linked one whose source side is a form of its own."""
    leaders: dict[tuple[str, ...], list[int]] = defaultdict(list)
    leader = np.arange(len(src))
    for number in np.lexsort((np.arange(len(src)), -linked)).tolist():
        near = leaders[beginnings(src[number])]
        found = next((other for other in near if are_forms(src[number], src[other])), None)
        if found is None:
            near.append(number)
        else:
            leader[number] = found
    return leader


def find_rivals(
    src: Sequence[Words],
    tgt: Sequence[Words],
    sources: Ints,
    linked: Ints,
    pages: Ints,
    share: Floats,
    probability: Floats,
) -> list[list[int]]:
    """For each pair the pairs that translate the same source side otherwise, most linked first, each with enough
    evidence (``share``: of all segments in which the source side is linked). ``sources``: see
    :func:`same_sources`. Translations of which one has all words of the other, by their first letters, do not rival,
    nor does what was left untranslated."""
    translated = np.array([not are_forms(one, other) for one, other in zip(src, tgt, strict=True)], bool)
    able = translated & (linked >= LEAST_LINKED) & (pages >= LEAST_PAGES)
    able &= (share >= LEAST_SHARE) & (probability >= LEAST_PROBABILITY)
    groups: dict[int, list[int]] = defaultdict(list)
    for number, leader in enumerate(sources.tolist()):
        if able[number]:
            groups[leader].append(number)
    found: list[list[int]] = [[] for _ in src]
    for members in groups.values():
        members.sort(key=lambda number: (-int(linked[number]), number))
        for one in members:
            found[one] = [other for other in members if other != one and _differ(tgt[one], tgt[other])]
    return found


def _differ(one: Words, other: Words) -> bool:
    return not (_has_all(one, other) or _has_all(other, one))


def _has_all(one: Words, other: Words) -> bool:
    return all(any(is_form(word, mine) or is_derived(word, mine) for mine in one) for word in other)
