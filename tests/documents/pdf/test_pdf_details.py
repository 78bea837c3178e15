"""Places on turned pages, invisible characters and cells of a row, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from diglot.documents.pdf import read_pdf
from diglot.documents.pdf.kinds import set_kinds
from diglot.documents.pdf.letters import as_text
from diglot.documents.pdf.lines import Line
from diglot.documents.pdf.paragraphs import Paragraph
from diglot.documents.pdf.pdfium import _turned_boxes
from documents.pdf.written_pdf import pdf_of

BOX = np.array([[10.0, 20.0, 40.0, 30.0]])
"""Left, bottom, right and top, near the lower left corner of a page 200 wide and 300 high."""


@pytest.mark.parametrize(
    ("turns", "width", "height", "shown"),
    [
        (0, 200, 300, (10, 20, 40, 30)),
        (1, 300, 200, (20, 160, 30, 190)),  # upper left
        (2, 200, 300, (160, 270, 190, 280)),  # upper right
        (3, 300, 200, (270, 10, 280, 40)),  # lower right
    ],
)
def test_a_box_turns_with_its_page(turns: int, width: float, height: float, shown: tuple[float, ...]) -> None:
    assert _turned_boxes(BOX, turns, width, height).tolist() == [list(shown)]


def test_characters_without_a_picture_are_no_text() -> None:
    assert as_text("a\0b\x01c\x03d\u200be\ufefff") == "abcdef"
    assert as_text("co\x02op co\xadop co\ufffeop") == "co-op co-op co-op"


@pytest.mark.parametrize(("raised", "kind"), [(0.0, "td"), (2.9, "td"), (3.1, "p"), (-2.9, "td"), (-3.1, "p")])
def test_paragraphs_are_cells_of_a_row_within_three_tenths_of_their_size(raised: float, kind: str) -> None:
    def paragraph(left: float, baseline: float) -> Paragraph:
        return Paragraph([Line(1, "word", left, left + 40, baseline, 10.0, "F", -1, 40.0)])

    pair = [paragraph(50, 500.0), paragraph(200, 500.0 + raised)]
    assert [each.kind for each in set_kinds(pair, frozenset())] == [kind, kind]


@pytest.mark.parametrize(("left", "kind"), [(90.0, "td"), (89.0, "p")])
def test_cells_of_a_row_do_not_overlap(left: float, kind: str) -> None:
    pair = [Paragraph([Line(1, "word", x, x + 40, 500.0, 10.0, "F", -1, 40.0)]) for x in (50.0, left)]
    assert [each.kind for each in set_kinds(pair, frozenset())] == [kind, kind]
    pair[1].kind = pair[0].kind = ""
    pair[1].lines[0].page = 2
    assert [each.kind for each in set_kinds(pair, frozenset())] == ["p", "p"]


@pytest.mark.parametrize(("rows", "shift", "columns"), [(4, 0.0, 2), (3, 0.0, 1), (4, 1.5, 1)])
def test_a_narrow_gap_divides_columns_where_four_lines_share_the_edge(rows: int, shift: float, columns: int) -> None:
    # A letter is 6 points wide. The gaps of 15 to 20 points are less than two font sizes, which divide anywhere.
    left, right = ([f"{name}{row}" for row in range(rows)] for name in ("ferryno", "boat"))
    page = []
    for row in range(rows):
        page += [(50, 700 - 12 * row, 10, left[row]), (113 + shift * row, 700 - 12 * row, 10, right[row])]
    rows_joined = [word for pair in zip(left, right, strict=True) for word in pair]
    expected = [left, right] if columns == 2 else [rows_joined]
    assert [block.text for block in read_pdf(pdf_of([page])).blocks] == [" ".join(words) for words in expected]
