"""The align stage: a model is learnt from every site, then the segments of accepted page pairs are aligned."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from diglot.alignment.evidence.sources import (
    SourcesByPair,
    evidence_inputs,
    knows_some_only,
    require_known,
    source_files,
)
from diglot.alignment.links import LONE, PAIRED, PagePair, Partners, mark_paired_links
from diglot.alignment.segments import DOCUMENT_COLUMNS, align_table
from diglot.alignment.site_model import (
    PAGE_COLUMNS,
    SENTENCE_COLUMNS,
    SENTENCE_SCHEMA,
    ModelKey,
    StoredModel,
    align_sentences,
    idle_sources,
    learn_table,
    model_sample,
    split_table,
)
from diglot.disk.folder import RunFolder, content_key
from diglot.disk.stage_files import count_rows, read_stage_file
from diglot.documents.language import readable
from diglot.engines.pool import Stage
from diglot.errors import DiglotError, SourceError
from diglot.features.links import page_key
from diglot.lexicons import file_name
from diglot.records import SEGMENT_SCHEMA, of_languages, with_columns, zip_columns
from diglot.run.failed_tasks import FailedTasks
from diglot.run.shards import ShardPlan, write_shards
from diglot.run.stored_pairs import load_pairs
from diglot.run.work import SEGMENTS, Work, note_version, report_stage, time_stage

SENTENCES, MODELS = "sentences", "models"

SHARD_PAIRS = 256
TABLE_PAIRS = 8
ALIGN_TIMEOUT_S = 120.0
SHARD_PAGES = 2_048
TABLE_PAGES = 16
SPLIT_TIMEOUT_S = 120.0
LEARN_TIMEOUT_S = 1_800.0
EVIDENCE_PATIENCE = 10.0
"""Time limit with outside evidence, as a multiple of the limit without: vectors are made for 60,000 runs of sentences,
thirty a second."""


def locate_pairs(pairs: pa.Table, pages: pa.Table) -> pa.Table:
    """Page pairs with row numbers of both pages in the table of pages, ``src_row`` and ``tgt_row``."""
    urls = pages["url"].combine_chunks()
    for side in ("src", "tgt"):
        pairs = pairs.append_column(f"{side}_row", pc.index_in(pairs[f"{side}_url"], value_set=urls))
    return pairs


def with_page_columns(pairs: pa.Table, pages: pa.Table, columns: Iterable[str]) -> pa.Table:
    """Located pairs with these columns of both pages, prefixed ``src_`` and ``tgt_``."""
    table = pairs.select(["site", "src_url", "tgt_url", "src_lang", "tgt_lang"])
    for side in ("src", "tgt"):
        taken = pages.select(list(columns)).take(pairs[f"{side}_row"])
        for name in columns:
            table = table.append_column(f"{side}_{name}", taken[name])
    return table


def partners_of(pairs: pa.Table, pages: pa.Table | None = None) -> dict[tuple[str, str], Partners]:
    """What links to pages become, by language pair. ``pages``: all pages, with ``url`` and ``lang``; None: the paired
    ones alone count."""
    urls_in: defaultdict[str, list[str]] = defaultdict(list)
    for url, lang in zip_columns(pages, "url", "lang") if pages else ():
        urls_in[lang].append(url)
    partners: dict[tuple[str, str], Partners] = {}
    for src_lang, tgt_lang in _languages(pairs):
        lone = {page_key(url): f"{LONE}{url}" for lang in (src_lang, tgt_lang) for url in urls_in[lang]}
        own = of_languages(pairs, src_lang, tgt_lang)
        sources, targets = own["src_url"].to_pylist(), own["tgt_url"].to_pylist()
        paired = zip(map(page_key, [*sources, *targets]), [*sources, *sources], strict=True)
        partners[src_lang, tgt_lang] = lone | {key: f"{PAIRED}{source}" for key, source in paired}
    return partners


def with_paired_links(table: pa.Table, partners: Mapping[tuple[str, str], Partners]) -> pa.Table:
    """The table with the links of both sides (``src_links``, ``tgt_links``) named by the pairs they lead to."""
    names = ("src_links", "tgt_links")
    paired: tuple[list[list[str]], list[list[str]]] = ([], [])
    for row in table.select(["src_lang", "tgt_lang", "src_url", "tgt_url", *names]).to_pylist():
        pages, langs = PagePair(row["src_url"], row["tgt_url"]), (row["src_lang"], row["tgt_lang"])
        both = mark_paired_links(row["src_links"], row["tgt_links"], pages, partners.get(langs, {}))
        for column, links in zip(paired, both, strict=True):
            column.append(links)
    return with_columns(table, **dict(zip(names, paired, strict=True)))


def split_pages(work: Work, documents: pa.Table, pairs: pa.Table, key: str) -> pa.Table:
    """Sentences of every paired page (:data:`SENTENCE_SCHEMA`); a page is split once."""
    used = pa.array(sorted({*pairs["src_url"].to_pylist(), *pairs["tgt_url"].to_pylist()}), pa.string())
    wanted = documents.filter(pc.is_in(documents["url"], used)).select(["url", "lang", *PAGE_COLUMNS])
    starts = range(0, wanted.num_rows, SHARD_PAGES)
    work.progress.step("cutting into sentences", wanted.num_rows, "pages")
    lost = FailedTasks("pages could not be cut into sentences")
    mapped = partial(
        work.engine.map, split_table, failed=lost.as_failure(_without_sentences), timeout_s=SPLIT_TIMEOUT_S
    )
    plan = ShardPlan(SENTENCES, key, starts, lambda at: wanted.slice(at, SHARD_PAGES), rows=TABLE_PAGES)
    write_shards(work, plan, mapped)
    _add_notes(work.folder, key, lost.notes())
    read = (read_stage_file(work.folder.intact_shard(SENTENCES, key, number)) for number in range(len(starts)))
    return pa.concat_tables([SENTENCE_SCHEMA.empty_table(), *read], promote_options="default")


def learn_models(
    work: Work, pages: pa.Table, pairs: pa.Table, key: str, *, evidence: SourcesByPair
) -> tuple[StoredModel, ...]:
    """Models learnt from the page pairs of every site and language pair; none where there is too little to learn from.

    ``pairs``: located in ``pages``, see :func:`locate_pairs`.
    """
    keys = _model_keys(pairs)
    missing = [number for number in range(len(keys)) if not work.folder.has_shard(MODELS, key, number)]
    work.progress.step(f"learning words of {pairs.num_rows:,} pairs", len(missing), "models")
    samples = (
        sample_row(_sample(_pairs_of(pairs, model_key), pages), evidence.sources.get(model_key[1:], ()))
        for model_key in (keys[number] for number in missing)
    )
    timeout_s = LEARN_TIMEOUT_S * patience(evidence)
    # With fewer models to learn than workers, several threads learn one model.
    stage = partial(learn_table, threads=work.engine.processes // max(1, len(missing)))
    lost = FailedTasks("language pairs of a site are aligned without words learnt from it")
    learnt = work.engine.map(stage, samples, failed=lost.as_failure(_no_model), timeout_s=timeout_s)
    for number, model in zip(missing, learnt, strict=True):
        work.folder.write_shard(MODELS, key, number, model)
        work.progress.advance(1)
    _add_notes(work.folder, key, lost.notes())
    return tuple(
        StoredModel(model_key, str(path), evidence.sources.get(model_key[1:], ()))
        for number, model_key in enumerate(keys)
        if count_rows(path := work.folder.intact_shard(MODELS, key, number))
    )


def patience(evidence: SourcesByPair) -> float:
    """Time allowed to a worker, as a multiple of the time without evidence."""
    return EVIDENCE_PATIENCE if any(evidence.sources.values()) else 1.0


def idle_notes(models: Sequence[StoredModel]) -> list[str]:
    """A note on every source of evidence without effect, by site and language pair."""
    return [
        f"{model.key.site} {model.key.src_lang}-{model.key.tgt_lang}: evidence {name} does not tell translations "
        "from other sentences here, so it counts for nothing"
        for model in models
        for name in idle_sources(model)
    ]


def without_folders(note: str, evidence: SourcesByPair) -> str:
    """A note that names the files of evidence without their folders: summary and report are passed on."""
    files = {file for names in evidence.sources.values() for name in names for file in source_files(name)}
    if not files:
        return note
    # The longest first, since a path may begin with another one; the search itself takes the first place of the note,
    # and so never the end of a longer path.
    named = "|".join(re.escape(file) for file in sorted(files, key=lambda file: (-len(file), file)))
    return re.sub(named, lambda found: file_name(found[0]), note)


def unmatched_notes(pairs: pa.Table, pages: pa.Table, evidence: SourcesByPair) -> list[str]:
    """A note on every file of translations without a sentence of the run, by language pair.

    Raises: SourceError for a file without a sentence in any language pair.
    """
    languages = _languages(pairs)
    asked = {langs: [name for name in evidence.sources.get(langs, ()) if knows_some_only(name)] for langs in languages}
    if not any(asked.values()):
        return []
    sentences = dict(zip_columns(pages, "url", "sentences"))
    refused: dict[str, list[str]] = {}
    for langs, names in asked.items():
        own = of_languages(pairs, *langs)
        urls = zip_columns(own, "src_url", "tgt_url")
        texts = [(sentences[src], sentences[tgt]) for src, tgt in urls]
        for name in names:
            try:
                require_known(name, texts)
            except SourceError as error:
                refused.setdefault(name, []).append(f"{'-'.join(langs)}: {error}")
    for name, lines in refused.items():
        if len(lines) == sum(name in names for names in asked.values()):
            raise SourceError(lines[0].partition(": ")[2])
    return [line for lines in refused.values() for line in lines]


def _add_notes(folder: RunFolder, key: str, notes: Sequence[str]) -> None:
    """Add notes to those on the segments with this key."""
    known = folder.recall("notes", key) or []
    folder.remember("notes", key, [*known, *(note for note in notes if note not in known)])


def discard_working_files(folder: RunFolder) -> None:
    """Delete the sentences and models of this stage, which nothing else reads."""
    folder.discard_others(SENTENCES, set())
    folder.discard_others(MODELS, set())


def _sample(own: pa.Table, pages: pa.Table) -> pa.Table:
    """Page pairs from ``own`` for learning a model, with the sentences of both pages."""
    # Sorted, so that the sample does not depend on the order of shards.
    listed = own.sort_by([("src_url", "ascending"), ("tgt_url", "ascending")])
    counts = pc.list_value_length(pages["sentences"]).take(listed["src_row"])
    chosen = listed.take(pa.array(model_sample(counts.to_pylist()), pa.int64()))
    return with_paired_links(with_page_columns(chosen, pages, SENTENCE_COLUMNS), partners_of(own))


def sample_row(chosen: pa.Table, evidence: Sequence[str] = ()) -> pa.Table:
    """Input row of :func:`diglot.alignment.site_model.learn_table`, made of page pairs with their sentences."""
    rows = chosen.to_struct_array().combine_chunks() if chosen.num_rows else pa.array([])
    pairs = pa.ListArray.from_arrays(pa.array([0, len(rows)], pa.int32()), rows)
    return pa.table({"pairs": pairs, "evidence": pa.array([evidence], pa.list_(pa.string()))})


def _model_keys(pairs: pa.Table) -> list[ModelKey]:
    return [ModelKey(*key) for key in sorted(set(zip_columns(pairs, *ModelKey._fields)))]


def _pairs_of(pairs: pa.Table, key: ModelKey) -> pa.Table:
    return of_languages(pairs.filter(pc.equal(pairs["site"], key.site)), key.src_lang, key.tgt_lang)


def _languages(pairs: pa.Table) -> list[tuple[str, str]]:
    return sorted(set(zip_columns(pairs, "src_lang", "tgt_lang")))


def _without_sentences(page: pa.Table) -> pa.Table:
    """A page that could not be cut has no sentences; in the ledger the page is paired without segments."""
    empty = dict.fromkeys(SENTENCE_COLUMNS, pa.array([[]], pa.list_(pa.string())))
    return (
        pa.table({"url": page["url"], **empty, "fetched": page["fetched"]})
        .select(SENTENCE_SCHEMA.names)
        .cast(SENTENCE_SCHEMA)
    )


def _no_model(_sample: pa.Table) -> pa.Table:
    """A site and language pair whose model could not be learnt has none; page pairs are then aligned without."""
    return pa.table({"forward_ids": pa.array([], pa.list_(pa.int64()))})


class _Inputs(NamedTuple):
    """Located page pairs, the table of pages, and the page columns read by the stage."""

    pairs: pa.Table
    pages: pa.Table
    columns: Sequence[str]

    partners: Mapping[tuple[str, str], Partners] | None = None
    """Source page of every paired page, by which links are named; None if links are not among the columns."""

    def shard(self, start: int) -> pa.Table:
        """The pairs of a shard, from row ``start`` on, with the columns of both pages."""
        table = with_page_columns(self.pairs.slice(start, SHARD_PAIRS), self.pages, self.columns)
        return table if self.partners is None else with_paired_links(table, self.partners)


def align_stage(work: Work, documents: pa.Table, pairs_key: str, *, is_part: bool = False) -> str:
    """Align the segments of every accepted pair; returns the key of the segments. A shard is noted as soon as it is
    written.

    ``is_part``: the pages are of some sites of a run, so a file of translations without their sentences is no error.
    Raises: UsageError for missing evidence, or a file of translations without a sentence of the run.
    """
    aligner, evidence = work.settings.resolved_recipe().aligner, work.settings.evidence()
    key = content_key("segments", pairs_key, aligner, work.settings.min_prob, *evidence_inputs(evidence))
    with time_stage(work, "align"):
        is_kept = work.folder.shards(SEGMENTS, key) is not None
        if not is_kept:
            pairs = load_pairs(work.folder, pairs_key, min_prob=work.settings.min_prob)
            work.progress.start("align", None, "page pairs")
            if not any(work.folder.has_shard(kind, key, 0) for kind in (SENTENCES, SEGMENTS)):
                work.folder.remember("notes", key, [])  # of an alignment that was begun anew
            if aligner == "lexical":
                _align_sentences(work, documents, pairs, key, evidence, is_part=is_part)
            else:
                usable = readable(documents)
                inputs = _Inputs(locate_pairs(pairs, usable), usable, DOCUMENT_COLUMNS)
                _align_shards(work, key, inputs, partial(align_table, aligner=aligner))
        work.folder.discard_others(SEGMENTS, {key})
        discard_working_files(work.folder)
        segments = work.folder.read(SEGMENTS, key, SEGMENT_SCHEMA)
        result = f"{segments.num_rows if segments else 0:,} segments"
        report_stage(work, "align", result, is_kept=is_kept)
        work.folder.remember("run", SEGMENTS, key)
    return key


def _align_sentences(
    work: Work, documents: pa.Table, pairs: pa.Table, key: str, evidence: SourcesByPair, *, is_part: bool
) -> None:
    """Align with models learnt from the sentences of all pages, and with evidence where there is any."""
    usable = readable(documents)
    pages = split_pages(work, usable, pairs, key)
    unmatched = [] if is_part else unmatched_notes(pairs, pages, evidence)
    pairs = locate_pairs(pairs, pages)
    models = learn_models(work, pages, pairs, key, evidence=evidence)
    told = [*evidence.notes, *unmatched, *idle_notes(models)]
    _add_notes(work.folder, key, [without_folders(note, evidence) for note in told])
    stage = partial(align_sentences, models=models)
    inputs = _Inputs(pairs, pages, SENTENCE_COLUMNS, partners_of(pairs, usable))
    _align_shards(work, key, inputs, stage, patience=patience(evidence))


def _align_shards(work: Work, key: str, inputs: _Inputs, stage: Stage, *, patience: float = 1.0) -> None:
    starts = range(0, inputs.pairs.num_rows, SHARD_PAIRS)
    work.progress.step("aligning", inputs.pairs.num_rows, "page pairs")
    lost = FailedTasks("page pairs could not be aligned")
    failed = lost.as_failure(lambda _: SEGMENT_SCHEMA.empty_table())
    mapped = partial(work.engine.map, stage, failed=failed, timeout_s=ALIGN_TIMEOUT_S * patience)
    write_shards(work, ShardPlan(SEGMENTS, key, starts, inputs.shard, rows=TABLE_PAIRS), mapped)
    try:
        lost.require_some(inputs.pairs.num_rows)
    except DiglotError:
        # The next command must not take the empty shards for done.
        work.folder.discard_others(SEGMENTS, set())
        discard_working_files(work.folder)
        raise
    _add_notes(work.folder, key, lost.notes())
    note_version(work.folder, SEGMENTS, key)
    work.folder.finish(SEGMENTS, key, len(starts))
