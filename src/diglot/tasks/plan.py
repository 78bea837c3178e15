"""Plans of a run of many sites: sources, options and tasks, written once and read by every task."""

from __future__ import annotations

import dataclasses
import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import xxhash

from diglot.alignment.evidence.sources import evidence_inputs
from diglot.disk.folder import RUN_PLAN, content_key
from diglot.disk.store import Store
from diglot.errors import RunFolderError, UsageError
from diglot.pages import Source, open_sources
from diglot.pages.opening import report_on_sources, skipped_lines
from diglot.pages.same_paths import same_path_lines
from diglot.progress import Progress
from diglot.records import zip_columns
from diglot.run.clean import cleaning_options
from diglot.run.read import all_documents_key, source_key
from diglot.run.settings import Settings
from diglot.site import SITE_NUMBERS, SiteNames, site_number
from diglot.tasks import Stage
from diglot.tasks.task import Task
from diglot.version import __version__

TASKS = "tasks"
"""Folder of plans and outcomes."""
SITE_PLAN = f"{TASKS}/sites.json"
BUCKET_BYTES, LEAST_BUCKETS, MOST_BUCKETS = 16 << 20, 8, 4_096
"""Bytes of sources for each bucket of documents, and bounds of the number of buckets. A task reads whole buckets."""

BUNDLE_PAGES = 2_000
"""Most pages of a site task, unless one site has more: half a minute of work, against a second or two to start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePlan:
    """A source: ``spec`` as typed, ``name`` in tables, and the ``key`` of the documents."""

    spec: str
    name: str
    kind: str
    fingerprint: str
    key: str
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """Options and sources of a run, and its number of buckets.

    ``named_files``: :func:`named_files_key` of the options. ``folder``: base of relative paths in sources and options.
    ``forgotten``: hashes of the addresses that no task reads (:mod:`diglot.pages.forgotten`).
    """

    settings: Settings
    sources: tuple[SourcePlan, ...]
    buckets: int
    named_files: str
    folder: str = ""
    forgotten: frozenset[bytes] = frozenset()

    def place(self) -> Path:
        """Base of relative paths: ``folder``, or the current folder where this machine has no such folder."""
        return Path(self.folder) if os.path.isdir(self.folder) else Path.cwd()

    @property
    def documents_key(self) -> str:
        """Key of the documents of all sources."""
        return all_documents_key([source.key for source in self.sources])

    def read_tasks(self) -> list[Task]:
        """A task for each source. Key and file depend on the number of buckets."""
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
        """Values for JSON."""
        sources = [{name: getattr(source, name) for name in SourcePlan.__slots__} for source in self.sources]
        return {
            "version": __version__,
            "settings": self.settings.to_table(),
            "sources": sources,
            "buckets": self.buckets,
            "named_files": self.named_files,
            "folder": self.folder,
            "forgotten": sorted(each.hex() for each in self.forgotten),
        }

    def without(self, forgotten: Set[bytes]) -> RunPlan:
        """The same plan without these addresses. Its documents have new keys, so all tasks are done again."""
        sources = (
            dataclasses.replace(each, key=_documents_key(each.name, each.fingerprint, self.settings, forgotten))
            for each in self.sources
        )
        return dataclasses.replace(self, sources=tuple(sources), forgotten=frozenset(forgotten))

    def require_same_files(self) -> None:
        """Raise :class:`UsageError` where a file named by the options has changed since the plan."""
        if named_files_key(self.settings) != self.named_files:
            raise UsageError(
                "a file that the options name (evidence, words to flag, weights of the recipe) changed since the "
                "run was planned; plan it again"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class SitePlan:
    """Site tasks of a run.

    ``document_files``: files with the documents by bucket. ``joined``: site of every domain joined with others.
    """

    document_files: tuple[str, ...]
    joined: Mapping[str, str]
    crowds: tuple[tuple[str, ...], ...]
    tasks: tuple[Task, ...]

    def site_names(self, settings: Settings) -> SiteNames:
        """Site of every domain."""
        return SiteNames(self.joined, self.crowds, together=settings.one_site)


def _documents_key(name: str, fingerprint: str, settings: Settings, forgotten: Set[bytes]) -> str:
    """Key of the documents of a source, without forgotten addresses."""
    key = source_key(name, fingerprint, settings)
    return content_key("without", key, sorted(each.hex() for each in forgotten)) if forgotten else key


def plan_run(
    settings: Settings, specs: Sequence[str], progress: Progress | None = None, forgotten: Set[bytes] = frozenset()
) -> RunPlan:
    """Plan a run; every source is opened. ``forgotten``: see :class:`RunPlan`.

    Raises: SourceError for a source that is missing or of no known kind.
    """
    skipped: list[str] = []
    sources = open_sources(specs, **settings.opening_options(), skipped=skipped)
    report_on_sources([*skipped_lines(skipped, sources), *same_path_lines(sources)], progress)
    fingerprints = [source.fingerprint() for source in sources]
    return plan_sources(settings, sources, fingerprints).without(forgotten)


def plan_sources(settings: Settings, sources: Sequence[Source], fingerprints: Sequence[str]) -> RunPlan:
    """Plan a run of open sources."""
    plans = tuple(
        SourcePlan(
            spec=source.spec,
            name=source.name,
            kind=str(source.kind),
            fingerprint=fingerprint,
            key=source_key(source.name, fingerprint, settings),
            size_bytes=source.size_bytes(),
        )
        for source, fingerprint in zip(sources, fingerprints, strict=True)
    )
    total = sum(plan.size_bytes for plan in plans)
    buckets = min(MOST_BUCKETS, max(LEAST_BUCKETS, total // BUCKET_BYTES))
    return _run_plan(settings, plans, buckets)


def plan_documents(settings: Settings, keys: Sequence[str]) -> RunPlan:
    """Plan a run whose sources are read: the plan cannot read them again. ``keys``: key of each source's documents."""
    plans = (SourcePlan(spec="", name="", kind="", fingerprint="", key=key, size_bytes=0) for key in keys)
    return _run_plan(settings, tuple(plans), LEAST_BUCKETS)


