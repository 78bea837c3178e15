"""The probability of a matched pair, by a model of pairs against orphans that the site itself supplies.

An orphan, a page without its partner, takes the nearest sibling. The null distribution of such pairs is learnt by
taking partners away: some matched pairs lose one page, everything is matched again, and the bereaved pages take
orphans' pairs. No labels are needed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from diglot.arrays import Floats, Mask
from diglot.pairing.fused.evidence import FEATURES, MARGIN, SUPPORT, Evidence
from diglot.pairing.fused.matching import one_to_one
from diglot.pairing.fused.prior import Prior

# How orphans are simulated and the model is fitted to them. Calibrated together on the development sites: a change of
# one is judged by benchmarks/train_fused_prior.py over all of them, never by one site.
SEED_QUANTILE = 0.30
"""Quantile of the matching values above which matched pairs are seeds; the weakest pairs are too often orphans'."""
BEREAVED_SHARE = 0.3
"""Share of the pairs that lose a page in a simulation: enough for many cases, few enough to leave siblings."""
MIN_CASES, MAX_SIMULATIONS = 1_500, 12
"""Number of cases at which simulations end, after two at least; most simulations."""
RIDGE, BIAS_RIDGE = 3.0, 1.0
"""Ridge of the weights and of the constant towards the prior's (1 / C of a logistic regression). With 10 for both, the
site's own evidence counts too little: on held-out sites, true pairs get too low a probability."""
FIXED_RIDGE = 1e6
"""Ridge of weights that stay the prior's."""
CLIP = 4.0
"""Bound of anchored evidence: four times as far from the median orphan as the median seed."""
PRIOR_PAGES = 10.0
"""Weight of the prior's anchors and share, in pairs of the site; also of the share of all pairs in that of a kind."""
MIN_WIDTH = 0.3
"""Least distance of a site's anchors, as a share of the distance in the prior and in the same direction."""

SHARE_RANGE = (0.05, 0.97)
"""Bounds of estimated shares of true pairs: no estimate rules out either."""
UNKNOWN_SHARE = 0.5
"""Share of true pairs where seeds and orphans look alike."""
MAX_STEPS, LEAST_STEP, MAX_SHARE_STEPS = 50, 1e-6, 500
"""Most steps of Newton's method; change that ends Newton's method and EM; most steps of EM."""


def best_pairs(evidence: Evidence, matched: Mask) -> Mask:
    """Mask of the matched pairs that are the best of both pages, (n,)."""
    return matched & (evidence.features[:, MARGIN] > 0)


def seeds_of(evidence: Evidence, matched: Mask) -> Mask:
    """Mask of seeds, (n,): best pairs that are not among the weakest matched pairs."""
    if not matched.any():
        return matched
    return best_pairs(evidence, matched) & (evidence.value >= np.quantile(evidence.value[matched], SEED_QUANTILE))


def simulated_orphans(evidence: Evidence, together: Mask, rng: np.random.Generator) -> Floats:
    """Features of the pairs that pages take after the loss of their partner, margins included: (m, len(FEATURES)).

    ``together``: mask of the matched pairs, (n,), some of which lose a page.
    """
    cases: list[Floats] = []
    numbers = np.flatnonzero(together)
    for simulation in range(MAX_SIMULATIONS if len(numbers) else 0):
        # A small site may draw no pair at all.
        chosen = numbers[rng.random(len(numbers)) < BEREAVED_SHARE]
        if not len(chosen):
            chosen = rng.choice(numbers, 1)
        # Both languages lose pages, because both have orphans.
        side = rng.integers(0, 2, len(chosen))
        bereaved = evidence.pairs[chosen, 1 - side]
        left = evidence.without(evidence.pairs[chosen, side])
        taken = one_to_one(left.pairs, left.value) & np.isin(left.pairs, bereaved).any(axis=1)
        cases.append(left.features[taken])
        if simulation >= 1 and sum(map(len, cases)) >= MIN_CASES:
            break
    return np.concatenate(cases) if cases else np.zeros((0, len(FEATURES)))


@dataclass(frozen=True)
class OrphanModel:
    """Logistic model over features anchored at the median orphan, 0, and the median seed, 1."""

    low: Floats
    width: Floats
    weights: Floats
    bias: float

    def anchor(self, features: Floats) -> Floats:
        """Anchored features, missing evidence half way between orphans and seeds."""
        return np.clip(np.nan_to_num((features - self.low) / self.width, nan=0.5), -CLIP, CLIP)

    def logit(self, features: Floats) -> Floats:
        """Log odds of a pair against an orphan's pair, at even prior odds."""
        return self.anchor(features) @ self.weights + self.bias


