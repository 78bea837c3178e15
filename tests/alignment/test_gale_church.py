"""Gale-Church: the figures of the paper, cases by hand, and the banded programme against a full matrix."""

import json
import math
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diglot.alignment import gale_church
from diglot.alignment.bands import MAX_BAND_ROUNDS, Band, band_around, proportional_centre, solve_in_band
from diglot.alignment.bands import Path as BandPath
from diglot.alignment.beads import Bead, format_bead
from diglot.alignment.gale_church import PRIORS, align_lengths, bead_costs, length_fit, text_length, totals_ratio
from diglot.texts import align

lengths = st.lists(st.integers(0, 60), max_size=12)


def cost_of(beads: Sequence[Bead], src: Sequence[float], tgt: Sequence[float]) -> float:
    """What the model charges for beads, ratio 1, from the paper's formula and nothing of the code's."""
    priors = {(1, 1): 0.89, (1, 0): 0.00495, (0, 1): 0.00495, (2, 1): 0.0445, (1, 2): 0.0445, (2, 2): 0.011}
    total = 0.0
    for bead in beads:
        (i, k), (j, m) = bead.src, bead.tgt
        l1, l2 = sum(src[i:k]), sum(tgt[j:m])
        delta = abs(l2 - l1) / math.sqrt(6.8 * (l1 + l2) / 2) if l1 + l2 else 0.0
        total -= math.log(priors[k - i, m - j] / 0.9999) + math.log(math.erfc(delta / math.sqrt(2)))
    return total


def least_cost(src: Sequence[float], tgt: Sequence[float]) -> float:
    """The optimum over the full matrix, in plain Python."""
    best = {(0, 0): 0.0}
    for i in range(len(src) + 1):
        for j in range(len(tgt) + 1):
            for a, b in PRIORS:
                if i >= a and j >= b:
                    bead = Bead((i - a, i), (j - b, j))
                    cost = best[i - a, j - b] + cost_of([bead], src, tgt)
                    best[i, j] = min(cost, best.get((i, j), math.inf))
    return best[len(src), len(tgt)]


def assert_covers(beads: Sequence[Bead], src_units: int, tgt_units: int) -> None:
    assert [unit for bead in beads for unit in range(*bead.src)] == list(range(src_units))
    assert [unit for bead in beads for unit in range(*bead.tgt)] == list(range(tgt_units))
    assert all(bead.kind != "0-0" and 0 <= bead.score <= 1 for bead in beads)


def test_priors_sum_to_one_over_both_directions() -> None:
    assert sum(PRIORS.values()) == pytest.approx(1, abs=2e-4)
    assert PRIORS[1, 0] + PRIORS[0, 1] == pytest.approx(0.0099)
    assert PRIORS[2, 1] + PRIORS[1, 2] == pytest.approx(0.089)
    assert sum(math.exp(-cost) for cost in bead_costs(PRIORS).values()) == pytest.approx(1)


@pytest.mark.parametrize("priors", [{}, {(1, 1): 1.0}, {(1, 0): 0.5, (0, 1): 0.0}, {**PRIORS, (0, 0): 0.1}])
def test_priors_that_cannot_cover_a_page(priors: dict[tuple[int, int], float]) -> None:
    with pytest.raises(ValueError, match="priors"):
        bead_costs(priors)


def test_length_fit_by_hand() -> None:
    # 20 and 21 characters: delta = 1 / sqrt(6.8 * 20.5) = 0.0847, 2 (1 - Phi) = 0.9325
    assert length_fit(20, 21) == pytest.approx(0.9325, abs=1e-4)
    assert length_fit(21, 20) == length_fit(20, 21)
    assert length_fit(0, 0) == 1
    assert length_fit(0, 30) < 0.01


def test_two_short_sentences_make_one() -> None:
    (bead,) = align_lengths([10, 10], [21], ratio=1)
    assert (bead.kind, bead.score) == ("2-1", pytest.approx(0.9325, abs=1e-4))
    # by hand: -ln(.0445 / .9999) - ln .9325 = 3.1122 + 0.0699
    assert cost_of([bead], [10, 10], [21]) == pytest.approx(3.1821, abs=2e-4)


def test_both_directions_and_a_crossed_border() -> None:
    assert [bead.kind for bead in align_lengths([100, 41], [60, 42, 40], ratio=1)] == ["1-2", "1-1"]
    # two sentences whose border moved: 2-2 costs 4.51, two 1-1 beads of delta 1.97 cost 2 * (0.12 + 3.02)
    assert [bead.kind for bead in align_lengths([100, 50], [50, 100], ratio=1)] == ["2-2"]


