"""Sparse matrices by rows, as far as pages and their words need them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from diglot.arrays import Floats, Ints, Ints32, Mask, distinct, offsets_of, run_places
from diglot.sparse_kernels import Places, fill_product, fill_product_sizes, fill_transposed

Values = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class SparseMatrix:
    """Row ``r`` has the entries ``starts[r]`` to ``starts[r + 1]``; all other cells are 0.

    ``starts``: int64 (rows + 1,). ``columns``: int32, of each entry, rising within a row. ``values``: of each entry,
    float32, float64 or int32. ``shape``: numbers of rows and columns.
    """

    starts: Ints
    columns: Ints32
    values: Values
    shape: tuple[int, int]

    @property
    def T(self) -> SparseMatrix:  # noqa: N802 - numpy's name
        """The matrix with rows and columns exchanged."""
        starts = offsets_of(np.bincount(self.columns, minlength=self.shape[1]))
        rows, values = np.empty(len(self.columns), np.int32), np.empty_like(self.values)
        fill_transposed(Places(self.starts, self.columns), self.values, starts[:-1].copy(), rows, values)
        return SparseMatrix(starts, rows, values, self.shape[::-1])

    def __getitem__(self, rows: npt.NDArray[Any] | list[int]) -> SparseMatrix:
        """Some rows, by number, in the order given."""
        sizes = self.row_sizes()[rows]
        places = run_places(self.starts[rows], sizes)
        return SparseMatrix(offsets_of(sizes), self.columns[places], self.values[places], (len(rows), self.shape[1]))

    @overload
    def __matmul__(self, other: SparseMatrix) -> SparseMatrix: ...
    @overload
    def __matmul__(self, other: Floats) -> Floats: ...
    def __matmul__(self, other: SparseMatrix | Floats) -> SparseMatrix | Floats:
        if not isinstance(other, SparseMatrix):
            return self.scale_columns(other).row_sums()
        kind = np.result_type(self.values, other.values)
        mine, others = (Places(each.starts, each.columns) for each in (self, other))
        sizes = np.empty(self.shape[0], np.int64)
        fill_product_sizes(mine, others, sizes, other.shape[1])
        starts = offsets_of(sizes)
        columns, values = np.empty(starts[-1], np.int32), np.empty(starts[-1], kind)
        own_values, other_values = (each.values.astype(kind, copy=False) for each in (self, other))
        sums = np.zeros(other.shape[1], kind)
        fill_product(mine, own_values, others, other_values, starts, columns, values, sums)
        return SparseMatrix(starts, columns, values, (self.shape[0], other.shape[1]))

    def row_sizes(self) -> Ints:
        """Number of entries of each row."""
        return np.diff(self.starts)

    def row_numbers(self) -> Ints:
        """Row of each entry."""
        return np.repeat(np.arange(self.shape[0]), self.row_sizes())

    def row_sums(self) -> Floats:
        """Sum of each row."""
        return np.bincount(self.row_numbers(), self.values, self.shape[0]).astype(np.float64)

    def column_sizes(self) -> Ints:
        """Number of entries of each column."""
        return np.bincount(self.columns, minlength=self.shape[1])

    def column_sums(self) -> Floats:
        """Sum of each column."""
        return np.bincount(self.columns, self.values, self.shape[1]).astype(np.float64)

    def with_values(self, values: Values) -> SparseMatrix:
        """Other values at the same places."""
        return replace(self, values=values)

    def as_ones(self) -> SparseMatrix:
        """1 for every entry, float32."""
        return self.with_values(np.ones(len(self.values), np.float32))

    def scale_rows(self, factors: Values) -> SparseMatrix:
        """Each row times a factor."""
        return self.with_values(self.values * np.repeat(factors, self.row_sizes()))

    def scale_columns(self, factors: Values) -> SparseMatrix:
        """Each column times a factor."""
        return self.with_values(self.values * factors[self.columns])

    def keep_columns(self, keep: Mask) -> SparseMatrix:
        """The matrix without the entries of some columns, in the same shape."""
        wanted = keep[self.columns]
        starts = offsets_of(wanted)[self.starts]
        return SparseMatrix(starts, self.columns[wanted], self.values[wanted], self.shape)

    def to_dense(self) -> Values:
        """All cells, (rows, columns)."""
        dense = np.zeros(self.shape, self.values.dtype)
        dense[self.row_numbers(), self.columns] = self.values
        return dense


def matrix_of_rows(starts: Ints, columns: npt.NDArray[Any], values: Values, shape: tuple[int, int]) -> SparseMatrix:
    """Matrix of rows with columns in any order; values of one place are added up."""
    given = SparseMatrix(starts.astype(np.int64), columns.astype(np.int32), values, shape)
    each = np.arange(shape[1] + 1)
    # The product with the unit matrix has the same cells, in order.
    return given @ SparseMatrix(each, each[:-1].astype(np.int32), np.ones(shape[1], values.dtype), (shape[1],) * 2)


def matrix_of_places(rows: Ints, columns: npt.NDArray[Any], values: Values, shape: tuple[int, int]) -> SparseMatrix:
    """Matrix of places in any order; values of one place are added up."""
    if (np.diff(rows) < 0).any():
        order = np.argsort(rows, kind="stable")
        rows, columns, values = rows[order], columns[order], values[order]
    return matrix_of_rows(offsets_of(np.bincount(rows, minlength=shape[0])), columns, values, shape)


def matrix_of_ones(rows: Ints, columns: npt.NDArray[Any], shape: tuple[int, int]) -> SparseMatrix:
    """Matrix with 1, float32, at some places, in any order and with repetitions."""
    width = max(shape[1], 1)
    rows, columns = np.divmod(distinct(rows.astype(np.int64) * width + columns), width)
    starts = offsets_of(np.bincount(rows, minlength=shape[0]))
    return SparseMatrix(starts, columns.astype(np.int32), np.ones(len(rows), np.float32), shape)


def common_columns(one: SparseMatrix, other: SparseMatrix) -> Ints:
    """Column of each place where two matrices of the same shape both have an entry, row by row."""
    mine, others = (each.row_numbers() * each.shape[1] + each.columns for each in (one, other))
    return np.asarray(np.intersect1d(mine, others, assume_unique=True) % max(one.shape[1], 1), np.int64)
