"""One text, given lexicon and rates: scores of beads in a band, their posteriors, and the best path."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from diglot.alignment.bands import EDGE_SHARE, Band, Path, band_around, cut_to, near_edge, rows_near_edge, widened
from diglot.alignment.lexical import bead_scores, path_sums
from diglot.alignment.lexical.bead_scores import Edges, Types, Words
from diglot.alignment.lexical.lexicon import Table, Text
from diglot.alignment.lexical.model1 import Units
from diglot.alignment.lexical.rates import DEPTH, TYPE_SRC, TYPE_TGT, Likely, Rates
from diglot.alignment.lexical.run_scores import ANY_FOLD, Direction, Window, word_scores
from diglot.alignment.lexical.units import Side
from diglot.arrays import Floats, Ints

LEXICON_WEIGHT = 0.5
"""Share of the lexicon's log-likelihood that counts: units of a sentence are not independent of each other."""
STRAY = 0.005
"""Share of beads whose lengths say nothing."""
HEAT = 0.7
"""Multiplies the scores for the posteriors of the path, which are too sure without; never for what is learnt from."""
MAX_BEAD_CELLS = 2_000_000
"""Cells a band may have; a cell costs about 130 bytes."""
MAX_BANDS = 3
"""Bands tried in a pass, each twice as wide where the path came near the edge of the one before; the next pass goes on
from the path found."""
REACH = 8
"""Rows before and after a leap of the centre to the side in which the path may leap; see ``band_around``."""
SPARE = 3
"""Columns to either side of the likely paths of one pass that the next one looks at."""
_LEAST_CELLS_A_ROW = 60
_LEAST_POSTERIOR = 0.05

Evidence = Callable[[Ints], Floats]
"""Further evidence on beads: int64 (k, 4), first and end of the source side, first and end of the target side ->
log-likelihood ratios in nats, (k,), of the two sides translating each other against their being unrelated."""


@dataclass(frozen=True, slots=True)
class Lattice:
    """Scores of all beads of a band, float32 (cells, types), and which cells paths nearly as good as the best pass."""

    band: Band
    scores: npt.NDArray[np.float32]
    near: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Solution:
    """The best path through a band and what surrounds it.

    ``path``: int64 (k, 3), row, column and type of its beads. ``likely``: beads to learn from.
    ``log_sum``: log-likelihood ratio of the whole text, over all paths of the band. ``span``: first and last
    column of each row 0 .. rows through which a path runs that is nearly as good as the best. ``lattice``: what
    :func:`path_posteriors` needs.
    """

    path: Ints
    likely: Likely
    log_sum: float
    span: tuple[Ints, Ints]
    lattice: Lattice

    def nodes(self, rows: int, columns: int) -> Path:
        """The path as nodes, from (0, 0) to (rows, columns)."""
        return np.concatenate((self.path[:, :2], [[rows, columns]]))


@dataclass(frozen=True, slots=True)
class Model:
    """All that a text is scored with. ``tables``: see :func:`diglot.alignment.lexical.lexicon.text_tables`."""

    tables: tuple[Table, Table]
    rates: Rates
    evidence: Evidence | None = None


