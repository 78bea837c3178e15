"""How sure a matched pair is: a model of pairs against orphans that the site itself supplies.

An orphan, a page whose partner is missing, takes the nearest sibling. How such pairs look is learnt by
taking true partners away: some confident pairs lose one page, everything is matched again, and what
the bereaved pages then take is the null. No label is needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from diglot.arrays import Floats, Mask, Pairs
from diglot.pairing.assignment import dense_ranks, greedy
from diglot.pairing.fused.matching import best_alternatives
from diglot.pairing.fused.prior import FEATURES, Prior

BEREAVED_SHARE = 0.3
MIN_CASES = 1_500
MAX_SIMULATIONS = 12
SEED_QUANTILE = 0.30
RIDGE, BIAS_RIDGE = 3.0, 1.0
"""Strength of the pull of the weights and of the constant to those of the prior (1 / C of a logistic regression). With
10 for both, what a site itself shows counts too little: on sites left out, true pairs get too low a probability."""
MAX_STEPS, LEAST_STEP = 50, 1e-6
MAX_SHARE_STEPS = 500
CLIP = 4.0
PRIOR_PAGES = 10.0
"""How many pairs the prior's anchors and share count for beside the site's own."""
MIN_WIDTH = 0.3
"""A site's anchors lie apart at least this share of the prior's distance, and the same way round."""
NOT_LEARNT = ("address", "link")
"""Their weights stay the prior's: seeds are chosen by them, and no simulated orphan has a misleading address."""
SHARE_RANGE = (0.05, 0.97)
UNKNOWN_SHARE = 0.5
"""Where seeds and orphans look alike, nothing speaks for or against."""


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


def simulated_orphans(
    evidence: Evidence, seeds: Mask, rng: np.random.Generator, *, copies: Mapping[int, Sequence[int]]
) -> Floats:
    """Features, margins included, of the pairs that pages take whose partner was removed.

    With a page go its near ``copies`` in the same language: who takes a copy has lost nothing.
    """
    cases: list[Floats] = []
    numbers = np.flatnonzero(seeds)
    for simulation in range(MAX_SIMULATIONS if len(numbers) else 0):
        chosen = numbers[rng.random(len(numbers)) < BEREAVED_SHARE]
        if not len(chosen):
            chosen = rng.choice(numbers, 1)
        side = rng.integers(0, 2, len(chosen))
        removed = evidence.pairs[chosen, side].tolist()
        removed = sorted({*removed, *(copy for page in removed for copy in copies.get(page, ()))})
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
    weights: Floats
    bias: float

    def anchored(self, features: Floats) -> Floats:
        """Features as the model takes them; no evidence stands half way between orphans and seeds."""
        return np.clip(np.nan_to_num((features - self.low) / self.width, nan=0.5), -CLIP, CLIP)

    def logit(self, features: Floats) -> Floats:
        """Log odds of being a pair and not an orphan's, at even prior odds."""
        return self.anchored(features) @ self.weights + self.bias


def fit_orphan_model(seeds: Floats, orphans: Floats, prior: Prior) -> OrphanModel:
    """Weights of ``seeds`` against ``orphans``, both classes counting alike, pulled to the prior's."""
    low, width = anchors(seeds, orphans, prior)
    model = OrphanModel(low, width, prior.weights, prior.bias)
    if not len(seeds) or not len(orphans):
        return model
    x = np.hstack([model.anchored(np.concatenate([seeds, orphans])), np.ones((len(seeds) + len(orphans), 1))])
    size = min(len(seeds), len(orphans))
    cost = np.r_[np.full(len(seeds), size / len(seeds)), np.full(len(orphans), size / len(orphans))]
    is_seed = np.r_[np.ones(len(seeds)), np.zeros(len(orphans))]
    ridge = np.append(np.where(np.isin(FEATURES, NOT_LEARNT), 1e6, RIDGE), BIAS_RIDGE)
    beta = logistic(x, is_seed, cost, centre=np.append(prior.weights, prior.bias), ridge=ridge)
    return OrphanModel(low, width, beta[:-1], float(beta[-1]))


