"""Sparse matrices from dense ones."""

from __future__ import annotations

import numpy as np

from diglot.sparse import SparseMatrix, matrix_of_places


def matrix_of(dense: np.ndarray) -> SparseMatrix:
    """The matrix with an entry for every cell that is not 0."""
    rows, columns = np.nonzero(dense)
    return matrix_of_places(rows, columns, dense[rows, columns], dense.shape)
