"""Keep a crawled run up to date with its site."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from http import HTTPStatus
from pathlib import Path
from typing import Any

from diglot.corpus.characters import one_line
from diglot.crawl.archive import forget_records
from diglot.crawl.options import CrawlOptions, make_crawl_options
from diglot.crawl.queue.frontier import DONE, IN_FLIGHT, QUEUED, Frontier, PageOutcome
from diglot.disk.atomic import replacing
from diglot.disk.folder import RunFolder
from diglot.engines.server import serve_from_here
from diglot.errors import DiglotError, NothingFound, SitesFailed, Stopped, UsageError
from diglot.harvesting import harvest_into
from diglot.harvesting.session import Means
from diglot.outputs.corpus_files import OUT
from diglot.progress import Progress, usual
from diglot.records import Reason
from diglot.results.delta import Baseline, end_update, kept_marks, open_update, set_open, write_deltas
from diglot.results.run import Run
from diglot.run.crawl import crawl_stage
from diglot.run.work import CRAWL, PRELOAD, WARC

CHANGES = "changes.tsv"
_NOT_HAD = ("unreachable", "certificate", Reason.PARSER_CRASH)
"""Reasons for a missing page that say nothing about the page itself."""


class Change(StrEnum):
    """Fate of a page since the last crawl. Only pages that are gone leave the run."""

    NEW = "new"
    CHANGED = "changed"
    SAME = "same"
    GONE = "gone"
    """The site says so: by a status such as 404, a redirect, or a rule against crawlers."""
    UNREACHABLE = "unreachable"
    """The server had trouble, or did not answer."""
    WAITING = "waiting"
    """Not requested: a limit of the crawl came first."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Result of an update. ``pages``: numbers by kind (:class:`Change`); ``files``: written files."""

    pages: dict[str, int]
    files: list[Path]


def update(
    out: str | os.PathLike[str],
    *,
    crawl: Mapping[str, Any] | None = None,
    jobs: int = 0,
    progress: Progress | None = None,
) -> Changes:
    """Ask a crawled site for changes, fetch them, and write the outputs again.

    Pages are requested conditionally, by ETag and date where the server gave them; an unchanged text counts as the
    same. Writes ``out/changes.tsv``, and new segments of every language pair to ``out/delta/SRC-TGT.tmx``. ``crawl``:
    fields of :class:`diglot.crawl.options.CrawlOptions` to replace those of the first crawl.

    The earlier state is noted in the journal before the first request. After an interruption, or a failure to reach the
    site, the next update resumes and compares with the same state.

    Raises, after writing, like :func:`diglot.harvest` where nothing is left or sites were lost.
    """
    serve_from_here(PRELOAD)
    with RunFolder(out, create=False) as folder, folder.lock():
        run = Run(folder)
        options = _options(folder, crawl)
        baseline = open_update(folder) or set_open(folder, Baseline(_page_digests(folder), kept_marks(run)))
        _ask(folder, baseline, options, progress or usual())
        kinds, files = _collect_changes(folder, baseline)
        _write_changes(run.path / OUT / CHANGES, kinds)
        told: DiglotError | None = None
        try:
            harvest_into(folder, run.settings, files, Means(jobs=jobs, progress=progress))
        except (NothingFound, SitesFailed) as outcome:  # all is written by then, and would be so again
            told = outcome
        written = [run.path / OUT / CHANGES, *write_deltas(Run(folder), baseline.texts)]
        end_update(folder, baseline)
    if told is not None:
        raise told
    return Changes(dict(Counter(kinds.values())), written)


def _options(folder: RunFolder, changed: Mapping[str, Any] | None) -> CrawlOptions:
    """Options of the first crawl, some replaced."""
    options = dict(folder.recall(CRAWL, "options") or {})
    if not options:
        raise UsageError(
            f"{folder.path}: was not crawled, so there is nothing to ask; harvest the new files into a new folder"
        )
    others = {name: value for name, value in options.items() if name not in ("starts", "langs")}
    return make_crawl_options(options["starts"], options.get("langs", ()), {**others, **(changed or {})})


def _ask(folder: RunFolder, baseline: Baseline, options: CrawlOptions, progress: Progress) -> None:
    """Crawl again, or resume. After a failure as a whole the next update asks for all pages again."""
    if not baseline.asked:
        frontier = Frontier(folder.path / "journal.db")
        frontier.ask_again()
        frontier.close()
        folder.forget_note(CRAWL, "done")
        set_open(folder, replace(baseline, asked=True))
    try:
        crawl_stage(folder, options, progress)
    # An interrupted crawl is resumed; after any other failure all pages are asked for again.
    except Stopped:
        raise
    except DiglotError:
        set_open(folder, replace(baseline, asked=False))
        raise


def _collect_changes(folder: RunFolder, baseline: Baseline) -> tuple[dict[str, Change], list[str]]:
    """Fate of every page, and the files of the archive, from which gone pages are removed."""
    frontier = Frontier(folder.path / "journal.db")
    try:
        rows = frontier.page_outcomes()
        silent = {note.host for note in frontier.hosts() if _in_trouble(note.robots_status or 0)}
        kinds = _changes(baseline.pages, rows, silent)
        gone = {row.id for row in rows if kinds.get(row.url) == Change.GONE}
        forget_records(folder.path / WARC, frontier, gone)
        with frontier.transaction():
            frontier.drop_contents(gone)
        return kinds, [str(folder.path / WARC / name) for name in frontier.archives()]
    finally:
        frontier.close()


def _page_digests(folder: RunFolder) -> dict[str, str]:
    """Digest of every archived page, by address."""
    frontier = Frontier(folder.path / "journal.db")
    pages = frontier.page_digests()
    frontier.close()
    return pages


def _changes(was: Mapping[str, str], now: Iterable[PageOutcome], silent: Collection[str]) -> dict[str, Change]:
    """Fate of every page by digest before and after; ``silent``: hosts without an answer for robots.txt."""
    kinds = {}
    for page in now:
        if page.state == DONE:
            before = was.get(page.url)
            kinds[page.url] = Change.NEW if before is None else Change.SAME if before == page.digest else Change.CHANGED
        elif page.url in was:
            kinds[page.url] = _without_answer(page, silent)
    return dict(sorted(kinds.items()))


def _without_answer(page: PageOutcome, silent: Collection[str]) -> Change:
    """Whether a page that did not come is gone; a server in trouble is not believed."""
    if page.state in (QUEUED, IN_FLIGHT) or page.reason == "trap":
        return Change.WAITING
    in_trouble = page.reason == Reason.HTTP_STATUS and _in_trouble(page.status or 0)
    if in_trouble or page.reason in _NOT_HAD or (page.reason == "robots" and page.host in silent):
        return Change.UNREACHABLE
    return Change.GONE


def _in_trouble(status: int) -> bool:
    """Whether a status (0: no answer) is about the server rather than the page."""
    return not 200 <= status < 500 or status in (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS)


def _write_changes(path: Path, kinds: Mapping[str, Change]) -> None:
    with replacing(path) as handle:
        handle.write(b"url\tchange\n")
        for url, kind in kinds.items():
            if kind != Change.SAME:
                handle.write(f"{one_line(url)}\t{kind}\n".encode())
