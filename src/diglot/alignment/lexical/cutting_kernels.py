"""A text as numbers of its distinct tokens, and its sentences as sets of units."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.diglot.arrays import Bytes, Indices, IntRowsOut, Ints, IntsOut

BLANK, LETTER, MARK, DIGIT, SINGLE, END = 0, 1, 2, 3, 4, 5
"""Kinds of character: a blank is left out; letters make a word, with marks behind the first letter; digits make a
number; a single, or any other mark, is a token by itself; an end closes the sentence."""

_BLANK = cython.declare(cython.uchar, BLANK)
_LETTER = cython.declare(cython.uchar, LETTER)
_MARK = cython.declare(cython.uchar, MARK)
_DIGIT = cython.declare(cython.uchar, DIGIT)
_END = cython.declare(cython.uchar, END)
_GROUP_DIGITS = cython.declare(cython.Py_ssize_t, 3)
"""Digits of a group of thousands, and of the first group at most."""
_BASIS = cython.declare(cython.longlong, 0x811C9DC5)
_PRIME = cython.declare(cython.longlong, 0x01000193)
_BITS = cython.declare(cython.longlong, 0xFFFFFFFF)
"""Constants of the hash FNV-1a, 32 bits (Fowler, Noll & Vo)."""


def cut_tokens(codes: Indices, kinds: Bytes, separators: Indices) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cut a text into tokens, numbered in order of first occurrence.

    ``codes``: its characters; ``kinds``: kind of each; ``separators``: possible separators of thousands. Returns the
    number of every token, int64 (tokens,), and the first start and end of each distinct token, int64 (distinct,).
    Number 0 is the end of a sentence, with start and end 0.
    """
    size: cython.Py_ssize_t = codes.shape[0]
    all_tokens = np.empty(size, np.int64)
    tokens: IntsOut = all_tokens
    # Tables of the distinct tokens, which grow.
    starts: IntsOut = np.zeros(256, np.int64)
    ends: IntsOut = np.zeros(256, np.int64)
    hashes: IntsOut = np.zeros(256, np.int64)
    slots: IntsOut = np.zeros(1024, np.int64)  # open addressing by hash; 0 is a free place
    count: cython.Py_ssize_t = 0
    distinct: cython.Py_ssize_t = 1
    start: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t
    slot: cython.Py_ssize_t
    number: cython.Py_ssize_t
    found: cython.longlong
    while start < size:
        kind = kinds[start]
        end, number = start + 1, 0
        if kind == _LETTER:
            while end < size and (kinds[end] == _LETTER or kinds[end] == _MARK):
                end += 1
        elif kind == _DIGIT:
            end = _number_end(codes, kinds, separators, start)
        if kind != _BLANK and kind != _END:
            found = _token_hash(codes, start, end)
            slot = found & (slots.shape[0] - 1)
            number = slots[slot]
            while number > 0:
                if ends[number] - starts[number] == end - start and _is_same(codes, starts[number], start, end - start):
                    break
                slot = (slot + 1) & (slots.shape[0] - 1)
                number = slots[slot]
            if number == 0:
                if distinct == starts.shape[0]:
                    more = np.zeros(distinct, np.int64)
                    starts, ends = np.concatenate((starts, more)), np.concatenate((ends, more))
                    hashes = np.concatenate((hashes, more))
                number = distinct
                starts[number], ends[number], hashes[number], slots[slot] = start, end, found, number
                distinct += 1
                if 2 * distinct > slots.shape[0]:
                    slots = np.zeros(2 * slots.shape[0], np.int64)
                    _put_in(slots, hashes, distinct)
        if kind != _BLANK:
            tokens[count] = number
            count += 1
        start = end
    return all_tokens[:count].copy(), np.array(starts[:distinct]), np.array(ends[:distinct])


