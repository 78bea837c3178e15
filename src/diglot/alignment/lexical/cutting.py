"""Step 1, compiled: a text as numbers of its distinct tokens, and its sentences as sets of units.

Importing this module imports numba; see :mod:`diglot.compiled`.
"""

from __future__ import annotations

import numpy as np

from diglot.arrays import Bytes, Indices, Ints
from diglot.compiled import compiled

BLANK, LETTER, MARK, DIGIT, SINGLE, END = 0, 1, 2, 3, 4, 5
"""What a character is: left out; of a word; of a word that a letter began, else a token by itself; of a number; a token
by itself; the end of a sentence."""
_GROUP_DIGITS = 3
"""Digits of a group of thousands, and at most before the first."""
_BASIS, _PRIME, _BITS = 0x811C9DC5, 0x01000193, 0xFFFFFFFF
"""Of the hash FNV-1a, 32 bits (Fowler, Noll & Vo)."""


@compiled
def number_end(codes: Indices, kinds: Bytes, separators: Indices, start: int) -> int:
    """End of the number that starts here, with its groups of thousands."""
    end = start + 1
    while end < len(kinds) and kinds[end] == DIGIT:
        end += 1
    if end - start > _GROUP_DIGITS:
        return end
    while end + _GROUP_DIGITS < len(kinds):
        is_group = False
        for mark in separators:
            is_group = is_group or codes[end] == mark
        for place in range(end + 1, end + _GROUP_DIGITS + 1):
            is_group = is_group and kinds[place] == DIGIT
        behind = end + _GROUP_DIGITS + 1
        if not is_group or (behind < len(kinds) and kinds[behind] == DIGIT):
            break
        end = behind
    return end


@compiled
def token_hash(codes: Indices, start: int, end: int) -> np.int64:
    """Hash of the characters from ``start`` to ``end``."""
    found = np.int64(_BASIS)
    for place in range(start, end):
        found = ((found ^ np.int64(codes[place])) * _PRIME) & _BITS
    return found


@compiled
def is_same(codes: Indices, first: int, second: int, length: int) -> bool:
    """Whether two stretches of a text are the same."""
    place = 0
    while place < length and codes[first + place] == codes[second + place]:
        place += 1
    return place == length


@compiled
def more_slots(slots: Ints, hashes: Ints, distinct: int) -> Ints:
    """A table of twice the size with the numbers 1 .. distinct - 1 of these hashes."""
    larger = np.zeros(2 * len(slots), np.int64)
    for number in range(1, distinct):
        slot = hashes[number] & (len(larger) - 1)
        while larger[slot] > 0:
            slot = (slot + 1) & (len(larger) - 1)
        larger[slot] = number
    return larger


@compiled
def cut_tokens(codes: Indices, kinds: Bytes, separators: Indices) -> tuple[Ints, Ints, Ints]:
    """Cut a text into tokens, distinct ones numbered in order of their first sight.

    ``codes``: its characters; ``kinds``: what each is; ``separators``: characters that may set off thousands.
    Returns the number of each token, int64 (tokens,), and where each distinct one first starts and ends, int64
    (distinct,). Number 0 is the end of a sentence, whose start and end are left 0.
    """
    tokens, count, distinct = np.empty(len(codes), np.int64), 0, 1
    starts, ends, hashes = np.zeros(256, np.int64), np.zeros(256, np.int64), np.zeros(256, np.int64)
    slots = np.zeros(1024, np.int64)  # open addressing by hash; 0 is a free place
    start = 0
    while start < len(codes):
        kind, end, number = kinds[start], start + 1, 0
        if kind == LETTER:
            while end < len(codes) and (kinds[end] == LETTER or kinds[end] == MARK):
                end += 1
        elif kind == DIGIT:
            end = number_end(codes, kinds, separators, start)
        if kind != BLANK and kind != END:
            found = token_hash(codes, start, end)
            slot = found & (len(slots) - 1)
            number = slots[slot]
            while number > 0:
                if ends[number] - starts[number] == end - start and is_same(codes, starts[number], start, end - start):
                    break
                slot = (slot + 1) & (len(slots) - 1)
                number = slots[slot]
            if number == 0:
                if distinct == len(starts):
                    more = np.zeros(distinct, np.int64)
                    starts, ends = np.concatenate((starts, more)), np.concatenate((ends, more))
                    hashes = np.concatenate((hashes, more))
                number = distinct
                starts[number], ends[number], hashes[number], slots[slot] = start, end, found, number
                distinct += 1
                if 2 * distinct > len(slots):
                    slots = more_slots(slots, hashes, distinct)
        if kind != BLANK:
            tokens[count] = number
            count += 1
        start = end
    return tokens[:count].copy(), starts[:distinct].copy(), ends[:distinct].copy()


@compiled
def sentence_units(
    tokens: Ints, classes: Ints, offsets: Ints, units: Ints, opening: tuple[int, int, int, int], sizes: tuple[int, int]
) -> tuple[Ints, Ints, Ints]:
    """The units of each sentence, each once, at its first place there.

    ``tokens``: numbers, 0 the end of a sentence. Token t has the class ``classes[t]`` and the units
    ``units[offsets[t]:offsets[t + 1]]``. ``opening``: the classes of names, words, numbers and punctuation; a name that
    is the first word of its sentence counts as a word. ``sizes``: number of units and of classes.
    Returns int64 (sentences + 1,), where the units of each sentence start; the units; and how often each unit was of
    each class, (units, classes).
    """
    name, word, digits, marks = opening
    count, sentence, ends = 0, 0, 0
    for token in tokens:
        count += offsets[token + 1] - offsets[token]
        ends += token == 0
    starts, found = np.zeros(ends + 2, np.int64), np.empty(count, np.int64)
    counts, last = np.zeros(sizes, np.int64), np.full(sizes[0], -1, np.int64)
    count, is_opening = 0, True
    for token in tokens:
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
        for place in range(offsets[token], offsets[token + 1]):
            unit = units[place]
            counts[unit, kind] += 1
            if last[unit] != sentence:
                last[unit] = sentence
                found[count] = unit
                count += 1
    starts[sentence + 1] = count
    return starts, found[:count].copy(), counts
