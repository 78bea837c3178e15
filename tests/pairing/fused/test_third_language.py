"""Pairs implied by a third language: worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from diglot.pairing.fused.decision import Outcome
from diglot.pairing.fused.evidence import FEATURES
from diglot.pairing.fused.matching import first_matching
from diglot.pairing.fused.third_language import with_implied_pairs
from diglot.site import Site
from made_documents import made_page, made_site

Probabilities = dict[tuple[int, int], float]
EN_FR, EN_DE, FR_DE = ("en", "fr"), ("en", "de"), ("fr", "de")


def three_languages() -> Site:
    """Rows 0 and 1 in English, 2 and 3 in French, 4 and 5 in German."""
    return made_site(*(made_page(f"http://x/{n}", lang) for n, lang in enumerate(["en", "en", "fr", "fr", "de", "de"])))


def outcome_of(site: Site, pairs: Probabilities) -> Outcome:
    """All pairs are matched."""
    rows = np.array(sorted(pairs), np.int32).reshape(-1, 2)
    probability = np.array([pairs[pair] for pair in sorted(pairs)])
    matching = first_matching(site, np.array([0, 1]), np.array([2, 3]))
    bits = np.zeros((len(rows), len(FEATURES)))
    return Outcome(rows, np.ones(len(rows), bool), probability, bits, 0.5, matching)


def french_german(en_fr: Probabilities, en_de: Probabilities, fr_de: Probabilities) -> tuple[Outcome, Probabilities]:
    site = three_languages()
    alone = {EN_FR: outcome_of(site, en_fr), EN_DE: outcome_of(site, en_de), FR_DE: outcome_of(site, fr_de)}
    found = with_implied_pairs(site, alone)[FR_DE]
    kept = found.pairs[found.matched].tolist(), found.probability[found.matched].tolist()
    return found, {(i, j): chance for (i, j), chance in zip(*kept, strict=True)}


@pytest.mark.parametrize(("own", "after"), [({}, 0.72), ({(2, 4): 0.1}, 0.72), ({(2, 4): 0.8}, 0.8)])
def test_two_pages_paired_with_one_english_page_translate_each_other(own: Probabilities, after: float) -> None:
    _, matched = french_german({(0, 2): 0.8}, {(0, 4): 0.9}, own)
    assert matched == {(2, 4): pytest.approx(after)}


@pytest.mark.parametrize(
    ("en_fr", "en_de", "fr_de"),
    [
        # One of both pairs is not accepted.
        ({(0, 2): 0.49}, {(0, 4): 0.9}, {}),
        # The pages are paired with different English pages.
        ({(0, 2): 0.9}, {(1, 4): 0.9}, {}),
        # The French page, or the German one, has a pair already.
        ({(0, 2): 0.9}, {(0, 4): 0.9}, {(2, 5): 0.5}),
        ({(0, 2): 0.9}, {(0, 4): 0.9}, {(3, 4): 0.5}),
    ],
)
def test_nothing_is_implied(en_fr: Probabilities, en_de: Probabilities, fr_de: Probabilities) -> None:
    found, matched = french_german(en_fr, en_de, fr_de)
    assert matched == fr_de
    assert not len(found.group_bits)


def test_an_implied_pair_takes_the_place_of_an_unlikely_one_and_shows_its_bits() -> None:
    found, matched = french_german({(0, 2): 1.0}, {(0, 4): 0.8}, {(2, 4): 0.2, (2, 5): 0.4, (3, 5): 0.3})
    assert matched == {(2, 4): pytest.approx(0.8), (3, 5): 0.3}
    assert found.pairs.tolist() == [[2, 4], [2, 5], [3, 5]]
    # From odds of 1 to 4 to odds of 4 to 1.
    assert found.group_bits.tolist() == pytest.approx([4.0, np.nan, np.nan], nan_ok=True)


def test_an_implied_pair_that_was_no_candidate_shows_its_bits_from_even_odds() -> None:
    found, _ = french_german({(0, 2): 1.0}, {(0, 4): 0.8}, {})
    assert found.group_bits.tolist() == pytest.approx([2.0])


def test_of_two_implied_pairs_of_a_page_the_more_probable_is_taken() -> None:
    # The German page 4 has two English partners, as where two languages disagree.
    _, matched = french_german({(0, 2): 0.9, (1, 3): 0.9}, {(0, 4): 0.6, (1, 4): 0.7}, {})
    assert matched == {(3, 4): pytest.approx(0.63)}
