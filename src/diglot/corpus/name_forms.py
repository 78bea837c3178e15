"""Which of two romanised words may be one name: inflected, or carried over into another script."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from rapidfuzz import process
from rapidfuzz.distance import Indel

Numbers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

LIKE = 0.72
LIKE_SKELETON = 0.8
"""Indel similarity of two romanised words, or of their consonants, from which one may be the other."""
STEM_CHARS, ENDING_CHARS = 4, 4
"""Words with the same first letters are alike if their lengths differ by no more than an ending, nor by more than
half of the shorter."""
LEAST_CONSONANTS = 3
_VOWELS = re.compile("[aeiouyw]")


def are_like(left: Numbers, right: Numbers, forms: Sequence[str], *, across: bool) -> Mask:
    """Whether the words of each pair may be one name, of shape (pairs,); ``left`` and ``right`` number ``forms``.

    ``across``: the two sides have different scripts, of which one may not write the vowels. Each distinct pair
    is compared once.
    """
    pairs, of_pair = np.unique(left * len(forms) + right, return_inverse=True)
    left, right = np.divmod(pairs, len(forms))
    like = _same_stem(left, right, forms) | _similar(left, right, forms, LIKE)
    if across:
        skeletons = [_VOWELS.sub("", form) for form in forms]
        like |= _similar(left, right, skeletons, LIKE_SKELETON, least=LEAST_CONSONANTS)
    return np.asarray(like[of_pair], bool)


def _same_stem(left: Numbers, right: Numbers, forms: Sequence[str]) -> Mask:
    stems: dict[str, int] = {}
    stem = np.array([stems.setdefault(form[:STEM_CHARS], len(stems)) for form in forms], np.int64)
    chars = np.array(list(map(len, forms)), np.int64)
    short = np.minimum(chars[left], chars[right])
    ending = np.abs(chars[left] - chars[right])
    return np.asarray(
        (stem[left] == stem[right]) & (short >= STEM_CHARS) & (ending <= np.minimum(ENDING_CHARS, short // 2))
    )


def _similar(left: Numbers, right: Numbers, forms: Sequence[str], cutoff: float, *, least: int = 1) -> Mask:
    """Pairs whose Indel similarity, 2 * common / sum of lengths, reaches ``cutoff``."""
    chars = np.array(list(map(len, forms)), np.int64)
    short = np.minimum(chars[left], chars[right])
    similar = np.asarray((short >= least) & (2 * short >= cutoff * (chars[left] + chars[right])))
    rows = np.flatnonzero(similar)
    names, words = ([forms[number] for number in side[rows].tolist()] for side in (left, right))
    scores = process.cpdist(names, words, scorer=Indel.normalized_similarity, score_cutoff=cutoff)
    similar[rows] = scores >= cutoff
    return similar
