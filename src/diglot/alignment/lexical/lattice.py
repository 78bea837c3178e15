"""Step 6. One text, given lexicon and rates: the best path through a band, and the posteriors of the beads near it.

Sums over paths: Baum et al. 1970, forward-backward; the best path: Viterbi 1967.
Importing this module imports numba; see :mod:`diglot.compiled`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from diglot.alignment.bands import EDGE_SHARE, Band, Path, band_around, cut_to, near_edge, rows_near_edge, widened
from diglot.alignment.beads import Bead
from diglot.alignment.gale_church import length_nodes
from diglot.alignment.lexical.bead_scores import (
    BEAD_TYPES,
    IMPOSSIBLE,
    BandEdges,
    BeadTypes,
    TextModel,
    band_edges,
    text_scores,
)
from diglot.alignment.lexical.rates import TYPE_SRC, TYPE_TGT, LikelyBeads
from diglot.alignment.lexical.units import NumberedText
from diglot.arrays import Bytes, Floats, Ints, Mask, Singles
from diglot.compiled import compiled

INVERSE_TEMPERATURE = 0.7
"""Multiplies the scores for the posteriors of the path, which are too sure without; never for what is learnt from:
there it costs .09 strict F1 on a Chinese novel."""
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
"""Cells that a row may have in any case, however many rows there are."""
_LEAST_LIKELY = 0.05
"""Of a bead that :class:`LikelyBeads` hold; what learns from them asks for more."""
_MARGIN = 30.0
"""Cells through which the best path scores this many nats less than the best of all are left out of sums."""
_LENGTH_CELLS = 12_000_000
"""Cells of the band for the first path, by lengths; a cell costs a byte."""


@dataclass(frozen=True, slots=True)
class Lattice:
    """Scores of all beads of a band, float32 (cells, types), and which cells paths nearly as good as the best pass."""

    band: Band
    scores: Singles
    near: Mask


@dataclass(frozen=True, slots=True)
class Solution:
    """The best path through a band and what surrounds it.

    ``path``: int64 (k, 3), row, column and type of its beads. ``likely``: beads to learn from.
    ``log_sum``: log-likelihood ratio of the whole text, over all paths of the band. ``span``: first and last
    column of each row 0 .. rows through which a path runs that is nearly as good as the best. ``lattice``: what
    :func:`path_posteriors` needs.
    """

    path: Ints
    likely: LikelyBeads
    log_sum: float
    span: tuple[Ints, Ints]
    lattice: Lattice

    def nodes(self, text: NumberedText) -> Path:
        """The path as nodes, from (0, 0) to the ends of both sides."""
        return np.concatenate((self.path[:, :2], [[len(text.src), len(text.tgt)]]))

    def centre(self, text: NumberedText) -> Ints:
        """Column of the path at each row 0 .. rows."""
        return _centre_of(self.nodes(text), len(text.src))


def length_centre(text: NumberedText, half_width: int) -> Ints:
    """Column at each row of the path by lengths alone; any column where a band of this half-width holds all of them."""
    if len(text.tgt) < half_width:
        return np.zeros(len(text.src) + 1, np.int64)
    nodes = length_nodes(text.src.lengths.tolist(), text.tgt.lengths.tolist(), max_cells=_LENGTH_CELLS)
    return _centre_of(nodes, len(text.src))


def solve_text(
    text: NumberedText,
    model: TextModel,
    centre: Ints,
    half_width: int,
    *,
    reach: int = REACH,
    most_bands: int = MAX_BANDS,
) -> Solution:
    """Best path in a band round ``centre``, then round the path found, wider where that was near the edge."""
    rows, columns = len(text.src), len(text.tgt)
    widest = max(1, (max(MAX_BEAD_CELLS // len(centre), _LEAST_CELLS_A_ROW) - 1) // 2)
    widths = np.full(len(centre), min(half_width, widest))
    for left in range(most_bands - 1, -1, -1):
        band = band_around(centre, columns, widths, reach=reach)
        found = _solve(text, model, band)
        path = found.nodes(text)
        near = rows_near_edge(path, band, widths // EDGE_SHARE + 1)
        if not left or not len(near) or widths[near].min() >= min(widest, columns):
            break
        centre, widths = _centre_of(path, rows), np.minimum(widened(widths, near), widest)
    return found


def solve_again(text: NumberedText, model: TextModel, before: Solution, half_width: int) -> Solution:
    """Best path where a pass before found likely ones; in a band round the path before, if the new one leaves them."""
    centre = before.centre(text)
    first, last = before.span
    band = cut_to(band_around(centre, len(text.tgt), half_width, reach=REACH), first - SPARE, last + SPARE)
    found = _solve(text, model, band)
    if not near_edge(found.nodes(text), band, 1):
        return found
    return solve_text(text, model, centre, half_width)


def path_beads(solution: Solution, text: NumberedText) -> list[Bead]:
    """The path as beads, scored by their posteriors."""
    nodes = solution.nodes(text).tolist()
    scores = path_posteriors(solution).tolist()
    return [
        Bead((i, next_i), (j, next_j), score)
        for (i, j), (next_i, next_j), score in zip(nodes[:-1], nodes[1:], scores, strict=True)
    ]


def path_posteriors(solution: Solution) -> Floats:
    """Posterior of each bead of the path, with scores made less sure by :data:`INVERSE_TEMPERATURE`."""
    path, band, scores = solution.path, solution.lattice.band, solution.lattice.scores
    forward, backward = forward_backward(
        scores, band_edges(band), BEAD_TYPES, solution.lattice.near, INVERSE_TEMPERATURE
    )
    cells = band.start[path[:, 0]] + path[:, 1] - band.low[path[:, 0]]
    ends = path[:, :2] + np.stack((TYPE_SRC[path[:, 2]], TYPE_TGT[path[:, 2]]), axis=1)
    end_cells = band.start[ends[:, 0]] + ends[:, 1] - band.low[ends[:, 0]]
    log_posteriors = (
        forward[cells] + INVERSE_TEMPERATURE * scores[cells, path[:, 2]] + backward[end_cells] - forward[-1]
    )
    posteriors: Floats = np.exp(np.minimum(log_posteriors, 0.0))
    return posteriors


def _centre_of(path: Path, rows: int) -> Ints:
    centre: Ints = path[np.searchsorted(path[:, 0], np.arange(rows + 1)), 1]
    return centre


def _solve(text: NumberedText, model: TextModel, band: Band) -> Solution:
    """Best path in one band, and the posteriors of the beads near it."""
    edges = band_edges(band)
    scores = text_scores(text, model, band)
    forward, back = best_forward(scores, edges, BEAD_TYPES)
    path = trace(back, edges, BEAD_TYPES)
    near = near_best(scores, edges, BEAD_TYPES, forward)
    sums = forward_backward(scores, edges, BEAD_TYPES, near, 1.0)
    likely = LikelyBeads(*likely_beads(scores, edges, BEAD_TYPES, sums, _LEAST_LIKELY))
    return Solution(path, likely, float(sums[0][-1]), near_span(near, edges), Lattice(band, scores, near))


@compiled
def best_forward(scores: Singles, edges: BandEdges, types: BeadTypes) -> tuple[Floats, Bytes]:
    """Best score of a way from the first node to each cell, and its last bead."""
    low, high, start = edges
    best = np.full(start[-1], IMPOSSIBLE)
    back = np.zeros(start[-1], np.uint8)
    best[0] = 0.0
    for i in range(len(low)):
        for j in range(low[i], high[i] + 1):
            here = start[i] + j - low[i]
            for k in range(len(types.src)):
                from_i, from_j = i - types.src[k], j - types.tgt[k]
                if from_i >= 0 and low[from_i] <= from_j <= high[from_i]:
                    cell = start[from_i] + from_j - low[from_i]
                    if best[cell] + scores[cell, k] > best[here]:
                        best[here] = best[cell] + scores[cell, k]
                        back[here] = k
    return best, back


@compiled
def trace(back: Bytes, edges: BandEdges, types: BeadTypes) -> Ints:
    """The beads of the best way through the band: int64 (k, 3), row, column and type of each."""
    low, high, start = edges
    i, j = len(low) - 1, high[-1]
    place = i + j
    path = np.zeros((place, 3), np.int64)
    while i > 0 or j > 0:
        k = back[start[i] + j - low[i]]
        i, j, place = i - types.src[k], j - types.tgt[k], place - 1
        path[place, 0], path[place, 1], path[place, 2] = i, j, k
    return path[place:]


@compiled
def near_best(scores: Singles, edges: BandEdges, types: BeadTypes, forward: Floats) -> Mask:
    """Whether the best path through each cell is nearly as good as the best of all."""
    low, high, start = edges
    n = len(low) - 1
    backward = np.full(start[-1], IMPOSSIBLE)
    near = np.zeros(start[-1], np.bool_)
    backward[-1] = 0.0
    for i in range(n, -1, -1):
        for j in range(high[i], low[i] - 1, -1):
            cell = start[i] + j - low[i]
            if forward[cell] < IMPOSSIBLE / 2:
                continue
            for k in range(len(types.src)):
                to_i, to_j = i + types.src[k], j + types.tgt[k]
                if to_i <= n and low[to_i] <= to_j <= high[to_i]:
                    backward[cell] = max(backward[cell], backward[start[to_i] + to_j - low[to_i]] + scores[cell, k])
            near[cell] = forward[cell] + backward[cell] >= forward[-1] - _MARGIN
    return near


@compiled
def near_span(near: Mask, edges: BandEdges) -> tuple[Ints, Ints]:
    """First and last near column of each row; of a row without any the last column of the band and -1."""
    low, high, start = edges
    first, last = np.full(len(low), high[-1]), np.full(len(low), -1)
    for i in range(len(low)):
        for cell in range(start[i], start[i + 1]):
            if near[cell]:
                first[i] = min(first[i], low[i] + cell - start[i])
                last[i] = low[i] + cell - start[i]
    return first, last


@compiled
def log_sum(terms: Floats, count: int) -> float:
    """log of the sum of exp of the first ``count`` terms."""
    top = IMPOSSIBLE
    for k in range(count):
        top = max(top, terms[k])
    if top <= IMPOSSIBLE:
        return IMPOSSIBLE
    total = 0.0
    for k in range(count):
        total += math.exp(terms[k] - top)
    return top + math.log(total)


@compiled
def forward_backward(
    scores: Singles, edges: BandEdges, types: BeadTypes, near: Mask, inverse_temperature: float
) -> tuple[Floats, Floats]:
    """Log sums over all ways from the first node to each near cell, and from each to the last; float64 (cells,).

    ``inverse_temperature`` multiplies the scores: below 1 it makes the sums less sure of the best way.
    """
    low, high, start = edges
    n = len(low) - 1
    forward, backward = np.full(start[-1], IMPOSSIBLE), np.full(start[-1], IMPOSSIBLE)
    terms = np.empty(len(types.src))
    no_terms = int(np.int64(0))  # for a literal 0 numba would compile log_sum once more
    forward[0], backward[-1] = 0.0, 0.0
    for i in range(n + 1):
        for here in range(start[i], start[i + 1]):
            if not near[here] or here == 0:
                continue
            count, j = no_terms, low[i] + here - start[i]
            for k in range(len(types.src)):
                from_i, from_j = i - types.src[k], j - types.tgt[k]
                if from_i >= 0 and low[from_i] <= from_j <= high[from_i]:
                    cell = start[from_i] + from_j - low[from_i]
                    terms[count] = forward[cell] + inverse_temperature * scores[cell, k]
                    count += 1
            forward[here] = log_sum(terms, count)
    for i in range(n, -1, -1):
        for cell in range(start[i + 1] - 1, start[i] - 1, -1):
            if not near[cell] or cell == start[-1] - 1:
                continue
            count, j = no_terms, low[i] + cell - start[i]
            for k in range(len(types.src)):
                to_i, to_j = i + types.src[k], j + types.tgt[k]
                if to_i <= n and low[to_i] <= to_j <= high[to_i]:
                    terms[count] = backward[start[to_i] + to_j - low[to_i]] + inverse_temperature * scores[cell, k]
                    count += 1
            backward[cell] = log_sum(terms, count)
    return forward, backward


@compiled
def likely_beads(
    scores: Singles, edges: BandEdges, types: BeadTypes, sums: tuple[Floats, Floats], least: float
) -> tuple[Ints, Floats, Floats]:
    """Beads of a posterior of at least ``least``: int64 (k, 3) row, column, type; their posteriors; and the expected
    number of beads of each type."""
    low, high, start = edges
    forward, backward = sums
    expected = np.zeros(len(types.src))
    beads, posteriors, count = np.empty((1024, 3), np.int64), np.empty(1024), 0
    for i in range(len(low)):
        for j in range(low[i], high[i] + 1):
            cell = start[i] + j - low[i]
            if forward[cell] + backward[cell] < forward[-1] - _MARGIN:
                continue
            for k in range(len(types.src)):
                to_i, to_j = i + types.src[k], j + types.tgt[k]
                if to_i >= len(low) or to_j < low[to_i] or to_j > high[to_i]:
                    continue
                posterior = math.exp(
                    min(0.0, forward[cell] + scores[cell, k] + backward[start[to_i] + to_j - low[to_i]] - forward[-1])
                )
                expected[k] += posterior
                if posterior >= least:
                    if count == len(beads):
                        beads = np.concatenate((beads, np.empty_like(beads)))
                        posteriors = np.concatenate((posteriors, np.empty_like(posteriors)))
                    beads[count, 0], beads[count, 1], beads[count, 2], posteriors[count] = i, j, k, posterior
                    count += 1
    return beads[:count].copy(), posteriors[:count].copy(), expected
