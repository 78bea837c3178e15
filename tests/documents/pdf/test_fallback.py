"""Letters of a second font, which a file writes before or behind the text that they stand in."""

from __future__ import annotations

import re

import pytest

from diglot.documents.pdf import read_pdf
from documents.pdf.written_pdf import pdf_of, pdf_of_contents, stream

WIDTH = 6.0
"""Points of a letter of 10 points in Courier."""


def texts(*shown: tuple[str, float, str]) -> list[str]:
    """Blocks of a page with one line of such parts: font, left edge and text, in which ``_`` leaves a gap.

    A part is one text object: PDFium puts whole objects of a line in order, but not their letters.
    """
    parts = (f"/{font} 10 Tf 1 0 0 1 {left} 700 Tm [({re.sub('_+', _gap, text)})] TJ" for font, left, text in shown)
    content = ("BT " + "\n".join(parts) + " ET").encode("latin-1")
    return [block.text for block in read_pdf(pdf_of_contents([stream(content)])).blocks]


def _gap(found: re.Match[str]) -> str:
    return f") {-600 * len(found[0])} ("


def in_two_fonts(line: str, second: str) -> list[tuple[str, float, str]]:
    """A line in the first font with gaps, and the letters that only the second font has."""
    of_first = "".join("_" if letter in second else letter for letter in line)
    of_second = "".join(letter if letter in second else "_" for letter in line)
    left = len(of_second) - len(of_second.lstrip("_"))
    return [("F1", 50, of_first), ("F3", 50 + WIDTH * left, of_second.strip("_"))]


@pytest.mark.parametrize("second_first", [False, True])
@pytest.mark.parametrize(
    ("line", "second"),
    [
        ("The boat is 5 \u00b5m \u00b1 1 \u00b5m long.", "\u00b5"),
        ("The boat is 5 \u00b5m \u00b1 1 \u00b5m long.", "\u00b5\u00b1"),
        ("Le syst\u00e8me des \u00eeles lanc\u00e9es", "\u00e8\u00e9"),
        ("\u00celes de la mer", "\u00ce"),
        ("20 \u00b1 30 and 40 \u00b1", "\u00b1"),
    ],
)
def test_letters_of_a_second_font_stand_in_their_line(line: str, second: str, second_first: bool) -> None:
    parts = in_two_fonts(line, second)
    assert texts(*(reversed(parts) if second_first else parts)) == [line]


@pytest.mark.parametrize(
    ("parts", "gap", "text"),
    [
        (["1", "200 euros"], 1.25, "1 200 euros"),
        (["Prix : 21", "200", "000,50"], 1.25, "Prix : 21 200 000,50"),
        # Groups of other lengths, figures set wide, and letters.
        (["1", "2000 et 15", "20"], 1.25, "12000 et 1520"),
        (["Les 1", "2", "0", "0 euros"], 1.25, "Les 1200 euros"),
        (["Les 1", "200 euros"], 0.3, "Les 1200 euros"),
        (["a", "200"], 1.25, "a200"),
    ],
)
def test_a_narrow_blank_before_thousands_stays(parts: list[str], gap: float, text: str) -> None:
    left, shown = 50.0, []
    for part in parts:
        shown.append((left, 700.0, 10.0, part))
        left += WIDTH * len(part) + gap
    assert [block.text for block in read_pdf(pdf_of([shown])).blocks] == [text]


def test_words_of_a_second_font_have_blanks_around_them() -> None:
    assert texts(("F1", 50, "The_______boat"), ("F3", 74, "large")) == ["The large boat"]


def test_text_printed_over_other_text_is_not_mixed_with_it() -> None:
    assert "The boats of the harbour" in " ".join(texts(("F1", 50, "The boats of the harbour"), ("F3", 62, "COPY")))
