"""A run folder at work: workers ready, log open, and ``diglot.toml`` stating what the run is made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diglot.disk.folder import RunFolder
from diglot.engines.children import can_limit_memory
from diglot.engines.pool import LocalEngine
from diglot.engines.server import serve_from_here
from diglot.errors import Stopped
from diglot.outputs.corpus_files import is_finished
from diglot.outputs.left_out import left_out_note
from diglot.outputs.same_run import (
    drop_merge,
    drop_outdated,
    drop_outputs,
    own_folder,
    require_same_sources,
    stated_settings,
)
from diglot.pages import Source, open_sources
from diglot.progress import Progress, default_progress
from diglot.run.log import open_log
from diglot.run.settings import Settings, settings_file
from diglot.run.work import PRELOAD, Work, require_pages
from diglot.survey.open_languages import keep_note, languages_table
from diglot.version import __version__

SOURCES_LOGGED = 20
"""Most sources named in the log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResources:
    """Workers and listener of a run. ``jobs``: number of processes, 0 for one per core. ``preload``: modules to load
    before the first worker starts; empty for work that may need no workers."""

    jobs: int = 0
    preload: Sequence[str] = PRELOAD
    progress: Progress | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """Sources of a run from the beginning. ``detected``: note on detected languages; ``overwrite``: whether another run
    in the folder may be replaced."""

    sources: Sequence[Source] = ()
    detected: Mapping[str, Any] | None = None
    overwrite: bool = False


NO_INPUT = Input()
"""Input of a command on a run with pages."""


@contextmanager
def open_work(
    folder: RunFolder, settings: Settings, resources: RunResources, given: Input = NO_INPUT
) -> Iterator[Work]:
    """Work in an owned run folder. Outputs of earlier options stay until the work has ended.

    Raises: RunFolderError for a folder with a run of other sources or languages; :class:`Stopped` after an interrupt.
    """
    if resources.preload:
        serve_from_here(resources.preload)
        _report_missing_limits(resources.progress)
    if given.sources and given.overwrite:
        drop_merge(folder, resources.progress or default_progress())
    with _start_work(folder, settings, resources, given.sources) as work:
        if given.sources and not given.overwrite:
            require_same_sources(work)
            _report_left_out(work)
        names = (source.name for source in work.sources)
        drop_outdated(folder, settings, zip(names, work.fingerprints, strict=True))
        if given.sources:
            keep_note(folder, given.detected)
        with _record(work):
            yield work
            # After stages that write no outputs; others have dropped what they replaced.
            drop_outputs(folder, work.progress)


def _report_left_out(work: Work) -> None:
    """Report options of a finished run that the same command without them undoes."""
    if is_finished(work.folder):
        before = stated_settings(work.folder).get("settings", {})
        if note := left_out_note(before, work.settings, work.folder.path):
            work.progress.start("options", None, "")
            work.progress.finish(note)


@contextmanager
def reopen_work(
    folder: RunFolder, settings: Settings, resources: RunResources, sources: Sequence[Source]
) -> Iterator[Work]:
    """Work in an owned run folder whose own sources have changed: nothing is refused, and no output deleted."""
    with _start_work(folder, settings, resources, sources) as work, _record(work):
        yield work


@contextmanager
def open_work_on_files(out: Path, paths: Sequence[str], settings: Settings, resources: RunResources) -> Iterator[Work]:
    """Work in the run folder ``out`` on sources other than web addresses; nothing else in the folder is replaced."""
    sources = open_sources(paths, **settings.opening_options())
    with own_folder(out, files=paths) as folder, open_work(folder, settings, resources, Input(sources=sources)) as work:
        yield work
    folder.close()  # after the lock, whose end notes the hash of the journal


@contextmanager
def _start_work(
    folder: RunFolder, settings: Settings, resources: RunResources, sources: Sequence[Source]
) -> Iterator[Work]:
    require_pages(folder)
    with LocalEngine(jobs=resources.jobs, preload=PRELOAD) as engine:
        try:
            yield Work(folder, settings, engine, sources, resources.progress or default_progress())
        except KeyboardInterrupt as interrupt:
            raise Stopped(f"stopped; the same command goes on from what is in {folder.path}") from interrupt


@contextmanager
def _record(work: Work) -> Iterator[None]:
    """Write ``diglot.toml``, and log the work in the ``with`` block."""
    with open_log(work.folder.path, work.progress, _log_lines(work)) as work.progress:
        write_settings(work)
        yield


def _log_lines(work: Work) -> list[str]:
    """Sources, options and recipe for the log."""
    options = [f"{name}={value}" for name, value in work.settings.to_table().items() if value not in ("", [], {})]
    return [
        *(f"source    {source.kind} {source.spec}" for source in work.sources[:SOURCES_LOGGED]),
        f"options   {' '.join(options)}",
        f"recipe    {work.settings.resolved_recipe().signature(__version__)}",
    ]


def _report_missing_limits(progress: Progress | None) -> None:
    """Report a system that cannot limit the memory of workers."""
    if not can_limit_memory():
        listener = progress or default_progress()
        listener.start("workers", None, "")
        listener.finish("this system cannot limit their memory; a page built to exhaust memory ends only by timeout")


def write_settings(work: Work) -> None:
    """Write ``diglot.toml``: options, recipe signature, version, and the hash of every input."""
    sources = [
        {"name": source.name, "kind": str(source.kind), "path": source.spec, "hash": fingerprint}
        for source, fingerprint in zip(work.sources, work.fingerprints, strict=True)
    ]
    folder = work.folder
    # A command on a run that has its pages opens no sources; the file states them from before.
    known = sources or folder.settings().get("sources", [])
    crawl = folder.recall("crawl", "options")
    folder.write_settings(settings_file(work.settings, known, crawl=crawl, languages=languages_table(folder)))
