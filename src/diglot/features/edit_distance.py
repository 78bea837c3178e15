"""The banded edit distance of integer sequences of tags and lengths, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from diglot.compiled import compiled, in_threads

_FIRST_BAND = 32
"""Half-width tried first where no limit bounds it; doubled until the answer is proven."""
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
def _substitution(a: int, b: int, threshold: float) -> float:
    """Cost of writing ``b`` for ``a``; a negative threshold asks for the direct cost."""
    if a == b:
        return 0.0
    if a < 0 or b < 0:
        return 1.0 if a < 0 and b < 0 else np.inf
    difference = abs(a - b) / max(a, b)
    if threshold < 0:
        return difference
    return 1.0 if difference > threshold else 0.0


@compiled
def band_distance(a: Any, b: Any, threshold: float, limit: float, half: int) -> float:
    """Edit distance within ``half`` cells of the diagonal; inf once it must exceed ``limit``.

    Cell ``c`` of row ``i`` stands for the first ``i`` symbols of ``a`` and ``i + c - 1 - half`` of ``b``.
    """
    m, n = len(a), len(b)
    if abs(m - n) > half:
        return np.inf
    width = 2 * half + 1
    previous = np.full(width + 2, np.inf)
    current = np.full(width + 2, np.inf)
    for c in range(half + 1, min(width, n + half + 1) + 1):
        previous[c] = c - 1 - half
    for i in range(1, m + 1):
        first, last = max(1, half + 1 - i), min(width, n - i + half + 1)
        symbol = a[i - 1]
        lowest = np.inf
        if i + first - 1 - half == 0:
            current[first] = i
            lowest = float(i)
            first += 1
        left = current[first - 1]
        for c in range(first, last + 1):
            best = previous[c] + _substitution(symbol, b[i + c - 2 - half], threshold)
            step = min(left, previous[c + 1]) + 1.0
            left = min(best, step)
            current[c] = left
            lowest = min(lowest, left)
        if lowest > limit:
            return np.inf
        previous, current = current, previous
    answer = previous[n - m + half + 1]
    return answer if answer <= limit else np.inf


@compiled
def _distance(a: Any, b: Any, threshold: float, limit: float) -> float:
    """A path with k insertions or deletions strays at most k from the diagonal: a band as wide as the
    answer proves it."""
    widest = max(len(a), len(b))
    if limit < widest:
        widest = int(limit)
    half = min(max(_FIRST_BAND, abs(len(a) - len(b))), widest)
    while True:
        proven = limit if half >= widest else min(limit, half)
        answer = band_distance(a, b, threshold, proven, half)
        if answer <= half or half >= widest:
            return answer
        half = min(2 * half, widest)


@compiled
def _banded_distances(out: Any, pairs: Any, thresholds: Any, limits: Any, values: Any, offsets: Any, bags: Any) -> None:
    for k in range(len(pairs)):
        i, j = pairs[k, 0], pairs[k, 1]
        if _bag_distance(bags[i], bags[j]) > limits[k]:
            out[k] = np.inf
        else:
            a, b = values[offsets[i] : offsets[i + 1]], values[offsets[j] : offsets[j + 1]]
            out[k] = _distance(a, b, thresholds[k], limits[k])


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
