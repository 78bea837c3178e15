"""Work of a task: write the output files to the store, then the outcome as the sign of completeness."""

from __future__ import annotations

import atexit
import os
import shutil
import socket
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager
from dataclasses import asdict
from functools import cache
from pathlib import Path

from diglot.disk.folder import shard_name
from diglot.disk.store import Store
from diglot.engines.pool import LocalEngine
from diglot.errors import DiglotError, describe_error
from diglot.run.work import PRELOAD, RESOLVED
from diglot.tasks import Stage
from diglot.tasks.partition import read_documents, read_source
from diglot.tasks.plan import RunPlan, damage_errors, read_json, read_run_plan, read_site_plan, write_json
from diglot.tasks.sites import SiteResults, work_in_isolation, work_on_sites
from diglot.tasks.task import Outcome, Task

SCRATCH = "diglot-task-"
"""Prefix of temporary folders; host and process id follow."""
TRIES = "tasks/tries/"
"""Folder of empty files, the marks of tasks at work: ``TASK.HOST+PID+TOKEN``."""
DEATHS = 2
"""Deaths of a site task before each site is retried in isolation."""


def run_line(place: str, line: str) -> str:
    """:func:`run_task` for the store at ``place``, with the task and the outcome as lines of JSON."""
    return run_task(Store.at(place), Task.from_line(line)).to_line()


def run_task(store: Store, task: Task) -> Outcome:
    """Do a task unless it is done. The output has the same bytes on every machine and at every try.

    The outcome of an error such as a missing source or a full disk is not stored, so the task can be tried again.
    """
    if found := read_outcome(store, task):
        return found
    started = time.monotonic()
    try:
        run = read_run_plan(store)
        # Sources and options may have relative paths, from the folder in which the run was planned.
        with chdir(run.place()), _mark_try(store, task) as deaths, _scratch_folder() as scratch:
            pages = _WORK[task.stage](store, run, task, scratch, deaths)
    except DiglotError as error:
        return Outcome(stage=task.stage, number=task.number, error=f"{error}")
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return Outcome(stage=task.stage, number=task.number, error=f"{where}{describe_error(error)}")
    outcome = Outcome(stage=task.stage, number=task.number, pages=pages, seconds=round(time.monotonic() - started, 2))
    # Last of all files: the outcome says that the others are complete.
    write_json(store, outcome_name(task), asdict(outcome))
    return outcome


def outcome_name(task: Task) -> str:
    """File of the outcome of a finished task."""
    return f"tasks/{task.name}.json"


def notes_name(task: Task) -> str:
    """File of the output keys and notes of a site task."""
    return f"tasks/{task.name}.notes.json"


def read_outcome(store: Store, task: Task) -> Outcome | None:
    """Outcome of a finished task, else None."""
    name = outcome_name(task)
    if not store.exists(name):
        return None
    with damage_errors(store, name):
        return Outcome.from_table(read_json(store, name))


def done_tasks(store: Store, tasks: Sequence[Task]) -> set[int]:
    """Numbers of the finished among tasks of one stage, by a single listing of the store."""
    names = set(store.names(f"tasks/{tasks[0].stage}/")) if tasks else set[str]()
    return {task.number for task in tasks if outcome_name(task) in names}


def lost_outcome(line: str, detail: str) -> str:
    """Outcome of a task after the death of its process, as a line of JSON."""
    task = Task.from_line(line)
    error = f"its process was lost: {detail}"
    return Outcome(stage=task.stage, number=task.number, error=error, lost=True).to_line()


def _read_source(store: Store, run: RunPlan, task: Task, scratch: Path, _deaths: int) -> int:
    return read_source(store, run, task, _engine(), scratch)


def _work_on_sites(store: Store, run: RunPlan, task: Task, scratch: Path, deaths: int) -> int:
    sites = read_site_plan(store)
    if sites is None:
        raise DiglotError(f"{store.uri}: sites are not planned before all sources are read")
    if task not in sites.tasks:
        raise DiglotError(f"{store.uri}: the run was planned anew; run the tasks that it has now")
    run.require_same_files()
    names = sites.site_names(run.settings)
    documents = read_documents(store, sites.document_files, run.buckets, names, task)
    arguments = (documents, names, run.settings, run.documents_key)
    if deaths < DEATHS or not documents.num_rows:
        results = work_on_sites(*arguments, _engine(), scratch / "sites")
    else:
        results = work_in_isolation(*arguments, scratch)
    _store_results(store, task, results)
    return int(results.tables[RESOLVED].num_rows)


def _store_results(store: Store, task: Task, results: SiteResults) -> None:
    for stage, table in results.tables.items():
        store.put_table(shard_name(stage, results.keys[stage], task.number), table)
    write_json(store, notes_name(task), {"keys": dict(results.keys), "notes": dict(results.notes)})


_WORK = {Stage.READ: _read_source, Stage.SITE: _work_on_sites}


@contextmanager
def _mark_try(store: Store, task: Task) -> Iterator[int]:
    """Mark a task as being tried; yields the number of earlier tries ended by death.

    A try that ends in another way removes its mark. The mark of a live process on this machine is no death; the mark
    of another machine is, because processes there cannot be seen.
    """
    # The name of a mark holds all its data: another process may delete the file between our listing and a read.
    prefix, here = f"{TRIES}{task.name}.", socket.gethostname()
    tried = [name.removeprefix(prefix).split("+") for name in store.names(prefix)]
    deaths = sum(not (host == here and _is_alive(pid)) for host, pid, _ in tried)
    mark = f"{prefix}{here}+{os.getpid()}+{uuid.uuid4().hex}"
    store.put_bytes(mark, b"")
    try:
        yield deaths
    finally:
        store.delete(mark)


@contextmanager
def _scratch_folder() -> Iterator[Path]:
    """Temporary folder on a local disk (``TMPDIR``), removed afterwards together with those of killed tasks."""
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
    if sys.platform == "win32":  # no signal 0 there: leftovers stay
        return True
    try:
        os.kill(int(pid), 0)
    except (ProcessLookupError, ValueError):
        return False
    except PermissionError:  # the process of another user
        return True
    return True


@cache
def _engine() -> LocalEngine:
    """Engine of this process, with a worker kept from task to task."""
    engine = LocalEngine(jobs=1, preload=PRELOAD)
    # Executors keep processes for many tasks and tell nobody of the last one.
    atexit.register(engine.close)
    return engine
