"""A translation beside a text is left out; words of another language in a sentence stay."""

import pytest

from diglot.documents.html.linearise import linearise_all
from linearised import block_texts, linearise

PAIRS = [("Press Centre", "Canolfan y wasg"), ("Home", "Hafan"), ("Manifesto", "Maniffesto")]
MENU = "<li><a href=/><span lang=en>1</span> <span lang=cy>2</span></a>"


def page(row: str, pairs: list[tuple[str, str]] = PAIRS, lang: str = "en-GB") -> str:
    """A page with a row for each pair, put into ``row`` in place of 1 and 2."""
    rows = "".join(row.replace("1", one).replace("2", two) for one, two in pairs)
    return f"<html lang='{lang}'><body><p>Some text<ul>{rows}</ul><p>End"


@pytest.mark.parametrize(
    "row",
    [
        MENU,
        "<li><b lang=en>1</b><i lang=CY-gb>2</i>",
        "<h3><b class=x lang=cy id=y>2</b> / <b lang=en>1</b></h3>",
        "<li><b lang=cy><svg></svg>2</b> | <b lang=en-US>1</b>",
    ],
)
def test_a_translation_beside_a_text_is_left_out(row: str) -> None:
    assert block_texts(page(row)) == ["Some text", "Press Centre", "Home", "Manifesto", "End"]
    assert block_texts(page(row, lang="cy")) == ["Some text", "Canolfan y wasg", "Hafan", "Maniffesto", "End"]


def test_texts_of_several_elements() -> None:
    row = "<li><b lang=en>1</b> <b lang=en>now</b> - <b lang=cy>2</b> <b lang=cy>nawr</b>"
    assert block_texts(page(row)) == ["Some text", "Press Centre now", "Home now", "Manifesto now", "End"]


@pytest.mark.parametrize(
    ("row", "pairs", "lang"),
    [
        (MENU, PAIRS[:2], "en"),
        (MENU, [*PAIRS[:2], PAIRS[0]], "en"),
        (MENU, PAIRS, ""),
        (MENU, PAIRS, "fr"),
        (MENU, PAIRS, "eng"),
        (MENU, [*PAIRS[:2], ("Manifesto", "Ma")], "en"),  # 9 letters are more than 3 times 2
        ("<li>A <b lang=en>1</b> <b lang=cy>2</b>", PAIRS, "en"),
        ("<li><b lang=en>1</b> <b>2</b>", PAIRS, "en"),
        ("<li><b lang=en>1</b> <b lang=en-GB>2</b>", PAIRS, "en"),
        ("<li><b lang=en>1</b>, <b lang=cy>2</b>", PAIRS, "en"),
        ("<li><b lang=en>1</b> <b lang=cy>2</b> <b lang=fr>x</b>", PAIRS, "en"),
        ("<li><b lang=en>1</b> <b lang=cy>2</b> <b lang=en>on</b>", PAIRS, "en"),
        ("<li><b data-lang=en>1</b> <b hreflang=cy>2</b>", PAIRS, "en"),
        ("<pre><b lang=en>1</b> <b lang=cy>2</b></pre>", PAIRS, "en"),
    ],
)
def test_other_blocks_stay_as_they_are(row: str, pairs: list[tuple[str, str]], lang: str) -> None:
    texts = block_texts(page(row, pairs, lang))
    assert len(texts) == 2 + len(pairs)
    assert all(two in text for text, (_, two) in zip(texts[1:], pairs, strict=False))


def test_three_times_as_long() -> None:
    assert block_texts(page(MENU, [*PAIRS[:2], ("Manifesto", "Man")]))[-2] == "Manifesto"


def test_characters_and_links_are_counted_anew() -> None:
    linear = linearise(page(MENU), "http://a.example/")
    assert linear.blocks.chars.tolist() == [9, 12, 4, 9, 3]
    assert linear.blocks.link_chars.tolist() == [0, 12, 4, 9, 0]
    assert linear.links.spans.tolist() == [[1, 2], [2, 3], [3, 4]]


def test_both_texts_stay_in_a_page_to_be_divided_by_language() -> None:
    (linear,) = linearise_all([page(MENU).encode()], ["http://a.example/"], with_hidden=True)
    assert linear.blocks.chars.tolist() == [9, 27, 9, 19, 3]
