"""Calibration: whether a probability of 0.9 is right nine times in ten."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

BINS = 10
BANDS = (0.0, 0.5, 0.8, 0.9, 0.95, 1.0)
"""Limits of the bands of scores; narrow near 1, where most segments are."""
_Z_95 = 1.959964
"""Half width, in standard deviations, of the central 95% of a normal distribution."""


@dataclass(frozen=True, slots=True)
class Bin:
    """Predictions with a probability in [low, high), the last bin including 1."""

    low: float
    high: float
    predictions: int
    right: int
    mean_probability: float
    """0 for an empty bin."""

    @property
    def share_right(self) -> float:
        """In [0, 1]; 0 for an empty bin."""
        return self.right / self.predictions if self.predictions else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """95% confidence interval of ``share_right``."""
        return wilson_interval(self.right, self.predictions)


def reliability_bins(probabilities: Sequence[float], right: Sequence[bool]) -> tuple[Bin, ...]:
    """Ten bins of equal width over [0, 1]; both sequences have one entry for each prediction.

    Source: Guo et al. 2017, On Calibration of Modern Neural Networks, section 2 (reliability diagrams).
    """
    members: list[list[tuple[float, bool]]] = [[] for _ in range(BINS)]
    for probability, is_right in zip(probabilities, right, strict=True):
        members[min(int(probability * BINS), BINS - 1)].append((probability, is_right))
    return tuple(
        Bin(
            low=number / BINS,
            high=(number + 1) / BINS,
            predictions=len(inside),
            right=sum(is_right for _, is_right in inside),
            mean_probability=math.fsum(p for p, _ in inside) / len(inside) if inside else 0.0,
        )
        for number, inside in enumerate(members)
    )


def calibration_error(bins: Sequence[Bin]) -> float:
    """Expected calibration error in [0, 1]: mean gap of share right and mean probability, by predictions.

    NaN without predictions. Source: Guo et al. 2017, equation 3.
    """
    total = sum(each.predictions for each in bins)
    if not total:
        return math.nan
    return math.fsum(each.predictions * abs(each.share_right - each.mean_probability) for each in bins) / total


def wilson_interval(right: float, total: float) -> tuple[float, float]:
    """95% interval of a share, (0, 1) where ``total`` is 0.

    Source: Wilson 1927, the score interval, which stays inside [0, 1] and holds for few observations.
    """
    if not total:
        return 0.0, 1.0
    share, z2 = right / total, _Z_95**2
    centre = share + z2 / (2 * total)
    half = _Z_95 * math.sqrt(share * (1 - share) / total + z2 / (4 * total**2))
    low, high = ((centre + sign * half) / (1 + z2 / total) for sign in (-1, 1))
    # Rounding may leave the bounds a little inside of 0 and 1.
    return (0.0 if right == 0 else low), (1.0 if right == total else high)
