"""The banded edit distance of integer sequences of tags and lengths, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from diglot.compiled import compiled, in_threads

_FIRST_ASIDE, _WIDER = 128, 4
"""How far paths may stray at the first try, and how many times as far at the next, until the answer is proven."""
_LOOKED_AT = 32
"""Every so many antidiagonals it is looked at which cells may still lead to an answer within the limit."""
_CHUNK_PAIRS = 64
"""Pairs that one thread takes at a stretch."""


@compiled
def bag_of_symbols(values: Any, offsets: Any, tag_count: int) -> Any:
    """How often each tag, and any text (last column), occurs in each sequence: int32 (n, tag_count + 1)."""
    bags = np.zeros((len(offsets) - 1, tag_count + 1), np.int32)
    for row in range(len(offsets) - 1):
        for k in range(offsets[row], offsets[row + 1]):
            symbol = -1 - values[k] if values[k] < 0 else tag_count
            bags[row, symbol] += 1
    return bags


@compiled
def _bag_distance(first: Any, second: Any) -> int:
    """Lower bound of the edit distance: symbols that one side has too many of."""
    more = 0
    less = 0
    for k in range(len(first)):
        difference = first[k] - second[k]
        if difference > 0:
            more += difference
        else:
            less -= difference
    return max(more, less)


@compiled
def _next_cells(
    cells: Any, before: Any, left: Any, above: Any, first: Any, second: Any, count: int, threshold: float
) -> None:
    """Each cell from the one before it on its diagonal and the two beside it; ``first``, ``second``: the symbols that
    meet there. A negative threshold asks for the direct cost of writing one text for another."""
    for k in range(count):
        a, b = first[k], second[k]
        smaller, larger = (a, b) if a < b else (b, a)
        cost = (larger - smaller) / (larger if larger > 0 else 1.0)
        if threshold >= 0:
            cost = 1.0 if cost > threshold else 0.0
        cost = cost if smaller >= 0 else (1.0 if larger < 0 else np.inf)
        cost = 0.0 if a == b else cost
        step = (left[k] if left[k] < above[k] else above[k]) + 1.0
        best = before[k] + cost
        cells[k] = best if best < step else step


@compiled
def _reach(cells: Any, first: int, last: int, number: int, difference: int, limit: float) -> Any:
    """The least and the greatest offset that a path through the cells of an antidiagonal may come to and still cost no
    more than ``limit``; the least is the greater where none may."""
    low, high = np.inf, -np.inf
    for i in range(first, last + 1):
        left, offset = limit - cells[i + 1], number - 2 * i
        if left >= abs(difference - offset):
            low = min(low, (offset + difference - left) / 2)
            high = max(high, (offset + difference + left) / 2)
    return low, high


@compiled
def _corridor_distance(a: Any, backwards: Any, threshold: float, limit: float, aside: int, room: Any) -> float:
    """Edit distance of the paths that stray at most ``aside`` from between the diagonals of both corners; inf once it
    must exceed ``limit``.

    Cell ``i`` of antidiagonal ``s`` stands for the first ``i`` symbols of ``a`` and ``s - i`` of ``b`` and is held one
    place further; its offset is ``s - 2 i``. All cells of an antidiagonal come from the two before it, and none from
    another. ``backwards``: the symbols of ``b``, last one first, all as floats; ``limit``: finite; ``room``: three rows
    of at least ``len(a) + 3``.
    """
    m, n = len(a), len(backwards)
    low, high = min(0, n - m) - aside, max(0, n - m) + aside
    before, last_cells, cells = room[0], room[1], room[2]
    for k in range(m + 3):
        before[k] = last_cells[k] = cells[k] = np.inf
    last_cells[1] = 0.0
    last_first, last_last = 0, 0
    for s in range(1, m + n + 1):
        first, last = max(0, s - n, -((high - s) // 2)), min(m, s, (s - low) // 2)
        cells[first], cells[last + 2] = np.inf, np.inf
        start, end = first, last
        if first == 0:
            cells[1], start = s, 1
        if last == s:
            cells[s + 1], end = s, s - 1
        if end >= start:
            _next_cells(
                cells[start + 1 :],
                before[start:],
                last_cells[start:],
                last_cells[start + 1 :],
                a[start - 1 :],
                backwards[n - s + start :],
                end - start + 1,
                threshold,
            )
        if s % _LOOKED_AT == 0:
            here = _reach(cells, first, last, s, n - m, limit)
            there = _reach(last_cells, last_first, last_last, s - 1, n - m, limit)
            least, most = min(here[0], there[0]), max(here[1], there[1])
            if least > most:
                return np.inf
            low, high = max(low, int(np.ceil(least))), min(high, int(np.floor(most)))
        before, last_cells, cells = last_cells, cells, before
        last_first, last_last = first, last
    answer = last_cells[m + 1]
    return answer if answer <= limit else np.inf


@compiled
def _distance(a: Any, backwards: Any, threshold: float, limit: float, room: Any) -> float:
    """Whoever strays ``aside + 1`` from between the diagonals of both corners has as many insertions and deletions
    more, each: a corridor as wide as the answer proves it."""
    apart = abs(len(a) - len(backwards))
    if apart > limit:
        return np.inf
    limit = min(limit, float(len(a) + len(backwards)))
    widest = int((limit - apart) / 2)
    aside = min(_FIRST_ASIDE, widest)
    while True:
        proven = limit if aside >= widest else min(limit, apart + 2.0 * (aside + 1))
        answer = _corridor_distance(a, backwards, threshold, proven, aside, room)
        if answer <= proven or aside >= widest:
            return answer
        aside = min(_WIDER * aside, widest)


@compiled
def _banded_distances(out: Any, pairs: Any, thresholds: Any, limits: Any, values: Any, offsets: Any, bags: Any) -> None:
    longest = 0
    for k in range(len(pairs)):
        for side in range(2):
            longest = max(longest, offsets[pairs[k, side] + 1] - offsets[pairs[k, side]])
    room, symbols = np.empty((3, longest + 3)), np.empty((2, longest))
    for k in range(len(pairs)):
        i, j = pairs[k, 0], pairs[k, 1]
        if _bag_distance(bags[i], bags[j]) > limits[k]:
            out[k] = np.inf
        else:
            m, n = offsets[i + 1] - offsets[i], offsets[j + 1] - offsets[j]
            for place in range(m):
                symbols[0, place] = values[offsets[i] + place]
            for place in range(n):
                symbols[1, place] = values[offsets[j + 1] - 1 - place]
            out[k] = _distance(symbols[0, :m], symbols[1, :n], thresholds[k], limits[k], room)


def banded_distances(
    values: npt.NDArray[np.int32],
    offsets: npt.NDArray[np.int64],
    bags: npt.NDArray[np.int32],
    pairs: npt.NDArray[np.int32],
    thresholds: npt.NDArray[np.float64],
    limits: npt.NDArray[np.float64],
) -> npt.NDArray[np.float32]:
    """Edit distance of every pair, float32 (n,), inf beyond its limit; a threshold < 0 asks for direct costs.

    Cost a pair: O(min(limit, distance) * length), all cores.
    """
    result = np.empty(len(pairs), np.float32)
    pairs, sequences = np.ascontiguousarray(pairs), (values, offsets, bags)

    def some_distances(some: slice) -> None:
        _banded_distances(result[some], pairs[some], thresholds[some], limits[some], *sequences)

    in_threads(some_distances, len(pairs), _CHUNK_PAIRS)
    return result
