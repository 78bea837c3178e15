"""Step 3. Function words of the site, found by where they stand: no term begins or ends with one.

A word that names something can end a clause; an article, a preposition or an auxiliary hardly can. Languages differ in
the exceptions (verbs end German clauses), so each word is also judged by the words that it is linked to.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from diglot.arrays import Floats, Mask, distinct
from diglot.sparse import csr_array
from diglot.terms.links import Links
from diglot.terms.tokens import Tokens

_LEAST_SHARE, _LEAST_SEGMENTS = 0.002, 12
"""A function word stands in this share of the segments at least, and in so many."""
_NEVER, _SOMETIMES = 0.2, 0.6
"""How often a word ends a clause, against all words alike: up to the first it surely is a function word, from the
second on by its own place none."""
_LOOSE, _BOUND = 0.5, 0.9
"""Share of the most frequent word behind a word: up to the first it may well be a function word, from the second on it
is a part of a phrase."""
_OWN = 0.4
"""Weight of a word's own place; the rest has that of the words it is linked to."""
_FUNCTION, _A_DOUBLING, _LEAST_ASKED = 0.62, 0.06, 0.44
"""Degree from which on a word is a function word, if it stands in a two-hundredth of the segments; with each doubling
of that share so much less is asked, down to the last, as the most common words mostly are function words."""
_LONG = 4
"""Tokens of a segment of which ends of clauses are counted: menus and headings are no clauses."""
_CONNECTING = 0.1
"""Share of its places between two other words at which a connector has no counterpart."""
_CONNECTIONS = 5
_CONNECTING_LINKS = 0.45
"""Share of a function word's links that go to connectors, from which on it is one, too."""


class FunctionWords(NamedTuple):
    """Of the words of one side: which are function words, which of these may stand within a term, and how often each
    ends a clause against all words alike (1: as often as any)."""

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
    said = [share @ other for share, other in zip(shares, own[::-1], strict=True)]
    degree = [_OWN * mine + (1 - _OWN) * by for mine, by in zip(own, said, strict=True)]
    found = [each >= _asked(share, side) for each, share, side in zip(degree, held, (src, tgt), strict=True)]
    connects = _connectors(src, tgt, links, found)
    return (
        FunctionWords(found[0], connects[0], endings[0]),
        FunctionWords(found[1], connects[1], endings[1]),
    )


def _ending(side: Tokens) -> Floats:
    """How often each word ends a clause of a longer segment, against all words alike, smoothed by two clauses."""
    in_long = side.counts()[side.segments] >= _LONG
    counts = np.bincount(side.words[in_long], minlength=len(side.names))
    ends = np.bincount(side.words[in_long & side.closes], minlength=len(side.names))
    usual = side.closes[in_long].mean() if in_long.any() else 1.0
    return np.asarray((ends + 2.0) / (counts * usual + 2.0))


def _openness(side: Tokens) -> Floats:
    """1 for words that go before many others, down to 0 for those that nearly always go before the same one: "mot" of
    "mot de passe" ends no clause, and is no function word."""
    size = len(side.names)
    followed = np.flatnonzero(~side.breaks[1:])
    keys, counts = np.unique(side.words[followed] * size + side.words[followed + 1], return_counts=True)
    top = np.zeros(size)
    np.maximum.at(top, keys // max(size, 1), counts)
    share = top / np.maximum(np.bincount(side.words[followed], minlength=size), 1)
    return np.clip((_BOUND - share) / (_BOUND - _LOOSE), 0, 1)


def _segment_shares(side: Tokens) -> Floats:
    """Share of the segments that hold each word."""
    size = len(side.names)
    held = np.bincount(distinct(side.segments * size + side.words) % max(size, 1), minlength=size)
    return np.asarray(held / max(len(side.offsets) - 1, 1))


def _asked(shares: Floats, side: Tokens) -> Floats:
    """Degree from which on each word is a function word; 2, which none has, for those that are too rare."""
    common = shares >= max(_LEAST_SHARE, _LEAST_SEGMENTS / max(len(side.offsets) - 1, 1))
    asked = _FUNCTION - _A_DOUBLING * np.log2(np.maximum(shares, 1e-9) / 0.005)
    return np.where(common, np.maximum(asked, _LEAST_ASKED), 2.0)


def _shares(src: Tokens, tgt: Tokens, links: Links) -> tuple[csr_array, csr_array]:
    """Of the links of each word the share that goes to each word of the other side, both ways."""
    shape = (len(src.names), len(tgt.names))
    counts = csr_array((links.weights.astype(float), (src.words[links.src], tgt.words[links.tgt])), shape=shape)
    found = []
    for each in (counts, counts.T.tocsr()):
        sums = np.maximum(each.sum(axis=1), 1e-9)
        found.append(
            csr_array((each.data / np.repeat(sums, np.diff(each.indptr)), each.indices, each.indptr), shape=each.shape)
        )
    return found[0], found[1]


def _connectors(src: Tokens, tgt: Tokens, links: Links, is_function: list[Mask]) -> list[Mask]:
    """Function words that stand within terms: between two other words, while the other side has nothing there.

    "mouvement du logiciel" is "software movement": what needs no counterpart there joins the parts of a term.
    """
    sides, ends = (src, tgt), (links.src, links.tgt)
    found = []
    for one in (0, 1):
        side = sides[one]
        inner, linked = _between(side, is_function[one]), np.zeros(len(side), bool)
        linked[ends[one]] = True
        content = np.full((2, len(side)), -1)  # first and last token of the other side that each token is linked to
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
        mine | (is_function[one] & (shares[one] @ found[1 - one].astype(float) >= 0.5))
        for one, mine in enumerate(found)
    ]


def _between(side: Tokens, is_function: Mask) -> Mask:
    """Which tokens are function words between two others within one phrase."""
    of_token = is_function[side.words]
    inner = np.zeros(len(side), bool)
    inner[1:-1] = of_token[1:-1] & ~of_token[:-2] & ~of_token[2:] & ~side.breaks[1:-1] & ~side.breaks[2:]
    return inner


def well_bounded(side: Tokens, words: FunctionWords, first: np.ndarray, sizes: np.ndarray) -> Mask:
    """Which runs of tokens neither begin nor end with a function word, and hold none that connects nothing."""
    function, bad = words.is_function[side.words], (words.is_function & ~words.connects)[side.words]
    before = np.concatenate(([0], np.cumsum(bad)))
    edges = ~function[first] & ~function[first + sizes - 1]
    return np.asarray(edges & (before[first + sizes] == before[first]))
