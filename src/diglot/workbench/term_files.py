"""Terms of a run, in a process of its own: ``python -m diglot.workbench.term_files list RUN SRC,TGT`` prints them as
JSON, and ``... write RUN SRC,TGT FORMAT FOLDER DECISIONS [accepted]`` writes a file with what the user decided."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from diglot.disk.safe_read import read_text
from diglot.errors import DiglotError
from diglot.report.run_page import term_columns
from diglot.results.run import open_run
from diglot.terms.table import TERM_SCHEMA
from diglot.terms.writing import write_terms
from diglot.workbench.term_decisions import ACCEPTED, REJECTED, key_of


def decided_terms(terms: pa.Table, decisions: Mapping[str, Mapping[str, str]], *, accepted: bool = False) -> pa.Table:
    """Terms (:data:`diglot.terms.table.TERM_SCHEMA`) as the user edited them, without rejected ones; ``accepted``: only
    accepted ones."""
    rows = []
    for row in terms.to_pylist():
        entry = decisions.get(key_of(row), {})
        verdict = entry.get("verdict", "")
        if verdict == REJECTED or (accepted and verdict != ACCEPTED):
            continue
        rows.append({**row, **{side: entry.get(f"edited_{side}") or row[side] for side in ("src", "tgt")}})
    return pa.Table.from_pylist(rows, TERM_SCHEMA)


def _list(run: Path, langs: tuple[str, str]) -> None:
    found = open_run(run).terms(*langs)
    json.dump(term_columns(found.table, [langs]), sys.stdout, ensure_ascii=False)


def _write(run: Path, langs: tuple[str, str], arguments: list[str]) -> None:
    form, folder, file, *rest = arguments
    decisions: dict[str, Any] = json.loads(read_text(Path(file))) if Path(file).is_file() else {}
    chosen = decided_terms(open_run(run).terms(*langs).table, decisions, accepted=rest == ["accepted"])
    write_terms(chosen, folder, [form], src_lang=langs[0], tgt_lang=langs[1])


def main(arguments: list[str]) -> int:
    """List or write terms; returns the exit code of the process."""
    action, run, named, *rest = arguments
    src, _, tgt = named.partition(",")
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    try:
        if action == "list":
            _list(Path(run), (src, tgt))
        else:
            _write(Path(run), (src, tgt), rest)
    except DiglotError as error:
        print(f"diglot: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
