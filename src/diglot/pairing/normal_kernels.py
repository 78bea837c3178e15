"""The normal distribution."""

from __future__ import annotations

import cython
from cython.cimports.diglot.arrays import Floats, FloatsOut
from cython.cimports.diglot.libm import erfc, log, log1p, sqrt

FAR = 37.0
"""Standard deviations below the mean, from which on the mass is too small for a float."""

_FAR = cython.declare(cython.double, FAR)
_PI = cython.declare(cython.double, 3.141592653589793)


def fill_log_normal_cdf(values: Floats, logs: FloatsOut) -> None:
    """Fill ``logs`` with the log of the standard normal mass below each value."""
    with cython.nogil:
        for k in range(values.shape[0]):
            value = values[k]
            if value > 0:
                logs[k] = log1p(-0.5 * erfc(value / sqrt(2.0)))
            elif value > -_FAR:
                logs[k] = log(0.5 * erfc(-value / sqrt(2.0)))
            else:
                # Asymptotic series, Abramowitz and Stegun 1964, 26.2.12.
                square = value * value
                logs[k] = log1p((3 / square - 1) / square) - 0.5 * square - log(-value) - 0.5 * log(2 * _PI)
