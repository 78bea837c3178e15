"""Recalibration: a rising map from scores to the share of right segments, learnt from verdicts.

A score p becomes sigmoid(shift + slope * logit(p)) (Platt 1999). Normal priors on ``shift`` and log ``slope`` are
centred on the identity: a handful of verdicts moves scores little, hundreds move them as needed. The order of scores
stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from diglot.arrays import Floats, Ints, sigmoid

SHIFT_SD, LOG_SLOPE_SD = 0.5, 0.15
"""Standard deviations of the priors; together about .9 in the log-odds at a score of .99 (.975 to .996)."""
LEAST = 1e-4
"""Least distance of scores from 0 and 1: one verdict against a score of 1 must not have infinite weight."""
FOLDS = 10
LEAST_VERDICTS = 2 * FOLDS
"""Least number of verdicts to change scores: two in each part of the cross-validation. In simulated runs with 10
verdicts, right scores were changed in two runs of three, and scores off by 1.5 in the log-odds lost less than a tenth
of their error; with 20 verdicts, right scores were changed in half of the runs, and wrong ones lost a fifth."""
_DECIMALS = 6
_STEPS, _LEAST_STEP = 100, 1e-9
"""Most steps to the most probable map; a step as small as this is the last."""
_LEAST_GAIN = 1e-12
"""A smaller gain is a rounding error."""


@dataclass(frozen=True, slots=True)
class ScoreMap:
    """A rising map of [0, 1] into itself; ``slope`` > 0."""

    shift: float
    slope: float

    def __call__(self, scores: Floats) -> Floats:
        """New scores, float64 of the same shape."""
        mapped = sigmoid(self.shift + self.slope * _log_odds(scores))
        # 0 marks a segment without a score.
        return np.where(np.asarray(scores) == 0, 0.0, mapped)


@dataclass(frozen=True, slots=True)
class Recalibration:
    """A map of scores, and its error on unseen verdicts.

    ``before``, ``after``: mean squared difference of score and verdict (Brier 1950) without and with the map, by
    cross-validation in :data:`FOLDS` parts. ``expected``: number of right segments by the scores; ``found``: by the
    verdicts.
    """

    score_map: ScoreMap
    verdicts: int
    before: float
    after: float
    expected: float
    found: float

    @property
    def helps(self) -> bool:
        """Whether there are verdicts enough to tell, and the map lowers the error on unseen ones."""
        return self.verdicts >= LEAST_VERDICTS and self.before - self.after > _LEAST_GAIN


def learn_score_map(scores: Floats, right: Floats) -> ScoreMap:
    """The most probable map; the identity for no verdicts.

    ``scores``, ``right``: float64 of shape (verdicts,), in [0, 1].
    """
    log_odds = _log_odds(scores)
    # Learnt as a logarithm, the slope stays positive, and so the order of scores stays.
    parameters, precision = np.zeros(2), 1 / np.array([SHIFT_SD, LOG_SLOPE_SD]) ** 2

    def loss(given: Floats) -> float:
        odds = given[0] + np.exp(given[1]) * log_odds
        return float(np.sum(np.logaddexp(0, odds) - right * odds) + np.sum(precision * given**2) / 2)

    for _ in range(_STEPS):
        scaled = np.exp(parameters[1]) * log_odds
        mapped = sigmoid(parameters[0] + scaled)
        slopes = np.stack([np.ones_like(scaled), scaled])
        gradient = slopes @ (mapped - right) + precision * parameters
        # Gauss and Newton: the part of the curvature that is never negative, so that each step leads down.
        step = np.linalg.solve((slopes * mapped * (1 - mapped)) @ slopes.T + np.diag(precision), gradient)
        before = loss(parameters)
        while loss(parameters - step) > before and np.abs(step).max() > _LEAST_STEP:
            step /= 2
        parameters = parameters - step
        if np.abs(step).max() <= _LEAST_STEP:
            break
    return ScoreMap(round(float(parameters[0]), _DECIMALS), round(float(np.exp(parameters[1])), _DECIMALS))


def recalibrate(scores: Sequence[float], right: Sequence[float]) -> Recalibration:
    """Learn a map from verdicts, at least one, and measure its error.

    ``right``: 1 for a right segment, 0 for a wrong one, between for a partly right one; the order of verdicts must not
    depend on their scores.
    """
    given, said = np.array(scores, np.float64), np.array(right, np.float64)
    mapped = np.empty(len(given))
    # Every tenth verdict is in the same part.
    part: Ints = np.arange(len(given)) % FOLDS
    for number in range(min(FOLDS, len(given))):
        mine = part == number
        mapped[mine] = learn_score_map(given[~mine], said[~mine])(given[mine])
    return Recalibration(
        score_map=learn_score_map(given, said),
        verdicts=len(given),
        before=float(np.mean((given - said) ** 2)),
        after=float(np.mean((mapped - said) ** 2)),
        expected=float(np.sum(given)),
        found=float(np.sum(said)),
    )


def _log_odds(scores: Floats) -> Floats:
    clipped = np.clip(np.asarray(scores, np.float64), LEAST, 1 - LEAST)
    return np.asarray(np.log(clipped) - np.log1p(-clipped), np.float64)
