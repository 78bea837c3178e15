"""The report of a run as one HTML file: ``RUN/report.html``."""

from __future__ import annotations

import os

from diglot.disk.atomic import replacing
from diglot.report.headline import headline
from diglot.report.one_file import json_block, one_file, packed
from diglot.report.segment_data import segment_data
from diglot.report.shown_rows import choose_rows
from diglot.report.tables import RunTables

SCRIPTS = ("dom.js", "unpack.js", "rows.js", "pair_view.js", "overview.js", "report.js")


def write_report(run: RunTables, path: str | os.PathLike[str]) -> None:
    """Write :func:`report_text` to a file; :class:`diglot.errors.UsageError` where that cannot be."""
    text = report_text(run).encode()
    with replacing(path) as handle:
        handle.write(text)


def report_text(run: RunTables) -> str:
    """The HTML of the report: the same for the same run."""
    shown = choose_rows(run)
    sources = ", ".join(source["name"] for source in run.settings["sources"])
    return one_file(
        "report.html",
        style="report.css",
        scripts=SCRIPTS,
        title=f"Diglot report: {sources}",
        headline=json_block(headline(run, shown)),
        segments=packed(segment_data(run, shown)),
    )
