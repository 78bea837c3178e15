"""From evidence to probabilities: ties, losers, seeds, the share refitted, and what is kept where there is doubt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from made_evidence import column, made_evidence, made_features, made_prior

from diglot.arrays import Floats, Mask, Pairs
from diglot.pairing.fused.decision import Fit, Fitting, Outcome, _odds_by_support, _refit, decide, find_ties
from diglot.pairing.fused.evidence import CONTENT, FEATURES, MARGIN, Evidence
from diglot.pairing.fused.matching import first_matching
from diglot.pairing.fused.orphans import OrphanModel, posterior
from diglot.pairing.fused.prior import Prior
from diglot.pairing.fused.sanity_checks import content_lead, content_level, failed_checks, number_survival
from diglot.pairing.fused.words import SiteWords, site_words
from diglot.site import Site
from made_documents import made_page, made_site

NO_PAIRS = np.zeros((0, 2), np.int32)
SOME_SITE = made_site(made_page("http://x/1", "en", ["some words"]))
SOME_TERMS = site_words(SOME_SITE)
SOME_PRIOR = made_prior(
    bias=-4.5, title=1, cosine=1, neutral=1, order=1, structure=1, numbers=0.4, address=0.5, link=0.5, margin=1.5
)
"""Weights of other sites, in the order of those that ship and still when those are trained anew."""
SOME_MATCHING = first_matching(SOME_SITE, SOME_SITE.rows_of("en"), SOME_SITE.rows_of("fr"))


def decided(
    evidence: Evidence, *, words: SiteWords = SOME_TERMS, training: Pairs = NO_PAIRS, prior: Prior = SOME_PRIOR
) -> Outcome:
    matching = replace(SOME_MATCHING, training=training)
    return decide(evidence, words, matching, prior, np.random.default_rng(0))


def partners(count: int = 60, orphaned: int = 0, **columns: float | Floats) -> Evidence:
    """True pairs, each page of which has a sibling of its own to fall back on, and that looks far worse.

    The last ``orphaned`` pairs look no better than siblings. ``columns``: further evidence of the pairs, siblings' 0.
    """
    rng = np.random.default_rng(1)
    pairs = [pair for k in range(count) for pair in ((k, 100 + k), (k, 300 + k), (200 + k, 100 + k))]
    first, number = np.tile([True, False, False], count), np.repeat(np.arange(count), 3)
    is_true = first & (number < count - orphaned)
    named = {name: is_true * 0.5 + rng.uniform(0, 0.2, len(pairs)) for name in ("title", "cosine", "neutral", "order")}
    named |= {"structure": np.where(is_true, 0.95, 0.7), "numbers": np.where(is_true, 8.0, -6.0)}
    for name, value in columns.items():
        named[name] = np.zeros(len(pairs))
        named[name][first] = value
    value = np.where(is_true, 1.5, np.where(first, 0.3, 0.2)) - 0.001 * number + 0.0001 * first
    return made_evidence(pairs, value, 5 * value, **named)


def place(evidence: Evidence, pair: tuple[int, int]) -> int:
    return evidence.pairs.tolist().index(list(pair))


def with_value(evidence: Evidence, pair: tuple[int, int], value: float) -> Evidence:
    """The evidence in which a pair has all that speaks for the diagonal, and this value."""
    columns, values = evidence.columns.copy(), evidence.value.copy()
    columns[place(evidence, pair)] = columns[0]
    values[place(evidence, pair)] = value
    return replace(evidence, columns=columns, value=values)


@pytest.mark.parametrize(
    ("smaller", "larger", "tied"),
    [
        (0.0, 0.5, True),
        (0.0009, 0.5, True),
        (0.001, 0.5, False),
        (-0.0009, 0.5, True),
        (-0.001, 0.5, False),
        (-0.3, 0.001, False),
        (-0.3, 0.0009, True),
        (-0.3, -0.2, True),
        (0.3, 0.3, False),
    ],
)
def test_a_tie_is_a_thousandth_of_the_spread_or_best_of_neither(smaller: float, larger: float, tied: bool) -> None:
    features = made_features(1, margin=smaller, margin_larger=larger)
    assert find_ties(features, 1.0).tolist() == [tied]
    assert find_ties(features * 7, 7.0).tolist() == [tied]


def test_pairs_with_support_have_the_odds_of_their_kind() -> None:
    # Of all .6; with ten pairs at .6, (8 + 6) / 20 = .7 of the supported, (4 + 6) / 20 = .5 of the others. The last
    # pair is not of the matching, and counts in no share.
    probability, supported = np.repeat([0.8, 0.4, 0.0], (10, 10, 1)), np.repeat([True, False, True], (10, 10, 1))
    change = _odds_by_support(probability, np.repeat([True, False], (20, 1)), supported)
    more, less = np.log((0.7 / 0.3) / (0.6 / 0.4)), np.log(1 / (0.6 / 0.4))
    assert change.tolist() == pytest.approx(np.repeat([more, less, more], (10, 10, 1)).tolist())


def test_no_share_by_support_is_above_97_in_a_hundred() -> None:
    # All .9, the supported (40 + 9) / 50 = .98, the others (5 + 9) / 20 = .7.
    probability, supported = np.repeat([1.0, 0.5], (40, 10)), np.repeat([True, False], (40, 10))
    change = _odds_by_support(probability, np.ones(50, bool), supported)
    assert np.exp(change[[0, -1]]).tolist() == pytest.approx([(0.97 / 0.03) / 9, (0.7 / 0.3) / 9])


@pytest.mark.parametrize("has_support", [True, False])
def test_on_a_site_of_one_kind_support_changes_no_odds(has_support: bool) -> None:
    change = _odds_by_support(np.full(20, 0.9), np.ones(20, bool), np.full(20, has_support))
    assert change.tolist() == pytest.approx([0.0] * 20)


def test_partners_are_believed_and_siblings_are_not() -> None:
    evidence = partners()
    outcome = decided(evidence)
    true = np.arange(len(evidence.pairs)) % 3 == 0
    assert (outcome.matched == true).all()
    assert outcome.probability[true].min() > 0.99
    assert outcome.probability[~true].max() < 0.05
    assert outcome.notes == ()
    assert outcome.bits.shape == (len(evidence.pairs), len(FEATURES))


def test_bits_sum_up_to_the_log_odds_but_for_a_constant() -> None:
    """Half way between classes, where no probability is cut off."""
    rng = np.random.default_rng(5)
    evidence = partners(title=rng.uniform(-0.5, 0.7, 60), structure=rng.uniform(0.6, 1, 60))
    outcome = decided(evidence)
    some = outcome.matched & (outcome.probability > 1e-6) & (outcome.probability < 1 - 1e-6)
    odds = np.log2(outcome.probability[some] / (1 - outcome.probability[some]))
    assert some.sum() > 20
    assert np.ptp(odds - outcome.bits[some].sum(axis=1)) < 1e-6 < np.ptp(odds)


@pytest.mark.parametrize(("address", "falls"), [(0.49, True), (0.5, False)])
def test_a_page_whose_partner_is_elsewhere_fits_others_less(address: float, falls: bool) -> None:
    """By a tenth of the odds, of pairs that no address or link supports."""
    rng = np.random.default_rng(5)
    evidence = partners(title=rng.uniform(-0.5, 0.7, 60), structure=rng.uniform(0.6, 1, 60), address=address)
    first, second = (decided(replace(evidence, elsewhere=np.full(len(evidence.pairs), r))) for r in (0.0, 0.9))
    some = first.matched & (first.probability > 1e-6) & (first.probability < 1 - 1e-6)
    odds = [outcome.probability[some] / (1 - outcome.probability[some]) for outcome in (first, second)]
    assert some.sum() > 20
    assert odds[1] / odds[0] == pytest.approx(0.1 if falls else 1.0)
    lost = first.bits[some] - second.bits[some]
    assert lost[:, column("link")] == pytest.approx(np.log2(10) if falls else 0.0)
    assert lost.sum() == pytest.approx(lost[:, column("link")].sum())


@pytest.mark.parametrize("sibling", [(0, 300), (200, 100)])
def test_what_lost_the_matching_is_not_believed_however_good(sibling: tuple[int, int]) -> None:
    """The best of one of its pages, of which the other has a better one by little more than a tie."""
    evidence = partners()
    outcome = decided(with_value(evidence, sibling, evidence.value[0] - 0.01))
    lost = place(evidence, sibling)
    assert not outcome.matched[lost]
    assert outcome.probability[lost] == 0.49


@pytest.mark.parametrize("sibling", [(0, 300), (200, 100)])
def test_a_tie_is_improbable_whichever_of_the_two_won(sibling: tuple[int, int]) -> None:
    evidence = partners()
    outcome = decided(with_value(evidence, sibling, evidence.value[0]))
    assert outcome.matched[0]
    assert not outcome.matched[place(evidence, sibling)]
    assert outcome.probability[0] == outcome.probability[place(evidence, sibling)] == 0.06
    assert decided(evidence).probability[0] > 0.99
    # One of the two rivals is right: half a pair is missed.
    assert outcome.missed == pytest.approx(0.5, abs=0.01)
    assert decided(evidence).missed == 0.0


def doubtful_site() -> tuple[Site, np.ndarray]:
    """Sixty pairs of pages of which no number is the partner's."""
    pages = [
        made_page(f"http://x/{side}/{n:02}", side, [f"{n + start} a"])
        for side, start in (("en", 10), ("fr", 500))
        for n in range(60)
    ]
    site = made_site(*pages)
    return site, np.stack([site.rows_of("en"), site.rows_of("fr")], axis=1)