def sentence_units(
    tokens: Ints, classes: Ints, offsets: Ints, units: Ints, opening: tuple[int, int, int, int], sizes: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The distinct units of every sentence, in order of first occurrence.

    ``tokens``: numbers, 0 for the end of a sentence. Token t has the class ``classes[t]`` and the units
    ``units[offsets[t]:offsets[t + 1]]``. ``opening``: the classes of names, words, numbers and punctuation; a name at
    the start of its sentence counts as a word. ``sizes``: number of units and of classes. Returns int64 (sentences +
    1,), the first unit of every sentence; the units; and the counts of every unit by class, (units, classes).
    """
    name: cython.longlong = opening[0]
    word: cython.longlong = opening[1]
    digits: cython.longlong = opening[2]
    marks: cython.longlong = opening[3]
    count: cython.Py_ssize_t = 0
    sentence: cython.Py_ssize_t = 0
    total: cython.Py_ssize_t = 0
    sentences: cython.Py_ssize_t = 0
    is_opening: cython.bint = True
    with cython.nogil:
        for place in range(tokens.shape[0]):
            token = tokens[place]
            total += offsets[token + 1] - offsets[token]
            sentences += token == 0
    all_starts, all_found = np.zeros(sentences + 2, np.int64), np.empty(total, np.int64)
    all_counts = np.zeros(sizes, np.int64)
    starts: IntsOut = all_starts
    found: IntsOut = all_found
    counts: IntRowsOut = all_counts
    last: IntsOut = np.full(sizes[0], -1, np.int64)
    with cython.nogil:
        for place in range(tokens.shape[0]):
            token = tokens[place]
            if token == 0:
                sentence += 1
                starts[sentence] = count
                is_opening = True
                continue
            kind = classes[token]
            if kind != digits and kind != marks:
                if is_opening and kind == name:
                    kind = word
                is_opening = False
            for at in range(offsets[token], offsets[token + 1]):
                unit = units[at]
                counts[unit, kind] += 1
                if last[unit] != sentence:
                    last[unit] = sentence
                    found[count] = unit
                    count += 1
        starts[sentence + 1] = count
    return all_starts, all_found[:count].copy(), all_counts


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _number_end(codes: Indices, kinds: Bytes, separators: Indices, start: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """End of the number at ``start``, groups of thousands included."""
    size: cython.Py_ssize_t = kinds.shape[0]
    end: cython.Py_ssize_t = start + 1
    behind: cython.Py_ssize_t
    is_group: cython.bint
    while end < size and kinds[end] == _DIGIT:
        end += 1
    if end - start > _GROUP_DIGITS:
        return end
    while end + _GROUP_DIGITS < size:
        is_group = False
        for mark in range(separators.shape[0]):
            is_group = is_group or codes[end] == separators[mark]
        for place in range(end + 1, end + _GROUP_DIGITS + 1):
            is_group = is_group and kinds[place] == _DIGIT
        behind = end + _GROUP_DIGITS + 1
        if not is_group or (behind < size and kinds[behind] == _DIGIT):
            break
        end = behind
    return end


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _token_hash(codes: Indices, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.longlong:
    """Hash of the characters from ``start`` to ``end``."""
    found: cython.longlong = _BASIS
    code: cython.longlong
    for place in range(start, end):
        code = codes[place]
        found = ((found ^ code) * _PRIME) & _BITS
    return found


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_same(
    codes: Indices, first: cython.Py_ssize_t, second: cython.Py_ssize_t, length: cython.Py_ssize_t
) -> cython.bint:
    """Whether two stretches of a text are the same."""
    place: cython.Py_ssize_t = 0
    while place < length and codes[first + place] == codes[second + place]:
        place += 1
    return place == length


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _put_in(slots: IntsOut, hashes: Ints, distinct: cython.Py_ssize_t) -> cython.void:
    """Put the numbers 1 .. distinct - 1 into an empty table of slots by their hashes."""
    slot: cython.Py_ssize_t
    for number in range(1, distinct):
        slot = hashes[number] & (slots.shape[0] - 1)
        while slots[slot] > 0:
            slot = (slot + 1) & (slots.shape[0] - 1)
        slots[slot] = number
