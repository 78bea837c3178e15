"""Segments picked out of a table: by score, flag, text and page, in orders, drawn and joined."""

import dataclasses
import re
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from diglot.corpus.choosing import Segment
from diglot.corpus.formats import Segments
from diglot.errors import UsageError
from diglot.records import FLAGGED_SCHEMA
from made_segments import made_segment


def segments(*rows: tuple[str, str, float, list[str], str], langs: tuple[str, str] = ("en", "fr")) -> Segments:
    """Segments of a source, a target, a score, flags and the address of the source page."""
    table = [
        made_segment(
            src, tgt, langs="-".join(langs), score=score, flags=flags, src_url=url, tgt_url=f"{url}.{langs[1]}"
        )
        for src, tgt, score, flags, url in rows
    ]
    return Segments(pa.Table.from_pylist(table, FLAGGED_SCHEMA), *langs)


FOUR = segments(
    ("The sea", "La mer", 0.9, [], "a"),
    ("A boat", "Un bateau", 0.5, ["too_short"], "b"),
    ("A small boat", "Une barque", 0.7, ["numbers", "too_short"], "b"),
    ("Sky", "Ciel", 0.5, ["duplicate"], "c"),
)


def texts(found: Segments) -> list[str]:
    return [row.src for row in found]


def test_rows_are_typed() -> None:
    row = FOUR[2]
    assert isinstance(row, Segment)
    assert (row.tgt, row.flags, row.src_url) == ("Une barque", ("numbers", "too_short"), "b")
    assert {each.name for each in dataclasses.fields(Segment)} == {*FLAGGED_SCHEMA.names} - {
        "src_blanks",
        "tgt_blanks",
        "tgt_start",
    }
    assert FOUR[-1] == FOUR[3]
    assert texts(FOUR[1:3]) == ["A boat", "A small boat"]
    assert texts(FOUR[::-2]) == ["Sky", "A boat"]
    with pytest.raises(IndexError):
        FOUR[4]


@pytest.mark.parametrize(
    ("wishes", "found"),
    [
        ({}, ["The sea", "A boat", "A small boat", "Sky"]),
        ({"min_score": 0.7}, ["The sea", "A small boat"]),
        ({"max_score": 0.5}, ["A boat", "Sky"]),
        ({"flag": "too_short"}, ["A boat", "A small boat"]),
        ({"flag": ["duplicate", "numbers"]}, ["A small boat", "Sky"]),
        ({"flag": []}, []),
        ({"without": "too_short"}, ["The sea", "Sky"]),
        ({"src": "(?i)^a .*boat$", "tgt": "Une"}, ["A small boat"]),
        ({"page": "b.fr"}, ["A boat", "A small boat"]),
        ({"page": "b", "min_score": 0.6, "without": ["duplicate"]}, ["A small boat"]),
    ],
)
def test_filter(wishes: dict[str, object], found: list[str]) -> None:
    assert texts(FOUR.filter(**wishes)) == found


def test_sorting_leaves_equal_ones_as_they_were() -> None:
    assert texts(FOUR.sort("score")) == ["A boat", "Sky", "A small boat", "The sea"]
    assert texts(FOUR.sort("score", descending=True)) == ["The sea", "A small boat", "A boat", "Sky"]
    assert texts(FOUR.sort("length")) == ["Sky", "The sea", "A boat", "A small boat"]


def test_a_sample_is_the_same_for_the_same_seed() -> None:
    drawn = [tuple(texts(FOUR.sample(2, seed=seed))) for seed in range(20)]
    assert drawn == [tuple(texts(FOUR.sample(2, seed=seed))) for seed in range(20)]
    assert len(set(drawn)) > 1
    order = texts(FOUR)
    assert all(order.index(first) < order.index(second) for first, second in drawn)
    assert texts(FOUR.sample(9)) == order


def test_a_sample_of_no_segment_is_refused_by_the_name_of_the_argument() -> None:
    with pytest.raises(UsageError, match=r"^size=0: give a whole number, at least 1"):
        FOUR.sample(0)
    assert len(texts(FOUR.sample(1))) == 1


def test_joined_by_their_source() -> None:
    german = segments(
        ("Sky", "Himmel", 1.0, [], "c"),
        ("The sea", "Das Meer", 1.0, [], "a"),
        ("The sea", "Die See", 1.0, [], "d"),
        langs=("en", "de"),
    )
    assert FOUR.join(german).to_pylist() == [
        {"en": "The sea", "fr": "La mer", "de": "Das Meer"},
        {"en": "The sea", "fr": "La mer", "de": "Die See"},
        {"en": "Sky", "fr": "Ciel", "de": "Himmel"},
    ]
    with pytest.raises(UsageError, match="en-fr and en-fr"):
        FOUR.join(FOUR)


def test_texts_without_a_source_are_joined_with_none() -> None:
    french = segments(("", "Le ciel", 0.0, ["unaligned"], "a"), ("Sky", "Ciel", 1.0, [], "a"))
    german = segments(("", "Das Meer", 0.0, ["unaligned"], "a"), ("Sky", "Himmel", 1.0, [], "a"), langs=("en", "de"))
    assert french.join(german).to_pylist() == [{"en": "Sky", "fr": "Ciel", "de": "Himmel"}]


