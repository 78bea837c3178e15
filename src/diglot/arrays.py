"""Types of arrays: columns, masks, rows, pairs of rows, and ragged rows; distinct values, offsets and places of runs,
rows by number, robust spread, sigmoid, and groups of connected numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

_Whole = TypeVar("_Whole", bound=np.integer[Any])

Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Ints32 = npt.NDArray[np.int32]
Ints8 = npt.NDArray[np.int8]
Indices = npt.NDArray[np.uint32]
Bytes = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]

Rows = npt.NDArray[np.int32]
"""Row numbers of a site, shape (n,)."""
Pairs = npt.NDArray[np.int32]
"""Row numbers of a site, shape (n, 2): source side, target side."""
Column = npt.NDArray[np.float32]
"""Value of each pair, shape (n,); NaN: no evidence."""
Ranks = npt.NDArray[np.int64]
"""Rank of each pair, shape (n,); smaller is better."""

MAD_TO_SD = 1.4826
"""Ratio of standard deviation to median absolute deviation in a normal distribution."""


@dataclass(frozen=True, slots=True)
class Ragged:
    """Rows of unequal length: row ``i`` is ``values[offsets[i]:offsets[i + 1]]``."""

    values: npt.NDArray[Any]
    offsets: Ints

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def row(self, index: int) -> npt.NDArray[Any]:
        """Values of a row."""
        return self.values[self.offsets[index] : self.offsets[index + 1]]

    def lengths(self) -> Ints:
        """Number of values in each row."""
        return np.diff(self.offsets)

    def rows_of_values(self) -> Ints:
        """Row number of every value."""
        return np.repeat(np.arange(len(self)), self.lengths())


def distinct(values: npt.NDArray[_Whole]) -> npt.NDArray[_Whole]:
    """Distinct integers in rising order, as by ``numpy.unique`` in a fifth of the time."""
    values = np.sort(values)
    new = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return values[new]


def distinct_pairs(first: npt.NDArray[_Whole], second: npt.NDArray[_Whole]) -> tuple[Ints, Ints]:
    """Distinct pairs of whole numbers from 0, in rising order: the first numbers and the second ones, int64.

    >>> [numbers.tolist() for numbers in distinct_pairs(np.array([1, 0, 1]), np.array([7, 5, 7]))]
    [[0, 1], [5, 7]]
    """
    span = int(second.max(initial=0)) + 1
    pairs = distinct(first.astype(np.int64) * span + second)
    return pairs // span, pairs % span


def distinct_counts(groups: npt.NDArray[_Whole], values: npt.NDArray[_Whole], size: int = 0) -> Ints:
    """Number of distinct values of each group, int64 (highest group + 1,), or longer to have ``size`` groups.

    Both are whole numbers from 0, a pair a row.

    >>> distinct_counts(np.array([0, 0, 0, 2]), np.array([7, 7, 5, 7]), 4).tolist()
    [2, 0, 1, 0]
    """
    return np.bincount(distinct_pairs(groups, values)[0], minlength=size)


def sampling_step(count: int, most: int) -> int:
    """Step between the rows taken where ``most`` of ``count`` rows at most are wanted, evenly spread.

    >>> list(range(0, 10, sampling_step(10, 4)))
    [0, 3, 6, 9]
    """
    return max(1, -(-count // most))


def offsets_of(sizes: npt.NDArray[Any]) -> Ints:
    """Offsets of consecutive runs of the given sizes: int64 (runs + 1,), from 0 to the sum of the sizes.

    >>> offsets_of(np.array([2, 3])).tolist()
    [0, 2, 5]
    """
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def run_places(begin: Ints, counts: Ints) -> Ints:
    """The places ``begin[k] .. begin[k] + counts[k] - 1`` of all runs k, run by run.

    >>> run_places(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    before = np.cumsum(counts) - counts
    return np.asarray(np.arange(int(counts.sum())) + np.repeat(begin - before, counts))


def rows_by_number(numbers: npt.NDArray[Any], count: int) -> list[Ints]:
    """Rows of every number in [0, ``count``), in order; ``numbers``: the number of each row.

    >>> [rows.tolist() for rows in rows_by_number(np.array([2, 0, 2]), 3)]
    [[1], [], [0, 2]]
    """
    order = np.argsort(numbers, kind="stable")
    return np.split(order, np.cumsum(np.bincount(numbers, minlength=count)))[:count]


def robust_sd(values: Floats) -> float:
    """Standard deviation by the median absolute deviation (Hampel 1974); 0 without values."""
    return MAD_TO_SD * float(np.median(np.abs(values - np.median(values)))) if len(values) else 0.0


def sigmoid(log_odds: Floats) -> Floats:
    """Probability of log odds, exact far out on both sides; NaN stays."""
    low = np.exp(-np.abs(log_odds))
    return np.asarray(np.where(log_odds < 0, low, 1.0) / (1 + low))


def connected_groups(links: Ints, count: int) -> Ints:
    """Group of each of ``count`` nodes, int64 (count,), numbered by first node; ``links``: pairs in a group, (n, 2)."""
    parent = list(range(count))

    def find_first(node: int) -> int:
        while parent[node] != node:
            parent[node] = node = parent[parent[node]]
        return node

    for one, other in links.tolist():
        low, high = sorted((find_first(one), find_first(other)))
        parent[high] = low
    return np.unique([find_first(node) for node in range(count)], return_inverse=True)[1].astype(np.int64)