def test_the_ratio_of_the_languages_is_found() -> None:
    src = [30, 80, 45, 120, 60]
    tgt = [length * 3 for length in src]
    assert totals_ratio(src, tgt) == 3
    assert all(bead.score == pytest.approx(1) for bead in align_lengths(src, tgt))
    assert all(bead.score < 0.01 for bead in align_lengths(src, tgt, ratio=1))
    assert totals_ratio([], [5]) == totals_ratio([0], [5]) == 1


@pytest.mark.parametrize(("tgt", "ratio"), [(9, 0.1), (10, 0.1), (11, 0.11), (999, 9.99), (1000, 10), (1001, 10)])
def test_no_language_writes_ten_times_as_much_as_another(tgt: int, ratio: float) -> None:
    assert totals_ratio([60, 40], [tgt]) == pytest.approx(ratio)


def test_kinds_keep_a_heading_from_its_paragraph() -> None:
    src, tgt, kinds = [50, 20, 50], [50, 70], ([0, 0, 2], [0, 2])
    assert [bead.kind for bead in align_lengths(src, tgt, ratio=1)] == ["1-1", "2-1"]
    assert [bead.kind for bead in align_lengths(src, tgt, ratio=1, kinds=kinds)] == ["2-1", "1-1"]


@given(lengths, lengths)
@settings(max_examples=100, deadline=None)
def test_beads_cover_both_sides_in_order(src: list[int], tgt: list[int]) -> None:
    assert_covers(align_lengths(src, tgt), len(src), len(tgt))


def test_equals_the_full_matrix_on_random_pairs() -> None:
    rng = random.Random(7)
    for _ in range(300):
        src = [rng.randint(0, 60) for _ in range(rng.randint(0, 9))]
        tgt = [rng.randint(0, 60) for _ in range(rng.randint(0, 9))]
        beads = align_lengths(src, tgt, ratio=1)
        assert cost_of(beads, src, tgt) == pytest.approx(least_cost(src, tgt), abs=1e-3)


def test_a_narrow_band_widens_to_the_full_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gale_church, "narrow_width", lambda rows, columns: 4)
    rng = random.Random(3)
    for gap in (0, 15, 40):
        src = [rng.randint(20, 150) for _ in range(110)]
        tgt = [max(1, round(length + rng.gauss(0, 2.6 * math.sqrt(length)))) for length in src]
        del tgt[30 : 30 + gap]
        beads = align_lengths(src, tgt, ratio=1)
        assert_covers(beads, len(src), len(tgt))
        assert cost_of(beads, src, tgt) == pytest.approx(least_cost(src, tgt), abs=5e-3)


def test_no_band_is_larger_than_allowed() -> None:
    seen: list[int] = []

    def hug_the_edge(band: Band) -> BandPath:
        seen.append(band.cells)
        rows = np.arange(len(band.low))
        return np.stack([rows, band.high], axis=1)

    centre = proportional_centre(np.ones(1_000), np.ones(5_000))
    solve_in_band(hug_the_edge, centre, 5_000, half_width=4, max_cells=200_000)
    assert len(seen) == MAX_BAND_ROUNDS
    assert 150_000 < max(seen) <= 200_000


@given(lengths, lengths, st.integers(1, 5))
def test_a_path_through_the_band_always_exists(src: list[int], tgt: list[int], half_width: int) -> None:
    band = band_around(proportional_centre(np.array(src, float), np.array(tgt, float)), len(tgt), half_width)
    assert band.low[0] == 0
    assert band.high[-1] == len(tgt)
    assert (band.low[1:] <= band.high[:-1]).all()
    assert (np.diff(band.low) >= 0).all()
    assert (np.diff(band.high) >= 0).all()


def test_white_space_has_no_length() -> None:
    assert text_length(" a b\u3000c\n") == 3


def test_lines_of_plain_text() -> None:
    src = ["A first line of text.", "Another.", "", "The third, which is longer."]
    tgt = ["Une première ligne.", "Une autre.", "La troisième, plus longue."]
    assert_covers(align(src, tgt, "en", "fr", aligner="gale_church"), 4, 3)
    assert align([], [], "en", "fr", aligner="gale_church") == []


def test_real_sentences(tmp_path: Path) -> None:
    """Text+Berg (German-French): other Gale-Church programmes reach a strict F1 of .59-.66 there."""
    root = Path(os.environ.get("DIGLOT_DATA", "/nonexistent"))
    folder = root / "sent" / "textberg-dev"
    if not folder.is_dir():
        pytest.skip("evaluation data absent (set DIGLOT_DATA)")
    src, tgt = ((folder / name).read_text(encoding="utf-8").split("\n")[:-1] for name in ("src.de", "tgt.fr"))
    out = tmp_path / "test.align"
    out.write_text("\n".join(map(format_bead, align(src, tgt, "de", "fr", aligner="gale_church"))), encoding="utf-8")
    command = [sys.executable, str(root / "score.py"), "sents", str(folder / "gold.align"), str(out)]
    scores = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    assert scores["strict"]["f1"] > 0.6
