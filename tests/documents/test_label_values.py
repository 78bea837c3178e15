"""A label and its value in two elements that touch are a block each; words in two styles stay whole."""

import pytest

from diglot.records import BlockKind
from linearised import block_texts, linearise


def cards(*pairs: tuple[str, str], tags: tuple[str, str] = ("b", "span"), between: str = "", block: str = "div") -> str:
    first, second = tags
    found = (
        f"<{block}><{first}>{label}</{first.split()[0]}>{between}<{second}>{value}</{second.split()[0]}></{block}>"
        for label, value in pairs
    )
    return f"<p>Some text.{''.join(found)}<p>End"


PHONES = [("Phone", "98 67 29 29"), ("Phone", "+47 12"), ("Mail", "Now")]
WORDS = [("線上", "授課"), ("線下", "授課"), ("線", "課程")]


@pytest.mark.parametrize(
    "pairs",
    [
        PHONES,
        [("Self-drive", "$190"), ("With driver:", "$250"), ("Children (0-6)", "€0")],
        [("上課方式", "線上視頻授課"), ("1:6", "小班師生比"), ("線", "課")],
        [("مستقر", "آشنایی محلی"), ("ایمیل", "بله"), ("تلفن", "خیر")],
        [("15", "partner sessions"), ("3", "hours of talks"), ("1", "day out")],
        [("A" * 40, "Bar"), ("Pool", "5%"), ("Sea", "View")],
    ],
)
def test_label_and_value_are_a_block_each(pairs: list[tuple[str, str]]) -> None:
    texts = [text for pair in pairs for text in pair]
    assert block_texts(cards(*pairs)) == ["Some text.", *texts, "End"]


@pytest.mark.parametrize(
    "pairs",
    [
        PHONES[:2],
        [PHONES[0], PHONES[0], PHONES[1]],
        [("A" * 41, "Bar"), ("Pool", "5%"), ("Sea", "View")],
        [("Kap", "itel"), ("етн", "ая"), ("Fo", "ot")],
        [("10", "km"), ("11", "km"), ("1", "st")],
        [("O", "NCE upon"), ("W", "HEN it"), ("T", "HERE was")],
        [("Phone -", "98"), ("Mail (", "Now"), ("Fax", ", too")],
    ],
)
def test_other_blocks_of_two_elements_stay_whole(pairs: list[tuple[str, str]]) -> None:
    assert len(block_texts(cards(*pairs))) == 2 + len(pairs)


@pytest.mark.parametrize(
    ("other", "blocks"),
    [
        ({"between": " "}, 5),
        ({"between": "&nbsp;"}, 5),
        ({"between": "<br>"}, 8),
        ({"block": "h3"}, 5),
        ({"tags": ("span", "span")}, 5),
        ({"tags": ("em class=a", "em")}, 8),
    ],
)
def test_nothing_stands_between_label_and_value(other: dict[str, str], blocks: int) -> None:
    assert len(block_texts(cards(*PHONES, **other))) == blocks


def test_a_word_may_be_cut_between_elements_of_one_kind() -> None:
    assert len(block_texts(cards(*WORDS))) == 8
    assert len(block_texts(cards(*WORDS, tags=("span", "span")))) == 5
    assert len(block_texts(cards(("Mc", "Donald"), ("De", "Niro"), ("Van", "Gogh"), tags=("b", "b")))) == 5
    assert len(block_texts(cards(("程序", "65%"), ("線下", "3%"), ("線", "44%"), tags=("span", "span")))) == 8


def test_three_texts_of_the_same_two_elements_are_needed() -> None:
    other = cards(("Fax", "12"), ("Street", "Long Way"), tags=("i", "span"))
    assert len(block_texts(cards(*PHONES) + other)) == 8 + 2 + 2


def test_both_blocks_have_the_kind_of_the_whole_and_all_characters_are_counted() -> None:
    linear = linearise(cards(*PHONES, block="li"))
    assert linear.blocks.kinds.tolist() == [BlockKind.PARAGRAPH, *[BlockKind.LIST_ITEM] * 6, BlockKind.PARAGRAPH]
    assert linear.blocks.chars.tolist() == [10, 5, 11, 5, 6, 4, 3, 3]


@pytest.mark.parametrize(
    ("tags", "pairs"),
    [
        (("span", "sub"), [("CO", "2"), ("CH", "4"), ("NO", "2")]),
        (("b", "sup"), [("2", "ND place"), ("3", "RD place"), ("4", "TH place")]),
        (("rb", "rt"), [("漢字", "かんじ"), ("東京", "とうきょう"), ("大阪", "おおさか")]),
        (("code", "span"), [("if", "12"), ("for", "x = 2"), ("var", "30")]),
    ],
)
def test_formulas_readings_and_code_stay_whole(tags: tuple[str, str], pairs: list[tuple[str, str]]) -> None:
    assert len(block_texts(cards(*pairs, tags=tags))) == 5
