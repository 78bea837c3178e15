"""What people do with tasks: plan them, list them, run some, see how far they are, and finish the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from diglot.disk.folder import RunFolder
from diglot.disk.store import Store
from diglot.engines.pool import LocalEngine
from diglot.engines.server import serve_from_here
from diglot.errors import UsageError
from diglot.languages import open_languages
from diglot.pages import open_sources
from diglot.progress import Progress, usual
from diglot.run.log import open_log
from diglot.run.settings import Settings, make_settings, settings_file, settings_without_languages
from diglot.run.work import PAIRS, PRELOAD, SEGMENTS, Work, require_pages
from diglot.survey.open_languages import detect_languages
from diglot.tasks.in_run import adopt, plan_sites_of, require_done
from diglot.tasks.plan import RunPlan, plan_run, read_run_plan, read_site_plan, write_run_plan
from diglot.tasks.stage import Stage
from diglot.tasks.task import Outcome, Task, heaviest_first
from diglot.tasks.work import TRIED, done_tasks, read_outcome, run_task


def plan_tasks(specs: Sequence[str], settings: Settings, place: str) -> RunPlan:
    """Plan a run of these sources in the store at ``place``: a task a source; those of sites follow when all are read.

    Raises: SourceError for a source that is missing or none.
    """
    plan = plan_run(settings, specs)
    write_run_plan(Store.at(place), plan)
    return plan


def plan_asked(
    specs: Sequence[str],
    langs: str | Sequence[str],
    asked: Mapping[str, Any],
    place: str,
    progress: Progress | None = None,
) -> RunPlan:
    """:func:`plan_tasks` by options as a person typed them, ``all`` and ``en,*`` among the languages found out here.

    Raises also what :func:`diglot.survey.open_languages.detect_languages` does.
    """
    if open_languages(langs) is not None:
        settings = settings_without_languages(**asked)
        serve_from_here(PRELOAD)
        found = detect_languages(langs, open_sources(specs, **settings.source_options()), settings, progress=progress)
        langs, asked = found.langs, {**asked, "pivot": found.pivot}
    return plan_tasks(specs, make_settings(langs, **asked), place)


def tasks_of(store: Store, stage: Stage) -> list[Task]:
    """The tasks of a stage; :class:`diglot.errors.DiglotError` for those of sites before all sources are read."""
    run = read_run_plan(store)
    return run.read_tasks() if stage is Stage.READ else list(plan_sites_of(store, run).tasks)


def chosen(tasks: Sequence[Task], *, number: int | None = None, part: str = "") -> list[Task]:
    """One task, or every N-th from the I-th on (``I/N``, from 0), or all; the heaviest first, so that parts are alike.

    Raises: UsageError for a number or part that there is not.
    """
    if number is not None:
        if not 0 <= number < len(tasks):
            raise UsageError(f"no task {number}; they are numbered from 0 to {len(tasks) - 1}")
        return [tasks[number]]
    if not part:
        return heaviest_first(tasks)
    place, _, parts = part.partition("/")
    if not (place.isdecimal() and parts.isdecimal() and int(place) < int(parts)):
        raise UsageError(f"--part {part}: write I/N with I from 0 to N - 1, as in 0/32")
    return heaviest_first(tasks)[int(place) :: int(parts)]


def run_tasks(store: Store, tasks: Sequence[Task], progress: Progress | None = None) -> list[Outcome]:
    """Do tasks one after the other in this process; those that could not be done."""
    listener = progress or usual()
    listener.start(tasks[0].stage if tasks else "", len(tasks), "tasks")
    outcomes = []
    for task in tasks:
        outcomes.append(run_task(store, task))
        listener.advance(1)
    failed = [outcome for outcome in outcomes if outcome.error]
    listener.finish(f"{len(tasks) - len(failed)} of {len(tasks)} tasks done")
    return failed


class Standing(NamedTuple):
    """How far a stage is: numbers of its tasks; ``None`` where they are not planned yet."""

    tasks: int | None
    done: int
    pages: int
    begun: list[int]
    """Tasks that are at work, or ended without a word."""


def standing(store: Store) -> dict[Stage, Standing]:
    """How far each stage of a run is."""
    run, sites = read_run_plan(store), read_site_plan(store)
    found = {Stage.READ: _standing(store, run.read_tasks())}
    found[Stage.SITE] = Standing(None, 0, 0, []) if sites is None else _standing(store, sites.tasks)
    return found


def _standing(store: Store, tasks: Sequence[Task]) -> Standing:
    done = done_tasks(store, tasks)
    outcomes = (read_outcome(store, task) for task in tasks if task.number in done)
    tried = {name.removeprefix(TRIED).partition(".")[0] for name in store.names(TRIED)}
    begun = [task.number for task in tasks if task.name in tried and task.number not in done]
    return Standing(len(tasks), len(done), sum(outcome.pages for outcome in outcomes if outcome), begun)


def finish_tasks(store: Store, out: Path | None, progress: Progress | None = None) -> Path:
    """Make a run folder of what the tasks made, with its outputs, summary and report; returns where it is.

    ``out``: needed where the store is no folder of this machine.
    Raises: DiglotError where tasks are not done, and what :func:`diglot.outputs.finish.finish_stage` does.
    """
    from diglot.outputs.finish import finish_stage  # the report and all formats, which no other command here needs

    where = out or store.folder
    if where is None:
        raise UsageError(f"{store.uri} is no folder of this machine: say with -o where the run folder shall be")
    run = read_run_plan(store)
    run.require_same_files()
    sites = plan_sites_of(store, run)
    require_done(store, sites)  # before diglot.toml says what is not in force
    with RunFolder(where) as folder, folder.locked(), LocalEngine(jobs=1) as engine:
        named = [
            {"name": each.name, "kind": each.kind, "path": each.spec, "hash": each.fingerprint} for each in run.sources
        ]
        require_pages(folder)
        folder.write_settings(settings_file(run.settings, named))
        adopt(store, run, sites, folder)
        with open_log(folder.path, progress or usual()) as told:
            work = Work(folder, run.settings, engine, progress=told)
            finish_stage(work, *(folder.recall("run", stage) for stage in (PAIRS, SEGMENTS)))
    return where
