"""Sparse vectors of pages: the nearest pages of the other language, without comparing all with all."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from diglot.arrays import Floats, Pairs, distinct
from diglot.compiled import compiled, in_threads

_CHUNK_ROWS = 64
_CHUNK_PAIRS = 4_096
"""Rows, and pairs of rows, that one thread takes at a stretch."""


def unit_rows(matrix: sparse.csr_array) -> sparse.csr_array:
    """Rows scaled to length 1; empty rows stay empty."""
    norms = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    scale = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
    return sparse.csr_array(sparse.diags_array(scale) @ matrix)


def weighted(counts: sparse.csr_array, weights: Floats) -> sparse.csr_array:
    """``ln(1 + tf) * weight`` of every count; columns of weight 0 are left out."""
    columns = np.flatnonzero(weights > 0)
    kept = sparse.csr_array(counts[:, columns]).astype(np.float32)
    kept.data = (np.log1p(kept.data) * weights[columns][kept.indices]).astype(np.float32)
    return sparse.csr_array((kept.data, columns[kept.indices], kept.indptr), shape=counts.shape)


def of_columns(matrix: sparse.csr_array, keep: npt.NDArray[np.bool_]) -> sparse.csr_array:
    """The matrix with only some columns filled."""
    wanted = keep[matrix.indices]
    ends = np.concatenate([[0], np.cumsum(wanted)])[matrix.indptr]
    return sparse.csr_array((matrix.data[wanted], matrix.indices[wanted], ends), shape=matrix.shape)


@compiled
def _keep_largest(values: Any, numbers: Any, touched: Any, k: int) -> int:
    """Move the k touched numbers of largest value to the front, best first, ties to the lower number."""
    kept = 0
    for number in touched:
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
    return kept


@compiled
def _nearest_rows(first: int, best: Any, src: Any, postings: Any, targets: int) -> None:
    """For the source rows from ``first`` on their targets of largest product, into ``best``, int64 (rows, k)."""
    indptr, indices, data = src
    post_indptr, post_indices, post_data = postings
    values = np.zeros(targets)
    touched = np.empty(targets + 1, np.int64)
    for row in range(len(best)):
        count = 0
        for place in range(indptr[first + row], indptr[first + row + 1]):
            term, weight = indices[place], data[place]
            for at in range(post_indptr[term], post_indptr[term + 1]):
                target = post_indices[at]
                touched[count] = target
                count += values[target] == 0  # no branch: which comes next cannot be foreseen
                values[target] += weight * post_data[at]
        _keep_largest(values, best[row], touched[:count], best.shape[1])
        for at in range(count):
            values[touched[at]] = 0


def nearest(src: sparse.csr_array, tgt: sparse.csr_array, k: int) -> Pairs:
    """For every row of ``src`` the ``k`` rows of ``tgt`` with the largest product, best first: pairs of local rows.

    All entries are above 0. Cost: for every term of a row as many steps as ``tgt`` has rows with it; no
    product is ever held whole.
    """
    best = np.full((src.shape[0], k), -1, np.int64)
    arrays = _arrays(src), _arrays(sparse.csr_array(tgt.T)), tgt.shape[0]
    in_threads(lambda some: _nearest_rows(some.start, best[some], *arrays), len(best), _CHUNK_ROWS)
    rows, places = np.nonzero(best >= 0)
    return np.stack([rows, best[rows, places]], axis=1).astype(np.int32)


def _arrays(matrix: sparse.csr_array) -> tuple[npt.NDArray[Any], ...]:
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data.astype(np.float64)


def nearest_both_ways(src: sparse.csr_array, tgt: sparse.csr_array, k: int) -> Pairs:
    """Pairs in which one is among the ``k`` nearest of the other, sorted, each once."""
    return union(nearest(src, tgt, k), nearest(tgt, src, k)[:, ::-1])


def union(*parts: Pairs) -> Pairs:
    """All pairs of the parts, sorted, each once."""
    joined = np.concatenate(parts) if parts else np.zeros((0, 2), np.int32)
    keys = distinct(joined[:, 0].astype(np.int64) << 32 | joined[:, 1])
    return np.stack([keys >> 32, keys & 0xFFFFFFFF], axis=1).astype(np.int32)


@compiled
def _products(pairs: Any, out: Any, src: Any, tgt: Any, columns: int) -> None:
    """Pairs of one source row that stand together spread it out over all columns once."""
    indptr, indices, data = src
    tgt_indptr, tgt_indices, tgt_data = tgt
    spread, last = np.zeros(columns), -1
    for k in range(len(pairs)):
        row, other = pairs[k, 0], pairs[k, 1]
        if row != last:
            if last >= 0:
                for place in range(indptr[last], indptr[last + 1]):
                    spread[indices[place]] = 0.0
            for place in range(indptr[row], indptr[row + 1]):
                spread[indices[place]] = data[place]
            last = row
        total = 0.0
        for place in range(tgt_indptr[other], tgt_indptr[other + 1]):
            total += spread[tgt_indices[place]] * tgt_data[place]
        out[k] = total


def products(src: sparse.csr_array, tgt: sparse.csr_array, pairs: Pairs) -> Floats:
    """Dot product of the two rows of every pair, float64 (n,)."""
    dots, pairs = np.zeros(len(pairs)), np.ascontiguousarray(pairs)
    arrays = _arrays(src), _arrays(_in_order(tgt)), src.shape[1]
    in_threads(lambda some: _products(pairs[some], dots[some], *arrays), len(pairs), _CHUNK_PAIRS)
    return dots


def _in_order(matrix: sparse.csr_array) -> sparse.csr_array:
    """The matrix with the columns of each row rising."""
    return matrix if matrix.has_sorted_indices else matrix.sorted_indices()
