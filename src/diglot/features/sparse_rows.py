"""Sparse vectors of pages: the nearest pages of the other language, without comparing all with all."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from diglot import sparse
from diglot.arrays import Floats, Pairs, distinct
from diglot.features.sparse_rows_kernels import SparseRows, nearest_rows, row_products
from diglot.threads import in_threads

_CHUNK_ROWS = 64
_CHUNK_PAIRS = 4_096
"""Rows, and pairs of rows, in a batch for a thread."""


def unit_rows(matrix: sparse.csr_array) -> sparse.csr_array:
    """Rows scaled to length 1; empty rows stay empty."""
    norms = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    scale = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
    return sparse.csr_array(sparse.diags_array(scale) @ matrix)


def weigh_counts(counts: sparse.csr_array, weights: Floats) -> sparse.csr_array:
    """``ln(1 + tf) * weight`` of every count; columns of weight 0 are left out."""
    columns = np.flatnonzero(weights > 0)
    kept = sparse.csr_array(counts[:, columns]).astype(np.float32)
    kept.data = (np.log1p(kept.data) * weights[columns][kept.indices]).astype(np.float32)
    return sparse.csr_array((kept.data, columns[kept.indices], kept.indptr), shape=counts.shape)


def keep_columns(matrix: sparse.csr_array, keep: npt.NDArray[np.bool_]) -> sparse.csr_array:
    """The matrix without the entries of some columns, in the same shape."""
    wanted = keep[matrix.indices]
    ends = np.concatenate([[0], np.cumsum(wanted)])[matrix.indptr]
    return sparse.csr_array((matrix.data[wanted], matrix.indices[wanted], ends), shape=matrix.shape)


def nearest(src: sparse.csr_array, tgt: sparse.csr_array, k: int) -> Pairs:
    """The ``k`` rows of ``tgt`` with the largest product for every row of ``src``, best first: pairs of local rows.

    All entries must be above 0. Cost: for every entry of a row the rows of ``tgt`` with the same column; no product
    matrix is ever held.
    """
    best = np.full((src.shape[0], k), -1, np.int64)
    rows, postings = _rows(src), _rows(sparse.csr_array(tgt.T))
    in_threads(lambda some: nearest_rows(some.start, best[some], rows, postings, tgt.shape[0]), len(best), _CHUNK_ROWS)
    sources, places = np.nonzero(best >= 0)
    return np.stack([sources, best[sources, places]], axis=1).astype(np.int32)


def _rows(matrix: sparse.csr_array) -> SparseRows:
    """A matrix as the kernels read it."""
    return SparseRows(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data.astype(np.float64))


def nearest_both_ways(src: sparse.csr_array, tgt: sparse.csr_array, k: int) -> Pairs:
    """Pairs of rows among the ``k`` nearest in either direction, sorted and distinct."""
    return union(nearest(src, tgt, k), nearest(tgt, src, k)[:, ::-1])


def union(*parts: Pairs) -> Pairs:
    """All pairs of the parts, sorted, each once."""
    joined = np.concatenate(parts) if parts else np.zeros((0, 2), np.int32)
    keys = distinct(joined[:, 0].astype(np.int64) << 32 | joined[:, 1])
    return np.stack([keys >> 32, keys & 0xFFFFFFFF], axis=1).astype(np.int32)


def products(src: sparse.csr_array, tgt: sparse.csr_array, pairs: Pairs) -> Floats:
    """Dot product of the two rows of every pair, float64 (n,)."""
    dots, pairs = np.zeros(len(pairs)), np.ascontiguousarray(pairs, np.int32)
    rows, others = _rows(src), _rows(_in_order(tgt))
    in_threads(lambda some: row_products(pairs[some], dots[some], rows, others, src.shape[1]), len(pairs), _CHUNK_PAIRS)
    return dots


def _in_order(matrix: sparse.csr_array) -> sparse.csr_array:
    """The matrix with the columns of each row rising."""
    return matrix if matrix.has_sorted_indices else matrix.sorted_indices()
