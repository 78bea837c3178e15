"""Which of some words markup holds, in lower or upper case, found in one pass over its bytes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from diglot.compiled import compiled

Bytes = npt.NDArray[np.uint8]
Rows = npt.NDArray[np.int8]

_NO_ROW = -1
_LOWER = np.frombuffer(bytes(range(256)).lower(), np.uint8)


class Words:
    """Words in lower-case ASCII, of two bytes at least and at most 127 of them, laid out for the search."""

    def __init__(self, words: Sequence[bytes]) -> None:
        self._words = np.zeros((len(words), 1 + max(map(len, words))), np.uint8)
        self._first = np.full((256, 256), _NO_ROW, np.int8)
        self._next = np.full(len(words), _NO_ROW, np.int8)
        for row, word in enumerate(words):
            self._words[row, : len(word)] = np.frombuffer(word, np.uint8)
            begins_so = np.ix_(*(np.flatnonzero(np.equal(_LOWER, byte)) for byte in word[:2]))
            self._next[row] = self._first[word[0], word[1]]
            self._first[begins_so] = row

    def found(self, markup: bytes) -> npt.NDArray[np.bool_]:
        """Which of the words occur, in the order in which they were given; shape (n,)."""
        return _search(np.frombuffer(markup, np.uint8), self._words, self._first, self._next, _LOWER)


@compiled
def _search(markup: Bytes, words: Bytes, first: Rows, following: Rows, lower: Bytes) -> npt.NDArray[np.bool_]:
    """``words`` end in zeros; ``first``: row of a word by its first two bytes, ``following``: of the next such word."""
    found = np.zeros(len(words), np.bool_)
    for place in range(len(markup) - 1):
        row = first[markup[place], markup[place + 1]]
        while row != _NO_ROW:
            size = 2
            while place + size < len(markup) and words[row, size] and words[row, size] == lower[markup[place + size]]:
                size += 1
            if words[row, size] == 0:
                found[row] = True
            row = following[row]
    return found
