"""A workbook of segments for people: read, filtered, judged and corrected in a spreadsheet program.

Texts are text cells that no such program takes for a formula, a link or a number. ``id``, ``verdict`` and what is
corrected are what a judged workbook is read back by; columns may be moved, their names may not be changed.
"""

from __future__ import annotations

import os
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

import pyarrow as pa
import xlsxwriter

from diglot.corpus.characters import clean_text
from diglot.corpus.formats.tables import rows_of
from diglot.corpus.judged import PARTLY, RIGHT, UNSURE, WRONG, segment_id
from diglot.disk.atomic import replacing


class SheetColumn(NamedTuple):
    """A column of a sheet: its name in the first line, its width in characters, and what a note on that name says."""

    name: str
    width: int
    meaning: str


SHEET_COLUMNS = (
    SheetColumn("src", 60, "Text of the source language"),
    SheetColumn("tgt", 60, "Text of the target language"),
    SheetColumn("verdict", 10, "Does one translate the other? right, partly, wrong or unsure; empty: not judged"),
    SheetColumn("corrected_src", 40, "What the source text should be; empty: it stays"),
    SheetColumn("corrected_tgt", 40, "What the target text should be; empty: it stays"),
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
FOR_A_PERSON = ("verdict", "corrected_src", "corrected_tgt")
"""Columns that are empty until somebody fills them."""
VERDICTS = (RIGHT, PARTLY, WRONG, UNSURE)
XLSX_COLUMNS = tuple(column.name for column in SHEET_COLUMNS if column.name not in (*FOR_A_PERSON, "id"))
SHEET_ROWS = 1_048_576
"""Rows of a sheet, header among them (Excel specifications and limits); further rows go to further sheets."""
CELL_CHARS = 32_767
CUT = " [cut]"
"""Ends a text that is longer than a cell may be."""

_OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}
_CREATED = datetime(2000, 1, 1)
"""A fixed day: the same segments give the same bytes."""
_PLACE = {column.name: place for place, column in enumerate(SHEET_COLUMNS)}


def write_xlsx(path: str | os.PathLike[str], segments: pa.Table, *, name: str = "segments") -> int:
    """Write the rows of a segment table in order, a header line on each sheet; returns the number of rows.

    ``name``: of the first sheet; those after it have a number behind it. Raises: UsageError where ``path`` cannot be
    written.
    """
    rows = rows_of(segments, XLSX_COLUMNS)
    with replacing(path) as handle, xlsxwriter.Workbook(handle, _OPTIONS) as workbook:
        workbook.set_properties({"created": _CREATED})
        text = workbook.add_format({"text_wrap": True, "valign": "top", "num_format": "@"})
        head = workbook.add_format({"bold": True, "bg_color": "#DDE7F3", "bottom": 1})
        for number in range(-(-segments.num_rows // (SHEET_ROWS - 1)) or 1):
            sheet = workbook.add_worksheet(f"{name} {number + 1}" if number else name)
            _write_head(sheet, head, text)
            line = 0
            for line, row in enumerate(islice(rows, SHEET_ROWS - 1), start=1):
                _write_row(sheet, line, dict(zip(XLSX_COLUMNS, row, strict=True)), text)
            sheet.autofilter(0, 0, line, len(SHEET_COLUMNS) - 1)
            if line:
                place = _PLACE["verdict"]
                sheet.data_validation(1, place, line, place, {"validate": "list", "source": list(VERDICTS)})
    return int(segments.num_rows)


def _write_head(sheet: Any, head: Any, text: Any) -> None:
    for place, column in enumerate(SHEET_COLUMNS):
        sheet.set_column(place, place, column.width, text if column.name in FOR_A_PERSON else None)
        sheet.write_string(0, place, column.name, head)
        sheet.write_comment(0, place, column.meaning)
    sheet.freeze_panes(1, 0)


def _write_row(sheet: Any, line: int, row: dict[str, Any], text: Any) -> None:
    for name, value in {**row, "id": segment_id(row)}.items():
        if isinstance(value, int | float):
            sheet.write_number(line, _PLACE[name], round(value, 4))
        else:
            sheet.write_string(line, _PLACE[name], _cell(value), text)


def _cell(value: Any) -> str:
    text = clean_text(",".join(value) if isinstance(value, list) else str(value))[0]
    return text if len(text) <= CELL_CHARS else text[: CELL_CHARS - len(CUT)] + CUT
