"""Pairs implied by a third language, and pairs hidden by wrong ones: cases worked by hand."""

from __future__ import annotations

import pyarrow as pa
import pytest

from diglot.pairing.missed import hidden_pairs, implied_pairs
from diglot.records import PAIR_SCHEMA

LANGS = (("en", "fr"), ("en", "de"), ("fr", "de"))


def made_pairs(*pairs: tuple[str, str, float]) -> pa.Table:
    """Accepted pairs of addresses such as ``en/1``, with their probabilities."""
    rows = [
        {
            "site": "made",
            "src_url": src,
            "tgt_url": tgt,
            "src_lang": src[:2],
            "tgt_lang": tgt[:2],
            "accepted": True,
            "probability": chance,
            "method": "",
            "refused_by": "",
            "evidence": [],
        }
        for src, tgt, chance in pairs
    ]
    return pa.Table.from_pylist(rows, schema=PAIR_SCHEMA)


def test_two_pages_paired_with_a_third_imply_a_pair() -> None:
    found = implied_pairs(made_pairs(("en/1", "fr/1", 0.5), ("en/1", "de/1", 0.5)), LANGS)
    assert found == {"en-fr": 0.0, "en-de": 0.0, "fr-de": pytest.approx(0.25)}


@pytest.mark.parametrize("partner", [("fr/1", "de/1", 0.9), ("fr/1", "de/2", 0.9), ("fr/2", "de/1", 0.9)])
def test_pages_with_a_partner_in_the_other_language_imply_none(partner: tuple[str, str, float]) -> None:
    found = implied_pairs(made_pairs(("en/1", "fr/1", 0.5), ("en/1", "de/1", 0.5), partner), LANGS)
    assert found["fr-de"] == 0.0


def test_of_several_third_pages_the_surest_counts_once() -> None:
    pairs = made_pairs(("en/1", "fr/1", 0.5), ("en/1", "de/1", 0.5), ("it/1", "fr/1", 1.0), ("it/1", "de/1", 0.75))
    assert implied_pairs(pairs, LANGS)["fr-de"] == pytest.approx(0.75)


def test_refused_pairs_and_two_languages_imply_nothing() -> None:
    pairs = made_pairs(("en/1", "fr/1", 0.5), ("en/2", "fr/2", 0.5))
    assert set(implied_pairs(pairs, LANGS).values()) == {0.0}


@pytest.mark.parametrize(
    ("pages", "hidden"),
    [
        ({"en": 4, "fr": 2}, 0.75),  # a quarter of the English pages and half of the French have a partner
        ({"en": 8, "fr": 8}, 0.25),
        ({"en": 2, "fr": 2}, 1.0),  # all pages have a partner: two are hidden, but there is one more page of each
        ({"en": 2, "fr": 1}, 0.0),
    ],
)
def test_a_wrong_pair_hides_partners_of_both_pages_as_far_as_pages_have_some(
    pages: dict[str, int], hidden: float
) -> None:
    found = hidden_pairs(made_pairs(("en/1", "fr/1", 0.25), ("en/2", "fr/2", 0.75)), pages, [("en", "fr")])
    assert found == {"en-fr": pytest.approx(hidden)}


def test_sure_pairs_hide_nothing_and_each_pair_of_languages_counts_by_itself() -> None:
    pairs = made_pairs(("en/1", "fr/1", 1.0), ("en/1", "de/1", 0.5))
    assert hidden_pairs(pairs, {"en": 4, "fr": 4, "de": 1}, LANGS) == {"en-fr": 0.0, "en-de": 0.3125, "fr-de": 0.0}