@pytest.mark.parametrize(
    ("address", "link", "kept"),
    [(0.5, 0.0, True), (0.49, 0.0, False), (0.25, 0.25, True), (0.0, 0.5, True), (0, 0, False)],
)
def test_in_doubt_only_what_addresses_or_links_support_is_kept(address: float, link: float, kept: bool) -> None:
    site, training = doubtful_site()
    evidence = partners(address=address, link=link)
    # True pairs of other sites look far better, else lost numbers would be no doubt.
    prior = replace(SOME_PRIOR, pair=SOME_PRIOR.pair * 10)
    outcome = decided(evidence, words=site_words(site), training=training, prior=prior)
    assert len(outcome.notes) == 1
    assert "share only 0% of their numbers" in outcome.notes[0]
    if kept:
        assert outcome.probability[outcome.matched].min() > 0.99
    else:
        assert outcome.probability.max() == 0.05


@pytest.mark.parametrize(("supported", "alone"), [(4, False), (5, True)])
def test_from_five_supported_seeds_on_only_these_are_learnt_from(supported: int, alone: bool) -> None:
    """The model stays as it is when the titles of all other pairs change, if and only if those are no seeds."""
    has_address = np.r_[np.ones(supported), np.zeros(60 - supported)]
    value = {
        name: decided(evidence)
        for name, evidence in {
            "low": partners(address=has_address, title=np.where(has_address > 0, 0.6, 0.4)),
            "high": partners(address=has_address, title=np.where(has_address > 0, 0.6, 0.9)),
        }.items()
    }
    bits = [outcome.bits[outcome.matched][has_address > 0] for outcome in value.values()]
    assert (np.abs(bits[0] - bits[1]).max() < 1e-9) == alone


