"""What orphans take, the model of pairs against them, and the share of true pairs, on cases worked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_evidence import column, made_evidence, made_features, made_prior

from diglot.arrays import Floats
from diglot.pairing.fused.evidence import FEATURES, Evidence
from diglot.pairing.fused.matching import one_to_one
from diglot.pairing.fused.matching_value import margins
from diglot.pairing.fused.orphans import (
    OrphanModel,
    anchors,
    fit_orphan_model,
    likeliest_share,
    logistic_regression,
    parallel_share,
    posterior,
    seeds_of,
    simulated_orphans,
)
from diglot.pairing.fused.prior import Prior

SRC_LEFT, TGT_LEFT = 0.4, 0.5
"""Value of what a target page takes whose source is gone, and of what a source page takes whose target is gone."""


def orphans_of(evidence: Evidence, seeds: np.ndarray, seed: int = 0) -> Floats:
    return simulated_orphans(evidence, seeds, np.random.default_rng(seed))


def couples(count: int) -> tuple[Evidence, np.ndarray]:
    """Partners, each with a sibling of its own to fall back on; ``title`` is the number of the couple."""
    pairs, value, title = [], [], []
    for k in range(count):
        src, tgt, other_src, other_tgt = 4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3
        pairs += [(src, tgt), (src, other_tgt), (other_src, tgt)]
        value += [1.0, TGT_LEFT, SRC_LEFT]
        title += [float(k)] * 3
    seeds = np.tile([True, False, False], count)
    scaled = 10 * np.array(value)
    return made_evidence(pairs, value, scaled, title=title, cosine=np.tile([1.0, 0.0, 0.0], count)), seeds


def test_margins_are_over_the_better_and_the_weaker_rival() -> None:
    pairs = np.array([[0, 5], [0, 6], [1, 5], [2, 7]], np.int32)
    found = margins(pairs, np.array([0.9, 0.4, 0.7, 0.5]), np.array([3.0, 1, 5, -2]))
    assert found[:, 0] == pytest.approx([0.2, -0.5, -0.2, 0.5])
    assert found[:, 1] == pytest.approx([0.5, 0.4, 0.7, 0.5])
    assert found[:, 2] == pytest.approx([-2, -2, 2, -2])


def test_the_matching_takes_the_highest_first_and_leaves_no_page_for_its_value() -> None:
    pairs = np.array([[0, 5], [0, 6], [1, 5], [1, 6]], np.int32)
    assert one_to_one(pairs, np.array([0.9, 0.8, 0.8, -3.0])).tolist() == [True, False, False, True]
    assert one_to_one(pairs, np.array([0.7, 0.8, 0.8, -3.0])).tolist() == [False, True, True, False]


def test_values_as_near_as_single_precision_are_taken_by_row() -> None:
    pairs = np.array([[0, 5], [1, 5]], np.int32)
    assert one_to_one(pairs, np.array([0.5, 0.5 + 1e-12])).tolist() == [True, False]
    assert one_to_one(pairs, np.array([0.5, 0.5 + 1e-3])).tolist() == [False, True]


def test_seeds_are_best_both_ways_and_at_or_above_the_quantile_of_the_matched() -> None:
    pairs = [(k, 20 + k) for k in range(11)] + [(k, 40 + k) for k in range(11)]
    value = [*range(1, 12), *np.linspace(0, 0.5, 11)]
    evidence = made_evidence(pairs, value)
    matched = one_to_one(evidence.pairs, evidence.value)
    assert matched.tolist() == [True] * 11 + [False] * 11
    # The 30% quantile of 1 to 11 is 4; over all candidates it would be below 1.
    assert np.flatnonzero(seeds_of(evidence, matched)).tolist() == list(range(3, 11))


def test_a_pair_with_a_rival_as_good_is_no_seed() -> None:
    evidence = made_evidence([(0, 5), (0, 6), (1, 7)], [2.0, 2.0, 2.0])
    matched = one_to_one(evidence.pairs, evidence.value)
    assert seeds_of(evidence, matched).tolist() == [False, False, True]
    assert not seeds_of(evidence, np.zeros(3, bool)).any()


def test_a_bereaved_page_takes_its_sibling_with_margins_that_do_not_know_the_partner() -> None:
    evidence, seeds = couples(40)
    found = orphans_of(evidence, seeds)
    assert found.shape[1] == len(FEATURES)
    assert (found[:, column("cosine")] == 0).all()
    smaller, larger, of_scaled = (found[:, column(k)] for k in ("margin", "margin_larger", "margin_likelihood"))
    assert set(smaller.tolist()) == {SRC_LEFT, TGT_LEFT}
    assert (larger == smaller).all()
    assert of_scaled == pytest.approx(10 * smaller)
    # Either side is taken away about as often.
    assert 0.4 < (smaller == TGT_LEFT).mean() < 0.6


@pytest.mark.parametrize(("count", "simulations"), [(400, 12), (2_000, 3), (3_000, 2), (6_000, 2)])
def test_three_in_ten_are_bereaved_from_twice_to_twelve_times(count: int, simulations: int) -> None:
    """Until there are 1,500 cases; within three deviations of a binomial."""
    found = len(orphans_of(*couples(count)))
    assert abs(found - 0.3 * count * simulations) < 3 * np.sqrt(0.3 * 0.7 * count * simulations)


def test_a_lone_seed_is_bereaved_each_time_and_no_seed_never() -> None:
    evidence, seeds = couples(1)
    assert len(orphans_of(evidence, seeds)) == 12
    assert orphans_of(evidence, ~seeds & False).shape == (0, len(FEATURES))


def test_only_seeds_are_bereaved() -> None:
    evidence, seeds = couples(30)
    seeds[30:] = False
    assert set(orphans_of(evidence, seeds)[:, column("title")].tolist()) == set(range(10))


def test_evidence_is_anchored_at_orphans_and_seeds_and_cut() -> None:
    model = OrphanModel(np.full(6, 1.0), np.array([2.0, 2, 2, 2, 2, -2]), np.arange(6.0), -3.0)
    features = np.array([[1.0, 3, np.nan, 100, -100, 3]])
    assert model.anchor(features).tolist() == [[0, 1, 0.5, 4, -4, -1]]
    assert model.logit(features) == pytest.approx([0 + 1 + 1 + 12 - 16 - 5 - 3])


def test_anchors_are_medians_drawn_to_those_of_other_sites_as_by_ten_pairs() -> None:
    seeds, orphans = made_features(30, title=4), made_features(10, title=[2] * 9 + [1_000])
    low, width = anchors(seeds, orphans, made_prior(pair=2))
    assert low[column("title")] == pytest.approx((10 * 2 + 10 * 0) / 20)
    assert width[column("title")] == pytest.approx((30 * 4 + 10 * 2) / 40 - 1)


def test_anchors_without_evidence_are_those_of_other_sites_and_gaps_do_not_count() -> None:
    gaps = made_features(4, title=np.nan, cosine=[np.nan, 3, 5, 3])
    low, width = anchors(gaps, gaps * np.nan, made_prior(orphan=1, pair=3))
    assert (low[column("title")], width[column("title")]) == (1, 2)
    assert low[column("cosine")] + width[column("cosine")] == pytest.approx((4 * 3 + 10 * 3) / 14)


@pytest.mark.parametrize(
    ("pair", "seed", "width"), [(1, -0.2, 0.4), (1, -0.6, 0.3), (-1, 5, -0.3), (-1, -5, -3), (1, 3, 2)]
)
def test_anchors_lie_apart_and_the_usual_way_round(pair: float, seed: float, width: float) -> None:
    """Ten pairs: half the seeds' median and half the prior's."""
    found = anchors(made_features(10, title=seed), made_features(10), made_prior(pair=pair))[1]
    assert found[column("title")] == pytest.approx(width)


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0.1, 10))
def test_the_regression_ends_where_data_and_pull_balance(seed: int, strength: float) -> None:
    rng = np.random.default_rng(seed)
    x, y, cost = rng.normal(0, 1, (30, 3)), rng.integers(0, 2, 30).astype(float), rng.uniform(0.2, 1, 30)
    centre, ridge = rng.normal(0, 2, 3), strength * np.array([1.0, 2, 3])
    beta = logistic_regression(x, y, cost, centre=centre, ridge=ridge)
    p = 1 / (1 + np.exp(-x @ beta))
    assert x.T @ (cost * (y - p)) == pytest.approx(ridge * (beta - centre), abs=1e-4)
    assert logistic_regression(x[:0], y[:0], cost[:0], centre=centre, ridge=ridge) == pytest.approx(centre)


def drawn_classes(seeds: int, orphans: int, **columns: float) -> tuple[Floats, Floats]:
    """Seeds whose columns lie so much higher than those of orphans, with noise."""
    rng = np.random.default_rng(4)
    return tuple(
        made_features(
            count, **{name: np.round(rng.normal(sign * apart, 1, count), 2) for name, apart in columns.items()}
        )
        for sign, count in ((1, seeds), (0, orphans))
    )


def test_weights_balance_both_classes_and_the_prior() -> None:
    """At the best weights the data pull as hard as ridges of 3, and of 1 for the constant; the larger class weighs
    no more than the smaller."""
    seeds, orphans = drawn_classes(20, 60, title=1.0, cosine=0.5, address=1.0)
    prior = made_prior(title=0.7, cosine=0.2, address=0.4, bias=-1.5)
    model = fit_orphan_model(seeds, orphans, prior)
    p_seed, p_orphan = (posterior(model.logit(each), 0.5) for each in (seeds, orphans))
    pull = model.anchor(seeds).T @ (1 - p_seed) - model.anchor(orphans).T @ p_orphan / 3
    for name in ("title", "cosine"):
        assert pull[column(name)] == pytest.approx(3 * (model.weights - prior.weights)[column(name)], abs=1e-4)
    assert (1 - p_seed).sum() - p_orphan.sum() / 3 == pytest.approx(model.bias + 1.5, abs=1e-4)
    assert abs(model.weights[column("title")] - 0.7) > 0.05


def test_weights_of_addresses_and_links_stay_those_of_other_sites() -> None:
    prior = made_prior(title=0.7, address=0.4, link=0.3)
    model = fit_orphan_model(*drawn_classes(50, 50, title=1.0, address=3.0, link=-3.0), prior)
    assert model.weights[column("address")] == pytest.approx(0.4, abs=1e-3)
    assert model.weights[column("link")] == pytest.approx(0.3, abs=1e-3)


def test_without_seeds_or_orphans_the_model_is_that_of_other_sites() -> None:
    seeds, orphans = drawn_classes(20, 20, title=1.0)
    prior: Prior = made_prior(title=0.7, bias=-1.0)
    for each in ((seeds, orphans[:0]), (seeds[:0], orphans)):
        model = fit_orphan_model(*each, prior)
        assert model.weights is prior.weights
        assert model.bias == -1
    assert fit_orphan_model(seeds[:0], orphans, prior).low[column("title")] != 0


def test_the_share_where_the_model_tells_all_seeds_from_orphans() -> None:
    """A quarter of 40 pairs is at or below the median orphan, so half of them are wrong."""
    matched, orphans = np.array([0.0] * 10 + [9.0] * 30), np.array([-1.0, 0, 1])
    assert parallel_share(matched, np.array([5.0]), orphans, usual=0.9) == pytest.approx((40 * 0.5 + 10 * 0.9) / 50)


def test_the_share_is_drawn_to_a_half_as_far_as_seeds_look_like_orphans() -> None:
    orphans, matched = np.array([0.0, 1, 2, 3]), np.array([1.5] + [8.0] * 7)
    # Seeds are above 13 of 16 orphans: 5/8 of what overlap says, .75, and 3/8 of a half.
    seeds = np.array([1.5, 2.5, 5, 5])
    assert parallel_share(matched, seeds, orphans, usual=0.8) == pytest.approx((8 * 0.65625 + 10 * 0.8) / 18)
    assert parallel_share(matched, orphans - 1, orphans, usual=0.8) == pytest.approx((8 * 0.5 + 10 * 0.8) / 18)


@pytest.mark.parametrize(("logit", "share"), [(9.0, 0.97), (-9.0, 0.05)])
def test_no_share_is_believed_beyond_the_range(logit: float, share: float) -> None:
    matched, orphans = np.full(990, logit), np.zeros(5)
    assert parallel_share(matched, np.ones(5), orphans, usual=0.5) == pytest.approx((990 * share + 5) / 1000)
    assert likeliest_share(matched) == share


def test_the_share_of_nothing_is_the_usual_one() -> None:
    some, none = np.ones(3), np.ones(0)
    for each in ((none, some, some), (some, none, some), (some, some, none)):
        assert parallel_share(*each, usual=0.77) == 0.77


def test_the_likeliest_share_of_three_pairs_by_hand() -> None:
    """Where the derivative of 2 ln(1 + s (e - 1)) + ln(1 + s (1/e - 1)) is 0."""
    up, down = np.e - 1, 1 - 1 / np.e
    assert likeliest_share(np.array([1.0, 1, -1])) == pytest.approx((2 * up - down) / (3 * up * down), abs=1e-4)
    assert likeliest_share(np.array([20.0] * 3 + [-20.0] * 7)) == pytest.approx(0.3, abs=1e-6)


def test_the_posterior_adds_the_odds_of_the_share() -> None:
    assert posterior(np.array([0.0]), 0.2) == pytest.approx([0.2])
    assert posterior(np.log([3.0]), 0.25) == pytest.approx([0.5])
    assert posterior(np.array([-1e9, 1e9]), 0.5) == pytest.approx([0, 1], abs=1e-12)
    assert posterior(np.array([-1e9]), 0.5) > 0
