"""The report of a finished run: written if missing, or again with more content."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa

from diglot.checked_arguments import check_arguments
from diglot.outputs.corpus_files import require_finished
from diglot.outputs.report_tables import report_tables
from diglot.report import REPORT
from diglot.report.run_page import write_report
from diglot.report.tables import RunTables
from diglot.results.run import Run
from diglot.run.bundles import Bundles
from diglot.run.work import result_keys


@check_arguments
def report_run(out: str | os.PathLike[str], *, explained: int = 0, terms: bool = False) -> Path:
    """Path of the report of a finished run, written if it is missing or needs additions.

    ``explained``: number of page pairs, the least probable first, with words, blocks and runner-up. ``terms``: adds
    the terms of the site, which take some seconds to find.
    """
    run = Run(out)
    require_finished(run.folder)
    path = run.path / REPORT
    if explained or terms or not path.is_file():
        tables = [run.terms(*pair).table for pair in run.settings.language_pairs()] if terms else []
        with run.folder.read_lock():
            contributions = run.explainer.contributions_of(explained) if explained else None
            write_report(run_tables(run), path, contributions, pa.concat_tables(tables) if terms else None)
    return path


def run_tables(run: Run) -> RunTables:
    """Tables of the report of a finished run."""
    bundles = Bundles(run.folder, run.settings, *result_keys(run.folder))
    return report_tables(run.folder.settings(), run.settings, run.summary(), bundles)
