"""Commands on tasks: plan, list, run, show progress, finish the run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from diglot.disk.folder import RunFolder
from diglot.disk.journal_file import NAME
from diglot.disk.store import Store
from diglot.engines.pool import LocalEngine
from diglot.engines.server import serve_from_here
from diglot.errors import RunFolderError, UsageError
from diglot.languages import open_languages
from diglot.layout import count_text
from diglot.outputs.same_run import (
    drop_merge,
    drop_outdated,
    own_folder,
    require_empty,
    require_no_merge,
    require_same_files,
)
from diglot.pages import open_sources
from diglot.pages.forgotten import forgotten_of
from diglot.pages.opening import report_on_sources
from diglot.progress import Progress, default_progress
from diglot.run.log import open_log
from diglot.run.settings import Settings, make_settings, settings_file, settings_of_found, settings_without_languages
from diglot.run.work import PAIRS, PRELOAD, SEGMENTS, Work
from diglot.survey.open_languages import detect_languages
from diglot.tasks import Stage
from diglot.tasks.in_run import adopt_results, load_results, load_site_plan, require_done
from diglot.tasks.partition import read_index_notes
from diglot.tasks.plan import RunPlan, plan_run, read_run_plan, read_site_plan, write_run_plan
from diglot.tasks.task import Outcome, Task, heaviest_first
from diglot.tasks.work import TRIES, done_tasks, read_outcome, run_task

_PART = re.compile("([0-9]{1,9})/([0-9]{1,9})")


def plan_tasks(
    specs: Sequence[str], settings: Settings, place: str, progress: Progress | None = None, *, overwrite: bool = False
) -> RunPlan:
    """Plan a run in the store at ``place``: a read task for each source. Site tasks are planned once all are read.

    Raises: SourceError for a source that is missing or of no known kind; RunFolderError for a folder with other content
    or with another run, unless ``overwrite`` is set. Addresses forgotten in the run are left out.
    """
    store = Store.at(place)
    plan = plan_run(settings, specs, progress, _forgotten_at(store))
    if store.folder is not None:
        _require_usable_folder(store.folder, plan, overwrite=overwrite)
    write_run_plan(store, plan)
    _report_on_forgotten(plan, progress or default_progress())
    return plan


def _require_usable_folder(path: Path, plan: RunPlan, *, overwrite: bool) -> None:
    """Raise what :func:`finish_tasks` would raise for this folder, before the work of tasks is done."""
    if not overwrite:
        require_empty(path)
    if (path / NAME).is_file():
        with RunFolder(path, create=False) as folder:
            _require_same_run(folder, plan, overwrite=overwrite)


def _forgotten_at(store: Store) -> frozenset[bytes]:
    """Hashes of the addresses that were forgotten in the run at a store, or left out of its last plan."""
    forgotten = frozenset[bytes]()
    with suppress(RunFolderError):  # none, or of another version; finishing the run looks again
        forgotten = read_run_plan(store).forgotten
    if store.folder is not None and (store.folder / NAME).is_file():
        with RunFolder(store.folder, create=False) as folder:
            forgotten |= forgotten_of(folder)
    return forgotten


def _report_on_forgotten(plan: RunPlan, progress: Progress) -> None:
    """Tell a listener that a plan leaves out what was forgotten, perhaps in another run."""
    if plan.forgotten:
        progress.start("forgotten", None, "")
        # An address with parameters has two hashes, its own and that of its variants.
        progress.finish(
            f"addresses or hosts forgotten before are left out ({count_text(len(plan.forgotten), 'hash', 'hashes')})"
        )


def _require_same_run(folder: RunFolder, plan: RunPlan, *, overwrite: bool) -> None:
    """Raise :class:`RunFolderError` for a merge or another run, unless ``overwrite`` is set."""
    if not overwrite:
        require_no_merge(folder)
        sources = ((each.name, each.fingerprint, each.spec) for each in plan.sources)
        require_same_files(folder, plan.settings.langs, sources, may_grow=True)


def plan_by_options(
    specs: Sequence[str],
    langs: str | Sequence[str],
    options: Mapping[str, Any],
    place: str,
    progress: Progress | None = None,
    *,
    overwrite: bool = False,
) -> RunPlan:
    """:func:`plan_tasks` by options as typed, with open languages such as ``all`` and ``en,*`` resolved here.

    Raises also what :func:`diglot.survey.open_languages.detect_languages` does.
    """
    if open_languages(langs) is not None:
        settings = settings_without_languages(**options)
        serve_from_here(PRELOAD)
        found = detect_languages(langs, open_sources(specs, **settings.opening_options()), settings, progress=progress)
        settings = settings_of_found(found.langs, found.pivot, options)
    else:
        settings = make_settings(langs, **options)
    return plan_tasks(specs, settings, place, progress, overwrite=overwrite)


def stage_tasks(store: Store, stage: Stage) -> list[Task]:
    """Tasks of a stage; :class:`diglot.errors.DiglotError` for site tasks while sources are unread."""
    run = read_run_plan(store)
    return run.read_tasks() if stage is Stage.READ else list(load_site_plan(store, run).tasks)


def select_tasks(tasks: Sequence[Task], *, number: int | None = None, part: str = "") -> list[Task]:
    """Task ``number``, or part ``I/N`` (every N-th task from the I-th on, I from 0), or all tasks, the heaviest first.

    Raises: UsageError for a number or part out of range.
    """
    if number is not None:
        if not 0 <= number < len(tasks):
            raise UsageError(f"no task {number}; they are numbered from 0 to {len(tasks) - 1}")
        return [tasks[number]]
    if not part:
        return heaviest_first(tasks)
    found = _PART.fullmatch(part)
    place, parts = map(int, found.groups()) if found else (0, 0)
    if place >= parts:
        raise UsageError(f"--part {part}: write I/N with I from 0 to N - 1, as in 0/32")
    # By falling weight, so that all parts are about as heavy.
    return heaviest_first(tasks)[place::parts]


def run_tasks(store: Store, tasks: Sequence[Task], progress: Progress | None = None) -> list[Outcome]:
    """Do tasks in turn in this process; returns the outcomes of failed tasks."""
    listener = progress or default_progress()
    listener.start(tasks[0].stage if tasks else "", len(tasks), "tasks")
    outcomes = []
    for task in tasks:
        outcomes.append(run_task(store, task))
        listener.advance(1)
    failed = [outcome for outcome in outcomes if outcome.error]
    listener.finish(f"{len(tasks) - len(failed)} of {len(tasks)} tasks done")
    if tasks and tasks[0].stage is Stage.READ:
        report_on_sources(read_index_notes(store, tasks), listener)
    return failed


class StageProgress(NamedTuple):
    """Progress of a stage; ``tasks``: their number, None while they are not planned."""

    tasks: int | None
    done: int
    pages: int
    begun: list[int]
    """Numbers of unfinished tasks with a try: at work, or dead."""


def stage_progress(store: Store) -> dict[Stage, StageProgress]:
    """Progress of each stage of a run."""
    run, sites = read_run_plan(store), read_site_plan(store)
    found = {Stage.READ: _stage_progress(store, run.read_tasks())}
    found[Stage.SITE] = StageProgress(None, 0, 0, []) if sites is None else _stage_progress(store, sites.tasks)
    return found


def _stage_progress(store: Store, tasks: Sequence[Task]) -> StageProgress:
    done = done_tasks(store, tasks)
    outcomes = (read_outcome(store, task) for task in tasks if task.number in done)
    tried = {name.removeprefix(TRIES).partition(".")[0] for name in store.names(TRIES)}
    begun = [task.number for task in tasks if task.name in tried and task.number not in done]
    return StageProgress(len(tasks), len(done), sum(outcome.pages for outcome in outcomes if outcome), begun)


def finish_tasks(store: Store, out: Path | None, progress: Progress | None = None, *, overwrite: bool = False) -> Path:
    """Make a run folder from the results of all tasks, with outputs, summary and report; returns its path.

    ``out``: path of the run folder, required for a store that is no local folder. A folder with other content, or with
    a run of other sources or languages, is refused unless ``overwrite`` is set.
    Raises: DiglotError where tasks are unfinished, and what :func:`diglot.outputs.finish.finish_stage` does.
    """
    # Loads the report and all formats, which no other command here needs.
    from diglot.outputs.finish import finish_stage

    where = out or store.folder
    if where is None:
        raise UsageError(f"{store.uri} is no folder of this machine: name the run folder with -o")
    run = read_run_plan(store)
    run.require_same_files()
    sites = load_site_plan(store, run)
    require_done(store, sites)
    with own_folder(where, overwrite=overwrite) as folder, LocalEngine(jobs=1) as engine:
        _require_same_run(folder, run, overwrite=overwrite)
        # Before outputs go, and diglot.toml states settings that are not in force.
        results = load_results(store, run, sites, folder)
        named = [
            {"name": each.name, "kind": each.kind, "path": each.spec, "hash": each.fingerprint} for each in run.sources
        ]
        drop_merge(folder, progress or default_progress())
        drop_outdated(folder, run.settings, [(each["name"], each["hash"]) for each in named])
        folder.write_settings(settings_file(run.settings, named))
        adopt_results(run, sites, folder, results)
        with open_log(folder.path, progress or default_progress()) as listener:
            _report_on_forgotten(run, listener)
            work = Work(folder, run.settings, engine, progress=listener)
            finish_stage(work, *(folder.recall("run", stage) for stage in (PAIRS, SEGMENTS)))
    folder.close()
    return where
