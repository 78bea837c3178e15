"""Step 3. Function words of the site, found by their places: no term begins or ends with a function word.

A noun can end a clause; an article, a preposition or an auxiliary hardly can. Languages differ in the exceptions (verbs
end German clauses), so each word is also judged by its linked words.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from diglot.arrays import Floats, Mask, distinct
from diglot.sparse import SparseMatrix, matrix_of_places
from diglot.terms.links import Links
from diglot.terms.tokens import Tokens

_LEAST_SHARE, _LEAST_SEGMENTS = 0.002, 12
"""Least share and least number of segments of a function word."""
_NEVER, _SOMETIMES = 0.2, 0.6
"""Relative frequency at the end of clauses: a word below the first value certainly is a function word by its places, a
word above the second certainly is not."""
_LOOSE, _BOUND = 0.5, 0.9
"""Share of the most frequent follower of a word: a word below the first value may well be a function word, a word above
the second is a part of a phrase."""
_OWN = 0.4
"""Weight of a word's own places in its degree as a function word; its linked words have the rest."""
_FUNCTION, _A_DOUBLING, _FLOOR = 0.62, 0.06, 0.44
"""Least degree of a function word in a two-hundredth of the segments; decrease for each doubling of the share; floor.
The most common words mostly are function words."""
_LONG = 4
"""Least tokens of a segment whose ends of clauses are counted: menus and headings are no clauses."""
_CONNECTING = 0.1
"""Least share of the places of a connector between two content words where it has no counterpart."""
_CONNECTIONS = 5
"""Least number of places without a counterpart."""
_CONNECTING_LINKS = 0.5
"""A function word with this share of its links to connectors is a connector, too."""


class FunctionWords(NamedTuple):
    """Words of one side: masks of the function words and of the connectors, function words that may stand within a
    term; frequency at the end of clauses, relative to all words."""

    is_function: Mask
    connects: Mask
    ending: Floats


def function_words(src: Tokens, tgt: Tokens, links: Links) -> tuple[FunctionWords, FunctionWords]:
    """The function words of both sides."""
    endings = [_ending(side) for side in (src, tgt)]
    own = [
        np.clip((_SOMETIMES - ending) / (_SOMETIMES - _NEVER), 0, 1) * _openness(side)
        for ending, side in zip(endings, (src, tgt), strict=True)
    ]
    held = [_segment_shares(side) for side in (src, tgt)]
    shares = _shares(src, tgt, links)
    by_links = [share @ other for share, other in zip(shares, own[::-1], strict=True)]
    degree = [_OWN * mine + (1 - _OWN) * linked for mine, linked in zip(own, by_links, strict=True)]
    found = [each >= _least_degree(share, side) for each, share, side in zip(degree, held, (src, tgt), strict=True)]
    connects = _connectors(src, tgt, links, found)
    return (
        FunctionWords(found[0], connects[0], endings[0]),
        FunctionWords(found[1], connects[1], endings[1]),
    )


def _ending(side: Tokens) -> Floats:
    """Frequency of each word at the end of clauses of longer segments, relative to all words, smoothed by two
    clauses."""
    in_long = side.counts()[side.segments] >= _LONG
    counts = np.bincount(side.words[in_long], minlength=len(side.names))
    ends = np.bincount(side.words[in_long & side.closes], minlength=len(side.names))
    usual = side.closes[in_long].mean() if in_long.any() else 1.0
    return np.asarray((ends + 2.0) / (counts * usual + 2.0))


