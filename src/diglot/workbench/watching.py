"""Progress of a job, from the output of its command and the journal of its crawl; both are only read."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from diglot.progress import SHORT_REST_S
from diglot.reasons import REASON_TEXT, Reason

STAGES = {
    "crawl": "Fetch pages",
    "read": "Read pages",
    "resolve": "Tell languages and copies",
    "pair": "Pair pages",
    "align": "Align sentences",
    "clean": "Check segments",
    "write": "Write files",
    "report": "Write the report",
}
"""Stages of a harvest in order, and their names for a person."""
RATE_S = 60
"""Seconds over which the rate of a crawl is counted."""
REASONS_SHOWN = 8
NOW_SHOWN = 4
MAX_EVENTS_BYTES = 4 << 20
"""Bytes read from the end of a file of events; a crawl of days writes more."""

_FAILED = """
SELECT reason, detail, count(*) FROM address WHERE kind='page' AND state IN ('failed', 'refused')
 AND NOT coalesce(status, 0) BETWEEN 300 AND 399 GROUP BY reason, CASE reason WHEN 'http_status' THEN detail END
 ORDER BY 3 DESC, 1, 2"""


def stages_of(events: Path, *, is_crawl: bool) -> list[dict[str, Any]]:
    """Stages of a harvest: ``name``, ``state`` (``waiting``, ``working`` or ``done``), ``text``, and ``share`` done in
    [0, 1] where it is known."""
    shown: dict[str, dict[str, Any]] = {
        name: {"name": label, "state": "waiting", "text": "", "share": None}
        for name, label in STAGES.items()
        if is_crawl or name != "crawl"
    }
    for event in _events(events):
        stage = shown.get(str(event.get("stage")))
        if stage is None:
            continue
        if "done" in event:
            stage |= {"state": "done", "text": str(event["done"]), "share": 1.0}
        else:
            total, at = event.get("total"), event.get("at", 0)
            share = min(1.0, at / total) if isinstance(total, int) and total else None
            stage |= {"state": "working", "text": str(event.get("step", "")), "share": share}
    stages = list(shown.values())
    last = max((at for at, stage in enumerate(stages) if stage["state"] != "waiting"), default=0)
    for stage in stages[:last]:
        if stage["state"] != "done":
            # Its last event stands before the part that was read.
            stage |= {"state": "done", "share": 1.0}
    return stages


def _events(path: Path) -> Iterable[dict[str, Any]]:
    """Events at the end of a file, in order; a resumed job says its earlier stages again."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - MAX_EVENTS_BYTES))
            lines = file.read(MAX_EVENTS_BYTES).splitlines()
    except OSError:
        return
    for line in lines:
        if not line.startswith(b"{"):
            continue
        try:
            event = json.loads(line)
        except ValueError:  # half a line, being written or cut
            continue
        if isinstance(event, dict):
            yield event


def crawl_of(run: Path, began: float = 0.0) -> dict[str, Any]:
    """State of a run's crawl; {} without a crawl.

    ``pages`` done, ``queued`` and ``failed``: numbers of pages. ``reasons``: the most frequent reasons of failure with
    their numbers. ``languages``: tags with their pages. ``now``: addresses being fetched. ``rate``: pages a minute,
    since ``began`` (Unix time) at the earliest. ``rest``: host with the longest rest and its seconds, or None.
    """
    journal = run / "journal.db"
    if journal.is_symlink() or not journal.is_file():
        return {}
    try:
        with closing(sqlite3.connect(f"{journal.as_uri()}?mode=ro", uri=True, timeout=1)) as db:
            return _crawl(db, began)
    except sqlite3.Error:  # not made yet, or no crawl
        return {}


def _crawl(db: sqlite3.Connection, began: float) -> dict[str, Any]:
    states = dict(db.execute("SELECT state, count(*) FROM address WHERE kind='page' GROUP BY state"))
    if not states:
        return {}
    # Pages from before a pause do not count: the pause would count as slowness.
    since = datetime.fromtimestamp(max(time.time() - RATE_S, began), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    recent = "SELECT count(*), min(fetched) FROM address WHERE kind='page' AND state='done' AND fetched >= ?"
    found, first = db.execute(recent, (since,)).fetchone()
    languages = "SELECT page_lang, count(*) FROM address WHERE kind='page' AND state='done' GROUP BY 1 ORDER BY 2 DESC"
    now = "SELECT url FROM address WHERE state='in_flight' LIMIT ?"
    failed = [(_reason(reason, detail), count) for reason, detail, count in db.execute(_FAILED)]
    return {
        "pages": states.get("done", 0),
        "queued": states.get("queued", 0) + states.get("in_flight", 0),
        "failed": sum(count for _, count in failed),
        "reasons": failed[:REASONS_SHOWN],
        "languages": [(lang, count) for lang, count in db.execute(languages) if lang and lang != "und"],
        "now": [url for (url,) in db.execute(now, (NOW_SHOWN,))],
        "rate": _rate(found, first),
        "rest": _rest(db),
    }


def _rest(db: sqlite3.Connection) -> tuple[str, int] | None:
    """The host with the longest rest, and its seconds; None if all may be asked soon."""
    statement = "SELECT host, until FROM rest WHERE until > ? ORDER BY until DESC LIMIT 1"
    row = db.execute(statement, (time.time() + SHORT_REST_S,)).fetchone()
    return (row[0], round(row[1] - time.time())) if row else None


CRAWL_REASONS = {
    "robots": "robots.txt asks not to",
    "other_host": "on another site",
    "excluded": "left out by your options",
    "noindex": "the page asks not to be used",
    "tdm_reserved": "the page asks not to be used",
    "login": "needs a login",
    "trap": "an endless list of addresses",
    "timeout": "no answer in time",
    "unreachable": "no answer",
    "host_left": "the site was too busy",
}
"""Reasons that a crawl alone has, in words for a person; for the others see :data:`diglot.reasons.REASON_TEXT`."""


def _reason(reason: str, detail: str) -> str:
    if reason == "http_status":
        return f"the server answered {detail}"
    if reason in REASON_TEXT:
        return REASON_TEXT[Reason(reason)]
    return CRAWL_REASONS.get(reason, reason.replace("_", " "))


def _rate(found: int, first: str | None) -> float:
    """Pages a minute since the ``first`` of the ``found`` pages of the last :data:`RATE_S`; 0 before the second."""
    if not first or found < 2:
        return 0.0
    began = datetime.fromisoformat(first.replace("Z", "+00:00"))
    seconds = max(1.0, (datetime.now(UTC) - began).total_seconds())
    return round(60 * found / seconds, 1)
