"""Step 5. Scores of all beads that start in a band: types, words, lengths, blocks and evidence added up.

Importing this module imports numba; see :mod:`diglot.compiled`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from diglot.alignment.bands import Band
from diglot.alignment.beads import BeadEvidence
from diglot.alignment.lexical.model1 import TranslationTable
from diglot.alignment.lexical.rates import DEPTH, TYPE_SRC, TYPE_TGT, Rates
from diglot.alignment.lexical.run_scores import RunWindow, directions, word_scores
from diglot.alignment.lexical.units import NumberedSide, NumberedText
from diglot.arrays import Floats, Ints, Singles
from diglot.compiled import compiled

LEXICON_WEIGHT = 0.5
"""Share of the lexicon's log-likelihood that counts: the units of a sentence are not independent of each other. Chosen
on alpine yearbooks and a Chinese novel; .35 and .7 are .003 and .004 worse on the first, .017 worse and equal on the
second."""
STRAY = 0.005
"""Share of beads whose lengths say nothing. Our choice."""
IMPOSSIBLE = -1e30
"""Score of what cannot be."""
_GAIN_RANGE = 16.0
"""Beyond this many nats a length says as much as at it, or nothing but itself."""
_GAIN_STEPS = 32.0
"""Steps a nat of the table of what lengths say; linear in between, the error is under 0.0002."""
_SURELY_BEYOND = 0.01
"""Nats beyond that range of what is not worked out: the logarithm that is left out can only take from it."""
_MAX_GAIN = 50.0
"""Nats that lengths may say at most."""
_EVIDENCE_ROWS = 256
"""Rows of the band whose beads are given to evidence at a time, to bound memory."""


@dataclass(frozen=True, slots=True)
class TextModel:
    """All that a text is scored with. ``tables``: see :func:`diglot.alignment.lexical.lexicon.text_tables`."""

    tables: tuple[TranslationTable, TranslationTable]
    rates: Rates
    evidence: BeadEvidence | None = None


class BandEdges(NamedTuple):
    """A band: row i has the columns ``low[i]`` to ``high[i]``, stored from ``start[i]`` on."""

    low: Ints
    high: Ints
    start: Ints


class BeadTypes(NamedTuple):
    """Sentences a side of each type of bead."""

    src: Ints
    tgt: Ints


class RunScores(NamedTuple):
    """Windows and results of :func:`diglot.alignment.lexical.run_scores.word_scores` from source runs and from
    target runs, and the weight of both together."""

    rows: RunWindow
    forward: Singles
    columns: RunWindow
    backward: Singles
    weight: float


class LengthModel(NamedTuple):
    """Cumulative lengths of both sides in target characters; log density of each run of 1 .. DEPTH target sentences by
    itself, (m, DEPTH); variance a character; :func:`stray_table`."""

    src: Floats
    tgt: Floats
    alone: Floats
    variance: float
    stray: Floats


class BlockModel(NamedTuple):
    """Cumulative numbers of sentences that open a block, kinds of block, and the nats of (opens, opens),
    (kind, kind) and (side, step within or over a boundary)."""

    src_opens: Ints
    tgt_opens: Ints
    src_kinds: Ints
    tgt_kinds: Ints
    opening: Floats
    kinds: Floats
    steps: Floats


BEAD_TYPES = BeadTypes(TYPE_SRC, TYPE_TGT)


def band_edges(band: Band) -> BandEdges:
    """A band as compiled functions take it."""
    return BandEdges(band.low, band.high, band.start)


def text_scores(text: NumberedText, model: TextModel, band: Band) -> Singles:
    """Score of each bead that starts in each cell of the band, float32 (cells, types), nats.

    It is the log-likelihood ratio of the two sides being written as translations against independently of each other.
    """
    src, tgt, rates, blocks = text.src, text.tgt, model.rates, model.rates.blocks
    src_sums, tgt_sums = (np.concatenate(([0.0], np.cumsum(side.lengths))) for side in (src, tgt))
    src_opens, tgt_opens = (np.concatenate(([0], np.cumsum(side.opens))) for side in (src, tgt))
    scores: Singles = bead_scores(
        band_edges(band),
        BEAD_TYPES,
        np.log(rates.types),
        _run_scores(text, model, band),
        LengthModel(rates.ratio * src_sums, tgt_sums, _length_alone(tgt, rates), rates.variance, stray_table(STRAY)),
        BlockModel(src_opens, tgt_opens, src.kinds, tgt.kinds, blocks.opening, blocks.kinds, blocks.steps),
    )
    if model.evidence is not None:
        _add_evidence(scores, band, model.evidence)
    return scores


def _run_scores(text: NumberedText, model: TextModel, band: Band) -> RunScores:
    """What words say of the runs of both sides that a bead in the band may hold."""
    n, m = len(text.src), len(text.tgt)
    rows = _window(band.low[:n], band.high[:n] + DEPTH, m)
    columns = np.arange(m)
    first_rows, last_rows = np.searchsorted(band.high, columns), np.searchsorted(band.low, columns, side="right") - 1
    cols = _window(first_rows, last_rows + DEPTH, n)
    forward, backward = directions(text, model.tables, model.rates)
    return RunScores(rows, word_scores(forward, rows), cols, word_scores(backward, cols), LEXICON_WEIGHT / 2)


def _window(low: Ints, end: Ints, length: int) -> RunWindow:
    counts = np.minimum(end, length) - low + 1
    return RunWindow(low, np.concatenate(([0], np.cumsum(counts))))


def _length_alone(tgt: NumberedSide, rates: Rates) -> Floats:
    """Log density of the length of each run of 1 .. DEPTH target sentences by itself (log-normal), (m, DEPTH)."""
    sums = np.concatenate(([0.0], np.cumsum(tgt.lengths)))
    density = np.zeros((len(tgt), DEPTH))
    for b in range(1, DEPTH + 1):
        lengths = sums[b:] - sums[:-b]
        width2 = np.log1p(rates.spread / (b * rates.mean**2))
        log_length = np.log(np.maximum(lengths, 1.0))
        z2 = (log_length - np.log(b * rates.mean) + width2 / 2) ** 2 / width2
        density[: len(lengths), b - 1] = -z2 / 2 - log_length - np.log(2 * np.pi * width2) / 2
    return density


def stray_table(stray: float) -> Floats:
    """log(stray + (1 - stray) exp(gain)) for gains of -16, -16 + 1/32 ... 16 nats."""
    gains = np.arange(-_GAIN_RANGE, _GAIN_RANGE + 1.5 / _GAIN_STEPS, 1 / _GAIN_STEPS)
    table: Floats = np.log(stray + (1 - stray) * np.exp(gains))
    return table


def _add_evidence(scores: Singles, band: Band, evidence: BeadEvidence) -> None:
    """Add further evidence to every bead with two sides, some rows at a time."""
    rows = len(band.low)
    row_of = np.repeat(np.arange(rows), band.high - band.low + 1)
    for begin in range(0, rows, _EVIDENCE_ROWS):
        cells = np.arange(band.start[begin], band.start[min(begin + _EVIDENCE_ROWS, rows)])
        i = row_of[cells]
        j = cells - band.start[i] + band.low[i]
        for kind in np.flatnonzero((TYPE_SRC > 0) & (TYPE_TGT > 0)):
            inside = scores[cells, kind] > IMPOSSIBLE / 2
            beads = np.stack((i, i + TYPE_SRC[kind], j, j + TYPE_TGT[kind]), axis=1)[inside]
            if len(beads):
                scores[cells[inside], kind] += evidence(beads).astype(np.float32)


@compiled
def length_gain(lengths: LengthModel, i: int, end: int, j: int, tgt_end: int) -> float:
    """What the lengths of a bead say, in nats: log(stray + (1 - stray) density ratio), read off a table."""
    src_length, tgt_length = lengths.src[end] - lengths.src[i], lengths.tgt[tgt_end] - lengths.tgt[j]
    if src_length <= 0 or tgt_length <= 0:
        return 0.0
    spread = lengths.variance * (src_length + tgt_length) / 2
    squared, alone = (tgt_length - src_length) ** 2, lengths.alone[j, tgt_end - j - 1]
    if spread >= 1.0 and squared > (_GAIN_RANGE + _SURELY_BEYOND - alone) * 2 * spread:
        return float(lengths.stray[0])
    gain = -squared / (2 * spread) - math.log(2 * math.pi * spread) / 2
    gain -= alone
    place = (gain + _GAIN_RANGE) * _GAIN_STEPS
    if place <= 0:
        return float(lengths.stray[0])
    cell = int(place)
    if cell + 1 >= len(lengths.stray):
        return min(gain, _MAX_GAIN)
    return float(lengths.stray[cell] + (place - cell) * (lengths.stray[cell + 1] - lengths.stray[cell]))


@compiled
def block_gain(blocks: BlockModel, i: int, end: int, j: int, tgt_end: int) -> float:
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
def word_gain(words: RunScores, i: int, end: int, j: int, tgt_end: int) -> float:
    """What the words of a bead say, in nats."""
    place, other = words.rows.start[i] + j - words.rows.low[i], words.columns.start[j] + i - words.columns.low[j]
    a, b = end - i, tgt_end - j
    gain = words.forward[place + b, a - 1] - words.forward[place, a - 1]
    gain += words.backward[other + a, b - 1] - words.backward[other, b - 1]
    return words.weight * float(gain)


@compiled
def bead_scores(
    edges: BandEdges, types: BeadTypes, prior: Floats, words: RunScores, lengths: LengthModel, blocks: BlockModel
) -> Singles:
    """Log-likelihood ratio of each bead that starts in each cell of the band, float32 (cells, types).

    ``prior``: log share of each type.
    """
    low, high, start = edges
    n = len(low) - 1
    scores = np.full((start[-1], len(prior)), np.float32(IMPOSSIBLE))
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
