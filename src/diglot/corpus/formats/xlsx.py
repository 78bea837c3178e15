"""A workbook of segments for people: read, filtered, judged and corrected in a spreadsheet program.

A judged workbook is read back by the names of its columns ``id``, ``verdict``, ``corrected_src`` and ``corrected_tgt``:
columns may be moved, but not renamed.
"""

from __future__ import annotations

import os

import pyarrow as pa

from diglot.corpus.formats.sheets import SheetColumn, write_sheets
from diglot.corpus.formats.tables import rows_of
from diglot.corpus.judged import PARTLY, RIGHT, UNSURE, WRONG, segment_id

VERDICTS = (RIGHT, PARTLY, WRONG, UNSURE)
SHEET_COLUMNS = (
    SheetColumn("src", 60, "Text of the source language"),
    SheetColumn("tgt", 60, "Text of the target language"),
    SheetColumn(
        *("verdict", 10, "Does one translate the other? right, partly, wrong or unsure; empty: not judged"),
        is_open=True,
        choices=VERDICTS,
    ),
    SheetColumn("corrected_src", 40, "What the source text should be; empty: it stays", is_open=True),
    SheetColumn("corrected_tgt", 40, "What the target text should be; empty: it stays", is_open=True),
    SheetColumn("score", 8, "How sure it is that they translate each other, from 0 to 1"),
    SheetColumn("flags", 18, "What speaks against the segment"),
    SheetColumn("bead", 7, "How many sentences of the source and of the target"),
    SheetColumn("src_lang", 9, "Source language"),
    SheetColumn("tgt_lang", 9, "Target language"),
    SheetColumn("src_url", 40, "Page of the source text"),
    SheetColumn("tgt_url", 40, "Page of the target text"),
    SheetColumn("position", 9, "Place of the segment in its pages, from 0"),
    SheetColumn("fetched", 22, "When the page was fetched"),
    SheetColumn("id", 18, "Name of the segment, by which a judged sheet is read back: leave it as it is"),
)
_OF_SEGMENTS = tuple(column.name for column in SHEET_COLUMNS if not column.is_open and column.name != "id")


def write_xlsx(path: str | os.PathLike[str], segments: pa.Table, *, name: str = "segments") -> int:
    """Write the rows of a segment table in order; see :func:`diglot.corpus.formats.sheets.write_sheets`."""
    rows = (dict(zip(_OF_SEGMENTS, row, strict=True)) for row in rows_of(segments, _OF_SEGMENTS))
    return write_sheets(path, ({**row, "id": segment_id(row)} for row in rows), SHEET_COLUMNS, name=name)