def _openness(side: Tokens) -> Floats:
    """1 for a word with many followers, 0 for a word with nearly always the same follower."""
    # "mot" in "mot de passe" ends no clause either, and is no function word.
    size = len(side.names)
    followed = np.flatnonzero(~side.breaks[1:])
    keys, counts = np.unique(side.words[followed] * size + side.words[followed + 1], return_counts=True)
    top = np.zeros(size)
    np.maximum.at(top, keys // max(size, 1), counts)
    share = top / np.maximum(np.bincount(side.words[followed], minlength=size), 1)
    return np.clip((_BOUND - share) / (_BOUND - _LOOSE), 0, 1)


def _segment_shares(side: Tokens) -> Floats:
    """Share of the segments with each word."""
    size = len(side.names)
    held = np.bincount(distinct(side.segments * size + side.words) % max(size, 1), minlength=size)
    return np.asarray(held / max(len(side.offsets) - 1, 1))


def _least_degree(shares: Floats, side: Tokens) -> Floats:
    """Least degree of each word as a function word; 2, beyond any degree, for rare words."""
    common = shares >= max(_LEAST_SHARE, _LEAST_SEGMENTS / max(len(side.offsets) - 1, 1))
    degree = _FUNCTION - _A_DOUBLING * np.log2(np.maximum(shares, 1e-9) / 0.005)
    return np.where(common, np.maximum(degree, _FLOOR), 2.0)


def _shares(src: Tokens, tgt: Tokens, links: Links) -> tuple[SparseMatrix, SparseMatrix]:
    """Share of each translation in the links of a word: matrices (words, words of the other side) for both sides."""
    shape = (len(src.names), len(tgt.names))
    counts = matrix_of_places(src.words[links.src], tgt.words[links.tgt], links.weights.astype(float), shape)
    src_share, tgt_share = (each.scale_rows(1 / np.maximum(each.row_sums(), 1e-9)) for each in (counts, counts.T))
    return src_share, tgt_share


def _connectors(src: Tokens, tgt: Tokens, links: Links, is_function: list[Mask]) -> list[Mask]:
    """Masks of the connectors of both sides: function words between two content words, often without a counterpart."""
    # "mouvement du logiciel" is "software movement": "du" joins the parts of a term.
    sides, ends = (src, tgt), (links.src, links.tgt)
    found = []
    for one in (0, 1):
        side = sides[one]
        inner, linked = _between(side, is_function[one]), np.zeros(len(side), bool)
        linked[ends[one]] = True
        # First and last linked token on the other side of each token; -1 for none.
        content = np.full((2, len(side)), -1)
        content[0, ends[one][::-1]] = ends[1 - one][::-1]
        content[1, ends[one]] = ends[1 - one]
        at = np.flatnonzero(inner)
        before, after = content[1, at - 1], content[0, at + 1]
        close = (before >= 0) & (after >= 0) & (np.abs(before - after) <= 1)
        free = close & ~linked[at]
        size = len(side.names)
        counts = np.bincount(side.words[at], minlength=size)
        free_counts = np.bincount(side.words[at[free]], minlength=size)
        found.append((free_counts >= _CONNECTIONS) & (free_counts >= _CONNECTING * counts))
    shares = _shares(src, tgt, links)
    return [
        mine | (is_function[one] & (shares[one] @ found[1 - one].astype(float) >= _CONNECTING_LINKS))
        for one, mine in enumerate(found)
    ]


def _between(side: Tokens, is_function: Mask) -> Mask:
    """Mask of function words between two content words, without a break."""
    of_token = is_function[side.words]
    inner = np.zeros(len(side), bool)
    inner[1:-1] = of_token[1:-1] & ~of_token[:-2] & ~of_token[2:] & ~side.breaks[1:-1] & ~side.breaks[2:]
    return inner


def well_bounded(side: Tokens, words: FunctionWords, first: np.ndarray, sizes: np.ndarray) -> Mask:
    """Mask of runs of tokens without a function word at either end, and with no function word inside but connectors."""
    function, bad = words.is_function[side.words], (words.is_function & ~words.connects)[side.words]
    before = np.concatenate(([0], np.cumsum(bad)))
    edges = ~function[first] & ~function[first + sizes - 1]
    return np.asarray(edges & (before[first + sizes] == before[first]))
