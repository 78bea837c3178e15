"""Intervals of scores: groups found, sums kept, and the truth covered about as often as said."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diglot.evaluation.gold import GoldPair, ProposedPair
from diglot.evaluation.intervals import Counts, grouped_counts, intervals
from diglot.evaluation.pairs import evaluate_pairs


def test_groups_by_hand() -> None:
    # Page 1 in three languages is one group, page 2 another, the orphans share y and are a third.
    gold = [
        GoldPair("en", "fr", "e1", "f1"),
        GoldPair("en", "de", "e1", "d1"),
        GoldPair("en", "fr", "e2", "f2"),
        GoldPair("en", "fr", "e2", "f2"),
    ]
    proposed = [
        ProposedPair("e1", "f1"),
        ProposedPair("e1", "d9", src_lang="en", tgt_lang="de"),
        ProposedPair("x9", "f2", src_lang="en", tgt_lang="fr"),
        ProposedPair("y", "z", src_lang="en", tgt_lang="fr"),
        ProposedPair("y", "w", src_lang="en", tgt_lang="de"),
    ]
    counts = grouped_counts(gold, evaluate_pairs(proposed, gold).judged)
    assert sorted(counts.tolist()) == [[0, 2, 0, 0], [1, 1, 1, 0], [2, 2, 2, 1]]


urls = st.sampled_from([f"{lang}{n}" for lang in "efdx" for n in range(6)])


@given(st.lists(st.tuples(urls, urls)))
def test_groups_sum_to_the_scores(pairs: list[tuple[str, str]]) -> None:
    gold = [GoldPair("en", "fr", f"e{n}", f"f{n}") for n in range(4)]
    gold += [GoldPair("de", "en", f"d{n}", f"e{n}") for n in range(3)]
    result = evaluate_pairs([ProposedPair(*pair) for pair in pairs], gold)
    pooled = result.pooled
    counts = grouped_counts(gold, result.judged)
    assert counts.sum(axis=0).tolist() == [pooled.gold, pooled.proposed, pooled.relevant, pooled.found]
    bounds = intervals(counts, resamples=50)
    assert all(0 <= low <= high <= 1 for low, high in bounds.values())


def test_nothing_to_resample_has_no_interval() -> None:
    assert intervals(grouped_counts([], [])) == {}
    one = [GoldPair("en", "fr", "e", "f")]
    assert intervals(grouped_counts(one, evaluate_pairs([], one).judged)) == {}


def test_where_all_groups_agree_the_rule_of_three_is_kept() -> None:
    """Hanley and Lippman-Hand 1983: 1 - 0.05 ** (1 / 14) = 0.193, where 3 / 14 = 0.214."""
    gold = [GoldPair("en", "fr", f"e{n}", f"f{n}") for n in range(14)]
    right = evaluate_pairs([ProposedPair(pair.url1, pair.url2) for pair in gold], gold)
    every = intervals(grouped_counts(gold, right.judged))
    assert every["recall"] == every["precision"] == every["f1"] == pytest.approx((1 - 0.1926, 1), abs=1e-3)
    none = intervals(grouped_counts(gold, ()))
    assert none["recall"] == none["f1"] == pytest.approx((0, 0.1926), abs=1e-3)
    assert none["precision"] == (0, 1)  # of nothing proposed nothing is known


def test_the_same_counts_give_the_same_interval() -> None:
    counts = np.array([[1, 1, 1, 1], [1, 1, 1, 0], [1, 0, 0, 0]] * 20)
    assert intervals(counts) == intervals(counts)


def simulated(random: np.random.Generator, groups: int, size: int, truth: float) -> Counts:
    """Groups of ``size`` gold pairs that are all found or all missed."""
    found = size * (random.random(groups) < truth)
    return np.stack([np.full(groups, size), found, found, found], axis=1)


def coverage(random: np.random.Generator, datasets: int, *, size: int, split: bool) -> float:
    """How often the interval holds the truth; ``split``: as if the pages of a group were independent."""
    covered = 0
    for _ in range(datasets):
        counts = simulated(random, 120, size, 0.7)
        counts = np.repeat(counts // size, size, axis=0) if split else counts
        low, high = intervals(counts, resamples=200)["recall"]
        covered += low <= 0.7 <= high
    return covered / datasets


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    random = np.random.default_rng(4)
    assert 0.91 <= coverage(random, 300, size=6, split=False) <= 0.98
    assert coverage(random, 60, size=6, split=True) < 0.75
