"""What the language identifier's walk over a text finds, and what that weighs."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.diglot.arrays import Bytes, FloatsOut, IndexRows, Int32Rows, Ints32, Ints32Out, SingleRows
from cython.cimports.diglot.libm import log1p


def features(text: Bytes, moves: IndexRows, states: Int32Rows) -> np.ndarray:
    """The features that end at each byte of a text, in its order; ``states``: row of moves and output of each."""
    all_found = np.empty(text.shape[0], np.int32)
    found: Ints32Out = all_found
    count: cython.Py_ssize_t = 0
    state: cython.Py_ssize_t = 0
    with cython.nogil:
        for place in range(text.shape[0]):
            state = moves[states[state, 0], text[place]]
            if states[state, 1] >= 0:
                found[count] = states[state, 1]
                count += 1
    return all_found[:count]


def sums(features: Ints32, weights: SingleRows) -> np.ndarray:
    """Sum over the distinct features, given in ascending order, of log(1 + count) times the row of weights, float32."""
    all_sums = np.zeros(weights.shape[1], np.float64)
    sums: FloatsOut = all_sums
    count = 0
    with cython.nogil:
        for place in range(features.shape[0]):
            count += 1
            if place + 1 < features.shape[0] and features[place + 1] == features[place]:
                continue
            weight = log1p(count)
            count = 0
            for column in range(sums.shape[0]):
                sums[column] += weight * weights[features[place], column]
    return all_sums.astype(np.float32)
