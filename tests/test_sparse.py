"""Sparse matrices against scipy's and against dense ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diglot.arrays import connected_groups, sigmoid
from diglot.sparse import SparseMatrix, common_columns, matrix_of_ones, matrix_of_places, matrix_of_rows
from made_matrices import matrix_of

SEEDS, SIZES = st.integers(0, 2**32 - 1), st.integers(0, 60)


def drawn(rng: np.random.Generator, rows: int, columns: int, share: float) -> np.ndarray:
    return np.round(rng.random((rows, columns)) * (rng.random((rows, columns)) < share), 2)


def is_in_order(matrix: SparseMatrix) -> bool:
    """Whether the columns of each row rise."""
    steps, within = np.diff(matrix.columns), np.diff(matrix.row_numbers()) == 0
    return bool((steps[within] > 0).all()) and matrix.starts[-1] == len(matrix.columns) == len(matrix.values)


@given(SEEDS, SIZES, SIZES, SIZES, st.sampled_from([0.05, 0.5, 1.0]), st.sampled_from([np.float32, np.float64]))
@settings(deadline=None)
def test_products_are_those_of_scipy(seed: int, rows: int, inner: int, columns: int, share: float, kind: type) -> None:
    from scipy import sparse as peer  # half a second to import, in every process that collects tests

    rng = np.random.default_rng(seed)
    src, tgt = drawn(rng, rows, inner, share).astype(kind), drawn(rng, inner, columns, share).astype(kind)
    found, expected = matrix_of(src) @ matrix_of(tgt), peer.csr_array(src) @ peer.csr_array(tgt)
    expected.sort_indices()
    assert is_in_order(found)
    # To the last bit: both add up in the same order.
    assert (found.columns.tolist(), found.values.tolist()) == (expected.indices.tolist(), expected.data.tolist())
    assert found.values.dtype == kind
    assert found.shape == (rows, columns)
    vector = rng.random(inner)
    assert matrix_of(src) @ vector == pytest.approx(src @ vector, rel=1e-5)


@given(SEEDS, st.integers(1, 40), st.integers(1, 40))
@settings(deadline=None)
def test_what_a_dense_matrix_does_a_sparse_one_does(seed: int, rows: int, columns: int) -> None:
    rng = np.random.default_rng(seed)
    dense = drawn(rng, rows, columns, 0.3)
    matrix = matrix_of(dense)
    chosen, keep = rng.integers(0, rows, 7), rng.random(columns) < 0.5
    by_row, by_column = rng.random(rows), rng.random(columns)
    results = {
        "cells": (matrix, dense),
        "T": (matrix.T, dense.T),
        "rows": (matrix[chosen], dense[chosen]),
        "kept": (matrix.keep_columns(keep), dense * keep),
        "scaled rows": (matrix.scale_rows(by_row), dense * by_row[:, None]),
        "scaled columns": (matrix.scale_columns(by_column), dense * by_column),
        "ones": (matrix.as_ones(), (dense != 0).astype(float)),
    }
    for name, (found, expected) in results.items():
        assert is_in_order(found), name
        assert (found.to_dense() == expected).all(), name
    assert matrix.row_sizes().tolist() == (dense != 0).sum(axis=1).tolist()
    assert matrix.column_sizes().tolist() == (dense != 0).sum(axis=0).tolist()
    assert matrix.row_sums() == pytest.approx(dense.sum(axis=1))
    assert matrix.column_sums() == pytest.approx(dense.sum(axis=0))


@given(SEEDS, st.integers(0, 200))
@settings(deadline=None)
def test_values_of_one_place_are_added_up(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    rows, columns, values = (
        rng.integers(0, 9, count),
        rng.integers(0, 7, count),
        rng.integers(1, 5, count).astype(float),
    )
    dense = np.zeros((9, 7))
    np.add.at(dense, (rows, columns), values)
    order = np.argsort(rows, kind="stable")
    starts = np.searchsorted(rows[order], np.arange(10))
    for found in (
        matrix_of_places(rows, columns, values, (9, 7)),
        matrix_of_rows(starts, columns[order], values[order], (9, 7)),
    ):
        assert is_in_order(found)
        assert (found.to_dense() == dense).all()
    ones = matrix_of_ones(rows, columns, (9, 7))
    assert is_in_order(ones)
    assert (ones.to_dense() == (dense > 0)).all()


def test_common_columns_by_hand() -> None:
    one = matrix_of(np.array([[1, 0, 2], [0, 3, 0], [4, 5, 6]]) * 1.0)
    other = matrix_of(np.array([[0, 1, 1], [0, 1, 0], [1, 0, 1]]) * 1.0)
    assert common_columns(one, other).tolist() == [2, 1, 0, 2]


@given(st.integers(1, 30), st.lists(st.tuples(st.integers(0, 29), st.integers(0, 29)), max_size=40))
def test_groups_are_connected_components(count: int, links: list[tuple[int, int]]) -> None:
    from scipy import sparse as peer
    from scipy.sparse.csgraph import connected_components

    ends = np.array([(a % count, b % count) for a, b in links], np.int64).reshape(-1, 2)
    graph = peer.coo_array((np.ones(len(ends)), tuple(ends.T)), shape=(count, count))
    assert connected_groups(ends, count).tolist() == connected_components(graph, directed=False)[1].tolist()


def test_the_logistic_function_is_exact_far_out() -> None:
    from scipy.special import expit

    odds = np.array([-800.0, -40.0, -1.0, 0.0, 1.0, 40.0, 800.0, np.nan])
    assert sigmoid(odds) == pytest.approx(expit(odds), rel=1e-14, nan_ok=True)
