"""Titles lose the name of the site that both sides end with, where it is foreign to a side."""

import time

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diglot.corpus.flags import CORRECTED
from diglot.corpus.flags.flagging import flag_segments
from diglot.corpus.flags.titles import split_shared_end, without_foreign_end
from diglot.records import SEGMENT_SCHEMA, BlockKind
from made_segments import made_segment


@pytest.mark.parametrize(
    ("src", "tgt", "expected"),
    [
        ("Hair - ABC", "Haar - ABC", ("Hair", "Haar")),
        ("Hair – ABC", "Haar | ABC", ("Hair", "Haar")),  # the bars may differ
        ("Hair | ABC  DEF", "Haar | ABC DEF", ("Hair", "Haar")),  # and blanks
        ("Hair | Care | ABC", "Haar | Care | ABC", ("Hair", "Haar")),
        ("Hair | Care | ABC", "Haar | Pflege | ABC", ("Hair | Care", "Haar | Pflege")),
        ("Hair | Care - ABC", "Haar - Care - ABC", ("Hair", "Haar")),
        ("Hair - Care | ABC", "Haar - Care - ABC", ("Hair - Care", "Haar - Care")),  # but not within the shared end
        ("Hair | ABC", "Haar | DEF", ("Hair | ABC", "Haar | DEF")),  # translated, or another name
        ("Hair | ABC", "Haar | abc", ("Hair | ABC", "Haar | abc")),
        ("ABC | Hair", "ABC | Haar", ("ABC | Hair", "ABC | Haar")),  # the name comes first
        ("Hair-ABC", "Haar-ABC", ("Hair-ABC", "Haar-ABC")),  # no blanks around the hyphen
        ("Hair | ABC", "ABC", ("Hair | ABC", "ABC")),
        (" | ABC", "Haar | ABC", (" | ABC", "Haar | ABC")),  # no side gets empty
    ],
)
def test_the_shared_end_of_two_titles(src: str, tgt: str, expected: tuple[str, str]) -> None:
    assert split_shared_end(src, tgt)[0] == expected


def test_no_part_of_a_title_is_read_for_each_of_its_bars() -> None:
    title = "a" + " | b" * 40_000
    began = time.process_time()
    assert split_shared_end(title, title) == (("a", "a"), title.removeprefix("a | "))
    assert time.process_time() - began < 5  # the square of the bars takes minutes


_PARTS = st.lists(st.sampled_from(["Hair", "Haar", "ABC"]), min_size=1, max_size=4).map(" | ".join)


@given(_PARTS, _PARTS)
def test_shortened_titles_have_no_shared_end_and_the_same_one_was_cut(src: str, tgt: str) -> None:
    (short, other), name = split_shared_end(src, tgt)
    assert split_shared_end(short, other) == ((short, other), "")
    assert name == src[len(short) :].removeprefix(" | ")
    assert src[len(short) :] == tgt[len(other) :]
    assert short
    assert other


@pytest.mark.parametrize(
    ("name", "langs", "is_cut"),
    [
        ("Barnebøker for Norge", ("en", "uk"), True),
        ("Barnebøker for Norge", ("nb", "uk"), True),  # foreign to one side is enough
        ("Barnebøker for Norge", ("nb", "nn"), False),
        ("東京都 対策サイト", ("en", "ko"), True),
        ("東京都", ("ja", "zh"), False),  # in the script of both
        ("東京都 対策サイト", ("ja", "zh-CN"), True),  # kana are in the script of one
        ("東京 ABC", ("en", "ja"), True),  # Latin letters may stand in any text
        ("東京 ABC", ("zh-TW", "ja"), False),
        ("TVK Group", ("en", "ru"), False),  # a name
        ("Apache HTTP Server", ("fr", "ko"), False),
    ],
)
def test_only_a_foreign_name_is_cut(name: str, langs: tuple[str, str], is_cut: bool) -> None:
    whole = (f"Abc | {name}", f"Def | {name}")
    assert without_foreign_end(*whole, langs) == (("Abc", "Def") if is_cut else whole)


def texts_of(src: str, tgt: str, **values: object) -> tuple[str, str]:
    rows = [made_segment(src, tgt, langs="en-de") | values]
    flagged = flag_segments(pa.Table.from_pylist(rows, schema=SEGMENT_SCHEMA))
    return flagged["src"][0].as_py(), flagged["tgt"][0].as_py()


def test_only_titles_are_shortened_and_no_correction_by_hand() -> None:
    sides = ("Hair | Barnebøker for Norge", "Haar | Barnebøker for Norge")
    assert texts_of(*sides, kind=BlockKind.TITLE) == ("Hair", "Haar")
    assert texts_of(*sides, kind=BlockKind.HEADING) == sides
    assert texts_of(*sides, kind=BlockKind.TITLE, flags=[CORRECTED]) == sides
