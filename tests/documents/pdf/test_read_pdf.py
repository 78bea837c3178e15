"""PDFs written by hand: what is one block and what is two, and what gives no text."""

from __future__ import annotations

import time

import numpy as np
import pytest

from diglot.documents.blocks import Block
from diglot.documents.convert import document_title
from diglot.documents.pdf import read_pdf
from diglot.documents.pdf.furniture import without_furniture
from diglot.documents.pdf.lines import Line
from diglot.documents.pdf.pages import Characters, PageContent, Tag
from diglot.documents.pdf.paragraphs import Usual, page_paragraphs
from diglot.documents.pdf.structure_tree import tagged_paragraphs
from diglot.errors import UnreadableDocument
from documents.pdf.written_pdf import Text, content_of, file_of, lines, pdf_of, pdf_of_contents, stream

NO_CHARACTERS = Characters(*[np.zeros(0)] * 9)
FULL = [
    "The harbour of the town is deep enough for ships of every size, and the",
    "pilots who bring them in know each rock by the name of a wreck that it",
    "made.",
]
SECOND = [
    "In winter the ferries stay in the harbour, and the crews mend their nets",
    "in the long hall behind the church.",
]


def texts(body: bytes) -> list[str]:
    return [block.text for block in read_pdf(body).blocks]


def test_a_paragraph_goes_on_where_the_next_word_had_no_room() -> None:
    body = pdf_of([lines(50, 700, FULL + SECOND)])
    assert texts(body) == [" ".join(FULL), " ".join(SECOND)]


def test_a_gap_between_lines_begins_a_paragraph() -> None:
    body = pdf_of([lines(50, 700, FULL[:2]) + lines(50, 660, SECOND)])
    assert texts(body) == [" ".join(FULL[:2]), " ".join(SECOND)]


def test_a_divided_word_is_joined_and_a_compound_keeps_its_hyphen() -> None:
    divided = [
        "The harbour of the town is deep enough for ships of all sizes, and pi-",
        "lots who bring them in know each of the rocks by the name of one wreck.",
        "A well-known pilot and other pilots told us of it, and she is so well-",
        "known here that children draw her. The harbour master is of her fami-",
        "ly too, and a good man.",
    ]
    (text,) = texts(pdf_of([lines(50, 700, divided)]))
    assert "and pilots who" in text
    assert "so well-known here" in text
    assert "her family too" in text


def test_headers_and_page_numbers_go_and_a_paragraph_goes_on_over_the_page() -> None:
    names = ("boat", "ship", "raft", "barge")
    bodies = [[line.replace("ships", name + "s") for line in FULL[:2]] for name in names]
    pages = [
        [(50, 780, 8, "Harbours of the north"), *lines(50, 700 - 5 * number, body), (290, 30, 8, str(number))]
        for number, body in enumerate(bodies, 1)
    ]
    document = read_pdf(pdf_of(pages))
    assert document.pages == 4
    assert [block.text for block in document.blocks] == [" ".join(line for body in bodies for line in body)]


@pytest.mark.parametrize(
    ("heights", "stays"),
    [
        ((748.4, 748.6, 748.4, 748.6), False),
        ((748.0, 751.0, 748.0, 751.0), False),
        ((748.0, 751.2, 748.0, 751.2), True),
        ((746.0, 748.4, 748.6, 748.4), False),
    ],
)
def test_a_header_may_move_by_three_points(heights: tuple[float, ...], stays: bool) -> None:
    bodies = [[line.replace("ships", name) for line in FULL[:2]] for name in ("boats", "rafts", "barges", "tugs")]
    header = "Harbours of the north"
    pages = [
        [(50, height, 8, header), *lines(50, 650 - 9 * number, body)]
        for number, (height, body) in enumerate(zip(heights, bodies, strict=True))
    ]
    assert any(header in text for text in texts(pdf_of(pages))) == stays
    # A title in its place on one page goes with it.
    pages[3][0] = (50, heights[3], 8, "Of tugs")
    assert any("Of tugs" in text for text in texts(pdf_of(pages))) == stays


