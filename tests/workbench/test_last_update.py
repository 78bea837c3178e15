"""The page of a run tells its last update from the files of the run, whatever command wrote them."""

from __future__ import annotations

from pathlib import Path

from starlette.testclient import TestClient

from diglot.harvesting import clean_run
from diglot.results.delta import kept_marks, write_deltas
from diglot.results.run import open_run

NEW = "“New segments”, under More, has the new ones."
DELTA = "/sites/town/download/en,fr/delta"


def told(client: TestClient) -> str:
    page = client.get("/sites/town").text
    return page[page.index("Last update: ") :].split("</p>")[0]


def test_a_run_without_an_update_tells_none(run: Path, client: TestClient) -> None:
    page = client.get("/sites/town").text
    assert "Last update" not in page
    assert ">XLIFF 2.0</a>" in page
    assert ">New segments</a>" not in page
    assert "was not updated yet" in client.get(DELTA).json()["error"]


def test_the_last_update_is_told_from_the_files_of_the_run(run: Path, client: TestClient) -> None:
    (run / "out" / "changes.tsv").write_text("url\tchange\nhttp://a/\tnew\nhttp://b/\tnew\nhttp://c/\tgone\n")
    assert ">New segments</a>" in client.get("/sites/town").text
    assert "the last update brought none" in client.get(DELTA).json()["error"]
    opened = open_run(run)
    kept = opened.summary()["kept"]["en-fr"]
    write_deltas(opened, {})
    assert (
        told(client)
        == f"Last update: pages 1 gone, 2 new; new segments {kept} en-fr; gone none; now {kept} en-fr. {NEW}"
    )
    write_deltas(opened, kept_marks(opened))
    assert told(client) == f"Last update: pages 1 gone, 2 new; new segments none; gone none; now {kept} en-fr."
    before = kept_marks(opened)
    scores = opened.segments("en", "fr").kept_rows()["score"].to_pylist()
    clean_run(run, min_score=max(scores))
    write_deltas(open_run(run), before)
    left = open_run(run).summary()["kept"]["en-fr"]
    assert 0 < left < kept
    gone = f"gone {kept - left} en-fr; now {left} en-fr."
    assert told(client) == f"Last update: pages 1 gone, 2 new; new segments none; {gone}"


def test_files_that_lead_elsewhere_are_not_read(run: Path, client: TestClient, tmp_path: Path) -> None:
    (tmp_path / "secret.tsv").write_text("url\tchange\nhttp://a/\tsecret\n")
    (run / "out" / "changes.tsv").symlink_to(tmp_path / "secret.tsv")
    assert "Last update" not in client.get("/sites/town").text
