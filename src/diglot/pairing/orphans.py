"""How sure a matched pair is: a model of pairs against orphans that the site itself supplies.

An orphan, a page whose partner is missing, takes the nearest sibling. How such pairs look is learnt by
taking true partners away: some confident pairs lose one page, everything is matched again, and what
the bereaved pages then take is the null. No label is needed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from diglot.pairing.assignment import Mask, dense_ranks, greedy
from diglot.pairing.matching import best_alternatives
from diglot.site import Pairs

Floats = npt.NDArray[np.float64]

BEREAVED_SHARE = 0.3
MIN_CASES = 1_500
MAX_SIMULATIONS = 12
SEED_QUANTILE = 0.30
RIDGE = 10.0
"""Strength of the pull of the weights to those given (1 / C of a logistic regression with C = .1)."""
CLIP = 4.0
PRIOR_WEIGHT = 0.15
"""Weight that any one feature, anchored, has on a site that says nothing itself."""
SHARE_RANGE = (0.05, 0.97)
UNKNOWN_SHARE = 0.5
"""Where no orphan can be made, nothing speaks for or against."""


@dataclass(frozen=True)
class Evidence:
    """Scores of candidate pairs: ``columns`` (n, features) without margins, ``value`` (n,) to match by."""

    pairs: Pairs
    columns: Floats
    value: Floats
    scaled: Floats
    """The score whose own margin is a feature too."""


def margins(pairs: Pairs, value: Floats, scaled: Floats) -> Floats:
    """Smaller and larger margin of each pair over its row's and column's best alternative, and that of
    ``scaled`` over the larger alternative: float64 (n, 3)."""
    row, column = best_alternatives(pairs, value)
    other = np.maximum(*best_alternatives(pairs, scaled))
    return np.stack([value - np.maximum(row, column), value - np.minimum(row, column), scaled - other], axis=1)


def match(pairs: Pairs, value: Floats) -> Mask:
    """Greedy one-to-one matching by ``value``, highest first."""
    return greedy(pairs, dense_ranks([-value.astype(np.float32)]))


def seeds_of(evidence: Evidence, matched: Mask) -> Mask:
    """Matched pairs that are best both ways and not among the weakest."""
    edge = margins(evidence.pairs, evidence.value, evidence.scaled)[:, 0] > 0
    if not matched.any():
        return matched
    return matched & edge & (evidence.value >= np.quantile(evidence.value[matched], SEED_QUANTILE))


def simulated_orphans(evidence: Evidence, seeds: Mask, rng: np.random.Generator) -> Floats:
    """Features, margins included, of the pairs that pages take whose partner was removed."""
    cases: list[Floats] = []
    numbers = np.flatnonzero(seeds)
    for simulation in range(MAX_SIMULATIONS):
        chosen = numbers[rng.random(len(numbers)) < BEREAVED_SHARE]
        side = rng.integers(0, 2, len(chosen))
        removed = evidence.pairs[chosen, side]
        bereaved = evidence.pairs[chosen, 1 - side]
        left = ~np.isin(evidence.pairs, removed).any(axis=1)
        pairs, value = evidence.pairs[left], evidence.value[left]
        edges = margins(pairs, value, evidence.scaled[left])
        taken = match(pairs, value) & np.isin(pairs, bereaved).any(axis=1)
        cases.append(np.hstack([evidence.columns[left][taken], edges[taken]]))
        if simulation >= 1 and sum(map(len, cases)) >= MIN_CASES:
            break
    return np.concatenate(cases) if cases else np.zeros((0, evidence.columns.shape[1] + 3))


@dataclass(frozen=True)
class OrphanModel:
    """Logistic model over features anchored so that the median orphan is 0 and the median seed 1."""

    low: Floats
    width: Floats
    scale: Floats
    weights: Floats
    bias: float

    def anchored(self, features: Floats) -> Floats:
        """Features as the model takes them; no evidence stands half way between orphans and seeds."""
        scaled = (features - self.low) / self.width
        return np.clip(np.nan_to_num(scaled, nan=0.5), -CLIP, CLIP) / self.scale

    def logit(self, features: Floats) -> Floats:
        """Log odds of being a pair and not an orphan's, at even prior odds."""
        return self.anchored(features) @ self.weights + self.bias


def fit_orphan_model(seeds: Floats, orphans: Floats) -> OrphanModel:
    """Weights of ``seeds`` against ``orphans``, both classes counting alike, pulled to those of other sites."""
    prior = np.full(seeds.shape[1] if seeds.ndim == 2 else orphans.shape[1], PRIOR_WEIGHT)
    if not len(seeds) or not len(orphans):
        ones = np.ones(len(prior))
        return OrphanModel(0 * ones, ones, ones, prior, -PRIOR_WEIGHT * len(prior))
    low, high = _medians(orphans), _medians(seeds)
    both = np.concatenate([seeds, orphans])
    spread = np.nanstd(np.where(np.isnan(both).all(axis=0), 0.0, both), axis=0)
    width = np.where(np.abs(high - low) > 0.25 * spread, high - low, np.where(spread > 0, 2 * spread, 1.0))
    blank = OrphanModel(low, width, np.ones(len(low)), prior, 0.0)
    scale = blank.anchored(both).std(axis=0)
    blank = replace(blank, scale=np.where(scale > 0, scale, 1.0))
    x = np.hstack([blank.anchored(both), np.ones((len(both), 1))])
    y = np.r_[np.ones(len(seeds)), np.zeros(len(orphans))]
    size = min(len(seeds), len(orphans))
    cost = np.r_[np.full(len(seeds), size / len(seeds)), np.full(len(orphans), size / len(orphans))]
    centre = np.append(prior, 0.0)
    ridge = np.append(np.full(len(prior), RIDGE), 1e-3)
    beta = centre.copy()
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(x @ beta, -30, 30)))
        gradient = x.T @ (cost * (y - p)) - ridge * (beta - centre)
        hessian = (x * (cost * p * (1 - p))[:, None]).T @ x + np.diag(ridge)
        step = np.linalg.solve(hessian, gradient)
        beta += step
        if np.abs(step).max() < 1e-6:
            break
    return replace(blank, weights=beta[:-1], bias=float(beta[-1]))


def _medians(features: Floats) -> Floats:
    """Median of each column over its numbers, 0 where it has none."""
    return np.asarray(np.nanmedian(np.where(np.isnan(features).all(axis=0), 0.0, features), axis=0))


def parallel_share(matched: Floats, seeds: Floats, orphans: Floats) -> float:
    """Share of matched pairs that are true, from how many look like an orphan's (Storey 2002, median).

    ``matched``, ``seeds``, ``orphans``: logits of the matched pairs, of the seeds and of a fresh set of
    simulated orphans. Where the model cannot tell seeds from orphans, as among near duplicates, their
    overlap says nothing of the share, and the estimate is drawn to one half.
    """
    if not len(matched) or not len(orphans) or not len(seeds):
        return UNKNOWN_SHARE
    null = min(1.0, float(np.mean(matched <= np.median(orphans))) / 0.5)
    ranks = np.searchsorted(np.sort(orphans), seeds) / len(orphans)
    told_apart = max(0.0, 2 * float(ranks.mean()) - 1)
    share = told_apart * (1 - null) + (1 - told_apart) * UNKNOWN_SHARE
    return float(np.clip(share, *SHARE_RANGE))


def posterior(logit: Floats, share: float) -> Floats:
    """Probability of a pair from its log odds at even prior and the share of true pairs."""
    return np.asarray(1 / (1 + np.exp(-np.clip(logit + np.log(share / (1 - share)), -30, 30))))
