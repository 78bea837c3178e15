"""Spread and straight lines of points with outliers: the median deviation, Huber's regression."""

from __future__ import annotations

import numpy as np

from diglot.arrays import Floats

HUBER_K = 1.345
"""Residuals up to this many scales count in full: 95% efficiency on normal errors (Huber)."""
MAD_TO_SD = 1.4826
"""Standard deviation of a normal distribution over its median absolute deviation."""
MIN_POINTS = 3
"""Least number of distinct points for a line (reading E.12)."""

_MAX_ROUNDS = 100
_TOLERANCE = 1e-9


def robust_sd(values: Floats) -> float:
    """Standard deviation by the median absolute deviation (Hampel 1974); 0 without values."""
    return MAD_TO_SD * float(np.median(np.abs(values - np.median(values)))) if len(values) else 0.0


def huber_line(x: Floats, y: Floats, start: tuple[float, float]) -> tuple[float, float]:
    """Slope and intercept of y on x, shape (s,) each; ``start`` with fewer than three distinct x."""
    if len(np.unique(x)) < MIN_POINTS:
        return start
    slope, intercept = _huber(np.stack([x, np.ones_like(x)], axis=1), y).tolist()
    return slope, intercept


def huber_slope(x: Floats, y: Floats, start: float) -> float:
    """Slope of y on x through the origin; ``start`` with fewer than three distinct x."""
    if len(np.unique(x)) < MIN_POINTS:
        return start
    return float(_huber(x[:, None], y)[0])


def _huber(design: Floats, y: Floats) -> Floats:
    """Minimiser of the sum of Huber's rho; scale = MAD of the residuals, taken anew in every round."""
    weights = np.ones(len(y))
    coefficients: Floats = np.zeros(design.shape[1])
    for _ in range(_MAX_ROUNDS):
        root = np.sqrt(weights)
        previous = coefficients
        coefficients = np.asarray(np.linalg.lstsq(design * root[:, None], y * root, rcond=None)[0], np.float64)
        residual = np.abs(y - design @ coefficients)
        scale = MAD_TO_SD * float(np.median(residual))
        # A scale of 0 means that at least half of the points are on the line.
        if np.allclose(coefficients, previous, rtol=_TOLERANCE, atol=_TOLERANCE) or scale == 0:
            break
        weights = np.minimum(1.0, HUBER_K * scale / np.maximum(residual, 1e-12))
    return coefficients
