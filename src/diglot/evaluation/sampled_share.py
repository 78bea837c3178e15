"""Share of a population, with its interval, estimated from a stratified sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from diglot.evaluation.calibration import wilson_interval


@dataclass(frozen=True, slots=True)
class Stratum:
    """A part of the population: its size, the number of judged members drawn at random, and how many are right (a
    fraction for partly right ones)."""

    population: int
    judged: int
    right: float


@dataclass(frozen=True, slots=True)
class SampledShare:
    """``share`` in [0, 1] with its 95% interval.

    ``population``: size of the strata with a verdict; ``covered``: their part of the whole population.
    """

    share: float
    low: float
    high: float
    judged: int
    population: int
    covered: float


def sampled_share(strata: Sequence[Stratum]) -> SampledShare | None:
    """Share of the population, strata weighted by size; None without a judged member.

    The interval is Wilson's, for the size of a simple sample with the same precision (Kish 1965, section 8.2), with the
    correction for a finite population (Cochran 1977, section 2.6).
    """
    sampled = [each for each in strata if each.judged]
    if not sampled:
        return None
    population = sum(max(each.population, each.judged) for each in sampled)
    weights = [max(each.population, each.judged) / population for each in sampled]
    judged = sum(each.judged for each in sampled)
    share = sum(weight * each.right / each.judged for weight, each in zip(weights, sampled, strict=True))
    left = population - judged
    if not left:
        return SampledShare(share, share, share, judged, population, _coverage(sampled, strata))
    size = 1 / sum(weight**2 / each.judged for weight, each in zip(weights, sampled, strict=True))
    size *= (population - 1) / left
    low, high = wilson_interval(share * size, size)
    return SampledShare(share, low, high, judged, population, _coverage(sampled, strata))


def _coverage(sampled: Sequence[Stratum], strata: Sequence[Stratum]) -> float:
    total = sum(each.population for each in strata)
    return sum(each.population for each in sampled) / total if total else 1.0
