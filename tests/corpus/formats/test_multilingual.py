"""Segments of several language pairs as units of all their languages: what is one unit, and what is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from diglot.corpus.formats.check import check_tmx
from diglot.corpus.formats.multilingual import joined_units
from diglot.corpus.formats.tmx import Side, read_tmx, write_multilingual_tmx
from diglot.errors import LanguageError
from diglot.records import FLAGGED_SCHEMA

LANGS = ("de", "en", "fr")


def row(src: str, tgt: str, *langs: str, page: int = 1, score: float = 0.5, copies: tuple[int, ...] = ()) -> pa.Table:
    """A segment of a numbered page, or of two such pages where ``page`` is a pair of numbers."""
    told: dict[str, Any] = {"src": src, "tgt": tgt, "src_lang": langs[0], "tgt_lang": langs[1], "score": score}
    for side, lang in zip(("src", "tgt"), langs, strict=True):
        told |= {f"{side}_url": f"{lang}{page}", f"other_{side}_urls": [f"{lang}{n}" for n in copies]}
    told |= {"bead": "1-2", "kind": 0, "flags": [], "position": 0, "fetched": "", "src_variant": "", "tgt_variant": ""}
    return pa.Table.from_pylist([told], schema=FLAGGED_SCHEMA)


def texts(tables: list[pa.Table], pivot: str = "en") -> list[list[tuple[str, str]]]:
    return [[(side.lang, side.text) for side in unit] for unit in joined_units(tables, pivot, LANGS)]


def test_the_same_text_on_the_same_page_is_one_unit() -> None:
    """Whatever side the pivot is on, and in whatever order the pairs come."""
    tables = [row("Eins", "One", "de", "en"), row("One", "Un", "en", "fr")]
    unit = [("en", "One"), ("de", "Eins"), ("fr", "Un")]
    assert texts(tables) == texts(tables[::-1]) == [unit]
    (found,) = joined_units(tables, "en", LANGS)
    assert [(side.url, side.score, side.bead) for side in found] == [
        ("en1", None, ""),
        ("de1", 0.5, "2-1"),
        ("fr1", 0.5, "1-2"),
    ]


def test_the_same_text_on_another_page_is_another_unit_but_where_a_copy_of_it_was_left_out() -> None:
    german = row("Eins", "One", "de", "en")
    apart = [[("en", "One"), ("de", "Eins")], [("en", "One"), ("fr", "Un")]]
    assert texts([german, row("One", "Un", "en", "fr", page=2)]) == apart
    assert texts([german, row("Other", "Un", "en", "fr")]) == [apart[0], [("en", "Other"), ("fr", "Un")]]
    together = [german, row("One", "Un", "en", "fr", page=2, copies=(1, 3))]
    assert texts(together) == [[("en", "One"), ("de", "Eins"), ("fr", "Un")]]
    (found,) = joined_units(together, "en", LANGS)
    assert found[0].url == "en1"


def test_of_two_translations_the_better_is_joined_and_the_other_kept() -> None:
    tables = [row("One", "Une", "en", "fr", score=0.6), row("One", "Un", "en", "fr", score=0.9)]
    assert texts([row("Eins", "One", "de", "en"), *tables]) == [
        [("en", "One"), ("de", "Eins"), ("fr", "Un")],
        [("en", "One"), ("fr", "Une")],
    ]


def test_pairs_without_the_pivot_are_left_out() -> None:
    tables = [row("Eins", "Un", "de", "fr"), row("Eins", "One", "de", "en")]
    assert texts(tables) == [[("en", "One"), ("de", "Eins")]]
    assert texts(tables, "fr") == [[("fr", "Un"), ("de", "Eins")]]


def test_the_file_is_tmx_and_a_side_of_nothing_is_left_out(tmp_path: Path) -> None:
    units = [
        [Side("en-US", "One & <two>", "e", "en-GB"), Side("de", "Eins", "d", "", 0.5, "1-1", ["names"], "2024-01-02")],
        [Side("en-US", "Two", "e"), Side("de", "\x02", "d"), Side("fr", "Deux", "f", "", 1.0, "1-1")],
        [Side("en-US", "\x02", "e"), Side("de", "Drei", "d"), Side("fr", "Trois", "f")],
        [Side("en-US", "Three", "e"), Side("de", " ", "d")],
    ]
    assert write_multilingual_tmx(tmp_path / "m.tmx", units, src_lang="en-US") == 2
    report = check_tmx(tmp_path / "m.tmx")
    assert (report.ok, report.languages) == (True, ("de", "en-US", "fr"))
    first, second = read_tmx(tmp_path / "m.tmx")
    assert [(each.lang, each.text) for each in second.variants] == [("en-US", "Two"), ("fr", "Deux")]
    assert first.variants[0].props == {"x-url": "e", "x-variant": "en-GB"}
    assert first.variants[1].props == {"x-url": "d", "x-score": "0.5000", "x-bead": "1-1", "x-flags": "names"}
    with pytest.raises(LanguageError, match="zh_CN"):
        write_multilingual_tmx(tmp_path / "m.tmx", units, src_lang="zh_CN")
