"""Compiled parts of pairing against plain definitions: products, matching, ranks, unions, ratios a term."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diglot.features.sparse_rows import products, union
from diglot.pairing.assignment import dense_ranks, greedy
from diglot.pairing.fused.words import site_words
from diglot.site import lists_of
from made_documents import made_page, made_site
from made_matrices import matrix_of

SEEDS = st.integers(0, 2**32 - 1)


@given(SEEDS)
@settings(deadline=None)
def test_products_are_those_of_dense_matrices(seed: int) -> None:
    rng = np.random.default_rng(seed)
    src, tgt = (rng.random((6, 8)) * (rng.random((6, 8)) < 0.4) for _ in range(2))
    pairs = rng.integers(0, 6, (20, 2)).astype(np.int32)
    expected = (src[pairs[:, 0]] * tgt[pairs[:, 1]]).sum(axis=1)
    assert products(matrix_of(src), matrix_of(tgt), pairs) == pytest.approx(expected)


@given(SEEDS)
@settings(deadline=None)
def test_greedy_takes_the_best_free_pair_again_and_again(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pairs = np.unique(np.stack([rng.integers(0, 8, 20), rng.integers(8, 16, 20)], axis=1), axis=0).astype(np.int32)
    ranks = rng.integers(0, 5, len(pairs)).astype(np.int64)
    left, taken = sorted(zip(ranks.tolist(), map(tuple, pairs.tolist()), strict=True)), set()
    while left:
        best = left[0][1]
        taken.add(best)
        left = [(rank, pair) for rank, pair in left if not set(pair) & set(best)]
    assert set(map(tuple, pairs[greedy(pairs, ranks)].tolist())) == taken


def test_ranks_share_a_place_where_all_keys_are_equal() -> None:
    keys = [np.array([2, 1, 1, np.nan, 1], np.float32), np.array([0, 7, 3, 0, 7], np.float32)]
    assert dense_ranks(keys).tolist() == [2, 1, 0, 3, 1]
    assert dense_ranks([np.zeros(0, np.float32)]).tolist() == []
    assert not greedy(np.zeros((0, 2), np.int32), np.zeros(0, np.int64)).size


def test_union_is_sorted_and_holds_each_pair_once() -> None:
    some, more = np.array([[70_000, 2], [1, 9]], np.int32), np.array([[1, 9], [1, 3], [70_000, 1]], np.int32)
    assert union(some, more).tolist() == [[1, 3], [1, 9], [70_000, 1], [70_000, 2]]
    assert union(some[:0]).shape == (0, 2)


def test_terms_of_equal_and_of_empty_blocks() -> None:
    site = made_site(made_page("http://a/1", "en", ["b a b", "...", "c b"]), made_page("http://a/2", "en", ["b a b"]))
    words = site_words(site)
    names = [[words.vocabulary[x] for x in words.blocks.row(k)] for k in range(4)]
    assert [sorted(found) for found in names] == [["a", "b"], [], ["b", "c"], ["a", "b"]]
    assert words.counts.to_dense()[0, words.vocabulary.index("b")] == 3
    assert (np.diff(words.blocks.row(0)) > 0).all()
    assert site_words(made_site(made_page("http://a/1", "en", []))).vocabulary == []


@given(st.lists(st.lists(st.text(max_size=3), max_size=4), max_size=5), st.integers(0, 5))
def test_rows_of_lists_is_to_pylist(rows: list[list[str]], start: int) -> None:
    column = pa.chunked_array([pa.array(rows, pa.list_(pa.string()))] * 2).slice(start)
    assert lists_of(column) == column.to_pylist()
