"""Lines become paragraphs: a paragraph goes on where the first word of the next line had no room on the last."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from diglot.documents.pdf.leaders import find_leader
from diglot.documents.pdf.letters import is_ideograph
from diglot.documents.pdf.line_starts import NEXT_LINE
from diglot.documents.pdf.lines import Line

MORE_LEADING = 1.22
"""Largest distance of baselines in a paragraph, as a multiple of the usual one."""
WITH_SCRIPTS = 1.3
"""Factor of this bound if a line has letters above or below its baseline: browsers make room for them."""
USUAL_LEADING = 1.45
"""Assumed distance of baselines without lines to measure, in font sizes."""
BLANK = 0.2
"""Assumed width of a blank in a line without one to measure, in font sizes."""
RAGGED = 2.0
"""Most room left behind a line within a sentence, beyond the next word, in font sizes."""
INDENT = 0.6
"""Least indent of a first line, in font sizes."""
FIRST_INDENT, ENOUGH_INDENTS, NEAR_EDGE = 4.0, 5, 0.6
"""Largest indent of first lines, in font sizes; least number of them to measure it; largest difference of the left
edges of a column, in points."""
MARK_GAP = 5.0
"""Largest gap between the mark and the text of a list item, in font sizes."""
SAME_SIZE = 0.06
"""Largest difference of two font sizes that count as the same, as a share of the larger."""
CELL_LINES = 5
"""Most lines of a cell; a longer text beside a column at its own height is a column itself."""
OPEN = 8
"""Most open paragraphs that a line may continue: rows of a table come cell by cell."""
_ALONE = "•◦▪▫■□●○‣⁃➢➤►▶✓✔❖◆◇\uf0b7\uf0a7\uf0d8\uf0fc\uf076\uf0a8\uf02d\uf06e\uf071" + "".join(
    chr(code)
    for code in range(0x80, 0xA0)
    if code not in range(0x91, 0x95)  # TeX's bullet is one; the rest: quotes
)
MARKS = _ALONE + "·∙–—*"
"""Signs before list items, also of symbol fonts; ``·∙–—*``, and hyphens, need a blank behind them."""
_DASHES = "-–—"
"""Signs before list items that stand in sentences, too."""
_MARK = re.compile(rf"[{re.escape(MARKS)}]$|[{re.escape(_ALONE)}]\s*(?=\S)|[-o{re.escape(MARKS)}] (?=\S)")
_NUMBER = re.compile(r"\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,4})[.)](?:\s+|$)")
_NUMBER_GLUED = re.compile(r"\d{1,2}[.)](?=[^\W\d_])")
_ROMAN = {"i": 1, "v": 5, "x": 10}
_FONTS_OF_SIGNS = re.compile("dings|dingbat|symbol|bullet|marlett", re.IGNORECASE)
"""Names of fonts whose letters are pictures."""
_ENDS, _AFTER_END = ".!?:;。！？؟…", "'\"”’»)]"


@dataclass
class Paragraph:
    """Lines of one block. ``kind``: "" while unknown; ``item``: the block began with a list mark, now left out;
    ``dash``: the mark, where it is a dash."""

    lines: list[Line]
    kind: str = ""
    lang: str = ""
    item: bool = False
    dash: str = ""
    begun_before: bool = False
    goes_on: bool = False
    leading: float = field(default=0.0)

    @property
    def last(self) -> Line:
        """The last line."""
        return self.lines[-1]


def usual_leading(pages: Sequence[list[Line]]) -> dict[int, float]:
    """The most frequent distance of baselines for each font size in half points."""
    found: dict[int, Counter[float]] = defaultdict(Counter)
    for lines in pages:
        for above, below in pairwise(lines):
            down = above.baseline - below.baseline
            if _same_size(above, below) and 0.8 * below.size < down < 2.5 * below.size and above.left < below.right:
                found[round(below.size * 2)][round(down * 2) / 2] += 1
    return {size: counts.most_common(1)[0][0] for size, counts in found.items()}


def usual_indent(pages: Sequence[list[Line]]) -> float:
    """How far first lines are indented, in points; 0 where the document indents none."""
    found: Counter[float] = Counter()
    for above, below in (pair for lines in pages for pair in pairwise(lines)):
        back = above.left - below.left
        if (
            INDENT * below.size < back < FIRST_INDENT * below.size
            and _same_size(above, below)
            and no_room(above, below)
        ):
            found[round(back * 2) / 2] += 1
    indent, count = max(found.items(), key=lambda each: (each[1], each[0]), default=(0.0, 0))
    return indent if count >= ENOUGH_INDENTS else 0.0


@dataclass(frozen=True)
class Usual:
    """What is usual in a document: ``leading`` by size in half points, ``indent`` of first lines in points.

    ``has_o``: "o" is a word, as in Spanish and Italian, where some lines begin with it; else it is a list mark.
    """

    leading: dict[int, float]
    indent: float
    has_o: bool = False


def page_paragraphs(lines: Sequence[Line], usual: Usual) -> list[Paragraph]:
    """The paragraphs of a page by their geometry, in the order of their first lines."""
    made: list[Paragraph] = []
    numbered = _numbered_lines(lines)
    lines, items = _without_marks(lines)
    first_lines = _first_lines(lines, usual.indent)
    for place, line in enumerate(lines):
        following = lines[place + 1] if place + 1 < len(lines) else None
        mark = _MARK.match(line.text)
        if mark and ((usual.has_o and line.text[0] == "o") or _is_dash_in_sentence(made, line, following, usual)):
            mark = None
        if mark is None and id(line) in numbered and not _is_in_sentence(made, line, following, usual):
            mark = _NUMBER.match(line.text)
        dash = mark[0] if mark and line.text[0] in _DASHES else ""
        if mark and mark.end() < len(line.text):
            line.text = line.text[mark.end() :]
        elif 0 < line.note < len(line.text):
            line.text = line.text[line.note :].lstrip()
        item = bool(mark) or id(line) in items or line.note > 0
        open_one = None if item else _open_paragraph(made, line, following, usual, first_lines)
        if open_one is None:
            # A note is no list item: its first line may be indented.
            made.append(Paragraph([line], item=item and not line.note, dash=dash))
        else:
            open_one.leading = open_one.leading or open_one.last.baseline - line.baseline
            open_one.lines.append(line)
    return made


def _is_dash_in_sentence(made: Sequence[Paragraph], line: Line, following: Line | None, usual: Usual) -> bool:
    """Whether a dash that begins a line stands in a sentence – as here – which the line above begins."""
    return line.text[0] in _DASHES and _is_in_sentence(made, line, following, usual)


def _is_in_sentence(made: Sequence[Paragraph], line: Line, following: Line | None, usual: Usual) -> bool:
    """Whether a line that begins as a list item goes on with the sentence of the line above."""
    paragraph = _open_paragraph(made, line, following, usual, set())
    return paragraph is not None and _takes_mark(paragraph, line)


def _takes_mark(paragraph: Paragraph, line: Line) -> bool:
    """Whether the paragraph may go on with a line that begins as a list item: its sentence is not at an end, and it is
    not the item above, whose own mark stands at the same left edge."""
    beside = abs(paragraph.lines[0].left - line.left) <= INDENT * line.size
    return not ends_sentence(paragraph.last) and not (paragraph.item and beside)


def _first_lines(lines: Sequence[Line], indent: float) -> set[int]:
    """Ids of lines that begin as far to the right of the edge of a column as first lines of the document do."""
    if not indent:
        return set()
    lefts = sorted(line.left for line in lines)

    def count(left: float) -> int:
        return bisect_right(lefts, left + NEAR_EDGE) - bisect_left(lefts, left - NEAR_EDGE)

    return {id(line) for line in lines if not line.wrapped and count(line.left - indent) >= ENOUGH_INDENTS}


def without_mark(text: str) -> str:
    """The text of a list item without its sign or number.

    >>> without_mark("• boats"), without_mark("(a) nets"), without_mark("1.2 metres"), without_mark("-x")
    ('boats', 'nets', '1.2 metres', '-x')
    >>> without_mark("4.Boats"), without_mark("4.boats")  # no blank: a version or a time begins with a small letter
    ('Boats', '4.boats')
    """
    mark = _MARK.match(text) or _NUMBER.match(text)
    if mark is None and (glued := _NUMBER_GLUED.match(text)) and text[glued.end()].isupper():
        mark = glued
    return text[mark.end() :] if mark and mark.end() < len(text) else text


def is_mark(line: Line) -> bool:
    """Whether a line is the sign or number of a list item, which stands alone."""
    return line.text in MARKS or bool(_NUMBER.fullmatch(line.text)) or _is_sign(line)


def _without_marks(lines: Sequence[Line]) -> tuple[list[Line], set[int]]:
    """Lines without list marks that stand alone, and ids of the items beside these marks. A page may have all marks
    before the items."""
    marks = [line for line in lines if is_mark(line)]
    items: set[int] = set()
    used: set[int] = set()
    for mark in marks:
        beside = [
            line
            for line in lines
            if 0 < line.left - mark.left < MARK_GAP * line.size and abs(line.baseline - mark.baseline) < 0.4 * line.size
        ]
        if beside:
            items.add(id(min(beside, key=lambda line: line.left)))
            used.add(id(mark))
    return [line for line in lines if id(line) not in used], items


def _numbered_lines(lines: Sequence[Line]) -> set[int]:
    """Ids of lines that begin with the number of a list item.

    The number stands apart, and there is another sign of a list: the item before or after, or a second line right below
    the text of the first. Dates and names begin so, too: "3. Oktober".
    """
    apart = [line for line in lines if line.apart is not None and _NUMBER.match(line.text)]
    if not apart:
        return set()
    marks = [*apart, *(line for line in lines if _NUMBER.fullmatch(line.text))]
    return {
        id(line)
        for line in apart
        if any(_are_neighbours(line, mark) or _are_neighbours(mark, line) for mark in marks)
        or any(_hangs(line, below) for below in lines)
    }


def _are_neighbours(above: Line, below: Line) -> bool:
    """Whether the number of a line is the next one of a list in the same column."""
    if abs(above.left - below.left) > INDENT * below.size or above.baseline <= below.baseline:
        return False
    (form, these), (other, those) = _number_of(above.text), _number_of(below.text)
    return form == other and any(those.get(kind) == value + 1 for kind, value in these.items())


def _number_of(text: str) -> tuple[str, dict[str, int]]:
    """The signs around the number of a list item, and what it may count.

    >>> _number_of("(b) nets"), _number_of("iv. nets"), _number_of("I. Newton")
    (('()', {'a': 2}), ('.', {'i': 4}), ('.', {'A': 9, 'I': 1}))
    """
    mark = (_NUMBER.match(text) or [""])[0].rstrip()
    number = mark.strip("(.)")
    if number.isdecimal():
        return mark.replace(number, ""), {"1": int(number)}
    found = {"A" if number.isupper() else "a": ord(number.lower()) - ord("a") + 1} if len(number) == 1 else {}
    digits = [_ROMAN.get(letter, 0) for letter in number.lower()]
    if digits and all(digits):
        value = sum(-one if one < after else one for one, after in pairwise([*digits, 0]))
        found["I" if number.isupper() else "i"] = value
    return mark.replace(number, ""), found


def _hangs(line: Line, below: Line) -> bool:
    """Whether a line stands right below the text behind the number of another."""
    return (
        line.apart is not None
        and abs(below.left - line.apart) < NEAR_EDGE
        and 0 < line.baseline - below.baseline < NEXT_LINE * line.size
        and _same_size(line, below)
    )


def _is_sign(line: Line) -> bool:
    return len(line.text) == 1 and bool(_FONTS_OF_SIGNS.search(line.font))


def _open_paragraph(
    made: Sequence[Paragraph], line: Line, following: Line | None, usual: Usual, first_lines: set[int]
) -> Paragraph | None:
    """The paragraph that a line continues; rows of a table come cell by cell, so it need not be the last."""
    for paragraph in reversed(made[-OPEN:]):
        if _goes_on(paragraph, line, following, usual.leading):
            return None if id(line) in first_lines and _is_first_line(paragraph, line) else paragraph
    return None


def _is_first_line(paragraph: Paragraph, line: Line) -> bool:
    """Whether an indented line begins a paragraph below a paragraph of one line, too short to show its left edge."""
    return len(paragraph.lines) == 1 and not paragraph.item and not _is_centred(paragraph.last, line)


def _goes_on(paragraph: Paragraph, line: Line, following: Line | None, leading: dict[int, float]) -> bool:
    """Whether a line continues a paragraph above it. ``leading``: see :class:`Usual`."""
    last = paragraph.last
    if not _same_size(last, line) or (last.right_to_left != line.right_to_left and line.text[0].isalpha()):
        return False
    if line.left >= last.right or line.right <= last.left:
        return False
    down = last.baseline - line.baseline
    usual = paragraph.leading or leading.get(round(line.size * 2), USUAL_LEADING * line.size)
    most = MORE_LEADING * usual * (WITH_SCRIPTS if last.scripts or line.scripts else 1)
    if not 0.5 * line.size < down <= most:
        return False
    if _is_complete(last) or _is_next_item(paragraph, line):
        return False
    return no_room(last, line) and not _is_indented(paragraph, line, following)


def _is_complete(line: Line) -> bool:
    """Whether no text goes on behind a line: a number alone is a cell, and an entry of a table of contents ends with
    its leader."""
    return not any(map(str.isalpha, line.text)) or find_leader(line.text) is not None


def no_room(last: Line, line: Line) -> bool:
    """Whether the first word of a line would not have fitted at the end of the line before."""
    room = last.limit - last.right - line.first_width - (last.blank or BLANK) * line.size
    letter = line.text.lstrip(_DASHES).lstrip()[:1] or line.text[0]
    goes_on = letter.islower() or is_ideograph(line.text[0]) or is_ideograph(last.text[-1])
    return room < (RAGGED * line.size if goes_on and not ends_sentence(last) else 0)


def ends_sentence(line: Line) -> bool:
    """Whether a line ends as a sentence does."""
    return line.text.rstrip(_AFTER_END)[-1:] in tuple(_ENDS)


def _is_next_item(paragraph: Paragraph, line: Line) -> bool:
    """Whether a line and the paragraph begin with the number of a list item, at the same left edge."""
    first = paragraph.lines[0]
    are_numbered = all(_NUMBER.match(each.text) for each in (line, first))
    return are_numbered and abs(first.left - line.left) < INDENT * line.size


def _is_indented(paragraph: Paragraph, line: Line, following: Line | None) -> bool:
    """Whether a line is the indented first line of another paragraph, and not the hanging second line of this one."""
    last = paragraph.last
    moved = line.left - last.left
    if abs(moved) <= INDENT * line.size or _is_centred(last, line):
        return False
    if moved < 0:  # back from an indented first line, or out of a list
        return len(paragraph.lines) > 1 or paragraph.item
    if len(paragraph.lines) > 1:
        return True
    if paragraph.item or _NUMBER.match(last.text):
        return False
    back = following is not None and _same_size(following, line) and following.left < line.left - INDENT * line.size
    return back or ends_sentence(last)


def _is_cell_beside(paragraph: Paragraph, line: Line) -> bool:
    """Whether a line higher than the end of a paragraph is the next cell, and not the top of the next column."""
    return len(paragraph.lines) <= CELL_LINES and line.baseline < paragraph.lines[0].baseline + 0.5 * line.size


def _is_centred(last: Line, line: Line) -> bool:
    return abs(last.left + last.right - line.left - line.right) < 0.5 * line.size


def _same_size(one: Line, other: Line) -> bool:
    return abs(one.size - other.size) <= SAME_SIZE * max(one.size, other.size)


def join_pages(pages: Sequence[list[Paragraph]]) -> list[Paragraph]:
    """Paragraphs of all pages, joined over columns and pages where a full line ends without an end of a sentence.

    A stretched line is never the last of its paragraph.
    """
    joined: list[Paragraph] = []
    for paragraphs in pages:
        for place, paragraph in enumerate(paragraphs):
            before = _before(joined, paragraph, place)
            if before is not None:
                before.lines += paragraph.lines
                before.goes_on = paragraph.goes_on
            else:
                joined.append(paragraph)
    return joined


def _before(joined: list[Paragraph], paragraph: Paragraph, place: int) -> Paragraph | None:
    """The beginning of a paragraph that goes on here; footnotes and floats in another size may stand between."""
    first = paragraph.lines[0]
    for candidate in reversed(joined[-OPEN:]):
        last = candidate.last
        if first.page - last.page > 1 or (first.page == last.page and last.baseline > first.baseline - 1):
            return None
        if not _same_size(last, first):
            continue
        if first.page == last.page and _is_cell_beside(candidate, first):
            return None
        if paragraph.kind or candidate.kind:
            return (
                candidate if candidate.goes_on and paragraph.begun_before and candidate.kind == paragraph.kind else None
            )
        if first.page != last.page and place > 2:
            return None
        if _is_complete(last):
            return None
        fits = last.stretched or (no_room(last, first) and not ends_sentence(last))
        if paragraph.dash and fits and _takes_mark(candidate, first):
            first.text = paragraph.dash + first.text
            return candidate
        return candidate if fits and not paragraph.item else None
    return None
