"""The banded edit distance of integer sequences of tags and lengths."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from diglot.features.edit_distance_kernels import bag_of_symbols as bag_of_symbols
from diglot.features.edit_distance_kernels import distances
from diglot.threads import in_threads

_CHUNK_PAIRS = 64
"""Pairs that one thread takes at a stretch."""


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
    pairs, sequences = np.ascontiguousarray(pairs, np.int32), (values, offsets, bags)
    thresholds, limits = np.ascontiguousarray(thresholds, np.float64), np.ascontiguousarray(limits, np.float64)

    def some_distances(some: slice) -> None:
        distances(result[some], pairs[some], thresholds[some], limits[some], *sequences)

    in_threads(some_distances, len(pairs), _CHUNK_PAIRS)
    return result
