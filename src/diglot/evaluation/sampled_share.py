"""What a sample says of all that it was drawn from: a share and its interval, also of parts drawn unequally."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from diglot.evaluation.calibration import wilson_interval


@dataclass(frozen=True, slots=True)
class Stratum:
    """A part of what is estimated, of which some were drawn at random: how many it has, were judged, and were right
    (a fraction for what is right in part)."""

    population: int
    judged: int
    right: float


@dataclass(frozen=True, slots=True)
class SampledShare:
    """``share`` in [0, 1] with its 95% interval; ``population``: of how many; ``covered``: the share of all that parts
    with a verdict hold, those without being left out of account."""

    share: float
    low: float
    high: float
    judged: int
    population: int
    covered: float


def sampled_share(strata: Sequence[Stratum]) -> SampledShare | None:
    """The share of all, each part weighing as much as it has; None where nothing is judged.

    The interval is Wilson's at the size that a plain sample of the same precision would have (Kish 1965, section 8.2),
    narrower where much of the whole is judged, and a point where all is (Cochran 1977, section 2.6).
    """
    told = [each for each in strata if each.judged]
    if not told:
        return None
    population = sum(max(each.population, each.judged) for each in told)
    weights = [max(each.population, each.judged) / population for each in told]
    judged = sum(each.judged for each in told)
    share = sum(weight * each.right / each.judged for weight, each in zip(weights, told, strict=True))
    left = population - judged
    if not left:
        return SampledShare(share, share, share, judged, population, _covered(told, strata))
    size = 1 / sum(weight**2 / each.judged for weight, each in zip(weights, told, strict=True))
    size *= (population - 1) / left
    low, high = wilson_interval(share * size, size)
    return SampledShare(share, low, high, judged, population, _covered(told, strata))


def _covered(told: Sequence[Stratum], strata: Sequence[Stratum]) -> float:
    total = sum(each.population for each in strata)
    return sum(each.population for each in told) / total if total else 1.0
