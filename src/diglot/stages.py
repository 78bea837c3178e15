"""The stages of a run on disk: sources are read into documents, documents paired, pairs aligned, segments written.

Each stage looks first whether its output is there, whole, under a name made of its input and its
options; so the same command goes on where a run was stopped, and does nothing twice.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import islice
from math import isnan
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from diglot import __version__
from diglot.aligning import beside, forget, lexical_stage
from diglot.alignment.lexical_tables import SENTENCE_COLUMNS
from diglot.alignment.table import DOCUMENT_COLUMNS, align_table, as_aligner
from diglot.atomic import replacing
from diglot.cleaning import flag_run, load_segments
from diglot.corpus.flags import clean, kept_mask
from diglot.documents.language import language_of
from diglot.documents.settle import readable, settle_languages
from diglot.documents.table import dropped_table, failed_page, pages_table, parse_table
from diglot.engines.local import LocalEngine, Stage
from diglot.errors import NothingFound, RunFolderError
from diglot.funnel import estimate_text, estimates, funnel_text, summarise
from diglot.ledger import make_ledger, mark_duplicates, mark_foreign_frames, mark_languages, one_record_an_address
from diglot.outputs import write_outputs, write_summary
from diglot.pages import Source, read
from diglot.pairing.cascade import Scored, run_cascade
from diglot.pairing.table import pair_table
from diglot.progress import Progress, Silent
from diglot.recipes.recipe import Recipe
from diglot.records import DOCUMENT_SCHEMA, PAIR_SCHEMA, SEGMENT_SCHEMA, Drop, Page, Reason
from diglot.report.run_page import write_report
from diglot.report.tables import RunTables
from diglot.run import RunFolder, content_key
from diglot.settings import Settings
from diglot.site import Site, split_sites

SHARD_RECORDS = 1_000
TABLE_PAGES = 32
TABLE_BYTES = 2 << 20
SHARD_PAIRS = 256
TABLE_PAIRS = 8
ALIGN_TIMEOUT_S = 120.0

DOCUMENTS, PAIRS, SEGMENTS = "documents", "pairs", "segments"
REPORT = "report.html"


@dataclass
class Work:
    """A run being made: its folder, options and engine, and what the stages have found so far."""

    folder: RunFolder
    settings: Settings
    engine: LocalEngine
    sources: Sequence[Source] = ()
    progress: Progress = field(default_factory=Silent)
    seconds: dict[str, float] = field(default_factory=dict)

    @cached_property
    def fingerprints(self) -> tuple[str, ...]:
        """Of every source; reading all bytes for it is done once a run."""
        return tuple(source.fingerprint() for source in self.sources)


def read_stage(work: Work) -> str:
    """Parse every page of the sources; returns the key of the documents. Shards are journalled one by one."""
    with _timed(work, "read"):
        keys = [
            _source_key(source, fingerprint, work.settings)
            for source, fingerprint in zip(work.sources, work.fingerprints, strict=True)
        ]
        key = content_key("all", *keys)
        missing = [(s, k) for s, k in zip(work.sources, keys, strict=True) if work.folder.shards(DOCUMENTS, k) is None]
        work.progress.start("read", None, "records")
        for source, source_key in missing:
            _read_source(work, source, source_key)
        work.folder.discard_others(DOCUMENTS, set(keys))
        work.folder.remember("sources", key, keys)
        work.folder.remember("run", DOCUMENTS, key)
        documents = load_records(work.folder, key)
        unreadable = pc.sum(pc.not_equal(documents["reason"], "")).as_py() or 0
        work.progress.finish(f"{documents.num_rows} records, {documents.num_rows - unreadable} documents")
    return key


def _source_key(source: Source, fingerprint: str, settings: Settings) -> str:
    return content_key(DOCUMENTS, __version__, source.name, fingerprint, settings.max_page_bytes)


def _read_source(work: Work, source: Source, key: str) -> None:
    records = read(source, max_page_bytes=work.settings.max_page_bytes)
    number = 0
    while shard := list(islice(records, SHARD_RECORDS)):
        if not work.folder.has_shard(DOCUMENTS, key, number):
            drops = [record for record in shard if isinstance(record, Drop)]
            pages = [record for record in shard if isinstance(record, Page)]
            tables = [dropped_table(drops)]
            for table in work.engine.map(parse_table, _page_tables(pages), failed=failed_page):
                tables.append(table)
                work.progress.advance(table.num_rows)
            work.folder.write_shard(DOCUMENTS, key, number, pa.concat_tables(tables).combine_chunks())
        number += 1
    work.folder.finish(DOCUMENTS, key, number)


def _page_tables(pages: Iterable[Page]) -> Iterator[pa.Table]:
    batch: list[Page] = []
    size = 0
    for page in pages:
        batch.append(page)
        size += len(page.body)
        if len(batch) >= TABLE_PAGES or size >= TABLE_BYTES:
            yield pages_table(batch)
            batch, size = [], 0
    if batch:
        yield pages_table(batch)


def load_records(folder: RunFolder, documents_key: str) -> pa.Table:
    """All records of the run, one row each, :data:`DOCUMENT_SCHEMA`."""
    tables = [folder.read(DOCUMENTS, key, DOCUMENT_SCHEMA) for key in folder.recall("sources", documents_key) or ()]
    return pa.concat_tables([DOCUMENT_SCHEMA.empty_table(), *(table for table in tables if table is not None)])


def load_documents(folder: RunFolder, settings: Settings, documents_key: str) -> pa.Table:
    """All records, each readable one in its language or with the reason why it is left out."""
    records = one_record_an_address(load_records(folder, documents_key))
    usable = readable(records)
    settled = settle_languages(usable, settings.langs)
    wanted = mark_foreign_frames(mark_languages(usable, settled, settings.langs), settled)
    marked = mark_duplicates(readable(wanted), frozenset(map(language_of, settled)))
    return pa.concat_tables([marked, _dropped(wanted), _dropped(records)]).sort_by(
        [("url", "ascending"), ("reason", "ascending")]
    )


def _dropped(records: pa.Table) -> pa.Table:
    return records.filter(pc.not_equal(records["reason"], ""))


def done_key(folder: RunFolder, stage: str, command: str) -> str:
    """Key of the stage's output in this run; :class:`RunFolderError` where the stage was never run."""
    key = folder.recall("run", stage)
    if not key or (folder.shards(stage, key) is None and stage != DOCUMENTS):
        raise RunFolderError(f"{folder.path}: holds no {stage} yet; run `{command}` first")
    return str(key)


