"""The rate of a crawl, from two pages of the last minute on, and why pages were not fetched."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from diglot.progress import SHORT_REST_S
from diglot.reasons import REASON_TEXT
from diglot.workbench.watching import CRAWL_REASONS, crawl_of

COLUMNS = ("url", "kind", "state", "fetched", "page_lang", "reason", "detail", "status")


def _make_tables(db: sqlite3.Connection) -> None:
    db.execute(f"CREATE TABLE address ({', '.join(COLUMNS)})")
    db.execute("CREATE TABLE rest (host TEXT PRIMARY KEY, until REAL NOT NULL)")


def test_a_host_that_rests_long_is_named(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "journal.db")) as db, db:
        _make_tables(db)
        db.execute("INSERT INTO address (url, kind, state) VALUES ('https://a.example/', 'page', 'queued')")
        db.execute("INSERT INTO rest VALUES ('b.example', ?)", (time.time() + SHORT_REST_S - 1,))
    assert crawl_of(tmp_path)["rest"] is None
    with closing(sqlite3.connect(tmp_path / "journal.db")) as db, db:
        db.execute("INSERT INTO rest VALUES ('a.example', ?)", (time.time() + 1000,))
    host, seconds = crawl_of(tmp_path)["rest"]
    assert host == "a.example"
    assert 900 < seconds <= 1000


@pytest.mark.parametrize(
    ("ages_s", "has_rate"), [((), False), ((0,), False), ((0, 0), True), ((0, 3600), False), ((0, 0, 3600), True)]
)
def test_the_rate_of_a_crawl_needs_two_pages_of_the_last_minute(
    tmp_path: Path, ages_s: tuple[int, ...], has_rate: bool
) -> None:
    with closing(sqlite3.connect(tmp_path / "journal.db")) as db, db:
        _make_tables(db)
        rows: list[tuple[str, ...]] = [("https://a.example/robots.txt", "robots", "done", "", "", "", "", "")]
        for number, age_s in enumerate(ages_s):
            fetched = (datetime.now(UTC) - timedelta(seconds=age_s)).strftime("%Y-%m-%dT%H:%M:%SZ")
            rows.append((f"https://a.example/{number}", "page", "done", fetched, "en", "", "", "200"))
        db.executemany(f"INSERT INTO address VALUES ({', '.join('?' * len(COLUMNS))})", rows)
    found = crawl_of(tmp_path)
    assert found.get("pages", 0) == len(ages_s)
    assert (found.get("rate", 0.0) > 0.0) is has_rate


def test_the_rate_of_a_crawl_does_not_count_a_pause(tmp_path: Path) -> None:
    """Ten pages, a pause of 48 s, then two pages in four seconds."""
    now = time.time()
    with closing(sqlite3.connect(tmp_path / "journal.db")) as db, db:
        _make_tables(db)
        for number, age_s in enumerate((*range(50, 60), 2, 4)):
            fetched = datetime.fromtimestamp(now - age_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            row = (f"https://a.example/{number}", "page", "done", fetched, "en", "", "", "200")
            db.execute(f"INSERT INTO address VALUES ({', '.join('?' * len(COLUMNS))})", row)
    assert crawl_of(tmp_path)["rate"] < 16
    assert 20 < crawl_of(tmp_path, began=now - 6)["rate"] < 31


def test_a_reason_has_the_same_words_in_a_crawl_and_in_the_summary(tmp_path: Path) -> None:
    assert not {*CRAWL_REASONS} & {*REASON_TEXT}
    reasons = {"too_large": "larger than the page limit", "trap": "an endless list of addresses", "odd_one": "odd one"}
    with closing(sqlite3.connect(tmp_path / "journal.db")) as db, db:
        _make_tables(db)
        rows = [(f"https://a.example/{each}", "page", "refused", "", "", each, "", "") for each in reasons]
        rows.append(("https://a.example/gone", "page", "failed", "", "", "http_status", "404", "404"))
        db.executemany(f"INSERT INTO address VALUES ({', '.join('?' * len(COLUMNS))})", rows)
    assert dict(crawl_of(tmp_path)["reasons"]) == {**dict.fromkeys(reasons.values(), 1), "the server answered 404": 1}
