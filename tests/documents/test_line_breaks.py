"""A line break inside of a sentence ends no block; every other one does."""

from __future__ import annotations

import re

import numpy as np
import pytest

from diglot.documents.html import line_breaks
from diglot.documents.html.pieces import cut_pieces
from linearised import block_texts, linearise

GOES_ON = "<p>The width of a page of mail<br>broke this sentence."
JOINED = "The width of a page of mail broke this sentence."


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        (
            "<p>We tell the user within a day<br>of such an order,<br/>and of leaks.",
            ["We tell the user within a day of such an order, and of leaks."],
        ),
        (
            "<p>Humanitarian work in 2020:<br>Supporting a local organisation<br>in its response</p>",
            ["Humanitarian work in 2020:", "Supporting a local organisation in its response"],
        ),
        ("<li>При остром воспалении и сильной<br>боли", ["При остром воспалении и сильной боли"]),
        ("<td>Ευχαριστούμε πολύ για την<br>επίσκεψη", ["Ευχαριστούμε πολύ για την επίσκεψη"]),
        (
            "<p>See <b>all</b> the prices of <a href=x>rooms</a> that are still free today<br>to let.",
            ["See all the prices of rooms that are still free today to let."],
        ),
        ("<p>Translation,<br>code and sound", ["Translation, code and sound"]),
        ("<p>This line ends in two blanks,&nbsp; <br>goes on", ["This line ends in two blanks, goes on"]),
        ("<p>Of twenty characters<br>a line", ["Of twenty characters a line"]),
        ("<p>Of nineteen letters<br>a line", ["Of nineteen letters", "a line"]),
    ],
)
def test_a_sentence_over_lines_is_one_text(html: str, texts: list[str]) -> None:
    assert block_texts(html) == texts


@pytest.mark.parametrize(
    "lines",
    [
        "a list of entries in small letters<br>another one of its entries<br>and a third one",
        "Write to our office in the old town<br>office@a.example",
        "All of it stands on the new pages of<br>www.a.example",
        "You can ring us under this number 123<br>at any time",
        "The first sentence ends in this line.<br>the next one has no capital",
        "The following things are in the box:<br>a cable",
        "Two breaks are the end of a paragraph<br><br>and this is another",
        "<b>A label in bold that is long enough</b><br>a text that it names",
        "A text that is long enough for a line<br><i>of</i> other style",
        "日本語の文は小さい文字を持たない文です<br>次の行",
    ],
)
def test_lines_of_their_own_stay_apart(lines: str) -> None:
    apart = [text for text in lines.replace("<b>", "").replace("</b>", "").replace("<i>", "").split("<br>") if text]
    expected = [text.replace("</i>", "") for text in apart]
    assert block_texts(f"{GOES_ON}<p>{lines}") == [JOINED, *expected]


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        ("<p>이름에는 태도가<br>담겨 있습니다.", ["이름에는 태도가 담겨 있습니다."]),
        ("<p>우리는 사람을,<br>마주하고,<br>듣겠습니다!", ["우리는 사람을, 마주하고, 듣겠습니다!"]),
        ("<p>לכל אדם יש זכות<br>לחיים.", ["לכל אדם יש זכות לחיים."]),
        ("<p>لكل فرد الحق في<br>الحياة؟", ["لكل فرد الحق في الحياة؟"]),
        ("<p>우리 회사는<br><b>서울에</b> 있습니다.", ["우리 회사는", "서울에 있습니다."]),  # another style
        ("<p>우리 회사는<br>서울에", ["우리 회사는", "서울에"]),  # a list, as far as one can tell
        ("<p>우리 회사는<br>서울에 있습니다.<br>부산 지점", ["우리 회사는", "서울에 있습니다.", "부산 지점"]),
        ("<p>주소<br>서울에 있습니다.", ["주소", "서울에 있습니다."]),  # a label of one word
        ("<p>우리 전화 02<br>서울에 있습니다.", ["우리 전화 02", "서울에 있습니다."]),
        ("<p>우리 회사는<br><br>서울에 있습니다.", ["우리 회사는", "서울에 있습니다."]),
        ("<p>우리 회사는<br>서울에<br><br>있습니다.", ["우리 회사는", "서울에", "있습니다."]),
        ("<p>私たち は<br>東京にいます。", ["私たち は", "東京にいます。"]),  # without blanks
    ],
)
def test_in_scripts_without_small_letters_the_end_of_the_block_tells(html: str, texts: list[str]) -> None:
    assert block_texts(html) == texts


def test_links_keep_their_blocks() -> None:
    linear = linearise(
        "<p>The width of a page of mail<br>broke the <a href='/x'>link</a>.<p><a href='/y'>y</a>", "http://a.example/"
    )
    places = np.searchsorted(linear.blocks.ends, linear.links.spans[:, 0], side="right").tolist()
    assert dict(zip(linear.links.urls, places, strict=True)) == {"http://a.example/x": 0, "http://a.example/y": 1}


def test_no_text_is_read_for_each_of_its_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = 2_000
    read: list[int] = []
    text = line_breaks._text

    def counted(markup: bytes, start: int, end: int, most: int | None = None) -> str:
        read.append(end - start)
        return text(markup, start, end, most)

    monkeypatch.setattr(line_breaks, "_text", counted)
    markup = (
        b"<p>The first of many lines of a block"
        + b"<br>goes on in the <b>next</b> line, as all do,<br>and on in the line below that" * lines
    )
    found = line_breaks.find_line_breaks(markup, cut_pieces(np.frombuffer(markup, np.uint8)))
    assert len(found) > lines
    assert len(read) < 12 * lines


@pytest.mark.parametrize(("end", "goes_on"), [(".", True), ("", False)])
def test_the_last_text_of_a_block_is_searched_once(monkeypatch: pytest.MonkeyPatch, end: str, goes_on: bool) -> None:
    searched: list[str] = []

    class Counted:
        def search(self, text: str, sign: re.Pattern[str] = line_breaks._SENTENCE_END) -> re.Match[str] | None:
            searched.append(text)
            return sign.search(text)

    monkeypatch.setattr(line_breaks, "_SENTENCE_END", Counted())
    markup = f"<p>{'한국어 문장은 계속<br>' * 50}이어집니다{end}</p>".encode()
    found = line_breaks.find_line_breaks(markup, cut_pieces(np.frombuffer(markup, np.uint8)))
    assert len(found) == 50 * goes_on
    assert searched == [f"이어집니다{end}"]
