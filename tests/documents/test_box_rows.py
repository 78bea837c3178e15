"""Labels side by side in spans of one class are a block each; sentences, code and headings in spans stay whole."""

import pytest

from diglot.records import BlockKind
from linearised import block_texts, linearise


def spans(*texts: str, attributes: str = ' class="place"', between: str = "\n", element: str = "div") -> str:
    found = between.join(f"<span{attributes}>{text}</span>" for text in texts)
    return f"<p>Some text.<{element}>{found}</{element}><p>End"


@pytest.mark.parametrize(
    "labels",
    [
        ["35 m²", "2 Adults", "Sea view"],
        ["Plumbing", "Wood &amp; glass", "LINE"],
        ["FDA 승인 장비", "정기 점검", "1회용 도구"],
        ["Пляж 5", "3D", "Öl"],
        ["פמוטים", "גביעי קרן", "Sale 5%"],
        ["开放原则", "可挑战原则", "พัทยา"],
        ["OPEN AIR", "BAR", "POOL"],
        ["A" * 40, "Bar", "Pool"],
        ["Fast!", "Cheap!", "Good!"],
        ["Lighting ext.", "Pools", "Sea view"],
        ["정기 점검", "1회용 도구 판매", "무료 상담 2회 제공"],
        ["Carpentry of wood and aluminium", "Pools", "Sea view"],
    ],
)
def test_labels_are_a_block_each(labels: list[str]) -> None:
    texts = [label.replace("&amp;", "&") for label in labels]
    assert block_texts(spans(*labels)) == ["Some text.", *texts, "End"]
    assert block_texts(spans(*labels, between=" <img src=x> ")) == ["Some text.", *texts, "End"]


def test_the_boxes_have_the_kind_of_their_row_and_all_characters_are_counted() -> None:
    linear = linearise(spans("35 m²", "2 Adults", "Sea view", element="li"))
    assert linear.blocks.kinds.tolist() == [
        BlockKind.PARAGRAPH,
        *[BlockKind.LIST_ITEM] * 3,
        BlockKind.PARAGRAPH,
    ]
    assert linear.blocks.chars.tolist() == [10, 5, 8, 8, 3]
    assert linear.blocks.link_chars.tolist() == [0] * 5


def test_pictures_may_stand_in_a_box() -> None:
    labels = [f"<svg viewBox='0 0 9 9'><path d='M1'></svg> <!-- --> {text}" for text in ("Bar", "Pool", "Sea view")]
    assert block_texts(spans(*labels)) == ["Some text.", "Bar", "Pool", "Sea view", "End"]


@pytest.mark.parametrize(
    "words",
    [
        ["Bar", "Pool"],  # two
        ["We", "have", "Pools"],
        ["Bar,", "Pool,", "Sea view"],
        ["Bar", "Pool", "&amp; more"],
        ["A", "Bar", "Pool"],
        ["2024", "Bar", "Pool"],
        ["CTRL", "ALT", "DEL"],
        ["שלום", "לכם", "Haus"],
        ["мы", "в", "Доме"],
        ["A" * 41, "Bar", "Pool"],
        ["<b>Bar</b>", "Pool", "Sea view"],
        ["우리는 고객의 성공을 위해", "언제나 최선을 다하고", "있습니다."],
        ["우리는 고객의 성공을", "최선을 다하고", "있습니다"],
        ["정기 점검", "일회용 도구 판매", "무료 상담"],
        ["هذا الكتاب الجديد الذي", "كتبه المؤلف في العام", "الماضي رائع."],
        ["სახლი ახალი ქალაქში", "ძალიან კარგია", "დიდი"],
        ["我们一直努力", "为每位客户", "提供服务。"],
        ["Der neue Leiter der", "Abteilung ist Herr", "Meier aus Berlin."],
        ["Er kam. Herr", "Meier ging.", "Sie sahen ihn!"],
        ["Er sprach", "Zu Herrn Meier", "Von „Berlin.”"],
    ],
)
def test_other_words_stay_in_one_block(words: list[str]) -> None:
    assert len(block_texts(spans(*words))) == 3


@pytest.mark.parametrize(
    "other",
    [
        {"attributes": ""},
        {"attributes": ' style="color: red"'},
        {"attributes": ' class=""'},
        {"attributes": ' data-class="place"'},
        {"between": ", "},
        {"element": "h2"},
        {"element": "pre"},
    ],
    ids=str,
)
def test_what_is_no_row_of_boxes_stays_whole(other: dict[str, str]) -> None:
    assert len(block_texts(spans("BAR 1", "BAR 2", "BAR 3"))) == 5
    assert len(block_texts(spans("BAR 1", "BAR 2", "BAR 3", **other))) == 3


def test_touching_words_of_a_script_without_blanks_stay_whole() -> None:
    assert len(block_texts(spans("开放原则", "可挑战原则", "可修正原则", between=""))) == 3


def test_the_class_is_that_of_every_box() -> None:
    other = spans("Bar", "Pool", "Sea view").replace('class="place">Sea', 'class="place big">Sea')
    assert len(block_texts(other)) == 3
    beside = spans("Bar", "Pool", "Sea view").replace("</div>", "and more</div>")
    assert len(block_texts(beside)) == 3
    linked = spans("Bar", "Pool", "Sea view").replace("Pool", "<a href=/p>Pool</a>")
    assert len(block_texts(linked)) == 3
    around = spans("Bar", "Pool", "Sea view").replace("<div>", "<div><a href=/p>").replace("</div>", "</a></div>")
    assert len(block_texts(around)) == 3
