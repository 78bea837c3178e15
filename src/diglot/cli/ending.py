"""What a command says when a run is made: its funnel, the files that were written, and what to type next."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diglot.cli.streams import terminal_columns

if TYPE_CHECKING:
    from diglot.cli.lines import Lines
    from diglot.results.run import Run

FILES_NAMED = 12
NEXT = (
    ("diglot open {run}", "look at pairs and segments"),
    ("diglot sample {run}", "some segments to judge by hand"),
    ("diglot export {run} --to xliff,xlsx", "other formats"),
)
OUT = "out"
"""As :data:`diglot.outputs.corpus_files.OUT`, which takes long to load."""


def tell_finished(run: Run, console: Lines) -> None:
    """The funnel of a finished run, its files, and what may be done with them."""
    from diglot.run.by_site import SITES_SHOWN
    from diglot.run.funnel import funnel_text

    summary = run.summary()
    shown = None if console.verbose else SITES_SHOWN
    lines = [funnel_text(summary, sites_shown=shown, columns=terminal_columns(sys.stdout))]
    if console.verbose:
        lines += _option_lines(run.settings.to_table(), summary)
    console.result(summary, "\n".join([*lines, *_file_lines(run.path, summary), *_next_lines(run.path)]))


def _option_lines(options: dict[str, Any], summary: dict[str, Any]) -> list[str]:
    """Every option in force, and what the recipe's are together."""
    plain = {name: ",".join(value) if isinstance(value, list) else value for name, value in options.items()}
    lines = [f"{name} = {value}" for name, value in plain.items() if value not in ("", {})]
    return [f"{'' if number else 'options':<9} {line}" for number, line in enumerate([*lines, summary["recipe"]])]


def _file_lines(run: Path, summary: dict[str, Any]) -> list[str]:
    memories = [f"{pair}*.tmx" for pair, count in summary["kept"].items() if count]
    names = [path.name for pattern in memories for path in sorted((run / OUT).glob(pattern))]
    others = "segments.*.tsv, pairs.*.tsv, conflicts.*.tsv, pages.tsv, summary.json"
    return [
        f"wrote     {run / OUT}: {', '.join([*_some(names), others])}",
        f"          {run / 'report.html'}, {run / 'diglot.log'}",
    ]


def _some(names: Sequence[str]) -> list[str]:
    left = len(names) - FILES_NAMED
    return [*names[:FILES_NAMED], *([f"{left:,} more"] if left > 0 else [])]


def _next_lines(run: Path) -> list[str]:
    commands = (f"{command.format(run=shlex.quote(str(run)))}  # {what}" for command, what in NEXT)
    return [f"{'' if number else 'next':<9} {command}" for number, command in enumerate(commands)]
