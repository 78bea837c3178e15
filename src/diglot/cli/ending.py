"""What a command prints when a run is finished."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from diglot.cli.streams import terminal_columns

if TYPE_CHECKING:
    from diglot.cli.lines import Lines
    from diglot.results.run import Run


def tell_finished(run: Run, console: Lines) -> None:
    """Print funnel, files and next commands of a finished run."""
    from diglot.outputs.run_text import finished_text

    summary, options = run.summary(), run.settings.to_table() if console.verbose else None
    console.result(summary, finished_text(run.path, summary, options, terminal_columns(sys.stdout)))