def _run_plan(settings: Settings, sources: tuple[SourcePlan, ...], buckets: int) -> RunPlan:
    named_files, folder = named_files_key(settings), os.getcwd()
    return RunPlan(settings=settings, sources=sources, buckets=buckets, named_files=named_files, folder=folder)


def plan_sites(
    run: RunPlan, names: SiteNames, pages_of: Mapping[str, int], document_files: Sequence[str], *, bundle_pages: int
) -> SitePlan:
    """Plan the site tasks. ``pages_of``: pages by site, ``names``: site of every domain."""
    key = site_key(run, bundle_pages)
    tasks = [
        Task(stage=Stage.SITE, number=number, key=key, weight=bundle.pages, first=bundle.first, last=bundle.last)
        for number, bundle in enumerate(bundles(pages_of, bundle_pages=bundle_pages))
    ]
    joined = {domain: site for domain, site in names.site_of.items() if domain != site}
    # Domains equal to the name of their site were left out above; those of joined sites count as joined.
    joined |= {site: site for site in set(joined.values())}
    return SitePlan(
        document_files=tuple(document_files),
        joined=dict(sorted(joined.items())),
        crowds=names.crowds,
        tasks=tuple(tasks),
    )


class Bundle(NamedTuple):
    """Sites with numbers ``first`` to ``last``, both included, and the number of their pages."""

    first: int
    last: int
    pages: int


def bundles(pages_of: Mapping[str, int], *, bundle_pages: int = BUNDLE_PAGES) -> list[Bundle]:
    """Cut all site numbers into ranges of at most ``bundle_pages`` pages; a larger site has a range of its own.

    ``pages_of``: pages by site.
    """
    by_number = Counter[int]()
    for site, pages in pages_of.items():
        by_number[site_number(site)] += pages
    groups: list[list[tuple[int, int]]] = []
    open_pages = bundle_pages
    for number, pages in sorted(by_number.items()):
        if open_pages + pages > bundle_pages:
            groups.append([])
            open_pages = 0
        groups[-1].append((number, pages))
        open_pages += pages
    # Ranges leave no gap, so that every site number belongs to a task.
    firsts = [0, *(group[0][0] for group in groups[1:])]
    ends = [*firsts[1:], SITE_NUMBERS]
    sizes = [sum(pages for _, pages in group) for group in groups] or [0]
    return [Bundle(first, end - 1, pages) for first, end, pages in zip(firsts, ends, sizes, strict=True)]


def pages_by_site(domains: pa.Table, names: SiteNames) -> Counter[str]:
    """Pages of every site; ``domains``: :data:`diglot.site.DOMAIN_SCHEMA`."""
    counts = Counter[str]()
    for domain, pages in zip_columns(domains, "domain", "pages"):
        counts[names.of_domain(domain)] += pages
    return counts