def fit_orphan_model(seeds: Floats, orphans: Floats, prior: Prior) -> OrphanModel:
    """Weights of ``seeds`` against ``orphans``, both classes counting alike, shrunk to the prior's."""
    low, width = anchors(seeds, orphans, prior)
    model = OrphanModel(low, width, prior.weights, prior.bias)
    if not len(seeds) or not len(orphans):
        return model
    x = np.hstack([model.anchor(np.concatenate([seeds, orphans])), np.ones((len(seeds) + len(orphans), 1))])
    size = min(len(seeds), len(orphans))
    cost = np.r_[np.full(len(seeds), size / len(seeds)), np.full(len(orphans), size / len(orphans))]
    is_seed = np.r_[np.ones(len(seeds)), np.zeros(len(orphans))]
    # Addresses and links keep their weights: simulated orphans never have a misleading address.
    ridge = np.append(np.where(np.isin(np.arange(len(FEATURES)), SUPPORT), FIXED_RIDGE, RIDGE), BIAS_RIDGE)
    beta = logistic_regression(x, is_seed, cost, centre=np.append(prior.weights, prior.bias), ridge=ridge)
    return OrphanModel(low, width, beta[:-1], float(beta[-1]))


def anchors(seeds: Floats, orphans: Floats, prior: Prior) -> tuple[Floats, Floats]:
    """By column, the median orphan and the distance from it to the median seed; small sites shrink to the prior."""
    low = _shrink_medians(orphans, prior.orphan)
    width, usual = _shrink_medians(seeds, prior.pair) - low, prior.pair - prior.orphan
    # Of columns where less is better, as length, the width is negative.
    return low, np.where(width * np.sign(usual) < MIN_WIDTH * np.abs(usual), MIN_WIDTH * usual, width)


def _shrink_medians(features: Floats, prior: Floats) -> Floats:
    known = ~np.isnan(features)
    median = np.array(
        [np.median(column[has]) if has.any() else 0.0 for column, has in zip(features.T, known.T, strict=True)]
    )
    weight = len(features) * known.any(axis=0)
    return np.asarray((weight * median + PRIOR_PAGES * prior) / (weight + PRIOR_PAGES))


def logistic_regression(x: Floats, y: Floats, cost: Floats, *, centre: Floats, ridge: Floats) -> Floats:
    """Coefficients (k,) of a weighted logistic regression of ``y`` on ``x`` (n, k), shrunk to ``centre`` by ``ridge``.

    ``cost``: weight of each row, (n,). All values are finite. Newton's method with halved steps.
    """
    beta, loss = centre.copy(), _loss(x, y, cost, centre, centre=centre, ridge=ridge)
    for _ in range(MAX_STEPS):
        p = 1 / (1 + np.exp(-np.clip(x @ beta, -30, 30)))
        gradient = x.T @ (cost * (y - p)) - ridge * (beta - centre)
        hessian = (x * (cost * p * (1 - p))[:, None]).T @ x + np.diag(ridge)
        step = np.linalg.solve(hessian, gradient)
        # A step that makes the fit worse is halved: whole steps run away where the classes are separable.
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
    """Objective of :func:`logistic_regression`: negative log likelihood and penalty, in nats."""
    logit = x @ beta
    penalty = float((ridge * (beta - centre) ** 2).sum()) / 2
    return float((cost * (np.logaddexp(0, logit) - y * logit)).sum()) + penalty


def parallel_share(matched: Floats, seeds: Floats, orphans: Floats, *, usual: float) -> float:
    """Share of true pairs among the matched, from the number that look like an orphan's (Storey 2002, median).

    ``matched``, ``seeds``, ``orphans``: logits of the matched pairs, of the seeds and of a fresh set of simulated
    orphans. If the model cannot separate seeds from orphans, as among near duplicates, their overlap is uninformative
    and the estimate is shrunk to one half; with few pairs it is shrunk to the ``usual`` share.
    """
    if not len(matched) or not len(orphans) or not len(seeds):
        return usual
    # Half of all orphans lie below their median: twice the share of matched pairs there is the share of orphans.
    null = min(1.0, float(np.mean(matched <= np.median(orphans))) / 0.5)
    ranks = np.searchsorted(np.sort(orphans), seeds) / len(orphans)
    separation = max(0.0, 2 * float(ranks.mean()) - 1)
    share = separation * (1 - null) + (1 - separation) * UNKNOWN_SHARE
    share = float(np.clip(share, *SHARE_RANGE))
    return (len(matched) * share + PRIOR_PAGES * usual) / (len(matched) + PRIOR_PAGES)


def likeliest_share(logit: Floats) -> float:
    """The maximum-likelihood share of true pairs given their log odds at even prior, within SHARE_RANGE.

    EM of one mixing proportion: the share is the mean probability under it. If seeds are few and untypical, overlap
    with their orphans (:func:`parallel_share`) overestimates the share twofold and more.
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


def log_odds(probability: npt.ArrayLike) -> Floats:
    """Log odds in nats of probabilities of any shape, clipped a millionth off 0 and 1."""
    inside = np.clip(probability, 1e-6, 1 - 1e-6)
    return np.asarray(np.log(inside / (1 - inside)))
