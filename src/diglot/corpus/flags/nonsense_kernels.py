"""Repetitions in texts: code points of all texts in one array, and where each text ends."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.diglot.arrays import Bytes, Indices, IndicesOut, Ints, IntsOut, MaskOut

OTHER, LETTER, MARK, SPACE = 0, 1, 2, 3
"""Kinds of character: part of a word but no letter, a letter, a punctuation mark, a space."""

_LETTER = cython.declare(cython.uchar, LETTER)
_MARK = cython.declare(cython.uchar, MARK)
_SPACE = cython.declare(cython.uchar, SPACE)
_BLANK = cython.declare(cython.uint, ord(" "))
_BASIS = cython.declare(cython.uint, 0x811C9DC5)
_PRIME = cython.declare(cython.uint, 0x01000193)
"""Constants of the hash FNV-1a, 32 bits (Fowler, Noll & Vo)."""
_SLOTS = 1 << 16
_SHIFT = cython.declare(cython.int, 32 - 16)
_PART_CHARS = cython.declare(cython.int, 4)


def are_periodic(items: Indices, ends: Ints, periods: tuple[int, int], times: cython.int) -> np.ndarray:
    """Mask of the texts with ``periods[0]`` to ``periods[1]`` items that stand ``times`` times in a row."""
    all_found = np.zeros(ends.shape[0], np.bool_)
    found: MaskOut = all_found
    first: cython.Py_ssize_t = periods[0]
    last: cython.Py_ssize_t = periods[1]
    start: cython.Py_ssize_t = 0
    with cython.nogil:
        for text in range(ends.shape[0]):
            for period in range(first, last + 1):
                run: cython.Py_ssize_t = 0
                for place in range(start + period, ends[text]):
                    run = run + 1 if items[place] == items[place - period] else 0
                    if run == period * (times - 1):
                        found[text] = True
                        break
            start = ends[text]
    return all_found


def hash_words(codes: Indices, kinds: Bytes, ends: Ints) -> tuple[np.ndarray, np.ndarray]:
    """Hashes of the words between spaces, without marks, and where the words of each text end."""
    all_words, all_ends = np.empty((codes.shape[0] + 1) // 2 + ends.shape[0], np.uint32), np.empty(len(ends), np.int64)
    words: IndicesOut = all_words
    word_ends: IntsOut = all_ends
    count: cython.Py_ssize_t = 0
    start: cython.Py_ssize_t = 0
    with cython.nogil:
        for text in range(ends.shape[0]):
            word: cython.uint = _BASIS
            is_word: cython.bint = False
            for place in range(start, ends[text]):
                if kinds[place] == _SPACE:
                    if is_word:
                        words[count] = word
                        count += 1
                    word, is_word = _BASIS, False
                elif kinds[place] != _MARK:
                    word, is_word = (word ^ codes[place]) * _PRIME, True
            if is_word:
                words[count] = word
                count += 1
            word_ends[text] = count
            start = ends[text]
    return all_words[:count], all_ends


def count_parts(codes: Indices, kinds: Bytes, ends: Ints) -> tuple[np.ndarray, np.ndarray]:
    """Characters and distinct parts of four characters of each text, int64 (texts,).

    A character that is no letter counts as a blank, and a repeated character counts once. Distinct parts are counted by
    their hashes: never too many, and too few where hashes meet.
    """
    counts = np.zeros((2, ends.shape[0]), np.int64)
    chars: IntsOut = counts[0]
    distinct: IntsOut = counts[1]
    seen_in: IntsOut = np.zeros(_SLOTS, np.int64)  # the last text with a part of this hash, from 1
    start: cython.Py_ssize_t = 0
    with cython.nogil:
        for text in range(ends.shape[0]):
            last: cython.uint = 0
            older: cython.uint = 0
            oldest: cython.uint = 0
            for place in range(start, ends[text]):
                code: cython.uint = codes[place] if kinds[place] == _LETTER else _BLANK
                if code == last:
                    continue
                chars[text] += 1
                if chars[text] >= _PART_CHARS:
                    part: cython.uint = ((oldest * _PRIME ^ older) * _PRIME ^ last) * _PRIME ^ code
                    part = (part * _PRIME) >> _SHIFT
                    distinct[text] += seen_in[part] != text + 1
                    seen_in[part] = text + 1
                oldest, older, last = older, last, code
            start = ends[text]
    return counts[0], counts[1]
