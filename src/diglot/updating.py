"""Keep a crawled run up to date with its site."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from diglot.corpus.characters import one_line
from diglot.crawl.archive import forget_records
from diglot.crawl.options import CrawlOptions, make_crawl_options
from diglot.crawl.queue.frontier import DONE, IN_FLIGHT, QUEUED, Frontier
from diglot.disk.atomic import replacing
from diglot.disk.folder import RunFolder
from diglot.errors import DiglotError, Stopped, UsageError
from diglot.harvesting import harvest_into
from diglot.progress import Progress, Silent
from diglot.results.delta import kept_marks, write_deltas
from diglot.results.run import Run
from diglot.run.crawl import NOTE, WARC, crawl_stage
from diglot.run.outputs import OUT
from diglot.run.update_notes import Baseline, end_update, open_update, set_open

CHANGES = "changes.tsv"


@dataclass(frozen=True, slots=True)
class Changes:
    """What an update found. ``pages``: how many by kind (new, changed, gone, same, and waiting where a limit of the
    crawl was reached before they were asked for); ``files``: what was written."""

    pages: dict[str, int]
    files: list[Path]


def update(
    out: str | os.PathLike[str],
    *,
    crawl: Mapping[str, Any] | None = None,
    jobs: int = 0,
    progress: Progress | None = None,
) -> Changes:
    """Ask a crawled site what has changed, fetch that, and make the outputs again.

    Pages are asked for by ETag and date where the server gave them; one that comes back with the same text
    counts as the same. Writes ``out/changes.tsv`` and, for each language pair, the segments that are new since:
    ``out/delta/SRC-TGT.tmx``. ``crawl``: fields of :class:`diglot.crawl.options.CrawlOptions` that replace those
    of the first crawl.

    What there was is noted in the journal before the first request. An update that was stopped, or for which the site
    could not be reached, is gone on with by the next, which compares with the same.
    """
    with RunFolder(out, create=False) as folder, folder.locked():
        run = Run(folder)
        options = _options(folder, crawl)
        baseline = open_update(folder) or set_open(folder, Baseline(_stored(folder), kept_marks(run)))
        _ask(folder, baseline, options, progress or Silent())
        kinds, files = _settle(folder, baseline)
        _write_changes(run.path / OUT / CHANGES, kinds)
        harvest_into(folder, run.settings, files, jobs=jobs, progress=progress)
        written = [run.path / OUT / CHANGES, *write_deltas(Run(folder), baseline.texts)]
        end_update(folder, baseline)
    return Changes(dict(Counter(kinds.values())), written)


def _options(folder: RunFolder, changed: Mapping[str, Any] | None) -> CrawlOptions:
    """Those of the first crawl, some of them changed."""
    options = dict(folder.recall(NOTE, "options") or {})
    if not options:
        raise UsageError(
            f"{folder.path}: was not crawled, so there is nothing to ask; harvest the new files into a new folder"
        )
    others = {name: value for name, value in options.items() if name not in ("starts", "langs")}
    return make_crawl_options(options["starts"], options.get("langs", ()), {**others, **(changed or {})})


def _ask(folder: RunFolder, baseline: Baseline, options: CrawlOptions, progress: Progress) -> None:
    """Crawl again, or go on with that. Where it fails as a whole all is asked for again the next time."""
    if not baseline.asked:
        frontier = Frontier(folder.path / "journal.db")
        frontier.ask_again()
        frontier.close()
        folder.forget_note(NOTE, "done")
        set_open(folder, replace(baseline, asked=True))
    try:
        crawl_stage(folder, options, progress)
    except Stopped:
        raise
    except DiglotError:
        set_open(folder, replace(baseline, asked=False))
        raise


def _settle(folder: RunFolder, baseline: Baseline) -> tuple[dict[str, str], list[str]]:
    """What became of each page, and the files of the archive, from which pages that are gone are taken."""
    frontier = Frontier(folder.path / "journal.db")
    try:
        rows = frontier.rows("id, url, state, digest", "kind='page'")
        kinds = _changes(baseline.pages, {url: (state, digest) for _, url, state, digest in rows})
        gone = {entry_id for entry_id, url, *_ in rows if kinds.get(url) == "gone"}
        forget_records(folder.path / WARC, frontier, gone)
        with frontier.transaction():
            frontier.drop_contents(gone)
        return kinds, [str(folder.path / WARC / name) for name in frontier.archives()]
    finally:
        frontier.close()


def _stored(folder: RunFolder) -> dict[str, str]:
    """Digest of each page in the archive, by address."""
    frontier = Frontier(folder.path / "journal.db")
    pages = dict(frontier.rows("url, digest", "kind='page' AND state IN ('done', 'queued') AND digest IS NOT NULL"))
    frontier.close()
    return pages


def _changes(was: Mapping[str, str], now: Mapping[str, tuple[str, str | None]]) -> dict[str, str]:
    """What became of each page by its digest then, and its state and digest now."""
    kinds = {}
    for url, (state, digest) in now.items():
        if state == DONE:
            kinds[url] = "new" if url not in was else "same" if was[url] == digest else "changed"
        elif url in was:
            kinds[url] = "waiting" if state in (QUEUED, IN_FLIGHT) else "gone"
    return dict(sorted(kinds.items()))


def _write_changes(path: Path, kinds: Mapping[str, str]) -> None:
    with replacing(path) as handle:
        handle.write(b"url\tchange\n")
        for url, kind in kinds.items():
            if kind != "same":
                handle.write(f"{one_line(url)}\t{kind}\n".encode())
