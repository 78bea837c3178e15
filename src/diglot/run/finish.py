"""The end of a run: segments cleaned, outputs, summary and report written."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from diglot.corpus.flags import clean, kept_mask
from diglot.disk.folder import RunFolder
from diglot.errors import NothingFound, SitesFailed
from diglot.page_language.reckoning import unknown_language_notes
from diglot.records import Reason
from diglot.report.run_page import write_report
from diglot.report.tables import RunTables
from diglot.run.by_site import count_by_site
from diglot.run.clean import flag_run, load_segments
from diglot.run.exports import OWN, drop_exports
from diglot.run.funnel import estimates, funnel_text, summarise
from diglot.run.ledger import make_ledger
from diglot.run.outputs import write_outputs, write_summary
from diglot.run.pair import FAILED, load_pairs
from diglot.run.settings import Settings
from diglot.run.work import Work, timed

REPORT = "report.html"


def load_results(
    folder: RunFolder, settings: Settings, documents: pa.Table, pairs_key: str, segments_key: str
) -> tuple[pa.Table, pa.Table, pa.Table]:
    """Pairs and segments that a run ends with, and the fate of every record (:func:`diglot.run.ledger.make_ledger`)."""
    pairs = load_pairs(folder, pairs_key, min_prob=settings.min_prob)
    segments = load_segments(folder, segments_key)
    kept = clean(segments, settings.excluded(), settings.least_score())
    return pairs, segments, make_ledger(documents, pairs, kept, folder.recall(FAILED, pairs_key))


def report_tables(
    folder: RunFolder,
    settings: Settings,
    summary: dict[str, Any],
    documents: pa.Table,
    results: tuple[pa.Table, pa.Table, pa.Table],
) -> RunTables:
    """What the report of a run is made of; ``results``: see :func:`load_results`."""
    pairs, segments, ledger = results
    unflagged, aligner = kept_mask(segments, settings.excluded()), settings.resolved_recipe().aligner
    return RunTables(folder.settings(), summary, documents, pairs, segments, unflagged, ledger, aligner)


def finish_stage(work: Work, documents: pa.Table, pairs_key: str, segments_key: str) -> dict[str, Any]:
    """Write what people take home, the summary and the report.

    Raises, when all is written: NothingFound where there is nothing, SitesFailed where sites were lost.
    """
    with timed(work, "clean"):
        flag_run(work.folder, work.settings, documents, segments_key)
    with timed(work, "write"):
        pairs, segments, ledger = load_results(work.folder, work.settings, documents, pairs_key, segments_key)
        write_outputs(work.folder, work.settings, pairs, segments, ledger)
        drop_exports(work.folder, OWN)
    summary = summarise(work.settings, pairs, segments, ledger, candidates=work.folder.recall("candidates", pairs_key))
    if not work.settings.one_site:
        kept = clean(segments, work.settings.excluded(), work.settings.least_score())
        summary["sites"] = count_by_site(documents, ledger, pairs, kept)
    summary["estimates"] = estimates(pairs, work.folder.recall("expected", pairs_key) or {})
    summary["notes"] = [
        *unknown_language_notes(work.settings.langs),
        *(work.folder.recall("crawl", "notes") or []),
        *(work.folder.recall("notes", pairs_key) or []),
        *(work.folder.recall("notes", segments_key) or []),
    ]
    if crawled := work.folder.recall("crawl", "counts"):
        summary["crawl"] = crawled
    summary["seconds"] = {stage: round(seconds, 2) for stage, seconds in work.seconds.items()}
    write_summary(work.folder, summary)
    tables = report_tables(work.folder, work.settings, summary, documents, (pairs, segments, ledger))
    write_report(tables, work.folder.path / REPORT)
    if not tables.kept.any():
        raise NothingFound(
            f"nothing found in {','.join(work.settings.langs)}; where everything went:\n{funnel_text(summary)}"
        )
    if lost := summary["dropped"].get(Reason.SITE_FAILED, 0):
        raise SitesFailed(
            f"{lost:,} pages were lost with their sites (site_failed in out/pages.tsv); all others are done. "
            "Free memory, or try --jobs 1"
        )
    return summary
