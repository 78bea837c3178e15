"""Letters of a second font go back into the gaps of their line.

A font that lacks a letter is helped out by another one. Some programs (LibreOffice) write all letters of the first font
and then those of the second, which stand in gaps of the first: "5 m ± 1 m" and behind it "µ", twice.
"""

from __future__ import annotations

import numpy as np

from diglot.documents.pdf.letters import RIGHT_TO_LEFT
from diglot.documents.pdf.pages import Characters

SAME_ROW = 0.05
"""Largest difference of the baselines of two fonts on a line, in font sizes: programs write them at one height."""
OVERLAP = 0.3
"""Most that a letter of one font covers of a letter of the other, in font sizes: slanted letters do, and a text printed
twice for a shadow covers more."""
BLANK = 0.15
"""A gap between letters of two fonts wider than this is a blank, in font sizes."""
NARROW_BLANK, TOUCHING = 0.1, 0.05
"""Least gap before a group of thousands, and largest gap between the figures of a group, in font sizes: a narrow
no-break space is an eighth to a fifth wide."""


def fill_gaps(characters: Characters, blank: np.ndarray, tags: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Rows of the characters in an order in which letters of a second font stand in their places; mask of added blanks.

    An added blank repeats the row of the letter before it. ``blank``: mask of blanks; ``tags``: a tag for each
    character. ``None`` where nothing moves. Text from the right stays as it is: later it is read by place anyway.
    """
    seen = np.flatnonzero(~blank)
    boxes, heights, fonts = characters.boxes[seen], characters.baselines[seen], characters.fonts[seen]
    sizes = np.maximum(characters.sizes[seen], 1.0)
    same = np.abs(np.diff(heights)) < SAME_ROW * np.maximum(sizes[1:], sizes[:-1])
    same &= np.diff(tags[seen]) == 0
    back = same & ((boxes[1:, 0] + boxes[1:, 2]) / 2 < boxes[:-1, 0]) & (np.diff(fonts) != 0)
    if not back.any():
        return None
    starts = np.append(0, np.flatnonzero(~same) + 1)
    ends = np.append(starts[1:], seen.size)
    rows: list[np.ndarray] = []
    added: list[np.ndarray] = []
    done = 0
    for run in np.unique(np.searchsorted(starts, np.flatnonzero(back), "right") - 1).tolist():
        start, end = int(starts[run]), int(ends[run])
        merged = _merge_pieces(characters, seen[start:end], np.append(0, np.cumsum(back[start : end - 1])))
        if merged is None:
            continue
        kept = np.arange(done, seen[start])
        rows += [kept, merged[0]]
        added += [np.zeros(kept.size, np.bool_), merged[1]]
        done = int(seen[end - 1]) + 1
    if not rows:
        return None
    rest = np.arange(done, blank.size)
    return np.concatenate([*rows, rest]), np.concatenate([*added, np.zeros(rest.size, np.bool_)])


def part_thousands(
    characters: Characters, _blank: np.ndarray, tags: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:
    """Rows and mask, as of :func:`fill_gaps`, with a blank before each group of three figures a narrow blank apart.

    ``None`` without such groups.

    PDFium leaves out the narrow no-break space of "1 200", and its own blanks begin at wider gaps. Figures of a number
    touch, so that a gap before three figures that touch parts thousands.
    """
    boxes, heights, sizes = characters.boxes, characters.baselines, np.maximum(characters.sizes, 1.0)
    is_figure = (characters.codes >= ord("0")) & (characters.codes <= ord("9"))
    both = is_figure[1:] & is_figure[:-1] & (np.abs(np.diff(heights)) < SAME_ROW * sizes[1:])
    both &= np.diff(tags) == 0
    gaps = (boxes[1:, 0] - boxes[:-1, 2]) / sizes[1:]
    touching = both & (np.abs(gaps) < TOUCHING)
    apart = np.flatnonzero(both & (gaps >= NARROW_BLANK))
    if not apart.size:
        return None
    touching = np.append(touching, np.zeros(3, np.bool_))
    places = apart[touching[apart + 1] & touching[apart + 2] & ~touching[apart + 3]] + 1
    rows = np.insert(np.arange(is_figure.size), places, places - 1)
    added = np.insert(np.zeros(is_figure.size, np.bool_), places, True)
    return rows, added


def _merge_pieces(characters: Characters, seen: np.ndarray, pieces: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Rows of a line in the order of their places, and a mask of added blanks.

    ``None`` for text from the right, and for pieces beside or over each other. ``seen``: rows of the letters of the
    line; ``pieces``: number of each letter's piece.
    """
    if np.isin(characters.codes[seen] >> 8, RIGHT_TO_LEFT).any():
        return None
    left, right = characters.boxes[seen, 0], characters.boxes[seen, 2]
    # A piece keeps its own order: signs over a letter stand at any place.
    keys = (left + right) / 2
    for piece in np.split(keys, np.flatnonzero(np.diff(pieces)) + 1):
        piece[:] = np.maximum.accumulate(piece)
    order = np.argsort(keys, kind="stable")
    gaps = left[order][1:] - right[order][:-1]
    sizes = np.maximum(characters.sizes[seen][order][1:], 1.0)
    turns = np.diff(pieces[order]) != 0
    stand_apart = np.count_nonzero(turns) <= pieces[-1]
    if stand_apart or (turns & (gaps < -OVERLAP * sizes)).any():
        return None
    # Blanks between letters that stay together stay, too; the others would be at a wrong place.
    apart = np.diff(order) != 1
    added = apart & (gaps > BLANK * sizes)
    rows, is_added = [seen[order[:1]]], [False]
    for before, after, is_apart, is_new in zip(seen[order[:-1]], seen[order[1:]], apart, added, strict=True):
        between = np.full(int(is_new), before) if is_apart else np.arange(before + 1, after)
        rows += [between, np.array([after])]
        is_added += [bool(is_new)] * between.size + [False]
    return np.concatenate(rows), np.array(is_added)
