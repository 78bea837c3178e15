"""Groups of pages: the linkage against one written without any bookkeeping, and cases worked by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diglot.pairing.page_groups import page_groups, support


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
    assert page_groups(evidence, langs, stop=stop) == plain_linkage(evidence, langs, stop)


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


def test_support_counts_the_page_itself_as_nothing():
    evidence = np.array([[9, 2, 4.0], [2, 9, 1], [4, 1, 9]])
    assert support(evidence, [[0, 1, 2]]).tolist() == pytest.approx([6 / 3, 3 / 3, 5 / 3])
    assert support(evidence, [[0], [1, 2]]).tolist() == pytest.approx([0, 0.5, 0.5])
