"""Superscripts and subscripts that a file writes out of their places, and marks of notes."""

from __future__ import annotations

import pytest

from diglot.documents.pdf import read_pdf
from documents.pdf.written_pdf import Text, lines, pdf_of

WIDTH = 6.0
"""Points of a letter of 10 points in Courier."""


def texts(*page: Text) -> list[str]:
    return [block.text for block in read_pdf(pdf_of([page])).blocks]


def with_script(before: str, script: str, after: str, rise: float, size: float = 7) -> list[Text]:
    """The parts of a line: text, a script right after it, and what follows right after the script."""
    end = 50 + WIDTH * len(before)
    then = end + 0.6 * size * len(script)
    return [(50, 700, 10, before), (end, 700 + rise, size, script), (then, 700, 10, after)]


REST = lines(50, 688, ["and the pilots know each rock by its name."])


@pytest.mark.parametrize(("rise", "size"), [(3.6, 7), (5.5, 7), (5, 9.7), (-2, 7), (-3, 9.7)])
@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (0, 2, 1)])
def test_a_script_stands_in_its_line_wherever_the_file_writes_it(
    rise: float, size: float, order: tuple[int, ...]
) -> None:
    parts = with_script("The harbour is deep enough for ships", "12", ", large ones too,", rise, size)
    (text,) = texts(*(parts[place] for place in order), *REST)
    assert text.startswith("The harbour is deep enough for ships12, large ones too, and the pilots")


def test_a_blank_after_a_script_stays() -> None:
    first, script, (left, base, size, after) = with_script("The harbour measures 12 km", "2", "at low tide,", 4)
    (text,) = texts(first, script, (left + WIDTH, base, size, after), *REST)
    assert "12 km2 at low tide, and" in text


def test_small_print_below_a_heading_is_no_script() -> None:
    assert texts((50, 700, 20, "Harbours"), (50, 685, 9, "of the north")) == ["Harbours", "of the north"]


def test_a_table_of_two_sizes_keeps_its_cells() -> None:
    page = [(50, 700, 10, "Boats in the harbour"), (200, 702, 8, "twelve")]
    assert texts(*page) == ["Boats in the harbour", "twelve"]


def test_a_mark_of_a_note_begins_a_paragraph_and_is_left_out() -> None:
    notes = [
        *[(50, 200, 5, "1"), (53, 197, 8, "The boats of 1910, which were sold in the year after that, and all nets.")],
        *[(50, 190, 5, "2"), (53, 187, 8, "So the harbour master says.")],
    ]
    blocks = read_pdf(pdf_of([[*lines(50, 700, ["A line of text."]), *notes]])).blocks
    assert [(block.kind, block.text) for block in blocks[1:]] == [
        ("p", "The boats of 1910, which were sold in the year after that, and all nets."),
        ("p", "So the harbour master says."),
    ]


NOTE = [(50, 200, 5, "2"), (53, 197, 8, "So the harbour master says.")]


def called(text: str, behind: str = "", *, number: str = "2", baseline: float = 700.0) -> list[Text]:
    """A line of 10 points with a number above it; a letter is 6 points wide."""
    end = 50 + 6 * len(text)
    return [
        (50, baseline, 10, text),
        (end, baseline + 3.5, 6, number),
        *[(end + 3.6, baseline, 10, behind)] * bool(behind),
    ]


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ([*called("Boats are mended in the hall."), *NOTE], "Boats are mended in the hall."),
        ([*called("Boats that are old", ", and nets."), *NOTE], "Boats that are old, and nets."),
        ([*called("Press F9."), *NOTE], "Press F9."),
        (called("Boats are mended in the hall."), "Boats are mended in the hall.2"),
        ([*called("Boats are mended in the hall.", number="3"), *NOTE], "Boats are mended in the hall.3"),
        ([*called("The hall has 400 m", " of room."), *NOTE], "The hall has 400 m2 of room."),
        ([*called("The wind has 30 kWh/m", " a day."), *NOTE], "The wind has 30 kWh/m2 a day."),
        ([*called("It has 10", " doors."), *NOTE], "It has 102 doors."),
        ([*called("Halls."), *called("Nets are sold.", baseline=660), *NOTE], "Halls.2"),
        ([*called("Boats.", baseline=100), *NOTE], "Boats.2"),
        ([*called("Of 2012", " on."), *called("Square nets", ".", baseline=660), *NOTE], "Square nets2."),
        ([*called("Of 2012", " on."), *called("Square nets", ".", baseline=660), *NOTE], "Of 20122 on."),
        ([*called("It has square kilometres (km", ")."), *NOTE], "It has square kilometres (km2)."),
        ([*called("The area is in (acre", ")."), *NOTE], "The area is in (acre2)."),
        ([*called("It was (km", ") in 2012."), *NOTE], "It was (km2) in 2012."),
        ([*called("The value of x", " is known."), *NOTE], "The value of x2 is known."),
        ([*called("It is (a + b)", "."), *NOTE], "It is (a + b)2."),
        ([*called("The energy is mc", "."), *NOTE], "The energy is mc2."),
        ([*called("It has 10", " doors.", number="3"), *called("Nets.", baseline=660), *NOTE], "Nets."),
        ([*called("It has 10", " doors."), *called("Nets of old.", baseline=660), *NOTE], "Nets of old.2"),
    ],
)
def test_the_call_of_a_note_on_the_page_is_left_out(page: list[Text], text: str) -> None:
    """Neither an exponent, nor a number without a note below, nor one of two."""
    assert text in texts(*page)


def test_a_note_in_the_size_of_its_line_is_none() -> None:
    same = [(50, 200, 5, "2"), (53, 197, 9.6, "So the harbour master says.")]
    assert "Boats.2" in texts(*called("Boats."), *same)
    assert "Boats." in texts(*called("Boats."), (50, 200, 5, "2"), (53, 197, 9.4, "So the harbour master says."))


def test_a_mark_goes_to_the_line_below_it_and_not_into_a_blank_of_the_line_above() -> None:
    notes = [
        (50, 200, 9, "To tell why the boats of the year were sold in the end would take too long."),
        *[(49.5, 193.3, 6, "+"), (53.1, 190, 9, "So the harbour master says.")],
        *[(49.5, 183.3, 6, "x"), (53.1, 180, 9, "So says her daughter.")],
    ]
    assert texts(*lines(50, 700, ["A line of text."]), *notes)[1:] == [
        "To tell why the boats of the year were sold in the end would take too long.",
        "So the harbour master says.",
        "So says her daughter.",
    ]
