"""Names of runs lead nowhere else, and what is deleted is gone as a whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diglot.workbench.bench import Bench
from diglot.workbench.run_state import RunStates
from diglot.workbench.shelf import NotHere, Shelf, is_name
from workbench.made_bench import client_of, put_run

DECISION = {"src": "a", "tgt": "b", "src_lang": "en", "tgt_lang": "fr", "verdict": "accepted"}
DECISION |= {"edited_src": "", "edited_tgt": ""}
WAYS_OUT = [
    "..",
    ".",
    "",
    "/etc",
    "../other",
    "a/b",
    "a\\b",
    ".workbench",
    ".hidden",
    "a\0",
    "a\nb",
    "x" * 101,
    "a.",
    " ",
]


@pytest.mark.parametrize("name", WAYS_OUT)
def test_a_way_out_is_no_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(NotHere):
        Shelf(tmp_path).run(name)


@given(st.text(max_size=120))
def test_a_name_is_one_part_of_a_path(name: str) -> None:
    if is_name(name):
        assert Path("/home", name).parent == Path("/home")
        assert not name.startswith(".")


def test_a_link_is_no_run(base: Path, tmp_path: Path) -> None:
    outside = put_run(base, tmp_path, "outside")
    shelf = Shelf(tmp_path / "home")
    (shelf.path / "link").symlink_to(outside)
    assert shelf.names() == []
    with pytest.raises(NotHere):
        shelf.run("link")


@pytest.mark.parametrize(
    ("wished", "name"),
    [
        *[("www.example.org", "example.org"), ("münchen.de", "münchen.de"), ("..", "site"), ("a/b", "a-b")],
        ("-x-", "x"),
        *[("U\u0308bersicht ä&ö (2024)  %", "Übersicht ä&ö (2024) %"), (f"Be{'o' * 70}", f"Be{'o' * 58}")],
    ],
)
def test_a_host_or_a_file_becomes_a_name(tmp_path: Path, wished: str, name: str) -> None:
    shelf = Shelf(tmp_path)
    assert shelf.new_name(wished) == name
    (tmp_path / name).mkdir()
    assert shelf.new_name(wished) == f"{name}-2"


def test_a_deleted_run_leaves_nothing(bench: Bench, run: Path) -> None:
    (bench.shelf.own("files", "town")).mkdir(parents=True)
    (bench.shelf.own("verdicts")).mkdir()
    (bench.shelf.own("verdicts", "town.waiting.json")).write_text("{}")
    (bench.shelf.own("verdicts", "townhall.waiting.json")).write_text("{}")
    bench.shelf.remove("town")
    assert not run.exists()
    left = sorted(path.name for path in bench.shelf.own().rglob("*") if path.is_file())
    assert left == ["townhall.waiting.json"]


def test_decisions_on_a_run_follow_when_its_folder_is_renamed(bench: Bench, run: Path) -> None:
    for path in (("verdicts", "town.waiting.json"), ("terms", "town", "decided.json"), ("terms", "city", "x.json")):
        bench.shelf.own(*path).parent.mkdir(parents=True, exist_ok=True)
        bench.shelf.own(*path).write_text("{}")
    bench.shelf.follow_renames()
    run.rename(bench.shelf.path / "my town")
    put_run(run.parent.parent, bench.shelf.path, "other")
    bench.shelf.follow_renames()
    left = sorted(str(path.relative_to(bench.shelf.own())) for path in bench.shelf.own().rglob("*.json"))
    assert left == ["runs.json", "terms/city/x.json", "terms/my town/decided.json", "verdicts/my town.waiting.json"]
    bench.shelf.remove("my town")
    left = sorted(str(path.relative_to(bench.shelf.own())) for path in bench.shelf.own().rglob("*.json"))
    assert left == ["runs.json", "terms/city/x.json"]


def test_a_site_is_renamed_with_its_decisions(bench: Bench, run: Path) -> None:
    put_run(run.parent.parent, bench.shelf.path, "other")
    with client_of(bench) as client:
        bench.terms.store("town", [DECISION])
        for taken in ("other", "", "..", "a/b", ".x", "x" * 101, "a.", " a", "a\u202egpj.b"):
            assert client.post("/sites/town/rename", json={"to": taken}).status_code == 400
        assert client.post("/sites/town/rename", json={"to": "U\u0308ber uns"}).json() == {"name": "Über uns"}
        assert client.get("/sites/town/verdicts").status_code == 404
        assert client.get("/sites/%C3%9Cber%20uns/verdicts").json()["terms"] == [DECISION]
        # A page that was open keeps what is decided on it, until another site has the name.
        late = {**DECISION, "src": "late"}
        assert client.post("/sites/town/terms", json={"entries": [late]}).status_code == 200
        assert client.get("/sites/%C3%9Cber%20uns/verdicts").json()["terms"] == [DECISION, late]
        assert client.post("/sites/other/rename", json={"to": "town"}).status_code == 200
        assert client.post("/sites/town/terms", json={"entries": [late]}).status_code == 200
        assert client.get("/sites/town/verdicts").json()["terms"] == [late]
        assert (
            client.post("/sites/%C3%9Cber%20uns/rename", json={"to": "x: y"})
            .json()["error"]
            .endswith('and none of < > : " / \\ | ? * in it.')
        )
    assert bench.shelf.names() == ["town", "Über uns"]


def test_a_site_that_a_merge_reads_keeps_its_name_and_its_place(bench: Bench, run: Path) -> None:
    for name in ("other", "third"):
        put_run(run.parent.parent, bench.shelf.path, name)
    bench.jobs.at_most = 0  # the merge waits
    with client_of(bench) as client:
        assert client.post("/merge", json={"names": ["town", "other"]}).json() == {"name": "merged"}
        for path, body in (("town/rename", {"to": "city"}), ("other/rename", {"to": "town"}), ("town/delete", {})):
            said = client.post(f"/sites/{path}", json=body).json()["error"]
            name = path.partition("/")[0]
            assert said == f"{name} is being merged; wait for the end of merged, or delete merged first."
        assert client.post("/sites/third/rename", json={"to": "my third"}).json() == {"name": "my third"}
        assert client.post("/sites/merged/delete", json={}).status_code == 200
        assert client.post("/sites/town/rename", json={"to": "city"}).json() == {"name": "city"}
    assert bench.shelf.names() == ["city", "my third", "other"]


def test_a_state_is_read_again_when_the_outputs_change(bench: Bench, run: Path) -> None:
    states = RunStates()
    assert states.of(run).is_finished
    assert states.of(run) is states.of(run)
    assert states.of(run).lang_pairs == [("en", "fr")]
    (run / "out" / "summary.json").write_text('{"kept": {"en-fr": 1234}, "pages": "many"}')
    assert (states.of(run).kept_segments, states.of(run).pages) == (1234, 0)


def test_two_hundred_runs_are_a_page(bench: Bench, run: Path) -> None:
    summary = (run / "out" / "summary.json").read_bytes()
    for number in range(200):
        folder = bench.shelf.path / f"site{number}"
        (folder / "out").mkdir(parents=True)
        (folder / "journal.db").touch()
        (folder / "out" / "summary.json").write_bytes(summary)
    with client_of(bench) as client:
        assert client.get("/").text.count('class="site"') == 201
