"""Cutting of texts into tokens, and of sentences into sets of units."""

from __future__ import annotations

import re
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diglot.alignment.lexical.cutting_kernels import sentence_units
from diglot.alignment.lexical.tokens import _LOOK_ALIKES, cut_text
from diglot.alignment.lexical.units import Vocabulary
from diglot.words import EAST_ASIAN

GROUPED = r"\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3})+(?!\d)"
MARKS = "".join(chr(code) for code in range(0x300, 0x1F000) if unicodedata.category(chr(code))[0] == "M")
INSIDE = rf"[{re.escape(MARKS)}\N{{ZERO WIDTH NON-JOINER}}\N{{ZERO WIDTH JOINER}}]+"
LETTERS = rf"[^\W\d_{EAST_ASIAN}]+"
PATTERN = re.compile(rf"{LETTERS}(?:{INSIDE}(?:{LETTERS})?)*|{GROUPED}|\d+|[{EAST_ASIAN}]|[^\w\s]|_|\n")
WITHOUT_MARKS = re.compile(rf"[^\W\d_]+|{GROUPED}|\d+|[^\w\s]|_|\n")
"""The tokens as a pattern says them, in a text with characters that may be marks, and in one without any."""

ODD = (
    "aZé12_.,' \u00a0\u202f\n!中ひ각ก\u0e31\u0301ä\u093f\u0915\u200d٣²½ﬁ\U0001d400\U0001f600\U00011000\U000e0101\ud800"
)


def cut(text: str) -> list[str]:
    tokens, distinct = cut_text(text)
    return ["\n" if token == 0 else distinct[token - 1] for token in tokens.tolist()]


@given(st.text(st.sampled_from(ODD) | st.characters(), max_size=60))
def test_tokens_are_those_of_the_patterns(text: str) -> None:
    plain = unicodedata.normalize("NFKC", text.translate(_LOOK_ALIKES))
    is_marked = re.search("[\u0300-\u1fff\u20d0-\u20ff\u2c00-\U0010ffff]", plain)
    assert cut(text) == (PATTERN if is_marked else WITHOUT_MARKS).findall(plain)


@given(st.text(st.sampled_from("0123. ,'x"), max_size=30))
def test_thousands_are_set_off_as_the_pattern_says(text: str) -> None:
    assert cut(text) == WITHOUT_MARKS.findall(text)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("`Der’ Hund、sagt «er»", ["'", "Der", "'", "Hund", ",", "sagt", '"', "er", '"']),
        (
            "12.500 1’000 1.50 1234.567 1.000.0000",
            ["12.500", "1'000", "1", ".", "50", "1234", ".", "567", "1.000", ".", "0000"],
        ),
        ("中文 한국 ไทย", ["中", "文", "한", "국", "ไทย"]),
        ("a\u200db", ["a", "\u200d", "b"]),
        ("क्\u200dष", ["क्\u200dष"]),
        ("𝐀 😀", ["A", "😀"]),
        ("", []),
    ],
)
def test_tokens_by_hand(text: str, tokens: list[str]) -> None:
    assert cut(text) == tokens


def test_a_thousand_distinct_tokens_keep_their_numbers() -> None:
    words = [f"w{'abcdefghij'[n % 10]}{'klmnopqrst'[n // 10 % 10]}{'uvwxyzABCD'[n // 100]}" for n in range(1000)]
    tokens, distinct = cut_text(" ".join(words + words))
    assert distinct == words
    assert tokens.tolist() == [*range(1, 1001)] * 2


def test_units_stand_once_a_sentence_and_are_counted_each_time() -> None:
    # Tokens 1 "Der" (a name), 2 "," and 3 of two units, one of them that of 1; sentences "Der , Der", "" and ", 3 Der".
    tokens = np.array([1, 2, 1, 0, 0, 2, 3, 1], np.int64)
    classes, offsets = np.array([3, 1, 3, 4], np.int64), np.array([0, 0, 1, 2, 4], np.int64)
    starts, units, counts = sentence_units(tokens, classes, offsets, np.array([0, 1, 2, 0]), (1, 2, 0, 3), (3, 6))
    assert starts.tolist() == [0, 2, 2, 5]
    assert units.tolist() == [0, 1, 1, 2, 0]
    assert counts.tolist() == [[0, 2, 1, 0, 1, 0], [0, 0, 0, 2, 0, 0], [0, 0, 0, 0, 1, 0]]


def test_what_a_sentence_links_to_is_its_last_unit() -> None:
    words = Vocabulary()
    side = words.side(["One two", "", "Two"], links=["", "/a", "/b"])
    assert list(words.numbers) == ["one", "two", "L/a", "L/b"]
    assert [side.units[start:end].tolist() for start, end in zip(side.offsets[:-1], side.offsets[1:], strict=True)] == [
        [0, 1],
        [2],
        [1, 3],
    ]
    assert words.class_counts().sum() == 5
