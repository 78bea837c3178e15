"""Texts without the mark of a list that an author typed on one side alone: *• Prices* beside *Preise*.

The other page has its list in HTML, whose marks are no text. A number is a mark only where the page has the number
before or behind it as well, and the other side does not have it: *1. Sempozyum* is *1st Symposium*.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from diglot.corpus.flags import CORRECTED
from diglot.corpus.flags.context import sides_match
from diglot.corpus.flags.keeping import carries
from diglot.records import with_columns

_MAYBE_MARK = r"^(?:[•·●▪■◦▶►✓✔➤§*–-]|\d{1,2} ?[.)-])\s"
_MARK = re.compile(r"(?:[•·●▪■◦▶►✓✔➤] (?=[^\W\d_]|\d(?!\d? ?[.)-]))|[§*–-] (?=[^\W\d_])|(\d{1,2}) ?[.)-] (?=[^\W\d_]))")
"""A mark, and what it stands before: a minus sign, a paragraph and a footnote stand before numbers."""
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
        if cuts:
            texts, blanks = (segments[name].to_pylist() for name in (side, f"{side}_blanks"))
            for row, mark in cuts.items():
                texts[row] = texts[row][mark.end() :]
                blanks[row] = blanks[row] and blanks[row][mark[0].count(" ") :]
            segments = with_columns(segments, **{side: texts, f"{side}_blanks": blanks})
    return segments


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
