"""The probability that pages of like structure and length translate each other: two models, learnt by hard EM.

Source: Assylbekov, Nurkas & Mouga 2015, *A Statistical Model for Measuring Structural Similarity between Webpages*,
sections 3.1 to 3.3, with the paper's names: a pair has w unmatched tokens, its pages m and n tokens and l1 and l2
characters of text.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from diglot.arrays import Floats, Mask
from diglot.features.robust import huber_line, huber_slope
from diglot.pairing.strand_em.densities import Mixture, fit_mixture, log_empirical_density, log_unit_mass

MIN_MEMBERS = 5
"""Least members of a class to learn from (reading E.7)."""
MAX_ROUNDS = 100
"""Rounds of EM at most (reading E.6)."""

COLLAPSE_SHARE = 0.95
COLLAPSE_GAIN_NATS = 0.5
"""A fit that calls nearly all candidates parallel, though one length hardly predicts the other, has collapsed. Both
bounds are ours, from simulation and the evaluation sites (docs/theory/strand-em.md)."""

_Q_MARGIN = 1e-6


@dataclass(frozen=True, slots=True)
class Observations:
    """Observations of s candidate pairs; float64 arrays of shape (s,) of whole numbers."""

    w: Floats
    m: Floats
    n: Floats
    l1: Floats
    l2: Floats

    def __len__(self) -> int:
        return len(self.w)

    def of(self, mask: Mask) -> Observations:
        """The pairs that a mask chooses."""
        return Observations(self.w[mask], self.m[mask], self.n[mask], self.l1[mask], self.l2[mask])


@dataclass(frozen=True, slots=True)
class Parameters:
    """The 11 parameters of the parallel model, the one of the other, and the prior; defaults are the paper's start."""

    q_parallel: float = 0.2
    q_other: float = 0.5
    k: float = 1.0
    b: float = 0.0
    mixture: Mixture = field(default_factory=Mixture)
    a: float = 1.0
    c: float = 0.0
    sigma: float = math.sqrt(6.8)
    prior: float = 2 / 3


@dataclass(frozen=True, slots=True)
class Marginals:
    """Log empirical densities of the four counts, each over all candidates, shape (s,)."""

    m: Floats
    n: Floats
    l1: Floats
    l2: Floats


@dataclass(frozen=True)
class StructuralFit:
    """A fit, and the log odds of every pair, NaN where the model abstains."""

    observations: Observations
    parameters: Parameters
    parallel: Mask
    log_odds: Floats
    rounds: int
    notes: tuple[str, ...] = ()

    @property
    def probability(self) -> Floats:
        """Posterior probability that each pair is parallel, in [0, 1]; NaN where the model abstains."""
        from scipy.special import expit

        probability: Floats = expit(self.log_odds)
        return probability


def fit_structural_model(observations: Observations, start: Parameters | None = None) -> StructuralFit:
    """Hard EM (paper, Algorithm 1): assign by eq. 17, estimate both classes, until no pair changes class.

    A cycle of assignments ends at its likeliest member. Below five pairs, or five in the parallel class, the model
    abstains with a note; a small class of other pairs keeps its start.
    """
    start = start or Parameters()
    if len(observations) < MIN_MEMBERS:
        return _abstain(observations, start, 0, f"only {len(observations)} candidate pairs")
    marginals = empirical_densities(observations)
    parameters, notes = start, []
    seen: dict[bytes, tuple[float, Parameters]] = {}
    while True:
        odds = log_odds(observations, parameters, marginals)
        parallel = odds > 0
        if parallel.sum() < MIN_MEMBERS:
            return _abstain(observations, parameters, len(seen), f"only {parallel.sum()} pairs look parallel")
        key = np.packbits(parallel).tobytes()
        # An assignment seen before is a fixed point or the start of a cycle.
        if key in seen or len(seen) == MAX_ROUNDS:
            break
        parameters = estimate(observations, parallel, parameters)
        seen[key] = log_likelihood(observations, parallel, parameters, marginals), parameters
    if key != next(reversed(seen)):
        parameters = _likeliest(seen, key)
        odds = log_odds(observations, parameters, marginals)
        parallel = odds > 0
        notes.append("no settled classes: the likeliest of those that EM went through was taken")
    notes += _warnings(observations, parameters, parallel, marginals)
    return StructuralFit(observations, parameters, parallel, odds, len(seen), tuple(notes))


def empirical_densities(seen: Observations) -> Marginals:
    """The empirical densities of eq. 8 to 15; they do not depend on the class."""
    return Marginals(*(log_empirical_density(values) for values in (seen.m, seen.n, seen.l1, seen.l2)))


def log_parallel(seen: Observations, parameters: Parameters, marginals: Marginals) -> Floats:
    """log A of a parallel pair (eq. 10)."""
    p = parameters
    tokens = p.mixture.log_mass(seen.n - p.k * seen.m - p.b)
    return _log_binomial(seen, p.q_parallel) + marginals.m + tokens + marginals.l1 + _log_lengths(seen, p)


