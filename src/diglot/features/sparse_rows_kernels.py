"""Products of sparse rows: of each with its nearest, and of given pairs."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.diglot.arrays import Floats, FloatsOut, Int32Rows, IntRowsOut, Ints, Ints32, IntsOut


def nearest_rows(
    first: cython.Py_ssize_t,
    best: IntRowsOut,
    indptr: Ints,
    indices: Ints32,
    data: Floats,
    post_indptr: Ints,
    post_indices: Ints32,
    post_data: Floats,
    targets: cython.Py_ssize_t,
) -> None:
    """For the source rows from ``first`` on their targets of largest product, into ``best``, int64 (rows, k);
    ``post_``: the targets by column."""
    values: FloatsOut = np.zeros(targets)
    touched: IntsOut = np.empty(targets + 1, np.int64)
    with cython.nogil:
        for row in range(best.shape[0]):
            count: cython.Py_ssize_t = 0
            for place in range(indptr[first + row], indptr[first + row + 1]):
                term, weight = indices[place], data[place]
                for at in range(post_indptr[term], post_indptr[term + 1]):
                    target = post_indices[at]
                    touched[count] = target
                    count += values[target] == 0  # no branch: which comes next cannot be foreseen
                    values[target] += weight * post_data[at]
            _keep_largest(values, best[row], touched, count)
            for at in range(count):
                values[touched[at]] = 0


def row_products(
    pairs: Int32Rows,
    out: FloatsOut,
    indptr: Ints,
    indices: Ints32,
    data: Floats,
    tgt_indptr: Ints,
    tgt_indices: Ints32,
    tgt_data: Floats,
    columns: cython.Py_ssize_t,
) -> None:
    """Fill ``out`` with the dot product of the two rows of every pair; the columns of target rows rise.

    Pairs of one source row that stand together spread it out over all columns once.
    """
    spread: FloatsOut = np.zeros(columns)
    last: cython.Py_ssize_t = -1
    row: cython.Py_ssize_t
    with cython.nogil:
        for k in range(pairs.shape[0]):
            row = pairs[k, 0]
            if row != last:
                if last >= 0:
                    for place in range(indptr[last], indptr[last + 1]):
                        spread[indices[place]] = 0.0
                for place in range(indptr[row], indptr[row + 1]):
                    spread[indices[place]] = data[place]
                last = row
            total: cython.double = 0.0
            for place in range(tgt_indptr[pairs[k, 1]], tgt_indptr[pairs[k, 1] + 1]):
                total += spread[tgt_indices[place]] * tgt_data[place]
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
