"""Sums of likelihood ratios over the words of pages."""

from __future__ import annotations

from typing import Any

import cython
import numpy as np
from cython.cimports.diglot.arrays import (
    FloatRows,
    FloatRowsOut,
    Floats,
    FloatsOut,
    Int32Rows,
    IntRows,
    Ints,
    Ints32,
    IntsOut,
    Mask,
    MaskOut,
)
from cython.cimports.diglot.libm import log, sqrt

P0_RANGE = (0.003, 0.97)
P1_RANGE = (0.02, 0.985)
"""Bounds of the probability that a word is found, by chance and among translations: no word can decide alone."""
CLASS_WEIGHT = 4.0
"""Observations that the rate of a word's class counts for beside the word's own."""
NUMBERS_CLIP_NATS = 12.0
"""Bound of the sum over the numbers of a page: a table of figures would outweigh all else."""
WORDS_SMOOTHING, EXPECTED_SMOOTHING = 5.0, 1.0
"""Added to the number of words, and to the sum of a perfect translation: pages of few words say little."""

_P0_LEAST = cython.declare(cython.double, P0_RANGE[0])
_P0_MOST = cython.declare(cython.double, P0_RANGE[1])
_P1_LEAST = cython.declare(cython.double, P1_RANGE[0])
_P1_MOST = cython.declare(cython.double, P1_RANGE[1])
_CLASS_WEIGHT = cython.declare(cython.double, CLASS_WEIGHT)
_CLIP = cython.declare(cython.double, NUMBERS_CLIP_NATS)
_WORDS = cython.declare(cython.double, WORDS_SMOOTHING)
_EXPECTED = cython.declare(cython.double, EXPECTED_SMOOTHING)


@cython.final
@cython.cclass
class _Chances:
    """Chance by word of a translation on the current target page, estimated from the page's siblings.

    ``chance``: background plus the summed closeness of the siblings that hold the word; -1 if no sibling holds it, when
    the background alone is used. ``weight``: 1 plus the summed closeness of all siblings; every chance is divided by
    it.
    """

    held_starts: Ints
    held_words: Ints32
    pages: IntRows
    closeness: FloatRows
    background: Floats
    chance: FloatsOut
    touched: IntsOut
    count: cython.Py_ssize_t
    weight: cython.double

    def __init__(self, holds: Any, siblings: Any, background: Floats) -> None:
        self.held_starts, self.held_words = holds.starts, holds.columns
        self.pages, self.closeness = siblings.pages, siblings.closeness
        self.background = background
        self.chance = np.full(background.shape[0], -1.0)
        self.touched = np.empty(background.shape[0], np.int64)
        self.count = 0


def fill_sums(some: Ints, pairs: Int32Rows, trained: Mask, sums: FloatRowsOut, learnt: Any) -> None:
    """Fill the rows ``some`` of ``sums``, shape (pairs, 3), over the words of each pair's first page.

    The columns are the sums of :class:`diglot.pairing.fused.likelihood.Likelihood` (scaled, against, numbers).
    ``trained``: mask of training pairs. ``learnt``: a :class:`diglot.pairing.fused.likelihood.LearntRatios`. Pairs with
    the same second page stand together: the words of the page and of the siblings are then marked once.
    """
    starts: Ints = learnt.present.starts
    words: Ints32 = learnt.present.columns
    held_starts: Ints = learnt.holds.starts
    held_words: Ints32 = learnt.holds.columns
    background: Floats = learnt.rates.background
    hits: Floats = learnt.rates.hits
    seen: Floats = learnt.rates.seen
    class_rate: Floats = learnt.rates.class_rate
    known: Mask = learnt.rates.known
    is_number: Mask = learnt.rates.is_number
    siblings: _Chances = _Chances(learnt.holds, learnt.siblings, background)
    chance: FloatsOut = siblings.chance
    held: MaskOut = np.zeros(background.shape[0], np.bool_)
    last: cython.Py_ssize_t = -1
    own: cython.double
    total: cython.double
    negative: cython.double
    expected: cython.double
    numbers: cython.double
    count: cython.Py_ssize_t
    with cython.nogil:
        for place in range(some.shape[0]):
            k = some[place]
            i, j = pairs[k, 0], pairs[k, 1]
            if j != last:
                if last >= 0:
                    _mark(held_words[held_starts[last] : held_starts[last + 1]], held, False)
                _mark(held_words[held_starts[j] : held_starts[j + 1]], held, True)
                _add_siblings(j, siblings)
                last = j
            own = 1.0 if trained[k] else 0.0
            total, negative, expected, numbers, count = 0.0, 0.0, 0.0, 0.0, 0
            for at in range(starts[i], starts[i + 1]):
                x = words[at]
                if not known[x]:
                    continue
                by_chance = (chance[x] if chance[x] >= 0 else background[x]) / siblings.weight
                ratio, usual = _ratio(held[x], by_chance, own, hits[x], seen[x], class_rate[x])
                total += ratio
                negative += min(ratio, 0.0)
                expected += usual
                count += 1
                if is_number[x]:
                    numbers += ratio
            sums[k, 0] = total / sqrt(count + _WORDS)
            sums[k, 1] = negative / (expected + _EXPECTED)
            sums[k, 2] = min(max(numbers, -_CLIP), _CLIP)


