"""Terms of a run, in a process of its own: ``python -m diglot.workbench.term_files list RUN SRC,TGT`` prints them as
JSON, and ``... write RUN SRC,TGT FORMAT FOLDER DECISIONS [accepted]`` writes a file with what the user decided."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from diglot.disk.safe_read import read_text
from diglot.report.run_page import term_columns
from diglot.results.run import open_run
from diglot.terms.decisions import decided_terms
from diglot.terms.writing import write_terms
from diglot.workbench.processes import exit_after


def _list(run: Path, langs: tuple[str, str]) -> None:
    found = open_run(run).terms(*langs)
    json.dump(term_columns(found.table, [langs]), sys.stdout, ensure_ascii=False)


def _write(run: Path, langs: tuple[str, str], arguments: list[str]) -> None:
    form, folder, file, *rest = arguments
    decisions: dict[str, Any] = json.loads(read_text(Path(file))) if Path(file).is_file() else {}
    chosen = decided_terms(open_run(run).terms(*langs).table, decisions, accepted=rest == ["accepted"])
    write_terms(chosen, folder, [form], src_lang=langs[0], tgt_lang=langs[1])


def list_or_write(words: list[str]) -> None:
    """List or write terms, as the words of the command line say."""
    action, run, named, *rest = words
    src, _, tgt = named.partition(",")
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    if action == "list":
        _list(Path(run), (src, tgt))
    else:
        _write(Path(run), (src, tgt), rest)


if __name__ == "__main__":
    exit_after(list_or_write)
