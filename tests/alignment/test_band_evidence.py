"""Evidence from outside on the beads of a band, and the columns that lengths and blocks propose, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from diglot.alignment.bands import Band, proportional_centre
from diglot.alignment.lexical import bead_scores as module
from diglot.alignment.lexical.bead_scores_kernels import IMPOSSIBLE
from diglot.alignment.lexical.lattice import _standard
from diglot.alignment.lexical.rates import TYPE_PRIORS
from diglot.arrays import Floats, Ints

TYPES = list(TYPE_PRIORS)


@pytest.mark.parametrize("rows_at_a_time", [1, 2, 256])
def test_evidence_counts_for_every_bead_of_two_sides_that_lies_in_the_text(
    monkeypatch: pytest.MonkeyPatch, rows_at_a_time: int
) -> None:
    """Two sentences a side; in the second row the band has two of three columns."""
    monkeypatch.setattr(module, "_EVIDENCE_ROWS", rows_at_a_time)
    band = Band.of(np.array([0, 1, 0]), np.array([2, 2, 2]))
    cells = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)]
    scores = np.full(len(TYPES) * band.cells, IMPOSSIBLE, np.float32)
    inside = [(i, j, kind) for i, j in cells for kind, (a, b) in enumerate(TYPES) if i + a <= 2 and j + b <= 2]
    for i, j, kind in inside:
        scores[module.places(band, np.array([i]), np.array([j]), kind)] = 0.5
    asked: list[tuple[int, ...]] = []

    def evidence(beads: Ints) -> Floats:
        asked.extend(map(tuple, beads.tolist()))
        return np.array([10.0 * src + tgt for src, _, tgt, _ in beads.tolist()])

    module._add_evidence(scores, band, evidence)
    two_sided = [(i, j, kind) for i, j, kind in inside if min(TYPES[kind]) > 0]
    assert sorted(asked) == sorted((i, i + TYPES[kind][0], j, j + TYPES[kind][1]) for i, j, kind in two_sided)
    assert (0, 1, 0, 1) in asked
    for i, j, kind in inside:
        (found,) = scores[module.places(band, np.array([i]), np.array([j]), kind)]
        assert found == 0.5 + ((10 * i + j) if (i, j, kind) in two_sided else 0)
    assert (scores == np.float32(IMPOSSIBLE)).sum() == len(scores) - len(inside)


def test_shares_of_the_length_begin_at_nothing_on_both_sides() -> None:
    assert proportional_centre(np.ones(2), np.ones(199)).tolist() == [0, 100, 199]
    few = proportional_centre(np.ones(199), np.ones(2))
    # Column 1 begins at a quarter of the text, column 2 at three quarters.
    assert [int((few == column).sum()) for column in range(3)] == [50, 100, 50]
    assert proportional_centre(np.zeros(2), np.ones(2)).tolist() == [0, 0, 0]


def test_scores_of_blocks_are_deviations_from_what_both_blocks_score_elsewhere() -> None:
    assert _standard(np.array([[1, 2], [3, 8]], np.float32)).tolist() == [[1, -1], [-1, 1]]
    assert _standard(np.array([[1, 2, 3], [3, 4, 5]], np.float32)).tolist() == [[0, 0, 0], [0, 0, 0]]
