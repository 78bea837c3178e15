"""When a site gives no ground to believe in any pair: numbers lost, and sure pairs that hardly lead."""

from __future__ import annotations

import numpy as np
import pytest

from diglot.pairing.doubts import CONTENT, content_lead, doubts, number_survival
from diglot.pairing.fused_prior import FEATURES
from diglot.pairing.terms import site_terms
from made_documents import made_page, made_site


def evidence(values):
    """Rows whose content columns all hold one value, the rest 0."""
    rows = np.zeros((len(values), len(FEATURES)))
    for name in CONTENT:
        rows[:, FEATURES.index(name)] = values
    return rows


def test_lead_is_the_chance_of_a_higher_score():
    # Every second seed is above all orphans, the others below all.
    assert content_lead(evidence([0, 3] * 20), evidence([1, 2])) == pytest.approx(0.5)
    assert content_lead(evidence([3] * 40), evidence([1, 2])) == 1
    assert content_lead(evidence([1] * 40), evidence([1, 1])) == pytest.approx(0.5)


def test_columns_without_evidence_say_nothing_either_way():
    seeds = evidence([3] * 40)
    seeds[:, FEATURES.index("title")] = np.nan
    assert content_lead(seeds, evidence([1, 2])) == pytest.approx((5 + 0.5) / 6)


def test_few_seeds_raise_no_doubt():
    assert content_lead(evidence([1] * 29), evidence([2] * 50)) == 1


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
    assert number_survival(site_terms(site), pairs) == pytest.approx(shared / 10)
    assert number_survival(site_terms(site), pairs[:9]) == 1
    low, unsure = evidence([1, 2]), lambda: (evidence([0, 3] * 20), evidence([1, 2]))
    assert len(doubts(site_terms(site), pairs, evidence([3] * 40), low, unsure)) == reasons
    assert len(doubts(site_terms(site), pairs, evidence([0, 3] * 20), low, unsure)) == reasons + 1


@pytest.mark.parametrize(("leading", "reasons"), [(10, 0), (8, 1)])
def test_a_site_with_few_parallel_pages_is_known_by_the_surest(leading, reasons):
    def surest():
        return evidence([3] * leading + [0] * (10 - leading)), evidence([1, 2])

    site = numbered_site(8)
    no_pairs = np.zeros((0, 2), np.int32)
    assert len(doubts(site_terms(site), no_pairs, evidence([0, 3] * 20), evidence([1, 2]), surest)) == reasons
    # It is not asked where the sure pairs lead as they are.
    assert not doubts(site_terms(site), no_pairs, evidence([3] * 40), evidence([1, 2]), pytest.fail)
