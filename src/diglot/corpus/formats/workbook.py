"""Reader of workbooks (.xlsx) as a stream in bounded memory: shared texts, inline texts, numbers, results of formulas.

A file with a DOCTYPE is refused, so that no entity is expanded and no file fetched. The reader is our own, because
libraries hold a sheet as a dense table: python-calamine 0.9.1 asks for 550 GB for a file of 5 KB with the cells A1 and
XFD1048576 and aborts the process, and no check of sizes can foresee it.
"""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO
from xml.parsers import expat

from diglot.corpus.formats.xml_bounds import STEP_BYTES, BeyondBounds, XmlBounds
from diglot.disk.safe_read import require_regular, too_large
from diglot.document_kinds import ZIP_ERRORS
from diglot.errors import SourceError, describe_error

MAX_FILE_BYTES = 1 << 28
"""Most bytes of a file; twice the size of a million segments."""
MAX_UNPACKED_BYTES = 1 << 30
"""Most bytes of all parts, unpacked; twice the size of a million segments."""
MAX_SHARED_CHARS = 1 << 28
"""Most characters of shared texts; all are in memory."""
MAX_CHARS = 1 << 30
"""Most characters of all cells, shared texts counted in every cell: a million cells may share a text of a megabyte."""
MAX_COLUMNS = 256
"""Columns read; cells further to the right are ignored."""
MAX_CELL_CHARS = 1 << 20
"""Thirty times the limit of spreadsheet programs."""
_SHEET = re.compile(r"xl/worksheets/[^/]*?(\d*)\.xml", re.IGNORECASE)
_SHARED = "xl/sharedStrings.xml"
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_MAX_DIGITS = 9
"""Most digits of the number of a shared text."""
_REFERENCE = re.compile(r"([A-Z]{1,3})\d*")
_DAMAGE = (*ZIP_ERRORS, OSError, expat.ExpatError, LookupError)
"""Errors of files of another kind, truncated, encrypted, packed by an unknown method, or in an unknown encoding."""


class CellError(str):
    """The text of a cell with a failed formula, such as ``#NAME?``. A program wrote it, no person."""


Row = dict[int, str]
"""Texts of the filled cells of a row, by column from 0."""


def read_rows(path: str | os.PathLike[str]) -> Iterator[tuple[int, int, Row]]:
    """Rows of a workbook in order, as (sheet, row, cells), sheets and rows from 1.

    Raises: SourceError for a missing file, for a file that is no workbook or is beyond the limits, and for a formula
    without a result.
    """
    require_regular(path)
    try:
        if Path(path).stat().st_size > MAX_FILE_BYTES:
            raise too_large(path, MAX_FILE_BYTES)
        with zipfile.ZipFile(Path(path)) as packed:
            found = [(match, name) for name in packed.namelist() if (match := _SHEET.fullmatch(name))]
            if not found:
                raise SourceError(f"{path}: a zip file without sheets; save it as .xlsx")
            budget = _Budget(path)
            shared = _shared_texts(packed, budget) if _SHARED in packed.namelist() else []
            # sheet10 comes after sheet9: shorter numbers first.
            names = [name for _, name in sorted(found, key=lambda each: (len(each[0][1]), each[1]))]
            for sheet, name in enumerate(names, start=1):
                with packed.open(name) as part:
                    for number, row in enumerate(_rows(part, shared, budget), start=1):
                        yield sheet, number, row
    except BeyondBounds as error:
        raise SourceError(f"{path}: {error}, as no spreadsheet program writes it; save it anew as .xlsx") from error
    except _DAMAGE as error:
        raise SourceError(
            f"{path}: cannot be read as a workbook ({describe_error(error)}); save it as .xlsx, or as .tsv"
        ) from error


class _Budget:
    """Bytes of a file that may still be unpacked, and characters of its cells."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = path
        self.chars_left = MAX_CHARS
        self._left = MAX_UNPACKED_BYTES

    def steps(self, part: IO[bytes]) -> Iterator[bytes]:
        while step := part.read(STEP_BYTES):
            # Counted while unpacking: the sizes in the directory of a zip file may be wrong on purpose.
            self._left -= len(step)
            if self._left < 0:
                raise SourceError(f"{self.path}: more than {MAX_UNPACKED_BYTES:,} bytes unpacked; cut it into several")
            yield step


class _Texts:
    """Collects the texts of ``<t>`` and ``<v>`` elements, phonetic readings left out."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = path
        self._parts: list[str] = []
        self._chars = 0
        self._depth_of_reading = 0
        self._is_text = False

    def begin(self, name: str) -> None:
        # Japanese workbooks repeat a text in kana, as its reading.
        if name == "rPh":
            self._depth_of_reading += 1
        self._is_text = name in ("t", "v") and not self._depth_of_reading

    def end(self, name: str) -> None:
        if name == "rPh":
            self._depth_of_reading -= 1
        self._is_text = False

    def add(self, text: str) -> None:
        if self._is_text:
            self._chars += len(text)
            if self._chars > MAX_CELL_CHARS:
                raise SourceError(f"{self.path}: a cell of more than {MAX_CELL_CHARS:,} characters; no sheet has that")
            self._parts.append(text)

    def take(self) -> str:
        text = "".join(self._parts)
        self._parts.clear()
        self._chars = 0
        return _without_escapes(text) if "_x" in text else text


