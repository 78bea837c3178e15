"""Keep a crawled run up to date with its site; a good copy of a page stays in use until a better one is there."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from diglot.arguments import CrawlKeywords
from diglot.checked_arguments import check_arguments
from diglot.corpus.characters import one_line
from diglot.crawl.crawling import CrawlResult
from diglot.crawl.options import CrawlOptions, make_crawl_options
from diglot.crawl.page_fates import ACCEPTED, DOUBTED, Change, Fates, Known, decide_fates
from diglot.crawl.queue.frontier import DONE, REFUSED, Frontier
from diglot.crawl.queue.site_scope import SiteScope
from diglot.crawl.text_doubts import judge_texts
from diglot.crawl.update_time import Moment, next_moment, read_clocks
from diglot.disk.atomic import replacing
from diglot.disk.folder import RunFolder
from diglot.engines.server import serve_from_here
from diglot.errors import DiglotError, NothingFound, SiteOutage, SitesFailed, Stopped, UsageError
from diglot.harvesting import harvest_into
from diglot.harvesting.session import RunResources
from diglot.layout import count_text
from diglot.outputs.corpus_files import OUT
from diglot.progress import Progress, default_progress
from diglot.results.delta import MOMENT, UPDATE, Baseline, end_update, kept_marks, open_update, set_open, write_deltas
from diglot.results.run import Run
from diglot.review.weighing import missing_notes
from diglot.run.crawl import archive_sources, crawl_stage, other_sources, why_nothing, write_fetches
from diglot.run.work import CRAWL, PRELOAD, require_pages

CHANGES = "changes.tsv"
WISHES_SHOWN = 4
AWAY = "the run is as before; update it again when the site is back"


@dataclass(frozen=True, slots=True)
class Changes:
    """Result of an update. ``pages``: numbers by kind (:class:`Change`); ``files``: the list of changes, and files of
    new segments; ``new``: number of new segments by language pair (``en-fr``); ``gone``: of segments kept before and no
    longer; ``kept``: of all segments kept now; ``notes``: what the crawl met, and why pages stay or left."""

    pages: dict[str, int]
    files: list[Path]
    new: dict[str, int]
    gone: dict[str, int]
    kept: dict[str, int]
    notes: list[str] = field(default_factory=list)


@check_arguments
def update(
    out: str | os.PathLike[str],
    *,
    crawl: CrawlKeywords | None = None,
    believe: bool = False,
    jobs: int = 0,
    progress: Progress | None = None,
) -> Changes:
    """Ask a crawled site for changes, fetch them, and write the outputs again.

    Pages are requested conditionally, by ETag and date where the server gave them; an unchanged text counts as the
    same. Writes ``out/changes.tsv``, and new segments of every language pair to ``out/delta/SRC-TGT.tmx``. ``crawl``:
    options to replace those of the first crawl, whose time limit does not count here; with ``max_pages=0`` no page is
    fetched that is new to the run.

    Nothing is deleted from the archive. A page leaves the run if the site says in two updates that it is gone, or asks
    not to use it; ``believe``: one update is enough (:mod:`diglot.crawl.page_fates`).

    The earlier state is noted in the journal before the first request. After an interruption, or a failure to reach the
    site, the next update resumes and compares with the same state.

    Raises, after writing, like :func:`diglot.harvest` where nothing is left or sites were lost, and
    :class:`diglot.errors.SiteOutage` where more than a tenth of the pages are missing, emptied, moved or replaced.
    """
    changes, outcome = update_run(out, crawl, believe=believe, jobs=jobs, progress=progress)
    if outcome is not None:
        raise outcome
    return changes


def update_run(
    out: str | os.PathLike[str], crawl: CrawlKeywords | None, *, believe: bool, jobs: int, progress: Progress | None
) -> tuple[Changes, DiglotError | None]:
    """:func:`update`, but an error raised after the outputs were written is returned beside the changes."""
    serve_from_here(PRELOAD)
    with RunFolder(out, create=False) as folder, folder.lock():
        run = Run(folder)
        options = _options(folder, crawl)
        baseline = open_update(folder) or set_open(
            folder, Baseline(_page_digests(folder), kept_marks(run), began=_begin(folder))
        )
        notes = _crawl_again(folder, baseline, options, progress or default_progress()).notices
        fates = _decide_page_fates(folder, baseline, options.langs, believe=believe)
        write_fetches(folder)
        _write_changes(run.path / OUT / CHANGES, fates.changes)
        outage = _outage(folder, fates) if fates.is_outage else None
        notes = [*notes, *_notes_on_pages(folder, fates)]
        outcome = _harvest_again(run, RunResources(jobs=jobs, progress=progress)) or outage
        if judged := Run(folder).summary().get("judged"):
            notes += missing_notes(judged["missing"], sum(judged["verdicts"].values()))
        deltas = write_deltas(Run(folder), baseline.texts)
        end_update(folder, baseline)
    files = [run.path / OUT / CHANGES, *(path for delta in deltas.values() if delta.new for path in delta.files)]
    new, gone, kept = (
        {name: getattr(delta, kind) for name, delta in deltas.items()} for kind in ("new", "gone", "kept")
    )
    return Changes(dict(Counter(fates.changes.values())), files, new, gone, kept, notes), outcome


def _harvest_again(run: Run, resources: RunResources) -> DiglotError | None:
    """Write the outputs of the pages in use. Returns the error with which a harvest ends after writing, if any."""
    sources = [*archive_sources(run.folder), *other_sources(run.folder)]
    try:
        harvest_into(run.folder, run.settings, sources, resources)
    except (NothingFound, SitesFailed) as outcome:
        return outcome
    return None


def _begin(folder: RunFolder) -> float:
    """Time of this update on the clock of the run, noted for the next one."""
    before = folder.recall(UPDATE, MOMENT)
    moment = next_moment(None if before is None else Moment(*before), read_clocks())
    folder.remember(UPDATE, MOMENT, moment)
    return moment.run_s


def _options(folder: RunFolder, changed: Mapping[str, Any] | None) -> CrawlOptions:
    """Options of the first crawl, some replaced; its time limit was for that crawl alone."""
    options = dict(folder.recall(CRAWL, "options") or {})
    if not options:
        require_pages(folder)
        run = str(folder.path)
        command = shlex.join(["diglot", "harvest", "--config", f"{run}/diglot.toml", "-o", run, "--overwrite"])
        raise UsageError(
            f"{run}: was not crawled, so there is no site to ask; `{command}` reads its files again, and verdicts stay"
        )
    others = {name: value for name, value in options.items() if name not in ("starts", "langs", "max_time_s")}
    # 0 further pages; of a crawl, 0 is no limit.
    only_known = changed is not None and changed.get("max_pages") == 0
    given = {name: value for name, value in (changed or {}).items() if not (only_known and name == "max_pages")}
    made = make_crawl_options(options["starts"], options.get("langs", ()), {**others, **given})
    return replace(made, only_known=only_known)


def _crawl_again(folder: RunFolder, baseline: Baseline, options: CrawlOptions, progress: Progress) -> CrawlResult:
    """Crawl again, or resume. After a failure as a whole the next update asks for all pages again."""
    if not baseline.asked:
        with Frontier(folder.journal) as frontier:
            frontier.ask_again()
        folder.forget_note(CRAWL, "done")
        set_open(folder, replace(baseline, asked=True))
    try:
        crawled = crawl_stage(folder, options, progress, needs_pages=False)
        if not crawled.counts["pages"] and not _is_answered(folder, baseline):
            raise why_nothing(options, folder.journal, crawled, advice=AWAY)
        return crawled
    # An interrupted crawl is resumed; after any other failure all pages are asked for again.
    except Stopped:
        raise
    except DiglotError:
        set_open(folder, replace(baseline, asked=False))
        raise


def _is_answered(folder: RunFolder, baseline: Baseline) -> bool:
    """Whether the site said something about any page."""
    with Frontier(folder.journal) as frontier:
        changes = decide_fates(frontier.page_outcomes(), Known(baseline.pages, {}, baseline.began), {}).changes
    return not {*changes.values()} <= {Change.UNREACHABLE, Change.WAITING}


def _decide_page_fates(folder: RunFolder, baseline: Baseline, langs: Sequence[str], *, believe: bool) -> Fates:
    """Fate of every page, noted in the journal. May be repeated."""
    with Frontier(folder.journal) as frontier, frontier.transaction():
        pages, known = frontier.page_outcomes(), Known(baseline.pages, frontier.denials(), baseline.began)
        verdicts = judge_texts(pages, known, frontier.texts_ever(), SiteScope(tuple(langs)).wants)
        fates = decide_fates(pages, known, verdicts, believe=believe)
        for page in pages:
            if doubt := fates.doubts.get(page.id):
                frontier.restore_copy(page.id, baseline.pages[page.url], doubt, DOUBTED[doubt])
        for page_id in fates.accepted:
            frontier.finish(page_id, DONE, reason=ACCEPTED)
        frontier.set_denials(fates.denials)
        return fates


def _notes_on_pages(folder: RunFolder, fates: Fates) -> list[str]:
    """Why pages left the run, and which copies the next update may put out of use."""
    with Frontier(folder.journal) as frontier:
        pages = frontier.page_outcomes()
    wishes = Counter(
        f"{page.reason} {page.detail}".rstrip()
        for page in pages
        if page.state == REFUSED and fates.changes.get(page.url) is Change.GONE
    )
    notes = []
    if wishes:
        count = count_text(wishes.total(), "page")
        shown = ", ".join(f"{number:,} x {wish}" for wish, number in wishes.most_common(WISHES_SHOWN))
        notes.append(
            f"{count} left because the site asks not to use them ({shown}); "
            "they are back when the site allows their use again"
        )
    if fates.is_outage:
        return notes
    counts = Counter(fates.changes.values())
    if missing := counts[Change.MISSING]:
        notes.append(
            f"the copies of {count_text(missing, 'missing page')} stay in use; "
            "they leave if the next update misses them, too"
        )
    if switched := counts[Change.SWITCHED]:
        notes.append(
            f"the copies of {count_text(switched, 'page')} that came in another language stay in use; "
            "they leave if the pages come so in the next update, too"
        )
    if emptied := Counter(fates.doubts.values())[Change.EMPTIED]:
        notes.append(
            f"the copies of {count_text(emptied, 'page')} that came with the text of other pages stay in use "
            "(out/changes.tsv lists the pages); if the site is well, `diglot update --believe` takes the new text"
        )
    return notes


def _outage(folder: RunFolder, fates: Fates) -> SiteOutage:
    known = sum(change is not Change.NEW for change in fates.changes.values())
    return SiteOutage(
        f"{folder.path}: {fates.lost:,} of {known:,} pages are missing, emptied, moved or replaced: taken for an "
        "outage of the site, and their copies stay in use; run `diglot update` again in a day, or now with "
        "believe=True if the site is well (out/changes.tsv lists the pages)"
    )


def _page_digests(folder: RunFolder) -> dict[str, str]:
    """Digest of every archived page in use, by address."""
    with Frontier(folder.journal) as frontier:
        return frontier.page_digests()


def _write_changes(path: Path, kinds: Mapping[str, Change]) -> None:
    with replacing(path) as handle:
        handle.write(b"url\tchange\n")
        for url, kind in kinds.items():
            if kind != Change.SAME:
                handle.write(f"{one_line(url)}\t{kind}\n".encode())
