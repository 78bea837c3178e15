"""The probability that pages of like structure and length translate each other: two models, learnt by hard EM.

Source: Assylbekov, Nurkas & Mouga 2015, *A Statistical Model for Measuring Structural Similarity between Webpages*,
sections 3.1 to 3.3, with the paper's names: a pair has w unmatched tokens, its pages m and n tokens and l1 and l2
characters of text. Counts have log probabilities under a normal, an empirical density and a mixture of two normals;
lines are fitted by Huber's regression.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from diglot.arrays import MAD_TO_SD, Floats, Mask, sigmoid
from diglot.layout import count_text
from diglot.pairing.normal_kernels import fill_log_normal_cdf

MIN_MEMBERS = 5
"""Least members of a class to learn from (reading E.7)."""
MAX_ROUNDS = 100
"""Rounds of EM at most (reading E.6)."""

COLLAPSE_SHARE = 0.95
COLLAPSE_GAIN_NATS = 0.5
"""A fit has collapsed if nearly all candidates are called parallel though the source length hardly predicts the
target length. Both bounds are ours, from simulation and the evaluation sites (docs/theory/strand-em.md)."""

_Q_MARGIN = 1e-6
"""Least distance of a share of unmatched tokens from 0 and 1."""
MIN_SD = 0.5
"""Least standard deviation of a count or length: half a unit, the resolution of whole numbers."""

_MAX_BINS = 1 << 20
"""Most bins of an empirical density; wider ranges have several whole numbers in a bin."""
_MAX_MIXTURE_ROUNDS = 200
_MIXTURE_TOLERANCE = 1e-6
_REACH = 8.0
"""Number of bandwidths beyond which a kernel is 0."""
HUBER_K = 1.345
"""Residuals up to this many scales count in full: 95% efficiency on normal errors (Huber)."""
MIN_POINTS = 3
"""Least number of distinct points for a line (reading E.12)."""

_MAX_HUBER_ROUNDS = 100
_HUBER_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Mixture:
    """``share`` of the first component, means and standard deviations of both (paper, eq. 3)."""

    share: float = 0.5
    means: tuple[float, float] = (0.0, 0.0)
    sds: tuple[float, float] = (1.0, 10.0)

    def log_mass(self, values: Floats) -> Floats:
        """Log of the probability within half a unit of each value (the integral of eq. 8)."""
        mass: Floats = np.logaddexp(*self._parts(values))
        return mass

    def first_share(self, values: Floats) -> Floats:
        """Probability that each value came from the first component."""
        first, second = self._parts(values)
        share: Floats = np.exp(first - np.logaddexp(first, second))
        return share

    def _parts(self, values: Floats) -> tuple[Floats, Floats]:
        first, second = (log_unit_mass(values - mean, sd) for mean, sd in zip(self.means, self.sds, strict=True))
        return np.log(self.share) + first, np.log1p(-self.share) + second


@dataclass(frozen=True, slots=True)
class Observations:
    """Counts of s candidate pairs, named as in the paper (see the module); whole numbers, float64 of shape (s,)."""

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
    """The 11 parameters of the parallel model, the parameter of the other model, and the prior; by default the
    paper's start."""

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
        """Posterior probability (s,) of a parallel pair, in [0, 1]; NaN where the model abstains."""
        return sigmoid(self.log_odds)


def fit_structural_model(observations: Observations) -> StructuralFit:
    """Hard EM (paper, Algorithm 1): assign by eq. 17, estimate both classes, until no pair changes class.

    If the assignments go in a circle, the likeliest of them is taken. With fewer than five pairs, or fewer than five in
    the parallel class, the model abstains with a note; a smaller class of other pairs keeps its last parameter.
    """
    start = Parameters()
    if len(observations) < MIN_MEMBERS:
        return _abstain(observations, start, 0, f"only {count_text(len(observations), 'candidate pair')}")
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
    # The last assignment once more: a fixed point. An earlier one: a cycle. A new one: MAX_ROUNDS are over.
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
    """Log probability of the counts of each pair under the parallel model (A of eq. 10)."""
    p = parameters
    tokens = p.mixture.log_mass(seen.n - p.k * seen.m - p.b)
    return _log_binomial(seen, p.q_parallel) + marginals.m + tokens + marginals.l1 + _log_lengths(seen, p)


def log_other(seen: Observations, parameters: Parameters, marginals: Marginals) -> Floats:
    """Log probability of the counts of each pair under the model of the other class (A of eq. 15)."""
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
    # Logarithm of each factorial.
    log_factorials = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, int(total.max(initial=0)) + 1)))])
    whole, chosen, left = (log_factorials[count.astype(np.int64)] for count in (total, seen.w, total - seen.w))
    result: Floats = whole - chosen - left + seen.w * math.log(q) + (total - seen.w) * math.log1p(-q)
    return result


def _log_lengths(seen: Observations, p: Parameters) -> Floats:
    return log_unit_mass(seen.l2 - p.a * seen.l1 - p.c, p.sigma * np.sqrt(seen.l1))


def _pooled_share(seen: Observations, last: float) -> float:
    total = float((seen.m + seen.n).sum())
    if len(seen) < MIN_MEMBERS or total == 0:
        return last
    # A share of exactly 0 or 1 would make a single odd pair impossible.
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


