"""The two dynamic programmes of alignment, compiled: beads by length, and edit distance of token streams.

Importing this module imports numba (about 0.8 s); machine code is cached on disk where that can be written.
Both kernels release the GIL and fill a band of cells (see :mod:`diglot.alignment.bands`), keeping one byte
a cell for the way back and rolling rows for the costs. Equal costs are decided by the order of the
operations, so the same input gives the same path everywhere.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from diglot.arrays import Floats, Ints
from diglot.compiled import compiled

_SUBSTITUTE, _DELETE, _INSERT = 0, 1, 2
_EDIT_ROWS = np.array([1, 1, 0])
_EDIT_COLUMNS = np.array([1, 0, 1])
"""Rows and columns that each of the three steps goes on."""
TEXT_CLASS = -1
"""Class of a text chunk in the arrays that :func:`token_path` takes; tags have classes from 0."""


@compiled
def fit_cost(src_length: float, tgt_length: float, variance: float, table: Floats, step: float) -> float:
    """-log(2 (1 - Phi(abs(delta)))) of two lengths in one unit; the table holds it at multiples of ``step``.

    delta = (tgt - src) / sqrt(variance * mean length), as in the programme that Gale & Church print; beyond
    the table the first terms of the asymptotic series stand in (error under 0.001 from delta = 32 on).
    """
    mean = (src_length + tgt_length) / 2
    if mean <= 0:
        return 0.0
    delta = abs(tgt_length - src_length) / math.sqrt(variance * mean)
    place = delta / step
    cell = int(place)
    if cell + 1 < len(table):
        return float(table[cell] + (place - cell) * (table[cell + 1] - table[cell]))
    return delta * delta / 2 + math.log(delta) + 0.2257913526447274  # log(sqrt(pi / 2))


@compiled
def _is_mixed(src_kinds: Ints, tgt_kinds: Ints) -> bool:
    if len(src_kinds) == 0 or len(tgt_kinds) == 0:
        return False
    others = 0
    for kind in src_kinds:
        others += kind != src_kinds[0]
    for kind in tgt_kinds:
        others += kind != src_kinds[0]
    return others > 0


@compiled
def _trace(back: npt.NDArray[np.uint8], band: tuple[Ints, Ints, Ints], rows: Ints, columns: Ints) -> Ints:
    """Nodes of the path whose last step into each cell ``back`` tells; step k goes rows[k] down, columns[k]
    right."""
    low, high, start = band
    i, j = len(low) - 1, high[-1]
    place = i + j
    nodes = np.zeros((place + 1, 2), dtype=np.int64)
    nodes[place, 0], nodes[place, 1] = i, j
    while i > 0 or j > 0:
        step = back[start[i] + j - low[i]]
        i, j, place = i - rows[step], j - columns[step], place - 1
        nodes[place, 0], nodes[place, 1] = i, j
    return nodes[place:]


@compiled
def length_path(
    src_sums: Floats,
    tgt_sums: Floats,
    kinds: tuple[Ints, Ints],
    band: tuple[Ints, Ints, Ints],
    beads: tuple[Ints, Ints, Floats],
    model: tuple[float, float, Floats, float],
) -> tuple[float, Ints]:
    """Cheapest sequence of beads between two lists of lengths.

    ``src_sums``, ``tgt_sums``: cumulative lengths, (n + 1,) and (m + 1,), in one unit. ``beads``: units a
    side and the cost -log prior of each type. ``model``: variance a unit of length, extra cost of a bead of
    several kinds, table and step of :func:`fit_cost`. Returns the cost and the nodes passed, (k, 2), from
    (0, 0) to (n, m).
    """
    low, high, start = band
    bead_src, bead_tgt, bead_cost = beads
    src_kinds, tgt_kinds = kinds
    variance, kind_cost, table, step = model
    n, m = len(src_sums) - 1, len(tgt_sums) - 1
    depth = bead_src.max() + 1
    costs = np.full((depth, (high - low).max() + 1), np.inf)
    back = np.zeros(start[-1], dtype=np.uint8)
    for i in range(n + 1):
        row = costs[i % depth]
        for j in range(low[i], high[i] + 1):
            best, choice = np.inf, 0
            for kind in range(len(bead_src)):
                from_i, from_j = i - bead_src[kind], j - bead_tgt[kind]
                if from_i < 0 or from_j < low[from_i] or from_j > high[from_i]:
                    continue
                cost = costs[from_i % depth, from_j - low[from_i]] + bead_cost[kind]
                if cost >= best:
                    continue
                src_length, tgt_length = src_sums[i] - src_sums[from_i], tgt_sums[j] - tgt_sums[from_j]
                cost += fit_cost(src_length, tgt_length, variance, table, step)
                if kind_cost > 0 and _is_mixed(src_kinds[from_i:i], tgt_kinds[from_j:j]):
                    cost += kind_cost
                if cost < best:
                    best, choice = cost, kind
            row[j - low[i]] = 0.0 if i == 0 and j == 0 else best
            back[start[i] + j - low[i]] = choice
    return costs[n % depth, m - low[n]], _trace(back, band, bead_src, bead_tgt)


@compiled
def token_path(
    src: tuple[Ints, Ints, Floats, Floats],
    tgt: tuple[Ints, Ints, Floats, Floats],
    substitute: Floats,
    text_weight: float,
    band: tuple[Ints, Ints, Ints],
) -> tuple[float, Ints]:
    """Cheapest edit of one token stream into another (Bitextor 2010, equations 6-9).

    A stream is (code, class, length, cost of leaving the token out), each of shape (n,); ``substitute``
    holds the cost by class pair, inf where forbidden; two texts cost ``text_weight`` a unit of their
    difference in length. Among equal costs substitution is taken before deletion, deletion before
    insertion. Returns the cost and the nodes passed, (k, 2), from (0, 0) to (n, m).
    """
    src_code, src_class, src_length, delete = src
    tgt_code, tgt_class, tgt_length, insert = tgt
    low, high, start = band
    n, m = len(src_code), len(tgt_code)
    # Rows are stored one place to the right, inf around them: no step need be checked against the band.
    costs = np.full((2, (high - np.concatenate((low[:1], low[:-1]))).max() + 3), np.inf)
    back = np.zeros(start[-1], dtype=np.uint8)
    for i in range(n + 1):
        row, above = costs[i % 2], costs[(i + 1) % 2]
        row[:] = np.inf
        shift = low[i] - low[max(i - 1, 0)]
        is_text = i > 0 and src_class[i - 1] == TEXT_CLASS
        code, length = (src_code[i - 1], src_length[i - 1]) if i > 0 else (0, 0.0)
        changes = substitute[src_class[i - 1]] if i > 0 and not is_text else substitute[0]
        for j in range(low[i], high[i] + 1):
            place = j - low[i] + 1
            best, choice = np.inf, _SUBSTITUTE
            if i > 0 and j > 0:
                if is_text != (tgt_class[j - 1] == TEXT_CLASS):
                    change = np.inf
                elif is_text:
                    change = text_weight * abs(length - tgt_length[j - 1])
                else:
                    change = 0.0 if code == tgt_code[j - 1] else changes[tgt_class[j - 1]]
                best = above[place + shift - 1] + change
            if i > 0 and above[place + shift] + delete[i - 1] < best:
                best, choice = above[place + shift] + delete[i - 1], _DELETE
            if j > 0 and row[place - 1] + insert[j - 1] < best:
                best, choice = row[place - 1] + insert[j - 1], _INSERT
            row[place] = 0.0 if i == 0 and j == 0 else best
            back[start[i] + place - 1] = choice
    return costs[n % 2, m - low[n] + 1], _trace(back, band, _EDIT_ROWS, _EDIT_COLUMNS)
