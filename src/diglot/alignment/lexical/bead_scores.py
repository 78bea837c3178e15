"""Scores of all beads that start in a band: types, lengths, words and blocks added up, compiled.

Importing this module imports numba; see :mod:`diglot.compiled`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from diglot.alignment.lexical.run_scores import Window
from diglot.arrays import Floats, Ints, Singles
from diglot.compiled import compiled

FLOOR = -1e30
"""Score of what cannot be."""
_GAIN_RANGE = 16.0
"""Beyond this many nats a length says as much as at it, or nothing but itself."""
_GAIN_STEPS = 32.0
"""Steps a nat of the table of what lengths say; linear in between, the error is under 0.0002."""


class Edges(NamedTuple):
    """A band: row i has the columns ``low[i]`` to ``high[i]``, stored from ``start[i]`` on."""

    low: Ints
    high: Ints
    start: Ints


class Types(NamedTuple):
    """Sentences a side of each type of bead."""

    src: Ints
    tgt: Ints


class Words(NamedTuple):
    """Windows and results of :func:`diglot.alignment.lexical.run_scores.word_scores` from source runs and from
    target runs, and the weight of both together."""

    rows: Window
    forward: Singles
    columns: Window
    backward: Singles
    weight: float


class Lengths(NamedTuple):
    """Cumulative lengths of both sides in target characters; log density of each run of 1 .. depth target sentences by
    itself, (m, depth); variance a character; :func:`stray_table`."""

    src: Floats
    tgt: Floats
    alone: Floats
    variance: float
    stray: Floats


class Structure(NamedTuple):
    """Cumulative numbers of sentences that open a block, kinds of block, and the nats of (opens, opens),
    (kind, kind) and (side, step within or over a boundary)."""

    src_opens: Ints
    tgt_opens: Ints
    src_kinds: Ints
    tgt_kinds: Ints
    opening: Floats
    kinds: Floats
    steps: Floats


def stray_table(stray: float) -> Floats:
    """log(stray + (1 - stray) exp(gain)) for gains of -16, -16 + 1/32 ... 16 nats."""
    gains = np.arange(-_GAIN_RANGE, _GAIN_RANGE + 1.5 / _GAIN_STEPS, 1 / _GAIN_STEPS)
    table: npt.NDArray[np.float64] = np.log(stray + (1 - stray) * np.exp(gains))
    return table


@compiled
def length_gain(lengths: Lengths, i: int, end: int, j: int, tgt_end: int) -> float:
    """What the lengths of a bead say, in nats."""
    src_length, tgt_length = lengths.src[end] - lengths.src[i], lengths.tgt[tgt_end] - lengths.tgt[j]
    if src_length <= 0 or tgt_length <= 0:
        return 0.0
    spread = lengths.variance * (src_length + tgt_length) / 2
    gain = -((tgt_length - src_length) ** 2) / (2 * spread) - math.log(2 * math.pi * spread) / 2
    gain -= lengths.alone[j, tgt_end - j - 1]
    place = (gain + _GAIN_RANGE) * _GAIN_STEPS
    if place <= 0:
        return float(lengths.stray[0])
    cell = int(place)
    if cell + 1 >= len(lengths.stray):
        return min(gain, 50.0)
    return float(lengths.stray[cell] + (place - cell) * (lengths.stray[cell + 1] - lengths.stray[cell]))


@compiled
def block_gain(blocks: Structure, i: int, end: int, j: int, tgt_end: int) -> float:
    """What the blocks of a bead say, in nats."""
    src, tgt, steps = blocks.src_opens, blocks.tgt_opens, blocks.steps
    gain = (
        blocks.opening[src[i + 1] - src[i], tgt[j + 1] - tgt[j]]
        + blocks.kinds[blocks.src_kinds[i], blocks.tgt_kinds[j]]
    )
    inside = src[end] - src[i + 1]
    gain += inside * steps[0, 1] + (end - i - 1 - inside) * steps[0, 0]
    inside = tgt[tgt_end] - tgt[j + 1]
    gain += inside * steps[1, 1] + (tgt_end - j - 1 - inside) * steps[1, 0]
    return float(gain)


@compiled
def word_gain(words: Words, i: int, end: int, j: int, tgt_end: int) -> float:
    """What the words of a bead say, in nats."""
    place, other = words.rows.start[i] + j - words.rows.low[i], words.columns.start[j] + i - words.columns.low[j]
    a, b = end - i, tgt_end - j
    gain = words.forward[place + b, a - 1] - words.forward[place, a - 1]
    gain += words.backward[other + a, b - 1] - words.backward[other, b - 1]
    return words.weight * float(gain)


@compiled
def bead_scores(
    edges: Edges, types: Types, prior: Floats, words: Words, lengths: Lengths, blocks: Structure
) -> Singles:
    """Log-likelihood ratio of each bead that starts in each cell of the band, float32 (cells, types).

    ``prior``: log share of each type.
    """
    low, high, start = edges
    n = len(low) - 1
    scores = np.full((start[-1], len(prior)), np.float32(FLOOR))
    for i in range(n + 1):
        for j in range(low[i], high[i] + 1):
            cell = start[i] + j - low[i]
            for k in range(len(prior)):
                end, tgt_end = i + types.src[k], j + types.tgt[k]
                if end > n or tgt_end < low[end] or tgt_end > high[end]:
                    continue
                score = prior[k]
                if end > i and tgt_end > j:
                    score += word_gain(words, i, end, j, tgt_end)
                    score += length_gain(lengths, i, end, j, tgt_end)
                    score += block_gain(blocks, i, end, j, tgt_end)
                scores[cell, k] = score
    return scores