@pytest.mark.parametrize(
    ("numbers", "stay"),
    [
        (("i", "ii", "iii", "iv"), ()),
        (("- i -", "- ii -", "- iii -", "- iv -"), ()),
        (("I", "II", "III", "IV"), ("I", "II", "III", "IV")),
        (("ii", "iii", "iv", "v"), ("ii", "iii", "iv", "v")),
        (("part i", "part ii", "part iii", "part iv"), ("part i", "part ii", "part iii", "part iv")),
        (("9" * 5000,), ("9" * 5000,)),
    ],
)
def test_a_roman_page_number_counts_with_the_pages(numbers: tuple[str, ...], stay: tuple[str, ...]) -> None:
    pages = [
        [_line(f"Text about {'abcd'[page - 1]}.", page, 700), _line(number, page, 30)]
        for page, number in enumerate(numbers, 1)
    ]
    assert tuple(line.text for page in without_furniture(pages) for line in page if line.baseline == 30) == stay


@pytest.mark.parametrize(("chars", "stays"), [(40, False), (41, True)])
def test_a_page_number_has_forty_characters_at_most(chars: int, stays: bool) -> None:
    text = f"{'-' * (chars - 4)} 1 -"
    pages = [[_line("Text.", 1, 700), _line(text, 1, 30)]]
    assert (text in [line.text for line in without_furniture(pages)[0]]) == stays


def test_a_line_of_digits_is_compared_in_no_time() -> None:
    pages = [[_line("Text.", 1, 700), _line(f"1 {'1' * 8_000}x", 1, 30)]]
    started = time.process_time()
    assert without_furniture(pages) == pages
    assert time.process_time() - started < 0.5  # with the pattern alone: seconds


def _line(text: str, page: int, baseline: float) -> Line:
    return Line(page, text, 50, 90, baseline, 10, "", -1, 0)


def test_what_stands_on_every_page_stays_where_nothing_else_is_there() -> None:
    document = read_pdf(pdf_of([lines(50, 700, FULL)] * 4))
    assert {block.text for block in document.blocks} == {" ".join(FULL)}


def test_a_larger_line_is_a_heading_and_the_title() -> None:
    document = read_pdf(pdf_of([[(50, 740, 18, "Harbours"), *lines(50, 700, FULL)]], info="/Title (harbours.doc)"))
    assert document.blocks[0] == Block("h1", "Harbours", 1)
    assert document_title(document) == "Harbours"


@pytest.mark.parametrize(
    ("stated", "title"),
    [
        ("Harbours of 1910", "Harbours of 1910"),
        ("Printing at Antwerp, no.12", "Printing at Antwerp, no.12"),
        ("Microsoft Word - a.doc", ""),
        ("a.indd", ""),
        ("Layout 1", ""),
    ],
)
def test_the_title_of_the_metadata_where_it_is_no_name_of_a_file(stated: str, title: str) -> None:
    assert document_title(read_pdf(pdf_of([lines(50, 700, FULL)], info=f"/Title ({stated})"))) == title


def test_items_of_a_list_lose_their_marks() -> None:
    page = [(50, 700, 10, "•".encode("cp1252").decode("latin-1")), (62, 700, 10, "Boats are mended in the hall.")]
    page += [(50, 688, 10, "•".encode("cp1252").decode("latin-1")), (62, 688, 10, "Nets are sold at the gate.")]
    blocks = read_pdf(pdf_of([page])).blocks
    assert [(block.kind, block.text) for block in blocks] == [
        ("li", "Boats are mended in the hall."),
        ("li", "Nets are sold at the gate."),
    ]


DASH = "–".encode("cp1252").decode("latin-1")
BEFORE_DASH = ["Boats are mended in the hall on the mole", "and nets are sold at the gate of the"]


@pytest.mark.parametrize("page_ends", [False, True])
@pytest.mark.parametrize(
    ("last", "behind", "texts"),
    [
        ("old harbour, if their owners want that", "except on Sundays.", 1),
        ("old harbour, if all owners want one", "except on Sundays.", 1),  # 18 points of room are left, at size 10
        ("old harbour, if the owners want it", "except on Sundays.", 2),  # 24 points
        ("old harbour, if the owners want this.", "except on Sundays.", 2),
        ("old harbour. Also there in the summer:", "except on Sundays.", 2),
        ("old harbour, if all owners want one", "Fish", 2),
    ],
)
def test_a_dash_at_the_start_of_a_line_in_a_sentence_is_no_mark(
    last: str, behind: str, texts: int, page_ends: bool
) -> None:
    before = [*BEFORE_DASH, last]
    rest = [(50, 700 - 12 * len(before), 10, f"{DASH} {behind}")]
    head = lines(50, 700, before)
    pages = [head, [(50, 700, *rest[0][2:])]] if page_ends else [[*head, *rest]]
    read = [block.text for block in read_pdf(pdf_of(pages)).blocks]
    joined = " ".join(before)
    assert read == ([f"{joined} – {behind}"] if texts == 1 else [joined, behind])


