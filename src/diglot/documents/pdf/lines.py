"""Characters of a page become lines of text: pieces that stand on one baseline without a gap."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any

import numpy as np

from diglot.documents.pdf.fallback import fill_gaps, part_thousands
from diglot.documents.pdf.letters import (
    HYPHENS,
    NOT_FIRST,
    NOTHING,
    RIGHT_TO_LEFT,
    as_letters,
    as_text,
    from_right,
    is_ideograph,
    kept_blanks,
    mark_unmapped,
    put_accents,
)
from diglot.documents.pdf.line_starts import WIDE_GAP, WIDER, Letters, line_starts
from diglot.documents.pdf.pages import Characters, PageContent
from diglot.documents.pdf.scripts import place_scripts

USUAL_BLANK = 0.25
"""Blank of most fonts, in font sizes: for a line with a single blank."""
MORE_THAN_TWO, SAME_WIDTH = 2.1, 0.02
"""Least gap behind the number of a list item, in blanks of the file or letters of a monospace font; and the largest
difference of the letters of such a font, in font sizes."""
MARK_LETTERS = 5
"""Most letters of the number of a list item, such as "(iii)"."""
LETTER_GAP, WORD_GAP = 0.08, 0.3
"""Least gaps between words of a line from the right, in font sizes: with a blank in the file, and without. Letters of a
word nearly touch."""
UNJOINED_GAP = 0.18
"""Least gap between words of a line from the right beside a letter or figure read from the left, in font sizes. Such
letters join no neighbour, and PDFium puts the blank somewhere else."""
_NUMBERS = re.compile(r"\d+")


@dataclass(frozen=True)
class TagRows:
    """For each character: row of its tag on the page, -1 for none, and the place of its text in the structure tree."""

    tags: np.ndarray
    order: np.ndarray


@dataclass(slots=True)
class Line:
    """A piece of text on a baseline.

    ``tag``: row of the page's tags, -1 for none; ``first_width``: width of its first word, in points; ``font``: font of
    most of its characters; ``hyphen``: it ends with a hyphen that PDFium or the file marks as soft; ``right_to_left``:
    reading direction; ``order``: place of its text in the structure tree; ``blank``: median width of its blanks, in
    font sizes, 0 for less than two; ``limit``: right edge that the text could have reached; ``stretched``: its blanks
    are wider or narrower than the font's; ``wrapped``: it is limited by a right edge of the lines with its left edge;
    ``scripts``: it has letters above or below its baseline; ``note``: number of letters at its beginning that are a
    mark above the line; ``calls``: raised numbers behind its letters, such as calls of notes, each with the text
    before; ``raised``: all raised numbers, exponents too; ``without_calls``: its text without the calls; ``apart``:
    left edge of its second word, if the blank before is far wider than its others, as after the number of a list item.
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
    stretched: bool = False
    wrapped: bool = False
    scripts: bool = False
    note: int = 0
    calls: tuple[tuple[str, str], ...] = ()
    raised: tuple[str, ...] = ()
    without_calls: str = ""
    apart: float | None = None


