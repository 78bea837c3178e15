"""Reader of sheets of lines: separated by tabs, or as a spreadsheet saves them, by commas or semicolons."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Iterator, Sequence

from diglot.corpus.characters import text_of_cell
from diglot.disk.safe_read import decode_text, is_utf16, name_errors, read_whole
from diglot.errors import SourceError

_MARK_LINE = re.compile(r'"?sep=(.)"?[;,\t]*', re.IGNORECASE)
"""First line by which Excel learns the separator; no row of the sheet."""
_BLANKS_BEHIND_QUOTE = re.compile('" +(?=(.))', re.DOTALL)
HEAD_ROWS = 10
"""The first rows of a sheet, in which the column names stand: below a title, for instance."""


def separated_rows(
    path: str | os.PathLike[str], is_head: Callable[[Sequence[str]], bool]
) -> Iterator[tuple[str, list[str]]]:
    """Place (``line 3``) and cells of every row of a sheet.

    ``is_head``: whether cells are the column names of the sheet. Cells may be quoted if the separator is a comma or
    semicolon, the file is UTF-16, or the column names are quoted. A row of one line may hold stray quotes. Raises:
    SourceError for a file that cannot be read, and, with the line, for a cell that begins with a quote, goes on in
    further lines, and has no end there.
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
    heads = lines[:HEAD_ROWS]
    # Names hold no quotes.
    found = (
        (mark, head) for mark in marks for head in heads if is_head([name.strip('"') for name in head.split(mark)])
    )
    mark, head = next(found, ("\t", ""))
    if mark == "\t" and '"' not in head and not is_utf16(content):
        for number, line in enumerate(lines, start=1):
            yield f"line {number}", list(map(text_of_cell, line.split("\t")))
        return
    yield from _quoted_rows(path, lines, mark)


def _quoted_rows(path: str | os.PathLike[str], lines: Sequence[str], mark: str) -> Iterator[tuple[str, list[str]]]:
    # An empty line at the end: a quote open there makes a row of several lines, as any other open quote does.
    wrapped = [f"{line}\n" for line in [*lines, ""]]
    reader = csv.reader(wrapped, delimiter=mark)
    first = 0
    try:
        for cells in reader:
            if reader.line_num - first > 1:
                _require_quoted(path, first, wrapped[first : reader.line_num], mark)
            first = reader.line_num
            yield f"line {first}", list(map(text_of_cell, cells))
    except csv.Error as error:
        raise SourceError(f"{path}: line {first + 1}: {error}; save the sheet as .xlsx") from error


def _require_quoted(path: str | os.PathLike[str], first: int, lines: Sequence[str], mark: str) -> None:
    """Raise :class:`SourceError` for a row of several lines that a stray quote joins."""

    def cut(found: re.Match[str]) -> str:
        return '"' if found[1] in (mark, "\r", "\n") else found[0]

    try:
        # A cell may end with blanks behind its quote.
        next(csv.reader((_BLANKS_BEHIND_QUOTE.sub(cut, line) for line in lines), delimiter=mark, strict=True))
    except csv.Error as error:
        raise SourceError(
            f"{path}: line {first + 1}: a cell begins with a quote that does not end it, and would swallow the lines "
            "below; delete the quote, or save the sheet as .xlsx"
        ) from error
