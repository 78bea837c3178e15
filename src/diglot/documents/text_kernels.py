"""Scans over the text and markup of a page: features of the language identifier, and a search for many words."""

from __future__ import annotations

from typing import Any

import cython
import numpy as np
from cython.cimports.diglot.arrays import (
    ByteRows,
    Bytes,
    FloatsOut,
    Indices,
    Int8Rows,
    Ints8,
    Ints32,
    Ints32Out,
    MaskOut,
    ShortRows,
    Singles,
)
from cython.cimports.diglot.libm import log1p
from cython.cimports.diglot.memory import fetch_ahead

NO_ROW = -1

_AHEAD = cython.declare(cython.int, 8)
"""Number of features between the fetch of weights from memory and their sum."""


def features(text: Bytes, automaton: Any) -> np.ndarray:
    """Features of an :class:`~diglot.documents.automaton.Automaton` in a text, in order."""
    root: Indices = automaton.root
    firsts: Indices = automaton.firsts
    values: Bytes = automaton.values
    targets: Indices = automaton.targets
    defaults: Indices = automaton.defaults
    outputs: Ints32 = automaton.outputs
    all_found = np.empty(text.shape[0], np.int32)
    found: Ints32Out = all_found
    count: cython.Py_ssize_t = 0
    state: cython.Py_ssize_t = 0
    with cython.nogil:
        for place in range(text.shape[0]):
            value = text[place]
            while state != 0:
                move: cython.Py_ssize_t = firsts[state]
                end: cython.Py_ssize_t = firsts[state + 1]
                while move < end and values[move] < value:
                    move += 1
                if move < end and values[move] == value:
                    state = targets[move]
                    break
                state = defaults[state]
            else:
                state = root[value]
            if outputs[state] >= 0:
                found[count] = outputs[state]
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
            # The weights of a feature are far from those of the next: memory is asked for them some features ahead.
            if place + _AHEAD < features.shape[0]:
                for column in range(0, sums.shape[0], 32):  # 32 weights are a line of the cache
                    fetch_ahead(cython.address(weights[features[place + _AHEAD], column]))
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
