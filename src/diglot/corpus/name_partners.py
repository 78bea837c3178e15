"""Which names of a segment have no partner on its other side: none written the same, none like it, no translation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from diglot.corpus.name_forms import are_like
from diglot.corpus.name_words import Words

Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]
Chances = npt.NDArray[np.float64]

LEAST_TOGETHER = 2
LEAST_OF_NAME, LEAST_OF_WORD = 0.3, 0.1
"""A word translates a name if it stands beside at least this share of the rows where nothing else does, and they
are at least this share of its own rows."""
LEAST_EVIDENCE = 15.0
"""Log-likelihood ratio (Dunning 1993, -2 log lambda) from which that is no accident: one in 10,000."""


class Unmatched(NamedTuple):
    """Names that the other side does not hold as they are, shape (names,): places in the words of their side in order,
    and whether another word there may stand for them all the same."""

    names: Numbers
    explained: Mask


def unmatched(mine: Words, other: Words, forms: list[str], *, across: bool) -> Unmatched:
    """The names of ``mine`` that their rows of ``other`` do not hold; ``across``: the sides have different scripts.

    A word that both sides hold stands for itself and for no other name.
    """
    here, there = (side.rows * len(forms) + side.keys for side in (mine, other))
    names = np.flatnonzero(mine.is_name & ~_is_among(here, there))
    free = ~_is_among(there, here)
    words, starts = other.keys[free], np.append(0, np.cumsum(free))[other.starts]
    name, word = beside(mine.rows[names], starts)
    like = are_like(mine.keys[names[name]], words[word], forms, across=across)
    alone = np.delete(names, name[like])
    name, word = beside(mine.rows[alone], starts)
    translated = _translates(mine.keys[alone], name, words, word, len(starts) - 1)
    alone = np.delete(alone, name[translated])
    return Unmatched(names, ~np.isin(names, alone))


def beside(rows: Numbers, starts: Numbers) -> tuple[Numbers, Numbers]:
    """Each row in turn with every member of the other side in it: place in ``rows``, place of the member.

    The members of row r are those from ``starts[r]`` to ``starts[r + 1]``.
    """
    counts = starts[rows + 1] - starts[rows]
    place = np.repeat(np.arange(len(rows)), counts)
    within = np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts, counts)
    return place, within + starts[rows][place]


def _is_among(values: Numbers, ordered: Numbers) -> Mask:
    places = np.searchsorted(ordered, values)
    return np.asarray(np.append(ordered, -1)[places] == values)


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
