"""Step 7. Where a long text runs by its words alone: the best way through blocks of sentences, whatever way it goes.

A band follows the path that was found before, so a passage that one side lacks may lead it astray; here all blocks of
one side are compared with all of the other.
"""

from __future__ import annotations

import math

import numpy as np

from diglot.alignment.lexical.bead_scores import IMPOSSIBLE, TextModel
from diglot.alignment.lexical.lattice import Solution, length_centre, solve_text
from diglot.alignment.lexical.run_scores import Direction, add_entries, clear_entries, directions
from diglot.alignment.lexical.units import FOLDS, NumberedText
from diglot.arrays import Ints, Singles
from diglot.compiled import compiled

WIDE = 30
"""Half-width of a band round a path of which little is known: that by lengths, or that through blocks. Twice as much
changes no figure."""
BLOCK_SENTENCES = 20
"""Sentences of a block."""
MAX_BLOCK_PAIRS = 1_000_000
"""Pairs of blocks at most; blocks are larger in texts of more. A pair costs about a microsecond."""
LEAST_SENTENCES = 120
"""Sentences a side that a text must have; a band holds all of a shorter one."""
_FAR = 3 * BLOCK_SENTENCES
"""Sentences between the two ways from which on the other is tried."""
_REACH = 2 * BLOCK_SENTENCES
"""Rows in which a path near the way through blocks may leap: that way knows its places to a block or so."""
_CHANCE = 2.0
"""Standard deviations above the mean of its row and column that a pair of blocks must score to be worth a step."""
_SIDE_STEP = 0.5
"""Part of a step along both sides that a step along one side alone gains or costs."""
_MOST_LOST = 1.0
"""Standard deviations that such a step costs at most, before it is taken in part: a long gap must not cost too much."""
_MOST_PRODUCT = 1e200
"""Factors are multiplied up to here before their logarithm is taken; one more stays within a double."""
_DIAGONAL, _DOWN, _RIGHT = 0, 1, 2
"""Steps of the way through blocks."""


def detour(text: NumberedText, model: TextModel, found: Solution) -> Solution:
    """The best path near the way through blocks, where that is far from the path found and turns out likelier."""
    coarse = coarse_centre(text, model)
    if coarse is None or np.abs(coarse - found.centre(text)).max() < _FAR:
        return found
    other = solve_text(text, model, coarse, WIDE, reach=_REACH)
    return other if other.log_sum > found.log_sum else found


def solve_known(text: NumberedText, model: TextModel) -> Solution:
    """The best path by a lexicon that is known beforehand: near the way through blocks, or by lengths if likelier.

    Lengths alone lose their way at a gap, and a band that has to find it back is solved again and again.
    """
    by_length, coarse = length_centre(text, WIDE), coarse_centre(text, model)
    if coarse is None:
        return solve_text(text, model, by_length, WIDE)
    found = solve_text(text, model, coarse, WIDE, reach=_REACH)
    if np.abs(by_length - found.centre(text)).max() < _FAR:
        return found
    other = solve_text(text, model, by_length, WIDE, most_bands=1)
    return other if other.log_sum > found.log_sum else found


def coarse_centre(text: NumberedText, model: TextModel) -> Ints | None:
    """Column at each row 0 .. len(src), good to about a block; None for a text too short to need it."""
    rows, columns = len(text.src), len(text.tgt)
    if min(rows, columns) < LEAST_SENTENCES:
        return None
    size = max(BLOCK_SENTENCES, math.ceil((rows * columns / MAX_BLOCK_PAIRS) ** 0.5))
    forward, backward = directions(text, model.tables, model.rates)
    scores = _standard(block_scores(forward, size)) + _standard(block_scores(backward, size).T)
    path = block_path(_standard(scores) - _CHANCE)
    ends = np.minimum(path * size + size // 2, (rows, columns))
    nodes = np.concatenate(([[0, 0]], ends, [[rows, columns]]))
    keep = np.append(nodes[1:, 0] > nodes[:-1, 0], True)  # the last column of a row, so that rows rise
    nodes = nodes[keep]
    centre = np.interp(np.arange(rows + 1), nodes[:, 0], nodes[:, 1])
    return np.maximum.accumulate(np.rint(centre).astype(np.int64))


def _standard(scores: Singles) -> Singles:
    """The scores less the means of their rows and columns, in standard deviations."""
    centred = scores - scores.mean(axis=0) - scores.mean(axis=1, keepdims=True) + scores.mean()
    standard: Singles = centred / max(float(centred.std()), 1e-6)
    return standard


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
                if product > _MOST_PRODUCT:
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
    best, back = np.full((rows, columns), IMPOSSIBLE), np.zeros((rows, columns), np.uint8)
    best[0, 0] = 0.0
    for i in range(rows):
        for j in range(columns):
            aside = _SIDE_STEP * max(gains[i, j], -_MOST_LOST)
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
