"""A task done, wherever: what it makes is put into the store, and last a line that says so."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import socket
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager
from functools import cache
from pathlib import Path

from diglot.disk.folder import shard_name
from diglot.disk.store import Store
from diglot.engines.pool import LocalEngine
from diglot.errors import DiglotError
from diglot.run.work import PRELOAD, RESOLVED
from diglot.tasks.isolation import work_site_by_site
from diglot.tasks.partition import documents_of
from diglot.tasks.plan import RunPlan, read_run_plan, read_site_plan, telling
from diglot.tasks.reading import read_source
from diglot.tasks.sites import Made, work_on
from diglot.tasks.stage import Stage
from diglot.tasks.task import Outcome, Task

SCRATCH = "diglot-task-"
"""How the names of folders begin in which tasks keep what they are at work on; host and process follow."""
TRIED = "tasks/tries/"
"""Where files say by their names which tasks are at work: task, dot, host, process and a word of their own."""
DEATHS = 2
"""Times that a task of sites may have ended without a word before each of its sites is tried apart."""


def run_line(place: str, line: str) -> str:
    """:func:`run_task` of the store at ``place`` and a task in its line; the outcome in its own."""
    return run_task(Store.at(place), Task.from_line(line)).to_line()


def run_task(store: Store, task: Task) -> Outcome:
    """Do a task, unless it is done; what it makes has the same bytes whoever does it, and however often.

    What stands against it (a source that is gone, a full disk) is told by the outcome, and not put into the store.
    """
    if found := read_outcome(store, task):
        return found
    started = time.monotonic()
    try:
        run = read_run_plan(store)
        with chdir(run.place()), _attempt(store, task) as deaths, _scratch() as scratch:
            pages = _WORK[task.stage](store, run, task, scratch, deaths)
    except (DiglotError, OSError) as error:
        return Outcome(stage=task.stage, number=task.number, error=f"{error}")
    outcome = Outcome(stage=task.stage, number=task.number, pages=pages, seconds=round(time.monotonic() - started, 2))
    store.put_bytes(outcome_name(task), outcome.to_line().encode())
    return outcome


def outcome_name(task: Task) -> str:
    """Where the outcome of a task is put when it is done."""
    return f"tasks/{task.name}.json"


def notes_name(task: Task) -> str:
    """Where a task of sites puts the keys of what it made and the notes beside it."""
    return f"tasks/{task.name}.notes.json"


def read_outcome(store: Store, task: Task) -> Outcome | None:
    """The outcome of a task that is done, None of others."""
    name = outcome_name(task)
    if not store.exists(name):
        return None
    with telling(store, name):
        return Outcome.from_line(store.read_bytes(name).decode())


def done_tasks(store: Store, tasks: Sequence[Task]) -> set[int]:
    """Numbers of those tasks of one stage that are done; the store is asked once."""
    names = set(store.names(f"tasks/{tasks[0].stage}/")) if tasks else set[str]()
    return {task.number for task in tasks if outcome_name(task) in names}


def lost_task(line: str, detail: str) -> str:
    """The outcome, in its line, of a task whose worker was lost."""
    task = Task.from_line(line)
    error = f"its process was lost: {detail}"
    return Outcome(stage=task.stage, number=task.number, error=error, lost=True).to_line()


def _read(store: Store, run: RunPlan, task: Task, scratch: Path, _deaths: int) -> int:
    return read_source(store, run, task, _engine(), scratch)


def _work_on_sites(store: Store, run: RunPlan, task: Task, scratch: Path, deaths: int) -> int:
    sites = read_site_plan(store)
    if sites is None:
        raise DiglotError(f"{store.uri}: sites are not planned before all sources are read")
    if task not in sites.tasks:
        raise DiglotError(f"{store.uri}: the run was planned anew; run the tasks that it has now")
    run.require_same_files()
    names = sites.site_names(run.settings)
    documents = documents_of(store, sites.dealt, run.buckets, names, task)
    asked = (documents, names, run.settings, run.documents_key)
    if deaths < DEATHS or not documents.num_rows:
        made = work_on(*asked, _engine(), scratch / "sites")
    else:
        made = work_site_by_site(*asked, scratch)
    _put(store, task, made)
    return int(made.tables[RESOLVED].num_rows)


def _put(store: Store, task: Task, made: Made) -> None:
    for stage, table in made.tables.items():
        store.put_table(shard_name(stage, made.keys[stage], task.number), table)
    noted = {"keys": dict(made.keys), "notes": dict(made.notes)}
    store.put_bytes(notes_name(task), json.dumps(noted, ensure_ascii=False).encode())


_WORK = {Stage.READ: _read, Stage.SITE: _work_on_sites}


@contextmanager
def _attempt(store: Store, task: Task) -> Iterator[int]:
    """How often the task ended without a word: what says that it is being tried goes when it ends in any other way.

    Whoever is alive on this machine has not ended; of others nobody can say. All of it is in the name: a file that
    another ends with is gone before it could be read.
    """
    prefix, here = f"{TRIED}{task.name}.", socket.gethostname()
    tried = [name.removeprefix(prefix).split("+") for name in store.names(prefix)]
    deaths = sum(not (host == here and _is_alive(pid)) for host, pid, _ in tried)
    mark = f"{prefix}{here}+{os.getpid()}+{uuid.uuid4().hex}"
    store.put_bytes(mark, b"")
    try:
        yield deaths
    finally:
        store.delete(mark)


@contextmanager
def _scratch() -> Iterator[Path]:
    """An empty folder on a disk of this machine (``TMPDIR``), gone afterwards, and those of tasks that were killed."""
    here = f"{SCRATCH}{socket.gethostname()}-"
    for left in Path(tempfile.gettempdir()).glob(f"{here}*"):
        if not _is_alive(left.name.removeprefix(here).partition("-")[0]):
            shutil.rmtree(left, ignore_errors=True)
    path = Path(tempfile.mkdtemp(prefix=f"{here}{os.getpid()}-"))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _is_alive(pid: str) -> bool:
    if sys.platform == "win32":  # which has no signal that only asks; what is left there stays
        return True
    try:
        os.kill(int(pid), 0)
    except (ProcessLookupError, ValueError):
        return False
    except PermissionError:  # somebody else's
        return True
    return True


@cache
def _engine() -> LocalEngine:
    """The workers of this process: one, kept from task to task."""
    engine = LocalEngine(jobs=1, preload=PRELOAD)
    atexit.register(engine.close)
    return engine
