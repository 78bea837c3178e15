"""New scores: better where the old ones were wrong, hardly other where they were right; shares whose intervals hold."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diglot.arrays import Floats
from diglot.evaluation.calibration import wilson_interval
from diglot.evaluation.intervals import Stratum, sampled_share
from diglot.evaluation.recalibration import LOG_SLOPE_SD, SHIFT_SD, ScoreMap, learn_score_map, recalibrate

ROUNDS = 10
"""Simulated runs; each costs eleven fits. The draws are the same each time."""


def as_odds(change: Callable[[Floats], Floats]) -> Callable[[Floats], Floats]:
    """A change of the log-odds as one of probabilities."""
    return lambda p: 1 / (1 + np.exp(-change(np.log(p / (1 - p)))))


def scores_of_a_run(rng: np.random.Generator, count: int) -> Floats:
    """Most near 1, a tenth anywhere above .5, in random order."""
    few = count // 10
    scores = np.concatenate([rng.beta(30, 0.6, count - few), rng.uniform(0.5, 1, few)])
    return rng.permutation(np.clip(scores, 0.5, 1 - 1e-6))


def errors(truth: Callable[[Floats], Floats], verdicts: int) -> tuple[float, float, float]:
    """Root mean squared difference of scores and the share right, before and after, and the largest move of a score;
    means of :data:`ROUNDS` simulated runs."""
    rng = np.random.default_rng(verdicts)
    rows = []
    for _ in range(ROUNDS):
        judged, run = scores_of_a_run(rng, verdicts), scores_of_a_run(rng, 2_000)
        said = (rng.random(verdicts) < truth(judged)).astype(np.float64)
        found = recalibrate(judged.tolist(), said.tolist())
        new = found.score_map(run) if found.helps else run
        off = (np.sqrt(np.mean((each - truth(run)) ** 2)) for each in (run, new))
        rows.append([*off, np.max(np.abs(new - run))])
    before, after, moved = np.mean(rows, axis=0)
    return float(before), float(after), float(moved)


@pytest.mark.parametrize("change", [lambda z: z - 1.5, lambda z: 0.5 * z, lambda z: z + 1], ids=["less", "flat", "up"])
def test_wrong_scores_are_mended(change: Callable[[Floats], Floats]) -> None:
    for verdicts, left in ((20, 0.97), (200, 0.65)):
        before, after, _ = errors(as_odds(change), verdicts)
        assert after < left * before


@given(st.integers(0, 2**32 - 1), st.integers(1, 400), st.floats(0, 1))
@settings(deadline=None, max_examples=30)
def test_no_map_is_more_probable_than_the_one_learnt(seed: int, verdicts: int, share: float) -> None:
    from scipy.optimize import minimize  # a second to import, in every process that collects tests

    rng = np.random.default_rng(seed)
    scores, right = rng.beta(2, 0.5, verdicts).clip(0.001, 0.999), (rng.random(verdicts) < share) * 1.0
    log_odds = np.log(scores / (1 - scores))

    def loss(given: np.ndarray) -> float:
        odds = given[0] + np.exp(given[1]) * log_odds
        prior = (given[0] / SHIFT_SD) ** 2 + (given[1] / LOG_SLOPE_SD) ** 2
        return float((np.logaddexp(0, odds) - right * odds).sum() + prior / 2)

    found = learn_score_map(scores, right)
    least = min(minimize(loss, start, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}).fun
                for start in ([0.0, 0.0], [found.shift, np.log(found.slope)]))  # fmt: skip
    assert loss(np.array([found.shift, np.log(found.slope)])) <= least + 1e-8 * (1 + abs(least))


def test_right_scores_stay() -> None:
    for verdicts in (20, 200):
        before, after, moved = errors(as_odds(lambda z: z), verdicts)
        assert before < 1e-12
        assert after < 0.01
        assert moved < 0.04


def test_the_order_of_scores_stays_and_nothing_is_learnt_of_nothing() -> None:
    rng = np.random.default_rng(0)
    scores = np.linspace(0, 1, 1001)
    for _ in range(20):
        judged = scores_of_a_run(rng, 50)
        new = learn_score_map(judged, (rng.random(50) < 0.3).astype(np.float64))(scores)
        assert (np.diff(new) >= 0).all()
        assert new[0] == 0
        assert new[-1] <= 1
    assert learn_score_map(np.zeros(0), np.zeros(0)) == ScoreMap(0, 1)
    assert ScoreMap(0, 1)(np.array([0, 0.25, 0.5])).tolist() == pytest.approx([0, 0.25, 0.5])


def test_by_hand() -> None:
    assert ScoreMap(np.log(3), 1)(np.array([0.5])).tolist() == pytest.approx([0.75])  # even odds times three
    one = recalibrate([0.9], [0.0])
    assert (one.before, one.after) == pytest.approx((0.81, 0.81))  # what is left to learn from is nothing
    assert not one.helps
    assert one.score_map(np.array([0.9]))[0] > 0.8  # a single verdict moves little
    half = recalibrate([0.9] * 4, [1, 1, 0.5, 0])
    assert (half.expected, half.found, half.verdicts) == (pytest.approx(3.6), 2.5, 4)


def test_a_share_by_hand() -> None:
    plain = sampled_share([Stratum(10**9, 100, 90)])
    assert plain is not None
    assert (plain.low, plain.high) == pytest.approx(wilson_interval(90, 100), abs=1e-6)
    whole = sampled_share([Stratum(4, 4, 3)])
    assert whole is not None
    assert (whole.low, whole.share, whole.high) == (0.75, 0.75, 0.75)  # all are judged: nothing is unknown
    two = sampled_share([Stratum(900, 10, 10), Stratum(100, 10, 0), Stratum(1000, 0, 0)])
    assert two is not None
    assert two.share == pytest.approx(0.9)  # not .5, which is the share of those judged
    assert two.covered == 0.5
    assert sampled_share([Stratum(5, 0, 0)]) is None


@pytest.mark.parametrize("right", [0.8, 0.95, 0.99])
def test_intervals_hold(right: float) -> None:
    """A run of two language pairs, 3 of 4 segments in one of them, sampled at random and by halves."""
    rng = np.random.default_rng(1)
    for sizes in ((150, 50), (100, 100)):
        hits = 0
        for _ in range(600):
            truth = [rng.random(1_500) < right, rng.random(500) < right - 0.1]
            drawn = [rng.choice(part, size, replace=False) for part, size in zip(truth, sizes, strict=True)]
            found = sampled_share([Stratum(len(p), len(d), d.sum()) for p, d in zip(truth, drawn, strict=True)])
            assert found is not None
            hits += found.low <= np.concatenate(truth).mean() <= found.high
        assert hits > 555
