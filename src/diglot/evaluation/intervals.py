"""Confidence intervals: of scores by bootstrap over groups of pages, of a share by a stratified sample."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from diglot.arrays import connected_groups
from diglot.evaluation.calibration import wilson_interval
from diglot.evaluation.gold import GoldPair
from diglot.evaluation.pairs import ScoredProposal

RESAMPLES = 1_000
RESAMPLING_SEED = 20_101
CONFIDENCE_LEVEL = 0.95
_BATCH_CELLS = 4_000_000

Counts = npt.NDArray[np.int64]
"""Counts by group of pages, shape (groups, 4): gold, proposed, relevant, found."""
Interval = tuple[float, float]


def grouped_counts(gold: Iterable[GoldPair], judged: Sequence[ScoredProposal]) -> Counts:
    """Split the counts of scores by groups of pages.

    Gold pairs connect the pages of a group, usually one page in all its languages: these versions share a template and
    are lost together, so they are no independent observations. A proposal belongs to the group of its first page in the
    gold. Proposals of orphans are grouped by common pages.
    """
    number: dict[str, int] = {}
    edges = {frozenset((pair.url1, pair.url2)): _number_pages(number, pair.url1, pair.url2) for pair in gold}
    known = len(number)
    homes = []
    links = list(edges.values())
    for each in judged:
        src, tgt = _number_pages(number, each.src_url, each.tgt_url)
        homes.append(src if src < known else tgt if tgt < known else src)
        if src >= known and tgt >= known:
            links.append((src, tgt))
    group_of = connected_groups(np.array(links, np.int64).reshape(-1, 2), len(number))
    counts = np.zeros((int(group_of.max(initial=-1)) + 1, 4), np.int64)
    np.add.at(counts[:, 0], group_of[[src for src, _ in edges.values()]], 1)
    np.add.at(counts[:, 1], group_of[homes], 1)
    np.add.at(counts[:, 2], group_of[homes], [each.relevant for each in judged])
    np.add.at(counts[:, 3], group_of[homes], [each.right for each in judged])
    return counts[counts.any(axis=1)]


def intervals(counts: Counts, *, resamples: int = RESAMPLES) -> dict[str, Interval]:
    """95% percentile intervals, in [0, 1], of the shares of ``PairScores``, by name.

    {} for fewer than two groups. Same counts, same intervals. Resampling gives no width where all groups
    agree: the interval of a share of 1 or 0 then comes from the rule of three, about 3 / groups.

    Source: Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 13; groups drawn whole as in
    Field and Welsh 2007, Bootstrapping clustered data; Hanley and Lippman-Hand 1983, If nothing goes wrong, is
    everything all right?
    """
    groups = len(counts)
    if groups < 2:
        return {}
    random = np.random.default_rng(RESAMPLING_SEED)
    # In batches: all resamples of a large gold at once would fill the memory.
    batch = max(1, _BATCH_CELLS // groups)
    totals = np.concatenate(
        [
            random.multinomial(groups, np.full(groups, 1 / groups), size=min(batch, resamples - start)) @ counts
            for start in range(0, resamples, batch)
        ]
    )
    tails = (1 - CONFIDENCE_LEVEL) / 2, (1 + CONFIDENCE_LEVEL) / 2
    seen = _groups_seen(counts)
    return {name: _bounds(np.quantile(values, tails), seen[name]) for name, values in _shares(totals).items()}


def _shares(totals: Counts) -> dict[str, npt.NDArray[np.float64]]:
    gold, proposed, relevant, found = totals.T.astype(np.float64)
    recall, precision, strict = (_ratio(found, whole) for whole in (gold, relevant, proposed))
    return {
        "recall": recall,
        "precision": precision,
        "strict_precision": strict,
        "f1": _ratio(2 * recall * precision, recall + precision),
        "strict_f1": _ratio(2 * recall * strict, recall + strict),
    }


def _ratio(part: npt.NDArray[np.float64], whole: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def _groups_seen(counts: Counts) -> dict[str, int]:
    """Number of groups that count for each share."""
    gold, proposed, relevant, _ = np.count_nonzero(counts, axis=0).tolist()
    return {"recall": gold, "precision": relevant, "strict_precision": proposed, "f1": gold, "strict_f1": gold}


def _bounds(ends: npt.NDArray[np.float64], groups: int) -> Interval:
    low, high = ends.tolist()
    # The share of groups that differ can be this large: with a chance of 5%, so many groups show none of them.
    hidden = 1 - (1 - CONFIDENCE_LEVEL) ** (1 / groups) if groups else 1.0
    if low == high == 1:
        return 1 - hidden, 1.0
    return (0.0, hidden) if low == high == 0 else (low, high)


def _number_pages(number: dict[str, int], one: str, other: str) -> tuple[int, int]:
    return number.setdefault(one, len(number)), number.setdefault(other, len(number))


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
