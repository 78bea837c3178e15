"""End of a run: decide segments shared by sites; write outputs, summary and report."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial, reduce
from operator import add
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from diglot.disk.folder import RunFolder
from diglot.errors import NothingFound, SitesFailed
from diglot.outputs.corpus_files import OUT, write_outputs, write_summary
from diglot.outputs.cut_sources import cut_sources
from diglot.outputs.exports import OWN, drop_exports
from diglot.outputs.funnel import Counts, count_sites_of, count_variants, most_first, summarise
from diglot.outputs.missing_versions import why_missing
from diglot.outputs.report_tables import report_tables
from diglot.outputs.run_text import funnel_text
from diglot.outputs.same_run import drop_outputs
from diglot.outputs.sampled_pages import sampled_pages
from diglot.outputs.summary_notes import (
    CRASHED,
    LOST,
    cause_notes,
    closed_notes,
    cut_notes,
    few_pages_notes,
    machine_notes,
    missing_languages_notes,
    other_host_notes,
    scripted_pages_notes,
    several_languages_notes,
    several_sites_notes,
    unread_notes,
)
from diglot.page_language.lost_pages import unknown_language_notes
from diglot.page_language.variants import variants_notes
from diglot.reasons import Reason
from diglot.report import REPORT
from diglot.report.run_page import write_report
from diglot.review.weighing import Weighing, missing_notes, weigh_stage
from diglot.run.across_sites import across_sites_stage
from diglot.run.bundles import Bundle, Bundles
from diglot.run.log import LOG, write_line
from diglot.run.resolve import ALONE
from diglot.run.settings import Settings
from diglot.run.stored_pages import RESOLVED_SCHEMA
from diglot.run.stored_pairs import estimates, expected_pairs
from diglot.run.work import CUT, INDEXES, RESOLVED, SAME_PATHS, SKIPPED, Work, run_signature, time_stage


def finish_stage(work: Work, pairs_key: str, segments_key: str) -> tuple[dict[str, Any], Weighing | None]:
    """Write outputs, summary and report of the resolved, paired and flagged sites.

    Returns: the summary, and the result of the judgements, None without any.

    Raises, after writing: NothingFound for an empty corpus, SitesFailed for lost sites.
    """
    folder, settings = work.folder, work.settings
    work.engine.close()  # no step from here on needs the workers, which hold much memory
    work.progress.start("write", None, "files")
    with time_stage(work, "write"):
        work.progress.step("comparing sites")
        across_sites_stage(folder, pairs_key, segments_key)
        judged = weigh_stage(folder, settings, pairs_key, segments_key)
        bundles = Bundles(folder, settings, pairs_key, segments_key)
        work.progress.step("counting")
        counts = count_run(settings, bundles)
        outputs = write_outputs(folder, settings, bundles, counts.segments, work.progress)
        drop_exports(folder, OWN)
    summary = _summary(folder, settings, counts, pairs_key, segments_key)
    if judged is not None:
        summary["judged"] = judged.plain()
        summary["notes"] += missing_notes(judged.missing, sum(judged.verdicts.values()))
    summary["seconds"] = {stage: round(seconds, 2) for stage, seconds in work.seconds.items()}
    write_summary(folder, summary)
    for note in summary["notes"]:
        write_line(folder.path / LOG, f"note      {note}")
    work.progress.finish(f"{len(outputs) + 1:,} files into {OUT}")
    table = _state_signature(folder, summary["recipe"])
    work.progress.start("report", None, "")
    work.progress.step("choosing what is shown")
    write_report(report_tables(table, settings, summary, bundles), folder.path / REPORT)
    work.progress.finish(REPORT)
    drop_outputs(folder, work.progress, keep={*outputs, folder.path / OUT / "summary.json", folder.path / REPORT})
    try:
        _require_results(folder, settings, summary, counts.lost)
    except (NothingFound, SitesFailed) as outcome:
        outcome.summary = summary
        raise
    return summary, judged


def _state_signature(folder: RunFolder, signature: str) -> dict[str, Any]:
    """Content of ``diglot.toml`` after the signature of the result was written there: a stage may be of an earlier
    version."""
    stated = folder.settings()
    table = {**stated, "signature": signature}
    if table != stated:
        folder.write_settings(table)
    return table


def _require_results(folder: RunFolder, settings: Settings, summary: dict[str, Any], lost: Mapping[str, int]) -> None:
    """Raise NothingFound for a run without pages, SitesFailed for lost sites, NothingFound without a kept segment.

    Lost sites come first: an empty corpus proves nothing then.
    """
    if not summary["pages"]:
        raise NothingFound(
            "no record holds a page. Of a web archive name the WARC files: "
            "its text files (WET) and metadata (WAT) hold none"
        )
    if summary["dropped"].get(Reason.SITE_FAILED, 0):
        raise SitesFailed(
            f"{'; '.join(cause_notes(lost, LOST))}. All others are done. out/pages.tsv has the cause of each page "
            "(site_failed). Where memory or time was short, free some, or try jobs=1"
        )
    if not sum(summary["kept"].values()):
        raise NothingFound(
            f"no translations found in {', '.join(settings.langs)}; what became of the pages:\n{funnel_text(summary)}\n"
            f"next      diglot why {shlex.quote(str(folder.path))} ADDRESS  # the language and fate of a page"
        )


def _has_sites_left(folder: RunFolder) -> bool:
    """Whether the pages of some site were not resolved, since no two of them can be a pair."""
    key = folder.recall("run", RESOLVED) or ""
    shards = folder.each_shard(RESOLVED, key, pa.schema([RESOLVED_SCHEMA.field("detail")]))
    return any(pc.any(pc.equal(shard["detail"], ALONE)).as_py() for shard in shards)


def count_run(settings: Settings, bundles: Iterable[Bundle]) -> Counts:
    """Counts over all sites of a run."""
    counted = (
        replace(
            count_sites_of(settings, each.pairs, each.segments, each.ledger),
            variants=count_variants(each.resolved["declared_lang"], each.ledger),
        )
        for each in bundles
    )
    return reduce(add, counted, Counts())


def _summary(
    folder: RunFolder, settings: Settings, counts: Counts, pairs_key: str, segments_key: str
) -> dict[str, Any]:
    """The summary without the seconds."""
    candidates = folder.recall("candidates", pairs_key)
    summary = summarise(settings, counts, candidates=candidates, signature=run_signature(folder, settings))
    if not settings.one_site:
        summary["sites"] = most_first(counts.sites)
    summary["estimates"] = estimates(counts.mass, expected_pairs(folder, pairs_key, settings.language_pairs()))
    notes = [
        *_notes_on_pages(folder, settings, counts, summary),
        *machine_notes(counts.flags, aligned=_count_aligned(counts)),
    ]
    # Last, since a recipe may have one for each site.
    notes += [note for key in (pairs_key, segments_key) for note in folder.recall("notes", key) or ()]
    # A merge has one key for both.
    summary["notes"] = list(dict.fromkeys(notes))
    if crawled := folder.recall("crawl", "counts"):
        summary["crawl"] = crawled
    return summary


def _notes_on_pages(folder: RunFolder, settings: Settings, counts: Counts, summary: Mapping[str, Any]) -> list[str]:
    """Notes on sources, pages and page pairs, those on lost ones first."""
    same_paths = folder.recall(*SAME_PATHS) or []
    pairs = {(src, tgt): summary["pairs"][f"{src}-{tgt}"] for src, tgt in settings.language_pairs()}
    has_pairs, pages = any(pairs.values()), sampled_pages(folder)
    return [
        *cause_notes(counts.lost, LOST),
        *cause_notes(counts.crashed, CRASHED),
        *unknown_language_notes(settings.langs),
        *(folder.recall(*SKIPPED) or []),
        *same_paths,
        *(folder.recall(*INDEXES) or []),
        *_cut_notes(folder, counts),
        *closed_notes(counts.closed),
        *unread_notes(counts.unread),
        *(folder.recall("crawl", "notes") or []),
        *missing_languages_notes(
            settings.langs,
            summary["documents_by_language"],
            partial(_has_sites_left, folder),
            # Links of a page would be said to lead nowhere, though the file is there.
            partial(why_missing, folder, () if same_paths else pages),
        ),
        *variants_notes(settings.langs, counts.variants),
        *few_pages_notes(summary["documents_by_language"], pairs),
        *several_sites_notes(summary.get("sites", ()), summary["documents_by_language"], has_pairs=has_pairs),
        *scripted_pages_notes(pages),
        *other_host_notes(pages, settings.base_url),
        *([] if settings.split_pages else several_languages_notes(pages, has_pairs=has_pairs)),
    ]


def _cut_notes(folder: RunFolder, counts: Counts) -> list[str]:
    """Notes on cut files, which the journal keeps for a merge of runs."""
    notes = cut_notes(cut_sources(folder, counts.broken))
    if notes or folder.recall(*CUT):
        folder.remember(*CUT, notes)
    return notes


def _count_aligned(counts: Counts) -> int:
    """Number of segments with two sides."""
    return counts.segments.total() - counts.flags["unaligned"]