def test_news_of_one_template_are_no_pairs_because_a_switch_leads_to_translated_sections() -> None:
    """News are written for each language, in the same form: a page without its like takes another that is as good."""
    sections, news = partners(15, address=1.0, link=1.0), partners(60, orphaned=60)
    news.columns[:, column("structure")] = 0.95
    news = replace(news, pairs=news.pairs + 1000)
    both = {name: np.concatenate([getattr(each, name) for each in (sections, news)]) for name in vars(news)}
    weights = SOME_PRIOR.weights.copy()
    weights[column("structure")] = 3.0
    outcome = decided(Evidence(**both), prior=replace(SOME_PRIOR, weights=weights))
    is_news = outcome.pairs[:, 0] >= 1000
    assert outcome.probability[outcome.matched & ~is_news].min() > 0.8
    assert outcome.probability[is_news].max() < 0.05


def two_kinds(sure: int, other: int) -> tuple[Floats, OrphanModel]:
    """Features of pairs that are certainly true and certainly false, as the model has it."""
    features = made_features(sure + other, title=[20.0] * sure + [-20.0] * other, margin=1.0)
    weights = np.zeros(len(FEATURES))
    weights[column("title")] = 5.0
    return features, OrphanModel(np.zeros(len(FEATURES)), np.ones(len(FEATURES)), weights, 0.0)


