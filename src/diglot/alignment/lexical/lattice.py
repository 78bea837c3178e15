"""Steps 6 and 7. A text with lexicon and rates: the best path through a band, the posteriors of the beads near the
path, and a coarse path to look for a better band.

Sums over paths: Baum et al. 1970, forward-backward; best path: Viterbi 1967. A band follows the path of the pass
before, so a passage missing on one side may lead it astray for good. The coarse path depends on words alone: all
blocks of sentences of one side are compared with all blocks of the other side.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from diglot.alignment.bands import EDGE_SHARE, Band, Path, band_around, cut_to, double_widths, near_edge, rows_near_edge
from diglot.alignment.beads import Bead
from diglot.alignment.gale_church import length_nodes
from diglot.alignment.lexical.bead_scores import BEAD_TYPES, TextModel, directions, places, text_scores
from diglot.alignment.lexical.lattice_kernels import (
    best_forward,
    block_path,
    forward_backward,
    likely_beads,
    near_best,
    near_span,
    trace,
)
from diglot.alignment.lexical.rates import TYPE_SRC, TYPE_TGT, LikelyBeads
from diglot.alignment.lexical.run_scores_kernels import block_scores
from diglot.alignment.lexical.units import NumberedText
from diglot.arrays import Floats, Ints, Mask, Singles

INVERSE_TEMPERATURE = 0.7
"""Factor of the scores for the posteriors of the path: without a factor below 1 they are too sure. Never for
learning: the factor costs .09 strict F1 on a Chinese novel."""
MAX_BEAD_CELLS = 2_000_000
"""Cells of a band at most; a cell costs about 130 bytes."""
MAX_BANDS = 3
"""Bands tried in a pass, every time twice as wide near the edges touched by the path; the next pass starts from the
path found."""
REACH = 8
"""Rows before and after a leap of the centre in which the path may leap; see ``band_around``."""
SPARE = 3
"""Columns on either side of the likely paths of a pass, searched by the next pass."""
_LEAST_CELLS_A_ROW = 60
"""Cells allowed to a row, however many rows there are."""
_LEAST_LIKELY = 0.05
"""Posterior of a bead of :class:`LikelyBeads` at least; learning asks for more."""
_LENGTH_CELLS = 12_000_000
"""Cells of the band of the first path, by lengths; a cell costs a byte."""
_AGREED = 16
"""Columns of a band on either side of the path by lengths and the coarse path, where the two agree. With 12, texts with
passages missing lose .2% of their beads; 20 changes none."""
WIDE = 30
"""Half-width of a band around an uncertain path, by lengths or through blocks. Twice the width changes no measured
result."""
BLOCK_SENTENCES = 20
"""Sentences of a block."""
MAX_BLOCK_PAIRS = 1_000_000
"""Pairs of blocks at most (about a microsecond each); longer texts have larger blocks."""
LEAST_SENTENCES = 120
"""Least sentences of either side for a coarse path; a band covers shorter texts completely."""
_FAR = 3 * BLOCK_SENTENCES
"""Distance from the path found, in sentences, from which on the coarse path is tried."""
_COARSE_REACH = 2 * BLOCK_SENTENCES
"""Rows in which a path near the coarse path may leap: the coarse path is good to a block or so."""
_CHANCE = 2.0
"""Least score of a pair of blocks that pays a step of the coarse path, in standard deviations above the mean of its row
and column."""


@dataclass(frozen=True, slots=True)
class Lattice:
    """Scores of all beads of a band (see :func:`diglot.alignment.lexical.bead_scores.text_scores`), and a mask of the
    cells on paths nearly as good as the best path."""

    band: Band
    scores: Singles
    near: Mask


@dataclass(frozen=True, slots=True)
class Solution:
    """The best path through a band, and its surroundings.

    ``path``: int64 (k, 3), row, column and type of every bead. ``likely``: beads to learn from. ``log_sum``:
    log-likelihood ratio of the whole text, over all paths of the band. ``span``: first and last column of every row 0
    .. rows on a path nearly as good as the best. ``lattice``: input of :func:`path_posteriors`; None once only the path
    is needed.
    """

    path: Ints
    likely: LikelyBeads
    log_sum: float
    span: tuple[Ints, Ints]
    lattice: Lattice | None

    def without_lattice(self) -> Solution:
        """The solution without scores; for a text of 30,000 sentences they take 260 MiB."""
        return replace(self, lattice=None)

    def nodes(self, text: NumberedText) -> Path:
        """The path as nodes, from (0, 0) to the ends of both sides."""
        return np.concatenate((self.path[:, :2], [[len(text.src), len(text.tgt)]]))

    def centre(self, text: NumberedText) -> Ints:
        """Column of the path at each row 0 .. rows."""
        return _centre_of(self.nodes(text), len(text.src))


def length_centre(text: NumberedText, half_width: int) -> Ints:
    """Column at each row of the path by lengths alone; zeros if a band of this half-width holds all columns."""
    if len(text.tgt) < half_width:
        return np.zeros(len(text.src) + 1, np.int64)
    nodes = length_nodes(text.src.lengths.tolist(), text.tgt.lengths.tolist(), max_cells=_LENGTH_CELLS)
    return _centre_of(nodes, len(text.src))


def solve_text(
    text: NumberedText,
    model: TextModel,
    centre: Ints,
    half_width: int | Ints,
    *,
    reach: int = REACH,
    most_bands: int = MAX_BANDS,
) -> Solution:
    """Best path in a band around ``centre``, then around the path found, wider near the edges touched by the path.

    ``half_width``: of all rows, or of every row 0 .. rows.
    """
    rows, columns = len(text.src), len(text.tgt)
    widest = max(1, (max(MAX_BEAD_CELLS // len(centre), _LEAST_CELLS_A_ROW) - 1) // 2)
    widths = np.minimum(np.broadcast_to(half_width, len(centre)), widest)
    for left in range(most_bands - 1, -1, -1):
        band = band_around(centre, columns, widths, reach=reach)
        found = _solve(text, model, band)
        path = found.nodes(text)
        near = rows_near_edge(path, band, widths // EDGE_SHARE + 1)
        # Rows as wide as allowed cannot be widened, so another band would be the same.
        if not left or not len(near) or widths[near].min() >= min(widest, columns):
            return found
        centre, widths = _centre_of(path, rows), np.minimum(double_widths(widths, near), widest)
        del found  # its scores go before those of the next band are made, which needs the path alone
    raise ValueError(f"most_bands={most_bands}: at least one")


def solve_again(text: NumberedText, model: TextModel, before: Solution, half_width: int) -> Solution:
    """Best path within the likely columns of the pass before; if the path touches their edge, best path in a whole
    band."""
    centre = before.centre(text)
    first, last = before.span
    band = cut_to(band_around(centre, len(text.tgt), half_width, reach=REACH), first - SPARE, last + SPARE)
    found = _solve(text, model, band)
    # A path on the edge may have been cut off from a better one.
    if not near_edge(found.nodes(text), band, 1):
        return found
    del found  # before the next is made
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
    """Posterior of every bead of the path, with scores multiplied by :data:`INVERSE_TEMPERATURE`."""
    path, lattice = solution.path, solution.lattice
    if lattice is None:
        raise ValueError("posteriors of a solution whose scores are gone")
    band, scores = lattice.band, lattice.scores
    forward, backward = forward_backward(scores, band, BEAD_TYPES, lattice.near, INVERSE_TEMPERATURE)
    cells = band.start[path[:, 0]] + path[:, 1] - band.low[path[:, 0]]
    ends = path[:, :2] + np.stack((TYPE_SRC[path[:, 2]], TYPE_TGT[path[:, 2]]), axis=1)
    end_cells = band.start[ends[:, 0]] + ends[:, 1] - band.low[ends[:, 0]]
    log_posteriors = (
        forward[cells] + INVERSE_TEMPERATURE * scores[places(band, *path.T)] + backward[end_cells] - forward[-1]
    )
    posteriors: Floats = np.exp(np.minimum(log_posteriors, 0.0))
    return posteriors


def _centre_of(path: Path, rows: int) -> Ints:
    centre: Ints = path[np.searchsorted(path[:, 0], np.arange(rows + 1)), 1]
    return centre


def _solve(text: NumberedText, model: TextModel, band: Band) -> Solution:
    """Best path in a band, and the posteriors of the beads near the path."""
    scores = text_scores(text, model, band)
    forward, back = best_forward(scores, band, BEAD_TYPES)
    path = trace(back, band, BEAD_TYPES)
    near = near_best(scores, band, BEAD_TYPES, forward)
    # Untempered: see INVERSE_TEMPERATURE.
    sums = forward_backward(scores, band, BEAD_TYPES, near, 1.0)
    likely = LikelyBeads(*likely_beads(scores, band, BEAD_TYPES, *sums, _LEAST_LIKELY))
    return Solution(path, likely, float(sums[0][-1]), near_span(near, band), Lattice(band, scores, near))


def detour(text: NumberedText, model: TextModel, found: Solution) -> Solution:
    """The best path near the coarse path if the two are far apart and the new path is likelier, else the path found."""
    coarse = coarse_centre(text, model)
    if coarse is None or np.abs(coarse - found.centre(text)).max() < _FAR:
        return found
    # The coarse path is only a place to look; the scores of the whole text decide.
    other = solve_text(text, model, coarse, WIDE, reach=_COARSE_REACH)
    return other if other.log_sum > found.log_sum else found


def solve_known(text: NumberedText, model: TextModel) -> Solution:
    """Best path by a known lexicon.

    A short text has a band around the path by lengths. In a longer text, one band covers the path by lengths and the
    coarse path if they agree. Otherwise the band follows the coarse path; if the path found there is far from the path
    by lengths, a second band follows the latter, and the likelier of both results is returned.
    """
    by_length, coarse = length_centre(text, WIDE), coarse_centre(text, model)
    if coarse is None:
        return solve_text(text, model, by_length, WIDE)
    apart = np.abs(by_length - coarse)
    if apart.max() < _FAR:
        # Where lengths and words agree, the path is not far from both: half of a wide band, and the same path.
        return solve_text(text, model, (by_length + coarse) // 2, _AGREED + (apart + 1) // 2)
    found = solve_text(text, model, coarse, WIDE, reach=_COARSE_REACH)
    if np.abs(by_length - found.centre(text)).max() < _FAR:
        return found
    # A single band: a path by lengths that needs a second has lost its way.
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
