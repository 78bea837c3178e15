"""When a site gives no ground to believe in any pair: numbers lost, and sure pairs that hardly lead."""

from __future__ import annotations

import numpy as np
import pytest

from diglot.pairing.fused.evidence import CONTENT, FEATURES
from diglot.pairing.fused.prior import Prior
from diglot.pairing.fused.sanity_checks import PAIR_LEVEL, content_lead, content_level, failed_checks, number_survival
from diglot.pairing.fused.words import site_words
from made_documents import made_page, made_site


def usual(pair):
    """Other sites: orphans' pairs have 0 of all evidence, true pairs so much."""
    size = len(FEATURES)
    return Prior(np.zeros(size), np.full(size, float(pair)), np.ones(size), 0.0, 0.8)


FAR_BETTER = usual(100)


def evidence(values):
    """Rows whose content columns all hold one value, the rest 0."""
    rows = np.zeros((len(values), len(FEATURES)))
    rows[:, CONTENT] = np.asarray(values, float)[:, None]
    return rows


def test_lead_is_the_chance_of_a_higher_score():
    # Every second seed is above all orphans, the others below all.
    assert content_lead(evidence([0, 3] * 20), evidence([1, 2])) == pytest.approx(0.5)
    assert content_lead(evidence([3] * 40), evidence([1, 2])) == 1
    assert content_lead(evidence([1] * 40), evidence([1, 1])) == pytest.approx(0.5)


def test_columns_without_evidence_say_nothing_either_way():
    seeds = evidence([3] * 40)
    seeds[:, FEATURES.index("title")] = np.nan
    assert content_lead(seeds, evidence([1, 2])) == pytest.approx(1 - 0.5 / len(CONTENT))


def test_few_seeds_raise_no_doubt():
    assert content_lead(evidence([1] * 9), evidence([2] * 50)) == 1


def numbered_site(shared):
    """Twelve pages a language with ten numbers each, of which so many are the partner's too."""
    pages = []
    for number in range(12):
        own = [str(10_000 + 100 * number + k) for k in range(10)]
        other = own[:shared] + [str(50_000 + 100 * number + k) for k in range(10 - shared)]
        pages.append(made_page(f"http://x/en/{number:02}", "en", [" ".join(own)]))
        pages.append(made_page(f"http://x/fr/{number:02}", "fr", [" ".join(other)]))
    return made_site(*pages)


@pytest.mark.parametrize(("shared", "reasons"), [(8, 0), (2, 1)])
def test_numbers_that_do_not_survive_are_a_doubt(shared, reasons):
    site = numbered_site(shared)
    pairs = np.stack([site.rows_of("en"), site.rows_of("fr")], axis=1)
    assert number_survival(site_words(site), pairs) == pytest.approx(shared / 10)
    assert number_survival(site_words(site), pairs[:9]) == 1
    low, unsure = evidence([1, 2]), lambda: (evidence([0, 3] * 20), evidence([1, 2]))
    assert len(failed_checks(site_words(site), pairs, evidence([3] * 40), low, unsure, FAR_BETTER)) == reasons
    assert len(failed_checks(site_words(site), pairs, evidence([0, 3] * 20), low, unsure, FAR_BETTER)) == reasons + 1


def few_numbers(seeds, *, level):
    """Reasons to doubt a site with a fifth of its numbers shared, and with seeds of such a level on average."""
    site = numbered_site(2)
    pairs = np.stack([site.rows_of("en"), site.rows_of("fr")], axis=1)
    others, surest = usual(np.median(np.asarray(seeds, float)) / level), (evidence([3] * 10), evidence([1, 2]))
    return len(failed_checks(site_words(site), pairs, evidence(seeds), evidence([1, 2]), lambda: surest, others))


def test_numbers_may_be_lost_where_content_leads_and_is_like_translations():
    """Two editions of a text, whose paragraphs are numbered in their own ways."""
    assert few_numbers([3] * 40, level=PAIR_LEVEL + 0.01) == 0
    assert few_numbers([3] * 40, level=PAIR_LEVEL - 0.01) == 1
    # Every fourth seed is below all orphans: the others lead just enough.
    assert few_numbers([3] * 30 + [0] * 10, level=1) == 0
    assert few_numbers([3] * 29 + [0] * 11, level=1) == 1


@pytest.mark.parametrize(("leading", "reasons"), [(10, 0), (8, 1)])
def test_a_site_with_few_parallel_pages_is_known_by_the_surest(leading, reasons):
    def surest():
        return evidence([3] * leading + [0] * (10 - leading)), evidence([1, 2])

    site = numbered_site(8)
    no_pairs = np.zeros((0, 2), np.int32)
    assert (
        len(failed_checks(site_words(site), no_pairs, evidence([0, 3] * 20), evidence([1, 2]), surest, FAR_BETTER))
        == reasons
    )
    # It is not asked where the sure pairs lead as they are.
    assert not failed_checks(site_words(site), no_pairs, evidence([3] * 40), evidence([1, 2]), pytest.fail, FAR_BETTER)


def test_the_level_is_told_on_the_scale_of_other_sites():
    assert content_level(evidence([1, 2, 3]), usual(4)) == pytest.approx(0.5)
    seeds = evidence([2])
    seeds[:, FEATURES.index("title")] = np.nan
    assert content_level(seeds, usual(4)) == pytest.approx(0.5)
    assert content_level(seeds * np.nan, usual(4)) == 0


def test_pages_in_several_versions_are_no_ground_for_doubt():
    """What orphans take is as good as the pairs, and both are as good as true pairs of other sites."""
    site, no_pairs, both = numbered_site(8), np.zeros((0, 2), np.int32), evidence([2, 2.1] * 20)

    def surest():
        return both, both

    as_good, better = usual(2 / PAIR_LEVEL - 0.1), usual(2.1 / PAIR_LEVEL + 0.1)
    assert not failed_checks(site_words(site), no_pairs, both, both, surest, as_good)
    assert len(failed_checks(site_words(site), no_pairs, both, both, surest, better)) == 1
