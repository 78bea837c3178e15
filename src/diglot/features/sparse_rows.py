"""Sparse vectors of pages: the nearest pages of the other language, without comparing all with all."""

from __future__ import annotations

import numpy as np

from diglot.arrays import Floats, Pairs, distinct
from diglot.features.sparse_rows_kernels import SparseRows, nearest_rows, row_products
from diglot.sparse import SparseMatrix
from diglot.threads import in_threads

_CHUNK_ROWS = 64
_CHUNK_PAIRS = 4_096
"""Rows, and pairs of rows, in a batch for a thread."""


def unit_rows(matrix: SparseMatrix) -> SparseMatrix:
    """Rows scaled to length 1; empty rows stay empty."""
    norms = np.sqrt(matrix.with_values(matrix.values**2).row_sums())
    scale = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
    return matrix.scale_rows(scale.astype(matrix.values.dtype))


def weigh_counts(counts: SparseMatrix, weights: Floats) -> SparseMatrix:
    """``ln(1 + tf) * weight`` of every count; columns of weight 0 are left out."""
    kept = counts.keep_columns(weights > 0)
    return kept.with_values((np.log1p(kept.values) * weights[kept.columns]).astype(np.float32))


def nearest(src: SparseMatrix, tgt: SparseMatrix, k: int) -> Pairs:
    """The ``k`` rows of ``tgt`` with the largest product for every row of ``src``, best first: pairs of local rows.

    All entries must be above 0. Cost: for every entry of a row the rows of ``tgt`` with the same column; no product
    matrix is ever held.
    """
    best = np.full((src.shape[0], k), -1, np.int64)
    rows, postings = _rows(src), _rows(tgt.T)
    in_threads(lambda some: nearest_rows(some.start, best[some], rows, postings, tgt.shape[0]), len(best), _CHUNK_ROWS)
    sources, places = np.nonzero(best >= 0)
    return np.stack([sources, best[sources, places]], axis=1).astype(np.int32)


def _rows(matrix: SparseMatrix) -> SparseRows:
    """A matrix as the kernels read it."""
    return SparseRows(matrix.starts, matrix.columns, matrix.values.astype(np.float64))


def nearest_both_ways(src: SparseMatrix, tgt: SparseMatrix, k: int) -> Pairs:
    """Pairs of rows among the ``k`` nearest in either direction, sorted and distinct."""
    return union(nearest(src, tgt, k), nearest(tgt, src, k)[:, ::-1])


def union(*parts: Pairs) -> Pairs:
    """All pairs of the parts, sorted, each once."""
    joined = np.concatenate(parts) if parts else np.zeros((0, 2), np.int32)
    keys = distinct(joined[:, 0].astype(np.int64) << 32 | joined[:, 1])
    return np.stack([keys >> 32, keys & 0xFFFFFFFF], axis=1).astype(np.int32)


def products(src: SparseMatrix, tgt: SparseMatrix, pairs: Pairs) -> Floats:
    """Dot product of the two rows of every pair, float64 (n,)."""
    dots, pairs = np.zeros(len(pairs)), np.ascontiguousarray(pairs, np.int32)
    rows, others = _rows(src), _rows(tgt)
    in_threads(lambda some: row_products(pairs[some], dots[some], rows, others, src.shape[1]), len(pairs), _CHUNK_PAIRS)
    return dots