def anchors(seeds: Floats, orphans: Floats, prior: Prior) -> tuple[Floats, Floats]:
    """Median orphan of each column and its distance to the median seed, drawn to the prior's on small sites."""
    low = _drawn(orphans, prior.orphan)
    width, usual = _drawn(seeds, prior.pair) - low, prior.pair - prior.orphan
    return low, np.where(width * np.sign(usual) < MIN_WIDTH * np.abs(usual), MIN_WIDTH * usual, width)


def _drawn(features: Floats, prior: Floats) -> Floats:
    known = ~np.isnan(features)
    median = np.array(
        [np.median(column[has]) if has.any() else 0.0 for column, has in zip(features.T, known.T, strict=True)]
    )
    weight = len(features) * known.any(axis=0)
    return np.asarray((weight * median + PRIOR_PAGES * prior) / (weight + PRIOR_PAGES))


def logistic(x: Floats, y: Floats, cost: Floats, *, centre: Floats, ridge: Floats) -> Floats:
    """Coefficients of a weighted logistic regression of ``y`` on ``x`` (n, k), pulled to ``centre`` by ``ridge``.

    Newton's method; a step that makes the fit worse is halved, for whole steps run away where the classes are apart.
    """
    beta, loss = centre.copy(), _loss(x, y, cost, centre, centre=centre, ridge=ridge)
    for _ in range(MAX_STEPS):
        p = 1 / (1 + np.exp(-np.clip(x @ beta, -30, 30)))
        gradient = x.T @ (cost * (y - p)) - ridge * (beta - centre)
        hessian = (x * (cost * p * (1 - p))[:, None]).T @ x + np.diag(ridge)
        step = np.linalg.solve(hessian, gradient)
        while np.abs(step).max() >= LEAST_STEP:
            tried = _loss(x, y, cost, beta + step, centre=centre, ridge=ridge)
            if tried <= loss:
                break
            step = step / 2
        if np.abs(step).max() < LEAST_STEP:
            break
        beta, loss = beta + step, tried
    return beta


def _loss(x: Floats, y: Floats, cost: Floats, beta: Floats, *, centre: Floats, ridge: Floats) -> float:
    """What :func:`logistic` makes least: negative log likelihood and penalty, in nats."""
    logit = x @ beta
    penalty = float((ridge * (beta - centre) ** 2).sum()) / 2
    return float((cost * (np.logaddexp(0, logit) - y * logit)).sum()) + penalty


def parallel_share(matched: Floats, seeds: Floats, orphans: Floats, *, usual: float) -> float:
    """Share of matched pairs that are true, from how many look like an orphan's (Storey 2002, median).

    ``matched``, ``seeds``, ``orphans``: logits of the matched pairs, of the seeds and of a fresh set of
    simulated orphans. Where the model cannot tell seeds from orphans, as among near duplicates, their
    overlap says nothing of the share, and the estimate is drawn to one half; with few pairs it is drawn
    to the ``usual`` share.
    """
    if not len(matched) or not len(orphans) or not len(seeds):
        return usual
    null = min(1.0, float(np.mean(matched <= np.median(orphans))) / 0.5)
    ranks = np.searchsorted(np.sort(orphans), seeds) / len(orphans)
    told_apart = max(0.0, 2 * float(ranks.mean()) - 1)
    share = told_apart * (1 - null) + (1 - told_apart) * UNKNOWN_SHARE
    share = float(np.clip(share, *SHARE_RANGE))
    return (len(matched) * share + PRIOR_PAGES * usual) / (len(matched) + PRIOR_PAGES)


def likeliest_share(logit: Floats) -> float:
    """The share of true pairs under which pairs with these log odds at even prior are likeliest, within SHARE_RANGE.

    EM of one mixing proportion: the share is the mean probability it leads to. Where seeds are few and unlike the
    others, overlap with their orphans (:func:`parallel_share`) gives twice the true share and more.
    """
    share = 0.5
    for _ in range(MAX_SHARE_STEPS):
        before, share = share, float(np.clip(posterior(logit, share).mean(), *SHARE_RANGE))
        if abs(share - before) < LEAST_STEP:
            break
    return share


def posterior(logit: Floats, share: float) -> Floats:
    """Probability of a pair from its log odds at even prior and the share of true pairs."""
    return np.asarray(1 / (1 + np.exp(-np.clip(logit + np.log(share / (1 - share)), -30, 30))))
