"""Rows as a workbook for people, in text cells; segments have columns for verdicts and corrections.

A judged workbook is read back by the names of its columns ``id``, ``verdict``, ``corrected_src`` and ``corrected_tgt``:
columns may be moved, but not renamed.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import chain, islice
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, NamedTuple

import pyarrow as pa
import xlsxwriter
from xlsxwriter.exceptions import FileCreateError

from diglot.corpus.characters import clean_text
from diglot.corpus.formats.page_fragments import with_page_fragments
from diglot.corpus.formats.tables import rows_of
from diglot.corpus.verdicts import PARTLY, RIGHT, UNSURE, WRONG, segment_id
from diglot.disk.atomic import replacing
from diglot.errors import UsageError, describe_error

SHEET_ROWS = 1_048_576
"""Most rows of a sheet, header included (Excel specifications and limits); further rows go to further sheets."""
CELL_CHARS = 32_767
"""Most characters of a cell (Excel specifications and limits)."""
CUT = " [cut]"
"""End of a text too long for a cell."""

# Text of websites must not become a formula or a link, and a text of digits stays a text.
_OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}
_FULL = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
_CREATED = datetime(2000, 1, 1)
"""A fixed day, so that the same rows give the same bytes."""


class SheetColumn(NamedTuple):
    """A column of a sheet. ``width``: in characters; ``meaning``: note on the header; ``is_open``: filled by a person;
    ``choices``: values to choose from."""

    name: str
    width: int
    meaning: str = ""
    is_open: bool = False
    choices: tuple[str, ...] = ()


def write_sheets(
    path: str | os.PathLike[str],
    rows: Iterable[Mapping[str, Any]],
    columns: Sequence[SheetColumn],
    *,
    name: str,
) -> int:
    """Write rows in order, a header line and a filter on each sheet; returns the number of rows.

    ``name``: of the first sheet; further sheets are ``NAME 2``, ``NAME 3`` ... Raises: UsageError if ``path`` cannot be
    written.
    """
    left, written, sheets = iter(rows), 0, 0
    with replacing(path) as handle, _open_workbook(handle, path) as workbook:
        workbook.set_properties({"created": _CREATED})
        text = workbook.add_format({"text_wrap": True, "valign": "top", "num_format": "@"})
        head = workbook.add_format({"bold": True, "bg_color": "#DDE7F3", "bottom": 1})
        # A workbook without rows still has one sheet, with its header.
        while (part := list(islice(left, 1))) or not sheets:
            sheets += 1
            sheet = workbook.add_worksheet(f"{name} {sheets}" if sheets > 1 else name)
            _write_head(sheet, columns, head, text)
            line = 0
            for line, row in enumerate(chain(part, islice(left, SHEET_ROWS - 2)), start=1):
                _write_row(sheet, line, columns, row, text)
            sheet.autofilter(0, 0, line, len(columns) - 1)
            for place, column in enumerate(columns):
                if line and column.choices:
                    chosen = {"validate": "list", "source": list(column.choices)}
                    sheet.data_validation(1, place, line, place, chosen)
            written += line
    return written


@contextmanager
def _open_workbook(handle: BinaryIO, path: str | os.PathLike[str]) -> Iterator[Any]:
    """A workbook; until its end its parts lie in the system's folder of temporary files, which may be full."""
    try:
        # In a folder of their own, which is removed: xlsxwriter leaves the parts behind if it fails.
        with TemporaryDirectory() as parts, xlsxwriter.Workbook(handle, {**_OPTIONS, "tmpdir": parts}) as workbook:
            yield workbook
    except (FileCreateError, OSError) as error:
        cause = error.args[0] if isinstance(error, FileCreateError) else error
        # The rows may come from a file that cannot be read, which is no matter of the workbook.
        if cause is error and error.errno not in _FULL:
            raise
        raise UsageError(
            f"{path}: cannot be written ({describe_error(cause)}); free its place and that of temporary files "
            "(TMPDIR), or choose another"
        ) from error


def _write_head(sheet: Any, columns: Sequence[SheetColumn], head: Any, text: Any) -> None:
    for place, column in enumerate(columns):
        sheet.set_column(place, place, column.width, text if column.is_open else None)
        sheet.write_string(0, place, column.name, head)
        if column.meaning:
            sheet.write_comment(0, place, column.meaning)
    sheet.freeze_panes(1, 0)


def _write_row(sheet: Any, line: int, columns: Sequence[SheetColumn], row: Mapping[str, Any], text: Any) -> None:
    for place, column in enumerate(columns):
        if column.is_open:
            continue
        value = row[column.name]
        if isinstance(value, int | float):
            sheet.write_number(line, place, round(value, 4))
        else:
            sheet.write_string(line, place, _cell(value), text)


def _cell(value: Any) -> str:
    text = clean_text(",".join(value) if isinstance(value, list) else str(value))
    return text if len(text) <= CELL_CHARS else text[: CELL_CHARS - len(CUT)] + CUT


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
    # The id is made of the addresses as the run knows them.
    ids = (segment_id(row) for row in rows)
    shown = (dict(zip(_OF_SEGMENTS, row, strict=True)) for row in rows_of(with_page_fragments(segments), _OF_SEGMENTS))
    both = ({**row, "id": known} for row, known in zip(shown, ids, strict=True))
    return write_sheets(path, both, SHEET_COLUMNS, name=name)
