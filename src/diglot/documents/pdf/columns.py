"""How far each line could have gone to the right: the edge of its column, or the next cell of its row."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from diglot.documents.pdf.lines import Line

NEAR_LEFT = 4.0
"""Largest distance of the left edges of two lines of a column, which indents and list marks move, in font sizes."""
SAME_SIZE = 0.08
"""Largest difference of the font sizes of two lines of a column, as a share."""
FEW = 5
"""A column with fewer lines on its page also has the lines at the same place of all pages."""
EDGE_WIDTH = 0.6
"""Largest difference of the right edges of justified lines, in points."""
STRETCHED = 0.03
"""Least difference of the blanks of a justified line from the blank of the font, in font sizes."""
ENOUGH_LINES, MOST_FREQUENT = 5, 0.1
"""Least lines with one width of blank, and their least share of all lines of the font, for the font's own blank."""
CLOSE_LINES = 2.0
"""Largest distance of two lines of one cell or paragraph, in font sizes."""
WRAPPED, EDGES_TRIED = 0.7, 3
"""Least share of lines without room for the next word, among lines with one left edge that are wrapped at an edge of
their own; and number of right ends tried as this edge, the farthest first: a heading may go farther."""
EDGE_LINES = 4
"""Least lines that end at a right edge of a justified column, or have no room for the next word at a wrapped edge."""
BLANK = 0.2
"""Assumed width of a blank in a line with fewer than two, in font sizes."""
SENTENCE_ENDS = frozenset(".!?:;。！？؟…")
EDGE_SHARE = 0.2
"""Least share of lines with one right edge in a justified column."""


def set_limits(pages: Sequence[list[Line]]) -> None:
    """Set ``limit``, ``stretched`` and ``wrapped`` of every line, in points.

    Lines from right to left are mirrored until :func:`mirror_back`. A line whose blanks are stretched or pressed is
    full, wherever its column ends.
    """
    for lines in pages:
        for line in lines:
            if line.right_to_left:
                line.left, line.right = -line.right, -line.left
    right_ends: dict[tuple[int, int], list[float]] = defaultdict(list)
    for line in (line for lines in pages for line in lines):
        right_ends[_place(line)].append(line.right)
    blanks = _own_blanks(pages)
    before: dict[tuple[int, int], float] = {}
    for lines in pages:
        if lines:
            _set_page(lines, right_ends)
            _set_wrapped(lines, before)
        for line in lines:
            line.stretched = line.blank > 0 and abs(line.blank - blanks.get(line.font, line.blank)) > STRETCHED
            if line.stretched:
                line.limit = min(line.limit, line.right)


def _own_blanks(pages: Sequence[list[Line]]) -> dict[str, float]:
    """Width of a blank in each font, in font sizes: the most frequent one, which last lines of paragraphs have."""
    found: dict[str, Counter[float]] = defaultdict(Counter)
    for line in (line for lines in pages for line in lines):
        if line.blank:
            found[line.font][round(line.blank, 2)] += 1
    own = {}
    for font, counts in found.items():
        width, count = counts.most_common(1)[0]
        if count >= max(ENOUGH_LINES, MOST_FREQUENT * counts.total()):
            own[font] = width
    return own


def _place(line: Line) -> tuple[int, int]:
    """Left edge in steps of two points and size in steps of half a point: equal for lines at one place of all pages."""
    return round(line.left / 2), round(line.size * 2)


def _set_page(lines: list[Line], right_ends: dict[tuple[int, int], list[float]]) -> None:
    """Limit the lines of a page by their columns and next cells; ``right_ends``: of all pages, by :func:`_place`."""
    left, right, size, base = (
        np.array([getattr(line, name) for line in lines]) for name in ("left", "right", "size", "baseline")
    )
    neighbours = _next_cells(left, right, base, size).tolist()
    near = np.abs(left - left[:, None]) <= NEAR_LEFT * size[:, None]
    near &= np.abs(size - size[:, None]) <= SAME_SIZE * size[:, None]
    near &= np.minimum(right, right[:, None]) > np.maximum(left, left[:, None])
    columns: dict[bytes, tuple[list[float], list[float]]] = {}
    for place, line in enumerate(lines):
        key = near[place].tobytes()
        if key not in columns:
            others = right[near[place]].tolist()
            columns[key] = _edges(others if len(others) >= FEW else others + right_ends[_place(line)])
        line.limit = min(_edge(*columns[key], line), neighbours[place])
    _share_cells(lines, neighbours)


