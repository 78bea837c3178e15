"""Scans over the text and markup of a page: features of the language identifier, and a search for many words."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.diglot.arrays import (
    ByteRows,
    Bytes,
    FloatsOut,
    IndexRows,
    Int8Rows,
    Int32Rows,
    Ints8,
    Ints32,
    Ints32Out,
    MaskOut,
    ShortRows,
    Singles,
)
from cython.cimports.diglot.libm import log1p

NO_ROW = -1


def features(text: Bytes, moves: IndexRows, states: Int32Rows) -> np.ndarray:
    """Features of the identifier's automaton in a text, in order; ``states``: row of moves and feature per state."""
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


def sums(features: Ints32, weights: ShortRows, singles: Singles) -> np.ndarray:
    """Sum of log(1 + count) times the weights of each distinct feature, float32; ``features`` ascend.

    ``weights``: bits of floats of 16 bits, which C does not know; ``singles``: the float of all 65,536 such bits.
    """
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
                sums[column] += weight * singles[weights[features[place], column]]
    return all_sums.astype(np.float32)


def search(markup: Bytes, words: ByteRows, first: Int8Rows, following: Ints8, lower: Bytes) -> np.ndarray:
    """Mask of the words found in the markup; shape (words,).

    ``words``: words as rows ended by zeros; ``first``: row of a word by its first two bytes; ``following``: row of the
    next word with the same two bytes, -1 for none; ``lower``: every byte in lower case.
    """
    all_found = np.zeros(words.shape[0], np.bool_)
    found: MaskOut = all_found
    with cython.nogil:
        for place in range(markup.shape[0] - 1):
            row: cython.int = first[markup[place], markup[place + 1]]
            while row != -1:
                size: cython.Py_ssize_t = 2
                while place + size < markup.shape[0] and words[row, size]:
                    if words[row, size] != lower[markup[place + size]]:
                        break
                    size += 1
                if words[row, size] == 0:
                    found[row] = True
                row = following[row]
    return all_found
