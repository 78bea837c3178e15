"""``diglot verify``: the damaged files of a run, and the command that makes them again."""

from __future__ import annotations

import dataclasses
import json
import shlex
from typing import TYPE_CHECKING

import typer

from diglot.cli.console import waiting
from diglot.cli.options import Json, RunDir
from diglot.layout import names_text

if TYPE_CHECKING:
    from diglot.verifying import Verified

NOT_AS_WRITTEN = 1
"""Exit code where a file is damaged, missing or changed, and for an unfinished run."""
FILES_NAMED = 20
"""Most files of the user to name; further files are counted."""


def verify_command(run: RunDir, as_json: Json = False) -> None:
    """Check every file of a run against its hash.

    Exit code 1 if a file is damaged, missing or changed, or the run is not finished.
    """
    from diglot.verifying import verify_run

    with waiting("verify", "reading every file"):
        found = verify_run(run)
    typer.echo(json.dumps(_plain(found), ensure_ascii=False) if as_json else verified_text(found))
    if found.faults or not found.is_finished:
        raise typer.Exit(NOT_AS_WRITTEN)


def _plain(found: Verified) -> dict[str, object]:
    return {**dataclasses.asdict(found), "run": str(found.run)}


def verified_text(found: Verified) -> str:
    """A line for all files, one for each file with a fault, the commands to type next, and the files of the user."""
    wrong = len({fault.path for fault in found.faults})
    lines = [f"verified  {found.run}: {found.checked - wrong:,} of {found.checked:,} files are as they were written"]
    for fault in found.faults:
        made = f"; {_made_by(fault.stage)}" if fault.stage else ""
        lines.append(f"{fault.kind:<8}  {fault.path}: {fault.why}{made}")
    if not found.is_finished:
        lines.append("open      the run is not finished: outputs are missing, or of earlier options or verdicts")
    lines += [f"unchecked {line}" for line in found.unchecked]
    lines += [f"next      {line}" for line in _next_lines(found)]
    if found.yours:
        lines.append(f"yours     {names_text(found.yours, FILES_NAMED)}")
    return "\n".join(lines)


def _made_by(stage: str) -> str:
    kinds = {"outputs": "an output, or changed by you", "exports": "an export, or changed by you"}
    return kinds.get(stage, f"made by the stage {stage}")


def _next_lines(found: Verified) -> list[str]:
    """Commands to type. An output that was changed is not deleted: it may be the user's, and gets another name."""
    made = [fault for fault in found.faults if fault.stage and fault.stage != "exports"]
    lines = []
    if made or not found.is_finished:
        damaged = [str(found.run / fault.path) for fault in made if fault.kind == "damaged"]
        delete = f"{shlex.join(['rm', *damaged])} && " if damaged else ""
        lines.append(f"{delete}{found.remedy}")
    lines += found.exports
    if any(not fault.stage for fault in found.faults):
        lines.append("restore the files of warc/ from a copy; without one, crawl again into another folder")
    return lines
