"""Decisions of a person on terms: accepted, rejected or edited, read from a sheet or from a file of the workbench."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from diglot.corpus.formats.separated import separated_rows
from diglot.corpus.formats.workbook import read_rows
from diglot.disk.safe_read import read_text
from diglot.errors import SourceError, describe_error
from diglot.terms.table import TERM_SCHEMA

KEY = ("src_lang", "tgt_lang", "src", "tgt")
"""Key of a decision: languages and texts of the term before any edit."""
TO_FILL = ("verdict", "edited_src", "edited_tgt")
"""Columns of a decision, empty in a new sheet."""
FIELDS = (*KEY, *TO_FILL)
ACCEPTED, REJECTED = "accepted", "rejected"


def key_of(term: Mapping[str, Any]) -> str:
    """Languages and texts of a term as it was found, as one text."""
    return "\x1f".join(str(term[name]) for name in KEY)


def with_decisions(terms: pa.Table, decisions: Mapping[str, Mapping[str, str]]) -> pa.Table:
    """Terms (:data:`diglot.terms.table.TERM_SCHEMA`) as found, rejected ones too, with the columns :data:`TO_FILL`.

    ``decisions``: by :func:`key_of`; a decision on any form of a term is one on the term, unless another term of the
    table has just these texts: the base form may be another one after an update of the site.
    """
    found = terms.to_pylist()
    own = set(map(key_of, found))
    by_form = {key.casefold(): entry for key, entry in decisions.items() if key not in own}
    entries = [decisions.get(key_of(row)) or _decision_on_a_form(row, by_form) for row in found]
    for name in TO_FILL:
        terms = terms.append_column(name, pa.array([entry.get(name, "") for entry in entries], pa.string()))
    return terms


def as_edited(terms: pa.Table) -> pa.Table:
    """Terms of :func:`with_decisions` in their edited texts, without rejected ones."""
    terms = terms.filter(pc.not_equal(terms["verdict"], REJECTED))
    for side in ("src", "tgt"):
        edited = terms[f"edited_{side}"]
        texts = pc.if_else(pc.equal(edited, ""), terms[side], edited)
        terms = terms.set_column(terms.schema.get_field_index(side), TERM_SCHEMA.field(side), texts)
    return terms


def _decision_on_a_form(term: Mapping[str, Any], by_form: Mapping[str, Mapping[str, str]]) -> Mapping[str, str]:
    """The decision on a form of a term, {} for none; ``by_form``: decisions by :func:`key_of` without case."""
    if not by_form:
        return {}
    forms = ({**term, "src": src, "tgt": tgt} for src in _forms(term, "src") for tgt in _forms(term, "tgt"))
    return next((by_form[key] for each in forms if (key := key_of(each).casefold()) in by_form), {})


def _forms(term: Mapping[str, Any], side: str) -> list[str]:
    return [term[side], *term[f"{side}_forms"]]


def read_decisions(path: str | os.PathLike[str]) -> dict[str, dict[str, str]]:
    """Decisions by :func:`key_of`: of a sheet (.xlsx, .tsv or .csv) with the columns :data:`FIELDS`, or of the
    workbench (.json). Rows without a verdict and without an edited text are left out.

    Raises: SourceError, which names file and row, for a missing column and an unknown verdict.
    """
    found: dict[str, dict[str, str]] = {}
    for where, row in _rows(Path(path)):
        row["verdict"] = row["verdict"].strip().lower()
        if row["verdict"] not in ("", ACCEPTED, REJECTED):
            raise SourceError(f"{path}: {where}: verdict {row['verdict'][:40]!r}; write {ACCEPTED} or {REJECTED}")
        if any(row[name] for name in TO_FILL):
            found[key_of(row)] = row
    return found


def _rows(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Place and fields of every row."""
    try:
        if path.suffix.lower() == ".json":
            entries = json.loads(read_text(path)).values()
            rows = [(f"entry {number}", dict(entry)) for number, entry in enumerate(entries, start=1)]
        else:
            rows = list(_sheet_rows(path))
    except (OSError, UnicodeDecodeError, ValueError, TypeError, AttributeError) as error:
        raise SourceError(f"{path}: cannot be read as decisions on terms ({describe_error(error)})") from error
    for where, row in rows:
        missing = [name for name in FIELDS if not isinstance(row.get(name, "" if name in TO_FILL else None), str)]
        if missing:
            raise SourceError(f"{path}: {where}: has no {missing[0]}; give a file of the workbench")
        yield where, {name: row.get(name, "") for name in FIELDS}


def _sheet_rows(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    if path.suffix.lower() == ".xlsx":
        cells = (
            (f"row {number}", [row.get(n, "") for n in range(1 + max(row, default=-1))])
            for sheet, number, row in read_rows(path)
            if sheet == 1
        )
    else:
        cells = (row for row in separated_rows(path, read_text(path), set(KEY).issubset) if any(row[1]))
    _, head = next(cells, ("", []))
    if missing := [name for name in KEY if name not in head]:
        raise SourceError(f"{path}: no column {missing[0]}; judge a file of `diglot terms --to xlsx`")
    for where, row in cells:
        yield where, {name: row[place] if place < len(row) else "" for place, name in enumerate(head)}