def site_key(run: RunPlan, bundle_pages: int) -> str:
    """Key of the outputs of all site tasks."""
    options = sorted((name, str(value)) for name, value in run.settings.without_folders().to_table().items())
    return content_key(Stage.SITE, __version__, run.documents_key, bundle_pages, options, run.named_files)


def named_files_key(settings: Settings) -> str:
    """Key of the contents of files named by the options: weights, evidence, words to flag."""
    recipe, cleaning = settings.resolved_recipe(), cleaning_options(settings)
    read = (recipe.file_hashes(), evidence_inputs(settings.evidence()), sorted(cleaning.offensive))
    return content_key("named files", *read)


def write_run_plan(store: Store, plan: RunPlan) -> None:
    """Write the plan of a run; delete a site plan that is damaged or of another run."""
    try:
        is_same = store.exists(RUN_PLAN) and read_json(store, RUN_PLAN) == _plain(plan.to_json())
        read_site_plan(store)
    except RunFolderError:
        is_same = False
    # The site plan goes first: killed in between, the run has no plan of sites from other options.
    if not is_same and store.exists(SITE_PLAN):
        store.delete(SITE_PLAN)
    write_json(store, RUN_PLAN, plan.to_json())


def read_run_plan(store: Store) -> RunPlan:
    """Read the plan of a run; :class:`RunFolderError` where there is none."""
    if not store.exists(RUN_PLAN):
        raise RunFolderError(
            f"{store.uri}: no tasks are planned here; run `diglot tasks plan SOURCES -o {store.quoted_uri}`"
        )
    found = read_json(store, RUN_PLAN)
    # Another version may give other bytes, and tasks of one run must agree.
    if found.get("version") != __version__:
        raise RunFolderError(
            f"{store.uri}: planned by diglot {found.get('version')}, and this is {__version__}; plan it again"
        )
    with damage_errors(store, RUN_PLAN):
        return RunPlan(
            settings=Settings.from_table(found["settings"]),
            sources=tuple(SourcePlan(**source) for source in found["sources"]),
            buckets=found["buckets"],
            named_files=found["named_files"],
            folder=found["folder"],
            forgotten=frozenset(map(bytes.fromhex, found["forgotten"])),
        )


def write_site_plan(store: Store, plan: SitePlan) -> None:
    """Write the plan of the site tasks."""
    tasks = [task.to_line() for task in plan.tasks]
    values = {"dealt": plan.document_files, "joined": dict(plan.joined), "crowds": plan.crowds, "tasks": tasks}
    write_json(store, SITE_PLAN, values)


def read_site_plan(store: Store) -> SitePlan | None:
    """Read the plan of the site tasks; None while sources are unread."""
    if not store.exists(SITE_PLAN):
        return None
    found = read_json(store, SITE_PLAN)
    with damage_errors(store, SITE_PLAN):
        return SitePlan(
            document_files=tuple(found["dealt"]),
            joined=found["joined"],
            crowds=tuple(map(tuple, found["crowds"])),
            tasks=tuple(map(Task.from_line, found["tasks"])),
        )


def _text(values: Any) -> str:
    return json.dumps(values, ensure_ascii=False)


def _plain(values: Mapping[str, Any]) -> Any:
    return json.loads(_text(values))


def write_json(store: Store, name: str, values: Mapping[str, Any]) -> None:
    """Write a JSON object with its hash."""
    text = _text(values)
    # A flipped bit in a digit leaves valid JSON: only the hash tells.
    store.put_bytes(name, f'{{"hash": "{xxhash.xxh3_128_hexdigest(text.encode())}", "content": {text}}}'.encode())


def read_json(store: Store, name: str) -> dict[str, Any]:
    """Read a JSON object; :class:`RunFolderError` where the file is damaged."""
    with damage_errors(store, name):
        found = json.loads(store.read_bytes(name))
        content: dict[str, Any] = found["content"]
        if found["hash"] != xxhash.xxh3_128_hexdigest(_text(content).encode()):
            raise ValueError("its hash is another than that of what was written")
        return content


@contextmanager
def damage_errors(store: Store, name: str) -> Iterator[None]:
    """Turn errors from reading a damaged file in a block into :class:`RunFolderError`."""
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise RunFolderError(
            f"{store.uri}/{name}: damaged ({error!r}); remove it, plan the run again and run its tasks"
        ) from error
