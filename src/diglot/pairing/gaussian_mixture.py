"""A mixture of two normal distributions on the line: a narrow one and one for the heavy tails."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from diglot.pairing.densities import MIN_SD, log_unit_mass

Floats = npt.NDArray[np.float64]

_MAX_ROUNDS = 200
_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class Mixture:
    """``share`` of the first component, means and standard deviations of both (paper, eq. 3)."""

    share: float = 0.5
    means: tuple[float, float] = (0.0, 0.0)
    sds: tuple[float, float] = (1.0, 10.0)

    def log_mass(self, values: Floats) -> Floats:
        """Log of the probability within half a unit of each value (the integral of eq. 8)."""
        mass: Floats = np.logaddexp(*self._parts(values))
        return mass

    def first_share(self, values: Floats) -> Floats:
        """Probability that each value came from the first component."""
        first, second = self._parts(values)
        share: Floats = np.exp(first - np.logaddexp(first, second))
        return share

    def _parts(self, values: Floats) -> tuple[Floats, Floats]:
        first, second = (log_unit_mass(values - mean, sd) for mean, sd in zip(self.means, self.sds, strict=True))
        return np.log(self.share) + first, np.log1p(-self.share) + second


def fit_mixture(values: Floats, start: Mixture) -> Mixture:
    """Maximum likelihood by EM from ``start``; shape (s,), s >= 1.

    A standard deviation is at least half a unit, a share at least 1 / (s + 1): a component never dies.
    """
    mixture, likelihood = start, -np.inf
    least = 1.0 / (len(values) + 1)
    for _ in range(_MAX_ROUNDS):
        previous, likelihood = likelihood, float(mixture.log_mass(values).sum())
        if abs(likelihood - previous) <= _TOLERANCE * len(values):
            break
        first = mixture.first_share(values)
        parts = [_moments(values, weights) for weights in (first, 1.0 - first)]
        mixture = Mixture(
            share=float(np.clip(first.mean(), least, 1 - least)),
            means=(parts[0][0], parts[1][0]),
            sds=(parts[0][1], parts[1][1]),
        )
    return mixture


def _moments(values: Floats, weights: Floats) -> tuple[float, float]:
    total = max(float(weights.sum()), 1e-12)
    mean = float((weights * values).sum() / total)
    return mean, max(float(np.sqrt((weights * (values - mean) ** 2).sum() / total)), MIN_SD)
