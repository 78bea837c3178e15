"""Reader of sheets of lines: separated by tabs, or as a spreadsheet saves them, by commas or semicolons."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Callable, Iterator, Sequence

from diglot.corpus.characters import text_of_cell
from diglot.disk.safe_read import decode_text, is_utf16, name_errors, read_whole
from diglot.errors import SourceError

_MARK_LINE = re.compile(r'"?sep=(.)"?[;,\t]*', re.IGNORECASE)
"""First line by which Excel learns the separator; no row of the sheet."""
HEAD_ROWS = 10
"""Most rows above the column names, such as a title."""


def separated_rows(
    path: str | os.PathLike[str], is_head: Callable[[Sequence[str]], bool]
) -> Iterator[tuple[str, list[str]]]:
    """Place (``line 3``) and cells of every row of a sheet.

    ``is_head``: whether cells are the column names of the sheet. Cells may be quoted, of one or several lines, in a
    sheet by commas or semicolons, in one in UTF-16, and below quoted column names; Diglot writes tabs, and quotes
    nothing. Raises: SourceError
    for a file that cannot be read, and, with the line, for cells that end nowhere.
    """
    with name_errors(path):
        content = read_whole(path)
        lines = decode_text(content).split("\n")
    # A spreadsheet saves with commas, or with semicolons where numbers have a decimal comma.
    marks = "\t;,"
    if first := _MARK_LINE.fullmatch(lines[0]):
        marks = first[1]
        # The line stays as an empty one, so that the numbers of all others are right.
        lines[0] = ""
    heads = lines[: HEAD_ROWS + 1]
    # Names hold no quotes.
    found = (
        (mark, head) for mark in marks for head in heads if is_head([name.strip('"') for name in head.split(mark)])
    )
    mark, head = next(found, ("\t", ""))
    if mark == "\t" and '"' not in head and not is_utf16(content):
        for number, line in enumerate(lines, start=1):
            yield f"line {number}", list(map(text_of_cell, line.split("\t")))
        return
    reader = csv.reader(io.StringIO("\n".join(lines), newline=""), delimiter=mark)
    try:
        for cells in reader:
            yield f"line {reader.line_num}", list(map(text_of_cell, cells))
    except csv.Error as error:
        raise SourceError(f"{path}: line {reader.line_num}: {error}; save the sheet as .xlsx") from error
