"""Step 5. Scores of all beads of a band: type, words, lengths, blocks and evidence.

Words: the units of a sentence are compared with runs of sentences of the other side. A unit is explained by the null
word or by the units of the run. Beside a run of s units it is ``1 + odds / s * sum(values)`` times as likely as by the
null word alone, with ``odds`` = (1 - null) / null and the ``values`` of the table (see
:data:`diglot.alignment.lexical.lexicon.TranslationTable`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from diglot.alignment.bands import Band
from diglot.alignment.beads import BeadEvidence
from diglot.alignment.lexical.bead_scores_kernels import GAIN_RANGE, GAIN_STEPS, IMPOSSIBLE, bead_scores
from diglot.alignment.lexical.lexicon import TranslationTable, UnitLists
from diglot.alignment.lexical.rates import DEPTH, TYPE_SRC, TYPE_TGT, Rates, next_null
from diglot.alignment.lexical.run_scores_kernels import ANY_FOLD, explained_units, word_scores
from diglot.alignment.lexical.tokens import UnitClass
from diglot.alignment.lexical.units import NumberedSide, NumberedText
from diglot.arrays import Floats, Ints, Mask, Singles

LEXICON_WEIGHT = 0.5
"""Weight of the lexicon's log-likelihood: the units of a sentence depend on each other. Chosen on alpine yearbooks and
a Chinese novel; .35 and .7 are .003 and .004 worse on the first, .017 worse and equal on the second."""
STRAY = 0.005
"""Share of beads with meaningless lengths. Our choice."""
_EVIDENCE_ROWS = 256
"""Rows of the band given to evidence at a time, to bound memory."""
CLASSES = len(UnitClass)
"""Number of classes of units; each has a null rate."""


@dataclass(frozen=True, slots=True)
class TextModel:
    """Lexicon, rates and evidence of a text. ``tables``: :func:`diglot.alignment.lexical.lexicon.text_tables`."""

    tables: tuple[TranslationTable, TranslationTable]
    rates: Rates
    evidence: BeadEvidence | None = None


class BeadTypes(NamedTuple):
    """Sentences a side of every type of bead."""

    src: Ints
    tgt: Ints


class RunScores(NamedTuple):
    """Windows and results of :func:`diglot.alignment.lexical.run_scores_kernels.word_scores`, from source runs and from
    target runs, and the weight of both directions."""

    rows: RunWindow
    forward: Singles
    columns: RunWindow
    backward: Singles
    weight: float


class LengthModel(NamedTuple):
    """Lengths of both sides, cumulative, in target characters. ``alone``: :func:`_length_alone`. ``variance``: of a
    character. ``stray``: :func:`stray_table`."""

    src: Floats
    tgt: Floats
    alone: Floats
    variance: float
    stray: Floats


class BlockModel(NamedTuple):
    """Blocks of both sides, and the scores of their agreement in nats.

    ``src_opens``, ``tgt_opens``: 1 for a sentence that opens a block, else 0. ``src_kinds``, ``tgt_kinds``: kind of the
    block of each sentence. ``opening``, ``kinds``: see :class:`diglot.alignment.lexical.rates.BlockRates`.
    ``src_steps``, ``tgt_steps``: scores of the steps to all sentences up to each one, summed.
    """

    src_opens: Ints
    tgt_opens: Ints
    src_kinds: Ints
    tgt_kinds: Ints
    opening: Floats
    kinds: Floats
    src_steps: Floats
    tgt_steps: Floats


BEAD_TYPES = BeadTypes(TYPE_SRC, TYPE_TGT)


def text_scores(text: NumberedText, model: TextModel, band: Band) -> Singles:
    """Score of every bead that starts in a cell of the band, float32 (cells * types,), nats; see :func:`places`.

    The score is the log-likelihood ratio of the two sides as translations against two unrelated texts.
    """
    src, tgt, rates, blocks = text.src, text.tgt, model.rates, model.rates.blocks
    src_sums, tgt_sums = src.length_sums, tgt.length_sums
    src_steps, tgt_steps = (
        np.cumsum(scores[side.steps]) for side, scores in zip((src, tgt), blocks.steps, strict=True)
    )
    scores: Singles = bead_scores(
        band,
        BEAD_TYPES,
        np.log(rates.types),
        _run_scores(text, model, band),
        LengthModel(rates.ratio * src_sums, tgt_sums, _length_alone(tgt, rates), rates.variance, stray_table(STRAY)),
        BlockModel(src.opens, tgt.opens, src.kinds, tgt.kinds, blocks.opening, blocks.kinds, src_steps, tgt_steps),
    )
    if model.evidence is not None:
        _add_evidence(scores, band, model.evidence)
    _forbid_doubles(scores, band, text)
    return scores


def places(band: Band, rows: Ints, columns: Ints, kinds: Ints | int) -> Ints:
    """Places of beads among the scores of a band: row by row, and in a row type by type."""
    widths = band.start[rows + 1] - band.start[rows]
    found: Ints = len(TYPE_SRC) * band.start[rows] + kinds * widths + columns - band.low[rows]
    return found


def _run_scores(text: NumberedText, model: TextModel, band: Band) -> RunScores:
    """Lexical scores of all runs of both sides that fit into a bead of the band."""
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
    """Log density of the length of every run of 1 .. DEPTH target sentences by itself (log-normal), (m, DEPTH)."""
    sums = tgt.length_sums
    density = np.zeros((len(tgt), DEPTH))
    for b in range(1, DEPTH + 1):
        lengths = sums[b:] - sums[:-b]
        width2 = np.log1p(rates.length_variance / (b * rates.mean**2))
        log_length = np.log(np.maximum(lengths, 1.0))
        z2 = (log_length - np.log(b * rates.mean) + width2 / 2) ** 2 / width2
        density[: len(lengths), b - 1] = -z2 / 2 - log_length - np.log(2 * np.pi * width2) / 2
    return density


def stray_table(stray: float) -> Floats:
    """log(stray + (1 - stray) exp(gain)) for gains of -16, -16 + 1/32 ... 16 nats."""
    gains = np.arange(-GAIN_RANGE, GAIN_RANGE + 1.5 / GAIN_STEPS, 1 / GAIN_STEPS)
    table: Floats = np.log(stray + (1 - stray) * np.exp(gains))
    return table


def _add_evidence(scores: Singles, band: Band, evidence: BeadEvidence) -> None:
    """Add evidence from outside to every two-sided bead, some rows at a time."""
    rows = len(band.low)
    row_of = _rows_of_cells(band)
    for begin in range(0, rows, _EVIDENCE_ROWS):
        cells = np.arange(band.start[begin], band.start[min(begin + _EVIDENCE_ROWS, rows)])
        i = row_of[cells]
        j = cells - band.start[i] + band.low[i]
        for kind in np.flatnonzero((TYPE_SRC > 0) & (TYPE_TGT > 0)).tolist():
            of_kind = places(band, i, j, kind)
            # Beads beyond the end of a side are not in the text: evidence cannot know them.
            inside = scores[of_kind] > IMPOSSIBLE / 2
            beads = np.stack((i, i + TYPE_SRC[kind], j, j + TYPE_TGT[kind]), axis=1)[inside]
            if len(beads):
                scores[of_kind[inside]] += evidence(beads).astype(np.float32)


def _forbid_doubles(scores: Singles, band: Band, text: NumberedText) -> None:
    """Make beads impossible with two equal neighbouring blocks on a side, or with text and a line of symbols on one.

    A page may show a text twice, such as an untranslated text in place of its translation. A bead compares sets of
    words, so both copies together would score like one, and the counterpart of the second copy would be left alone.
    """
    doubled = [_doubles(side) for side in text.sides]
    if not any(each.any() for each in doubled):
        return
    rows = _rows_of_cells(band)
    cells = rows, np.arange(band.cells) - band.start[rows] + band.low[rows]
    for kind, sizes in enumerate(zip(TYPE_SRC.tolist(), TYPE_TGT.tolist(), strict=True)):
        held = np.zeros(band.cells, bool)
        for places_of_side, is_double, size in zip(cells, doubled, sizes, strict=True):
            for step in range(size - 1):
                held |= is_double[places_of_side + step]
        scores[places(band, cells[0][held], cells[1][held], kind)] = IMPOSSIBLE


def _rows_of_cells(band: Band) -> Ints:
    """Row of each cell of a band, (cells,)."""
    return np.repeat(np.arange(len(band.low)), band.high - band.low + 1)


def _doubles(side: NumberedSide) -> Mask:
    """Mask of the sentences before a block with the same units, and beside a sentence that says nothing; shape
    (sentences + DEPTH,), False at the end."""
    found = np.zeros(len(side) + DEPTH, bool)
    sizes = np.diff(side.offsets)
    like = (sizes[1:] == sizes[:-1]) & (side.lengths[1:] == side.lengths[:-1]) & (side.opens[1:] > 0)
    for row in np.flatnonzero(like).tolist():
        first, second, end = side.offsets[row : row + 3]
        found[row] = np.array_equal(side.units[first:second], side.units[second:end])
    is_silent = side.lengths == 0
    found[: len(sizes) - 1] |= is_silent[:-1] | is_silent[1:]
    return found


class Direction(NamedTuple):
    """A direction of a text: from the ``span`` side, in runs of sentences, to the ``other`` side.

    ``table``: from span to other. ``null``: null rate of every unit of ``other``. ``span_folds``, ``other_folds``: fold
    of every sentence; :data:`ANY_FOLD` for all target sentences.
    """

    span: UnitLists
    other: UnitLists
    table: TranslationTable
    null: Floats
    span_folds: Ints
    other_folds: Ints


class RunWindow(NamedTuple):
    """Sentences with which runs are compared: runs that start at sentence i, with the other side from ``low[i]`` on.

    Their cumulative sums have the places ``start[i]`` to ``start[i + 1] - 1``: one before the first sentence compared,
    and one after each sentence. Both arrays rise.
    """

    low: Ints
    start: Ints


def directions(
    text: NumberedText, tables: tuple[TranslationTable, TranslationTable], rates: Rates
) -> tuple[Direction, Direction]:
    """Both directions of a text: source to target, and target to source."""
    src, tgt = (UnitLists(side.offsets.astype(np.uint32), side.units.astype(np.uint32)) for side in text.sides)
    src_null, tgt_null = rates.src_null[text.classes[0]], rates.tgt_null[text.classes[1]]
    folds, none = text.folds, np.full(len(text.tgt), ANY_FOLD)
    return Direction(src, tgt, tables[0], tgt_null, folds, none), Direction(tgt, src, tables[1], src_null, none, folds)


def with_null(
    rates: Rates,
    texts: Sequence[NumberedText],
    tables: Sequence[tuple[TranslationTable, TranslationTable]],
    paths: Sequence[Ints],
) -> Rates:
    """Rates with null rates from the share of units not explained by the tables on the paths, int64 (k, 3): row,
    column, type."""
    totals = np.zeros((2, 2, CLASSES))
    for text, both_tables, path in zip(texts, tables, paths, strict=True):
        i, j, kind = path.T
        i_end, j_end = i + TYPE_SRC[kind], j + TYPE_TGT[kind]
        both = (i_end > i) & (j_end > j)
        beads = np.stack((i[both], i_end[both], j[both], j_end[both]), axis=1)
        forward, backward = directions(text, both_tables, rates)
        totals[1] += explained_units(forward, text.classes[1], beads, CLASSES)
        totals[0] += explained_units(backward, text.classes[0], beads[:, [2, 3, 0, 1]].copy(), CLASSES)
    return replace(rates, src_null=next_null(*totals[0]), tgt_null=next_null(*totals[1]))
