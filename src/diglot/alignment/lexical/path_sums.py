"""Best path through scored beads, and sums over all paths near it (Baum et al. 1970, forward-backward), compiled.

Importing this module imports numba; see :mod:`diglot.compiled`.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from diglot.alignment.lexical.bead_scores import FLOOR, Edges, Types
from diglot.arrays import Floats, Ints, Singles
from diglot.compiled import compiled

Bools = npt.NDArray[np.bool_]

_MARGIN = 30.0
"""Cells through which the best path scores this many nats less than the best of all are left out of sums."""


@compiled
def best_ahead(scores: Singles, edges: Edges, types: Types) -> tuple[Floats, npt.NDArray[np.uint8]]:
    """Best score of a way from the first node to each cell, and its last bead."""
    low, high, start = edges
    best = np.full(start[-1], FLOOR)
    back = np.zeros(start[-1], np.uint8)
    best[0] = 0.0
    for i in range(len(low)):
        for j in range(low[i], high[i] + 1):
            here = start[i] + j - low[i]
            for k in range(len(types.src)):
                from_i, from_j = i - types.src[k], j - types.tgt[k]
                if from_i >= 0 and low[from_i] <= from_j <= high[from_i]:
                    cell = start[from_i] + from_j - low[from_i]
                    if best[cell] + scores[cell, k] > best[here]:
                        best[here] = best[cell] + scores[cell, k]
                        back[here] = k
    return best, back


@compiled
def trace(back: npt.NDArray[np.uint8], edges: Edges, types: Types) -> Ints:
    """The beads of the best way through the band: int64 (k, 3), row, column and type of each."""
    low, high, start = edges
    i, j = len(low) - 1, high[-1]
    place = i + j
    path = np.zeros((place, 3), np.int64)
    while i > 0 or j > 0:
        k = back[start[i] + j - low[i]]
        i, j, place = i - types.src[k], j - types.tgt[k], place - 1
        path[place, 0], path[place, 1], path[place, 2] = i, j, k
    return path[place:]


@compiled
def near_best(scores: Singles, edges: Edges, types: Types, ahead: Floats) -> Bools:
    """Whether the best path through each cell is nearly as good as the best of all."""
    low, high, start = edges
    n = len(low) - 1
    behind = np.full(start[-1], FLOOR)
    near = np.zeros(start[-1], np.bool_)
    behind[-1] = 0.0
    for i in range(n, -1, -1):
        for j in range(high[i], low[i] - 1, -1):
            cell = start[i] + j - low[i]
            if ahead[cell] < FLOOR / 2:
                continue
            for k in range(len(types.src)):
                to_i, to_j = i + types.src[k], j + types.tgt[k]
                if to_i <= n and low[to_i] <= to_j <= high[to_i]:
                    behind[cell] = max(behind[cell], behind[start[to_i] + to_j - low[to_i]] + scores[cell, k])
            near[cell] = ahead[cell] + behind[cell] >= ahead[-1] - _MARGIN
    return near


@compiled
def near_span(near: Bools, edges: Edges) -> tuple[Ints, Ints]:
    """First and last near column of each row; of a row without any the last column of the band and -1."""
    low, high, start = edges
    first, last = np.full(len(low), high[-1]), np.full(len(low), -1)
    for i in range(len(low)):
        for cell in range(start[i], start[i + 1]):
            if near[cell]:
                first[i] = min(first[i], low[i] + cell - start[i])
                last[i] = low[i] + cell - start[i]
    return first, last


@compiled
def log_sum(terms: Floats, count: int) -> float:
    """log of the sum of exp of the first ``count`` terms."""
    top = FLOOR
    for k in range(count):
        top = max(top, terms[k])
    if top <= FLOOR:
        return FLOOR
    total = 0.0
    for k in range(count):
        total += math.exp(terms[k] - top)
    return top + math.log(total)


@compiled
def forward_backward(scores: Singles, edges: Edges, types: Types, near: Bools, heat: float) -> tuple[Floats, Floats]:
    """Log sums over all ways from the first node to each near cell, and from each to the last; float64 (cells,).

    ``heat`` multiplies the scores: below 1 it makes the sums less sure of the best way.
    """
    low, high, start = edges
    n = len(low) - 1
    ahead, behind = np.full(start[-1], FLOOR), np.full(start[-1], FLOOR)
    terms = np.empty(len(types.src))
    ahead[0], behind[-1] = 0.0, 0.0
    for i in range(n + 1):
        for here in range(start[i], start[i + 1]):
            if not near[here] or here == 0:
                continue
            count, j = int(np.int64(0)), low[i] + here - start[i]
            for k in range(len(types.src)):
                from_i, from_j = i - types.src[k], j - types.tgt[k]
                if from_i >= 0 and low[from_i] <= from_j <= high[from_i]:
                    cell = start[from_i] + from_j - low[from_i]
                    terms[count] = ahead[cell] + heat * scores[cell, k]
                    count += 1
            ahead[here] = log_sum(terms, count)
    for i in range(n, -1, -1):
        for cell in range(start[i + 1] - 1, start[i] - 1, -1):
            if not near[cell] or cell == start[-1] - 1:
                continue
            count, j = int(np.int64(0)), low[i] + cell - start[i]
            for k in range(len(types.src)):
                to_i, to_j = i + types.src[k], j + types.tgt[k]
                if to_i <= n and low[to_i] <= to_j <= high[to_i]:
                    terms[count] = behind[start[to_i] + to_j - low[to_i]] + heat * scores[cell, k]
                    count += 1
            behind[cell] = log_sum(terms, count)
    return ahead, behind


@compiled
def likely_beads(
    scores: Singles, edges: Edges, types: Types, sums: tuple[Floats, Floats], least: float
) -> tuple[Ints, Floats, Floats]:
    """Beads of a posterior of at least ``least``: int64 (k, 3) row, column, type; their posteriors; and the expected
    number of beads of each type."""
    low, high, start = edges
    ahead, behind = sums
    expected = np.zeros(len(types.src))
    found, posteriors, count = np.empty((1024, 3), np.int64), np.empty(1024), 0
    for i in range(len(low)):
        for j in range(low[i], high[i] + 1):
            cell = start[i] + j - low[i]
            if ahead[cell] + behind[cell] < ahead[-1] - _MARGIN:
                continue
            for k in range(len(types.src)):
                to_i, to_j = i + types.src[k], j + types.tgt[k]
                if to_i >= len(low) or to_j < low[to_i] or to_j > high[to_i]:
                    continue
                posterior = math.exp(
                    min(0.0, ahead[cell] + scores[cell, k] + behind[start[to_i] + to_j - low[to_i]] - ahead[-1])
                )
                expected[k] += posterior
                if posterior >= least:
                    if count == len(found):
                        found = np.concatenate((found, np.empty_like(found)))
                        posteriors = np.concatenate((posteriors, np.empty_like(posteriors)))
                    found[count, 0], found[count, 1], found[count, 2], posteriors[count] = i, j, k, posterior
                    count += 1
    return found[:count].copy(), posteriors[:count].copy(), expected
