"""Where a long text runs by its words alone: the best way through blocks of sentences, whatever way it goes."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from diglot.alignment.lexical.lattice import Model, directions
from diglot.alignment.lexical.lexicon import Text
from diglot.alignment.lexical.model1 import FOLDS
from diglot.alignment.lexical.run_scores import Direction, add_entries, clear_entries
from diglot.arrays import Ints, Singles
from diglot.compiled import compiled

_SIDE_STEP = 0.5
"""A step along one side alone is worth this part of a step along both, and costs no more than this."""
_DIAGONAL, _DOWN, _RIGHT = 0, 1, 2


@compiled
def block_scores(words: Direction, size: int) -> Singles:
    """How much likelier the units of each block of the other side are for those of each block of the span side.

    A block is ``size`` sentences. Returns: float32 (blocks of the span side, blocks of the other), nats.
    """
    rows, columns = len(words.span.offsets) - 1, len(words.other.offsets) - 1
    odds = ((1.0 - words.null) / words.null).astype(np.float32)
    sums = np.zeros((len(words.null), FOLDS), np.float32)
    scores = np.zeros(((rows + size - 1) // size, (columns + size - 1) // size), np.float32)
    for block in range(len(scores)):
        first, end = block * size, min(rows, (block + 1) * size)
        for i in range(first, end):
            add_entries(sums, words, odds, i)
        scale = 1.0 / max(words.span.offsets[end] - words.span.offsets[first], 1)
        for j in range(columns):
            fold, product = max(words.other_folds[j], 0), 1.0
            for q in range(words.other.offsets[j], words.other.offsets[j + 1]):
                product *= 1.0 + scale * sums[words.other.numbers[q], fold]
                if product > 1e200:
                    scores[block, j // size] += math.log(product)
                    product = 1.0
            scores[block, j // size] += math.log(product)
        for i in range(first, end):
            clear_entries(sums, words, i)
    return scores


@compiled
def block_path(gains: Singles) -> Ints:
    """Cells of the best way from the first to the last, each step worth the gain of the cell it enters; (k, 2)."""
    rows, columns = gains.shape
    best, back = np.full((rows, columns), -1e30), np.zeros((rows, columns), np.uint8)
    best[0, 0] = 0.0
    for i in range(rows):
        for j in range(columns):
            aside = _SIDE_STEP * max(gains[i, j], -1.0)
            if i > 0 and j > 0 and best[i - 1, j - 1] + gains[i, j] > best[i, j]:
                best[i, j], back[i, j] = best[i - 1, j - 1] + gains[i, j], _DIAGONAL
            if i > 0 and best[i - 1, j] + aside > best[i, j]:
                best[i, j], back[i, j] = best[i - 1, j] + aside, _DOWN
            if j > 0 and best[i, j - 1] + aside > best[i, j]:
                best[i, j], back[i, j] = best[i, j - 1] + aside, _RIGHT
    i, j, place = rows - 1, columns - 1, rows + columns - 2
    path = np.zeros((rows + columns - 1, 2), np.int64)
    path[place, 0], path[place, 1] = i, j
    while i > 0 or j > 0:
        step = back[i, j]
        i, j, place = i - (step != _RIGHT), j - (step != _DOWN), place - 1
        path[place, 0], path[place, 1] = i, j
    return path[place:]


BLOCK_SENTENCES = 20
MAX_BLOCK_PAIRS = 1_000_000
"""Pairs of blocks at most; blocks are larger in texts of more. A pair costs about a microsecond."""
LEAST_SENTENCES = 120
"""Sentences a side that a text must have; a band holds all of a shorter one."""
_CHANCE = 2.0
"""Standard deviations above the mean of its row and column that a pair of blocks must score to be worth a step."""


def coarse_centre(text: Text, model: Model) -> Ints | None:
    """Column at each row 0 .. len(src), good to about a block; None for a text too short to need it."""

    rows, columns = len(text.src), len(text.tgt)
    if min(rows, columns) < LEAST_SENTENCES:
        return None
    size = max(BLOCK_SENTENCES, math.ceil((rows * columns / MAX_BLOCK_PAIRS) ** 0.5))
    there, back = directions(text, model.tables, model.rates)
    scores = _standard(block_scores(there, size)) + _standard(block_scores(back, size).T)
    path = block_path(_standard(scores) - _CHANCE)
    ends = np.minimum(path * size + size // 2, (rows, columns))
    nodes = np.concatenate(([[0, 0]], ends, [[rows, columns]]))
    keep = np.append(nodes[1:, 0] > nodes[:-1, 0], True)  # the last column of a row, so that rows rise
    nodes = nodes[keep]
    centre = np.interp(np.arange(rows + 1), nodes[:, 0], nodes[:, 1])
    return np.maximum.accumulate(np.rint(centre).astype(np.int64))


def _standard(scores: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The scores less the means of their rows and columns, in standard deviations."""
    centred = scores - scores.mean(axis=0) - scores.mean(axis=1, keepdims=True) + scores.mean()
    standard: npt.NDArray[np.float32] = centred / max(float(centred.std()), 1e-6)
    return standard
