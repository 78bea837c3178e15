"""Both sides of each constant of the evaluation, worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from diglot.evaluation.calibration import reliability_bins
from diglot.evaluation.intervals import Stratum, sampled_share
from diglot.evaluation.recalibration import learn_score_map, recalibrate
from diglot.evaluation.segments import evaluate_segments
from diglot.evaluation.soft_recall import near


@pytest.mark.parametrize(("letters", "contained"), [(11, 0), (12, 1)])
def test_a_gold_text_of_12_letters_is_looked_for_inside_longer_ones(letters: int, contained: int) -> None:
    src = "abcdefghijklmnop"[:letters]
    scores = evaluate_segments([(f"x {src} x", f"y {src} y")], [(src, src)])
    assert (scores.exact, scores.contained) == (0, contained)


@pytest.mark.parametrize(
    ("text", "other", "said"),
    [
        ("a" * 20, "a" * 19 + "b", True),  # 1 of 20: 5%
        ("a" * 20, "a" * 18 + "bb", False),
        ("a" * 19, "a" * 18 + "b", False),  # 5% of 19 allow none
        ("a" * 40, "a" * 42, True),  # 2 of 42
        ("a" * 39, "a" * 42, False),
        ("", "", True),
    ],
)
def test_near_texts_differ_in_5_percent_of_the_longer(text: str, other: str, said: bool) -> None:
    assert near(text, other) is said
    assert near(other, text) is said


@pytest.mark.parametrize(("probability", "number"), [(0.0, 0), (0.0999, 0), (0.1, 1), (0.8999, 8), (0.9, 9), (1.0, 9)])
def test_a_bin_holds_its_lower_limit_and_the_last_one_1(probability: float, number: int) -> None:
    bins = reliability_bins([probability], [True])
    assert [place for place, each in enumerate(bins) if each.predictions] == [number]


def test_the_map_of_scores_weighs_verdicts_against_both_priors() -> None:
    """At the most probable map the slope of the loss is 0: what verdicts pull is what the priors hold, shift / .25 and
    log(slope) / .0225."""
    scores, right = np.array([0.6, 0.7, 0.9, 0.95, 0.99]), np.array([0.0, 1.0, 0.5, 1.0, 0.0])
    found = learn_score_map(scores, right)
    log_odds = np.log(scores / (1 - scores))
    off = 1 / (1 + np.exp(-(found.shift + found.slope * log_odds))) - right
    assert off.sum() == pytest.approx(-found.shift / 0.25, abs=1e-4)
    assert (off * log_odds).sum() * found.slope == pytest.approx(-np.log(found.slope) / 0.0225, abs=1e-4)


def test_a_score_is_at_most_a_ten_thousandth_from_0_and_1() -> None:
    surest, sure, less = (learn_score_map(np.array([score]), np.zeros(1)) for score in (1.0, 0.9999, 0.999))
    assert surest == sure
    assert less.shift != sure.shift
    assert surest(np.array([1.0])) == surest(np.array([0.9999]))


@pytest.mark.parametrize(("verdicts", "together"), [(10, 1), (11, 2)])
def test_the_eleventh_verdict_is_in_the_part_of_the_first(verdicts: int, together: int) -> None:
    """Each part is foretold by a map that the others teach: with the first verdict its part has ``together``."""
    scores, right = np.linspace(0.6, 0.99, verdicts), np.arange(verdicts) % 3 / 2
    found = recalibrate(scores.tolist(), right.tolist())
    errors = []
    for number in range(verdicts):
        rest = np.arange(verdicts) % 10 != number % 10
        new = learn_score_map(scores[rest], right[rest])(scores[number : number + 1])
        errors.append((new[0] - right[number]) ** 2)
    assert (np.arange(verdicts) % 10 == 0).sum() == together
    assert found.after == pytest.approx(np.mean(errors), rel=1e-9)


def test_a_stratum_that_was_drawn_when_it_was_smaller_weighs_what_was_judged() -> None:
    found = sampled_share([Stratum(2, 4, 4), Stratum(4, 4, 0)])
    assert found is not None
    assert (found.share, found.population, found.low, found.high) == (0.5, 8, 0.5, 0.5)
