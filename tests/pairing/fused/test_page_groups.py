"""Groups of pages: the linkage against one written without any bookkeeping, and cases worked by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from diglot.pairing.fused.groups.linkage import (
    LEAVE,
    average_linkage,
    drop_opposed,
    move_pages,
    page_groups,
    sums_and_sizes,
)


def plain_linkage(evidence, langs, stop):
    """Average linkage as it is defined: look at every two groups each time."""
    groups = [[page] for page in range(len(langs))]
    while True:
        means = {
            (a, b): np.mean([evidence[i][j] for i in groups[a] for j in groups[b]])
            for a, b in combinations(range(len(groups)), 2)
            if not {langs[i] for i in groups[a]} & {langs[j] for j in groups[b]}
        }
        best = max(means, key=means.get, default=None)
        if best is None or means[best] < stop:
            return sorted(sorted(group) for group in groups)
        groups[best[0]] += groups.pop(best[1])


@st.composite
def sites(draw):
    pages = draw(st.integers(1, 9))
    langs = np.array(draw(st.lists(st.integers(0, 3), min_size=pages, max_size=pages)))
    seed = draw(st.integers(0, 10_000))
    half = np.random.default_rng(seed).normal(0, 2, (pages, pages))
    return half + half.T, langs, draw(st.floats(-2, 2))


@given(sites())
def test_as_the_definition_says(site):
    evidence, langs, stop = site
    assert average_linkage(evidence, langs, stop=stop) == plain_linkage(evidence, langs, stop)


def ties(evidence, page, group):
    """Sum and mean of the evidence of a page for the others of a group."""
    others = [evidence[page, other] for other in group if other != page]
    return sum(others), sum(others) / max(len(others), 1)


@given(sites())
def test_after_the_moves_no_page_has_more_to_gain_elsewhere(site):
    evidence, langs, stop = site
    before = average_linkage(evidence, langs, stop=stop)
    after = move_pages(evidence, langs, before)
    assert sorted(page for group in after for page in group) == list(range(len(langs)))
    inside = [sum(ties(evidence, page, group)[0] for group in groups for page in group) for groups in (before, after)]
    assert inside[1] >= inside[0] - 1e-9
    for group in after:
        assert len(set(langs[group])) == len(group)
        for page in group:
            own = ties(evidence, page, group)
            for other in after:
                if langs[page] not in langs[other]:
                    there = ties(evidence, page, other)
                    assert there[0] <= own[0] + 1e-9 or there[1] <= own[1] + 1e-9


def test_a_page_that_an_early_merge_misplaced_moves_to_where_its_language_is_missing():
    """Page 0 was merged with 1 first, at 4.1; the group of 3, 4 and 5, which lacks its language, fits better."""
    evidence = np.zeros((6, 6))
    for i, j, value in [(0, 1, 4.1), (1, 2, 4), (0, 2, -2), (3, 4, 4), (3, 5, 4), (4, 5, 4)]:
        evidence[i, j] = evidence[j, i] = value
    evidence[0, 3:] = evidence[3:, 0] = 3.5
    langs = np.array([0, 1, 2, 1, 2, 3])
    assert average_linkage(evidence, langs, stop=0) == [[0, 1, 2], [3, 4, 5]]
    assert page_groups(evidence, langs, stop=0) == [[0, 3, 4, 5], [1, 2]]


def test_a_page_that_its_group_speaks_against_leaves():
    evidence = np.full((4, 4), 4.0)
    evidence[0, 1:] = evidence[1:, 0] = LEAVE - 0.1
    assert drop_opposed(evidence, [[0, 1, 2, 3]]) == [[0], [1, 2, 3]]
    assert drop_opposed(evidence, [[0, 1], [2, 3]]) == [[0, 1], [2, 3]]
    evidence[0, 1] = evidence[1, 0] = LEAVE + 0.5
    assert drop_opposed(evidence, [[0, 1, 2, 3]]) == [[0, 1, 2, 3]]


def test_nobody_leaves_where_all_speak_against_all():
    evidence = np.full((4, 4), LEAVE - 0.1)
    assert drop_opposed(evidence, [[0, 1, 2, 3]]) == [[0, 1, 2, 3]]


def test_a_group_holds_one_page_a_language():
    evidence = np.full((4, 4), 3.0)
    evidence[0, 2] = evidence[2, 0] = evidence[1, 3] = evidence[3, 1] = 4.0
    assert page_groups(evidence, np.array([0, 0, 1, 1]), stop=0) == [[0, 2], [1, 3]]


def test_a_third_page_that_contradicts_keeps_a_page_out():
    # 2 fits 0 well and 1 not at all: the mean over the group (4 - 6) / 2 is below the stop.
    evidence = np.array([[0, 5, 4.0], [5, 0, -6], [4, -6, 0]])
    assert page_groups(evidence, np.array([0, 1, 2]), stop=0) == [[0, 1], [2]]


def test_no_pages():
    assert page_groups(np.zeros((0, 0)), np.zeros(0, np.int64), stop=0) == []


def test_a_page_itself_adds_nothing_to_the_sum_of_its_group():
    evidence = np.array([[9, 2, 4.0], [2, 9, 1], [4, 1, 9]])
    assert [each.tolist() for each in sums_and_sizes(evidence, [[0, 1, 2]])] == [[6, 3, 5], [3, 3, 3]]
    assert [each.tolist() for each in sums_and_sizes(evidence, [[0], [1, 2]])] == [[0, 1, 1], [1, 2, 2]]