def sibling_chances(j: cython.Py_ssize_t, holds: Any, siblings: Any, background: Floats) -> tuple[np.ndarray, float]:
    """Chance of each word among the siblings of page ``j``, -1 where no sibling holds it, and the weight to divide by.

    See :class:`_Chances`.
    """
    chances: _Chances = _Chances(holds, siblings, background)
    _add_siblings(j, chances)
    return np.asarray(chances.chance), chances.weight


def log_ratio(
    found: cython.bint,
    chance: cython.double,
    own: cython.double,
    hits: cython.double,
    seen: cython.double,
    class_rate: cython.double,
) -> float:
    """Log ratio of a word found or not; ``own``: 1 in a training pair, which is left out of the counts."""
    return _ratio(found, chance, own, hits, seen, class_rate)[0]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _mark(words: Ints32, marks: MaskOut, mark: cython.bint) -> cython.void:
    for at in range(words.shape[0]):
        marks[words[at]] = mark


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _add_siblings(j: cython.Py_ssize_t, chances: _Chances) -> cython.void:
    """Sum the closeness of page ``j``'s siblings by word, after the sums of the last page are undone."""
    # Locals, because the C compiler reads members of a record anew after every store.
    held_starts: Ints = chances.held_starts
    held_words: Ints32 = chances.held_words
    background: Floats = chances.background
    chance: FloatsOut = chances.chance
    touched: IntsOut = chances.touched
    count: cython.Py_ssize_t = 0
    for at in range(chances.count):
        chance[touched[at]] = -1.0
    chances.weight = 1.0
    for s in range(chances.pages.shape[1]):
        sibling, closeness = chances.pages[j, s], chances.closeness[j, s]
        if sibling >= 0:
            chances.weight += closeness
            for place in range(held_starts[sibling], held_starts[sibling + 1]):
                x = held_words[place]
                if chance[x] < 0:
                    chance[x] = background[x]
                    touched[count] = x
                    count += 1
                chance[x] += closeness
    chances.count = count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _ratio(
    found: cython.bint,
    chance: cython.double,
    own: cython.double,
    hits: cython.double,
    seen: cython.double,
    class_rate: cython.double,
) -> tuple[cython.double, cython.double]:
    """Log ratio of a word found or not, and its mean over translations; ``own``: 1 in a training pair, left out."""
    p0 = min(max(chance, _P0_LEAST), _P0_MOST)
    p1 = (hits - (own if found else 0.0) + _CLASS_WEIGHT * class_rate) / (seen - own + _CLASS_WEIGHT)
    p1 = min(max(p1, p0, _P1_LEAST), _P1_MOST)
    gain, loss = log(p1 / p0), log((1 - p1) / (1 - p0))
    return (gain if found else loss), p1 * gain + (1 - p1) * loss
