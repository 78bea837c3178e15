"""The banded edit distance of integer sequences of tags and lengths."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from diglot.arrays import Column, Floats, Ints, Ints32, Pairs
from diglot.features.edit_distance_kernels import bag_of_symbols as bag_of_symbols
from diglot.features.edit_distance_kernels import distances
from diglot.threads import in_threads

_CHUNK_PAIRS = 64
"""Pairs that one thread takes at a stretch."""


@dataclass(frozen=True, eq=False)
class Sequences:
    """Sequences of symbols: sequence ``k`` is ``values[offsets[k]:offsets[k + 1]]``.

    A negative symbol is a tag, another the length of a text. ``bags``: :func:`bag_of_symbols` of each sequence.
    """

    values: Ints32
    offsets: Ints
    bags: Ints32


def banded_distances(sequences: Sequences, pairs: Pairs, thresholds: Floats, limits: Floats) -> Column:
    """Edit distance of every pair, float32 (n,), inf beyond its limit; a threshold < 0 asks for direct costs.

    Cost a pair: O(min(limit, distance) * length), all cores.
    """
    result = np.empty(len(pairs), np.float32)
    pairs = np.ascontiguousarray(pairs, np.int32)
    thresholds, limits = np.ascontiguousarray(thresholds, np.float64), np.ascontiguousarray(limits, np.float64)

    def fill(some: slice) -> None:
        distances(result[some], pairs[some], thresholds[some], limits[some], sequences)

    in_threads(fill, len(pairs), _CHUNK_PAIRS)
    return result
