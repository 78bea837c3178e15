"""Texts without what stands before them and is no part: the mark of a list that an author typed on one side alone,
*• Prices* beside *Preise*, and the codes of both languages, *ET Tuulik* beside *EN Mill*.

The other page has its list in HTML, whose marks are no text. A number is a mark only where the page has the number
before or behind it as well, and the other side does not have it: *1. Sempozyum* is *1st Symposium*.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import numpy as np
import pyarrow as pa

from diglot.corpus.flags import CORRECTED
from diglot.corpus.flags.context import sides_match
from diglot.corpus.flags.keeping import carries
from diglot.documents.language_tags import language_of
from diglot.records import with_columns

_MAYBE_MARK = r"^(?:[•·●▪■◦▶►✓✔➤§*–-]|\d{1,2}(?:/\d{1,2})? ?[.)-])\s"
_MARK = re.compile(
    r"(?:[•·●▪■◦▶►✓✔➤] (?=[^\W\d_]|\d(?!\d? ?[.)-]))|[§*–-] (?=[^\W\d_])"
    r"|(\d{1,2})(?:/\d{1,2})? ?[.)-] (?=[^\W\d_]))"
)
"""A mark, and what it stands before: a minus sign, a paragraph and a footnote stand before numbers. A gallery counts
*5/16 -*."""
_MAYBE_CODE = r"^[A-Z]{2,3}\s+[\pL\pN]"
_CODE = re.compile(r"([A-Z]{2,3}) +(?![A-Z]{2,3}(?!\w))(?=[^\W\d_]|\d(?!\d? ?[.)-]))")
"""A code before a word or number. A second code, a bar or a bracket behind it is part of a switch of languages."""
_UNMARKED = re.compile(r"(?!\w{1,3} ?[.):、-])\w")
"""The beginning of a text without a mark of any kind: *2.*, *a)* and *二、* are marks, too."""


def without_lone_marks(segments: pa.Table) -> pa.Table:
    """The segments without marks of lists on one side alone; a correction by hand stays as it is."""
    src, tgt = sides_match(segments, _MAYBE_MARK) & ~carries(segments, CORRECTED)
    for side, other, is_marked in (("src", "tgt", src & ~tgt), ("tgt", "src", tgt & ~src)):
        pages = segments.select([side, other, "src_url", "tgt_url"]).filter(pa.array(is_marked))
        rows = zip(np.flatnonzero(is_marked).tolist(), *(column.to_pylist() for column in pages), strict=True)
        marks = [
            (*urls, row, mark)
            for row, text, its, *urls in rows
            if (mark := _MARK.match(text)) and _UNMARKED.match(its) and not (mark[1] and mark[1] in its)
        ]
        cuts = {row: mark for *_, row, mark in marks if not mark[1]} | _numbers_in_a_row(marks)
        segments = _without_beginnings(segments, side, cuts)
    return segments


def without_language_codes(segments: pa.Table) -> pa.Table:
    """The segments without the codes of their languages before both texts, as a leaflet in several languages has them;
    a correction by hand stays as it is."""
    may_have = sides_match(segments, _MAYBE_CODE).all(axis=0) & ~carries(segments, CORRECTED)
    columns = segments.select(["src", "tgt", "src_lang", "tgt_lang"]).filter(pa.array(may_have)).to_pydict().values()
    codes: tuple[dict[int, re.Match[str]], dict[int, re.Match[str]]] = ({}, {})
    for row, src, tgt, *langs in zip(np.flatnonzero(may_have).tolist(), *columns, strict=True):
        found = _CODE.match(src), _CODE.match(tgt)
        if found[0] and found[1] and [each[1].lower() for each in found if each] == list(map(language_of, langs)):
            codes[0][row], codes[1][row] = found[0], found[1]
    for side, found_codes in zip(("src", "tgt"), codes, strict=True):
        segments = _without_beginnings(segments, side, found_codes)
    return segments


def _without_beginnings(segments: pa.Table, side: str, cuts: Mapping[int, re.Match[str]]) -> pa.Table:
    """The segments without what was found at the beginning of the texts of a side, by row."""
    if not cuts:
        return segments
    texts, blanks = (segments[name].to_pylist() for name in (side, f"{side}_blanks"))
    for row, found in cuts.items():
        texts[row] = texts[row][found.end() :]
        blanks[row] = blanks[row] and blanks[row][found[0].count(" ") :]
    return with_columns(segments, **{side: texts, f"{side}_blanks": blanks})


def _numbers_in_a_row(marks: Iterable[tuple[str, str, int, re.Match[str]]]) -> dict[int, re.Match[str]]:
    """Row and mark of the numbers that are one more or less than another number on their page pair.

    ``marks``: both addresses, row and mark.
    """
    numbers = [((src, tgt), int(mark[1]), row, mark) for src, tgt, row, mark in marks if mark[1]]
    known = {(pages, number) for pages, number, *_ in numbers}
    return {
        row: mark
        for pages, number, row, mark in numbers
        if (pages, number - 1) in known or (pages, number + 1) in known
    }
