"""Scores made to say how often they are right: a rising map, learnt from verdicts and held back where they are few.

A score p becomes sigmoid(shift + slope * logit(p)) (Platt 1999), with normal priors on ``shift`` and on the logarithm
of ``slope`` whose middle is the score as it is. So a handful of verdicts moves little, hundreds move what has to be
moved, and the order of scores stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from diglot.arrays import Floats, Ints

SHIFT_SD, LOG_SLOPE_SD = 0.5, 0.15
"""Standard deviations of the priors: at a score of .99 about .9 in the log-odds, from .975 to .996."""
LEAST = 1e-4
"""Scores are taken to be this far from 0 and 1 at least: one verdict against a score of 1 is no proof of anything."""
FOLDS = 10
_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class ScoreMap:
    """A rising map of [0, 1] into itself; ``slope`` > 0."""

    shift: float
    slope: float

    def __call__(self, scores: Floats) -> Floats:
        """New scores, float64 of the same shape; 0 stays 0, which says that there was nothing to score."""
        told = _sigmoid(self.shift + self.slope * _log_odds(scores))
        return np.where(np.asarray(scores) == 0, 0.0, told)


@dataclass(frozen=True, slots=True)
class Recalibration:
    """A map, and what it is worth on verdicts that it was not learnt from.

    ``before``, ``after``: mean squared difference of score and verdict (Brier 1950), by cross-validation in
    :data:`FOLDS` parts. ``expected``, ``found``: how many the scores said would be right, and how many were.
    """

    score_map: ScoreMap
    verdicts: int
    before: float
    after: float
    expected: float
    found: float

    @property
    def helps(self) -> bool:
        """Whether new scores are nearer to verdicts that they were not learnt from than the old ones."""
        return self.after < self.before


def learn_score_map(scores: Floats, right: Floats) -> ScoreMap:
    """The most probable map. ``scores``, ``right``: float64 of shape (verdicts,), ``right`` in [0, 1]; none give the
    map that leaves scores as they are."""
    from scipy.optimize import minimize

    log_odds = _log_odds(scores)

    def loss(parameters: Floats) -> tuple[float, Floats]:
        shift, log_slope = parameters
        slope = np.exp(log_slope)
        odds = shift + slope * log_odds
        off = _sigmoid(odds) - right
        of_verdicts = np.sum(np.logaddexp(0, odds) - right * odds)
        prior = shift**2 / (2 * SHIFT_SD**2) + log_slope**2 / (2 * LOG_SLOPE_SD**2)
        slopes = np.sum(off) + shift / SHIFT_SD**2, np.sum(off * log_odds) * slope + log_slope / LOG_SLOPE_SD**2
        return float(of_verdicts + prior), np.array(slopes)

    found = minimize(loss, np.zeros(2), jac=True, method="L-BFGS-B", options={"gtol": 1e-9, "ftol": 1e-14})
    return ScoreMap(round(float(found.x[0]), _DECIMALS), round(float(np.exp(found.x[1])), _DECIMALS))


def recalibrate(scores: Sequence[float], right: Sequence[float]) -> Recalibration:
    """Learn a map from verdicts, at least one, and measure it. ``right``: 1, 0, or between for what is right in part.

    Verdicts are dealt into parts as they come: give them in an order that has nothing to do with scores.
    """
    given, said = np.array(scores, np.float64), np.array(right, np.float64)
    told = np.empty(len(given))
    part: Ints = np.arange(len(given)) % FOLDS
    for number in range(min(FOLDS, len(given))):
        mine = part == number
        told[mine] = learn_score_map(given[~mine], said[~mine])(given[mine])
    return Recalibration(
        score_map=learn_score_map(given, said),
        verdicts=len(given),
        before=float(np.mean((given - said) ** 2)),
        after=float(np.mean((told - said) ** 2)),
        expected=float(np.sum(given)),
        found=float(np.sum(said)),
    )


def _log_odds(scores: Floats) -> Floats:
    clipped = np.clip(np.asarray(scores, np.float64), LEAST, 1 - LEAST)
    return np.asarray(np.log(clipped) - np.log1p(-clipped), np.float64)


def _sigmoid(odds: Floats) -> Floats:
    return np.asarray(0.5 * (1 + np.tanh(odds / 2)), np.float64)
