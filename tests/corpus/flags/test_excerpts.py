"""The flag ``excerpt``: one side is cut short, and the site has the whole text elsewhere."""

from __future__ import annotations

import pyarrow as pa
import pytest

from diglot.corpus.flags.excerpts import LEAST_BEGINNING, beginnings_of
from diglot.corpus.flags.flagging import flag_segments
from diglot.records import SEGMENT_SCHEMA
from made_segments import made_segment

WHOLE = ("How to grow roses in your own garden", "Comment cultiver des roses dans votre jardin")


def flagged(*texts: tuple[str, str], **others: list[str]) -> list[bool]:
    """Whether each segment has the flag; ``others``: values of further columns."""
    rows = [made_segment(src, tgt, langs="en-fr", page=page) for page, (src, tgt) in enumerate(texts)]
    for name, values in others.items():
        rows = [row | {name: value} for row, value in zip(rows, values, strict=True)]
    flags = flag_segments(pa.Table.from_pylist(rows, schema=SEGMENT_SCHEMA))["flags"].to_pylist()
    return ["excerpt" in found for found in flags]


@pytest.mark.parametrize(
    ("src", "tgt", "expected"),
    [
        ("How to grow roses in yo...", "Comment cultiver des ros...", True),
        ("How to grow roses in your […]", "Comment cultiver des tulipes", True),  # one side is enough
        ("Cultivate tulips", "Comment cultiver des roses [...]", True),
        ("How to grow roses in …", "Autre", True),
        ("Spring is here. How to grow roses in...", "Le printemps est là.", True),  # the last sentence
        ("How to grow roses in yo", "Comment cultiver des ros", False),  # no mark of a cut
        ("How to grow tulips in yo...", "Comment cultiver des tul...", False),  # no longer text
        (WHOLE[0] + "...", WHOLE[1] + " …", False),  # nothing follows but the mark
        ("How to grow roses in your own garden? ...", "Les roses", False),
        ("... roses in your own garden", "... des roses dans votre jardin", False),  # a mark in front
    ],
)
def test_a_cut_side_is_found_by_the_whole_text(src: str, tgt: str, expected: bool) -> None:
    assert flagged((src, tgt), WHOLE) == [expected, False]


def test_the_whole_text_may_stand_without_a_translation() -> None:
    assert flagged(("How to grow roses in yo...", "Les roses"), (WHOLE[0], "")) == [True, False]


def test_a_short_beginning_is_chance() -> None:
    beginning = WHOLE[0][:LEAST_BEGINNING]
    assert flagged((f"{beginning}...", "Les roses"), WHOLE) == [True, False]
    assert flagged((f"{beginning[:-1]}...", "Les roses"), WHOLE) == [False, False]


def test_the_whole_text_is_of_the_same_site_and_language() -> None:
    cut = ("How to grow roses in yo...", "Les roses")
    addresses = (
        ["https://a.example/en/1", "https://b.example/en/1"],
        ["https://a.example/fr/1", "https://b.example/fr/1"],
    )
    assert flagged(cut, WHOLE, src_url=addresses[0], tgt_url=addresses[1]) == [False, False]
    assert flagged(cut, WHOLE[::-1]) == [False, False]


def test_a_whole_text_before_and_behind_others_in_order_is_found() -> None:
    others = [("How to grow roses", "A"), ("How to grow roses in pots", "B"), ("How to grow tulips", "C")]
    assert flagged(("How to grow roses in...", "D"), *others) == [True, False, False, False]


def test_beginnings() -> None:
    assert beginnings_of("Search...") == []
    assert beginnings_of("First things first! And then the second things [...]") == [
        "First things first! And then the second things",
        "And then the second things",
    ]
