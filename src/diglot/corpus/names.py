"""Names that one side of a segment has and the other lacks, told from words that are translated by what the site does.

Most names are kept, or carried over into the other script; some are translated (Germany, Allemagne), and so are
all capitalised words that are no names. The site itself says which: how often a word, or a word of its kind, has
one like it on the other side, or a word that often stands there when it has none like it. A row is suspect where a
name that normally has a counterpart has none, the more so if the other side has such a name as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from diglot.corpus.name_forms import are_like
from diglot.corpus.name_words import KINDS, Words, is_latin, read_words

Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]
Chances = npt.NDArray[np.float64]

LEAST_ROWS = 50
"""Rows from which a language pair says how names behave in it."""
LEAST_TOGETHER = 2
LEAST_OF_NAME, LEAST_OF_WORD = 0.3, 0.1
"""A word translates a name if it stands beside at least this share of the rows where nothing else does, and they
are at least this share of its own rows."""
LEAST_EVIDENCE = 15.0
"""Log-likelihood ratio (Dunning 1993, -2 log lambda) from which that is no accident: one in 10,000."""
PRIOR_ROWS = 2.0
"""Weight, in rows, of what words of a kind do beside what the word itself does."""
RARE_ROWS = 3
"""Words in at most so many rows tell what rare words of a kind do."""
MOST_CHANCE = 0.05
"""Chance that the names of a row lack a counterpart in a good translation, up to which it is flagged."""
MOST_SHARE = 0.01
"""Of more rows than this share, only the most suspect are flagged."""


class Lone(NamedTuple):
    """Names without counterpart, arrays of shape (names,): row, number of the form, chance of being without."""

    rows: Numbers
    keys: Numbers
    chances: Chances


def differing_names(src: Sequence[str], tgt: Sequence[str]) -> Mask:
    """Rows whose two sides name something different, shape (rows,).

    Give distinct rows of one language pair that nothing else speaks against: all of them are evidence.
    """
    if len(src) < LEAST_ROWS:
        return np.zeros(len(src), bool)
    scores = suspicion(lone_names(src, tgt), len(src))
    bound = np.quantile(scores, MOST_SHARE, method="lower")
    return np.asarray((scores <= MOST_CHANCE) & (scores <= bound))


def suspicion(sides: Sequence[Lone], row_count: int) -> Chances:
    """Chance that a good translation lacks what each row lacks, shape (rows,); above 1 where it is to be expected.

    Of either side the name counts that is least expected to be lone. Every other lone name of a row shows that
    it is translated freely, and makes those less telling.
    """
    scores, others = np.ones(row_count), np.zeros(row_count)
    for lone in sides:
        least = np.ones(row_count)
        np.minimum.at(least, lone.rows, lone.chances)
        scores *= least
        unexpected = np.bincount(lone.rows, weights=1 - lone.chances, minlength=row_count)
        others += np.maximum(0.0, unexpected - (1 - least))
    return np.asarray(scores * (1 + others))


def lone_names(src: Sequence[str], tgt: Sequence[str]) -> tuple[Lone, Lone]:
    """The names of either side that have no counterpart in their row."""
    numbers: dict[str, int] = {}
    sides = (read_words(src, numbers), read_words(tgt, numbers))
    forms = list(numbers)
    across = is_latin(src) != is_latin(tgt)
    one, two = (
        _with_chances(mine, _without_counterpart(mine, other, forms, across=across), len(forms))
        for mine, other in (sides, sides[::-1])
    )
    return one, two


def _without_counterpart(mine: Words, other: Words, forms: list[str], *, across: bool) -> Numbers:
    """Places in ``mine`` of the names that nothing on the other side explains."""
    names = np.flatnonzero(mine.is_name)
    names = names[~_is_among(mine.rows[names] * len(forms) + mine.keys[names], other.rows * len(forms) + other.keys)]
    name, word = _beside(mine.rows[names], other.starts)
    like = are_like(mine.keys[names[name]], other.keys[word], forms, across=across)
    names = np.delete(names, name[like])
    name, word = _beside(mine.rows[names], other.starts)
    translated = _translates(mine.keys[names], name, other.keys, word, len(other.starts) - 1)
    return np.delete(names, name[translated])


def _is_among(values: Numbers, ordered: Numbers) -> Mask:
    places = np.searchsorted(ordered, values)
    return np.asarray(np.append(ordered, -1)[places] == values)


def _beside(rows: Numbers, starts: Numbers) -> tuple[Numbers, Numbers]:
    """Each row in turn with every word of the other side in it: place in ``rows``, place of the word."""
    counts = starts[rows + 1] - starts[rows]
    place = np.repeat(np.arange(len(rows)), counts)
    within = np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts, counts)
    return place, within + starts[rows][place]


def _translates(names: Numbers, name: Numbers, words: Numbers, word: Numbers, row_count: int) -> Mask:
    """Whether the word of each pair, a ``name`` and a ``word`` of one row, often stands where the name does."""
    key_count = 1 + int(max(names.max(initial=0), words.max(initial=0)))
    pairs, of_pair, together = np.unique(names[name] * key_count + words[word], return_inverse=True, return_counts=True)
    of_name = np.bincount(names, minlength=key_count)[pairs // key_count]
    of_word = np.bincount(words, minlength=key_count)[pairs % key_count]
    often = (together >= LEAST_TOGETHER) & (together >= LEAST_OF_NAME * of_name) & (together >= LEAST_OF_WORD * of_word)
    often &= together * row_count > of_name * of_word
    rows = np.flatnonzero(often)
    often[rows] = _log_likelihood_ratio(together[rows], of_name[rows], of_word[rows], row_count) >= LEAST_EVIDENCE
    return np.asarray(often[of_pair])


def _log_likelihood_ratio(together: Numbers, one: Numbers, two: Numbers, rows: int) -> Chances:
    """Dunning 1993 for counts of rows: -2 log lambda of independence, 0 where they are independent."""
    cells = (together, one - together, two - together, rows - one - two + together)
    margins = (one, rows - one, two, rows - two)
    joint = sum(map(_times_log, cells), start=_times_log(np.full(len(one), rows)))
    return np.asarray(2 * (joint - sum(map(_times_log, margins), start=np.zeros(len(one)))))


def _times_log(counts: Numbers) -> Chances:
    return np.asarray(counts * np.log(np.maximum(counts, 1)))


def _with_chances(words: Words, lone: Numbers, key_count: int) -> Lone:
    """The chance that each lone name is without counterpart, as all other rows have it."""
    named, missing = words.keys[words.is_name], words.keys[lone]
    rows, missing_rows = (np.bincount(keys, minlength=key_count) for keys in (named, missing))
    rare = rows <= RARE_ROWS
    of_kind = np.bincount(words.kinds[words.is_name][rare[named]], minlength=KINDS)
    missing_of_kind = np.bincount(words.kinds[lone][rare[missing]], minlength=KINDS)
    prior = ((missing_of_kind + 1) / (of_kind + 2))[words.kinds[lone]]
    chances = (missing_rows[missing] - 1 + PRIOR_ROWS * prior) / (rows[missing] - 1 + PRIOR_ROWS)
    return Lone(words.rows[lone], missing, chances)
