"""Names that one side of a segment has and the other lacks, told from words that are translated by what the site does.

Most names are kept, or carried over into the other script; some are translated (Germany, Allemagne), and so are
all capitalised words that are no names. The site itself says which: how often a word, or a word of its kind, has no
partner on the other side. A row is suspect where a name that normally has one lacks it, the more so if a name of the
other side does as well, at the same place and between the same words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from diglot.corpus.name_forms import are_like
from diglot.corpus.name_partners import beside, unmatched
from diglot.corpus.name_words import KINDS, SMALL, STARTS, Words, is_latin, read_words

Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]
Chances = npt.NDArray[np.float64]

LEAST_ROWS = 50
"""Rows from which a language pair says how names behave in it."""
PRIOR_ROWS = 2.0
"""Weight, in rows, of what words of a kind do beside what the word itself does."""
RARE_ROWS = 3
"""Words in at most so many rows tell what rare words of a kind do."""
MOST_CHANCE = 0.8
"""A name that lacks a partner in more than this share of its rows says nothing where it lacks one."""
LEAST_SUSPICION = 0.5
"""Log odds, up to a constant, from which a row is flagged: on most sites about 99 in 100 sound rows are below it."""
MOST_SHARE = 0.01
"""Of more rows than this share, only the most suspect are flagged."""

# Log odds, rounded, of logistic regressions on names replaced at random in nine runs: five sites, five language pairs.
# A third more or less of any of them hardly changes what is found.
ONE_SIDED = -3.0
EXPLAINED, DOUBTFUL, RARE = -1.0, -1.0, -1.0
"""Of a name that a word may stand for; that begins a sentence or is also written small, each; that is in one row, in
n rows an n-th of it."""
SAME_NEIGHBOUR = 1.5
PLACE_APART = -2.0
"""Of a name at one end of the text beside one at the other end, less in proportion."""
FREE = -1.5
"""Times the logarithm of 1 + other names that unexpectedly lack a partner: the row is translated freely."""


class Lone(NamedTuple):
    """Names without partner in order of rows, arrays of shape (names,).

    Place among the words of their side, row, how unexpected it is as log odds, and what it says, from 0 to 1, of how
    freely the row is translated.
    """

    words: Numbers
    rows: Numbers
    weights: Chances
    freedom: Chances


def differing_names(src: Sequence[str], tgt: Sequence[str]) -> Mask:
    """Rows whose two sides name something different, shape (rows,).

    Give distinct rows of one language pair that nothing else speaks against: all of them are evidence.
    """
    if len(src) < LEAST_ROWS:
        return np.zeros(len(src), bool)
    scores = suspicion(src, tgt)
    return np.asarray((scores >= LEAST_SUSPICION) & (scores > np.quantile(scores, 1 - MOST_SHARE, method="lower")))


def suspicion(src: Sequence[str], tgt: Sequence[str]) -> Chances:
    """Log odds, up to a constant, that a name was replaced in each row, shape (rows,); -inf where none lacks a partner.

    Of all pairs of names without partner that are not alike, and of all single ones, the most suspect counts.
    """
    numbers: dict[str, int] = {}
    one, two = read_words(src, numbers), read_words(tgt, numbers)
    forms = list(numbers)
    across = is_latin(src) != is_latin(tgt)
    left, right = (_lone(*sides, forms, across=across) for sides in ((one, two), (two, one)))
    scores = np.full(len(src), -np.inf)
    free = np.bincount(left.rows, left.freedom, len(src)) + np.bincount(right.rows, right.freedom, len(src))
    for side in (left, right):
        others = free[side.rows] - side.freedom
        np.maximum.at(scores, side.rows, side.weights + ONE_SIDED + FREE * np.log1p(others))
    x, y = beside(left.rows, np.searchsorted(right.rows, np.arange(len(src) + 1)))
    alike = are_like(one.keys[left.words[x]], two.keys[right.words[y]], forms, across=across)
    x, y = x[~alike], y[~alike]
    others = np.maximum(0, free[left.rows[x]] - left.freedom[x] - right.freedom[y])
    fit = _fit(one, left.words[x], two, right.words[y])
    np.maximum.at(scores, left.rows[x], left.weights[x] + right.weights[y] + fit + FREE * np.log1p(others))
    return scores


def _fit(one: Words, x: Numbers, two: Words, y: Numbers) -> Chances:
    """How well the places of two names in their texts fit, as log odds."""
    fit = PLACE_APART * np.abs(one.places[x] - two.places[y])
    for mine, other in ((one.before[x], two.before[y]), (one.after[x], two.after[y])):
        fit += SAME_NEIGHBOUR * ((mine == other) & (mine >= 0))
    return fit


def _lone(mine: Words, other: Words, forms: list[str], *, across: bool) -> Lone:
    """Names of ``mine`` that unexpectedly lack a partner, or unexpectedly have none but one that explains them."""
    names, explained = unmatched(mine, other, forms, across=across)
    chances = _chances(mine, names, len(forms))
    chances[~explained] = _chances(mine, names[~explained], len(forms))
    counts = chances <= MOST_CHANCE
    names, explained, chances = names[counts], explained[counts], chances[counts]
    kinds = mine.kinds[names]
    doubts = (kinds & STARTS > 0).astype(int) + (kinds & SMALL > 0)
    rows = np.bincount(mine.keys[mine.is_name])[mine.keys[names]]
    weights = -np.log(chances) + EXPLAINED * explained + DOUBTFUL * doubts + RARE / rows
    return Lone(names, mine.rows[names], weights, np.where(explained, 0.0, 1 - chances))


def _chances(words: Words, names: Numbers, key_count: int) -> Chances:
    """Chance that each of the ``names`` is among them, as all other rows of its word, and rare words like it, are."""
    named, missing = words.keys[words.is_name], words.keys[names]
    rows, missing_rows = (np.bincount(keys, minlength=key_count) for keys in (named, missing))
    rare = rows <= RARE_ROWS
    of_kind = np.bincount(words.kinds[words.is_name][rare[named]], minlength=KINDS)
    missing_of_kind = np.bincount(words.kinds[names][rare[missing]], minlength=KINDS)
    prior = ((missing_of_kind + 1) / (of_kind + 2))[words.kinds[names]]
    return np.asarray((missing_rows[missing] - 1 + PRIOR_ROWS * prior) / (rows[missing] - 1 + PRIOR_ROWS))