def lines_of(page: PageContent, tags: TagRows) -> list[Line]:
    """Lines of a page in the order of its content. ``tags``: tags of the characters.

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
    characters = _as_upright(characters, turn)
    for put in (mark_unmapped, put_accents):
        codes = put(characters.codes, characters.boxes, characters.baselines, characters.sizes)
        characters = replace(characters, codes=codes)
    if _blanks(characters.codes).all():
        return
    characters, tags = _with_blanks_in_gaps(characters, tags)
    codes, boxes, baselines = characters.codes, characters.boxes, characters.baselines
    blank = _blanks(codes)
    kept = kept_blanks(codes, blank, characters, boxes)
    sizes, fonts = characters.sizes, characters.fonts
    moved = np.zeros(codes.size)
    placed = place_scripts(characters, blank, boxes, baselines, tags.tags)
    if placed:
        order, heights = placed
        moved = heights - _take_rows(baselines, order, 0)
        baselines, moved = heights, np.where(order < codes.size, moved, 0)
        codes, boxes, sizes, fonts = (_take_rows(column, order, 0) for column in (codes, boxes, sizes, fonts))
        blank, kept = _take_rows(blank, order, True), _take_rows(kept, order, True)
        tags = TagRows(_take_rows(tags.tags, order, -1), _take_rows(tags.order, order, 0))
    seen = np.flatnonzero(~blank)
    text = as_letters(np.where(blank, np.where(kept, 32, NOTHING), codes))
    view = _View(codes, boxes, baselines, moved, sizes, blank, kept, seen, page, fonts, tags, text)
    starts, turned = line_starts(view.letters())
    ends = np.append(starts[1:], seen.size)
    rows = seen.tolist()
    for first, last in zip(starts.tolist(), ends.tolist(), strict=True):
        if turned[first]:
            yield from view.lines_from_right(first, last)
        else:
            line = view.line(slice(first, last), as_text(text[rows[first] : rows[last - 1] + 1]))
            if line.scripts:
                line.calls, line.raised, line.without_calls = view.calls(first, last)
            yield line


def _as_upright(characters: Characters, turn: int) -> Characters:
    """Characters of a turn, with their boxes and baselines on a page that is turned until they stand upright."""
    if not turn:
        return characters
    left, bottom, right, top = characters.boxes.T
    columns = {1: (bottom, -right, top, -left), 2: (-right, -top, -left, -bottom), 3: (-top, left, -bottom, right)}
    boxes = np.ascontiguousarray(np.stack(columns[turn], axis=1))
    return replace(characters, boxes=boxes, baselines=boxes[:, 1])


def _with_blanks_in_gaps(characters: Characters, tags: TagRows) -> tuple[Characters, TagRows]:
    """Characters and their tags, with a blank in each gap between words and between thousands."""
    for find_blanks in (fill_gaps, part_thousands):
        if filled := find_blanks(characters, _blanks(characters.codes), tags.tags):
            put, added = filled
            codes = np.where(added, 32, characters.codes[put])
            characters, tags = replace(characters.rows(put), codes=codes), TagRows(tags.tags[put], tags.order[put])
    return characters, tags


def _blanks(codes: np.ndarray) -> np.ndarray:
    blank = (codes <= 32) & ~np.isin(codes, HYPHENS) | (codes == 0xA0) | (codes == 0x3000)
    return blank | (codes >= 0x2000) & (codes <= 0x200B)


def _take_rows(column: np.ndarray, order: np.ndarray, added: int) -> np.ndarray:
    """Rows of a column in this order; the number after the last row stands for a row of ``added``."""
    return np.append(column, np.full((1, *column.shape[1:]), added, column.dtype), axis=0)[order]


@dataclass(slots=True)
class _View:
    """Columns of the characters of one direction.

    ``seen``: rows of the characters that are not blank; ``moved``: height of the line's baseline above the letter's.
    """

    codes: np.ndarray
    boxes: np.ndarray
    baselines: np.ndarray
    moved: np.ndarray
    sizes: np.ndarray
    blank: np.ndarray
    kept: np.ndarray
    seen: np.ndarray
    page: PageContent
    fonts: np.ndarray
    tags: TagRows
    text: str
    columns: _Columns = field(init=False)

    def __post_init__(self) -> None:
        seen = self.seen
        self.columns = _Columns(
            left=self.boxes[seen, 0].tolist(),
            right=self.boxes[seen, 2].tolist(),
            baselines=self.baselines[seen].tolist(),
            sizes=self.sizes[seen].tolist(),
            moved=self.moved[seen].tolist(),
            fonts=self.fonts[seen].tolist(),
            tags=self.tags.tags[seen].tolist(),
            order=self.tags.order[seen].tolist(),
            codes=self.codes[seen].tolist(),
            blanks=(np.flatnonzero(np.diff(seen) > 1) + 1).tolist(),
        )

    def letters(self) -> Letters:
        """The characters that are not blank."""
        seen = self.seen
        return Letters(
            codes=self.codes[seen],
            left=self.boxes[seen, 0],
            right=self.boxes[seen, 2],
            baselines=self.baselines[seen],
            sizes=self.sizes[seen],
            tags=self.tags.tags[seen],
            blank_behind=self.kept[seen[:-1] + 1],
        )

    def lines_from_right(self, first: int, last: int) -> Iterator[Line]:
        """The lines between two places of ``seen``, read from the right and cut at their gaps."""
        rows = self.seen[first:last]
        # In arrays: a loop over the letters takes most of the time of a page in Arabic.
        order = np.argsort(-(self.boxes[rows, 0] + self.boxes[rows, 2]), kind="stable")
        rows = rows[order]
        codes, sizes, left, right = self.codes[rows], self.sizes[rows], self.boxes[rows, 0], self.boxes[rows, 2]
        # Left edge of what stands to the right.
        edge = np.append(math.inf, np.minimum.accumulate(left)[:-1])
        gap, slack = edge - right, LETTER_GAP * sizes
        between = np.arange(self.seen[first], self.seen[last - 1])
        between = between[self.blank[between]]
        middles = np.sort((self.boxes[between, 0] + self.boxes[between, 2]) / 2)
        blank = np.searchsorted(middles, edge + slack) > np.searchsorted(middles, right - slack)
        # PDFium has letters in reading order, and some blanks at another place than where it reads them.
        blank[1:] |= (np.diff(order) == 1) & (np.diff(rows) > 1)
        joined = np.isin(codes >> 8, RIGHT_TO_LEFT)
        joined[1:] &= joined[:-1]
        blank = (gap > np.where(joined, WORD_GAP, UNJOINED_GAP) * sizes) | blank & (gap > slack)
        cuts = np.flatnonzero(gap[1:] > WIDE_GAP * self.sizes[self.seen[first]]) + 1
        places = (first + order).tolist()
        for start, end in pairwise([0, *cuts.tolist(), len(places)]):
            text = from_right(codes[start:end], left[start:end], right[start:end], blank[start:end])
            yield self.line(places[start:end], text, True)

    def _blank(self, at: slice, size: float) -> float:
        """Median width of the blanks between words, in font sizes; 0 for less than two."""
        places = self.columns.blanks
        here = places[bisect_left(places, at.start + 1) : bisect_left(places, at.stop)]
        if len(here) < 2:
            return 0.0
        left, right = self.columns.left, self.columns.right
        return sorted(left[place] - right[place - 1] for place in here)[len(here) // 2] / max(size, 1.0)

    def _apart(self, at: slice, size: float) -> float | None:
        """Left edge of what follows the first blank, if that is far wider than the others, or than a usual blank."""
        left, right, places = self.columns.left, self.columns.right, self.columns.blanks
        here = places[bisect_left(places, at.start + 1) : bisect_left(places, at.stop)]
        if not here:
            return None
        first, *others = [left[place] - right[place - 1] for place in here]
        usual = sorted(others)[len(others) // 2] if others else USUAL_BLANK * size
        # Some write two blanks behind "3."; a blank that PDFium adds in a gap has no width.
        blanks = self.boxes[self.seen[here[0] - 1] + 1 : self.seen[here[0]]]
        least = max(WIDER * usual, MORE_THAN_TWO * float((blanks[:, 2] - blanks[:, 0]).max()))
        sizes = self.columns.sizes
        widths = [(right[place] - left[place]) / max(sizes[place], 1.0) for place in range(at.start, at.stop)]
        if max(widths) - min(widths) < SAME_WIDTH:
            least = max(least, MORE_THAN_TWO * widths[0] * size)
        return left[here[0]] if first > least else None

    def calls(self, first: int, last: int) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...], str]:
        """Raised numbers between two places of ``seen``.

        Returns the numbers behind letters, such as calls of notes, each with the text before it; all raised numbers,
        exponents of figures too; and the text without the numbers behind letters.
        """
        rows = self.seen[first:last].tolist()
        letters = list(self.text[rows[0] : rows[-1] + 1])
        numbers: list[tuple[str, str]] = []
        raised: list[str] = []
        for is_raised, group in groupby(range(len(rows)), lambda place: self.moved[rows[place]] < 0):
            places = list(group)
            if not is_raised or not places[0]:
                continue
            number = "".join(self.text[rows[place]] for place in places)
            raised += _NUMBERS.findall(number)
            if number.isdecimal() and not self.text[rows[places[0] - 1]].isdecimal():
                numbers.append((number, as_text(self.text[rows[0] : rows[places[0]]]).rstrip()))
                for place in places:
                    letters[rows[place] - rows[0]] = ""
        return tuple(numbers), tuple(raised), as_text("".join(letters)) if numbers else ""

    def line(self, at: slice | list[int], text: str, turned: bool = False) -> Line:
        """The line of the characters at some places of ``seen``. ``text``: their text; ``turned``: it runs from the
        right."""
        columns = self.columns
        taken = _taker(at)
        left, right, baselines, sizes, moved = map(
            taken, (columns.left, columns.right, columns.baselines, columns.sizes, columns.moved)
        )
        fonts = taken(columns.fonts)
        first, last = (at.start, at.stop - 1) if isinstance(at, slice) else (at[0], at[-1])
        end = _first_word(text, len(left))
        return Line(
            page=self.page.number,
            text=text,
            left=min(left),
            right=max(right),
            baseline=sorted(baselines)[len(left) // 2],
            size=sorted(sizes)[len(left) // 2],
            font=self.page.fonts[_most_frequent(fonts)] if self.page.fonts else "",
            tag=columns.tags[first],
            first_width=max(right[:end]) - min(left[:end]) if end else 0.0,
            hyphen=columns.codes[last] in HYPHENS,
            right_to_left=turned,
            order=columns.order[first],
            blank=self._blank(at, sizes[0]) if isinstance(at, slice) else 0.0,
            scripts=any(moved),
            apart=self._apart(at, sizes[0]) if isinstance(at, slice) and end <= MARK_LETTERS else None,
            note=next((place for place, height in enumerate(moved) if height >= 0), 0),
        )


@dataclass(frozen=True, slots=True)
class _Columns:
    """All characters but blanks, as lists: faster than arrays for a single line. ``blanks``: places after a blank."""

    left: list[float]
    right: list[float]
    baselines: list[float]
    sizes: list[float]
    fonts: list[int]
    moved: list[float]
    tags: list[int]
    order: list[int]
    codes: list[int]
    blanks: list[int]


def _taker(at: slice | list[int]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """Function that takes the items at these places out of a sequence, in this order."""
    # Of a single place, itemgetter would give the item itself.
    if isinstance(at, slice):
        return itemgetter(at)
    return itemgetter(*at) if len(at) > 1 else itemgetter(slice(at[0], at[0] + 1))


def _first_word(text: str, count: int) -> int:
    """Number of letters of the first word, which decides whether the line before had room. In ideographs the first word
    is one letter with the signs that must follow it."""
    if text and is_ideograph(text[0]):
        end = 1
        while end < min(len(text), count) and text[end] in NOT_FIRST:
            end += 1
        return end
    end = text.find(" ")
    return end if end > 0 else len(text)


def _most_frequent(fonts: Sequence[int]) -> int:
    if fonts.count(fonts[0]) * 2 > len(fonts):
        return fonts[0]
    return max(sorted(set(fonts)), key=fonts.count)
