"""Whole outcomes on small made sites, one a rule: a tie, a loser, a doubt, a low share, a false rule, a group.

Figures that the shipped prior has a say in stand in ``outcome_pins.json``, which ``make pins`` writes anew. A change of
theirs is to be understood before.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from made_bilingual import STORIES
from made_outcomes import (
    Probabilities,
    a_second_page_with_the_figures,
    alone,
    figures_now,
    join_languages,
    probabilities,
    told_by_figures,
    two_pages_that_share_a_story,
    with_a_copy,
    with_few_parallel_pages,
    with_names,
    without_parallel_pages,
)

from diglot.pairing.fused.evidence import FEATURES

PINS = json.loads(Path(__file__).with_name("outcome_pins.json").read_text(encoding="utf-8"))


def rank(found: Probabilities, source: str) -> list[str]:
    """The targets of a source page, most probable first."""
    mine = {target: p for (page, target), p in found.items() if page == source}
    return sorted(mine, key=mine.__getitem__, reverse=True)


def accepted(found: Probabilities) -> set[tuple[str, str]]:
    return {pair for pair, p in found.items() if p >= 0.5}


@pytest.mark.parametrize("name", PINS)
def test_a_figure_is_what_it_was(name: str) -> None:
    assert figures_now()[name] == pytest.approx(PINS[name], abs=1e-5)


def test_all_figures_are_pinned() -> None:
    assert list(figures_now()) == list(PINS)


def test_pages_told_by_their_figures_are_believed() -> None:
    site = told_by_figures()
    found = probabilities(site, alone(site))
    assert accepted(found) == {(f"en/{n}", f"fr/{n}") for n in range(STORIES)}


def test_a_page_and_its_copy_tie_and_neither_is_believed() -> None:
    site, (src, tgt), copy = with_a_copy()
    found = probabilities(site, alone(site), "")
    assert found[src, tgt] == found[src, copy] == pytest.approx(0.06, abs=1e-6)


def test_what_loses_the_matching_is_not_believed_however_well_it_fits() -> None:
    site = a_second_page_with_the_figures()
    found = probabilities(site, alone(site))
    assert rank(found, "en/3")[:2] == ["fr/3", "fr/99"]
    assert found["en/3", "fr/99"] == pytest.approx(0.49, abs=1e-6)


def test_a_site_without_parallel_pages_is_in_doubt() -> None:
    outcome = alone(without_parallel_pages())
    assert len(outcome.notes) == 1
    assert "only 72% of the time" in outcome.notes[0]
    assert outcome.matched.sum() == 76
    assert outcome.probability.max() == pytest.approx(0.05, abs=1e-6)


def test_where_few_pages_are_parallel_no_pair_is_lost_and_most_orphans_are_left() -> None:
    """Some pairs of orphans are believed, fewer than half of those that were matched."""
    site, gold = with_few_parallel_pages()
    outcome = alone(site)
    found = probabilities(site, outcome, "")
    matched = {pair for pair, taken in zip(found, outcome.matched.tolist(), strict=True) if taken}
    assert gold <= accepted(found)
    assert len(accepted(found) - gold) < len(matched - gold) / 2
    assert outcome.notes == ()


def test_a_rule_of_addresses_counts_only_where_content_bears_it_out() -> None:
    outcomes = []
    for same in (True, False):
        site, gold = with_names(same=same)
        outcome = alone(site)
        found = probabilities(site, outcome, "http://a.example/")
        assert accepted(found) == {(src[17:], tgt[17:]) for src, tgt in gold}
        outcomes.append((found, outcome.bits[:, FEATURES.index("address")]))
    (_, true_bits), (false, false_bits) = outcomes
    assert (true_bits > 0).sum() == 40
    assert (false_bits == 0).all()
    # Pairs of the false rule are not even candidates unless their content makes them so.
    assert sum((f"en/{n:02}", f"fr/{n:02}") in false for n in range(40)) < 20


def test_groups_overrule_a_pair_that_two_languages_believe_in() -> None:
    """One language prefers the words it knows, and six together the page that all the others fit."""
    site = two_pages_that_share_a_story()
    by_two, by_six = probabilities(site, alone(site)), probabilities(site, join_languages(site))
    assert by_two["en/3", "fr/3"] > 0.5
    assert by_two["en/3", "fr/98"] == pytest.approx(0.06, abs=1e-6)
    assert by_six["en/3", "fr/3"] == pytest.approx(0.02, abs=1e-6)
    assert by_six["en/3", "fr/98"] > 0.5


def test_groups_make_surer_what_all_languages_say_and_nothing_else() -> None:
    site = told_by_figures()
    outcome = join_languages(site)
    by_two, by_six = probabilities(site, alone(site)), probabilities(site, outcome)
    assert by_six["en/0", "fr/0"] > by_two["en/0", "fr/0"]
    others = by_two.keys() - accepted(by_two)
    assert len(others) > STORIES
    assert {pair: by_six[pair] for pair in others} == pytest.approx({pair: min(by_two[pair], 0.02) for pair in others})
    assert np.array_equal(outcome.matched, outcome.probability >= 0.5)
    assert outcome.matched.sum() == STORIES
