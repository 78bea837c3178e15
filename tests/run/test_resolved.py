"""What is told of every record beside its text: its site and, where nothing of the site can be paired, why."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import diglot.run.resolve
from diglot.cli import main
from diglot.harvesting import harvest
from diglot.results.run import Run
from diglot.run import shards
from diglot.run.resolve import ALONE
from diglot.run.stored_pages import RESOLVED_SCHEMA
from diglot.run.work import RESOLVED
from made_sites import lett_line, page_html
from two_sites import HOSTS, lines_of, write_mixed

LONE = "lone.org"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A site in two languages, one in English alone, an unreadable page of each, and one of a domain of its own."""
    folder = tmp_path_factory.mktemp("resolved")
    lone = [lett_line("en", f"http://{LONE}/page{n}", page_html("en", n)) for n in range(5)]
    broken = [lett_line("en", f"http://{host}/broken", b"") for host in (HOSTS[0], f"www.{LONE}", "nowhere.example")]
    pages = {HOSTS[0]: lines_of(HOSTS[0]), LONE: lone, "": broken}
    return harvest(write_mixed(folder / "pages", pages), "en,fr", folder / "run", jobs=1)


def resolved(run: Run) -> list[dict[str, Any]]:
    table = run.folder.read(RESOLVED, run.folder.recall("run", RESOLVED), RESOLVED_SCHEMA)
    assert table is not None
    return table.to_pylist()  # type: ignore[no-any-return]


def test_every_record_has_a_site(run: Run) -> None:
    rows = resolved(run)
    assert len(rows) == run.summary()["pages"]
    broken = {row["url"]: row["site"] for row in rows if row["url"].endswith("/broken")}
    assert broken == {
        f"http://{HOSTS[0]}/broken": HOSTS[0],
        f"http://www.{LONE}/broken": LONE,
        "http://nowhere.example/broken": "nowhere.example",
    }
    assert {row["site"] for row in run.summary()["sites"]} == {HOSTS[0], LONE}


def test_a_site_of_one_language_is_left_alone_and_says_so(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    mine = [row for row in resolved(run) if row["site"] == LONE and not row["url"].endswith("/broken")]
    assert Counter((row["lang"], row["reason"], row["detail"]) for row in mine) == {("en", "no_partner", ALONE): 5}
    assert f"no_partner\t{ALONE}" in (run.path / "out" / "pages.tsv").read_text("utf-8")
    assert main(["why", str(run.path), f"http://{LONE}/page1"]) == 0
    assert f"dropped, no translation found ({ALONE})" in capsys.readouterr().out


def test_no_worker_is_asked_about_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def map_sites(engine: Any, stage: Any, sites: Any, *, failed: Any) -> Any:
        asked.extend(site["site"][0].as_py() for site in sites)
        return real(engine, stage, sites, failed=failed)

    real = shards.map_sites
    monkeypatch.setattr(diglot.run.resolve, "map_sites", map_sites)
    lone = [lett_line("en", f"http://{LONE}/page{n}", page_html("en", n)) for n in range(5)]
    pages = write_mixed(tmp_path / "pages", {HOSTS[0]: lines_of(HOSTS[0]), LONE: lone})
    harvest(pages, "en,fr", tmp_path / "run", jobs=1)
    assert asked == [HOSTS[0]]
