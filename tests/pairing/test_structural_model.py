"""The structural model: formulas by hand, known parameters recovered, collapse and abstention said aloud."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diglot.arrays import Mask
from diglot.pairing.strand_em import (
    Marginals,
    Mixture,
    Observations,
    Parameters,
    _likeliest,
    empirical_densities,
    estimate,
    fit_mixture,
    fit_structural_model,
    huber_line,
    huber_slope,
    log_empirical_density,
    log_normal_cdf,
    log_odds,
    log_other,
    log_parallel,
    log_unit_mass,
)

Q = (0.08, 0.40)
LINE, LENGTHS, SIGMA = (1.0, 3.0), (1.1, 40.0), 2.6


def well_separated(seed: int, size: int, share: float, *, ratio: float = LENGTHS[0]) -> tuple[Observations, Mask]:
    """Pairs as the two models make them; the first ``share`` of them parallel."""
    rng = np.random.default_rng(seed)
    parallel = np.arange(size) < round(share * size)
    m = np.rint(rng.lognormal(4.5, 0.6, size)) + 20
    noise = rng.normal(0, np.where(rng.random(size) < 0.8, 2, 12), size)
    n = np.where(parallel, np.rint(LINE[0] * m + LINE[1] + noise), rng.permutation(m)).clip(1)
    w = rng.binomial((m + n).astype(int), np.where(parallel, *Q)).astype(float)
    l1 = np.rint(rng.lognormal(7.5, 0.8, size)) + 50
    spread = rng.normal(0, 1, size) * SIGMA * np.sqrt(l1)
    l2 = np.where(parallel, np.rint(ratio * l1 + LENGTHS[1] + spread), rng.permutation(np.rint(ratio * l1))).clip(1)
    return Observations(w, m, n, l1, l2), parallel


def template_site(seed: int, size: int, share: float) -> tuple[Observations, Mask]:
    """All pages nearly alike in tags and length; few pairs are parallel."""
    rng = np.random.default_rng(seed)
    parallel = np.arange(size) < round(share * size)
    m = rng.integers(60, 64, size).astype(float)
    n = np.where(parallel, m + rng.integers(-1, 2, size), rng.permutation(m))
    w = rng.binomial((m + n).astype(int), np.where(parallel, 0.05, 0.09)).astype(float)
    l1 = np.rint(rng.lognormal(7.5, 0.1, size))
    l2 = np.where(parallel, np.rint(1.1 * l1 + rng.normal(0, 2.6, size) * np.sqrt(l1)), rng.permutation(l1))
    return Observations(w, m, n, l1, l2), parallel


@pytest.mark.parametrize(
    ("size", "share", "ratio"),
    [(60, 0.5, 1.1), (60, 1.0, 1.1), (1000, 0.5, 0.45), (1000, 0.05, 1.1), (2000, 0.01, 1.2), (5000, 0.7, 1.25)],
)
def test_well_separated_data(size: int, share: float, ratio: float) -> None:
    seen, parallel = well_separated(7, size, share, ratio=ratio)
    fit = fit_structural_model(seen)
    hits = (fit.parallel & parallel).sum()
    assert hits / fit.parallel.sum() >= 0.99
    assert hits / parallel.sum() >= 0.93
    assert not any("collapsed" in note for note in fit.notes)


def test_known_parameters_come_back() -> None:
    seen, _ = well_separated(1, 2000, 0.6)
    found = fit_structural_model(seen).parameters
    assert found.q_parallel == pytest.approx(Q[0], abs=0.003)
    assert found.q_other == pytest.approx(Q[1], abs=0.01)
    assert (found.k, found.a) == (pytest.approx(LINE[0], abs=0.01), pytest.approx(LENGTHS[0], abs=0.01))
    assert (found.b, found.c) == (pytest.approx(LINE[1], abs=0.7), pytest.approx(LENGTHS[1], abs=12))
    assert found.prior == pytest.approx(0.6, abs=0.005)
    assert found.mixture.share == pytest.approx(0.8, abs=0.06)
    assert found.mixture.sds == (pytest.approx(2, abs=0.2), pytest.approx(12, rel=0.15))
    # Huber's rho on squared residuals, which are skewed, aims below their mean: 1.8 for 2.6, as the paper has it.
    assert 0.6 * SIGMA < found.sigma < SIGMA


def test_template_site_collapses_and_says_so() -> None:
    seen, parallel = template_site(3, 1000, 0.05)
    fit = fit_structural_model(seen)
    assert fit.parallel.mean() > 0.95
    assert (fit.parallel & parallel).sum() / fit.parallel.sum() < 0.1
    assert any(note.startswith("collapsed: 100% of 1000 candidates") for note in fit.notes)


def test_order_of_pairs_does_not_matter() -> None:
    seen, _ = well_separated(5, 300, 0.4)
    order = np.random.default_rng(0).permutation(len(seen))
    shuffled = Observations(seen.w[order], seen.m[order], seen.n[order], seen.l1[order], seen.l2[order])
    assert np.allclose(fit_structural_model(shuffled).log_odds, fit_structural_model(seen).log_odds[order], atol=1e-5)


def test_too_few_candidates_or_parallel_pairs_abstain() -> None:
    seen, _ = well_separated(2, 200, 0.0)
    for few, why in ((seen.of(np.arange(200) < 4), "only 4 candidate pairs"), (seen, "pairs look parallel")):
        fit = fit_structural_model(few)
        assert not fit.parallel.any()
        assert np.isnan(fit.probability).all()
        assert fit.notes[0].startswith("abstains: ")
        assert why in fit.notes[0]
    empty = Observations(*(np.zeros(0) for _ in range(5)))
    assert fit_structural_model(empty).notes


def test_pages_all_alike_or_empty_do_not_break_it() -> None:
    alike = Observations(*(np.full(30, value) for value in (0.0, 50.0, 50.0, 900.0, 1000.0)))
    empty = Observations(*(np.zeros(30) for _ in range(5)))
    for seen in (alike, empty):
        fit = fit_structural_model(seen)
        assert not np.isinf(fit.log_odds).any()


def test_one_pair_by_hand() -> None:
    from scipy.integrate import quad  # a second to import, in every process that collects tests

    seen = Observations(*(np.array([float(value)]) for value in (3, 9, 6, 118, 90)))
    logs = [math.log(p) for p in (0.01, 0.02, 0.003, 0.004)]
    marginals = Marginals(*(np.array([value]) for value in logs))
    density = quad(lambda x: 0.5 * NormalDist(0, 1).pdf(x) + 0.5 * NormalDist(0, 10).pdf(x), -3.5, -2.5)[0]
    sd = math.sqrt(6.8 * 118)
    lengths = quad(NormalDist(0, sd).pdf, -28.5, -27.5)[0]
    ours = math.comb(15, 3) * 0.2**3 * 0.8**12 * 0.01 * density * 0.003 * lengths
    other = math.comb(15, 3) * 0.5**15 * 0.01 * 0.02 * 0.003 * 0.004
    assert log_parallel(seen, Parameters(), marginals)[0] == pytest.approx(math.log(ours))
    assert log_other(seen, Parameters(), marginals)[0] == pytest.approx(math.log(other))
    assert log_odds(seen, Parameters(), marginals)[0] == pytest.approx(math.log(ours * 2 / 3 / (other / 3)))


@given(st.floats(0.001, 0.999), st.integers(0, 1000))
def test_line_4_of_algorithm_1_is_equation_17(prior: float, seed: int) -> None:
    seen, _ = well_separated(seed, 12, 0.5)
    marginals, p = empirical_densities(seen), Parameters(prior=prior)
    ours, other = log_parallel(seen, p, marginals), log_other(seen, p, marginals)
    odds = log_odds(seen, p, marginals)
    line_4 = ours - math.log(1 - prior) > other - math.log(prior)
    assert (line_4 == (odds > 0))[np.abs(odds) > 1e-6].all()


def test_unit_mass_is_the_integral_and_finite_far_out() -> None:
    for residual, sd in ((0.0, 0.5), (3.0, 2.0), (-30.0, 5.0)):
        normal = NormalDist(0, sd)
        exact = math.log(normal.cdf(abs(residual) + 0.5) - normal.cdf(abs(residual) - 0.5))
        assert log_unit_mass(np.array([residual]), sd)[0] == pytest.approx(exact, rel=1e-4)
    assert np.isfinite(log_unit_mass(np.array([1e6, -1e6]), 0.5)).all()


@given(st.floats(-1e6, 1e6) | st.floats(-40, 10))
def test_the_log_of_the_normal_distribution_is_that_of_scipy(value: float) -> None:
    from scipy.special import log_ndtr

    assert log_normal_cdf(np.array([value]))[0] == pytest.approx(log_ndtr(value), rel=1e-8, abs=0)


def test_the_log_of_the_normal_distribution_has_no_step_where_the_mass_is_too_small_for_a_float() -> None:
    near, far = log_normal_cdf(np.array([-37.0 + 1e-12, -37.0]))
    assert near == pytest.approx(far, rel=1e-9)


def test_density_leaves_each_observation_out() -> None:
    values = np.array([10.0, 11, 12, 13, 500])
    bandwidth = 0.9 * min(values.std(), 2 / 1.349) / 5**0.2
    by_hand = [
        sum(NormalDist(y, bandwidth).pdf(x) for j, y in enumerate(values) if j != i) / 4 for i, x in enumerate(values)
    ]
    found = np.exp(log_empirical_density(values))
    assert found[:4] == pytest.approx(by_hand[:4], rel=1e-6)
    assert found[4] == pytest.approx(1 / (5 * 491))  # the floor: nothing else is near


def test_huber_line_passes_over_outliers() -> None:
    x = np.arange(50.0)
    y = 2 * x + 5 + np.tile([0.1, -0.1], 25)
    y[::10] += 300
    assert huber_line(x, y, (1, 0)) == (pytest.approx(2, abs=0.02), pytest.approx(5, abs=0.5))
    assert huber_line(np.array([1.0, 1, 2]), np.ones(3), (1.5, 7.0)) == (1.5, 7.0)
    assert huber_slope(x, 3 * x, 1.0) == pytest.approx(3)


def test_mixture_of_equal_values_keeps_its_components() -> None:
    mixture = fit_mixture(np.zeros(10), Mixture())
    assert mixture.sds == (0.5, 0.5)
    assert 0 < mixture.share < 1


@pytest.mark.parametrize(("members", "q_other"), [(4, 0.37), (5, 50 / 400)])
def test_a_class_of_fewer_than_five_keeps_its_share_of_unmatched_tokens(members: int, q_other: float) -> None:
    """Each pair that is not parallel has 80 tokens, 10 of them unmatched."""
    seen, _ = well_separated(2, 20, 1.0)
    for values, value in ((seen.w, 10), (seen.m, 30), (seen.n, 50)):
        values[:members] = value
    found = estimate(seen, np.arange(20) >= members, Parameters(q_other=0.37))
    assert found.q_other == pytest.approx(q_other)


def test_of_a_cycle_only_its_members_are_candidates_and_without_one_all_rounds() -> None:
    rounds = {
        name: (likelihood, Parameters(k=likelihood)) for name, likelihood in ((b"a", 5.0), (b"b", 1.0), (b"c", 2.0))
    }
    assert _likeliest(rounds, b"b").k == 2
    assert _likeliest(rounds, b"unseen").k == 5
