"""Tasks within a run folder: execute a large run as tasks, and adopt the results into the run."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from diglot.disk.folder import RunFolder, shard_name
from diglot.disk.store import Store
from diglot.engines.executor import Executor
from diglot.errors import DiglotError
from diglot.pages.forgotten import forgotten_of, note_hashes
from diglot.records import DOCUMENT_SCHEMA
from diglot.run.read import document_shards
from diglot.run.resolve import site_names
from diglot.run.stored_pages import OVERSIZED_SITES
from diglot.run.work import (
    DOCUMENTS,
    DOMAINS,
    EXCHANGE,
    FLAGGED,
    INDEXES,
    PAIRS,
    SEGMENTS,
    Work,
    note_version,
    stage_key,
    time_stage,
)
from diglot.site import registered_domain
from diglot.tasks.execution import execute
from diglot.tasks.partition import (
    documents_name,
    domains_name,
    merge_domains,
    partition_documents,
    read_domains,
    read_index_notes,
)
from diglot.tasks.plan import (
    BUNDLE_PAGES,
    TASKS,
    RunPlan,
    SitePlan,
    damage_errors,
    pages_by_site,
    plan_documents,
    plan_sites,
    plan_sources,
    read_json,
    read_site_plan,
    site_key,
    write_run_plan,
    write_site_plan,
)
from diglot.tasks.sites import NOTE_KINDS, SCHEMAS, merge_notes
from diglot.tasks.task import Task
from diglot.tasks.work import done_tasks, notes_name, outcome_name

MANY_PAGES = 10_000
"""Records from which a run of several domains is cut into tasks; fewer fit into memory with ease."""


def is_cut(work: Work) -> bool:
    """Whether a run, once read, has several domains and :data:`MANY_PAGES` records or more: then sites become tasks."""
    if work.settings.one_site:
        return False
    sources = work.folder.recall("sources", work.folder.recall("run", DOCUMENTS)) or ()
    if sum(work.folder.rows(DOCUMENTS, each) for each in sources) < MANY_PAGES:
        return False
    domains = set[str]()
    for table in document_shards(work, pa.schema([DOCUMENT_SCHEMA.field("url")])):
        domains.update(domain for url in table["url"].to_pylist() if (domain := registered_domain(url)))
        if len(domains) > 1:
            return True
    return False


def execute_sites(work: Work, executor: Executor) -> tuple[str, str]:
    """Execute site tasks of a run after reading; returns the keys of pairs and segments."""
    run = _plan_of_run(work)
    exchange = f"{EXCHANGE}/{run.documents_key}-00000.parquet"

    def sites(store: Store) -> SitePlan:
        found = read_site_plan(store)
        if found is None or found.document_files != (exchange,) or not store.exists(exchange):
            domains = partition_documents(
                work.folder.path / exchange, document_shards(work, DOCUMENT_SCHEMA), run.buckets
            )
            found = _make_site_plan(run, domains, [exchange])
            write_site_plan(store, found)
        return found

    return _execute_once(work, run, executor, sites)


def execute_all(work: Work, executor: Executor) -> tuple[str, str]:
    """Execute read tasks and site tasks of a run; returns the keys of pairs and segments."""
    run = _plan_of_run(work)

    def sites(store: Store) -> SitePlan:
        with time_stage(work, "read"):
            execute(store, run.read_tasks(), executor, work.progress)
        return load_site_plan(store, run)

    return _execute_once(work, run, executor, sites)


def _plan_of_run(work: Work) -> RunPlan:
    if not work.sources:
        documents_key = stage_key(work.folder, DOCUMENTS, "diglot harvest")
        return plan_documents(work.settings, work.folder.recall("sources", documents_key) or ())
    run = plan_sources(work.settings, work.sources, work.fingerprints)
    return run.without(forgotten_of(work.folder))


def _execute_once(work: Work, run: RunPlan, executor: Executor, plan: Callable[[Store], SitePlan]) -> tuple[str, str]:
    """Execute site tasks and adopt their results, unless the run has them; then remove all other files of tasks."""
    key, folder = site_key(run, BUNDLE_PAGES), work.folder
    keys = folder.recall(TASKS, key)
    if keys is None or any(folder.shards(stage, made) is None for stage, made in keys.items()):
        store = Store.at(folder.path)
        write_run_plan(store, run)
        sites = plan(store)
        with time_stage(work, "sites"):
            execute(store, sites.tasks, executor, work.progress)
        results = load_results(store, run, sites, folder)
        adopt_results(run, sites, folder, results)
        keys = results.keys
        folder.remember(TASKS, key, keys)
    # Plans go before the files that they name: no plan may name a missing file.
    shutil.rmtree(folder.path / TASKS, ignore_errors=True)
    folder.discard_others(EXCHANGE, set())
    return keys[PAIRS], keys[SEGMENTS]


def load_site_plan(store: Store, run: RunPlan) -> SitePlan:
    """Plan of the site tasks, made on first use.

    Raises: DiglotError if a source is unread. A source with missing documents counts as unread from then on.
    """
    tasks, found = run.read_tasks(), read_site_plan(store)
    if found is not None and len(done_tasks(store, found.tasks)) == len(found.tasks):
        return found
    if found is None or found.document_files == tuple(documents_name(task.key) for task in tasks):
        _mark_unread(store, tasks)
    missing = len(tasks) - len(done_tasks(store, tasks))
    if missing:
        raise DiglotError(
            f"{store.uri}: {missing} of {len(tasks)} sources are not read yet; "
            f"run `diglot tasks run {store.quoted_uri} read`"
        )
    if found is not None:
        return found
    domains = merge_domains(read_domains(store, task.key) for task in tasks)
    plan = _make_site_plan(run, domains, [documents_name(task.key) for task in tasks])
    write_site_plan(store, plan)
    return plan


def _make_site_plan(run: RunPlan, domains: pa.Table, document_files: Sequence[str]) -> SitePlan:
    names = site_names(domains, run.settings)
    return plan_sites(run, names, pages_by_site(domains, names), document_files, bundle_pages=BUNDLE_PAGES)


class Results(NamedTuple):
    """Results of all tasks: keys of the outputs by stage, the notes of each site task, and the notes on indexes."""

    keys: Mapping[str, str]
    notes: Sequence[Mapping[str, Mapping[str, Any]]]
    index_notes: Sequence[str]


def load_results(store: Store, run: RunPlan, sites: SitePlan, folder: RunFolder) -> Results:
    """Check that a run folder can adopt the results of the site tasks, and read their notes; for a folder other than
    the store, copy the files into it as well. Deletes nothing in the folder.

    Raises: DiglotError where a task is unfinished or its files are gone, or addresses were forgotten in the folder.
    """
    require_done(store, sites)
    has_read = _has_read(run, sites)
    if has_read:
        _require_forgotten(store, run, folder)
        _require_read(store, run)
    made = [read_json(store, notes_name(task)) for task in sites.tasks]
    with damage_errors(store, notes_name(sites.tasks[0])):
        keys: dict[str, str] = {stage: made[0]["keys"][stage] for stage in SCHEMAS}
    _require_files(store, sites, [each.get("keys") == keys for each in made], keys)
    if store.folder is None or not store.folder.samefile(folder.path):
        for name in _files_of_results(run, sites, keys):
            store.fetch_to(name, folder.path / name)
    index_notes = read_index_notes(store, run.read_tasks()) if has_read else []
    return Results(keys, [each["notes"] for each in made], index_notes)


def _files_of_results(run: RunPlan, sites: SitePlan, keys: Mapping[str, str]) -> list[str]:
    """Files of all tasks that a run consists of: outputs of the site tasks, documents of the read tasks."""
    names = [shard_name(stage, key, number) for stage, key in keys.items() for number in range(len(sites.tasks))]
    if _has_read(run, sites):
        names += [name(task.key) for task in run.read_tasks() for name in (documents_name, domains_name)]
    return names


def adopt_results(run: RunPlan, sites: SitePlan, folder: RunFolder, results: Results) -> None:
    """Adopt the files of finished tasks into their run folder, as if the tasks had been done there without a cut.

    The run also notes the addresses that its plan left out, so that no later command in the folder reads them again.
    """
    note_hashes(folder, run.forgotten)
    for stage, key in results.keys.items():
        for number in range(len(sites.tasks)):
            # Tasks have no journal, so that files are noted here.
            folder.adopt_shard(stage, key, number)
        folder.finish(stage, key, len(sites.tasks))
        folder.discard_others(stage, {key})
    for kind in NOTE_KINDS:
        for key, value in merge_notes([each.get(kind, {}) for each in results.notes]).items():
            folder.remember(kind, key, value)
    if _has_read(run, sites):
        read = [task.key for task in run.read_tasks()]
        folder.remember("sources", run.documents_key, read)
        if results.index_notes or folder.recall(*INDEXES):
            folder.remember(*INDEXES, results.index_notes)
        for each in read:
            folder.adopt_shard(DOCUMENTS, each, 0)
            folder.adopt_shard(DOMAINS, each, 0)
            folder.finish(DOCUMENTS, each, 1)
        for stage in (DOCUMENTS, DOMAINS):
            folder.discard_others(stage, set(read))
    folder.remember(OVERSIZED_SITES, run.documents_key, sites.crowds)
    for stage, key in {DOCUMENTS: run.documents_key, **results.keys}.items():
        folder.remember("run", stage, key)
    folder.remember(FLAGGED, results.keys[SEGMENTS], results.keys[FLAGGED])
    for stage in (PAIRS, SEGMENTS):
        note_version(folder, stage, results.keys[stage])


def _has_read(run: RunPlan, sites: SitePlan) -> bool:
    """Whether the documents of the site tasks come from read tasks, and not from the documents of a run."""
    return sites.document_files == tuple(documents_name(task.key) for task in run.read_tasks())


def _require_read(store: Store, run: RunPlan) -> None:
    """Raise :class:`DiglotError` where documents are gone: a run without the text of its pages answers no question."""
    tasks = run.read_tasks()
    if gone := _mark_unread(store, tasks):
        raise DiglotError(
            f"{store.uri}: the pages of {gone} of {len(tasks)} sources are gone; "
            f"run `diglot tasks run {store.quoted_uri} read` again"
        )


def _mark_unread(store: Store, tasks: Sequence[Task]) -> int:
    """Mark the read tasks whose documents are gone as unfinished; returns their number."""
    names = {name for stage in (DOCUMENTS, DOMAINS) for name in store.names(f"{stage}/")}
    gone = [task for task in tasks if not {documents_name(task.key), domains_name(task.key)} <= names]
    for task in gone:
        store.delete(outcome_name(task))
    return len(gone)


def _require_forgotten(store: Store, run: RunPlan, folder: RunFolder) -> None:
    """Raise :class:`DiglotError` where addresses were forgotten in a folder that the tasks have read; the plan leaves
    them out from now on."""
    forgotten = forgotten_of(folder)
    if not forgotten <= run.forgotten:
        write_run_plan(store, run.without(run.forgotten | forgotten))
        raise DiglotError(
            f"{folder.path}: addresses were forgotten here that the tasks have read; the plan leaves them out now, so "
            f"run its tasks again: `diglot tasks status {store.quoted_uri}` prints the next command"
        )


def require_done(store: Store, sites: SitePlan) -> None:
    """Raise :class:`DiglotError` while a site task is unfinished."""
    missing = len(sites.tasks) - len(done_tasks(store, sites.tasks))
    if missing:
        raise DiglotError(
            f"{store.uri}: {missing} of {len(sites.tasks)} tasks of sites are not done; "
            f"`diglot tasks status {store.quoted_uri}` names them"
        )


def _require_files(store: Store, sites: SitePlan, same_keys: Sequence[bool], keys: Mapping[str, str]) -> None:
    """Raise :class:`DiglotError` where files of a task are gone or of another version; the task is unfinished from now
    on.

    Files go, for example, when the folder is aligned or cleaned by other options.
    """
    names = {name for stage in keys for name in store.names(f"{stage}/")}
    gone = [
        task
        for task, is_same in zip(sites.tasks, same_keys, strict=True)
        if not is_same or any(shard_name(stage, key, task.number) not in names for stage, key in keys.items())
    ]
    for task in gone:
        store.delete(outcome_name(task))
    if gone:
        raise DiglotError(
            f"{store.uri}: what {len(gone)} of {len(sites.tasks)} tasks of sites made is no longer there; "
            f"run `diglot tasks run {store.quoted_uri} site` again, or the same command"
        )
