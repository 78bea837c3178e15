"""A task tried: what is counted as a death, what is left beside it, and what its outcome says."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pyarrow as pa
import pytest

from diglot.disk.store import Store
from diglot.errors import DiglotError
from diglot.progress import Silent
from diglot.tasks import Stage, commands, work
from diglot.tasks.commands import _stage_progress, run_tasks, select_tasks
from diglot.tasks.sites import merge_notes
from diglot.tasks.task import Outcome, Task

HERE = socket.gethostname()
TASK = Task(stage=Stage.SITE, number=1, key="k", weight=1)
Doing = Callable[[Path, int], int]


@pytest.fixture(scope="module")
def dead() -> int:
    """The number of a process of this machine that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A store of a run that is planned, whose temporary files have a folder of their own."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    plan = SimpleNamespace(place=lambda: tmp_path, require_same_files=lambda: None, settings=None, documents_key="d",
                           buckets=1)  # fmt: skip
    monkeypatch.setattr(work, "read_run_plan", lambda _: plan)
    return Store.at(tmp_path / "run")


def do(monkeypatch: pytest.MonkeyPatch, store: Store, doing: Doing, task: Task = TASK) -> Outcome:
    """Do a task by ``doing``, which is given its scratch folder and its deaths."""
    monkeypatch.setitem(work._WORK, Stage.SITE, lambda _store, _run, _task, scratch, deaths: doing(scratch, deaths))
    return work.run_task(store, task)


