"""Draw random samples of segments, write sheets to judge them (``.html``, ``.tsv``), and read files of verdicts
(``.tsv``, ``.xlsx``)."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from diglot.corpus.characters import one_line, spreadsheet_cell
from diglot.corpus.formats.page_fragments import without_page_fragment
from diglot.corpus.formats.sheet_rows import rows_by_column
from diglot.corpus.shown_segments import shown_segments
from diglot.corpus.verdicts import PARTLY, RIGHT, UNSURE, WRONG, segment_id
from diglot.disk.atomic import replacing
from diglot.disk.folder import RunFolder, content_key
from diglot.disk.safe_read import is_utf16
from diglot.errors import SourceError, UsageError
from diglot.html_sniff import aligned_kind
from diglot.language_names import language_name
from diglot.records import zip_columns
from diglot.report.one_file import json_block, one_file
from diglot.scripts import is_right_to_left

DRAWS = "draws"
"""Kind of the notes on drawings, the random samples of a run."""
PAGE_ENDS, LINE_ENDS = (".html", ".htm"), (".tsv", ".txt")
"""File name endings of a sheet: a page with keys, or lines."""
SHEET_COLUMNS = ("id", "verdict", "src", "tgt", "src_lang", "tgt_lang", "src_url", "tgt_url")
CORRECTIONS = ("corrected_src", "corrected_tgt")
"""Empty columns at the end of a sheet of lines."""
TEXT_COLUMNS = ("src_url", "tgt_url", "src", "tgt")
"""Columns that identify a segment in a row without ``id``."""
VERDICTS = {
    **{verdict: verdict for verdict in (RIGHT, PARTLY, WRONG, UNSURE)},
    **dict(zip("ypn?10", (RIGHT, PARTLY, WRONG, UNSURE, RIGHT, WRONG), strict=True)),
    "accept": RIGHT,
    "accepted": RIGHT,
    "reject": WRONG,
    "rejected": WRONG,
    "u": UNSURE,
}
"""Words for the verdicts in the column ``verdict``, in any case; an empty cell is no verdict."""
MAX_CORRECTED_CHARS = 1 << 28
"""Most characters of the corrections of a file, as many as a workbook may share: all are in memory."""
_SCRIPTS = ("dom.js", "saving.js", "check.js")
_SHEET_DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>')


def write_sheet(sample: pa.Table, path: str | os.PathLike[str], *, title: str) -> None:
    """Write segments to judge: a page with keys for ``.html``, tab-separated lines for ``.tsv``.

    Raises :class:`UsageError` for a name with another ending.
    """
    if Path(path).suffix.lower() not in (*PAGE_ENDS, *LINE_ENDS):
        raise UsageError(
            f"{path}: a sheet is a page or lines; name it .html or .tsv; "
            "a workbook of `diglot export --to xlsx` can be judged, too"
        )
    # Scores are left out: a person who sees the score judges by it.
    rows = [{**row, "id": segment_id(row), "verdict": ""} for row in shown_segments(sample).to_pylist()]
    is_page = Path(path).suffix.lower() in PAGE_ENDS
    text = _page_text(rows, title) if is_page else _lines_text(rows)
    with replacing(path) as handle:
        handle.write(text.encode())


def _page_text(rows: Sequence[Mapping[str, Any]], title: str) -> str:
    names = {lang: language_name(lang) for row in rows for lang in (row["src_lang"], row["tgt_lang"])}
    data = {
        "title": title,
        "columns": SHEET_COLUMNS,
        "rows": [{name: row[name] for name in SHEET_COLUMNS} for row in rows],
        "names": names,
        "right_to_left": list(filter(is_right_to_left, names)),
    }
    return one_file("check.html", style="report.css", scripts=_SCRIPTS, title=f"Judge {title}", data=json_block(data))


def _lines_text(rows: Sequence[Mapping[str, Any]]) -> str:
    names = (*SHEET_COLUMNS, *CORRECTIONS)
    lines = ["\t".join(names), *("\t".join(_cell(row.get(name, "")) for name in names) for row in rows)]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return spreadsheet_cell(one_line(text))


def strike_from_sheet(path: Path, gone: Callable[[str], bool]) -> bool:
    """Delete the segments of addresses for which ``gone`` is true; the verdicts on other segments stay.

    False for a file that :func:`write_sheet` did not write; such a file is not changed.
    """
    try:
        content = path.read_bytes()
        in_utf16 = is_utf16(content)
        text = content.decode("utf-16" if in_utf16 else "utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return False
    left = _page_without(text, gone) if path.suffix.lower() in PAGE_ENDS else _lines_without(text, gone)
    if left is not None and left != text:
        with replacing(path, revises=True) as handle:
            # The encoding stays: quoted cells are read as such in UTF-16 alone.
            handle.write(left.encode("utf-16" if in_utf16 else "utf-8"))
    return left is not None


def _page_without(text: str, gone: Callable[[str], bool]) -> str | None:
    found = _SHEET_DATA.search(text)
    data = json.loads(found[1]) if found else {}
    if found is None or data.get("columns") != list(SHEET_COLUMNS):
        return None
    rows = [row for row in data["rows"] if not (gone(row["src_url"]) or gone(row["tgt_url"]))]
    return text[: found.start(1)] + json_block({**data, "rows": rows}) + text[found.end(1) :]


def _lines_without(text: str, gone: Callable[[str], bool]) -> str | None:
    lines = text.splitlines(keepends=True)
    if not lines or lines[0].rstrip("\r\n").split("\t")[: len(SHEET_COLUMNS)] != list(SHEET_COLUMNS):
        return None
    # A spreadsheet quotes an address with a comma.
    cells = ((line, [cell.strip('"') for cell in line.rstrip("\r\n").split("\t")]) for line in lines)
    return "".join(line for line, each in cells if not any(map(gone, each)))


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """A verdict on a segment, a correction, or both.

    ``id``: :func:`segment_id` of the segment; ``verdict``: a value of :data:`VERDICTS`, "" for none; corrected texts:
    "" for a side without correction.
    """

    id: str
    verdict: str
    corrected_src: str = ""
    corrected_tgt: str = ""


@dataclass(frozen=True, slots=True)
class VerdictFile:
    """Verdicts and corrections of one file.

    ``rows``: rows with a verdict or a correction, one for each segment; ``listed``: ids of all rows, None where a row
    has no id; ``open``: number of rows without verdict and correction; ``other_texts``: by id, source and target of
    rows without correction whose texts or addresses have another id.
    """

    path: str
    rows: tuple[VerdictRow, ...]
    listed: frozenset[str] | None
    open: int
    other_texts: Mapping[str, tuple[str, str]]


def read_verdicts(path: str | os.PathLike[str]) -> VerdictFile:
    """Read a file of verdicts; columns are known by their names, and unknown columns are ignored.

    Raises :class:`SourceError`, which names the row, for an unknown verdict, for a row without a segment, for two rows
    that judge a segment differently, and for more than :data:`MAX_CORRECTED_CHARS`.
    """
    if Path(path).suffix.lower() in PAGE_ENDS:
        raise SourceError(f"{path}: a page keeps no verdicts in its file; save them from it, and name the file saved")
    found = _Rows(os.fspath(path))
    has_columns = False
    for where, cells in rows_by_column(path, _is_head, ("id", "verdict", *CORRECTIONS)):
        has_columns = True
        if cells:
            found.add(where, cells)
    if not has_columns:
        if kind := aligned_kind(Path(path).read_bytes()):
            raise SourceError(
                f"{path}: {kind}, from which Diglot takes no verdicts and corrections back; they come back by .xlsx, "
                ".csv or .tsv, as of `diglot export RUN --to xlsx`"
            )
        raise SourceError(
            f"{path}: names no column verdict with id, or with {', '.join(TEXT_COLUMNS)}; judge a sheet of "
            "`diglot sample`, or a workbook of `diglot export`"
        )
    return found.file()


@dataclass(slots=True)
class _Rows:
    """The rows of a file read so far."""

    path: str
    rows: dict[str, tuple[VerdictRow, str]] = field(default_factory=dict)
    """Rows with a verdict or a correction, and their places, by id."""
    listed: set[str] = field(default_factory=set)
    other_texts: dict[str, tuple[str, str]] = field(default_factory=dict)
    open: int = 0
    chars: int = 0
    """Characters of corrections and other texts."""

    def add(self, where: str, cells: Mapping[str, str]) -> None:
        """Add a row at a place of the file."""
        place = f"{self.path}: {where}"
        name = cells.get("id", "").strip()
        row = _verdict_row(place, name, cells)
        if row:
            known, first = self.rows.setdefault(row.id, (row, where))
            if known != row:
                raise SourceError(f"{place}: {first} judges this segment differently; leave one of the rows")
            self.chars += len(row.corrected_src) + len(row.corrected_tgt)
        else:
            self.open += 1
        if name and {"src", "tgt"} <= cells.keys() and not any(_corrections(cells)) and _id_by_texts(cells) != name:
            self.other_texts[name] = cells["src"], cells["tgt"]
            self.chars += len(cells["src"]) + len(cells["tgt"])
        if self.chars > MAX_CORRECTED_CHARS:
            raise SourceError(
                f"{place}: corrections of more than {MAX_CORRECTED_CHARS:,} characters; cut it into several files"
            )
        self.listed.add(name)

    def file(self) -> VerdictFile:
        """The verdicts of all rows."""
        ids = None if "" in self.listed else frozenset(self.listed)
        return VerdictFile(self.path, tuple(row for row, _ in self.rows.values()), ids, self.open, self.other_texts)


def _is_head(names: Sequence[str]) -> bool:
    """Whether these are the column names of a sheet."""
    return "verdict" in names and ("id" in names or set(TEXT_COLUMNS) <= set(names))


def _verdict_row(where: str, name: str, cells: Mapping[str, str]) -> VerdictRow | None:
    """The verdict and correction of a row; None for a row without either."""
    verdict = cells.get("verdict", "").strip().casefold()
    if verdict and verdict not in VERDICTS:
        raise SourceError(f"{where}: verdict {verdict!r}; write right, partly, wrong or unsure")
    corrected = _corrections(cells)
    if not verdict and not any(corrected):
        return None
    name = name or _id_by_texts(cells)
    if not name:
        raise SourceError(f"{where}: a verdict on no segment; give its id, or {', '.join(TEXT_COLUMNS)}")
    return VerdictRow(name, VERDICTS.get(verdict, ""), *corrected)


def _corrections(cells: Mapping[str, str]) -> list[str]:
    return [cells.get(name, "").strip() for name in CORRECTIONS]


def _id_by_texts(cells: Mapping[str, str]) -> str:
    """Id of the segment with the texts and addresses of a row; "" for a row without addresses."""
    stated = {column: cells.get(column, "") for column in TEXT_COLUMNS}
    urls = TEXT_COLUMNS[:2]
    if not all(stated[url].strip() for url in urls):
        return ""
    return segment_id(stated | {url: without_page_fragment(stated[url]) for url in urls})


def draw_sample(kept: pa.Table, size: int, *, seed: int = 0) -> pa.Table:
    """Draw ``size`` rows at random without replacement, all rows of a smaller table; same seed, same rows.

    ``kept``: segments kept, :data:`diglot.records.SEGMENT_SCHEMA`. Raises :class:`UsageError` for an empty table.
    """
    if size < 1:
        raise UsageError(f"-n {size}: give the number of segments to judge, at least 1")
    if not kept.num_rows:
        raise UsageError("the run keeps no segment of these languages; there is nothing to judge")
    # The beginning of a permutation: a larger sample with the same seed holds the smaller one.
    return kept.take(pa.array(np.random.default_rng(seed).permutation(kept.num_rows)[:size]))


def note_draw(folder: RunFolder, drawn: pa.Table, kept: pa.Table) -> None:
    """Note in the run that ``drawn`` is a random sample of ``kept``, both tables of segments; ids as drawn."""
    ids = list(map(segment_id, drawn.select(["src_url", "tgt_url", "src", "tgt"]).to_pylist()))
    langs = zip_columns(kept, "src_lang", "tgt_lang")
    population = dict(Counter("-".join(pair) for pair in langs))
    number = len(folder.recall_all(DRAWS))
    folder.remember(DRAWS, content_key(DRAWS, sorted(ids)), {"number": number, "ids": ids, "kept": population})


def draw_of(draws: Mapping[str, Any], listed: frozenset[str] | None) -> str:
    """Name of the smallest drawing that holds all ids of a file; "" without one.

    ``listed``: None where a row has no id. A larger drawing may hold all segments of a smaller one, in another order.
    """
    holding = [name for name, draw in sorted(draws.items()) if listed and listed <= set(draw["ids"])]
    return min(holding, key=lambda name: len(draws[name]["ids"]), default="")


def populations(draws: Mapping[str, Any], names: Sequence[str]) -> dict[str, int]:
    """Size of the population of these drawings by language pair (``en-fr``); the latest drawing of a pair counts."""
    known = {name for name in names if name in draws}
    sizes: dict[str, int] = {}
    for name in sorted(known, key=lambda name: draws[name]["number"]):
        sizes |= draws[name]["kept"]
    return sizes
