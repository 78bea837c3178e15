"""Text wrapped in a cell beside empty cells: its own lines show where the cell ends."""

from __future__ import annotations

import pytest

from diglot.documents.pdf import read_pdf
from documents.pdf.written_pdf import lines, pdf_of

CELLS = [
    ["Verify that all input", "is checked by a server", "before any other page", "reads it again today"],
    ["Verify that each answer", "names its own letters", "and its own language."],
]
"""At most 23 letters a line: the first word of each line had no room on the line above. A letter is 6 points wide."""
BODY = [
    "The requirements below are for all pages of the site and for every program,",
    "whoever wrote it, and wherever it runs: they are checked before the site is",
    "shown to anyone, and once more whenever one of its programs has changed now.",
]


def _blocks(cells: list[list[str]], left: float) -> list[str]:
    page = lines(72, 780, BODY)
    top = 700.0
    for cell in cells:
        page += lines(left, top, cell)
        top -= 12 * len(cell) + 12
    return [block.text for block in read_pdf(pdf_of([page])).blocks]


def test_lines_of_a_cell_are_one_paragraph_where_the_text_above_goes_farther() -> None:
    assert _blocks(CELLS, 100) == [" ".join(BODY), *(" ".join(cell) for cell in CELLS)]


def test_short_lines_that_had_room_stay_apart() -> None:
    items = ["Boats", "Harbours of the north", "Nets", "Sailors", "Captains of old ships", "Tar", "Ropes"]
    assert _blocks([items], 100) == [" ".join(BODY), *items]


def test_a_cell_ends_where_that_of_the_page_before_ended() -> None:
    first = lines(72, 780, BODY)
    for place, cell in enumerate(CELLS):
        first += lines(100, 700 - 60 * place, cell)
    second = lines(100, 780, ["Verify that no address", "is read by two servers"]) + lines(72, 740, BODY)
    texts = [block.text for block in read_pdf(pdf_of([first, second])).blocks]
    assert "Verify that no address is read by two servers" in texts


@pytest.mark.parametrize(("others", "kept"), [(3, True), (2, False)])
def test_o_is_a_word_where_the_document_has_it_between_words(others: int, kept: bool) -> None:
    page = [text for place in range(others) for text in lines(72, 500 - 40 * place, ["uno o dos barcos."])]
    page += lines(72, 700, ["El puerto cierra temprano.", "o similares avisos del puerto."], leading=30)
    texts = [block.text for block in read_pdf(pdf_of([page])).blocks]
    assert (("o similares avisos del puerto." in texts), ("similares avisos del puerto." in texts)) == (kept, not kept)
