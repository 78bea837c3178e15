"""Sparse vectors of pages: the nearest pages of the other language, without comparing all with all."""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np
import numpy.typing as npt
from scipy import sparse

from diglot.site import Pairs

Floats = npt.NDArray[np.float64]

_CHUNK_ROWS = 512


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


@nb.njit(cache=True)
def _top_of_rows(indptr: Any, indices: Any, data: Any, k: int) -> Any:
    """The k largest entries of each row, ties to the lower column."""
    rows = np.empty(len(indptr) * k, np.int64)
    columns = np.empty(len(indptr) * k, np.int64)
    count = 0
    for row in range(len(indptr) - 1):
        start, end = indptr[row], indptr[row + 1]
        order = np.argsort(-data[start:end].astype(np.float64), kind="mergesort")
        for place in order[:k]:
            rows[count] = row
            columns[count] = indices[start + place]
            count += 1
    return rows[:count], columns[:count]


def nearest(src: sparse.csr_array, tgt: sparse.csr_array, k: int) -> Pairs:
    """For every row of ``src`` the ``k`` rows of ``tgt`` with the largest product: pairs of local rows."""
    found = []
    transposed = sparse.csc_array(tgt.T)
    for start in range(0, src.shape[0], _CHUNK_ROWS):
        product = sparse.csr_array(src[start : start + _CHUNK_ROWS] @ transposed)
        product.sort_indices()
        rows, columns = _top_of_rows(product.indptr, product.indices, product.data, k)
        found.append(np.stack([rows + start, columns], axis=1))
    return np.concatenate(found).astype(np.int32) if found else np.zeros((0, 2), np.int32)


def nearest_both_ways(src: sparse.csr_array, tgt: sparse.csr_array, k: int) -> Pairs:
    """Pairs in which one is among the ``k`` nearest of the other, sorted, each once."""
    return union(nearest(src, tgt, k), nearest(tgt, src, k)[:, ::-1])


def union(*parts: Pairs) -> Pairs:
    """All pairs of the parts, sorted, each once."""
    joined = np.concatenate(parts) if parts else np.zeros((0, 2), np.int32)
    return np.unique(joined, axis=0).astype(np.int32)


def products(src: sparse.csr_array, tgt: sparse.csr_array, pairs: Pairs) -> Floats:
    """Dot product of the two rows of every pair, float64 (n,)."""
    out = np.zeros(len(pairs))
    for start in range(0, len(pairs), 20_000):
        part = pairs[start : start + 20_000]
        out[start : start + 20_000] = np.asarray(src[part[:, 0]].multiply(tgt[part[:, 1]]).sum(axis=1)).ravel()
    return out
