"""Search for many words at once."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.diglot.arrays import ByteRows, Bytes, Int8Rows, Ints8, MaskOut

NO_ROW = -1


def search(markup: Bytes, words: ByteRows, first: Int8Rows, following: Ints8, lower: Bytes) -> np.ndarray:
    """Which of the words occur; ``words`` end in zeros; ``first``: row of a word by its first two bytes,
    ``following``: of the next such word, -1 for none; ``lower``: of each byte."""
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