def test_items_with_dashes_that_fill_their_lines_stay_items() -> None:
    page = [*lines(50, 700, BEFORE_DASH), (50, 676, 10, f"{DASH} boats that have no other way to the sea,")]
    page += [(62, 664, 10, "of at most twelve metres, and all"), (50, 652, 10, f"{DASH} nets and ropes.")]
    assert [block.text for block in read_pdf(pdf_of([page])).blocks][-2:] == [
        "boats that have no other way to the sea, of at most twelve metres, and all",
        "nets and ropes.",
    ]


def item(number: str, gap: float, behind: str, baseline: float = 700) -> list[Text]:
    """A line of 10 points that begins with a number; a blank has 6 points."""
    return [(50, baseline, 10, number), (50 + 6 * len(number) + gap, baseline, 10, behind)]


@pytest.mark.parametrize(
    ("numbers", "gap", "behind", "without"),
    [
        (("3.", "4."), 12.7, "Boats are mended in the hall.", True),
        (("3.", "4."), 12.0, "Boats are mended in the hall.", False),  # two blanks
        (("3.", "4."), 12.7, "Boats.", True),
        (("3.", "4."), 6.0, "Boats.", False),
        (("(a)", "(b)"), 12.7, "Boats are mended in the hall.", True),
        (("iv.", "v."), 12.7, "Boats are mended in the hall.", True),
        (("I.", "II."), 12.7, "Boats are mended in the hall.", True),
        (("9)", "10)"), 12.7, "Boats are mended in the hall.", True),
        (("3.", "5."), 12.7, "Boats are mended in the hall.", False),
        (("4.", "3."), 12.7, "Boats are mended in the hall.", False),
        (("3.", "4)"), 12.7, "Boats are mended in the hall.", False),
        (("C.", "I."), 12.7, "Boats are mended in the hall.", False),
        (("2020", "2021"), 12.7, "Boats are mended in the hall.", False),
    ],
)
def test_the_number_of_a_list_item_stands_apart_beside_the_next(
    numbers: tuple[str, str], gap: float, behind: str, without: bool
) -> None:
    page = [*item(numbers[0], gap, behind), *item(numbers[1], gap, behind, 670)]
    assert texts(pdf_of([page])) == [behind if without else f"{number} {behind}" for number in numbers]


def test_a_number_apart_without_another_sign_of_a_list_stays() -> None:
    assert texts(pdf_of([item("3.", 12.7, "Oktober")])) == ["3. Oktober"]
    assert texts(pdf_of([[*item("3.", 12.7, "Oktober"), *item("4.", 6, "Oktober", 670)]])) == [
        "3. Oktober",
        "4. Oktober",
    ]


@pytest.mark.parametrize(("left", "number"), [(74.7, ""), (76, "3. "), (50, "3. ")])
def test_a_second_line_below_the_text_shows_a_list_item(left: float, number: str) -> None:
    page = [*item("3.", 12.7, "Boats are mended in the hall, and nets, by"), (left, 688, 10, "the sailors.")]
    assert texts(pdf_of([page]))[0].startswith(f"{number}Boats are mended in the hall, and nets, by")


@pytest.mark.parametrize(
    ("shown", "without"),
    [
        ([(50, "3."), (62.9, "Boats are mended.")], True),  # gap of 4.6 points, blanks of 2.8
        ([(50, "3."), (62.7, "Boats are mended.")], False),
        ([(50, "3.  Boats are mended.")], False),
        ([(50, "3."), (62.4, "Boats.")], True),  # wider than 1.6 usual blanks, of a quarter of the size
        ([(50, "3."), (62.2, "Boats.")], False),
        ([(50, "3.  Boats.")], False),
    ],
)
def test_a_number_stands_apart_in_a_font_of_many_widths(shown: list[tuple[float, str]], without: bool) -> None:
    rows = [(700, "3"), (670, "4")]
    page = [(left, baseline, 10, text.replace("3", number)) for baseline, number in rows for left, text in shown]
    body = pdf_of([page]).replace(b"/BaseFont /Courier /Encoding", b"/BaseFont/Helvetica/Encoding")
    assert [text[0].isdecimal() for text in texts(body)] == [not without] * 2


def test_words_of_a_monospace_font_are_no_numbers_of_a_list() -> None:
    names = ["I. Newton", "6. Quartal", "7. Quartal", "10. Downing", "V. Chapter"]
    assert texts(pdf_of([lines(50, 700, names, leading=30)])) == names


