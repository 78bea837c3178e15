"""Where the lines of a page start: at another baseline or tag, a step back, a wide gap, the next cell of a table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from diglot.documents.pdf.letters import IDEOGRAPHS, RIGHT_TO_LEFT

SAME_BASELINE = 0.45
"""Largest difference of the baselines of a line, in font sizes: a superscript stands a third higher, the next line a
whole size lower."""
OF_PAGE = 0.25
"""Least share of right-to-left letters on a page for its lines of mixed direction to be read from the right."""
WIDE_GAP = 2.0
"""Least gap between pieces of a line, in font sizes: justified words are closer, columns of a table are not."""
SAME_EDGE, NEXT_LINE = 1.0, 1.7
"""Largest difference of edges, in points, and distance, in font sizes, of a line above or below with the same edges:
such a line shows that a wide gap stands between words."""
CELL_GAP = 0.7
"""Least gap between two cells of a table with a shared left edge, in font sizes."""
SHARED_EDGE = 4
"""Least number of lines with the same left edge for a column edge."""
WIDER = 1.6
"""Least ratio of a gap between cells to the usual gap of the line: a justified line has wide gaps all over."""
BACK = 1.0
"""Least step to the left that begins a new piece, in font sizes."""


@dataclass(frozen=True, slots=True)
class Letters:
    """Columns of the letters of one rotation, in the order of content: every character that is not blank.

    ``left``, ``right``: edges of the boxes, points; ``tags``: row of the page's tags, -1 for none; ``blank_behind``:
    whether a blank of the text follows, for each letter but the last.
    """

    codes: np.ndarray
    left: np.ndarray
    right: np.ndarray
    baselines: np.ndarray
    sizes: np.ndarray
    tags: np.ndarray
    blank_behind: np.ndarray


def line_starts(letters: Letters) -> tuple[np.ndarray, np.ndarray]:
    """Letters where lines start, (lines,); and whether the line of each letter is read from the right, (letters,)."""
    left, right = letters.left, letters.right
    size = np.maximum(letters.sizes, 1.0)
    larger = np.maximum(size[1:], size[:-1])
    moved = np.abs(np.diff(letters.baselines)) > SAME_BASELINE * larger
    gap = left[1:] - right[:-1]
    other = np.diff(letters.tags) != 0
    turned = _right_to_left(letters, np.append(0, np.flatnonzero(moved | other) + 1))
    ltr = ~turned[1:]
    cut = moved | other | ltr & (gap < -BACK * larger) & (left[1:] < left[:-1] - BACK * larger)
    cut |= _wide_gaps(letters, cut, gap / larger) & ltr
    starts = np.append(0, np.flatnonzero(cut) + 1)
    return _cut_cells(letters, starts, gap, larger, ltr), turned


def _wide_gaps(letters: Letters, cut: np.ndarray, gaps: np.ndarray) -> np.ndarray:
    """Mask of gaps that divide a line, (letters - 1,): too wide for a justified line, whose words may be far apart in a
    narrow column."""
    wide = gaps > WIDE_GAP
    places = np.flatnonzero(wide)
    if not places.size:
        return wide
    starts = np.append(0, np.flatnonzero(cut) + 1)
    full = np.ones(starts.size, np.bool_)
    full[np.searchsorted(starts, places, "right") - 1] = False
    wide[places] = ~_has_edges_of_full_line(letters, starts, places, full)
    places = places[wide[places] & _beside_ideograph(letters, places + 1)]
    wide[places] = [not _is_crossed(letters, starts, place + 1) for place in places.tolist()]
    return wide


def _beside_ideograph(letters: Letters, places: np.ndarray) -> np.ndarray:
    """Mask of places with an ideograph before or at the place: lines of ideographs have few blanks, stretched far."""
    codes = np.minimum(letters.codes, 0xFFFF)
    return np.asarray(IDEOGRAPHS[codes[places]] | IDEOGRAPHS[codes[places - 1]])


def _has_edges_of_full_line(letters: Letters, starts: np.ndarray, places: np.ndarray, full: np.ndarray) -> np.ndarray:
    """Mask of places whose line begins and ends at the edges of a full line directly above or below."""
    ends = np.append(starts[1:], letters.codes.size) - 1
    frames = np.pad(np.stack([letters.left[starts], letters.right[ends]]), ((0, 0), (1, 1)))
    full, baselines = np.pad(full, 1), np.pad(letters.baselines[starts], 1)
    row = np.searchsorted(starts, places, "right")
    found = np.zeros(places.size, np.bool_)
    for beside in (row - 1, row + 1):
        same = (np.abs(frames[:, row] - frames[:, beside]) < SAME_EDGE).all(axis=0) & full[beside]
        near = np.abs(baselines[row] - baselines[beside]) < NEXT_LINE * letters.sizes[starts[row - 1]]
        found |= same & near
    return found


def _right_to_left(letters: Letters, starts: np.ndarray) -> np.ndarray:
    """Mask of the letters on lines read from the right.

    A line is read so if most of its letters are right-to-left letters, or some are, and a quarter of the page
    (:data:`OF_PAGE`): a sentence in Hebrew may have more Latin letters than Hebrew ones.
    """
    codes = letters.codes
    turned = np.isin(codes >> 8, RIGHT_TO_LEFT)
    if not turned.any():
        return turned
    of_page = turned.sum() >= OF_PAGE * (codes > 64).sum()
    of_any = np.add.reduceat(codes > 64, starts)
    of_line = np.add.reduceat(turned, starts, dtype=np.int64)
    return np.repeat((of_line * 2 > of_any) | (of_page & (of_line > 0)), np.diff(np.append(starts, codes.size)))


def _cut_cells(letters: Letters, starts: np.ndarray, gap: np.ndarray, size: np.ndarray, ltr: np.ndarray) -> np.ndarray:
    """The starts, and further starts at gaps in front of a left edge shared with other lines: cells of a table."""
    left = np.rint(letters.left).astype(np.int64)
    wide = np.flatnonzero((gap > CELL_GAP * size) & ltr) + 1
    wide = np.setdiff1d(wide, starts)
    if not wide.size:
        return starts
    edges = np.bincount(np.clip(np.concatenate([left[starts], left[wide]]), 0, 20_000) + 1, minlength=20_003)
    near = edges[:-2] + edges[1:-1] + edges[2:]
    wide = wide[near[np.clip(left[wide], 0, 20_000)] >= SHARED_EDGE]
    beside = _beside_ideograph(letters, wide)
    crossed = [_is_crossed(letters, starts, place) for place in wide[beside].tolist()]
    wide = np.delete(wide, np.flatnonzero(beside)[crossed])
    line = np.searchsorted(starts, wide, "right") - 1
    ends = np.append(starts[1:], letters.codes.size)
    chosen = []
    for place, row in zip(wide.tolist(), line.tolist(), strict=True):
        inside = slice(starts[row], ends[row] - 1)
        gaps = gap[inside][letters.blank_behind[inside]]
        if gaps.size < 2 or gap[place - 1] > WIDER * np.median(gaps):
            chosen.append(place)
    return np.union1d(starts, np.array(chosen, starts.dtype))


def _is_crossed(letters: Letters, starts: np.ndarray, place: int) -> bool:
    """Whether letters of the line above or below stand over the gap before a place. Between the cells of a table
    none do."""
    row = int(np.searchsorted(starts, place, "right")) - 1
    middle = (letters.right[place - 1] + letters.left[place]) / 2
    ends = np.append(starts[1:], letters.codes.size)
    first = starts[row]
    for beside in (row - 1, row + 1):
        if not 0 <= beside < starts.size:
            continue
        there = slice(starts[beside], ends[beside])
        near = abs(letters.baselines[starts[beside]] - letters.baselines[first]) < NEXT_LINE * letters.sizes[first]
        if near and ((letters.left[there] < middle) & (middle < letters.right[there])).any():
            return True
    return False
