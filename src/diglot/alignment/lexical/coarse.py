"""Step 7. Where a long text runs by its words alone: the best way through blocks of sentences, whatever way it goes.

A band follows the path that was found before, so a passage that one side lacks may lead it astray; here all blocks of
one side are compared with all of the other.
"""

from __future__ import annotations

import math

import numpy as np

from diglot.alignment.lexical.bead_scores import TextModel
from diglot.alignment.lexical.lattice import Solution, length_centre, solve_text
from diglot.alignment.lexical.lattice_kernels import block_path
from diglot.alignment.lexical.run_scores import directions
from diglot.alignment.lexical.run_scores_kernels import block_scores
from diglot.alignment.lexical.units import NumberedText
from diglot.arrays import Ints, Singles

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