def _edges(ends: list[float]) -> tuple[list[float], list[float]]:
    """Right ends of the lines of a column, sorted, and those at which many lines end."""
    ends = sorted(ends)
    if len(ends) < EDGE_LINES:
        return ends, []
    least = max(EDGE_LINES, EDGE_SHARE * len(ends))
    return ends, [end for place, end in enumerate(ends) if bisect_right(ends, end + EDGE_WIDTH) - place >= least]


def _edge(ends: list[float], many: list[float], line: Line) -> float:
    """The right edge of a column: the next one at which many lines end, or the end of the longest."""
    place = bisect_left(many, line.right - EDGE_WIDTH)
    return many[place] + EDGE_WIDTH if place < len(many) else ends[-1]


def _next_cells(left: np.ndarray, right: np.ndarray, base: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Left edge of the next piece on the same baseline, infinite for none."""
    row = np.abs(base[:, None] - base[None, :]) < 0.3 * size[:, None]
    beside = row & (left[None, :] >= right[:, None] - 0.1)
    return np.where(beside, left[None, :], np.inf).min(axis=1)


def _share_cells(lines: list[Line], neighbours: list[float]) -> None:
    """Extend the limit of a line with a neighbouring cell to the lines above and below in its own cell."""
    column: dict[int, list[int]] = defaultdict(list)
    for place, line in enumerate(lines):
        column[round(line.left)].append(place)
    for places in column.values():
        places.sort(key=lambda place: -lines[place].baseline)
        for order in (places, places[::-1]):
            for before, here in pairwise(order):
                above, line = lines[before], lines[here]
                close = abs(above.baseline - line.baseline) < 1.6 * line.size
                if close and neighbours[here] == math.inf and line.right <= neighbours[before] < math.inf:
                    neighbours[here] = neighbours[before]
                    line.limit = min(line.limit, neighbours[before])


def _set_wrapped(lines: Sequence[Line], before: dict[tuple[int, int], float]) -> None:
    """Limit lines with a right edge of their own, such as lines of a cell beside empty cells.

    ``before``: the last such edge by left edge and size: a table may go on with a few lines on the next page.
    """
    groups: dict[tuple[int, int], list[Line]] = defaultdict(list)
    for line in lines:
        groups[round(line.left), round(line.size * 2)].append(line)
    for key, group in groups.items():
        for part in _cut_at_crossings(group, lines):
            ends = sorted({round(line.right) for line in part}, reverse=True)
            found = next((end for end in ends[:EDGES_TRIED] if _are_wrapped(part, end)), None)
            if found is not None:
                before[key] = found
            edge = before.get(key, 0.0)
            if found is None and ends[0] > edge:
                continue
            for line in part:
                if line.right < edge + EDGE_WIDTH:
                    line.limit, line.wrapped = min(line.limit, edge + EDGE_WIDTH), True


def _cut_at_crossings(group: list[Line], lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Lines with one left edge from the top, cut where a line crosses this edge: below it another table may begin."""
    group.sort(key=lambda line: -line.baseline)
    left, size = group[0].left, group[0].size
    crossing = sorted(-line.baseline for line in lines if line.left < left - size and line.right > left + size)
    part = group[:1]
    for above, line in pairwise(group):
        if bisect_left(crossing, -line.baseline) > bisect_right(crossing, -above.baseline):
            yield part
            part = []
        part.append(line)
    yield part


def _are_wrapped(part: Sequence[Line], edge: float) -> bool:
    """Whether the first words of most lines had no room before this edge on the line above.

    Lines that end beyond the edge are left out.
    """
    full = open_ended = 0
    for above, line in pairwise(line for line in part if line.right < edge + EDGE_WIDTH):
        if 0 < above.baseline - line.baseline < CLOSE_LINES * line.size and above.text[-1] not in SENTENCE_ENDS:
            open_ended += 1
            full += edge - above.right < line.first_width + (above.blank or BLANK) * line.size
    return full >= max(EDGE_LINES, WRAPPED * open_ended)


def mirror_back(lines: Iterable[Line]) -> None:
    """Undo what :func:`set_limits` did to lines from right to left."""
    for line in lines:
        if line.right_to_left:
            line.left, line.right, line.limit = -line.right, -line.left, -line.limit
