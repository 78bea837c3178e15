"""Every code point there is, against the grammar of XML 1.0 written out once more; language tags."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diglot.corpus.characters import clean_text, is_valid_tag, one_line

SPACED = {0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x1C, 0x1D, 0x1E, 0x1F, 0x85}
REMOVED = (set(range(0x20)) | set(range(0x7F, 0xA0)) | set(range(0xD800, 0xE000)) | {0xFFFE, 0xFFFF}) - SPACED


def test_every_code_point_is_kept_spaced_or_removed() -> None:
    wrong = []
    for code in range(sys.maxunicode + 1):
        expected = " " if code in SPACED else "" if code in REMOVED else chr(code)
        if clean_text(chr(code)) != expected:
            wrong.append(hex(code))
    assert wrong == []


def test_what_xml_forbids_is_what_goes_but_for_del_and_c1() -> None:
    xml_allows = {0x9, 0xA, 0xD, *range(0x20, 0xD800), *range(0xE000, 0xFFFE), *range(0x10000, 0x110000)}
    assert set(map(ord, clean_text("".join(map(chr, range(sys.maxunicode + 1)))))) == xml_allows - (
        {0x9, 0xA, 0xD} | set(range(0x7F, 0xA0))
    )


def test_a_case_by_hand() -> None:
    assert clean_text("a\x00b\x0bc\ufffed\U0001f600\u200de") == "ab cd\U0001f600\u200de"


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("the bell \x07 and", "the bell and"),
        ("the bell \x07\ufffe\x08 and", "the bell and"),
        ("the bell \x07 \x07 and", "the bell and"),
        ("\x07 the bell \x07", "the bell"),
        ("the\x07 bell\x07", "the bell"),
        # Blanks of the text itself stay, and what stands between none.
        ("  the  bell\x07 ", "  the  bell "),
        ("\x07bell", "bell"),
    ],
)
def test_removed_characters_leave_no_blank_of_their_own(text: str, cleaned: str) -> None:
    assert clean_text(text) == one_line(text) == cleaned


@given(st.text(st.characters()))
def test_cleaning_twice_changes_nothing(text: str) -> None:
    cleaned = clean_text(text)
    assert clean_text(cleaned) == cleaned


@given(st.text(st.characters()))
def test_one_line_is_one_line_to_every_reader(text: str) -> None:
    line = one_line(text)
    assert len(f"x{line}".splitlines()) == 1
    assert "\t" not in line
    assert line == one_line(line)


def test_no_code_point_at_all_breaks_a_line() -> None:
    line = one_line("".join(map(chr, range(sys.maxunicode + 1))))
    assert len(line.splitlines()) == 1
    assert "\u2028" not in line


@pytest.mark.parametrize("tag", ["en", "pt-BR", "zh-Hant-TW", "sr-Latn", "es-419", "ca-valencia", "de-1996", "und"])
def test_valid_tags(tag: str) -> None:
    assert is_valid_tag(tag)


@pytest.mark.parametrize("tag", ["", "zh_CN", "hbs_cyrillic", "english", "xx", "en-", "-en", "e n", "en-YY", "*all*"])
def test_tags_that_are_not_valid(tag: str) -> None:
    assert not is_valid_tag(tag)
