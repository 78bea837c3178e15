"""A run in progress: folder, options, engine, and the seconds of every finished stage."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa

from diglot.disk.folder import RunFolder
from diglot.errors import RunFolderError
from diglot.layout import count_text
from diglot.pages import Source
from diglot.progress import Progress, Silent
from diglot.run.settings import Settings
from diglot.version import __version__

if TYPE_CHECKING:
    from diglot.engines.pool import LocalEngine

PRELOAD = (
    *("diglot.run.preload", "diglot.run.resolve", "diglot.run.pair", "diglot.run.align"),
    *("diglot.pairing.fused", "diglot.run.clean", "numpy.random", "yasbd.rules", "language_data.name_data"),
)
"""Modules that worker processes load at their start."""
DOCUMENTS, RESOLVED, PAIRS, SEGMENTS = "documents", "resolved", "pairs", "segments"
FLAGGED, VERDICTS = "flagged", "verdicts"
"""Names of the stages whose output a run folder keeps."""
DOMAINS, EXCHANGE = "domains", "exchange"
"""Folders of a run cut into tasks: the domains of each source; all documents by bucket, while tasks are at work."""
WARC, CRAWL = "warc", "crawl"
"""Folder of the crawl's archive inside a run, and the kind of the crawl's notes."""
SKIPPED = ("notes", "sources")
"""Kind and key of the note on sources that could not be read and were left out."""
SAME_PATHS = ("notes", "same paths")
"""Kind and key of the note on files of several folders with one address (:mod:`diglot.pages.same_paths`)."""
INDEXES = ("notes", "indexes")
"""Kind and key of the notes on CDXJ indexes (:mod:`diglot.run.index_notes`)."""
CUT = ("notes", "cut")
"""Kind and key of the note on cut files."""
OUTDATED = ("outputs", "outdated")
"""Kind and key of the note that the outputs are those of earlier options or verdicts, which stay until new outputs are
written. The value of the note names the earlier options or verdicts."""
MERGED = "merged"
"""Kind and key of the note on a merge: name and path of each run in it."""
MADE_BY = "version"
"""Kind of the notes on the version of Diglot that made an output, by stage and key."""
MERGED_RUNS = "merged_runs"
"""Kind of the note on the pairs of a merge: candidates and languages of each run, by its name."""


@dataclass
class Work:
    """A run in progress: folder, options, engine, and the seconds of every finished stage."""

    folder: RunFolder
    settings: Settings
    engine: LocalEngine
    sources: Sequence[Source] = ()
    progress: Progress = field(default_factory=Silent)
    seconds: dict[str, float] = field(default_factory=dict)

    @cached_property
    def fingerprints(self) -> tuple[str, ...]:
        """Hash of every source. Reads all bytes, once a run."""
        found = []
        if self.sources:
            self.progress.start("sources", None, "sources")
            self.progress.step("looking for changes", len(self.sources), "sources")
        for source in self.sources:
            found.append(source.fingerprint())
            self.progress.advance(1)
        return tuple(found)


@contextmanager
def time_stage(work: Work, stage: str) -> Iterator[None]:
    """Record the seconds of a stage, and release its memory."""
    started = time.monotonic()
    yield
    work.seconds[stage] = time.monotonic() - started
    release_memory()


def release_memory() -> None:
    """Return unused memory to the system. Arrow's allocator keeps it otherwise: a gigabyte after the pages of a large
    site were sorted."""
    pa.default_memory_pool().release_unused()


def report_stage(work: Work, stage: str, result: str, *, is_kept: bool) -> None:
    """Report a stage as finished, or as kept from an earlier run."""
    if is_kept:
        work.progress.reuse(stage, result)
    else:
        work.progress.finish(result)


def note_version(folder: RunFolder, stage: str, key: str) -> None:
    """Remember that this version of Diglot made an output."""
    folder.remember(MADE_BY, f"{stage} {key}", __version__)


def run_signature(folder: RunFolder, settings: Settings) -> str:
    """Signature of the recipe with this version of Diglot, and the version of pairs and segments that another made, as
    in ``fused|...|diglot:0.2.0|pairs:0.1.0``."""
    parts = [settings.resolved_recipe().signature(__version__)]
    for stage in (PAIRS, SEGMENTS):
        made_by = folder.recall(MADE_BY, f"{stage} {folder.recall('run', stage)}")
        parts += [f"{stage}:{made_by}"] if made_by not in (None, __version__) else []
    return "|".join(parts)


def stage_key(folder: RunFolder, stage: str, command: str) -> str:
    """Key of the stage's output in this run; :class:`RunFolderError` for a stage never run.

    ``command``: what makes the output, with ``{run}`` for the folder.
    """
    key = folder.recall("run", stage)
    # Documents are stored source by source: the key of all of them has no shards.
    if not key or (folder.shards(stage, key) is None and stage != DOCUMENTS):
        remedy = command.format(run=shlex.quote(str(folder.path)))
        raise RunFolderError(f"{folder.path}: holds no {stage} yet; run `{remedy}` first")
    return str(key)


def result_keys(folder: RunFolder) -> tuple[str, str]:
    """Keys of the page pairs and the segments of a run; errors as in :func:`stage_key`."""
    return stage_key(folder, PAIRS, "diglot pair {run}"), stage_key(folder, SEGMENTS, "diglot align {run}")


def require_documents(folder: RunFolder, documents_key: str) -> list[str]:
    """Keys of the documents of every source; :class:`RunFolderError` where files of documents are gone."""
    keys: list[str] = folder.recall("sources", documents_key) or []
    gone = sum(folder.shards(DOCUMENTS, key) is None for key in keys)
    if gone:
        raise RunFolderError(
            f"{folder.path}: the pages of {count_text(gone, 'source')} are gone from {DOCUMENTS}/; the command that "
            "made the run brings them back"
        )
    return keys


def require_stages(folder: RunFolder, stages: Sequence[str], *, can_read: bool) -> None:
    """Raise :class:`RunFolderError` where the documents of a run, or these stages, have missing or damaged files.

    A stage that never ran is passed over. ``can_read``: whether missing files are made again from the sources.
    """
    documents_key = folder.recall("run", DOCUMENTS) or ""
    if not can_read:
        require_documents(folder, documents_key)
    named = [(DOCUMENTS, key) for key in folder.recall("sources", documents_key) or ()]
    named += [(stage, key) for stage in stages if (key := folder.recall("run", stage))]
    for stage, key in named:
        paths = folder.shards(stage, key)
        if paths is None and not can_read:
            raise RunFolderError(
                f"{folder.path}: files are gone from {stage}/; the command that made the run brings them back"
            )
        for path in paths or ():
            folder.require_intact(path)


def require_pages(folder: RunFolder) -> None:
    """Raise :class:`RunFolderError` for a merge of runs: a merge holds no text of pages."""
    if merged := folder.recall(MERGED, MERGED):
        # A run whose pages are all forgotten is not named.
        left = {each["name"].partition("/")[0] for each in folder.settings().get("sources", [])}
        paths = ", ".join(path for name, path in merged if name in left or not left)
        raise RunFolderError(
            f"{folder.path}: a merge has flags and scores of its runs and no text of pages; change the runs and merge "
            f"them again, or ask the run that out/pages.tsv names with a page: {paths}"
        )
