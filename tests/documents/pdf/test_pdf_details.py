"""Places on turned pages, invisible characters and cells of a row, by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from diglot.documents.pdf import read_pdf
from diglot.documents.pdf.kinds import set_kinds
from diglot.documents.pdf.letters import as_text, from_right
from diglot.documents.pdf.lines import Line, TagRows, lines_of
from diglot.documents.pdf.pages import Characters, PageContent
from diglot.documents.pdf.paragraphs import Paragraph
from diglot.documents.pdf.pdfium import _turned_boxes, open_pdf
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


def lines_from_right(*texts: str, blank: float = 0.0, letter: float = 0.0) -> list[Line]:
    """Lines of letters 5 points wide, of 10 points, from the right; ``letter``: gap between letters, ``blank``: more of
    it at a blank, both in points. A blank has no width and stands elsewhere, as some producers have it."""
    boxes = []
    for row, text in enumerate(texts):
        right, bottom = 500.0, 400.0 - 100 * row
        for sign in text:
            right -= blank if sign == " " else letter
            left = right if sign == " " else right - 5
            boxes.append((5.0, bottom, 5.0, bottom) if sign == " " else (left, bottom, right, bottom + 10))
            right = left
    signs = "".join(texts)
    none = np.zeros(len(signs), np.int64)
    characters = Characters(
        codes=np.array(list(map(ord, signs)), np.int32),
        made_up=none.astype(bool),
        boxes=np.array(boxes, np.float32),
        baselines=np.array([box[1] for box in boxes], np.float64),
        sizes=np.full(len(signs), 10.0),
        turns=none,
        fonts=none,
        contents=none - 1,
        artifacts=none.astype(bool),
    )
    return lines_of(PageContent(1, 600, 800, characters, ("F",), (), ()), TagRows(none - 1, none))


def line_from_right(text: str, *, blank: float = 0.0, letter: float = 0.0) -> str:
    (line,) = lines_from_right(text, blank=blank, letter=letter)
    assert line.right_to_left
    return line.text


@pytest.mark.parametrize(
    ("text", "others", "expected"),
    [
        ("של kciuq yrev", "שלום לכולם", "של very quick"),
        ("של kciuq yrev", "a long line", "של kciuq yrev"),
        ("של kciuqa", "", "של aquick"),  # two of eight letters
        ("של kciuqaa", "", "של kciuqaa"),  # two of nine
    ],
)
def test_a_line_with_more_letters_of_another_script_is_read_as_its_page(text: str, others: str, expected: str) -> None:
    mixed, *_ = lines_from_right(text, *filter(None, [others]), blank=3)
    assert mixed.text == expected


def test_blanks_of_a_line_from_the_right_on_both_sides_of_their_bounds() -> None:
    assert line_from_right("שלום עולם", blank=0.9) == "שלום עולם"  # the file has a blank there
    assert line_from_right("שלום עולם", blank=0.7) == "שלוםעולם"
    assert line_from_right("שלום", letter=2.9) == "שלום"
    assert line_from_right("שלום", letter=3.1) == "ש ל ו ם"
    assert line_from_right("של7", letter=1.7) == "של7"
    assert line_from_right("של7", letter=1.9) == "של 7"


def read(visible: str) -> str:
    """The text of a line whose letters stand so from the right."""
    count = len(visible)
    edges = np.arange(count, 0, -1.0)
    return from_right(np.array(list(map(ord, visible))), edges - 1, edges, np.zeros(count, bool))


@pytest.mark.parametrize(
    ("from_the_right", "text"),
    [
        ("א +14 44 321 54 ב", "א +41 44 123 45 ב"),
        ("א %5 ב", "א 5% ב"),
        ("א 5% ב", "א %5 ב"),
        ("א 052$ ב", "א $250 ב"),
        ("א %01-5 ב", "א 5-10% ב"),
        ("א 5102-0102 ב", "א 2010-2015 ב"),
        ("ا 0102-5102 ب", "ا 2010-2015 ب"),  # after an Arabic letter, a hyphen parts numbers
        ("ا 5% ب", "ا 5% ب"),
        ("ا 4202/50/21 ب", "ا 12/05/2024 ب"),
        ("ا ٤٢٠٢ ب", "ا ٢٠٢٤ ب"),
        ("ا ٠١٠٢-٥١٠٢ ب", "ا ٢٠١٠-٢٠١٥ ب"),
        ("א 01 000 ב", "א 10 000 ב"),
        ("א 000 01 ב", "א 10 000 ב"),  # with a no-break space, the number is one
        ("א 052 003 ב", "א 250 300 ב"),
        ("א %05 htworg ב", "א growth 50% ב"),
        ("א 11 01 swodniW ב", "א Windows 10 11 ב"),
    ],
)
def test_each_number_among_letters_from_the_right_is_read_from_the_left(from_the_right: str, text: str) -> None:
    """By hand after Unicode's UAX 9; Chromium and LibreOffice print these lines so."""
    assert read(from_the_right) == text


def test_brackets_beside_text_from_the_left() -> None:
    assert read("א (knaB EMCA( ב") == "א (ACME Bank) ב"
    assert read("א (TTAH( llA kcaH ב") == "א Hack All (HATT) ב"
    assert read("א )יא) ב") == "א (יא) ב"
    assert read("(א) (ב") == "(א) (ב"
    assert read("א) ב (ג)") == "א) ב (ג)"
    assert read("א )ב( ג") == "א (ב) ג"  # the file has them turned around
    assert read("א )ב(, ג") == "א (ב), ג"
    assert read("א ) ב ( ג") == "א ) ב ( ג"  # blanks on both sides do not tell


def test_the_two_letters_of_lam_and_alef_have_one_box() -> None:
    codes = np.array([0x627, 0x644, 0x633])
    left, right = np.array([5.0, 5.0, 0.0]), np.array([9.0, 9.0, 5.0])
    assert from_right(codes, left, right, np.array([True, False, False])) == "لاس"


@pytest.mark.parametrize("name", ["tagged.en", "tex2.fr", "two.de"])
def test_fonts_are_numbered_in_the_order_of_the_page(name: str) -> None:
    """And not by their places in memory, which decide otherwise between fonts with as many letters on a line."""
    with open_pdf((Path(__file__).parent / f"{name}.pdf").read_bytes()) as pdf:
        for page in pdf.pages():
            fonts, first = np.unique(page.characters.fonts, return_index=True)
            assert first.tolist() == sorted(first.tolist()), (page.number, fonts)
