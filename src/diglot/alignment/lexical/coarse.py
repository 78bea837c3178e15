"""Step 7. A coarse path through a long text, by words alone: blocks of sentences, compared all with all.

A band follows the path of the pass before, so a passage missing on one side may lead it astray for good.
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
"""Half-width of a band round an uncertain path: by lengths, or through blocks. Twice as much changes no figure."""
BLOCK_SENTENCES = 20
"""Sentences of a block."""
MAX_BLOCK_PAIRS = 1_000_000
"""Pairs of blocks at most (about a microsecond each); longer texts have larger blocks."""
LEAST_SENTENCES = 120
"""Sentences a side at least; a band covers shorter texts completely."""
_FAR = 3 * BLOCK_SENTENCES
"""Distance of the two paths, in sentences, from which on the coarse one is tried."""
_REACH = 2 * BLOCK_SENTENCES
"""Rows in which a path near the coarse one may leap: the coarse path is good to a block or so."""
_CHANCE = 2.0
"""Standard deviations above the mean of its row and column that make a pair of blocks worth a step."""


def detour(text: NumberedText, model: TextModel, found: Solution) -> Solution:
    """The best path near the coarse one, if that is far from the path found and turns out likelier."""
    coarse = coarse_centre(text, model)
    if coarse is None or np.abs(coarse - found.centre(text)).max() < _FAR:
        return found
    # The coarse path decides only where to look; the scores of the whole text decide between the two.
    other = solve_text(text, model, coarse, WIDE, reach=_REACH)
    return other if other.log_sum > found.log_sum else found


def solve_known(text: NumberedText, model: TextModel) -> Solution:
    """Best path by a known lexicon: near the coarse path, or by lengths if likelier."""
    by_length, coarse = length_centre(text, WIDE), coarse_centre(text, model)
    if coarse is None:
        return solve_text(text, model, by_length, WIDE)
    found = solve_text(text, model, coarse, WIDE, reach=_REACH)
    if np.abs(by_length - found.centre(text)).max() < _FAR:
        return found
    # One band: a path by lengths that needs another has lost its way.
    other = solve_text(text, model, by_length, WIDE, most_bands=1)
    return other if other.log_sum > found.log_sum else found


def coarse_centre(text: NumberedText, model: TextModel) -> Ints | None:
    """Column at each row 0 .. len(src), good to about a block; None for a short text."""
    rows, columns = len(text.src), len(text.tgt)
    if min(rows, columns) < LEAST_SENTENCES:
        return None
    size = max(BLOCK_SENTENCES, math.ceil((rows * columns / MAX_BLOCK_PAIRS) ** 0.5))
    forward, backward = directions(text, model.tables, model.rates)
    # Standardised: a block of frequent words would score high beside all others.
    scores = _standard(block_scores(forward, size)) + _standard(block_scores(backward, size).T)
    path = block_path(_standard(scores) - _CHANCE)
    ends = np.minimum(path * size + size // 2, (rows, columns))
    nodes = np.concatenate(([[0, 0]], ends, [[rows, columns]]))
    keep = np.append(nodes[1:, 0] > nodes[:-1, 0], True)  # the last column of a row, so that rows rise
    nodes = nodes[keep]
    centre = np.interp(np.arange(rows + 1), nodes[:, 0], nodes[:, 1])
    return np.maximum.accumulate(np.rint(centre).astype(np.int64))


def _standard(scores: Singles) -> Singles:
    """Scores minus the means of their rows and columns, in standard deviations."""
    centred = scores - scores.mean(axis=0) - scores.mean(axis=1, keepdims=True) + scores.mean()
    standard: Singles = centred / max(float(centred.std()), 1e-6)
    return standard
