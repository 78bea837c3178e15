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


def unlike_shares(words: TextWords, sides: Ints, groups: Ints, pages: Ints, learnt: Mask) -> Floats:
    """Share of the repeated texts of each group of segments that stand beside unlike texts, in [0, 1); (groups,).

    A text of either side is repeated if it stands in two segments of its group. It counts by its places beside a text
    that shares fewer words with its most frequent translation than :data:`LEAST_SHARED`, as a part of all its places
    but one. All places on one page pair count as one text at most: a list stands there twice, or the aligner slipped
    once. ``sides``: numbers of the source and the target texts, int64 (2, segments). ``groups``, ``pages``: the group
    and the page pair of each segment, from 0; a page pair is of one group. ``learnt``: mask of the segments that count.
    """
    repeated = np.zeros(int(groups.max(initial=-1)) + 1)
    on_page = np.zeros(int(pages.max(initial=-1)) + 1)
    group_of = np.zeros(len(on_page), np.int64)
    group_of[pages] = groups
    sides, groups, pages = sides[:, learnt], groups[learnt], pages[learnt]
    for ours, theirs in (sides, sides[::-1]) if len(groups) else ():
        text = combine(groups, ours)
        rows = np.flatnonzero(np.bincount(text)[text] > 1)
        if not len(rows):
            continue
        # The first row of each pair of texts: a text's most frequent translation first, then the earliest.
        _, first, pair, places = np.unique(
            combine(text[rows], theirs[rows]), return_index=True, return_inverse=True, return_counts=True
        )
        row = rows[first]
        order = np.lexsort((first, -places, text[row]))
        _, start, of_text = np.unique(text[row[order]], return_index=True, return_inverse=True)
        best = row[order[start]]
        is_unlike = np.empty(len(row), bool)
        is_unlike[order] = ~_share_words(words, theirs[row[order]], theirs[best][of_text])
        shares = is_unlike[pair] / (np.bincount(text)[text[rows]] - 1)
        on_page += np.bincount(pages[rows], shares, minlength=len(on_page))
        repeated += np.bincount(groups[best], minlength=len(repeated))
    unlike = np.bincount(group_of, np.minimum(on_page, 1.0), minlength=len(repeated))
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
