"""Sites tried each in a process of its own: one that fails is tried twice and then lost alone."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import dying_sites
import pyarrow as pa
import pytest

from diglot.records import DOCUMENT_SCHEMA
from diglot.run.settings import make_settings
from diglot.site import SiteNames
from diglot.tasks import sites as careful
from diglot.tasks.sites import SCHEMAS, SiteResults
from made_documents import made_page

SITES = ("a.example", "b.example")
EMPTY = {stage: schema.empty_table() for stage, schema in SCHEMAS.items()}


def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ways: dict[str, str]) -> SiteResults:
    """Work apart on two sites of two pages, by the ways of :func:`dying_sites.work_oddly`; lost ones leave a note."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    for site, way in ways.items():
        (tmp_path / site).write_text(way)
    monkeypatch.setattr(careful, "work_and_pickle", dying_sites.work_oddly)
    monkeypatch.setattr(
        careful, "results_of_lost_sites", lambda site, detail, *_: note(site["site"][0].as_py(), detail)
    )
    rows = [made_page(f"http://{site}/{page}", "en", ["text"]) | {"site": site} for site in SITES for page in range(2)]
    documents = pa.Table.from_pylist(rows, schema=DOCUMENT_SCHEMA)
    return careful.work_in_isolation(documents, SiteNames({}, ()), make_settings("en,fr"), "d", scratch)


def note(site: str, said: str) -> SiteResults:
    return SiteResults({}, EMPTY, {"notes": {site: [said]}})


def said(made: SiteResults) -> dict[str, list[str]]:
    notes: dict[str, list[str]] = dict(made.notes["notes"])
    return notes


def test_each_site_is_worked_on_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(work(tmp_path, monkeypatch, {})) == {site: [f"2 pages of {site}"] for site in SITES}
    assert [len(dying_sites.tries(tmp_path, site)) for site in SITES] == [1, 1]


@pytest.mark.parametrize(("way", "tries", "lost"), [("abort 1", 2, False), ("abort 2", 2, True), ("exit 1", 2, False)])
def test_a_site_is_tried_twice(
    way: str, tries: int, lost: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = said(work(tmp_path, monkeypatch, {SITES[0]: way}))
    assert found == {SITES[0]: ["killed by SIGABRT" if lost else f"2 pages of {SITES[0]}"],
                     SITES[1]: [f"2 pages of {SITES[1]}"]}  # fmt: skip
    assert len(set(dying_sites.tries(tmp_path, SITES[0]))) == tries


def test_a_site_that_takes_fifty_times_as_long_as_a_stage_may_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(careful, "site_timeout_s", lambda site: 0.01 * site.num_rows)
    found = said(work(tmp_path, monkeypatch, dict.fromkeys(SITES, "hang 9")))
    assert found == {site: ["not done after 1 s"] for site in SITES}


def test_evidence_has_more_patience(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(careful, "site_timeout_s", lambda _: 0.001)
    monkeypatch.setattr(careful, "patience", lambda _: 10.0)
    found = said(work(tmp_path, monkeypatch, dict.fromkeys(SITES, "hang 9")))
    assert found == {site: ["not done after 0.5 s"] for site in SITES}


def test_the_memory_of_a_site_is_that_of_its_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process for it: limited for two pages, its answer is what is read again."""
    limits: list[Any] = []
    monkeypatch.setattr(careful, "limit_memory", limits.append)
    monkeypatch.setattr(careful, "work_on_sites", lambda *_: note("a.example", "done"))
    site = pa.table({"site": ["a.example"] * 2})
    careful.work_and_pickle(site, SiteNames({}, ()), make_settings("en,fr"), "d", tmp_path, tmp_path / "answer")
    assert limits == [(3 << 30) + 2 * (256 << 10)]
    assert pickle.loads((tmp_path / "answer").read_bytes()) == note("a.example", "done")
