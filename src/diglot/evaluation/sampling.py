"""How many items to check by hand so that a share is known within a margin."""

from __future__ import annotations

import math

Z_95 = 1.96
"""Standard score of 95% confidence."""


def cochran_sample_size(population: int, *, margin: float = 0.05, share: float = 0.5, z: float = Z_95) -> int:
    """Items to draw from ``population`` (>= 0) to know a share within ``margin``, at the confidence of ``z``.

    ``share``: the share expected, 0.5 where nothing is known. With correction for a finite population.
    Raises ``ValueError`` for a margin or share outside (0, 1). Source: Cochran 1977, *Sampling Techniques*,
    4.4 (after Assylbekov et al. 2015, section 4).
    """
    if not 0 < margin < 1 or not 0 < share < 1:
        raise ValueError(f"margin {margin} and share {share} must lie between 0 and 1")
    unlimited = z**2 * share * (1 - share) / margin**2
    return math.ceil(unlimited / (1 + (unlimited - 1) / population)) if population > 0 else 0