def test_a_task_is_done_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    first = do(monkeypatch, store, lambda *_: 7)
    assert (first.pages, first.error, first.lost, first.stage, first.number) == (7, "", False, Stage.SITE, 1)
    assert work.read_outcome(store, TASK) == first
    assert do(monkeypatch, store, lambda *_: pytest.fail("it is done")) == first
    assert work.done_tasks(store, [TASK, Task(stage=Stage.SITE, number=2, key="k", weight=1)]) == {1}
    assert work.done_tasks(store, []) == set()


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (DiglotError("gone; try again"), "gone; try again"),
        (OSError(errno.ENOSPC, "No space left"), "the disk is full; free space"),
    ],
)
def test_what_stands_against_a_task_is_told_and_not_kept(
    error: Exception, words: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> int:
        raise error

    told = do(monkeypatch, store, fail)
    assert (told.error, told.lost, told.pages) == (words, False, 0)
    assert work.read_outcome(store, TASK) is None
    assert store.names(work.TRIES) == []
    assert do(monkeypatch, store, lambda *_: 1).error == ""


def test_what_says_that_a_task_is_tried_goes_however_it_ends(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any) -> int:
        (name,) = store.names(work.TRIES)
        assert name.startswith(f"{work.TRIES}site/k-00001.{HERE}+{os.getpid()}+")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        do(monkeypatch, store, interrupt)
    assert store.names(work.TRIES) == []


def test_the_dead_are_counted_and_the_living_are_not(store: Store, dead: int, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = []
    for host, pid in (("elsewhere", os.getpid()), (HERE, os.getpid()), (HERE, dead), (HERE, "none"), (HERE, 1)):
        store.put_bytes(f"{work.TRIES}{TASK.name}.{host}+{pid}+0", b"")
        do(monkeypatch, store, lambda _, deaths: counted.append(deaths) or 0)
        store.delete(work.outcome_name(TASK))
    assert counted == [1, 1, 2, 3, 3]


def test_tries_of_one_task_are_not_those_of_another(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.put_bytes(f"{work.TRIES}site/k-00010.elsewhere+7+0", b"")
    store.put_bytes(f"{work.TRIES}site/k-000010.elsewhere+7+0", b"")
    store.put_bytes(f"{work.TRIES}read/k.elsewhere+7+0", b"")
    assert do(monkeypatch, store, lambda _, deaths: deaths).pages == 0


def test_a_scratch_folder_is_empty_and_goes_and_so_do_those_of_the_dead(
    store: Store, dead: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = Path(tempfile.gettempdir())
    names = {"dead": f"{HERE}-{dead}-a", "alive": f"{HERE}-{os.getpid()}-a", "elsewhere": f"elsewhere-{dead}-a"}
    for name in names.values():
        (temporary / f"{work.SCRATCH}{name}").mkdir()
        (temporary / f"{work.SCRATCH}{name}" / "file").touch()

    def look(scratch: Path, _deaths: int) -> int:
        assert list(scratch.iterdir()) == []
        assert scratch.name.startswith(f"{work.SCRATCH}{HERE}-{os.getpid()}-")
        (scratch / "file").touch()
        return 0

    assert do(monkeypatch, store, look).error == ""
    left = {path.name.removeprefix(work.SCRATCH) for path in temporary.iterdir()}
    assert left == {names["alive"], names["elsewhere"]}


def test_a_task_works_where_the_run_was_planned(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    assert do(monkeypatch, store, lambda *_: int(Path.cwd() == tmp_path)).pages == 1
    assert Path.cwd() == Path("/")


@pytest.mark.parametrize(
    ("deaths", "rows", "way"), [(0, 3, "together"), (1, 3, "together"), (2, 3, "apart"), (9, 3, "apart"),
                                (2, 0, "together")]
)  # fmt: skip
def test_sites_are_tried_apart_after_two_deaths(
    deaths: int, rows: int, way: str, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = SimpleNamespace(tasks=(TASK,), document_files=(), site_names=lambda _: None)
    documents, ways = pa.table({"url": ["u"] * rows}), []
    made = SimpleNamespace(tables={work.RESOLVED: documents}, keys={work.RESOLVED: "s"}, notes={})
    monkeypatch.setattr(work, "read_site_plan", lambda _: plan)
    monkeypatch.setattr(work, "read_documents", lambda *_: documents)
    monkeypatch.setattr(work, "work_on_sites", lambda *_: ways.append("together") or made)
    monkeypatch.setattr(work, "work_in_isolation", lambda *_: ways.append("apart") or made)
    assert work._work_on_sites(store, work.read_run_plan(store), TASK, tmp_path, deaths) == rows
    assert ways == [way]
    assert "resolved/s-00001.parquet" in store.names()


def test_a_task_of_no_plan_and_of_an_earlier_one_are_refused(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for plan, error in ((None, "sites are not planned"), (SimpleNamespace(tasks=()), "the run was planned anew")):
        monkeypatch.setattr(work, "read_site_plan", lambda _, plan=plan: plan)
        with pytest.raises(DiglotError, match=error):
            work._work_on_sites(store, work.read_run_plan(store), TASK, tmp_path, 0)


def test_how_far_a_stage_is(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = [Task(stage=Stage.SITE, number=number, key="k", weight=1) for number in range(4)]
    for number, pages in ((0, 5), (2, 6)):
        do(monkeypatch, store, lambda *_, pages=pages: pages, tasks[number])
    for number in (2, 3):
        store.put_bytes(f"{work.TRIES}{tasks[number].name}.elsewhere+7+0", b"")
    assert _stage_progress(store, tasks) == (4, 2, 11, [3])


def test_tasks_done_in_turn_are_counted_and_those_that_fail_are_given_back(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Heard(Silent):
        said: ClassVar[list[object]] = []

        def start(self, stage: str, total: int | None, unit: str) -> None:
            self.said.append((stage, total, unit))

        def advance(self, done: int) -> None:
            self.said.append(done)

        def finish(self, text: str) -> None:
            self.said.append(text)

    tasks = [Task(stage=Stage.SITE, number=number, key="k", weight=1) for number in range(3)]
    outcomes = [Outcome(stage=Stage.SITE, number=number, error="gone" * (number == 1)) for number in range(3)]
    monkeypatch.setattr(commands, "run_task", lambda _, task: outcomes[task.number])
    assert run_tasks(store, tasks, Heard()) == [outcomes[1]]
    assert Heard.said == [("site", 3, "tasks"), 1, 1, 1, "2 of 3 tasks done"]
    Heard.said.clear()
    assert run_tasks(store, [], Heard()) == []
    assert Heard.said == [("", 0, "tasks"), "0 of 0 tasks done"]


def test_parts_take_every_so_manieth_of_the_heaviest_first() -> None:
    tasks = [Task(stage=Stage.READ, number=number, key="k", weight=number) for number in range(5)]
    assert [task.number for task in select_tasks(tasks, part="0/2")] == [4, 2, 0]
    assert [task.number for task in select_tasks(tasks, part="1/2")] == [3, 1]
    assert [task.number for task in select_tasks(tasks)] == [4, 3, 2, 1, 0]
    assert [task.number for task in select_tasks(tasks, number=0)] == [0]
    assert [task.number for task in select_tasks(tasks, number=4)] == [4]


def test_notes_of_several_are_one() -> None:
    assert merge_notes([]) == {}
    noted = [
        {"count": 2, "by site": {"a": 1}, "lines": ["x", "y"], "first": 1},
        {"count": 3, "by site": {"b": 2}, "lines": ["y", "z"]},
    ]
    assert merge_notes(noted) == {
        "count": 5, "by site": {"a": 1, "b": 2}, "lines": ["x", "y", "z"], "first": 1,
    }  # fmt: skip