def log_normal_cdf(values: Floats) -> Floats:
    """Log of the standard normal mass below each value, exact to 1e-8 however far out."""
    logs = np.empty(len(values))
    fill_log_normal_cdf(np.ascontiguousarray(values, np.float64), logs)
    return logs


def log_unit_mass(residual: Floats, sd: Floats | float) -> Floats:
    """Log of the normal mass within half a unit of ``residual``, mean 0; finite at any distance.

    Source: the continuity correction of Assylbekov et al. 2015, eq. 8 and 9.
    """
    sd = np.maximum(sd, MIN_SD)
    near, far = (log_normal_cdf((half - np.abs(residual)) / sd) for half in (0.5, -0.5))
    # Far from the mean both logs are equal in floats, and log(0) would rule the pair out for ever.
    mass: Floats = near + np.log(-np.expm1(np.minimum(far - near, -1e-15)))
    return mass


def log_empirical_density(values: Floats) -> Floats:
    """Log density of each observation under a Gaussian kernel estimate from all the others.

    Whole numbers, shape (s,), s >= 2. The observation itself is left out: it would add at least 1 / s, and a small site
    would call its odd pairs independent (reading E.5). Bandwidth by Silverman's rule with the robust spread, at least
    half a unit. Floor: one observation of the s spread evenly over their range. Cost: O(range log range), exact up to a
    range of a million.
    """
    low, span, count = values.min(), float(np.ptp(values)), len(values)
    width = max(1.0, span / _MAX_BINS)
    bins = np.rint((values - low) / width).astype(np.int64)
    bandwidth = _silverman(values) / width
    # Room for the kernel beyond the last bin, because the transform is circular; a power of two is fastest.
    size = int(2 ** np.ceil(np.log2(bins.max() + 1 + _REACH * bandwidth)))
    distance = np.minimum(np.arange(size), size - np.arange(size)) / bandwidth
    kernel = np.exp(-0.5 * distance**2) / (math.sqrt(2 * math.pi) * bandwidth)
    smooth = np.fft.irfft(np.fft.rfft(np.bincount(bins, minlength=size)) * np.fft.rfft(kernel), size)
    # The observation itself is taken out of its bin.
    density = (smooth[bins] - kernel[0]) / (count - 1) / width
    logs: Floats = np.log(np.maximum(density, 1.0 / (count * (span + 1.0))))
    return logs


def _silverman(values: Floats) -> float:
    low, high = np.quantile(values, (0.25, 0.75))
    spread = min(float(np.std(values)), float(high - low) / 1.349) or float(np.std(values))
    return max(0.9 * spread / math.pow(len(values), 0.2), MIN_SD)


def fit_mixture(values: Floats, start: Mixture) -> Mixture:
    """Maximum likelihood by EM from ``start``; shape (s,), s >= 1.

    A standard deviation is at least half a unit, a share at least 1 / (s + 1): a component never dies.
    """
    mixture, likelihood = start, -np.inf
    least = 1.0 / (len(values) + 1)
    for _ in range(_MAX_MIXTURE_ROUNDS):
        previous, likelihood = likelihood, float(mixture.log_mass(values).sum())
        if abs(likelihood - previous) <= _MIXTURE_TOLERANCE * len(values):
            break
        first = mixture.first_share(values)
        parts = [_moments(values, weights) for weights in (first, 1.0 - first)]
        mixture = Mixture(
            share=float(np.clip(first.mean(), least, 1 - least)),
            means=(parts[0][0], parts[1][0]),
            sds=(parts[0][1], parts[1][1]),
        )
    return mixture


def _moments(values: Floats, weights: Floats) -> tuple[float, float]:
    total = max(float(weights.sum()), 1e-12)
    mean = float((weights * values).sum() / total)
    return mean, max(float(np.sqrt((weights * (values - mean) ** 2).sum() / total)), MIN_SD)


def huber_line(x: Floats, y: Floats, start: tuple[float, float]) -> tuple[float, float]:
    """Slope and intercept of y on x, shape (s,) each; ``start`` with fewer than three distinct x."""
    if len(np.unique(x)) < MIN_POINTS:
        return start
    slope, intercept = _huber(np.stack([x, np.ones_like(x)], axis=1), y).tolist()
    return slope, intercept


def huber_slope(x: Floats, y: Floats, start: float) -> float:
    """Slope of y on x through the origin; ``start`` with fewer than three distinct x."""
    if len(np.unique(x)) < MIN_POINTS:
        return start
    return float(_huber(x[:, None], y)[0])


def _huber(design: Floats, y: Floats) -> Floats:
    """Minimiser of the sum of Huber's rho; scale = MAD of the residuals, taken anew in every round."""
    weights = np.ones(len(y))
    coefficients: Floats = np.zeros(design.shape[1])
    for _ in range(_MAX_HUBER_ROUNDS):
        root = np.sqrt(weights)
        previous = coefficients
        coefficients = np.asarray(np.linalg.lstsq(design * root[:, None], y * root, rcond=None)[0], np.float64)
        residual = np.abs(y - design @ coefficients)
        scale = MAD_TO_SD * float(np.median(residual))
        # A scale of 0 means that at least half of the points are on the line.
        if np.allclose(coefficients, previous, rtol=_HUBER_TOLERANCE, atol=_HUBER_TOLERANCE) or scale == 0:
            break
        weights = np.minimum(1.0, HUBER_K * scale / np.maximum(residual, 1e-12))
    return coefficients
