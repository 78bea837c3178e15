"""Bands by hand: where a path comes near an edge, and which rows get more room for it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from diglot.alignment.bands import band_around, double_widths, near_edge, rows_near_edge

Ints = npt.NDArray[np.int64]


def along(columns: list[int]) -> Ints:
    """The path with one node a row."""
    return np.array(list(enumerate(columns)), np.int64)


def test_rows_of_nodes_near_an_edge() -> None:
    """Half-width 3 round the diagonal of 20 columns: row 7 goes from 3 to 11, row 12 from 8 to 16."""
    band = band_around(np.arange(21), 20, 3)
    path = along([*range(7), 11, 11, 11, 11, 11, 11, *range(13, 21)])
    assert rows_near_edge(path, band, 1).tolist() == [7]
    assert rows_near_edge(path, band, 2).tolist() == [7, 8]
    assert near_edge(path, band, 1)
    assert not near_edge(along(list(range(21))), band, 4), "the edges of the matrix do not count"
    margins = np.where(np.arange(21) == 8, 2, 0)
    assert rows_near_edge(path, band, margins).tolist() == [8]


def test_rows_about_those_near_an_edge_get_twice_the_room() -> None:
    widths = double_widths(np.full(20, 2), np.array([1, 10]))
    assert np.flatnonzero(widths == 4).tolist() == [0, 1, 2, 3, 4, 5, *range(6, 15)]
    assert set(widths[15:].tolist()) == {2}
    assert double_widths(np.full(20, 2), np.array([19])).tolist() == [2] * 15 + [4] * 5


@given(
    st.lists(st.integers(0, 40), min_size=1, max_size=30),
    st.lists(st.integers(1, 9), min_size=30, max_size=30),
    st.integers(1, 5),
)
def test_edges_rise_whatever_the_widths(steps: list[int], widths: list[int], reach: int) -> None:
    centre = np.cumsum(steps)
    columns = int(centre[-1])
    band = band_around(centre, columns, np.array(widths[: len(centre)]), reach=reach)
    assert (np.diff(band.low) >= 0).all()
    assert (np.diff(band.high) >= 0).all()
    assert (band.low <= centre).all()
    assert (band.high >= centre).all()
    assert (band.low[0], band.high[-1]) == (0, columns)