def solve_text(
    text: Text, model: Model, centre: Ints, half_width: int, *, reach: int = REACH, most_bands: int = MAX_BANDS
) -> Solution:
    """Best path in a band round ``centre``, then round the path found, wider where that was near the edge."""
    rows, columns = len(text.src), len(text.tgt)
    widest = max(1, (max(MAX_BEAD_CELLS // len(centre), _LEAST_CELLS_A_ROW) - 1) // 2)
    widths = np.full(len(centre), min(half_width, widest))
    for left in range(most_bands - 1, -1, -1):
        band = band_around(centre, columns, widths, reach=reach)
        found = _solve(text, model, band)
        path = found.nodes(rows, columns)
        near = rows_near_edge(path, band, widths // EDGE_SHARE + 1)
        if not left or not len(near) or widths[near].min() >= min(widest, columns):
            break
        centre, widths = centre_of(path, rows), np.minimum(widened(widths, near), widest)
    return found


def solve_again(text: Text, model: Model, before: Solution, half_width: int) -> Solution:
    """Best path where a pass before found likely ones; in a band round the path before, if the new one leaves them."""
    centre = centre_of(before.nodes(len(text.src), len(text.tgt)), len(text.src))
    first, last = before.span
    band = cut_to(band_around(centre, len(text.tgt), half_width, reach=REACH), first - SPARE, last + SPARE)
    found = _solve(text, model, band)
    if not near_edge(found.nodes(len(text.src), len(text.tgt)), band, 1):
        return found
    return solve_text(text, model, centre, half_width)


def centre_of(path: Path, rows: int) -> Ints:
    """Column of the path at each row 0 .. rows."""
    centre: Ints = path[np.searchsorted(path[:, 0], np.arange(rows + 1)), 1]
    return centre


def _solve(text: Text, model: Model, band: Band) -> Solution:

    edges, types = Edges(band.low, band.high, band.start), Types(TYPE_SRC, TYPE_TGT)
    scores = _scores(text, model, band)
    ahead, back = path_sums.best_ahead(scores, edges, types)
    path = path_sums.trace(back, edges, types)
    near = path_sums.near_best(scores, edges, types, ahead)
    sums = path_sums.forward_backward(scores, edges, types, near, 1.0)
    beads, posteriors, expected = path_sums.likely_beads(scores, edges, types, sums, _LEAST_POSTERIOR)
    likely = Likely(beads, posteriors, expected)
    return Solution(path, likely, float(sums[0][-1]), path_sums.near_span(near, edges), Lattice(band, scores, near))


def path_posteriors(solution: Solution) -> Floats:
    """Posterior of each bead of the path, with scores made less sure by :data:`HEAT`."""

    path, band, scores = solution.path, solution.lattice.band, solution.lattice.scores
    edges, types = Edges(band.low, band.high, band.start), Types(TYPE_SRC, TYPE_TGT)
    ahead, behind = path_sums.forward_backward(scores, edges, types, solution.lattice.near, HEAT)
    cells = band.start[path[:, 0]] + path[:, 1] - band.low[path[:, 0]]
    ends = path[:, :2] + np.stack((TYPE_SRC[path[:, 2]], TYPE_TGT[path[:, 2]]), axis=1)
    end_cells = band.start[ends[:, 0]] + ends[:, 1] - band.low[ends[:, 0]]
    bits = ahead[cells] + HEAT * scores[cells, path[:, 2]] + behind[end_cells] - ahead[-1]
    posteriors: Floats = np.exp(np.minimum(bits, 0.0))
    return posteriors


def _scores(text: Text, model: Model, band: Band) -> npt.NDArray[np.float32]:

    src, tgt, rates = text.src, text.tgt, model.rates
    src_sums, tgt_sums = (np.concatenate(([0.0], np.cumsum(side.lengths))) for side in (src, tgt))
    src_opens, tgt_opens = (np.concatenate(([0], np.cumsum(side.opens))) for side in (src, tgt))
    lengths = bead_scores.Lengths(
        rates.ratio * src_sums, tgt_sums, _log_density_alone(tgt, rates), rates.variance, bead_scores.stray_table(STRAY)
    )
    blocks = rates.blocks
    scores: npt.NDArray[np.float32] = bead_scores.bead_scores(
        Edges(band.low, band.high, band.start),
        Types(TYPE_SRC, TYPE_TGT),
        np.log(rates.types),
        _words(text, model, band),
        lengths,
        bead_scores.Structure(src_opens, tgt_opens, src.kinds, tgt.kinds, blocks.opening, blocks.kinds, blocks.steps),
    )
    if model.evidence is not None:
        _add_evidence(scores, band, model.evidence)
    return scores


def _words(text: Text, model: Model, band: Band) -> Words:
    """What words say of the runs of both sides that a bead in the band may hold."""

    n, m = len(text.src), len(text.tgt)
    rows = Window(*_window(band.low[:n], band.high[:n] + DEPTH, m))
    columns = np.arange(m)
    first_rows, last_rows = np.searchsorted(band.high, columns), np.searchsorted(band.low, columns, side="right") - 1
    cols = Window(*_window(first_rows, last_rows + DEPTH, n))
    there, back = directions(text, model.tables, model.rates)
    return Words(rows, word_scores(there, rows), cols, word_scores(back, cols), LEXICON_WEIGHT / 2)


def directions(text: Text, tables: tuple[Table, Table], rates: Rates) -> tuple[Direction, Direction]:
    """The text as :mod:`diglot.alignment.lexical.run_scores` reads it: source to target, and target to source."""

    src, tgt = (Units(side.offsets.astype(np.uint32), side.units.astype(np.uint32)) for side in text.sides)
    src_null, tgt_null = rates.src_null[text.classes[0]], rates.tgt_null[text.classes[1]]
    folds, none = text.folds(), np.full(len(text.tgt), ANY_FOLD)
    return Direction(src, tgt, tables[0], tgt_null, folds, none), Direction(tgt, src, tables[1], src_null, none, folds)


def _window(low: Ints, end: Ints, length: int) -> tuple[Ints, Ints]:
    """First sentence that each run is compared with, and where its sums start (one more than sentences)."""
    counts = np.minimum(end, length) - low + 1
    return low, np.concatenate(([0], np.cumsum(counts)))


def _log_density_alone(tgt: Side, rates: Rates) -> Floats:
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


_EVIDENCE_ROWS = 256


def _add_evidence(scores: npt.NDArray[np.float32], band: Band, evidence: Evidence) -> None:
    """Add further evidence to every bead with two sides, some rows at a time."""
    rows = len(band.low)
    row_of = np.repeat(np.arange(rows), band.high - band.low + 1)
    for begin in range(0, rows, _EVIDENCE_ROWS):
        cells = np.arange(band.start[begin], band.start[min(begin + _EVIDENCE_ROWS, rows)])
        i = row_of[cells]
        j = cells - band.start[i] + band.low[i]
        for kind in np.flatnonzero((TYPE_SRC > 0) & (TYPE_TGT > 0)):
            inside = scores[cells, kind] > -1e29
            beads = np.stack((i, i + TYPE_SRC[kind], j, j + TYPE_TGT[kind]), axis=1)[inside]
            if len(beads):
                scores[cells[inside], kind] += evidence(beads).astype(np.float32)
