"""Sparse matrices by rows: transposed, and multiplied."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.diglot.arrays import Ints, Ints32, Ints32Out, IntsOut, Numbers

CROWDED = 512
"""A row with an entry in 1 / CROWDED of the columns is put in order by looking through the columns."""
SPAN = 16
"""Columns that are looked through together, where one of them has an entry."""

_CROWDED = cython.declare(cython.Py_ssize_t, CROWDED)
_SPAN = cython.declare(cython.Py_ssize_t, SPAN)


@cython.final
@cython.cclass
class Places:
    """Places of entries: row ``r`` has the columns ``columns[starts[r]]`` to ``columns[starts[r + 1]]``."""

    starts: Ints
    columns: Ints32

    def __init__(self, starts: Ints, columns: Ints32) -> None:
        self.starts, self.columns = starts, columns


def fill_transposed(
    matrix: Places, values: Numbers, ends: IntsOut, rows: Ints32Out, transposed_values: Numbers
) -> None:
    """Fill ``rows`` and ``transposed_values`` with the row and the value of every entry, by column and row.

    ``ends``: first place of each column; afterwards the place behind the column.
    """
    # Locals, because the C compiler reads members of a record anew after every store.
    starts: Ints = matrix.starts
    columns: Ints32 = matrix.columns
    with cython.nogil:
        for row in range(starts.shape[0] - 1):
            for place in range(starts[row], starts[row + 1]):
                at = ends[columns[place]]
                ends[columns[place]] = at + 1
                rows[at] = cython.cast(cython.int, row)
                transposed_values[at] = values[place]


def fill_product_sizes(matrix: Places, other: Places, sizes: IntsOut, width: cython.Py_ssize_t) -> None:
    """Fill ``sizes`` with the number of entries in each row of a product; ``width``: columns of the other matrix."""
    starts: Ints = matrix.starts
    columns: Ints32 = matrix.columns
    other_starts: Ints = other.starts
    other_columns: Ints32 = other.columns
    seen_in: IntsOut = np.full(width, -1)
    with cython.nogil:
        for row in range(sizes.shape[0]):
            size: cython.Py_ssize_t = 0
            for place in range(starts[row], starts[row + 1]):
                for at in range(other_starts[columns[place]], other_starts[columns[place] + 1]):
                    column = other_columns[at]
                    size += seen_in[column] != row
                    seen_in[column] = row
            sizes[row] = size


def fill_product(
    matrix: Places,
    values: Numbers,
    other: Places,
    other_values: Numbers,
    ends: Ints,
    product_columns: Ints32Out,
    product_values: Numbers,
    sums: Numbers,
) -> None:
    """Fill a product whose row ``r`` has the places ``ends[r]`` to ``ends[r + 1]``; the columns of a row rise.

    ``sums``: zeros, one for each column of the other matrix.
    """
    starts: Ints = matrix.starts
    columns: Ints32 = matrix.columns
    other_starts: Ints = other.starts
    other_columns: Ints32 = other.columns
    seen_in: IntsOut = np.full(sums.shape[0], -1)
    spans: IntsOut = np.full(sums.shape[0] // SPAN + 1, -1)  # the last row with an entry in each span of columns
    with cython.nogil:
        for row in range(starts.shape[0] - 1):
            end = ends[row]
            for place in range(starts[row], starts[row + 1]):
                value = values[place]
                for at in range(other_starts[columns[place]], other_starts[columns[place] + 1]):
                    column = other_columns[at]
                    if seen_in[column] != row:
                        seen_in[column] = row
                        spans[column // _SPAN] = row
                        product_columns[end] = column
                        end += 1
                    sums[column] += value * other_values[at]
            if (end - ends[row]) * _CROWDED < seen_in.shape[0]:
                _sort(product_columns, ends[row], end)
            else:
                end = ends[row]
                for span in range(spans.shape[0]):
                    if spans[span] == row:
                        for column in range(span * _SPAN, min((span + 1) * _SPAN, seen_in.shape[0])):
                            if seen_in[column] == row:
                                product_columns[end] = cython.cast(cython.int, column)
                                end += 1
            for at in range(ends[row], end):
                product_values[at] = sums[product_columns[at]]
                sums[product_columns[at]] = 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sort(numbers: Ints32Out, first: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.void:
    """Sort a stretch of numbers: Shell 1959, each gap 4/9 of the one before (Tokuda 1992)."""
    gap = end - first
    while gap > 1:
        gap = max(gap * 4 // 9, 1)
        for at in range(first + gap, end):
            number = numbers[at]
            place = at
            while place >= first + gap and numbers[place - gap] > number:
                numbers[place] = numbers[place - gap]
                place -= gap
            numbers[place] = number