def pair_stage(work: Work, documents: pa.Table, documents_key: str) -> str:
    """Score and assign page pairs for every language pair; returns the key of the pairs."""
    recipe = work.settings.resolved_recipe()
    made_of = (recipe.signature(__version__), *recipe.file_hashes())
    key = content_key("pairs", documents_key, *made_of, work.settings.language_pairs(), work.settings.one_site)
    with _timed(work, "pair"):
        if work.folder.shards(PAIRS, key) is None:
            lang_pairs, together = work.settings.language_pairs(), work.settings.one_site
            sites = split_sites(readable(documents), lang_pairs=lang_pairs, together=together)
            _pair_sites(work, recipe, sites, key)
            work.folder.finish(PAIRS, key, 1)
        work.folder.discard_others(PAIRS, {key})
        work.folder.remember("run", PAIRS, key)
        accepted = load_pairs(work.folder, key)
        estimate = estimates(accepted, work.folder.recall("expected", key) or {})["all"]
        work.progress.finish(f"{accepted.num_rows} page pairs by {recipe.name}{estimate_text(estimate)}")
    return key


def _pair_sites(work: Work, recipe: Recipe, sites: Sequence[Site], key: str) -> None:
    """Write the pairs of all sites, and note what is told of them: candidates, warnings, pairs to be expected."""
    lang_pairs = work.settings.language_pairs()
    work.progress.start("pair", len(sites) * len(lang_pairs), "language pairs")
    tables, candidates, notes = [PAIR_SCHEMA.empty_table()], 0, list[str]()
    expected = dict.fromkeys([f"{src}-{tgt}" for src, tgt in lang_pairs], 0.0)
    for site in sites:
        for src_lang, tgt_lang in lang_pairs:
            table, scored = _pair_site(recipe, site, src_lang, tgt_lang)
            tables.append(table)
            candidates += scored.candidates
            expected[f"{src_lang}-{tgt_lang}"] += scored.expected_pairs
            notes += [f"{site.name} {src_lang}-{tgt_lang}: {note}" for note in scored.notes]
            _write_figures(work.folder, f"{site.name}.{src_lang}-{tgt_lang}", scored.figures)
            work.progress.advance(1)
    work.folder.write_shard(PAIRS, key, 0, pa.concat_tables(tables).combine_chunks())
    work.folder.remember("candidates", key, candidates)
    work.folder.remember("notes", key, notes)
    work.folder.remember("expected", key, {pair: None if isnan(n) else n for pair, n in expected.items()})


def _pair_site(recipe: Recipe, site: Site, src_lang: str, tgt_lang: str) -> tuple[pa.Table, Scored]:
    src, tgt = site.rows_of(src_lang), site.rows_of(tgt_lang)
    missing = recipe.requires(recipe.options, src_lang, tgt_lang)
    steps = recipe.steps(recipe.options, src_lang, tgt_lang) if len(src) and len(tgt) and not missing else ()
    scored = run_cascade(site, src, tgt, steps)
    remarks = (missing,) if missing else recipe.remarks(recipe.options, src_lang, tgt_lang)
    scored = replace(scored, notes=(*remarks, *scored.notes))
    return pair_table(site, scored, steps, src_lang, tgt_lang), scored


def _write_figures(folder: RunFolder, name: str, figures: Mapping[str, str]) -> None:
    """Drawings of a decision, as SVG in the run's report folder."""
    for figure, text in figures.items():
        with replacing(folder.path / "report" / f"{name}.{figure}") as handle:
            handle.write(text.encode())


