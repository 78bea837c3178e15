"""Whether a site puts the same text in the same words each time: if not, it does not translate."""

from __future__ import annotations

import numpy as np

from diglot.arrays import Floats, Ints, Mask
from diglot.corpus.flags.codes import combine
from diglot.corpus.flags.counterparts import TextWords

LEAST_SHARED = 1 / 3
"""Least part of their words that two translations of a text share (Dice's coefficient). Translators reword a text; they
do not write another one."""
FORGIVEN = 2.0
"""Repeated texts beside unlike ones that say nothing: a text has two meanings, a translator had a better idea."""


def unlike_shares(words: TextWords, sides: Ints, groups: Ints, learnt: Mask) -> Floats:
    """Share of the repeated texts of each group of segments that stand beside unlike texts, in [0, 1); (groups,).

    A text of either side is repeated if it stands in two segments of its group. It counts by its places beside a text
    that shares fewer words with its most frequent translation than :data:`LEAST_SHARED`, as a part of all its places
    but one. ``sides``: numbers of the source and the target texts, int64 (2, segments). ``groups``: the group of each
    segment, from 0. ``learnt``: mask of the segments that count.
    """
    unlike, repeated = np.zeros((2, int(groups.max(initial=-1)) + 1))
    sides, groups = sides[:, learnt], groups[learnt]
    if not len(groups):
        return unlike
    for ours, theirs in (sides, sides[::-1]):
        text = combine(groups, ours)
        rows = np.flatnonzero(np.bincount(text)[text] > 1)
        if not len(rows):
            continue
        # A row and the places of each pair of texts: a text's most frequent translation first, then the earliest.
        _, first, places = np.unique(combine(text[rows], theirs[rows]), return_index=True, return_counts=True)
        order = np.lexsort((first, -places, text[rows[first]]))
        row, places = rows[first[order]], places[order]
        _, first, text = np.unique(text[row], return_index=True, return_inverse=True)
        best = row[first]
        is_unlike = ~_share_words(words, theirs[row], theirs[best][text])
        shares = np.bincount(text, places * is_unlike) / (np.bincount(text, places) - 1)
        unlike += np.bincount(groups[best], shares, minlength=len(unlike))
        repeated += np.bincount(groups[best], minlength=len(unlike))
    return np.asarray(np.maximum(unlike - FORGIVEN, 0.0) / np.maximum(repeated, 1.0))


def _share_words(words: TextWords, texts: Ints, others: Ints) -> Mask:
    """Mask of the pairs of texts that share :data:`LEAST_SHARED` of their words, or have none."""
    ours, theirs = (_words_of_pairs(words, side) for side in (texts, others))
    shared = np.bincount(ours[np.isin(ours, theirs)] // max(1, words.vocabulary), minlength=len(texts))
    return np.asarray(2 * shared >= LEAST_SHARED * (words.counts[texts] + words.counts[others]), bool)


def _words_of_pairs(words: TextWords, texts: Ints) -> Ints:
    """Words of the text of each pair, as distinct numbers of pair and word."""
    found, pair = words.of_texts(texts)
    return np.asarray(pair * words.vocabulary + found)
