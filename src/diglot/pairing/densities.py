"""Probabilities of whole numbers in log space: under a normal distribution, and as observed."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.special import log_ndtr

Floats = npt.NDArray[np.float64]

MIN_SD = 0.5
"""Least standard deviation of a count or length: half a unit, as fine as whole numbers tell."""

_MAX_BINS = 1 << 20
_REACH = 8.0
"""Bandwidths beyond which a kernel counts as nothing."""


def log_unit_mass(residual: Floats, sd: Floats | float) -> Floats:
    """Log of the normal mass within half a unit of ``residual``, mean 0; finite however far out it lies.

    Source: the continuity correction of Assylbekov et al. 2015, eq. 8 and 9.
    """
    sd = np.maximum(sd, MIN_SD)
    near, far = (log_ndtr((half - np.abs(residual)) / sd) for half in (0.5, -0.5))
    mass: Floats = near + np.log(-np.expm1(np.minimum(far - near, -1e-15)))
    return mass


def log_empirical_density(values: Floats) -> Floats:
    """Log density of each observation under a Gaussian kernel estimate from all the others.

    Whole numbers, shape (s,), s >= 2. The observation itself is left out: counted in, each would earn
    at least 1 / s and a small site would call its odd pairs independent (reading E.5). Bandwidth by
    Silverman's rule with the robust spread, at least half a unit. Floor: one observation of the s spread
    evenly over their range. Cost: O(range log range), exact but for ranges beyond a million.
    """
    low, span, count = values.min(), float(np.ptp(values)), len(values)
    width = max(1.0, span / _MAX_BINS)
    bins = np.rint((values - low) / width).astype(np.int64)
    bandwidth = _silverman(values) / width
    size = int(2 ** np.ceil(np.log2(bins.max() + 1 + _REACH * bandwidth)))
    distance = np.minimum(np.arange(size), size - np.arange(size)) / bandwidth
    kernel = np.exp(-0.5 * distance**2) / (math.sqrt(2 * math.pi) * bandwidth)
    smooth = np.fft.irfft(np.fft.rfft(np.bincount(bins, minlength=size)) * np.fft.rfft(kernel), size)
    density = (smooth[bins] - kernel[0]) / (count - 1) / width
    logs: Floats = np.log(np.maximum(density, 1.0 / (count * (span + 1.0))))
    return logs


def _silverman(values: Floats) -> float:
    low, high = np.quantile(values, (0.25, 0.75))
    spread = min(float(np.std(values)), float(high - low) / 1.349) or float(np.std(values))
    return max(0.9 * spread / math.pow(len(values), 0.2), MIN_SD)
