"""Where a long text runs by its words alone: the best way through blocks of sentences, whatever was left out.

Lengths find the way back after a large gap only by chance; the words of whole blocks do it at once. No band is
needed, as there are few blocks.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from diglot.alignment.lexical_lexicon import Text
from diglot.alignment.lexical_scores import Model, directions

Ints = npt.NDArray[np.int64]

BLOCK_SENTENCES = 20
MAX_BLOCK_PAIRS = 1_000_000
"""Pairs of blocks at most; blocks are larger in texts of more. A pair costs about a microsecond."""
LEAST_SENTENCES = 120
"""Sentences a side that a text must have; a band holds all of a shorter one."""
_CHANCE = 2.0
"""Standard deviations above the mean of its row and column that a pair of blocks must score to be worth a step."""


def coarse_centre(text: Text, model: Model) -> Ints | None:
    """Column at each row 0 .. len(src), good to about a block; None for a text too short to need it."""
    from diglot.alignment.lexical_blocks import block_path, block_scores

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
