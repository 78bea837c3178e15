"""The band of cells filled by an alignment, widened until the path keeps clear of its edges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from diglot.arrays import Ints, offsets_of

Path = Ints
"""Nodes (row, column) of an alignment from (0, 0) to (rows, columns), int64 of shape (k, 2)."""

MAX_CELLS = 48_000_000
"""Cells of a band at most; a cell costs one byte of back pointer."""
MAX_BAND_ROUNDS = 8
"""Bands tried for one alignment at most."""
EDGE_SHARE = 4
"""A path within a quarter of the half-width from an edge needs a wider band: a path forced aside often runs along the
edge at a distance. Edges of the matrix do not count."""


@dataclass(frozen=True, slots=True)
class Band:
    """Row i of the matrix has the columns ``low[i] .. high[i]``, both included, stored from ``start[i]`` on."""

    low: Ints
    high: Ints
    start: Ints

    @classmethod
    def of(cls, low: Ints, high: Ints) -> Band:
        """The band between two lines, both included."""
        # Kernels take contiguous arrays only.
        low, high = np.ascontiguousarray(low), np.ascontiguousarray(high)
        return cls(low, high, offsets_of(high - low + 1))

    @property
    def cells(self) -> int:
        return int(self.start[-1])


def band_around(centre: Ints, columns: int, half_width: int | Ints, *, reach: int = 1) -> Band:
    """Band around a rising centre line, int64 (rows + 1,).

    ``half_width``: columns to either side, for all rows or row by row. Edges rise. A row reaches the centres of the
    rows ``reach`` before and after, so that a path exists and may leap to the side some rows before or after the centre
    does. The first ``reach`` rows begin at column 0, the last ``reach`` rows end at ``columns``.
    """
    rows = np.arange(len(centre))
    # Where the centre leaps, a path needs the cells between: rows reach as far as their neighbours.
    low = np.maximum(np.where(rows < reach, 0, centre[np.maximum(rows - reach, 0)]) - half_width, 0)
    ahead = np.where(rows + reach >= len(centre), columns, centre[np.minimum(rows + reach, len(centre) - 1)])
    high = np.minimum(ahead + half_width, columns)
    # Kernels rely on rising edges, and half-widths may differ from row to row.
    return Band.of(np.minimum.accumulate(low[::-1])[::-1], np.maximum.accumulate(high))


def cut_to(band: Band, low: Ints, high: Ints) -> Band:
    """The part of a band between two lines; a row with ``low`` above ``high`` takes the edges of its neighbours."""
    # Running extremes keep the edges rising and give an empty row the edges of its neighbours.
    low = np.maximum(band.low, np.minimum.accumulate(low[::-1])[::-1])
    high = np.minimum(band.high, np.maximum.accumulate(high))
    return Band.of(low, high)


def proportional_centre(src_sizes: npt.NDArray[np.float64], tgt_sizes: npt.NDArray[np.float64]) -> Ints:
    """For every row 0 .. len(src_sizes), the column at the same share of the total size."""
    src_share = np.concatenate(([0.0], np.cumsum(src_sizes)))
    tgt_share = np.concatenate(([0.0], np.cumsum(tgt_sizes)))
    src_share /= max(src_share[-1], 1e-9)
    tgt_share /= max(tgt_share[-1], 1e-9)
    centre = np.interp(src_share, tgt_share, np.arange(len(tgt_share), dtype=np.float64))
    return np.rint(centre).astype(np.int64)


def narrow_width(rows: int, columns: int) -> int:
    """First half-width to try: how far a random walk of this length strays, at least 32."""
    return max(32, int(2 * np.sqrt(max(rows, columns))))


def solve_in_band(
    solve: Callable[[Band], Path],
    centre: Ints,
    columns: int,
    *,
    half_width: int,
    max_cells: int = MAX_CELLS,
) -> Path:
    """Path found by ``solve`` in a band around ``centre``, moved and widened while the path comes near an edge.

    A band over the whole matrix gives the exact answer. Otherwise the next band lies around the path just found and is
    twice as wide, within ``max_cells``, for :data:`MAX_BAND_ROUNDS` bands at most; the last path is the answer. Memory:
    ``max_cells`` bytes, and a constant a row and column.
    """
    widest = max(1, ((max_cells - 2 * columns) // len(centre) - 1) // 2)
    half_width = min(half_width, widest)
    path = solve(band := band_around(centre, columns, half_width))
    for _ in range(MAX_BAND_ROUNDS - 1):
        if half_width >= columns or not near_edge(path, band, half_width // EDGE_SHARE + 1):
            break
        half_width = min(2 * half_width, widest)
        # Around the path just found, so that the band moves as well as grows.
        nodes = np.searchsorted(path[:, 0], np.arange(len(centre)))
        path = solve(band := band_around(path[nodes, 1], columns, half_width))
    return path


def near_edge(path: Path, band: Band, margin: int) -> bool:
    """Whether a node of the path is less than ``margin`` columns from an edge of the band (edges of the matrix
    aside)."""
    return len(rows_near_edge(path, band, margin)) > 0


def rows_near_edge(path: Path, band: Band, margin: int | Ints) -> Ints:
    """Rows of the nodes near an edge, as in :func:`near_edge`; ``margin`` for all rows, or row by row."""
    rows, cols = path[:, 0], path[:, 1]
    margin = np.broadcast_to(margin, len(band.low))[rows]
    low, high = band.low[rows], band.high[rows]
    near_low = (low > 0) & (cols - low < margin)
    near_high = (high < band.high[-1]) & (high - cols < margin)
    near: Ints = rows[near_low | near_high]
    return near


def double_widths(widths: Ints, rows: Ints) -> Ints:
    """Half-widths of all rows, doubled near ``rows``: from twice the old width before a row to as far behind it."""
    change = np.zeros(len(widths) + 1, np.int64)
    np.add.at(change, np.maximum(rows - 2 * widths[rows], 0), 1)
    np.add.at(change, np.minimum(rows + 2 * widths[rows] + 1, len(widths)), -1)
    return np.where(np.cumsum(change)[:-1] > 0, 2 * widths, widths)