def test_a_number_apart_inside_of_a_sentence_is_none_of_a_list() -> None:
    page = [*lines(50, 700, ["Boats are mended in the hall as told by No"]), (50, 688, 10, "3.")]
    page += [(74.8, 688, 10, "on the list of the harbour master.")]
    page += [*item("2.", 12.8, "Nets.", 740)]
    assert "Boats are mended in the hall as told by No 3. on the list of the harbour master." in texts(pdf_of([page]))


@pytest.mark.parametrize(("font", "kind"), [("F2", "li"), ("F1", "td")])
def test_a_letter_of_a_font_of_signs_is_a_mark(font: str, kind: str) -> None:
    content = content_of([(70, 700, 10, "Boats are mended in the hall.")])
    body = pdf_of_contents([stream(f"BT /{font} 10 Tf 1 0 0 1 40 700 Tm (h) Tj ET ".encode() + content)])
    assert read_pdf(body).blocks[-1] == Block(kind, "Boats are mended in the hall.", 1)


def test_cells_of_a_row_are_blocks_though_their_lines_come_by_turns() -> None:
    page = []
    for place in range(3):
        top = 700 - 36 * place
        page += [(50, top, 10, "Boats that lie in the"), (200, top, 10, "pay a fee for each day")]
        page += [(50, top - 12, 10, f"harbour, row {place}"), (200, top - 12, 10, f"that they stay, {place}")]
    blocks = read_pdf(pdf_of([page])).blocks
    assert [block.kind for block in blocks] == ["td"] * 6
    assert blocks[2].text == "Boats that lie in the harbour, row 1"
    assert blocks[3].text == "pay a fee for each day that they stay, 1"


def test_the_language_of_the_catalogue() -> None:
    assert read_pdf(pdf_of([lines(50, 700, FULL)], catalogue="/Lang (en-GB)")).lang == "en-GB"


def reason_of(body: bytes) -> str:
    with pytest.raises(UnreadableDocument) as caught:
        read_pdf(body)
    return caught.value.reason


def test_pictures_alone_are_no_text_layer() -> None:
    picture = stream(
        bytes(64), "/Type /XObject /Subtype /Image /Width 8 /Height 8 /ColorSpace /DeviceGray /BitsPerComponent 8"
    )
    body = pdf_of_contents([stream(b"q 600 0 0 800 0 0 cm /X Do Q")], more=[picture])
    assert reason_of(body) == "no_text_layer"


def test_a_cut_file_and_no_file() -> None:
    body = pdf_of([lines(50, 700, FULL)])
    assert reason_of(body[:60]) == "truncated"
    assert reason_of(b"%PDF-1.7\nnothing of a PDF\n%%EOF") == "damaged"


def test_a_password_is_named() -> None:
    key = "<" + "5a" * 32 + ">"
    protection = f"<< /Filter /Standard /V 2 /R 3 /Length 128 /P -44 /O {key} /U {key} >>"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [] /Count 0 >>",
        protection.encode(),
        b"<< >>",
    ]
    trailer = f"/Root 1 0 R /Encrypt 3 0 R /ID [<{'00' * 16}> <{'00' * 16}>]"
    assert reason_of(file_of(objects, trailer)) == "encrypted"


def test_more_characters_than_a_page_has_are_refused() -> None:
    fits = pdf_of_contents([stream(content_of([(0, row, 0.5, "abc " * 40) for row in range(100)]))])
    assert texts(fits)
    beyond = pdf_of_contents([stream(content_of([(0, row, 0.5, "abc " * 80) for row in range(640)]))])
    assert reason_of(beyond) == "too_large"


def test_a_font_that_names_code_points_out_of_range() -> None:
    cmap = b"""/CIDInit /ProcSet findresource begin 12 dict begin begincmap
1 begincodespacerange <00> <ff> endcodespacerange 2 beginbfchar <41> <e0e0e0e0> <42> <d800> endbfchar endcmap end end"""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [5 0 R] /Count 1 >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier /ToUnicode 7 0 R >>",
        b"<< >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 6 0 R"
        b" /Resources << /Font << /F1 3 0 R >> >> >>",
        stream(content_of([(50, 400, 10, "boats AB at sea")])),
        stream(cmap),
    ]
    (text,) = texts(file_of(objects))
    assert text.startswith("boats ")
    assert text.encode("utf-8")


