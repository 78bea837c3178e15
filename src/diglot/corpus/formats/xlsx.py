"""A workbook of segments for people: text cells that no spreadsheet program takes for a formula, a link or a number."""

from __future__ import annotations

import os
from datetime import datetime
from typing import Any

import pyarrow as pa
import xlsxwriter

from diglot.corpus.characters import clean_text
from diglot.corpus.formats.tables import rows_of
from diglot.disk.atomic import replacing

XLSX_COLUMNS = ("src", "tgt", "score", "bead", "flags", "src_url", "tgt_url", "position", "fetched")
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
_WIDTHS = (60, 60, 8, 7, 18, 40, 40, 8, 22)


def write_xlsx(
    path: str | os.PathLike[str],
    rows: pa.Table,
    columns: tuple[str, ...] = XLSX_COLUMNS,
    widths: tuple[int, ...] = _WIDTHS,
) -> int:
    """Write these columns of a table, by default a segment table, in order, a header line on each sheet; returns the
    number of rows. ``widths``: of the columns, in characters.

    Raises: UsageError where ``path`` cannot be written.
    """
    with replacing(path) as handle, xlsxwriter.Workbook(handle, _OPTIONS) as workbook:
        workbook.set_properties({"created": _CREATED})
        bold, wrapped = workbook.add_format({"bold": True}), workbook.add_format({"text_wrap": True, "valign": "top"})
        header = tuple(zip(columns, widths, strict=True))
        sheet, line = _new_sheet(workbook, bold, header), 0
        for row in rows_of(rows, columns):
            if line == SHEET_ROWS - 1:
                sheet, line = _new_sheet(workbook, bold, header), 0
            line += 1
            for column, value in enumerate(row):
                if isinstance(value, int | float):
                    sheet.write_number(line, column, round(value, 4))
                else:
                    sheet.write_string(line, column, _cell(value), wrapped)
    return int(rows.num_rows)


def _new_sheet(workbook: Any, bold: Any, header: tuple[tuple[str, int], ...]) -> Any:
    sheet = workbook.add_worksheet()
    for column, (name, width) in enumerate(header):
        sheet.set_column(column, column, width)
        sheet.write_string(0, column, name, bold)
    sheet.freeze_panes(1, 0)
    return sheet


def _cell(value: Any) -> str:
    text = clean_text(",".join(value) if isinstance(value, list) else str(value))[0]
    return text if len(text) <= CELL_CHARS else text[: CELL_CHARS - len(CUT)] + CUT