def test_a_place_that_is_none_is_told() -> None:
    for place in (4, -5, 10**9):
        with pytest.raises(IndexError, match=rf"no segment {place}: there are 4"):
            FOUR[place]
    for wrong in ("src", [1, 2], 1.5):
        with pytest.raises(UsageError, match=r"give a number or a slice, as in \[0\] or \[:10\]"):
            FOUR[wrong]  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("wishes", "message"),
    [
        ({"flags": "too_short"}, "no property 'flags'; did you mean flag"),
        ({"flag": "too_shrt"}, "did you mean too_short"),
        ({"src": "("}, "no regular expression"),
    ],
)
def test_what_cannot_be_meant_is_said(wishes: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        FOUR.filter(**wishes)
    with pytest.raises(UsageError, match="sorted by one of"):
        FOUR.sort("colour")


def test_a_notebook_shows_the_first_and_says_how_many() -> None:
    many = segments(*((f"<b>{n}</b>", "x", 1.0, [], "a") for n in range(12)))
    shown = many._repr_html_()
    assert shown.count("<tr>") == 11
    assert "&lt;b&gt;9" in shown
    assert "<b>" not in shown
    assert "10 of 12 segments" in shown
    assert repr(many) == "<12 segments en-fr>"


def test_rows_of_another_table_are_taken_with_their_columns() -> None:
    table = FOUR.table.slice(1, 2)
    loose = table.set_column(table.column_names.index("score"), "score", table["score"].cast(pa.float64()))
    loose = loose.append_column("mine", pa.array([1, 2])).select(["mine", *reversed(FLAGGED_SCHEMA.names)])
    assert FOUR.with_rows(loose).table.equals(FOUR[1:3].table)
    assert not len(FOUR.with_rows(FLAGGED_SCHEMA.empty_table()))


def test_rows_in_other_languages_are_refused() -> None:
    german = segments(("The sea", "Das Meer", 0.9, [], "a"), langs=("en", "de"))
    for rows in (german.table, pa.concat_tables([FOUR.table, german.table])):
        with pytest.raises(UsageError, match="rows of en-de among segments en-fr: choose by src_lang and tgt_lang"):
            FOUR.with_rows(rows)
    assert not len(german[:0].with_rows(FOUR.table[:0]))


WRONG_ROWS = {
    "give a pyarrow.Table, or a data frame": [1, 2],
    ": give a pyarrow.Table, or a data frame": SimpleNamespace(iloc=[]),  # a column of pandas
    "no column bead, flags; ": FOUR.table.drop_columns(["bead", "flags"]),
    "column score: string is no float": FOUR.table.set_column(
        FLAGGED_SCHEMA.get_field_index("score"), "score", pa.array(["a"] * 4)
    ),
    "column score: row 1 has nan; give a number between 0 and 1": FOUR.table.set_column(
        FLAGGED_SCHEMA.get_field_index("score"), "score", pa.array([0.0, float("nan"), 1.0, 2.0])
    ),
    "column score: row 3 has 2; give a number between 0 and 1": FOUR.table.set_column(
        FLAGGED_SCHEMA.get_field_index("score"), "score", pa.array([0.0, 0.5, 1.0, 2.0])
    ),
    "column flags: string is no list<item: string>; a CSV keeps no lists, save rows as Parquet": FOUR.table.set_column(
        FLAGGED_SCHEMA.get_field_index("flags"), "flags", pa.array(["[]"] * 4)
    ),
    "column score: row 1 has no value; give one": FOUR.table.set_column(
        FLAGGED_SCHEMA.get_field_index("score"), "score", pa.array([0.0, None, 1.0, 1.0])
    ),
    "no flag 'dupliacte'; did you mean duplicate?": FOUR.table.set_column(
        FLAGGED_SCHEMA.get_field_index("flags"), "flags", pa.array([["dupliacte"], [], [], []])
    ),
    "column tgt: row 2 has no value; write '' for no text": FOUR.table.set_column(
        1, "tgt", pa.array(["a", "b", None, "c"])
    ),
}


@pytest.mark.parametrize("told", WRONG_ROWS)
def test_rows_that_are_no_segments_are_refused(told: str) -> None:
    with pytest.raises(UsageError, match=re.escape(told)):
        FOUR.with_rows(WRONG_ROWS[told])


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_data_frame_becomes_segments_again(library: str) -> None:
    pytest.importorskip(library)
    frame: Any = getattr(FOUR, f"to_{library}")()
    assert FOUR.with_rows(frame).table.equals(FOUR.table)
    assert not len(FOUR.with_rows(frame[:0]))


def test_blanks_of_a_changed_text_are_cleared() -> None:
    tgt, blanks = (FLAGGED_SCHEMA.get_field_index(name) for name in ("tgt", "tgt_blanks"))
    table = FOUR.table.set_column(blanks, FLAGGED_SCHEMA.field(blanks), pa.array(["\u00a0", "\u202f", None, None]))
    given = Segments(table, "en", "fr")
    turned = given.with_rows(table.take(pa.array([1, 0]))).table
    assert turned["tgt_blanks"].to_pylist() == ["\u202f", "\u00a0"]
    edited = table.set_column(tgt, FLAGGED_SCHEMA.field(tgt), pa.array(["Une mer", "Un bateau", "Une barque", "Ciel"]))
    assert given.with_rows(edited).table["tgt_blanks"].to_pylist() == [None, "\u202f", None, None]


@pytest.mark.parametrize("given", [[1, 2], None, "a.tsv"])
def test_segments_are_made_of_a_table_alone(given: Any) -> None:
    with pytest.raises(UsageError, match=r"^table=.*give a pyarrow.Table with the columns of"):
        Segments(given, "en", "fr")
