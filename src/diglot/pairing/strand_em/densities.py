"""Log probabilities of whole numbers: normal, empirical, and of a mixture of two normal distributions."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from diglot.arrays import Floats

MIN_SD = 0.5
"""Least standard deviation of a count or length: half a unit, the resolution of whole numbers."""

_MAX_BINS = 1 << 20
_MAX_ROUNDS = 200
_TOLERANCE = 1e-6
_REACH = 8.0
"""Number of bandwidths beyond which a kernel is 0."""


def log_unit_mass(residual: Floats, sd: Floats | float) -> Floats:
    """Log of the normal mass within half a unit of ``residual``, mean 0; finite at any distance.

    Source: the continuity correction of Assylbekov et al. 2015, eq. 8 and 9.
    """
    sd = np.maximum(sd, MIN_SD)
    from scipy.special import log_ndtr

    near, far = (log_ndtr((half - np.abs(residual)) / sd) for half in (0.5, -0.5))
    mass: Floats = near + np.log(-np.expm1(np.minimum(far - near, -1e-15)))
    return mass


def log_empirical_density(values: Floats) -> Floats:
    """Log density of each observation under a Gaussian kernel estimate from all the others.

    Whole numbers, shape (s,), s >= 2. The observation itself is left out: it would add at least 1 / s, and a small site
    would call its odd pairs independent (reading E.5). Bandwidth by Silverman's rule with the robust spread, at least
    half a unit. Floor: one observation of the s spread evenly over their range. Cost: O(range log range), exact up to a
    range of a million.
    """
    low, span, count = values.min(), float(np.ptp(values)), len(values)
    width = max(1.0, span / _MAX_BINS)
    bins = np.rint((values - low) / width).astype(np.int64)
    bandwidth = _silverman(values) / width
    size = int(2 ** np.ceil(np.log2(bins.max() + 1 + _REACH * bandwidth)))
    distance = np.minimum(np.arange(size), size - np.arange(size)) / bandwidth
    kernel = np.exp(-0.5 * distance**2) / (math.sqrt(2 * math.pi) * bandwidth)
    smooth = np.fft.irfft(np.fft.rfft(np.bincount(bins, minlength=size)) * np.fft.rfft(kernel), size)
    # The observation itself is taken out of its bin.
    density = (smooth[bins] - kernel[0]) / (count - 1) / width
    logs: Floats = np.log(np.maximum(density, 1.0 / (count * (span + 1.0))))
    return logs


def _silverman(values: Floats) -> float:
    low, high = np.quantile(values, (0.25, 0.75))
    spread = min(float(np.std(values)), float(high - low) / 1.349) or float(np.std(values))
    return max(0.9 * spread / math.pow(len(values), 0.2), MIN_SD)


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
