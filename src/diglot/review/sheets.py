"""Verdicts and corrections as people hand them in: lines (``.tsv``) and workbooks (``.xlsx``), columns by name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from diglot.corpus.formats.workbook import read_rows
from diglot.corpus.judged import segment_id
from diglot.disk.safe_read import read_text
from diglot.errors import SourceError
from diglot.review.hand_check import PAGE_ENDS, VERDICTS

TEXT_COLUMNS = ("src_url", "tgt_url", "src", "tgt")
"""What names a segment where its ``id`` is not given."""
JUDGED_COLUMNS = ("id", "verdict", "corrected_src", "corrected_tgt")
"""What else is read; other columns are passed over."""
_HEAD_ROWS = 10
"""The names of columns stand in one of the first so many rows of a sheet; above it there may be a title."""


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """A verdict, a correction, or both. ``id``: :func:`diglot.review.hand_check.segment_id` of what was judged;
    ``verdict``: a value of :data:`VERDICTS`, "" for none; the corrected texts: "" where a side stays."""

    id: str
    verdict: str
    corrected_src: str = ""
    corrected_tgt: str = ""


@dataclass(frozen=True, slots=True)
class JudgedFile:
    """What a file says. ``rows``: those with a verdict or a correction; ``listed``: the ids of all its rows, None where
    some have none; ``open``: how many rows say nothing yet."""

    path: str
    rows: tuple[JudgedRow, ...]
    listed: frozenset[str] | None
    open: int


def read_judged(path: str | os.PathLike[str]) -> JudgedFile:
    """Read a judged file; :class:`SourceError` names the row that cannot be meant."""
    kind = Path(path).suffix.lower()
    if kind in PAGE_ENDS:
        raise SourceError(f"{path}: a page keeps no verdicts in its file; save them from it, and name the file saved")
    sheets = _workbook(path) if kind == ".xlsx" else iter([_lines(path)])
    rows: list[JudgedRow] = []
    listed: set[str] = set()
    found = left = 0
    for sheet in sheets:
        for where, cells in _named(sheet):
            found += 1
            if not cells:
                continue
            name = cells.get("id", "").strip()
            row = _row(f"{path}: {where}", name, cells)
            rows += [row] if row else []
            left += row is None
            listed.add(name)
    if not found:
        raise SourceError(
            f"{path}: names no column verdict with id, or with {', '.join(TEXT_COLUMNS)}; judge a sheet of "
            "`diglot sample`, or a workbook of `diglot export`"
        )
    return JudgedFile(os.fspath(path), tuple(rows), None if "" in listed else frozenset(listed), left)


def _lines(path: str | os.PathLike[str]) -> Iterator[tuple[str, list[str]]]:
    try:
        text = read_text(path)
    except OSError as error:
        raise SourceError(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise SourceError(f"{path}: not UTF-8 at byte {error.start}; save it as UTF-8 text") from error
    return ((f"line {number}", line.split("\t")) for number, line in enumerate(text.split("\n"), start=1))


def _workbook(path: str | os.PathLike[str]) -> Iterator[Iterator[tuple[str, list[str]]]]:
    for sheet, rows in groupby(read_rows(path), key=itemgetter(0)):
        yield (
            (f"sheet {sheet}, row {number}", [row.get(column, "") for column in range(max(row, default=-1) + 1)])
            for _, number, row in rows
        )


def _named(rows: Iterable[tuple[str, list[str]]]) -> Iterator[tuple[str, Mapping[str, str]]]:
    """The rows of a sheet under the names of its columns, behind an empty one for the head; none without a head."""
    head: list[str] | None = None
    for number, (where, cells) in enumerate(rows):
        if head is not None:
            if any(map(str.strip, cells)):
                yield where, dict(zip(head, cells, strict=False))
            continue
        names = [name.strip().casefold() for name in cells]
        if "verdict" in names and ("id" in names or set(TEXT_COLUMNS) <= set(names)):
            head = names
            yield where, {}
        elif number >= _HEAD_ROWS:
            return


def _row(where: str, name: str, cells: Mapping[str, str]) -> JudgedRow | None:
    """What a row says; None where it says nothing."""
    said = cells.get("verdict", "").strip().casefold()
    if said and said not in VERDICTS:
        raise SourceError(f"{where}: verdict {said!r}; write right, partly, wrong or unsure")
    corrected = [cells.get(f"corrected_{side}", "").strip() for side in ("src", "tgt")]
    if not said and not any(corrected):
        return None
    if not name:
        if not all(cells.get(column, "").strip() for column in TEXT_COLUMNS[:2]):
            raise SourceError(f"{where}: a verdict on no segment; give its id, or {', '.join(TEXT_COLUMNS)}")
        name = segment_id({column: cells.get(column, "") for column in TEXT_COLUMNS})
    return JudgedRow(name, VERDICTS.get(said, ""), *corrected)
