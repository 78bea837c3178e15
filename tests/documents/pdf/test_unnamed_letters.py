"""Fonts that do not say which letters they show: PDFium takes the numbers of letters in the font for Unicode. Fonts
that name a hyphen wrongly."""

from __future__ import annotations

import numpy as np
import pytest

from diglot.documents.pdf import read_pdf
from diglot.documents.pdf.letters import mark_unmapped
from diglot.errors import UnreadableDocument
from documents.pdf.written_pdf import file_of, lines, pdf_of, stream

LINES = [
    "The harbour of the town is deep enough for ships of every size, and the",
    "pilots who bring them in know each rock by the name of a wreck that it",
]
TRUETYPE = -29
"""From ASCII to the place of a letter in most TrueType fonts."""


def pdf_in(shift: int, named: int = 0) -> bytes:
    """The lines in a font that numbers its letters by ASCII and a shift; then ``named`` times in a font with names."""
    shown = []
    for place in range(2 + 2 * named):
        line, of_font = LINES[place % 2], "F1" if place < 2 else "F2"
        codes = "".join(f"{ord(sign) + shift:04x}" for sign in line) if place < 2 else line.encode().hex()
        shown.append(f"/{of_font} 10 Tf 1 0 0 1 50 {700 - 12 * place} Tm <{codes}> Tj")
    return file_of(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 5 0 R"
            b" /Resources << /Font << /F1 6 0 R /F2 8 0 R >> >> >>",
            b"<< >>",
            stream(f"BT {' '.join(shown)} ET".encode()),
            b"<< /Type /Font /Subtype /Type0 /BaseFont /Any /Encoding /Identity-H /DescendantFonts [7 0 R] >>",
            b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Any /DW 600"
            b" /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor 9 0 R >>",
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>",
            b"<< /Type /FontDescriptor /FontName /Any /Flags 4 /FontBBox [0 0 600 800] /ItalicAngle 0 /Ascent 800"
            b" /Descent 0 /CapHeight 700 /StemV 80 >>",
        ]
    )


def test_a_text_of_numbers_of_letters_is_no_text() -> None:
    with pytest.raises(UnreadableDocument, match="fonts do not say which letters they show") as caught:
        read_pdf(pdf_in(TRUETYPE))
    assert caught.value.reason == "no_text_layer"


def test_a_font_that_numbers_its_letters_by_ascii_is_read() -> None:
    assert read_pdf(pdf_in(0)).blocks[0].text.startswith(LINES[0])


def test_a_document_with_as_much_text_in_named_letters_is_read() -> None:
    assert read_pdf(pdf_in(TRUETYPE, named=1)).blocks


@pytest.mark.parametrize(
    ("divided", "text"),
    [
        (3, "the deep-sea harbour of the island"),
        (2, "the deep\u2011sea har\u2011 bour of the is\u2011 land"),
    ],
)
def test_a_font_that_names_every_hyphen_a_no_break_hyphen(divided: int, text: str) -> None:
    rows = [("the deep-sea har-", "bour of the is-", "land"), ("har-", "bour"), ("the harbour", "of an island")]
    texts = [line for number, shown in enumerate(rows) for line in lines(50, 700 - 100 * number, shown)]
    if divided == 2:
        texts = [line for line in texts if line[3] not in ("har-", "bour")]
    named = b"<< /BaseEncoding /WinAnsiEncoding /Differences [45 /uni2011] >>"
    body = pdf_of([texts]).replace(b"/Courier /Encoding /WinAnsiEncoding", b"/Courier /Encoding " + named)
    assert read_pdf(body).blocks[0].text == text


@pytest.mark.parametrize(
    ("text", "gap", "raised", "expected"),
    [
        ("so\0ware", 0.12, 0, "so\ufffdware"),  # ft, as some browsers wrote it
        ("so\0", 0.12, 0, "so\ufffd"),
        ("\0nal", 0.12, 0.12, "\ufffdnal"),
        ("\0nal", 0.13, 0, "\0nal"),  # a picture before a word
        ("\0nal", 0.12, 0.13, "\0nal"),
        ("12\x003", 0.12, 0, "12\x003"),
    ],
)
def test_a_sign_without_a_name_in_a_word_is_a_lost_letter(text: str, gap: float, raised: float, expected: str) -> None:
    size, place = 10.0, text.index("\0")
    left = np.array([10 * number + size * gap * ((number > place) - (number < place)) for number in range(len(text))])
    boxes = np.stack([left, np.zeros(len(text)), left + 10, np.full(len(text), 8)], axis=1)
    baselines = np.where(np.arange(len(text)) == place, size * raised, 0)
    codes = mark_unmapped(np.array([*map(ord, text)]), boxes, baselines, np.full(len(text), size))
    assert "".join(map(chr, codes)) == expected
