"""The fused decision over many languages: groups add what two languages cannot tell, and alone nothing changes."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from made_bilingual import LANGS, STORIES, number_of, story

from diglot.pairing.fused import fused
from diglot.pairing.fused import groups as fused_groups
from diglot.pairing.fused.groups import GROUP, OUTSIDE, decided, fused_bits, fused_decision, log_odds
from diglot.site import Site
from made_documents import made_site


@pytest.fixture(scope="module")
def documents():
    return made_site(*(story(lang, number) for lang in LANGS for number in range(STORIES))).documents


def test_all_stories_are_found_in_all_languages(documents):
    site = Site("made", documents, tuple(combinations(LANGS, 2)))
    for pair in site.lang_pairs:
        outcome = decided(site, *pair, seed=0)
        accepted = outcome.pairs[outcome.probability >= 0.5]
        assert len(accepted) == STORIES
        assert all(number_of(site, i) == number_of(site, j) for i, j in accepted.tolist())


def test_what_the_groups_add_is_told_in_bits(documents):
    site = Site("made", documents, tuple(combinations(LANGS, 2)))
    outcome = decided(site, "en", "fr", seed=0)
    pairs = outcome.pairs[outcome.matched]
    bits = fused_bits(site, pairs, src_lang="en", tgt_lang="fr", seed=0, feature=GROUP)
    assert not np.isnan(bits).any()
    told = fused_decision(site, pairs, src_lang="en", tgt_lang="fr", seed=0).probability
    assert told == pytest.approx(outcome.probability[outcome.matched], abs=1e-6)


def test_with_few_languages_or_without_wanted_ones_each_pair_is_decided_alone(documents):
    for wanted in ((), tuple(combinations(LANGS[:5], 2))):
        site = Site("made", documents, wanted)
        alone = fused(site, "en", "fr", seed=0)
        assert decided(site, "en", "fr", seed=0) is alone
        bits = fused_bits(site, alone.pairs, src_lang="en", tgt_lang="fr", seed=0, feature=GROUP)
        assert np.isnan(bits).all()


def test_a_pair_in_no_group_is_improbable_and_its_bits_say_so(documents):
    site = Site("made", documents, tuple(combinations(LANGS, 2)))
    outcome, alone = decided(site, "en", "fr", seed=0), fused(site, "en", "fr", seed=0)
    outside = np.array([number_of(site, i) != number_of(site, j) for i, j in outcome.pairs.tolist()])
    assert outside.any()
    assert (outcome.probability[outside] <= OUTSIDE).all()
    before = dict(zip(map(tuple, alone.pairs.tolist()), log_odds(alone.probability).tolist(), strict=True))
    for pair, bits, after in zip(
        outcome.pairs[outside].tolist(),
        outcome.group_bits[outside],
        log_odds(outcome.probability[outside]),
        strict=True,
    ):
        assert before[tuple(pair)] + bits * np.log(2) == pytest.approx(after)


@pytest.mark.parametrize(("doubted", "found"), [({("en", "fr")}, STORIES), (set(combinations(LANGS, 2)), 0)])
def test_pages_of_two_languages_in_doubt_are_paired_by_a_third_or_not_at_all(documents, monkeypatch, doubted, found):
    def doubting(site, *langs, seed):
        outcome = fused(site, *langs, seed=seed)
        low = np.minimum(outcome.probability, 0.05)
        return replace(outcome, probability=low, notes=("no ground",)) if langs in doubted else outcome

    monkeypatch.setattr(fused_groups, "fused", doubting)
    site = Site("made", documents, tuple(combinations(LANGS, 2)))
    outcome = decided(site, "en", "fr", seed=0)
    accepted = outcome.pairs[outcome.probability >= 0.5].tolist()
    assert len(accepted) == found
    assert all(number_of(site, i) == number_of(site, j) for i, j in accepted)
    assert outcome.notes
