"""Characters of a page become lines of text: pieces that stand on one baseline without a gap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from diglot.documents.pdf.letters import (
    HYPHENS,
    IDEOGRAPHS,
    NOT_FIRST,
    NOTHING,
    RIGHT_TO_LEFT,
    as_letters,
    as_text,
    from_right,
    is_ideograph,
    kept_blanks,
    put_accents,
)
from diglot.documents.pdf.pages import Characters, PageContent

SAME_BASELINE = 0.45
"""Of the font size: a superscript stands a third higher, the next line a whole size lower."""
WIDE_GAP = 2.0
"""Of the font size: a justified line has no such gap between words, columns of a table have."""
SAME_EDGE, NEXT_LINE = 1.0, 1.7
"""Points, and font sizes: a gap is one between words where the line above or below has the same edges."""
CELL_GAP = 0.7
"""Of the font size: enough between two cells where lines below begin at the same height too."""
SHARED_EDGE = 4
"""Least number of lines with the same left edge for a column edge."""
WIDER = 1.6
"""Times the usual gap of the line: a justified line has wide gaps all over."""
LETTER_GAP, WORD_GAP = 0.08, 0.3
"""Of the font size: letters written from the right touch or nearly; the wider gap is one between words by itself,
the narrower one where the file has a blank there."""
BACK = 1.0
"""Of the font size: a character this far to the left of the last begins a piece of its own."""


@dataclass(frozen=True)
class TagRows:
    """For each character: row of its tag on the page, -1 for none, and the place of its text in the structure tree."""

    tags: np.ndarray
    order: np.ndarray


@dataclass(slots=True)
class Line:
    """A piece of text on a baseline.

    ``tag``: row of the page's tags, -1 for none; ``first_width``: of its first word, points; ``font``: of most of its
    characters; ``hyphen``: ends with one that PDFium or the file marks as soft; ``right_to_left``: reading direction;
    ``order``: place of its text in the structure tree; ``blank``: middle width of its blanks, in font sizes, 0 for less
    than two; ``limit``: how far it could have gone to the right.
    """

    page: int
    text: str
    left: float
    right: float
    baseline: float
    size: float
    font: str
    tag: int
    first_width: float
    hyphen: bool = False
    right_to_left: bool = False
    order: int = 0
    blank: float = 0.0
    limit: float = 0.0


def lines_of(page: PageContent, tags: TagRows) -> list[Line]:
    """The lines of a page in the order of its content; ``tags``: those of its characters.

    Text that stands on its side comes after the upright text; slanted text (watermarks) is left out.
    """
    characters = page.characters
    lines: list[Line] = []
    turns = characters.turns
    order = sorted(set(turns.tolist()) - {-1}, key=lambda turn: -int(np.count_nonzero(turns == turn)))
    for turn in order:
        rows = np.flatnonzero((turns == turn) & ~characters.artifacts)
        if rows.size:
            lines += _lines_of_turn(characters.rows(rows), turn, TagRows(tags.tags[rows], tags.order[rows]), page)
    return lines


def _lines_of_turn(characters: Characters, turn: int, tags: TagRows, page: PageContent) -> Iterator[Line]:
    boxes, baselines = characters.boxes, characters.baselines
    if turn:
        left, bottom, right, top = boxes.T
        columns = {1: (bottom, -right, top, -left), 2: (-right, -top, -left, -bottom), 3: (-top, left, -bottom, right)}[
            turn
        ]
        boxes = np.ascontiguousarray(np.stack(columns, axis=1))
        baselines = boxes[:, 1]
    codes = put_accents(characters.codes, boxes, baselines, characters.sizes)
    blank = (
        (codes <= 32) & ~np.isin(codes, HYPHENS)
        | (codes == 0xA0)
        | (codes == 0x3000)
        | (codes >= 0x2000) & (codes <= 0x200B)
    )
    seen = np.flatnonzero(~blank)
    if not seen.size:
        return
    kept = kept_blanks(codes, blank, characters, boxes)
    text = as_letters(np.where(blank, np.where(kept, 32, NOTHING), codes))
    view = _View(codes, boxes, baselines, characters.sizes, blank, kept, seen, page, characters.fonts, tags, text)
    starts, turned = view.starts()
    ends = np.append(starts[1:], seen.size)
    for first, last in zip(starts.tolist(), ends.tolist(), strict=True):
        if turned[first]:
            yield from view.lines_from_right(first, last)
        else:
            here = seen[first:last]
            yield view.line(here, as_text(text[here[0] : here[-1] + 1]))


@dataclass(slots=True)
class _View:
    """Columns of the characters of one direction; ``seen``: rows of the characters that are not blank."""

    codes: np.ndarray
    boxes: np.ndarray
    baselines: np.ndarray
    sizes: np.ndarray
    blank: np.ndarray
    kept: np.ndarray
    seen: np.ndarray
    page: PageContent
    fonts: np.ndarray
    tags: TagRows
    text: str

    def starts(self) -> tuple[np.ndarray, np.ndarray]:
        """Places in ``seen`` where lines start; and for each whether its line is read from the right."""
        seen = self.seen
        left, right = self.boxes[seen, 0], self.boxes[seen, 2]
        size = np.maximum(self.sizes[seen], 1.0)
        larger = np.maximum(size[1:], size[:-1])
        moved = np.abs(np.diff(self.baselines[seen])) > SAME_BASELINE * larger
        gap = left[1:] - right[:-1]
        other = np.diff(self.tags.tags[seen]) != 0
        turned = self._right_to_left(np.append(0, np.flatnonzero(moved | other) + 1))
        ltr = ~turned[1:]
        cut = moved | other | ltr & (gap < -BACK * larger) & (left[1:] < left[:-1] - BACK * larger)
        cut |= self._wide_gaps(cut, gap / larger) & ltr
        starts = np.append(0, np.flatnonzero(cut) + 1)
        return self._cut_cells(starts, gap, larger, ltr), turned

    def _wide_gaps(self, cut: np.ndarray, gaps: np.ndarray) -> np.ndarray:
        """Gaps too wide for a stretched line, except in a full line: two words in a narrow column may be far apart."""
        wide = gaps > WIDE_GAP
        places = np.flatnonzero(wide)
        if not places.size:
            return wide
        starts = np.append(0, np.flatnonzero(cut) + 1)
        full = np.ones(starts.size, np.bool_)
        full[np.searchsorted(starts, places, "right") - 1] = False
        wide[places] = ~self._between_full_lines(starts, places, full)
        return wide

    def _between_full_lines(self, starts: np.ndarray, places: np.ndarray, full: np.ndarray) -> np.ndarray:
        """Whether the line of each place begins and ends at the edges of a full line directly above or below."""
        seen = self.seen
        ends = np.append(starts[1:], seen.size) - 1
        frames = np.pad(np.stack([self.boxes[seen[starts], 0], self.boxes[seen[ends], 2]]), ((0, 0), (1, 1)))
        full, baselines = np.pad(full, 1), np.pad(self.baselines[seen[starts]], 1)
        row = np.searchsorted(starts, places, "right")
        found = np.zeros(places.size, np.bool_)
        for beside in (row - 1, row + 1):
            same = (np.abs(frames[:, row] - frames[:, beside]) < SAME_EDGE).all(axis=0) & full[beside]
            near = np.abs(baselines[row] - baselines[beside]) < NEXT_LINE * self.sizes[seen[starts[row - 1]]]
            found |= same & near
        return found

    def _right_to_left(self, starts: np.ndarray) -> np.ndarray:
        """Whether each character that is not blank is on a line with most letters read from the right."""
        codes = self.codes[self.seen]
        turned = np.isin(codes >> 8, RIGHT_TO_LEFT)
        if not turned.any():
            return turned
        letters = np.add.reduceat(codes > 64, starts)
        return np.repeat(
            np.add.reduceat(turned, starts, dtype=np.int64) * 2 > letters, np.diff(np.append(starts, codes.size))
        )

    def _cut_cells(self, starts: np.ndarray, gap: np.ndarray, size: np.ndarray, ltr: np.ndarray) -> np.ndarray:
        """The starts, and further starts at gaps in front of a left edge shared with other lines: cells of a table."""
        left = np.rint(self.boxes[self.seen, 0]).astype(np.int64)
        wide = np.flatnonzero((gap > CELL_GAP * size) & ltr) + 1
        wide = np.setdiff1d(wide, starts)
        if not wide.size:
            return starts
        edges = np.bincount(np.clip(np.concatenate([left[starts], left[wide]]), 0, 20_000) + 1, minlength=20_003)
        near = edges[:-2] + edges[1:-1] + edges[2:]
        wide = wide[near[np.clip(left[wide], 0, 20_000)] >= SHARED_EDGE]
        codes = np.minimum(self.codes[self.seen], 0xFFFF)
        beside = IDEOGRAPHS[codes[wide]] | IDEOGRAPHS[codes[wide - 1]]  # such lines have few blanks, stretched the more
        wide = wide[~(beside & self._between_full_lines(starts, wide, np.ones(starts.size, np.bool_)))]
        line = np.searchsorted(starts, wide, "right") - 1
        ends = np.append(starts[1:], self.seen.size)
        words = self.kept[self.seen[:-1] + 1]
        chosen = []
        for place, row in zip(wide.tolist(), line.tolist(), strict=True):
            inside = slice(starts[row], ends[row] - 1)
            gaps = gap[inside][words[inside]]
            if gaps.size < 2 or gap[place - 1] > WIDER * np.median(gaps):
                chosen.append(place)
        return np.union1d(starts, np.array(chosen, starts.dtype))

    def lines_from_right(self, first: int, last: int) -> Iterator[Line]:
        """The lines from one place of ``seen`` to another, which are read from the right and cut at their gaps."""
        seen = self.seen[first:last]
        seen = seen[np.argsort(-(self.boxes[seen, 0] + self.boxes[seen, 2]), kind="stable")]
        left, right = self.boxes[seen, 0], self.boxes[seen, 2]
        gaps = np.append(1e9, np.minimum.accumulate(left)[:-1] - right[1:])
        blanks = self._blanks_between(seen, left, gaps)
        starts = np.append(0, np.flatnonzero(gaps[1:] > WIDE_GAP * self.sizes[seen[0]]) + 1)
        for start, end in zip(starts, np.append(starts[1:], seen.size), strict=True):
            piece = seen[start:end]
            yield self.line(piece, from_right(self.codes[piece], self.boxes[piece], blanks[start:end]), True)

    def _blanks_between(self, seen: np.ndarray, left: np.ndarray, gaps: np.ndarray) -> np.ndarray:
        """Whether there is a blank before each character of a line that is read from the right."""
        rows = np.arange(seen.min(), seen.max() + 1)
        rows = rows[self.blank[rows]]
        middles = np.sort((self.boxes[rows, 0] + self.boxes[rows, 2]) / 2)
        edge = np.append(1e9, np.minimum.accumulate(left)[:-1])  # left edge of what stands to the right
        slack = LETTER_GAP * self.sizes[seen]
        inside = np.searchsorted(middles, edge + slack) > np.searchsorted(middles, edge - np.maximum(gaps, 0) - slack)
        return (gaps > WORD_GAP * self.sizes[seen]) | (gaps > LETTER_GAP * self.sizes[seen]) & inside

    def _blank(self, seen: np.ndarray, left: np.ndarray, right: np.ndarray) -> float:
        """The middle width of the blanks between words."""
        apart = np.flatnonzero(np.diff(seen) > 1)
        if apart.size < 2:
            return 0.0
        gaps = sorted((left[apart + 1] - right[apart]).tolist())
        return float(gaps[len(gaps) // 2] / max(self.sizes[seen[0]], 1.0))

    def line(self, seen: np.ndarray, text: str, turned: bool = False) -> Line:
        """The line of these characters, whose text is known."""
        boxes = self.boxes[seen]
        middle = seen.size // 2
        end = text.find(" ")
        end = end if end > 0 else len(text)
        if text and is_ideograph(text[0]):
            end = 1
            while end < min(len(text), seen.size) and text[end] in NOT_FIRST:
                end += 1
        left, right = boxes[:, 0], boxes[:, 2]
        return Line(
            page=self.page.number,
            text=text,
            left=float(left.min()),
            right=float(right.max()),
            baseline=sorted(self.baselines[seen].tolist())[middle],
            size=sorted(self.sizes[seen].tolist())[middle],
            font=self.page.fonts[int(np.bincount(self.fonts[seen]).argmax())] if self.page.fonts else "",
            tag=int(self.tags.tags[seen[0]]),
            first_width=float(right[:end].max() - left[:end].min()) if end else 0.0,
            hyphen=int(self.codes[seen[-1]]) in HYPHENS,
            right_to_left=turned,
            order=int(self.tags.order[seen[0]]),
            blank=0.0 if turned else self._blank(seen, left, right),
        )
