"""Bands and the lattice by hand: how wide, how often, how near an edge; and the sums over paths against all paths."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from diglot.alignment.bands import Band, Path, band_around, cut_to, narrow_width, proportional_centre, solve_in_band
from diglot.alignment.lexical import lattice
from diglot.alignment.lexical.bead_scores import TextModel, places
from diglot.alignment.lexical.lattice import Lattice, Solution, path_posteriors, solve_again, solve_text
from diglot.alignment.lexical.lattice_kernels import block_path
from diglot.alignment.lexical.rates import TYPE_PRIORS, LikelyBeads
from diglot.alignment.lexical.units import NumberedText
from diglot.arrays import Floats, Ints, Singles

TYPES = list(TYPE_PRIORS)
MODEL = cast(TextModel, SimpleNamespace(tables=None, rates=None))


@pytest.mark.parametrize(
    ("rows", "columns", "width"), [(0, 0, 32), (256, 9, 32), (272, 9, 32), (273, 9, 33), (9, 10_000, 200)]
)
def test_a_band_begins_as_wide_as_a_random_walk_strays(rows: int, columns: int, width: int) -> None:
    assert narrow_width(rows, columns) == width  # 2 sqrt(273) = 33.05


def test_a_band_round_a_centre_by_hand() -> None:
    centre = np.array([0, 2, 4, 9])
    band = band_around(centre, 10, 1)
    assert band.low.tolist() == [0, 0, 1, 3]
    assert band.high.tolist() == [3, 5, 10, 10]
    assert band.start.tolist() == [0, 4, 10, 20, 28]
    further = band_around(centre, 10, 1, reach=2)
    assert (further.low.tolist(), further.high.tolist()) == ([0, 0, 0, 1], [5, 10, 10, 10])


def test_the_part_of_a_band_between_two_lines() -> None:
    band = band_around(np.arange(5), 4, 2)
    part = cut_to(band, np.array([0, 1, 9, 2, 3]), np.array([1, 2, -1, 3, 4]))
    # Row 2 holds nothing by itself: it takes the lowest line below and the highest above.
    assert (part.low.tolist(), part.high.tolist()) == ([0, 1, 2, 2, 3], [1, 2, 2, 3, 4])


def test_the_column_at_the_same_share_of_the_length() -> None:
    assert proportional_centre(np.array([10.0, 10.0]), np.array([5.0, 15.0])).tolist() == [0, 1, 2]
    assert proportional_centre(np.array([1.0, 3.0]), np.array([1.0, 1.0, 1.0, 1.0])).tolist() == [0, 1, 4]


def half_widths(distance: int, **limits: int) -> list[int]:
    """Half-widths of the bands that are tried for 100 by 100 cells, the path running so far from the upper edge."""
    found: list[int] = []

    def solve(band: Band) -> Path:
        found.append(int(band.high[0]) - 1)
        return np.stack([np.arange(101), np.maximum(band.high - distance, 0)], axis=1)

    solve_in_band(solve, np.arange(101), 100, **{"half_width": 8, **limits})
    return found


def test_a_path_within_a_quarter_of_the_edge_widens_the_band() -> None:
    assert half_widths(3) == [8]
    # The second band lies round the path that the first one found, seven columns to the right.
    assert half_widths(2)[:2] == [8, 16 + 7]


def test_a_band_is_widened_seven_times_at_most() -> None:
    calls: list[int] = []

    def solve(band: Band) -> Path:
        calls.append(band.cells)
        return np.stack([np.arange(10_001), band.high], axis=1)

    solve_in_band(solve, np.arange(10_001), 10_000, half_width=1)
    assert len(calls) == 8
    assert len(half_widths(0, half_width=100)) == 1, "a band that holds all cells is exact"


def test_cells_limit_the_width() -> None:
    assert half_widths(3, half_width=50, max_cells=200 + 101 * 21)[0] == 10
    assert half_widths(3, half_width=50, max_cells=200 + 101 * 21 - 1)[0] == 9
    assert half_widths(3, half_width=50)[0] == 50


class FakeSide:
    """Sentences of these lengths."""

    def __init__(self, lengths: Floats) -> None:
        self.lengths = lengths

    def __len__(self) -> int:
        return len(self.lengths)


class FakeText:
    """A text of so many sentences a side."""

    def __init__(self, rows: int, columns: int) -> None:
        self.src, self.tgt = range(rows), range(columns)


def text_of(rows: int, columns: int) -> NumberedText:
    return cast(NumberedText, FakeText(rows, columns))


def solution(columns: Ints, log_sum: float = 0.0, span: tuple[Ints, Ints] | None = None) -> Solution:
    """A path with a bead a row."""
    path = np.stack([np.arange(len(columns)), columns, np.zeros(len(columns), np.int64)], axis=1)
    nothing = cast(Any, None)
    return Solution(path, nothing, log_sum, span or (columns, columns), nothing)


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[Band]:
    """The bands in which ``lattice`` looks for a path; each time it runs along the upper edge."""
    bands: list[Band] = []

    def solve(text: NumberedText, _model: TextModel, band: Band) -> Solution:
        bands.append(band)
        return solution(band.high[:-1])

    monkeypatch.setattr(lattice, "_solve", solve)
    return bands


def test_three_bands_a_pass_each_twice_as_wide(tried: list[Band]) -> None:
    solve_text(text_of(100, 1_000), MODEL, np.zeros(101, np.int64), 12)
    assert [int(band.high[0]) for band in tried] == [12, 12 + 24, 12 + 24 + 48]
    tried.clear()
    solve_text(text_of(100, 1_000), MODEL, np.zeros(101, np.int64), 12, most_bands=1)
    assert len(tried) == 1


@pytest.mark.parametrize(("rows", "width"), [(19_800, 50), (19_801, 49), (33_000, 29), (200_000, 29)])
def test_two_million_cells_limit_a_band_and_sixty_a_row_are_allowed(tried: list[Band], rows: int, width: int) -> None:
    solve_text(text_of(rows, 5_000), MODEL, np.full(rows + 1, 2_000), 1_000, most_bands=1)
    middle = rows // 2
    assert (tried[0].high[middle] - tried[0].low[middle]) // 2 == width


def test_a_path_may_leap_eight_rows_before_the_centre_does(tried: list[Band]) -> None:
    centre = np.where(np.arange(101) < 50, 0, 500)
    solve_text(text_of(100, 600), MODEL, centre, 5, most_bands=1)
    assert np.flatnonzero(tried[0].high > 400)[0] == 42
    assert np.flatnonzero(tried[0].low > 100)[0] == 58


def test_a_later_pass_looks_three_columns_beside_the_likely_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    bands: list[Band] = []
    first, last = np.arange(41) - 2, np.arange(41) + 4

    def solve(_text: NumberedText, _model: TextModel, band: Band) -> Solution:
        bands.append(band)
        return solution(np.arange(40))

    monkeypatch.setattr(lattice, "_solve", solve)
    solve_again(text_of(40, 40), MODEL, solution(np.arange(40), span=(first, last)), 12)
    (band,) = bands
    assert (int(band.low[20]), int(band.high[20])) == (15, 27)


def test_a_path_that_leaves_the_likely_columns_has_the_whole_band(tried: list[Band]) -> None:
    first, last = np.arange(41) - 2, np.arange(41) + 4
    solve_again(text_of(40, 200), MODEL, solution(np.arange(40), span=(first, last)), 12)
    assert len(tried) > 1
    assert int(tried[1].high[20]) == 20 + 8 + 12


@pytest.mark.parametrize(("columns", "is_known"), [(29, True), (30, False)])
def test_a_narrow_text_needs_no_path_by_lengths(monkeypatch: pytest.MonkeyPatch, columns: int, is_known: bool) -> None:
    asked: list[int] = []

    def nodes(_src: list[float], _tgt: list[float], *, max_cells: int) -> Path:
        asked.append(max_cells)
        return np.array([[0, 0], [5, columns]])

    src, tgt = FakeSide(np.ones(5)), FakeSide(np.ones(columns))
    monkeypatch.setattr(lattice, "length_nodes", nodes)
    lattice.length_centre(cast(NumberedText, SimpleNamespace(src=src, tgt=tgt)), 30)
    assert asked == ([] if is_known else [12_000_000])


@pytest.mark.parametrize(("off", "is_tried"), [(59, False), (60, True)])
@pytest.mark.parametrize("likelier", [True, False])
def test_a_way_through_blocks_is_tried_from_sixty_sentences_on(
    monkeypatch: pytest.MonkeyPatch, off: int, is_tried: bool, likelier: bool
) -> None:
    found, other = solution(np.arange(200), 1.0), solution(np.arange(200), 2.0 if likelier else 1.0)
    asked: list[tuple[int, int]] = []

    def solve(_text: NumberedText, _model: TextModel, _centre: Ints, width: int, *, reach: int) -> Solution:
        asked.append((width, reach))
        return other

    monkeypatch.setattr(lattice, "coarse_centre", lambda *_: np.append(np.arange(200), 200) + off)
    monkeypatch.setattr(lattice, "solve_text", solve)
    chosen = lattice.detour(text_of(200, 200), MODEL, found)
    assert asked == ([(30, 40)] if is_tried else [])
    assert chosen is (other if is_tried and likelier else found)


@pytest.mark.parametrize(("sentences", "size"), [(150, 20), (20_000, 20), (20_020, 21), (30_000, 30)])
def test_blocks_of_twenty_sentences_or_a_million_pairs(
    monkeypatch: pytest.MonkeyPatch, sentences: int, size: int
) -> None:
    asked: list[int] = []

    def scores(_words: object, size: int) -> Singles:
        asked.append(size)
        return np.zeros((2, 2), np.float32)

    monkeypatch.setattr(lattice, "directions", lambda *_: (None, None))
    monkeypatch.setattr(lattice, "block_scores", scores)
    lattice.coarse_centre(text_of(sentences, sentences), MODEL)
    assert asked == [size, size]


@pytest.mark.parametrize(
    ("gains", "corner"),
    [
        ([[0.0, 0.9], [-9.0, 1.0]], False),  # 1 against .5 * .9 + .5 * 1
        ([[0.0, 1.1], [-9.0, 1.0]], True),
        ([[0.0, -5.0], [-5.0, -0.9]], False),  # -.9 against .5 * -1 + .5 * -.9
        ([[0.0, -5.0], [-5.0, -1.1]], True),  # -1.1 against twice .5 * -1
    ],
)
def test_a_step_along_one_side_counts_half_and_costs_half_a_deviation_at_most(
    gains: list[list[float]], corner: bool
) -> None:
    path = block_path(np.array(gains, np.float32)).tolist()
    assert path == ([[0, 0], [0, 1], [1, 1]] if corner else [[0, 0], [1, 1]])


def grid(rows: int, columns: int) -> Band:
    return Band.of(np.zeros(rows + 1, np.int64), np.full(rows + 1, columns, np.int64))


def random_scores(band: Band, rng: np.random.Generator, spread: float = 2.0) -> Singles:
    """Scores of all beads of a band that end within it."""
    rows, columns = len(band.low) - 1, int(band.high[-1])
    scores = np.full(len(TYPES) * band.cells, -1e30, np.float32)
    for i, j, (kind, (a, b)) in product(range(rows + 1), range(columns + 1), enumerate(TYPES)):
        if i + a <= rows and j + b <= columns and band.low[i] <= j <= band.high[i]:
            scores[places(band, np.array([i]), np.array([j]), kind)] = rng.normal(0, spread)
    return scores


def all_paths(band: Band, scores: Singles) -> list[tuple[float, list[tuple[int, int, int]]]]:
    """Every sequence of beads through a band, with its score."""
    rows, columns = len(band.low) - 1, int(band.high[-1])

    def onward(i: int, j: int) -> Iterator[tuple[float, list[tuple[int, int, int]]]]:
        if (i, j) == (rows, columns):
            yield 0.0, []
        for kind, (a, b) in enumerate(TYPES):
            if i + a <= rows and band.low[i + a] <= j + b <= band.high[i + a]:
                score = float(scores[places(band, np.array([i]), np.array([j]), kind)][0])
                for rest, beads in onward(i + a, j + b):
                    yield score + rest, [(i, j, kind), *beads]

    return list(onward(0, 0))


@pytest.mark.parametrize("seed", range(6))
def test_best_path_and_posteriors_equal_those_of_all_paths(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    band = grid(4, 3) if seed % 2 else Band.of(np.array([0, 0, 1, 2]), np.array([1, 3, 4, 4]))
    scores = random_scores(band, np.random.default_rng(seed))
    monkeypatch.setattr(lattice, "text_scores", lambda *_: scores)
    found = lattice._solve(text_of(len(band.low) - 1, int(band.high[-1])), MODEL, band)
    paths = all_paths(band, scores)
    best = max(paths)
    assert list(map(tuple, found.path.tolist())) == best[1]
    total = math.log(math.fsum(math.exp(score) for score, _ in paths))
    assert found.log_sum == pytest.approx(total, abs=1e-4)
    chance: dict[tuple[int, int, int], float] = {}
    for score, beads in paths:
        for bead in beads:
            chance[bead] = chance.get(bead, 0.0) + math.exp(score - total)
    wanted = {bead: share for bead, share in chance.items() if share >= 0.05}
    likely = dict(zip(map(tuple, found.likely.beads.tolist()), found.likely.posteriors.tolist(), strict=True))
    assert likely == pytest.approx(wanted, abs=1e-4)
    expected = [sum(share for bead, share in chance.items() if bead[2] == kind) for kind in range(len(TYPES))]
    assert found.likely.expected.tolist() == pytest.approx(expected, abs=1e-4)
    cooled = math.fsum(math.exp(0.7 * score) for score, _ in paths)
    sure = [
        sum(math.exp(0.7 * score) for score, beads in paths if bead in beads) / cooled
        for bead in map(tuple, found.path.tolist())
    ]
    assert path_posteriors(found).tolist() == pytest.approx(sure, abs=1e-4)


def one_cell(straight: float, around: float) -> tuple[Band, Singles]:
    """A sentence a side: score of 1-1, and of 1-0 and 0-1 together, which come in two orders."""
    band = grid(1, 1)
    scores = np.full(len(TYPES) * band.cells, -1e30, np.float32)
    for i, j, kind, score in [
        (0, 0, (1, 1), straight),
        (0, 0, (1, 0), around),
        (1, 0, (0, 1), 0.0),
        (0, 0, (0, 1), around),
        (0, 1, (1, 0), 0.0),
    ]:
        scores[places(band, np.array([i]), np.array([j]), TYPES.index(kind))] = score
    return band, scores


@pytest.mark.parametrize(("share", "is_learnt"), [(0.051, True), (0.049, False)])
def test_beads_of_a_twentieth_are_learnt_from(monkeypatch: pytest.MonkeyPatch, share: float, is_learnt: bool) -> None:
    band, scores = one_cell(math.log(2 * share / (1 - share)), 0.0)
    monkeypatch.setattr(lattice, "text_scores", lambda *_: scores)
    likely = lattice._solve(text_of(1, 1), MODEL, band).likely
    assert (TYPES.index((1, 1)) in likely.beads[:, 2].tolist()) is is_learnt


@pytest.mark.parametrize(("behind", "is_near"), [(29.9, True), (30.1, False)])
def test_paths_thirty_nats_behind_are_left_out(monkeypatch: pytest.MonkeyPatch, behind: float, is_near: bool) -> None:
    band, scores = one_cell(0.0, -behind)
    monkeypatch.setattr(lattice, "text_scores", lambda *_: scores)
    found = lattice._solve(text_of(1, 1), MODEL, band)
    assert found.lattice is not None
    assert found.lattice.near.tolist() == [True, is_near, is_near, True]
    assert [column.tolist() for column in found.span] == ([[0, 0], [1, 1]] if is_near else [[0, 1], [0, 1]])


def test_scores_count_seven_tenths_for_the_posterior_of_a_path() -> None:
    band, scores = one_cell(2.0, 1.0)
    near = np.ones(4, np.bool_)
    likely = LikelyBeads(np.zeros((0, 3), np.int64), np.zeros(0), np.zeros(len(TYPES)))
    path = np.array([[0, 0, TYPES.index((1, 1))]])
    found = Solution(path, likely, 0.0, (np.zeros(2, np.int64), np.ones(2, np.int64)), Lattice(band, scores, near))
    sure = math.exp(1.4) / (math.exp(1.4) + 2 * math.exp(0.7))
    assert path_posteriors(found).tolist() == pytest.approx([sure])
