"""The table of evidence: what follows from a line, what content is worth together, and what bears out addresses."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from diglot.arrays import Floats
from diglot.corpus.flags import MEANINGS
from diglot.documents.html.tags import start_code
from diglot.errors import RecipeError, UsageError, require_distinct
from diglot.pairing.fused.evidence import (
    COLUMNS,
    CONTENT,
    FEATURES,
    GROUPS,
    LEVEL,
    MARGIN,
    MATCHING,
    SUPPORT,
    EvidenceColumn,
    are_possible,
    reliability,
    structure,
)
from diglot.pairing.fused.matching_value import Content, content_value, matching_value
from diglot.site import Site
from made_documents import made_page, made_site


def test_margins_come_last_and_only_they_wait_for_the_other_candidates() -> None:
    assert [column.of is None for column in COLUMNS] == [place >= MARGIN for place in range(len(COLUMNS))]
    assert FEATURES[MARGIN:] == ("margin", "margin_larger", "margin_likelihood")
    with pytest.raises(TypeError, match="column margin: margins are taken"):
        COLUMNS[MARGIN].values(None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (None, "gives a NoneType"),
        ([1.0, 2.0, 3.0], "gives a list"),
        (np.ones(2), r"gives an array of shape \(2,\) and type float64 for 3 pairs"),
        (np.ones((3, 1)), r"gives an array of shape \(3, 1\)"),
        (np.array(["a", "b", "c"]), r"type <U1 for 3 pairs"),
        (np.array([1.0, np.inf, -np.inf]), "2 of 3 values are infinite; NaN says no evidence"),
    ],
)
def test_a_column_of_ones_own_that_gives_no_number_for_each_pair_is_told_by_name(given: Any, said: str) -> None:
    compared: Any = SimpleNamespace(site=None, pairs=np.zeros((3, 2), np.int32))
    own = EvidenceColumn(name="own", of=lambda _site, _pairs: given, group="own", meaning="nothing")
    with pytest.raises(RecipeError, match=rf"^column own of diglot\.pairing\.fused\.evidence: .*{said}"):
        own.values(compared)
    unknown = np.array([0.5, np.nan, 1.0], np.float32)
    assert np.array_equal(replace(own, of=lambda *_: unknown).values(compared), unknown, equal_nan=True)


@pytest.mark.parametrize(
    ("letters", "alone", "supported"), [(60, True, True), (59, False, True), (119, True, True), (120, True, True)]
)
def test_a_near_empty_page_needs_support(letters: int, alone: bool, supported: bool) -> None:
    site = made_site(made_page("http://x/a", "en", ["a" * 60]), made_page("http://x/b", "fr", ["b" * letters]))
    assert possible(site) == (alone, supported)


@pytest.mark.parametrize(("letters", "supported"), [(59, True), (60, True), (119, True), (120, False)])
def test_a_near_empty_page_translates_no_full_page(letters: int, supported: bool) -> None:
    site = made_site(made_page("http://x/a", "en", ["a" * 59]), made_page("http://x/b", "fr", ["b" * letters]))
    assert possible(site) == (False, supported)


def possible(site: Site) -> tuple[bool, bool]:
    """Whether the first two pages may be a pair without support and with it."""
    pairs = np.array([[0, 1]], np.int32)
    without, with_support = (bool(are_possible(site, pairs, np.array([each]))[0]) for each in (False, True))
    return without, with_support


def test_a_column_of_ones_own_that_fails_is_told_by_name() -> None:
    compared: Any = SimpleNamespace(site=None, pairs=np.zeros((3, 2), np.int32))
    own = EvidenceColumn(name="own", of=lambda _site, _pairs: {}["size"], group="own", meaning="nothing")
    said = r"^column own of diglot\.pairing\.fused\.evidence: KeyError: 'size' \(test_evidence\.py, line \d+\)$"
    with pytest.raises(RecipeError, match=said):
        own.values(compared)


@pytest.mark.parametrize(("kind", "names"), [("column", FEATURES), ("flag", tuple(MEANINGS))])
def test_a_name_that_is_taken_is_refused(kind: str, names: tuple[str, ...]) -> None:
    require_distinct(kind, names)
    with pytest.raises(UsageError, match=f"^{kind} '{names[1]}': the name is taken; choose another$"):
        require_distinct(kind, [*names, names[1]])


def test_every_column_has_a_name_of_its_own_and_is_told_in_one_group() -> None:
    assert len(set(FEATURES)) == len(COLUMNS)
    assert sorted(name for names in GROUPS.values() for name in names) == sorted(FEATURES)


def test_neither_margins_nor_support_are_content() -> None:
    assert {FEATURES[place] for place in SUPPORT} == {"address", "link"}
    assert not set(CONTENT) & {*SUPPORT, *range(MARGIN, len(COLUMNS))}
    assert {FEATURES[place] for place in LEVEL} == {"cosine", "neutral", "structure"}
    assert set(LEVEL) <= set(CONTENT)


def levels(value: float, pairs: int = 8) -> Floats:
    return np.full((pairs, len(LEVEL)), value)


def test_an_address_counts_as_far_as_content_at_the_level_of_translations_bears_it_out() -> None:
    assert reliability(np.ones(8), levels(1.0)) == pytest.approx(0.9)
    assert reliability(np.ones(8), levels(0.0)) == pytest.approx(0.1)
    assert reliability(np.zeros(8), levels(1.0)) == 0.5


def test_content_that_is_not_known_is_half_way() -> None:
    unknown = levels(-0.1)
    unknown[:, 1:] = np.nan
    assert reliability(np.ones(8), unknown) == pytest.approx(0.9)
    unknown[:, 0] = -0.3
    assert reliability(np.ones(8), unknown) == pytest.approx(0.1)


def test_a_lexicon_of_few_pairs_counts_little() -> None:
    names = ("neutral", "structure", "order", "cosine", "title")
    scores = {name: np.array([0.0] * 18 + [1.0, 0.0]) for name in names[:2]}
    scores |= {name: np.array([0.0] * 18 + [0.0, 1.0]) for name in names[2:]}
    few, many = content_value(scores, MATCHING, 1), content_value(scores, MATCHING, 1000)
    assert few[18] > 5 * few[19]
    assert many[19] > 0.9 * many[18]


def test_a_score_that_hardly_any_candidate_has_does_not_outweigh_the_others() -> None:
    """One title of 30 has a word known: its candidate must not be worth more than all other evidence together."""
    scores = {name: np.linspace(0, 1, 30) for name in ("neutral", "structure", "order", "cosine")}
    scores["title"] = np.zeros(30)
    without = content_value(scores, MATCHING, 100)
    scores["title"][3] = 0.01
    value = content_value(scores, MATCHING, 100)
    assert np.delete(value, 3) == pytest.approx(np.delete(without, 3))
    assert 0 < value[3] - without[3] <= 10 / 4


def test_support_frames_and_numbers_add_to_the_matching_value() -> None:
    scores = {name: np.zeros(5) for name in ("neutral", "structure", "order", "cosine", "title")}
    scores |= {
        "address": np.array([0, 1, 0, 0, 0]),
        "link": np.array([0, 0, 0.6, 0, 0]),
        "numbers": np.array([0, 0, 0, 12.0, 0]),
        "frame": np.array([0, 0, 0, 0, 1.6]),
    }
    assert matching_value(scores, MATCHING, 100) == pytest.approx([0, 1, 0.6, 0.12, 0.4])


def test_a_kind_of_content_of_ones_own_counts_as_much_as_each_other_kind() -> None:
    scores = dict.fromkeys(FEATURES[:MARGIN], np.zeros(40)) | {"own": np.array([1.0] * 4 + [0.0] * 36)}
    assert content_value(scores, MATCHING | {"own": Content("own")}, 0)[[0, 39]] == pytest.approx([1 / 3, 0])


def test_an_address_and_a_link_are_one_sign_in_the_matching_value() -> None:
    """A renamed page, linked both ways, comes level with the file left behind, which a link one way supports, too."""
    scores = dict.fromkeys(FEATURES[:MARGIN], np.zeros(5))
    scores |= {"address": np.array([0, 1, 0, 1, 0.5]), "link": np.array([0, 0, 1, 0.6, 0.5])}
    assert matching_value(scores, MATCHING, 100) == pytest.approx([0, 1, 1, 1, 0.75])


def test_a_structure_too_long_to_compare_is_no_evidence() -> None:
    lengths = (10, 2_000, 2_001)
    pages = [made_page(f"http://x/{k}", "en", tokens=[start_code("p")] * length) for k, length in enumerate(lengths)]
    found = structure(made_site(*pages), np.array([[0, 0], [1, 1], [0, 2], [2, 2]], np.int32))
    assert found == pytest.approx([1, 1, np.nan, np.nan], nan_ok=True)
