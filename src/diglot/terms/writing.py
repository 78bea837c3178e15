"""Terms as files: TSV, a workbook, a glossary of OmegaT, TBX."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from diglot.corpus.characters import one_line
from diglot.corpus.formats import check_formats
from diglot.corpus.formats.tables import rows_of, write_tsv
from diglot.disk.atomic import replacing
from diglot.terms.table import TERM_SCHEMA
from diglot.terms.tbx import write_tbx

LISTED = " | "
"""Separates the items of a list in a cell; a comma may stand in a term."""
COLUMNS = tuple(TERM_SCHEMA.names)
_WIDTHS = {"src": 32, "tgt": 32, "rivals": 32, "src_forms": 24, "tgt_forms": 24}
_EXAMPLE_WIDTH, _NUMBER_WIDTH = 50, 11


def write_terms(
    terms: pa.Table, out: str | os.PathLike[str], names: Sequence[str], *, src_lang: str, tgt_lang: str
) -> list[Path]:
    """Write terms (:data:`diglot.terms.table.TERM_SCHEMA`) of one language pair into a folder, in formats of
    :data:`FORMATS`; returns the paths. TBX has no file without terms.

    Raises: UsageError for an unknown format, for no format, and if a file cannot be written.
    """
    check_formats(names, FORMATS)
    paths = []
    for name in names:
        ending, write = FORMATS[name]
        path = Path(out) / f"terms.{src_lang}-{tgt_lang}.{ending}"
        if write(path, terms):
            paths.append(path)
    return paths


def _tsv(path: Path, terms: pa.Table) -> bool:
    write_tsv(path, _flat(terms), COLUMNS)
    return True


def _xlsx(path: Path, terms: pa.Table) -> bool:
    from diglot.corpus.formats.sheets import SheetColumn, write_sheets

    columns = [
        SheetColumn(name, _EXAMPLE_WIDTH if name.startswith("example") else _WIDTHS.get(name, _NUMBER_WIDTH))
        for name in COLUMNS
    ]
    rows = (dict(zip(COLUMNS, row, strict=True)) for row in rows_of(_flat(terms), COLUMNS))
    write_sheets(path, rows, columns, name="terms")
    return True


def _omegat(path: Path, terms: pa.Table) -> bool:
    """A term on each line: source, target and comment between tabs, in UTF-8."""
    # No header: OmegaT would read it as a term.
    with replacing(path) as handle:
        for row in terms.to_pylist():
            handle.write(("\t".join(map(one_line, (row["src"], row["tgt"], comment(row)))) + "\n").encode())
    return True


def _tbx(path: Path, terms: pa.Table) -> bool:
    return write_tbx(path, terms) > 0


def comment(term: Mapping[str, Any]) -> str:
    """Summary of a term on a line: probability, counts, further translations, an address."""
    parts = [f"{term['probability']:.2f}", f"{term['linked']} segments", f"{term['pages']} pages"]
    if term["rivals"]:
        parts.append(f"inconsistent, also: {', '.join(term['rivals'])}")
    return "; ".join([*parts, *term["example_src_urls"][:1]])


def _flat(terms: pa.Table) -> pa.Table:
    """The terms, lists and truth values as text."""
    columns = {}
    for field in terms.schema:
        column = terms[field.name]
        if pa.types.is_list(field.type):
            column = pa.array([LISTED.join(items) for items in column.to_pylist()], pa.string())
        elif pa.types.is_boolean(field.type):
            column = pa.array(["yes" if value else "" for value in column.to_pylist()], pa.string())
        columns[field.name] = column
    return pa.table(columns)


FORMATS: Mapping[str, tuple[str, Callable[[Path, pa.Table], bool]]] = {
    "tsv": ("tsv", _tsv),
    "tbx": ("tbx", _tbx),
    "omegat": ("utf8", _omegat),
    "xlsx": ("xlsx", _xlsx),
}
"""Ending of the file (OmegaT reads ``.utf8`` as UTF-8 everywhere) and writer of each format; the writer returns whether
it wrote a file."""
