"""Tasks and a run folder: the sites of a run that is read done as tasks, and what tasks made taken into the run."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence

import pyarrow as pa

from diglot.disk.folder import RunFolder, shard_name
from diglot.disk.store import Store
from diglot.engines.executor import Executor
from diglot.errors import DiglotError
from diglot.records import DOCUMENT_SCHEMA
from diglot.run.clean import FLAGGED
from diglot.run.read import document_shards
from diglot.run.resolve import CROWDS, site_names
from diglot.run.work import DOCUMENTS, DOMAINS, EXCHANGE, PAIRS, SEGMENTS, Work, time_stage
from diglot.site import registered_domain
from diglot.tasks.bundles import BUNDLE_PAGES, pages_by_site
from diglot.tasks.execution import do_all
from diglot.tasks.partition import added_up, deal_out
from diglot.tasks.plan import (
    TASKS,
    RunPlan,
    SitePlan,
    plan_sites,
    plan_sources,
    read_json,
    read_site_plan,
    site_key,
    telling,
    write_run_plan,
    write_site_plan,
)
from diglot.tasks.reading import documents_name, domains_name
from diglot.tasks.sites import NOTED, SCHEMAS, joined_notes
from diglot.tasks.work import done_tasks, notes_name, outcome_name

MANY_PAGES = 10_000
"""Records from which a run of several sites is cut into tasks: as many are held in memory with ease."""


def is_many(work: Work) -> bool:
    """Whether a run that is read is of several sites and of so many pages that it is cut into tasks."""
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


def sites_as_tasks(work: Work, executor: Executor) -> tuple[str, str]:
    """Work on the sites of a run that is read, as tasks, and take into the run what they make.

    Returns the keys of its pairs and segments.
    """
    run = _planned_run(work)
    exchange = f"{EXCHANGE}/{run.documents_key}-00000.parquet"

    def sites(store: Store) -> SitePlan:
        found = read_site_plan(store)
        if found is None or found.dealt != (exchange,) or not store.exists(exchange):
            domains = deal_out(work.folder.path / exchange, document_shards(work, DOCUMENT_SCHEMA), run.buckets)
            found = _planned(run, domains, [exchange])
            write_site_plan(store, found)
        return found

    return _done_once(work, run, executor, sites)


def all_as_tasks(work: Work, executor: Executor) -> tuple[str, str]:
    """Read the sources of a run and work on its sites, all as tasks; returns the keys of its pairs and segments."""
    run = _planned_run(work)

    def sites(store: Store) -> SitePlan:
        with time_stage(work, "read"):
            do_all(store, run.read_tasks(), executor, work.progress)
        return plan_sites_of(store, run)

    return _done_once(work, run, executor, sites)


def _planned_run(work: Work) -> RunPlan:
    return plan_sources(work.settings, [source.spec for source in work.sources], work.sources, work.fingerprints)


def _done_once(work: Work, run: RunPlan, executor: Executor, plan: Callable[[Store], SitePlan]) -> tuple[str, str]:
    """What the tasks of sites made taken into the run, and all else of theirs removed; once for the same options."""
    key, folder = site_key(run, BUNDLE_PAGES), work.folder
    keys = folder.recall(TASKS, key)
    if keys is None or any(folder.shards(stage, made) is None for stage, made in keys.items()):
        store = Store.at(folder.path)
        write_run_plan(store, run)
        sites = plan(store)
        with time_stage(work, "sites"):
            do_all(store, sites.tasks, executor, work.progress)
        keys = adopt(store, run, sites, folder)
        folder.remember(TASKS, key, keys)
    shutil.rmtree(folder.path / TASKS, ignore_errors=True)  # before what its plan names
    folder.discard_others(EXCHANGE, set())
    return keys[PAIRS], keys[SEGMENTS]


def plan_sites_of(store: Store, run: RunPlan) -> SitePlan:
    """The plan of the sites of a run whose sources are all read, made when it is first asked for.

    Raises: DiglotError where a source is not read, or its documents are gone, which then counts as not read.
    """
    tasks, found = run.read_tasks(), read_site_plan(store)
    if found is not None and len(done_tasks(store, found.tasks)) == len(found.tasks):
        return found  # documents are needed no more
    if found is None or found.dealt == tuple(documents_name(task.key) for task in tasks):
        names = {name for stage in (DOCUMENTS, DOMAINS) for name in store.names(f"{stage}/")}
        for task in tasks:
            if not {documents_name(task.key), domains_name(task.key)} <= names:
                store.delete(outcome_name(task))
    missing = len(tasks) - len(done_tasks(store, tasks))
    if missing:
        raise DiglotError(
            f"{store.uri}: {missing} of {len(tasks)} sources are not read yet; run `diglot tasks run {store.uri} read`"
        )
    if found is not None:
        return found
    domains = added_up(store.read_table(domains_name(task.key)) for task in tasks)
    plan = _planned(run, domains, [documents_name(task.key) for task in tasks])
    write_site_plan(store, plan)
    return plan


def _planned(run: RunPlan, domains: pa.Table, dealt: Sequence[str]) -> SitePlan:
    names = site_names(domains, run.settings)
    return plan_sites(run, names, pages_by_site(domains, names), dealt, bundle_pages=BUNDLE_PAGES)


def adopt(store: Store, run: RunPlan, sites: SitePlan, folder: RunFolder) -> dict[str, str]:
    """Take into a run folder, which has its settings, what the tasks of its sites made: it is then as if they had been
    worked on there.

    Returns the keys of what they made, by stage.
    Raises: DiglotError where a task is not done, or what it made is no longer there.
    """
    require_done(store, sites)
    made = [read_json(store, notes_name(task)) for task in sites.tasks]
    with telling(store, notes_name(sites.tasks[0])):
        keys: dict[str, str] = {stage: made[0]["keys"][stage] for stage in SCHEMAS}
    _require_files(store, sites, [each.get("keys") == keys for each in made], keys)
    for stage, key in keys.items():
        for number in range(len(sites.tasks)):
            path = folder.shard_path(stage, key, number)
            if store.folder != folder.path:
                store.fetch_to(f"{stage}/{path.name}", path)
        folder.finish(stage, key, len(sites.tasks))
        folder.discard_others(stage, {key})
    for kind in NOTED:
        for key, value in joined_notes([each["notes"].get(kind, {}) for each in made]).items():
            folder.remember(kind, key, value)
    read = [task.key for task in run.read_tasks()]
    if sites.dealt == tuple(map(documents_name, read)):
        folder.remember("sources", run.documents_key, read)
        for each in read if store.folder == folder.path else ():
            folder.finish(DOCUMENTS, each, 1)
    folder.remember(CROWDS, run.documents_key, sites.crowds)
    for stage, key in {DOCUMENTS: run.documents_key, **keys}.items():
        folder.remember("run", stage, key)
    folder.remember(FLAGGED, keys[SEGMENTS], keys[FLAGGED])
    return keys


def require_done(store: Store, sites: SitePlan) -> None:
    """Raise :class:`DiglotError` where a task of the sites is not done."""
    missing = len(sites.tasks) - len(done_tasks(store, sites.tasks))
    if missing:
        raise DiglotError(
            f"{store.uri}: {missing} of {len(sites.tasks)} tasks of sites are not done; "
            f"`diglot tasks status {store.uri}` names them"
        )


def _require_files(store: Store, sites: SitePlan, alike: Sequence[bool], keys: Mapping[str, str]) -> None:
    """Raise :class:`DiglotError` where files of a task are gone, as when the folder was aligned or cleaned by other
    options since, or were made by another version; such a task counts as not done from now on."""
    names = {name for stage in keys for name in store.names(f"{stage}/")}
    gone = [
        task
        for task, is_alike in zip(sites.tasks, alike, strict=True)
        if not is_alike or any(shard_name(stage, key, task.number) not in names for stage, key in keys.items())
    ]
    for task in gone:
        store.delete(outcome_name(task))
    if gone:
        raise DiglotError(
            f"{store.uri}: what {len(gone)} of {len(sites.tasks)} tasks of sites made is no longer there; "
            f"run `diglot tasks run {store.uri} site` again, or the same command"
        )
