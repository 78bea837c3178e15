"""Groups of pages by hand: who moves, who leaves, what ties a pair, and what the groups make of an outcome."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pytest
from made_evidence import made_features

from diglot.arrays import Floats
from diglot.pairing.fused.decision import Outcome
from diglot.pairing.fused.groups import (
    OUTSIDE,
    _are_different_lists,
    _evidence,
    _have_common_partner,
    _linked_groups,
    _support,
    _with_groups,
    log_odds,
    pairs_in_groups,
)
from diglot.pairing.fused.groups.linkage import LEAVE, average_linkage, drop_opposed, move_pages, page_groups
from diglot.pairing.fused.groups.neutral import neutral_evidence, pages_of
from diglot.pairing.fused.matching import first_matching
from diglot.site import Site
from made_documents import made_page, made_site


def symmetric(size: int, cells: Iterable[tuple[int, int, float]], rest: float = 0.0) -> Floats:
    evidence = np.full((size, size), rest)
    for i, j, value in cells:
        evidence[i, j] = evidence[j, i] = value
    return evidence


@pytest.mark.parametrize(("stop", "groups"), [(-2.0, [[0, 1]]), (-1.99, [[0], [1]])])
def test_groups_whose_mean_is_just_the_stop_are_merged(stop: float, groups: list[list[int]]) -> None:
    evidence = symmetric(2, [(0, 1, -2.0)])
    assert average_linkage(evidence, np.array([0, 1]), stop=stop) == groups
    assert page_groups(evidence, np.array([0, 1]), stop=stop) == groups


@pytest.mark.parametrize(("there", "moves"), [(5.0, False), (6.0, False), (6.1, True)])
def test_a_page_moves_to_a_smaller_group_only_for_a_greater_sum(there: float, moves: bool) -> None:
    """Page 0 is tied by 3 and 3 to two pages, and by more to a third that stands alone."""
    evidence = symmetric(4, [(0, 1, 3), (0, 2, 3), (1, 2, 3), (0, 3, there), (2, 3, -5)])
    found = move_pages(evidence, np.array([0, 1, 2, 1]), [[0, 1, 2], [3]])
    assert sorted(map(sorted, found)) == ([[0, 3], [1, 2]] if moves else [[0, 1, 2], [3]])


@pytest.mark.parametrize(("there", "moves"), [(2.0, False), (3.0, False), (3.1, True)])
def test_a_page_moves_to_a_larger_group_only_for_a_greater_mean(there: float, moves: bool) -> None:
    evidence = symmetric(4, [(0, 1, 3), (2, 3, 9), (0, 2, there), (0, 3, there), (1, 3, -9)])
    found = move_pages(evidence, np.array([0, 1, 1, 2]), [[0, 1], [2, 3]])
    assert sorted(map(sorted, found)) == ([[0, 2, 3], [1]] if moves else [[0, 1], [2, 3]])


def test_of_two_pages_of_a_language_the_one_that_gains_more_moves() -> None:
    evidence = symmetric(4, [(2, 3, 9), (0, 2, 1), (0, 3, 1), (1, 2, 2), (1, 3, 2)])
    assert move_pages(evidence, np.array([0, 0, 1, 2]), [[0], [1], [2, 3]]) == [[0], [1, 2, 3]]
    assert move_pages(evidence, np.array([0, 0, 1, 2]), []) == []


def test_who_is_opposed_most_leaves_first_and_then_the_next() -> None:
    """Page 1 has a mean of -4/3 beside page 0, and of -2 when that has left."""
    evidence = symmetric(4, [(0, 2, -3), (0, 3, -3), (1, 2, -2), (1, 3, -2), (2, 3, 5)])
    assert drop_opposed(evidence, [[0, 1, 2, 3]]) == [[0], [1], [2, 3]]
    evidence[0, 2:] = evidence[2:, 0] = -1
    assert drop_opposed(evidence, [[0, 1, 2, 3]]) == [[0, 1, 2, 3]]


@pytest.mark.parametrize(("others", "leaves"), [(0.0, False), (0.1, True)])
def test_nobody_leaves_others_that_are_not_tied_to_each_other(others: float, leaves: bool) -> None:
    evidence = symmetric(3, [(0, 1, LEAVE - 1), (0, 2, LEAVE - 1), (1, 2, others)])
    assert drop_opposed(evidence, [[0, 1, 2]]) == ([[0], [1, 2]] if leaves else [[0, 1, 2]])


@pytest.mark.parametrize(("mean", "leaves"), [(-1.5, False), (-1.51, True)])
def test_a_page_leaves_below_a_mean_of_one_and_a_half_against_it(mean: float, leaves: bool) -> None:
    evidence = symmetric(3, [(0, 1, mean), (0, 2, mean), (1, 2, 4)])
    assert drop_opposed(evidence, [[0, 1, 2]]) == ([[0], [1, 2]] if leaves else [[0, 1, 2]])


def test_whoever_is_opposed_most_leaves_even_if_others_would_too() -> None:
    """Pages 0 and 1 are both opposed by all; without page 1, which more speaks against, page 0 may stay."""
    evidence = symmetric(4, [(0, 1, -6), (0, 2, 0.5), (0, 3, 0.5), (1, 2, -4), (1, 3, -4), (2, 3, 12)])
    assert drop_opposed(evidence, [[0, 1, 2, 3]]) == [[1], [0, 2, 3]]
    evidence[:2] = evidence[:2][::-1][:, [1, 0, 2, 3]]
    evidence[:, :2] = evidence[:2].T
    assert drop_opposed(evidence, [[0, 1, 2, 3]]) == [[0], [1, 2, 3]]


def test_a_pair_of_a_group_is_tied_by_the_weaker_of_its_pages() -> None:
    evidence = symmetric(6, [(0, 1, 1), (0, 2, 2), (0, 3, 4), (1, 2, 5), (1, 3, -9), (2, 3, 8), (4, 5, -7)])
    np.fill_diagonal(evidence, 50)
    pairs = np.array([[0, 1], [2, 3], [0, 3], [4, 5]])
    rest, own, size = _support(evidence, [[0, 1, 2, 3], [4, 5]], pairs).T
    # The others tie 0 by 2 and 4 and 1 by 5 and -9; 2 by 2 and 5, 3 by 4 and -9; 0 by 1 and 2, 3 by -9 and 8.
    assert rest == pytest.approx([-2, -2.5, -0.5, -7])
    assert own == pytest.approx([1, 6, 4, -6])
    assert size == pytest.approx(np.log([4, 4, 4, 2]))
    # In a group of three there is one other page: it ties 2 by 2 and 3 by 4.
    assert _support(evidence, [[0, 2, 3], [1]], pairs[1:2])[0, 0] == 2


def test_odds_are_cut_and_neutral_evidence_counts_half_beside_them() -> None:
    site = made_site(
        *(
            made_page(f"http://x/{lang}/{n}", lang, [f"{n} name{n} {lang}"])
            for lang in ("en", "fr", "de")
            for n in (11, 22)
        )
    )
    langs = ("en", "fr", "de")
    pages = pages_of(site, langs)
    (i, k), (j, m) = (site.rows_of(lang).tolist() for lang in ("en", "fr"))
    odds = {("en", "fr"): (np.array([[i, j], [i, m], [k, j]], np.int32), np.array([9.0, -2.5, -9.0]))}
    evidence, neutral = _evidence(site, pages, langs, odds), neutral_evidence(site, pages)
    english, french, german = (pages.of(place) for place in range(3))
    assert evidence[english, french] == pytest.approx(np.array([[4, -2.5], [-4, -4]]) + 0.5 * neutral[english, french])
    assert np.array_equal(evidence, evidence.T)
    assert np.array_equal(evidence[english, german], neutral[english, german])


@pytest.mark.parametrize(("total", "paired"), [(-1.9, True), (-2.1, False)])
def test_two_pages_barely_tied_are_a_pair_where_there_is_no_other(total: float, paired: bool) -> None:
    site = made_site(*(made_page(f"http://x/{lang}", lang, [f"11 name {lang}"]) for lang in ("en", "fr")))
    pages = pages_of(site, ("en", "fr"))
    odds = total - 0.5 * neutral_evidence(site, pages)[0, 1]
    assert abs(odds) < 4
    pairs, features = pairs_in_groups(
        site, ("en", "fr"), {("en", "fr"): (np.array([[0, 1]], np.int32), np.array([odds]))}
    )
    assert pairs.tolist() == [[0, 1]] * paired
    assert features == pytest.approx(np.array([[total, total, np.log(2)]] * paired).reshape(-1, 3))


def linking_site(links: dict[str, Sequence[str]], numbers: int = 20, blocks: dict[str, int] | None = None) -> Site:
    """Pages 00, 01, ... in two languages, and the links of some of them."""

    def page(lang: str, number: int) -> dict[str, Any]:
        name = f"{lang}/{number:02}"
        urls = [f"http://x/{to}" for to in links.get(name, ())]
        texts = [f"{name} text {k}" for k in range((blocks or {}).get(name, 1))]
        columns = {"link_urls": urls, "link_anchors": [""] * len(urls), "link_hreflangs": [""] * len(urls)}
        return made_page(f"http://x/{name}", lang, texts, **columns, link_alternate=[False] * len(urls))

    return made_site(*(page(lang, number) for lang in ("en", "fr") for number in range(numbers)))


def couples(numbers: int = 20) -> list[list[int]]:
    return [[number, numbers + number] for number in range(numbers)]


def test_links_lead_to_groups_of_the_own_language_and_menus_are_left_out() -> None:
    """Eight of twenty pages are few enough, nine are a menu; two links to one page are one."""
    links = {f"en/{n:02}": ["en/19"] * (n < 8) + ["en/18"] for n in range(9)}
    links["en/10"] = ["en/03", "en/03", "fr/04"]
    links["fr/10"] = ["fr/04", "en/03"]
    site = linking_site(links)
    found = _linked_groups(site, pages_of(site, ("en", "fr")), couples()).to_dense()
    expected = np.zeros((40, 20))
    expected[:8, 19] = expected[10, 3] = expected[30, 4] = 1
    assert np.array_equal(found, expected)


def lists_of_others(
    english: Sequence[int], french: Sequence[int], groups: list[list[int]] | None = None, blocks: int = 1
) -> bool:
    """Whether page 00 of both languages, which links to these, is taken for two lists of different things."""
    links = {"en/00": [f"en/{n:02}" for n in english], "fr/00": [f"fr/{n:02}" for n in french]}
    site = linking_site(links, blocks={"fr/00": blocks})
    pages = pages_of(site, ("en", "fr"))
    found = _are_different_lists(site, pages, groups or couples(), np.array([[0, 20], [1, 21]]))
    assert not found[1]
    return bool(found[0])


@pytest.mark.parametrize(
    ("english", "french", "different"),
    [
        (range(1, 7), range(11, 17), True),
        (range(1, 6), range(11, 17), False),
        (range(1, 7), range(11, 16), False),
        # Seven of ten are common to both, and six of ten.
        (range(1, 9), range(2, 11), False),
        (range(1, 9), range(3, 11), True),
        (range(1, 10), range(1, 10), False),
    ],
)
def test_two_lists_are_different_from_six_links_with_less_than_seven_tenths_in_common(
    english: range, french: range, different: bool
) -> None:
    assert lists_of_others(english, french) == different


@pytest.mark.parametrize(("blocks", "different"), [(30, True), (31, False)])
def test_a_list_links_from_every_fifth_block(blocks: int, different: bool) -> None:
    assert lists_of_others(range(1, 7), range(11, 17), blocks=blocks) == different


def test_what_one_language_lacks_is_no_difference() -> None:
    """Pages 11 to 16 stand in groups without English pages."""
    apart = [group if not 11 <= group[0] <= 16 else group[:1] for group in couples()]
    alone = [[20 + number] for number in range(11, 17)]
    assert not lists_of_others(range(1, 7), range(11, 17), apart + alone)
    longer = [*range(1, 7), *range(11, 17)]
    assert lists_of_others(longer, range(1, 7))
    assert not lists_of_others(longer, range(1, 7), apart + alone)


def test_pairs_with_a_common_partner_are_both_surely_paired_with_one_page() -> None:
    pairs = np.array([[0, 5], [0, 9], [5, 9], [1, 6], [1, 9], [2, 5]])
    sure = np.array([False, True, True, False, True, True])
    assert _have_common_partner(pairs, sure).tolist() == [True, False, False, False, False, False]
    assert not _have_common_partner(pairs, ~sure & False).any()


def test_pairs_in_groups_have_the_probability_of_their_groups_and_others_hardly_any() -> None:
    site = made_site(*(made_page(f"http://x/{n}", "en") for n in range(4)))
    pairs = np.array([[0, 2], [0, 3], [1, 3]], np.int32)
    alone = Outcome(
        pairs,
        np.array([True, False, True]),
        np.array([0.9, 0.3, 0.01]),
        made_features(3) + 7,
        0.6,
        first_matching(site, site.rows_of("en"), site.rows_of("fr")),
        ("a note",),
    )
    found = _with_groups(alone, np.array([[0, 3], [1, 2]], np.int32), np.array([2.0, -1.0]), site, outside=OUTSIDE)
    assert found.pairs.tolist() == [[0, 2], [0, 3], [1, 2], [1, 3]]
    assert found.probability == pytest.approx([0.02, 1 / (1 + np.exp(-2)), 1 / (1 + np.e), 0.01])
    assert found.matched.tolist() == [False, True, True, False]
    assert np.isnan(found.bits).all(axis=1).tolist() == [False, False, True, False]
    assert (found.bits[[0, 1, 3]] == 7).all()
    gained = [np.log(0.02 / 0.98) - np.log(9), 2 - np.log(3 / 7), -1, 0]
    assert found.group_bits == pytest.approx(np.array(gained) / np.log(2))
    assert (found.share, found.notes) == (0.6, ("a note",))
    free = _with_groups(alone, pairs[:0], np.zeros(0), site, outside=1.0)
    assert free.probability == pytest.approx(alone.probability)
    assert not free.matched.any()


def test_log_odds_are_kept_off_certainty() -> None:
    assert log_odds(np.array([0.5, 0.75])) == pytest.approx([0, np.log(3)])
    assert log_odds(np.array([0.0, 1.0])) == pytest.approx([-np.log(1e6), np.log(1e6)], abs=1e-5)
