"""What a run of many sites is of and how it is cut: written down once, and read by every task."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diglot.alignment.evidence.sources import made_of
from diglot.disk.folder import content_key
from diglot.disk.store import Store
from diglot.errors import RunFolderError, UsageError
from diglot.pages import Source, open_sources
from diglot.run.clean import cleaning_options
from diglot.run.read import all_documents_key, source_key
from diglot.run.settings import Settings
from diglot.site import SiteNames
from diglot.tasks.bundles import bundles
from diglot.tasks.stage import Stage
from diglot.tasks.task import Task
from diglot.version import __version__

TASKS = "tasks"
"""Folder of the plans, and of what is noted of tasks."""
RUN_PLAN, SITE_PLAN = f"{TASKS}/run.json", f"{TASKS}/sites.json"
BUCKET_BYTES, LEAST_BUCKETS, MOST_BUCKETS = 16 << 20, 8, 4_096
"""Bytes of sources for which the pages of a run are dealt into one more bucket, and bounds of how many there are: one
is read whole by each task that needs pages of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePlan:
    """A source as it is asked for (``spec``) and named in the tables, and the key of its documents."""

    spec: str
    name: str
    kind: str
    fingerprint: str
    key: str
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """Options and sources of a run, and into how many buckets its pages are dealt.

    ``named_files``: :func:`named_files_key` of the options. ``folder``: where relative paths of sources and options
    begin.
    """

    settings: Settings
    sources: tuple[SourcePlan, ...]
    buckets: int
    named_files: str
    folder: str = ""

    def place(self) -> Path:
        """The folder, or this one where there is none of that name on this machine."""
        return Path(self.folder) if os.path.isdir(self.folder) else Path.cwd()

    @property
    def documents_key(self) -> str:
        """Key of the documents of all sources."""
        return all_documents_key([source.key for source in self.sources])

    def read_tasks(self) -> list[Task]:
        """A task a source; its key tells documents dealt into so many buckets from others of the same source."""
        return [
            Task(
                stage=Stage.READ,
                number=number,
                key=content_key("dealt", source.key, self.buckets),
                weight=source.size_bytes,
                source=source.spec,
            )
            for number, source in enumerate(self.sources)
        ]

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        sources = [{name: getattr(source, name) for name in SourcePlan.__slots__} for source in self.sources]
        return {
            "version": __version__,
            "settings": self.settings.to_table(),
            "sources": sources,
            "buckets": self.buckets,
            "named_files": self.named_files,
            "folder": self.folder,
        }

    def require_same_files(self) -> None:
        """Raise :class:`UsageError` where a file that the options name is no longer what it was."""
        if named_files_key(self.settings) != self.named_files:
            raise UsageError(
                "a file that the options name (evidence, words to flag, weights of the recipe) changed since the "
                "run was planned; plan it again"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class SitePlan:
    """How the sites of a run are dealt out to tasks.

    ``dealt``: names of the files that hold its documents by bucket. ``joined``: the site of every domain that is joined
    with others.
    """

    dealt: tuple[str, ...]
    joined: Mapping[str, str]
    crowds: tuple[tuple[str, ...], ...]
    tasks: tuple[Task, ...]

    def site_names(self, settings: Settings) -> SiteNames:
        """Which site every domain is of."""
        return SiteNames(self.joined, self.crowds, together=settings.one_site)


def plan_run(settings: Settings, specs: Sequence[str]) -> RunPlan:
    """The plan of a run of these sources; all of them are looked at.

    Raises: SourceError for a source that is missing or none.
    """
    sources = open_sources(specs, **settings.source_options())
    return plan_sources(
        settings, [source.spec for source in sources], sources, [source.fingerprint() for source in sources]
    )


def plan_sources(
    settings: Settings, specs: Sequence[str], sources: Sequence[Source], fingerprints: Sequence[str]
) -> RunPlan:
    """The plan of a run of sources that are open and as they are asked for."""
    plans = tuple(
        SourcePlan(
            spec=spec,
            name=source.name,
            kind=str(source.kind),
            fingerprint=fingerprint,
            key=source_key(source.name, fingerprint, settings),
            size_bytes=source.size_bytes(),
        )
        for spec, source, fingerprint in zip(specs, sources, fingerprints, strict=True)
    )
    total = sum(plan.size_bytes for plan in plans)
    buckets = min(MOST_BUCKETS, max(LEAST_BUCKETS, total // BUCKET_BYTES))
    named_files, folder = named_files_key(settings), os.getcwd()
    return RunPlan(settings=settings, sources=plans, buckets=buckets, named_files=named_files, folder=folder)


def plan_sites(
    run: RunPlan, names: SiteNames, pages_of: Mapping[str, int], dealt: Sequence[str], *, bundle_pages: int
) -> SitePlan:
    """The tasks of all sites; ``pages_of``: pages by site, ``names``: which site every domain is of."""
    key = site_key(run, bundle_pages)
    tasks = [
        Task(stage=Stage.SITE, number=number, key=key, weight=bundle.pages, first=bundle.first, last=bundle.last)
        for number, bundle in enumerate(bundles(pages_of, bundle_pages=bundle_pages))
    ]
    joined = {domain: site for domain, site in names.site_of.items() if domain != site}
    joined |= {site: site for site in set(joined.values())}
    return SitePlan(dealt=tuple(dealt), joined=dict(sorted(joined.items())), crowds=names.crowds, tasks=tuple(tasks))


def site_key(run: RunPlan, bundle_pages: int) -> str:
    """Key of all that the tasks of the sites of a run make."""
    asked = sorted((name, str(value)) for name, value in run.settings.to_table().items())
    return content_key(Stage.SITE, __version__, run.documents_key, bundle_pages, asked, run.named_files)


def named_files_key(settings: Settings) -> str:
    """Key of what the files hold that the options of a run name: weights, evidence, words to flag."""
    recipe, cleaning = settings.resolved_recipe(), cleaning_options(settings)
    read = (recipe.file_hashes(), made_of(settings.evidence()), sorted(cleaning.offensive))
    return content_key("named files", *read)


def write_run_plan(store: Store, plan: RunPlan) -> None:
    """Write the plan of a run, and take back that of its sites where it was of another run, or is damaged."""
    try:
        is_same = store.exists(RUN_PLAN) and read_json(store, RUN_PLAN) == _plain(plan.to_json())
        read_site_plan(store)
    except RunFolderError:
        is_same = False
    if not is_same and store.exists(SITE_PLAN):
        store.delete(SITE_PLAN)
    store.put_bytes(RUN_PLAN, _bytes(plan.to_json()))


def read_run_plan(store: Store) -> RunPlan:
    """The plan of a run; :class:`RunFolderError` where there is none."""
    if not store.exists(RUN_PLAN):
        raise RunFolderError(f"{store.uri}: no tasks are planned here; run `diglot tasks plan SOURCES -o {store.uri}`")
    found = read_json(store, RUN_PLAN)
    if found.get("version") != __version__:
        raise RunFolderError(
            f"{store.uri}: planned by diglot {found.get('version')}, and this is {__version__}; plan it again"
        )
    with telling(store, RUN_PLAN):
        return RunPlan(
            settings=Settings.from_table(found["settings"]),
            sources=tuple(SourcePlan(**source) for source in found["sources"]),
            buckets=found["buckets"],
            named_files=found["named_files"],
            folder=found["folder"],
        )


def write_site_plan(store: Store, plan: SitePlan) -> None:
    """Write how the sites of a run are dealt out."""
    tasks = [task.to_line() for task in plan.tasks]
    values = {"dealt": plan.dealt, "joined": dict(plan.joined), "crowds": plan.crowds, "tasks": tasks}
    store.put_bytes(SITE_PLAN, _bytes(values))


def read_site_plan(store: Store) -> SitePlan | None:
    """How the sites of a run are dealt out, None where that is not known before all sources are read."""
    if not store.exists(SITE_PLAN):
        return None
    found = read_json(store, SITE_PLAN)
    with telling(store, SITE_PLAN):
        return SitePlan(
            dealt=tuple(found["dealt"]),
            joined=found["joined"],
            crowds=tuple(map(tuple, found["crowds"])),
            tasks=tuple(map(Task.from_line, found["tasks"])),
        )


def _bytes(values: Mapping[str, Any]) -> bytes:
    return json.dumps(values, ensure_ascii=False).encode()


def _plain(values: Mapping[str, Any]) -> Any:
    return json.loads(_bytes(values))


def read_json(store: Store, name: str) -> dict[str, Any]:
    """A file of plain values by name; :class:`RunFolderError` where it is damaged."""
    with telling(store, name):
        found = json.loads(store.read_bytes(name))
        if not isinstance(found, dict):
            raise ValueError("no table")
        return found


@contextmanager
def telling(store: Store, name: str) -> Iterator[None]:
    """Make :class:`RunFolderError` of what a block raises that reads the values of a damaged file."""
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise RunFolderError(
            f"{store.uri}/{name}: damaged ({error!r}); remove it, plan the run again and run its tasks"
        ) from error