def refitted(
    features: Floats, matched: Mask, model: OrphanModel, share: float, fit: Callable[[Mask], Fit]
) -> tuple[OrphanModel, float]:
    """What becomes of a first fit, the later ones being told by ``fit``."""
    best = matched & (features[:, MARGIN] > 0)
    told = cast(Fitting, SimpleNamespace(features=features, matched=matched, best=best, fit=fit))
    return _refit(told, Fit(model, share))


def test_the_refitted_share_is_the_geometric_mean_of_the_likeliest_and_that_of_overlap() -> None:
    features, model = two_kinds(36, 24)
    fits: list[Mask] = []

    def fit(seeds: Mask) -> Fit:
        fits.append(seeds)
        return Fit(model, 0.8)

    found, share = refitted(features, np.ones(60, bool), model, 0.65, fit)
    assert found is model
    assert share == pytest.approx(np.sqrt(0.6 * 0.8), abs=1e-6)
    # Seven tenths of the 36 that are expected, twice, and then all of them.
    assert [int(seeds.sum()) for seeds in fits] == [25, 25, 36]
    assert not any(seeds[36:].any() for seeds in fits)


def test_the_last_fit_is_kept_and_its_overlap_counts() -> None:
    features, model = two_kinds(36, 24)
    fits = [Fit(replace(model, bias=bias), overlap) for bias, overlap in ((0.1, 0.3), (0.2, 0.5), (0.3, 0.9))]
    waiting = iter(fits)
    found, share = refitted(features, np.ones(60, bool), model, 0.65, lambda _: next(waiting))
    assert found is fits[-1].model
    assert share == pytest.approx(np.sqrt(0.6 * 0.9), abs=1e-6)


@pytest.mark.parametrize(("pairs", "fitted"), [(60, True), (59, False)])
def test_nothing_is_refitted_where_fewer_than_thirty_are_expected(pairs: int, fitted: bool) -> None:
    features, model = two_kinds(pairs, 0)
    flat, fits = replace(model, weights=np.zeros(len(FEATURES))), []

    def fit(seeds: Mask) -> Fit:
        fits.append(seeds)
        return Fit(flat, 0.5)

    found, share = refitted(features, np.ones(pairs, bool), flat, 0.5, fit)
    assert bool(fits) == fitted
    assert (found, share) == (flat, pytest.approx(0.5))


def test_only_matched_pairs_that_lead_are_seeds_of_a_refit() -> None:
    features, model = two_kinds(60, 0)
    features[:10, column("margin")] = 0.0
    matched, fits = np.arange(60) < 50, []

    def fit(seeds: Mask) -> Fit:
        fits.append(np.flatnonzero(seeds).tolist())
        return Fit(model, 0.9)

    refitted(features, matched, model, 0.65, fit)
    assert fits[0] == list(range(10, 10 + int(0.7 * posterior(np.full(50, 20.0), 0.65).sum())))


@pytest.mark.parametrize(("orphaned", "least", "most"), [(0, 0.9, 0.97), (12, 0.68, 0.78), (36, 0.2, 0.3)])
def test_a_low_share_is_refitted_and_a_high_one_is_not(orphaned: int, least: float, most: float) -> None:
    """Overlap alone says .69 of four true pairs in five, and .50 of two in five."""
    outcome = decided(partners(orphaned=orphaned))
    assert least < outcome.share < most
    assert (outcome.probability >= 0.5).sum() == 60 - orphaned


def content(values: list[float]) -> Floats:
    """Rows of which all kinds of content have one value."""
    return made_features(len(values), **{FEATURES[place]: values for place in CONTENT})


