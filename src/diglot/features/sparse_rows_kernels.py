"""Products of sparse rows: the nearest rows, and given pairs."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.diglot.arrays import Floats, FloatsOut, Int32Rows, IntRowsOut, Ints, Ints32, IntsOut


@cython.final
@cython.cclass
class SparseRows:
    """A sparse matrix: row ``k`` has the columns ``columns[starts[k] : starts[k + 1]]``, with their values."""

    starts: Ints
    columns: Ints32
    values: Floats

    def __init__(self, starts: Ints, columns: Ints32, values: Floats) -> None:
        self.starts, self.columns, self.values = starts, columns, values


def nearest_rows(
    first: cython.Py_ssize_t, best: IntRowsOut, src: SparseRows, postings: SparseRows, targets: cython.Py_ssize_t
) -> None:
    """Fill ``best``, int64 (rows, k), with the targets of largest product of the source rows from ``first`` on.

    ``postings``: the targets by column. All values must be above 0.
    """
    # Locals, because the C compiler reads members of a record anew after every store.
    starts: Ints = src.starts
    columns: Ints32 = src.columns
    weights: Floats = src.values
    posting_starts: Ints = postings.starts
    posting_targets: Ints32 = postings.columns
    posting_values: Floats = postings.values
    values: FloatsOut = np.zeros(targets)
    touched: IntsOut = np.empty(targets + 1, np.int64)
    with cython.nogil:
        for row in range(best.shape[0]):
            count: cython.Py_ssize_t = 0
            for place in range(starts[first + row], starts[first + row + 1]):
                column, weight = columns[place], weights[place]
                for at in range(posting_starts[column], posting_starts[column + 1]):
                    target = posting_targets[at]
                    touched[count] = target
                    count += values[target] == 0  # no branch: the processor could not predict it
                    values[target] += weight * posting_values[at]
            _keep_largest(values, best[row], touched, count)
            for at in range(count):
                values[touched[at]] = 0


def row_products(
    pairs: Int32Rows, out: FloatsOut, src: SparseRows, tgt: SparseRows, column_count: cython.Py_ssize_t
) -> None:
    """Fill ``out`` with the dot product of the two rows of every pair."""
    starts: Ints = src.starts
    columns: Ints32 = src.columns
    weights: Floats = src.values
    tgt_starts: Ints = tgt.starts
    tgt_columns: Ints32 = tgt.columns
    tgt_weights: Floats = tgt.values
    spread: FloatsOut = np.zeros(column_count)
    last: cython.Py_ssize_t = -1
    row: cython.Py_ssize_t
    with cython.nogil:
        for k in range(pairs.shape[0]):
            row = pairs[k, 0]
            # Pairs of one source row stand together and spread it over all columns once.
            if row != last:
                if last >= 0:
                    for place in range(starts[last], starts[last + 1]):
                        spread[columns[place]] = 0.0
                for place in range(starts[row], starts[row + 1]):
                    spread[columns[place]] = weights[place]
                last = row
            total: cython.double = 0.0
            for place in range(tgt_starts[pairs[k, 1]], tgt_starts[pairs[k, 1] + 1]):
                total += spread[tgt_columns[place]] * tgt_weights[place]
            out[k] = total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _keep_largest(values: FloatsOut, numbers: IntsOut, touched: IntsOut, count: cython.Py_ssize_t) -> cython.void:
    """Put the touched numbers of largest value into ``numbers``, best first, ties to the lower number."""
    k = numbers.shape[0]
    kept: cython.Py_ssize_t = 0
    for at in range(count):
        number = touched[at]
        value = values[number]
        if kept == k and not (
            value > values[numbers[k - 1]] or (value == values[numbers[k - 1]] and number < numbers[k - 1])
        ):
            continue
        place = min(kept, k - 1)
        while place > 0:
            before = numbers[place - 1]
            if values[before] > value or (values[before] == value and before < number):
                break
            numbers[place] = before
            place -= 1
        numbers[place] = number
        kept = min(kept + 1, k)
