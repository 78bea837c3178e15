"""Superscripts and subscripts go back to their places in a line: marks of notes, exponents, indices.

They stand on a baseline of their own, and some programs write them before or after all other text of the line. A line
that is cut where the baseline changes would end there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from diglot.documents.pdf.pages import Characters

SMALLER = 0.88
"""Largest size of a script, as a multiple of the size of the line: browsers print a script at .83, TeX at .7."""
MOST_LETTERS = 15
"""Most letters of a script; longer small text that stands higher is a line of its own."""
RAISED, LOWERED = (0.12, 0.8), (0.06, 0.5)
"""Least and most distance of the baselines of script and line, in font sizes of the line."""
RAISED_ALONE, TOUCHES = 0.2, 0.15
"""Least distance of baselines, and widest gap, of a script hardly smaller than its line, in font sizes."""
BESIDE = 0.6
"""Widest gap between a script and the text before or after it, a blank included, in font sizes."""
BLANK = 0.15
"""A gap beside a script wider than this is a blank, in font sizes."""
OVERLAP = 0.3
"""A slanted letter may reach so far over its index, in font sizes."""
SAME_ROW, SAME_BASELINE = 0.05, 0.2
"""Distances of baselines, in font sizes: pieces of one line differ by less; a piece ends where the baseline moves by
more."""
MAX_PAIRS = 1_000_000
"""Most pairs of a script and a piece of text on a page; no honest page has more."""


def place_scripts(
    characters: Characters, blank: np.ndarray, boxes: np.ndarray, baselines: np.ndarray, tags: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:
    """Rows of the characters in an order in which each script stands in its line, and the baseline of that line.

    The row after the last stands for a blank that is added; blanks that PDFium made up around scripts are left out.
    ``None`` for a page without scripts outside of their lines.
    """
    seen = np.flatnonzero(~blank)
    pieces = _pieces(seen, boxes, baselines, characters.sizes, tags)
    groups = _groups(pieces, boxes, blank)
    if not groups:
        return None
    keys, ranks = np.arange(blank.size, dtype=np.float64), np.zeros(blank.size)
    left_out = np.zeros(blank.size, np.bool_)
    added: list[tuple[float, float]] = []
    baselines = np.append(baselines, 0.0)
    for host, members in groups:
        rows = np.concatenate([np.arange(pieces.first[member], pieces.last[member] + 1) for member in members])
        left_out[rows] = blank[rows] & characters.made_up[rows]
        rows = rows[~left_out[rows]]
        rows = rows[np.argsort(boxes[rows, 0] + boxes[rows, 2], kind="stable")]
        keys[rows], ranks[rows] = pieces.first[members].min(), np.arange(rows.size)
        baselines[rows] = pieces.base[host]
        gaps = boxes[rows[1:], 0] - boxes[rows[:-1], 2]
        apart = (np.diff(rows) != 1) & ~blank[rows[1:]] & ~blank[rows[:-1]] & (gaps > BLANK * pieces.size[host])
        added += [(keys[rows[0]], place + 0.5) for place in np.flatnonzero(apart).tolist()]
    rows = np.append(np.flatnonzero(~left_out), np.full(len(added), blank.size))
    keys = np.append(keys[~left_out], [key for key, _ in added])
    ranks = np.append(ranks[~left_out], [rank for _, rank in added])
    order = rows[np.lexsort([ranks, keys])]
    return order, baselines[order]


@dataclass(frozen=True)
class _Pieces:
    """Text without a change of baseline or tag, one row a piece; ``first``, ``last``: rows of its characters."""

    first: np.ndarray
    last: np.ndarray
    count: np.ndarray
    left: np.ndarray
    right: np.ndarray
    base: np.ndarray
    size: np.ndarray
    tag: np.ndarray


def _pieces(seen: np.ndarray, boxes: np.ndarray, baselines: np.ndarray, sizes: np.ndarray, tags: np.ndarray) -> _Pieces:
    boxes, baselines, sizes, tags = boxes[seen], baselines[seen], np.maximum(sizes[seen], 1.0), tags[seen]
    larger = np.maximum(sizes[1:], sizes[:-1])
    cut = np.abs(np.diff(baselines)) > SAME_BASELINE * larger
    cut |= np.diff(tags) != 0
    starts = np.append(0, np.flatnonzero(cut) + 1)
    ends = np.append(starts[1:], seen.size)
    return _Pieces(
        seen[starts],
        seen[ends - 1],
        ends - starts,
        np.minimum.reduceat(boxes[:, 0], starts),
        np.maximum.reduceat(boxes[:, 2], starts),
        baselines[starts],
        sizes[starts],
        tags[starts],
    )


def _groups(pieces: _Pieces, boxes: np.ndarray, blank: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """Lines with a script: the piece that gives the line its baseline, and all pieces of the line."""
    small = np.flatnonzero(pieces.count <= MOST_LETTERS)
    if not small.size or small.size * pieces.size.size > MAX_PAIRS:
        return []
    group = np.arange(pieces.size.size)
    hosts: dict[int, int] = {}
    for script, host in _hosts(pieces, small):
        if not _has_room(pieces, script, host, boxes, blank):
            continue
        for member in [host, *_beside(pieces, script, host)]:
            group[group == group[member]] = group[script]
        hosts[script] = host
    numbers = {int(group[script]): host for script, host in hosts.items()}
    return [(host, np.flatnonzero(group == number)) for number, host in numbers.items()]


def _hosts(pieces: _Pieces, small: np.ndarray) -> list[tuple[int, int]]:
    """Each script with the nearest piece beside it: text before the script, or text after the mark of a note."""
    size = pieces.size[None, :]
    smaller = pieces.size[small, None] / size
    rise = (pieces.base[small, None] - pieces.base[None, :]) / size
    gap = np.maximum(pieces.left[small, None] - pieces.right[None, :], pieces.left[None, :] - pieces.right[small, None])
    gap = np.maximum(gap, 0)
    raised, lowered = rise < RAISED[1], -rise < LOWERED[1]
    fits = (smaller < SMALLER) & ((rise > RAISED[0]) & raised | (-rise > LOWERED[0]) & lowered)
    touches = (smaller < 1.0) & (gap < TOUCHES * size)
    fits |= touches & ((rise > RAISED_ALONE) & raised | (-rise > RAISED_ALONE) & lowered)
    gap = np.where(fits & (gap < BESIDE * size) & (pieces.tag[small, None] == pieces.tag[None, :]), gap, np.inf)
    nearest = gap.argmin(axis=1)
    found = np.flatnonzero(np.isfinite(gap[np.arange(small.size), nearest]))
    return list(zip(small[found].tolist(), nearest[found].tolist(), strict=True))


def _has_room(pieces: _Pieces, script: int, host: int, boxes: np.ndarray, blank: np.ndarray) -> bool:
    """Whether no letter of the host stands above or below the script."""
    rows = np.arange(pieces.first[host], pieces.last[host] + 1)
    rows = rows[~blank[rows]]
    shared = np.minimum(boxes[rows, 2], pieces.right[script]) - np.maximum(boxes[rows, 0], pieces.left[script])
    return bool((shared < OVERLAP * pieces.size[host]).all())


def _beside(pieces: _Pieces, script: int, host: int) -> list[int]:
    """Pieces of the host's line that begin or end right beside the script."""
    slack = SAME_ROW * pieces.size[host]
    same = (np.abs(pieces.base - pieces.base[host]) < slack) & (np.abs(pieces.size - pieces.size[host]) < slack)
    gap = np.maximum(pieces.left - pieces.right[script], pieces.left[script] - pieces.right)
    near = (pieces.tag == pieces.tag[host]) & (gap < BESIDE * pieces.size[host])
    return np.flatnonzero(same & near).tolist()
