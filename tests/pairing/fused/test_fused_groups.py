"""The fused decision over many languages: groups add what two languages cannot tell, and alone nothing changes."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from made_bilingual import LANGS, STORIES, number_of, story

from diglot.pairing.fused import GROUP, fused_judgement, fused_outcome, outcome_of_two
from diglot.pairing.fused.groups import OUTSIDE, join_languages, languages_in_groups
from diglot.pairing.fused.orphans import log_odds
from diglot.site import Site
from made_documents import made_site


@pytest.fixture(scope="module")
def documents():
    return made_site(*(story(lang, number) for lang in LANGS for number in range(STORIES))).documents


def test_all_stories_are_found_in_all_languages(documents):
    site = Site("made", documents, tuple(combinations(LANGS, 2)))
    for pair in site.lang_pairs:
        outcome = fused_outcome(site, *pair, seed=0)
        accepted = outcome.pairs[outcome.probability >= 0.5]
        assert len(accepted) == STORIES
        assert all(number_of(site, i) == number_of(site, j) for i, j in accepted.tolist())


def test_what_the_groups_add_is_told_in_bits(documents):
    site = Site("made", documents, tuple(combinations(LANGS, 2)))
    outcome = fused_outcome(site, "en", "fr", seed=0)
    pairs = outcome.pairs[outcome.matched]
    judged = fused_judgement(site, site.rows_of("en"), site.rows_of("fr"), src_lang="en", tgt_lang="fr", seed=0)
    assert not np.isnan(judged.evidence_of(site, pairs)[GROUP]).any()
    assert judged.probability_of(site, pairs) == pytest.approx(outcome.probability[outcome.matched], abs=1e-6)


def test_with_few_languages_or_without_wanted_ones_each_pair_is_decided_alone(documents):
    for wanted in ((), tuple(combinations(LANGS[:5], 2))):
        site = Site("made", documents, wanted)
        alone = outcome_of_two(site, "en", "fr", seed=0)
        assert fused_outcome(site, "en", "fr", seed=0) is alone
        judged = fused_judgement(site, site.rows_of("en"), site.rows_of("fr"), src_lang="en", tgt_lang="fr", seed=0)
        assert np.array_equal(judged.pairs, alone.pairs)
        assert np.isnan(judged.evidence[GROUP]).all()


def test_a_pair_in_no_group_is_improbable_and_its_bits_say_so(documents):
    site = Site("made", documents, tuple(combinations(LANGS, 2)))
    outcome, alone = fused_outcome(site, "en", "fr", seed=0), outcome_of_two(site, "en", "fr", seed=0)
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
def test_pages_of_two_languages_in_doubt_are_paired_by_a_third_or_not_at_all(documents, doubted, found):
    site = Site("made", documents, tuple(combinations(LANGS, 2)))
    alone = {pair: outcome_of_two(site, *pair, seed=0) for pair in site.lang_pairs}
    for pair in doubted:
        low = np.minimum(alone[pair].probability, 0.05)
        alone[pair] = replace(alone[pair], probability=low, notes=("no ground",))
    outcome = join_languages(site, languages_in_groups(site), alone)["en", "fr"]
    accepted = outcome.pairs[outcome.probability >= 0.5].tolist()
    assert len(accepted) == found
    assert all(number_of(site, i) == number_of(site, j) for i, j in accepted)
    assert outcome.notes
