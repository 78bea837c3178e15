"""The page of a run: the report, with downloads above it and verdicts saved by the server.

The data are taken out of ``report.html``, and checked. The file itself is never shown: it may come from a stranger, and
a script in it would act in the name of the user.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from diglot.disk.safe_read import read_whole
from diglot.errors import UsageError
from diglot.report import REPORT
from diglot.report.one_file import DATA_VERSION
from diglot.version import __version__
from diglot.workbench.processes import run_command

MAX_REPORT_BYTES = 256 << 20
_HEADLINE = re.compile(rb'<script type="application/json" id="headline-data">([^<]*)</script>')
_SEGMENTS = re.compile(rb'<script type="application/octet-stream" id="segments-data">([A-Za-z0-9+/=]*)</script>')


async def report_data(run: Path) -> tuple[dict[str, Any], str]:
    """Headline of the report of a run as a table, and its packed segments.

    A report that is missing or of another version is written first. Raises: UsageError for a run without outputs.
    """
    found = _data_of(run / REPORT)
    if found is None or not _is_current(found[0]):
        await _write_again(run)
        found = _data_of(run / REPORT)
    if found is None:
        raise UsageError(f"The report of {run.name} cannot be read; update the site to make it again.")
    return found


async def _write_again(run: Path) -> None:
    """Write the report of a run again; after an error the earlier report stays."""
    before = run / f".{REPORT}.before"
    if (run / REPORT).exists() or (run / REPORT).is_symlink():
        (run / REPORT).replace(before)
    try:
        await run_command(["open", str(run), "--path"])
    except BaseException:
        if before.exists():
            before.replace(run / REPORT)
        raise
    before.unlink(missing_ok=True)


def _is_current(headline: dict[str, Any]) -> bool:
    run = headline.get("run")
    return isinstance(run, dict) and (run.get("version"), headline.get("data_version")) == (__version__, DATA_VERSION)


def _data_of(path: Path) -> tuple[dict[str, Any], str] | None:
    """Headline and packed segments in a report; None for a file that is missing or no report."""
    if path.is_symlink() or not path.is_file():
        return None
    content = read_whole(path, max_bytes=MAX_REPORT_BYTES)
    headline, segments = _HEADLINE.search(content), _SEGMENTS.search(content)
    if headline is None or segments is None:
        return None
    try:
        table = json.loads(headline[1])
    except ValueError:
        return None
    return (table, segments[1].decode("ascii")) if isinstance(table, dict) else None
