"""Sums of likelihood ratios over the terms of pages.

Records are those of :mod:`diglot.pairing.fused.likelihood`.
"""

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
"""Chances that a term is found, by chance and among translations, are kept in these: no term can decide alone."""
CLASS_WEIGHT = 4.0
"""How many observations the class's rate counts for beside a term's own."""
NUMBERS_CLIP_NATS = 12.0
"""The numbers of a page say no more than this: a table of figures would outweigh all else."""
TERMS_SMOOTHING, EXPECTED_SMOOTHING = 5.0, 1.0
"""Added to the number of terms, and to what a perfect translation would have: pages of few terms say little."""

_P0_LEAST = cython.declare(cython.double, P0_RANGE[0])
_P0_MOST = cython.declare(cython.double, P0_RANGE[1])
_P1_LEAST = cython.declare(cython.double, P1_RANGE[0])
_P1_MOST = cython.declare(cython.double, P1_RANGE[1])
_CLASS_WEIGHT = cython.declare(cython.double, CLASS_WEIGHT)
_CLIP = cython.declare(cython.double, NUMBERS_CLIP_NATS)
_TERMS = cython.declare(cython.double, TERMS_SMOOTHING)
_EXPECTED = cython.declare(cython.double, EXPECTED_SMOOTHING)


def sums_of(
    some: Ints, pairs: Int32Rows, trained: Mask, sums: FloatRowsOut, present: Any, holds: Any, siblings: Any, rates: Any
) -> None:
    """Fill the rows ``some`` of ``sums`` with scaled, against and numbers of the first page of each pair; pairs of one
    second page stand together and share what its siblings hold."""
    starts: Ints = present.starts
    terms: Ints32 = present.terms
    held_starts: Ints = holds.starts
    held_terms: Ints32 = holds.terms
    pages: IntRows = siblings.pages
    closeness: FloatRows = siblings.closeness
    background: Floats = rates.background
    hits: Floats = rates.hits
    seen: Floats = rates.seen
    class_rate: Floats = rates.class_rate
    known: Mask = rates.known
    is_number: Mask = rates.is_number
    size: cython.Py_ssize_t = background.shape[0]
    chance: FloatsOut = np.full(size, -1.0)
    touched: IntsOut = np.empty(size, np.int64)
    held: MaskOut = np.zeros(size, np.bool_)
    touched_count: cython.Py_ssize_t = 0
    last: cython.Py_ssize_t = -1
    weight: cython.double = 1.0
    own: cython.double
    total: cython.double
    negative: cython.double
    expected: cython.double
    numbers: cython.double
    by_chance: cython.double
    count: cython.Py_ssize_t
    with cython.nogil:
        for place in range(some.shape[0]):
            k = some[place]
            i, j = pairs[k, 0], pairs[k, 1]
            if j != last:
                for at in range(touched_count):
                    chance[touched[at]] = -1.0
                if last >= 0:
                    for at in range(held_starts[last], held_starts[last + 1]):
                        held[held_terms[at]] = False
                for at in range(held_starts[j], held_starts[j + 1]):
                    held[held_terms[at]] = True
                touched_count, weight = _chances(
                    j, held_starts, held_terms, pages, closeness, background, chance, touched
                )
                last = j
            own = 1.0 if trained[k] else 0.0
            total, negative, expected, numbers, count = 0.0, 0.0, 0.0, 0.0, 0
            for at in range(starts[i], starts[i + 1]):
                x = terms[at]
                if not known[x]:
                    continue
                by_chance = chance[x] if chance[x] >= 0 else background[x]
                ratio, usual = _ratio(held[x], by_chance / weight, own, hits[x], seen[x], class_rate[x])
                total += ratio
                negative += min(ratio, 0.0)
                expected += usual
                count += 1
                if is_number[x]:
                    numbers += ratio
            sums[k, 0] = total / sqrt(count + _TERMS)
            sums[k, 1] = negative / (expected + _EXPECTED)
            sums[k, 2] = min(max(numbers, -_CLIP), _CLIP)


def chances(j: cython.Py_ssize_t, holds: Any, siblings: Any, background: Floats) -> tuple[np.ndarray, float]:
    """How many siblings of page ``j`` hold each term, by closeness, over the background (-1 where none does), and the
    weight of j and its siblings together."""
    all_chance = np.full(background.shape[0], -1.0)
    touched = np.empty(background.shape[0], np.int64)
    weight = _chances(
        j, holds.starts, holds.terms, siblings.pages, siblings.closeness, background, all_chance, touched
    )[1]
    return all_chance, weight


def log_ratio(
    found: cython.bint,
    chance: cython.double,
    own: cython.double,
    hits: cython.double,
    seen: cython.double,
    class_rate: cython.double,
) -> float:
    """Log ratio of a term found or not; ``own``: 1 in a training pair, which is left out."""
    return _ratio(found, chance, own, hits, seen, class_rate)[0]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _chances(
    j: cython.Py_ssize_t,
    held_starts: Ints,
    held_terms: Ints32,
    pages: IntRows,
    closeness: FloatRows,
    background: Floats,
    chance: FloatsOut,
    touched: IntsOut,
) -> tuple[cython.Py_ssize_t, cython.double]:
    """Add to ``chance``, for the terms that siblings of page ``j`` hold, how close those are, to the background.

    Returns how many terms were touched, and the weight of j and its siblings together.
    """
    weight: cython.double = 1.0
    count: cython.Py_ssize_t = 0
    for s in range(pages.shape[1]):
        sibling = pages[j, s]
        if sibling >= 0:
            weight += closeness[j, s]
            for place in range(held_starts[sibling], held_starts[sibling + 1]):
                x = held_terms[place]
                if chance[x] < 0:
                    chance[x] = background[x]
                    touched[count] = x
                    count += 1
                chance[x] += closeness[j, s]
    return count, weight


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
    """Log ratio of a term found or not, and its mean over translations; ``own``: 1 in a training pair, left out."""
    p0 = min(max(chance, _P0_LEAST), _P0_MOST)
    p1 = (hits - (own if found else 0.0) + _CLASS_WEIGHT * class_rate) / (seen - own + _CLASS_WEIGHT)
    p1 = min(max(p1, p0, _P1_LEAST), _P1_MOST)
    gain, loss = log(p1 / p0), log((1 - p1) / (1 - p0))
    return (gain if found else loss), p1 * gain + (1 - p1) * loss