@pytest.mark.parametrize("size", ["9e30", "-3", "0", "1e-30"])
@pytest.mark.parametrize("words", ["boats and nets", "\\005\\006"])
def test_font_sizes_that_no_page_has_end_in_text_or_a_reason(size: str, words: str) -> None:
    content = f"BT /F1 {size} Tf 1 0 0 1 50 700 Tm ({words}) Tj 0 -14 Td ({words}) Tj ET".encode()
    body = pdf_of_contents([stream(content)])
    try:
        said = texts(body)[:1]
    except UnreadableDocument as error:
        said = [error.reason]
    assert said == ["no_text_layer"] or said[0].startswith(("boats and nets", "\x05"))


@pytest.mark.slow
def test_a_thousand_pages_are_read_and_all_are_counted() -> None:
    kids = " ".join(["5 0 R"] * 1_010)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count 1010 >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 6 0 R"
        b" /Resources << /Font << /F1 3 0 R >> >> >>",
        stream(content_of([(50, 400, 10, "Once")])),
    ]
    document = read_pdf(file_of(objects))
    assert document.pages == 1_010
    assert max(block.page for block in document.blocks) <= 1_000


def test_a_deep_structure_tree_ends() -> None:
    depth = 3_000
    elements = [
        f"<< /Type /StructElem /S /Div /P {max(5, 5 + place)} 0 R /Pg {7 + depth} 0 R /K [{7 + place} 0 R] >>".encode()
        for place in range(depth - 1)
    ]
    tree = b"<< /Type /StructTreeRoot /K [6 0 R] /ParentTree << /Nums [0 [%d 0 R]] >> >>" % (5 + depth)
    last = f"<< /Type /StructElem /S /P /P {4 + depth} 0 R /Pg {7 + depth} 0 R /K 0 >>".encode()
    content = stream(b"/P << /MCID 0 >> BDC " + content_of(lines(50, 700, FULL)) + b" EMC")
    body = pdf_of_contents(
        [content], catalogue="/StructTreeRoot 5 0 R /MarkInfo << /Marked true >>", more=[tree, *elements, last]
    )
    assert texts(body) == [" ".join(FULL)]


def test_indented_first_lines_begin_paragraphs_though_both_are_full() -> None:
    page: list[Text] = []
    for place in range(6):
        page += [(65, 700 - 36 * place, 10, f"{place} boats of the town lie in the harbour, and all")]
        page += lines(50, 688 - 36 * place, ["the pilots who bring them in know each rock by its", "own name."])
    said = ["It is one of the oldest in the whole of the north.", "It has more than seventy quays for boats of all the"]
    page += [(65, 480, 10, said[0]), (65, 468, 10, said[1]), (50, 456, 10, "sizes.")]
    assert texts(pdf_of([page]))[-2:] == [said[0], said[1] + " sizes."]


def test_the_sign_that_tex_prints_for_a_bullet_is_a_mark() -> None:
    line = Line(1, "\x88 Boats are mended in the hall.", 50, 300, 700, 10, "", -1, 10)
    (paragraph,) = page_paragraphs([line], Usual({}, 0.0))
    assert (paragraph.item, paragraph.lines[0].text) == (True, "Boats are mended in the hall.")


@pytest.mark.parametrize("mark", ["•", "1.", "(a)"])
def test_the_mark_of_a_tagged_item_goes_though_it_is_a_text_of_its_own(mark: str) -> None:
    shown = [Line(1, mark, 50, 56, 700, 10, "", 0, 6), Line(1, "Boats are mended here.", 64, 200, 700, 10, "", 0, 30)]
    page = PageContent(1, 600, 800, NO_CHARACTERS, (), (Tag("li", "", (0,), False, False),), ())
    (paragraph,) = tagged_paragraphs(page, shown)
    assert [line.text for line in paragraph.lines] == ["Boats are mended here."]


def test_an_entry_of_a_table_of_contents_ends_with_its_leader() -> None:
    names = ("pilots", "ships", "nets")
    entries = [f"The {name} of the harbour" + " ." * 24 for name in names]
    # The page numbers stand apart, and the table goes on where a column ends.
    numbers = [(520, 700 - 12 * place, 10, str(place)) for place in range(2)]
    pages = [[*lines(50, 700, entries[:2]), *numbers], lines(50, 700, entries[2:])]
    blocks = read_pdf(pdf_of(pages)).blocks
    assert [block.text for block in blocks if "The" in block.text] == [f"The {name} of the harbour" for name in names]