def reasons(
    seeds: Floats,
    surest: Callable[[], tuple[Floats, Floats]] = pytest.fail,
    *,
    words: SiteWords = SOME_TERMS,
    training: Pairs = NO_PAIRS,
    pair: float = 100.0,
) -> int:
    return len(failed_checks(words, training, seeds, content([1, 2]), surest, made_prior(pair=pair)))


@pytest.mark.parametrize(("leading", "asked"), [(30, 0), (29, 1)])
def test_a_lead_of_three_quarters_is_enough(leading: int, asked: int) -> None:
    calls: list[int] = []

    def surest() -> tuple[Floats, Floats]:
        calls.append(1)
        return content([3.0] * 20), content([1, 2])

    assert reasons(content([3.0] * leading + [0.0] * (40 - leading)), surest) == 0
    assert len(calls) == asked


@pytest.mark.parametrize(("leading", "doubted"), [(95, 0), (93, 1)])
def test_the_surest_must_lead_by_more(leading: int, doubted: int) -> None:
    def surest() -> tuple[Floats, Floats]:
        return content([3.0] * leading + [0.0] * (100 - leading)), content([1, 2])

    assert reasons(content([0.0] * 40), surest) == doubted


@pytest.mark.parametrize(("level", "doubted"), [(0.5, 0), (0.499, 1)])
def test_content_half_way_to_true_pairs_is_no_ground_for_doubt(level: float, doubted: int) -> None:
    seeds = content([level] * 40)
    assert reasons(seeds, lambda: (content([0.0] * 10), content([1, 2])), pair=1.0) == doubted


@pytest.mark.parametrize(("shared", "doubted"), [(4, 0), (3, 1)])
@pytest.mark.parametrize(("pages", "counted"), [(10, True), (9, False)])
def test_four_numbers_in_ten_must_survive_on_ten_pairs(shared: int, doubted: int, pages: int, counted: bool) -> None:
    made = []
    for n in range(pages):
        own, other = ([str(start + 10 * n + k) for k in range(10)] for start in (1_000, 5_000))
        made.append(made_page(f"http://x/en/{n:02}", "en", [" ".join(own)]))
        made.append(made_page(f"http://x/fr/{n:02}", "fr", [" ".join(own[:shared] + other[shared:])]))
    site = made_site(*made)
    training = np.stack([site.rows_of("en"), site.rows_of("fr")], axis=1)
    assert number_survival(site_words(site), training) == (shared / 10 if counted else 1)
    assert reasons(content([3.0] * 40), words=site_words(site), training=training) == (doubted if counted else 0)


def test_survival_counts_each_number_once_on_both_pages_and_nothing_else() -> None:
    """Of ten and five numbers five are shared: ten of fifteen."""
    texts = {"en": "1 2 3 4 5 6 7 8 9 10 same MiXed IBM", "fr": "1 1 1 1 2 3 4 5 same MiXed IBM"}
    site = made_site(
        *(
            made_page(f"http://x/{lang}/{n:02}", lang, [text, f"w{n}"])
            for lang, text in texts.items()
            for n in range(10)
        )
    )
    pairs = np.stack([site.rows_of("en"), site.rows_of("fr")], axis=1)
    # Blocks that stand all over a language are left out: here no number is left, which is no doubt.
    assert number_survival(site_words(site), pairs) == 1
    few = made_site(*(made_page(f"http://x/{lang}/0", lang, [text]) for lang, text in texts.items()))
    assert number_survival(site_words(few), np.array([[0, 1]] * 10, np.int32)) == pytest.approx(10 / 15)


def test_ten_seeds_are_enough_to_lead() -> None:
    assert content_lead(content([0.0] * 10), content([1, 2])) == 0
    assert content_lead(content([0.0] * 9), content([1, 2])) == 1
    assert content_lead(content([0.0] * 10), content([])) == 1


def test_the_level_is_a_mean_over_kinds_of_the_median() -> None:
    seeds = content([2.0, 3.0, 100.0])
    seeds[:, column("title")] = [np.nan, 9, np.nan]
    seeds[:, column("cosine")] = np.nan
    # Orphans' pairs have 2 and true ones 4: four kinds at a half and one at 3.5.
    assert content_level(seeds, made_prior(orphan=2, pair=4)) == pytest.approx((4 * 0.5 + 3.5) / 5)
