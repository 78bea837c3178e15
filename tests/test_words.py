"""Words of texts in several scripts, with and without a segmenter."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diglot import words
from diglot.words import fold_word, is_within, missing_segmenter, shorten_word, terms_of, words_of


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        ("en", "The GNU GPL, v3 (2007) - don't!", ["the", "gnu", "gpl", "v3", "2007", "don", "t"]),
        ("de", "Straße STRASSE", ["strasse", "strasse"]),
        ("fr", "l\u2019e\u0301te\u0301 snake_case", ["l", "été", "snake", "case"]),
        ("ru", "Свободное ПО", ["свободное", "по"]),
        ("hi", "हिन्दी में", ["हिन्दी", "में"]),
        ("en", " -- ... ", []),
        ("th", "กา 12", ["ก", "า", "12"]),
    ],
)
def test_words_by_hand(lang: str, text: str, expected: list[str]) -> None:
    assert words_of(text, lang) == expected


@pytest.fixture
def _no_segmenter(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(words, "_import_or_none", lambda name: None)
    words._segmenter.cache_clear()
    yield
    words._segmenter.cache_clear()


@pytest.mark.usefixtures("_no_segmenter")
def test_without_a_segmenter_characters_are_words_and_it_says_so() -> None:
    assert words_of("ＧＮＵ是自由软件。", "zh-Hans") == ["gnu", "是", "自", "由", "软", "件"]
    assert missing_segmenter("zh-TW") == "pip install 'diglot[zh]'"
    assert missing_segmenter("ja") == "pip install 'diglot[ja]'"
    assert missing_segmenter("de") == ""


def test_chinese_words() -> None:
    pytest.importorskip("rjieba")
    assert words_of("阿富汗将举行首次选举，GNU。", "zh-Hans") == ["阿富汗", "将", "举行", "首次", "选举", "gnu"]
    assert missing_segmenter("zh") == ""


def test_japanese_words() -> None:
    pytest.importorskip("fugashi")
    pytest.importorskip("unidic_lite")
    assert words_of("自由なソフトウェア。", "ja") == ["自由", "な", "ソフトウェア"]


def test_stems_leave_numbers_alone() -> None:
    assert [shorten_word(word, 5) for word in ("translation", "2026010", "a1b2c3d", "cat")] == [
        "trans", "2026010", "a1b2c3d", "cat",
    ]  # fmt: skip
    assert shorten_word("translation", 0) == "translation"


def test_terms_keep_their_letters_and_numbers_their_marks() -> None:
    assert terms_of("Don't use v2.3, UCase or ÉCOLE") == ["Don", "t", "use", "v2", "3", "UCase", "or", "ÉCOLE"]
    assert terms_of("1,234.5 at 10:30") == ["1,234.5", "at", "10:30"]
    assert terms_of("GNU計画は") == ["GNU", "計画", "画は"]


def test_long_words_are_folded_to_five_letters() -> None:
    assert fold_word("université") == "unive"
    assert fold_word("café") == "cafe"
    assert fold_word("2026010") == "2026010"


@pytest.mark.parametrize(
    ("name", "inside", "outside"),
    [
        ("SOUTH_EAST_ASIAN", "กຂကក", "aかカ中가ༀ"),
        ("KANA", "かカー", "ㇰ中ก々"),
        ("IDEOGRAPHS", "中㐀䷀", "々か\uf900𠀀가"),
        ("EAST_ASIAN", "ᄀかㄱㇰ㐀中가\uf900𠀀", "a々䷀ก。！"),
        ("CUT_INTO_PAIRS", "กかカ㐀中가\uf900", "a々䷀ㄱㇰ𠀀！"),
        ("JOINED_WITHOUT_BLANK", "。、々かカ㐀䷀中\uf900！⺀", "a가ㇰㄱก𠀀"),
    ],
)
def test_each_use_has_its_own_set_of_characters(name: str, inside: str, outside: str) -> None:
    ranges = getattr(words, name)
    assert all(is_within(char, ranges) for char in inside)
    assert not any(is_within(char, ranges) for char in outside)


def test_every_row_of_letters_says_why_and_none_overlaps_another() -> None:
    seen: set[int] = set()
    for row in words.LETTERS.values():
        assert row.why.endswith(".")
        codes = [
            code for k in range(0, len(row.ranges), 3) for code in range(ord(row.ranges[k]), ord(row.ranges[k + 2]) + 1)
        ]
        assert not seen.intersection(codes)
        seen.update(codes)


@given(st.text(max_size=60), st.sampled_from(["en", "hi", "th", "zh", "ja"]))
def test_words_of_words_are_the_same_words(text: str, lang: str) -> None:
    found = words_of(text, lang)
    assert all(found)
    if lang in ("en", "hi"):
        assert words_of(" ".join(found), lang) == found