def _without_escapes(text: str) -> str:
    units = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)
    # Two escapes make one character beyond U+FFFF; one half of it alone is no character.
    return units.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _parser(path: str | os.PathLike[str]) -> expat.XMLParserType:
    parser = expat.ParserCreate(namespace_separator=" ")

    def refuse(*_: object) -> None:
        raise SourceError(f"{path}: has a DOCTYPE, as no spreadsheet program writes it; save it anew as .xlsx")

    parser.StartDoctypeDeclHandler = refuse
    parser.buffer_text = True
    return parser


def _shared_texts(packed: zipfile.ZipFile, budget: _Budget) -> list[str]:
    texts, found, held = _Texts(budget.path), list[str](), 0

    def begin(tag: str, attributes: dict[str, str]) -> None:
        bounds.begin(tag, attributes)
        texts.begin(_local(tag))

    def end(tag: str) -> None:
        nonlocal held
        bounds.end()
        texts.end(_local(tag))
        if _local(tag) == "si":
            found.append(texts.take())
            held += len(found[-1]) + 1
            if held > MAX_SHARED_CHARS:
                raise SourceError(f"{budget.path}: more than {MAX_SHARED_CHARS:,} characters; cut it into several")

    parser = _parser(budget.path)
    bounds = XmlBounds(parser)
    parser.StartElementHandler = begin
    parser.EndElementHandler = end
    parser.CharacterDataHandler = texts.add
    with packed.open(_SHARED) as part:
        for _ in bounds.feed(budget.steps(part)):
            pass
    return found


def _rows(part: IO[bytes], shared: list[str], budget: _Budget) -> Iterator[Row]:
    reader = _SheetReader(shared, budget)
    for _ in reader.bounds.feed(budget.steps(part)):
        yield from reader.take()


class _SheetReader:
    """Turns the elements of a sheet into rows."""

    def __init__(self, shared: list[str], budget: _Budget) -> None:
        parser = _parser(budget.path)
        self.bounds = XmlBounds(parser)
        parser.StartElementHandler = self._begin
        parser.EndElementHandler = self._end
        self._texts = _Texts(budget.path)
        self._budget = budget
        parser.CharacterDataHandler = self._texts.add
        self._shared = shared
        self._done: list[Row] = []
        self._row: Row = {}
        self._column = 0
        self._kind = self._reference = self._formula = ""

    def take(self) -> list[Row]:
        """The rows complete by now."""
        done, self._done = self._done, []
        return done

    def _begin(self, tag: str, attributes: dict[str, str]) -> None:
        self.bounds.begin(tag, attributes)
        name = _local(tag)
        if name == "row":
            self._row, self._column = {}, -1
        elif name == "c":
            self._reference = attributes.get("r", "a cell")
            reference = _REFERENCE.match(self._reference)
            # The reference of a cell is optional; without it a cell follows its neighbour.
            self._column = _column_of(reference[1]) if reference else self._column + 1
            self._kind = attributes.get("t", "n")
            self._formula = ""
            self._texts.take()
        elif name == "f":
            self._formula = self._reference
        self._texts.begin(name)

    def _end(self, tag: str) -> None:
        self.bounds.end()
        name = _local(tag)
        self._texts.end(name)
        if name == "c":
            text = self._texts.take()
            # Spreadsheet programs store the results; an empty text is one, too.
            if self._formula and not text and self._kind != "str":
                raise SourceError(
                    f"{self._budget.path}: {self._formula} is a formula without a result, as scripts write it; "
                    "write it as text, or save the workbook in a spreadsheet program"
                )
            if self._kind == "e":
                text = CellError(text)
            elif self._kind == "s":
                text = self._shared_text(text)
            if text and self._column < MAX_COLUMNS:
                self._count(text)
                self._row[self._column] = text
        elif name == "row":
            self._done.append(self._row)

    def _shared_text(self, number: str) -> str:
        # A damaged file may point behind the shared texts.
        is_number = number.isdecimal() and len(number) <= _MAX_DIGITS and int(number) < len(self._shared)
        return self._shared[int(number)] if is_number else ""

    def _count(self, text: str) -> None:
        self._budget.chars_left -= len(text)
        if self._budget.chars_left < 0:
            raise SourceError(f"{self._budget.path}: more than {MAX_CHARS:,} characters; cut it into several")


def _local(tag: str) -> str:
    return tag.rpartition(" ")[2]


def _column_of(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1