def log_other(seen: Observations, parameters: Parameters, marginals: Marginals) -> Floats:
    """log A of a pair that is not parallel (eq. 15)."""
    independent = marginals.m + marginals.n + marginals.l1 + marginals.l2
    return _log_binomial(seen, parameters.q_other) + independent


def log_odds(seen: Observations, parameters: Parameters, marginals: Marginals) -> Floats:
    """Log of the posterior odds; above 0 a pair is parallel: eq. 17, line 4 of Algorithm 1 times p (1 - p)."""
    prior = math.log(parameters.prior) - math.log1p(-parameters.prior)
    return log_parallel(seen, parameters, marginals) - log_other(seen, parameters, marginals) + prior


def log_likelihood(seen: Observations, parallel: Mask, parameters: Parameters, marginals: Marginals) -> float:
    """Log of the complete likelihood (eq. 16), without its constant."""
    ours = log_parallel(seen, parameters, marginals) + math.log(parameters.prior)
    others = log_other(seen, parameters, marginals) + math.log1p(-parameters.prior)
    return float(np.where(parallel, ours, others).sum())


def estimate(seen: Observations, parallel: Mask, last: Parameters) -> Parameters:
    """The M-step (Algorithm 1, lines 11 to 23), with sigma the square root of line 22's slope (reading E.2)."""
    ours, others = seen.of(parallel), seen.of(~parallel)
    k, b = huber_line(ours.m, ours.n, (last.k, last.b))
    a, c = huber_line(ours.l1, ours.l2, (last.a, last.c))
    variance = huber_slope(ours.l1, (ours.l2 - a * ours.l1 - c) ** 2, last.sigma**2)
    count = len(seen)
    return Parameters(
        q_parallel=_pooled_share(ours, last.q_parallel),
        q_other=_pooled_share(others, last.q_other),
        k=k,
        b=b,
        mixture=fit_mixture(ours.n - k * ours.m - b, Mixture()),
        a=a,
        c=c,
        sigma=math.sqrt(max(variance, 0.0)),
        prior=float(np.clip(parallel.mean(), 1 / count, 1 - 1 / count)),
    )


def _log_binomial(seen: Observations, q: float) -> Floats:
    total = seen.m + seen.n
    from scipy.special import gammaln

    ways = gammaln(total + 1) - gammaln(seen.w + 1) - gammaln(total - seen.w + 1)
    result: Floats = ways + seen.w * math.log(q) + (total - seen.w) * math.log1p(-q)
    return result


def _log_lengths(seen: Observations, p: Parameters) -> Floats:
    return log_unit_mass(seen.l2 - p.a * seen.l1 - p.c, p.sigma * np.sqrt(seen.l1))


def _pooled_share(seen: Observations, last: float) -> float:
    total = float((seen.m + seen.n).sum())
    if len(seen) < MIN_MEMBERS or total == 0:
        return last
    return float(np.clip(seen.w.sum() / total, _Q_MARGIN, 1 - _Q_MARGIN))


def _likeliest(seen: dict[bytes, tuple[float, Parameters]], first: bytes) -> Parameters:
    """Parameters of the likeliest round of a cycle, or of all rounds where the cap ended EM."""
    rounds = list(seen)
    cycle = rounds[rounds.index(first) :] if first in seen else rounds
    return max((seen[key] for key in cycle), key=lambda entry: entry[0])[1]


def _abstain(observations: Observations, parameters: Parameters, rounds: int, why: str) -> StructuralFit:
    count = len(observations)
    note = f"abstains: {why}, and fewer than {MIN_MEMBERS} teach nothing"
    return StructuralFit(observations, parameters, np.zeros(count, bool), np.full(count, np.nan), rounds, (note,))


def _warnings(seen: Observations, p: Parameters, parallel: Mask, marginals: Marginals) -> list[str]:
    share = float(parallel.mean())
    gain = length_gain_nats(seen, p, parallel, marginals)
    notes = []
    if share >= COLLAPSE_SHARE and gain < COLLAPSE_GAIN_NATS:
        notes.append(
            f"collapsed: {share:.0%} of {len(seen)} candidates called parallel though their lengths hardly agree; "
            "fewer candidates (links, URL rules) may help"
        )
    elif (~parallel).sum() < MIN_MEMBERS:
        notes.append(f"{share:.0%} of {len(seen)} candidates called parallel: too few others to learn from")
    return notes


def length_gain_nats(seen: Observations, p: Parameters, parallel: Mask, marginals: Marginals) -> float:
    """Mean log ratio of eq. 9 to eq. 14 in the parallel class: how much better than chance l1 predicts l2."""
    return float((_log_lengths(seen, p) - marginals.l2)[parallel].mean())