def load_pairs(folder: RunFolder, key: str, *, refused: bool = False) -> pa.Table:
    """Accepted pairs of a run, or the refused ones: for each unpaired page its best candidate."""
    pairs = folder.read(PAIRS, key, PAIR_SCHEMA)
    if pairs is None:
        return PAIR_SCHEMA.empty_table()
    accepted = pairs["accepted"]
    return pairs.filter(pc.invert(accepted) if refused else accepted)


def align_stage(work: Work, documents: pa.Table, pairs_key: str) -> str:
    """Align the segments of every accepted pair; returns the key of the segments. Shards are journalled."""
    recipe = work.settings.resolved_recipe()
    key = content_key("segments", pairs_key, recipe.aligner, work.settings.min_prob)
    with _timed(work, "align"):
        if work.folder.shards(SEGMENTS, key) is None:
            pairs = load_pairs(work.folder, pairs_key)
            pairs = pairs.filter(pc.greater_equal(pairs["probability"], work.settings.min_prob))
            work.progress.start("align", pairs.num_rows, "page pairs")
            shards = range(0, pairs.num_rows, SHARD_PAIRS)
            pages, columns = readable(documents), list(DOCUMENT_COLUMNS)
            stage: Stage = partial(align_table, aligner=as_aligner(recipe.aligner))
            if recipe.aligner == "lexical":
                stage, pages = lexical_stage(work.folder, work.engine, pages, pairs, key)
                columns = list(SENTENCE_COLUMNS)
            for number, start in enumerate(shards):
                if not work.folder.has_shard(SEGMENTS, key, number):
                    table = _align_pairs(work, beside(pairs.slice(start, SHARD_PAIRS), pages, columns), stage)
                    work.folder.write_shard(SEGMENTS, key, number, table)
            work.folder.finish(SEGMENTS, key, len(shards))
        work.folder.discard_others(SEGMENTS, {key})
        forget(work.folder)
        segments = work.folder.read(SEGMENTS, key, SEGMENT_SCHEMA)
        work.progress.finish(f"{segments.num_rows if segments else 0} segments")
        work.folder.remember("run", SEGMENTS, key)
    return key


def _align_pairs(work: Work, inputs: pa.Table, stage: Stage) -> pa.Table:
    tables = (inputs.slice(start, TABLE_PAIRS) for start in range(0, inputs.num_rows, TABLE_PAIRS))
    done = []
    for number, table in enumerate(work.engine.map(stage, tables, failed=_unalignable, timeout_s=ALIGN_TIMEOUT_S)):
        done.append(table)
        work.progress.advance(min(TABLE_PAIRS, inputs.num_rows - number * TABLE_PAIRS))
    return pa.concat_tables([SEGMENT_SCHEMA.empty_table(), *done]).combine_chunks()


def _unalignable(_pair: pa.Table, _reason: Reason, _detail: str) -> pa.Table:
    """A pair whose worker died gives no segment; its pages end in the ledger as paired without segments."""
    return SEGMENT_SCHEMA.empty_table()


def load_results(
    folder: RunFolder, settings: Settings, documents: pa.Table, pairs_key: str, segments_key: str
) -> tuple[pa.Table, pa.Table, pa.Table]:
    """Pairs and segments that a run ends with, and the fate of every record (:func:`diglot.ledger.make_ledger`)."""
    pairs = load_pairs(folder, pairs_key)
    pairs = pairs.filter(pc.greater_equal(pairs["probability"], settings.min_prob))
    segments = load_segments(folder, segments_key)
    return pairs, segments, make_ledger(documents, pairs, clean(segments, settings.excluded()))


def report_tables(
    folder: RunFolder,
    settings: Settings,
    summary: dict[str, Any],
    documents: pa.Table,
    results: tuple[pa.Table, pa.Table, pa.Table],
) -> RunTables:
    """What the report of a run is made of; ``results``: see :func:`load_results`."""
    pairs, segments, ledger = results
    kept, aligner = kept_mask(segments, settings.excluded()), settings.resolved_recipe().aligner
    return RunTables(folder.settings(), summary, documents, pairs, segments, kept, ledger, aligner)


def finish(work: Work, documents: pa.Table, pairs_key: str, segments_key: str) -> dict[str, Any]:
    """Write what people take home, the summary and the report; :class:`NothingFound` where there is nothing."""
    with _timed(work, "clean"):
        flag_run(work.folder, work.settings, documents, segments_key)
    with _timed(work, "write"):
        pairs, segments, ledger = load_results(work.folder, work.settings, documents, pairs_key, segments_key)
        write_outputs(work.folder, work.settings, pairs, segments, ledger)
    summary = summarise(work.settings, pairs, segments, ledger, candidates=work.folder.recall("candidates", pairs_key))
    summary["estimates"] = estimates(pairs, work.folder.recall("expected", pairs_key) or {})
    summary["notes"] = [
        *(work.folder.recall("crawl", "notes") or []),
        *(work.folder.recall("notes", pairs_key) or []),
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
    return summary


@contextmanager
def _timed(work: Work, stage: str) -> Iterator[None]:
    started = time.monotonic()
    yield
    work.seconds[stage] = time.monotonic() - started
