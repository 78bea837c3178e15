"""Rows of a sheet that a person filled in: a workbook, or lines; columns are known by their names."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from diglot.corpus.formats.separated import HEAD_ROWS, separated_rows
from diglot.corpus.formats.workbook import CellError, read_rows
from diglot.errors import SourceError

OTHER_WORKBOOKS = frozenset((".ods", ".fods", ".xls", ".xlsb", ".numbers"))
"""Ends of names of workbooks that are not read; spreadsheet programs that write them also write .xlsx."""

ENDINGS = (".xlsx", ".csv", ".tsv", ".txt")
"""Ends of names of sheets."""


def rows_by_column(
    path: str | os.PathLike[str], is_head: Callable[[Sequence[str]], bool], filled_in: Collection[str]
) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Rows below the column names, each as its place and its cells by column name.

    A workbook (.xlsx) gives the rows of all sheets, another file its lines; the last ending of :data:`ENDINGS` in the
    name tells. The row of the column names has an empty mapping. A sheet without column names gives nothing.

    ``is_head``: whether cells, in lower case and without blanks around, are the column names. They may stand below a
    title, in the first :data:`HEAD_ROWS` rows. ``filled_in``: columns that a person writes. Raises: SourceError for a
    file that cannot be read, and for an error such as ``#NAME?`` in these columns.
    """

    def is_any_head(cells: Sequence[str]) -> bool:
        return is_head(_names(cells))

    if Path(path).suffix.lower() in OTHER_WORKBOOKS:
        raise SourceError(f"{os.fspath(path)}: a workbook of another kind; save it as .xlsx (Excel) and name that file")
    # A sheet that an export kept aside is en-fr.xlsx.yours or en-fr.xlsx.2.yours; saved as CSV, it is en-fr.xlsx.csv.
    if [suffix for suffix in map(str.lower, Path(path).suffixes[-3:]) if suffix in ENDINGS][-1:] == [".xlsx"]:
        for sheet in _workbook_rows(path):
            for where, cells in _below_head(sheet, is_any_head):
                _require_texts(f"{os.fspath(path)}: {where}", cells, filled_in)
                yield where, cells
    else:
        yield from _below_head(separated_rows(path, is_any_head), is_any_head)


def _require_texts(where: str, cells: Mapping[str, str], columns: Collection[str]) -> None:
    """Raise SourceError for an error in one of the columns: a correction such as ``=Une phrase`` became a formula."""
    for name in columns:
        if isinstance(cell := cells.get(name, ""), CellError):
            raise SourceError(
                f"{where}: {name} shows the error {cell[:20]}; write the text with an apostrophe before it, "
                "or empty the cell"
            )


def _names(cells: Iterable[str]) -> list[str]:
    return [name.strip().casefold() for name in cells]


def _workbook_rows(path: str | os.PathLike[str]) -> Iterator[Iterator[tuple[str, list[str]]]]:
    for sheet, rows in groupby(read_rows(path), key=itemgetter(0)):
        yield (
            (f"sheet {sheet}, row {number}", [row.get(column, "") for column in range(max(row, default=-1) + 1)])
            for _, number, row in rows
        )


def _below_head(
    rows: Iterable[tuple[str, list[str]]], is_head: Callable[[Sequence[str]], bool]
) -> Iterator[tuple[str, Mapping[str, str]]]:
    head: list[str] | None = None
    for number, (where, cells) in enumerate(rows, start=1):
        if head is not None:
            if any(map(str.strip, cells)):
                # Spreadsheets drop empty cells at the end of a row.
                yield where, dict(zip(head, cells, strict=False))
            continue
        if is_head(cells):
            head = _names(cells)
            yield where, {}
        elif number >= HEAD_ROWS:
            return
