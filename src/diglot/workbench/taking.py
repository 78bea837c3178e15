"""Take verdicts of the run page into a run: ``python -m diglot.workbench.taking RUN FILE``, a process of its own."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from diglot.corpus.characters import one_line, spreadsheet_cell
from diglot.disk.safe_read import read_text
from diglot.errors import NothingFound, SitesFailed, UsageError
from diglot.results.take_verdicts import take_verdicts, withdraw_verdicts
from diglot.workbench.processes import exit_after
from diglot.workbench.verdicts import FIELDS


def take(run: Path, file: Path) -> None:
    """Take entries by key; an entry without a verdict withdraws an earlier one."""
    entries: list[dict[str, Any]] = list(json.loads(read_text(file)).values())
    withdrawn = [entry for entry in entries if not entry["verdict"]]
    given = [entry for entry in entries if entry["verdict"]]
    if withdrawn:
        _ignore_outcome(withdraw_verdicts, run, withdrawn)
    if given:
        with tempfile.TemporaryDirectory() as folder:
            sheet = Path(folder) / "verdicts.tsv"
            sheet.write_text("".join(map(_line, [dict(zip(FIELDS, FIELDS, strict=True)), *given])), encoding="utf-8")
            _ignore_outcome(take_verdicts, run, [sheet])


def _ignore_outcome(call: Any, *arguments: Any) -> None:
    try:
        call(*arguments)
    except (NothingFound, SitesFailed):  # all is written by then: every segment may have been judged wrong
        return
    except UsageError as error:
        if "judges a segment that this run holds" not in str(error):
            raise


def _line(entry: dict[str, str]) -> str:
    return "\t".join(spreadsheet_cell(one_line(entry[name])) for name in FIELDS) + "\n"


if __name__ == "__main__":
    exit_after(lambda words: take(Path(words[0]), Path(words[1])))
