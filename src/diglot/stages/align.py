"""The align stage: segments of every accepted page pair."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from diglot.alignment.evidence_kinds import Serving, made_of
from diglot.alignment.lexical_tables import SENTENCE_COLUMNS, align_sentences
from diglot.alignment.table import DOCUMENT_COLUMNS, align_table, as_aligner
from diglot.documents.settle import readable
from diglot.engines.local import Stage
from diglot.records import SEGMENT_SCHEMA, Reason
from diglot.run import content_key
from diglot.stages.learning import beside, forget, idle, learn_models, patience, split_pages, unmatched
from diglot.stages.pair import load_pairs
from diglot.stages.work import SEGMENTS, Work, timed

SHARD_PAIRS = 256
TABLE_PAIRS = 8
ALIGN_TIMEOUT_S = 120.0


class _Inputs(NamedTuple):
    """Page pairs, their pages, and the columns of the pages that the stage reads."""

    pairs: pa.Table
    pages: pa.Table
    columns: Sequence[str]


def align_stage(work: Work, documents: pa.Table, pairs_key: str) -> str:
    """Align the segments of every accepted pair; returns the key of the segments. Shards are journalled.

    Raises: UsageError for evidence that is missing or has nothing to do with the pages.
    """
    aligner, evidence = work.settings.resolved_recipe().aligner, work.settings.evidence()
    key = content_key("segments", pairs_key, aligner, work.settings.min_prob, *made_of(evidence))
    with timed(work, "align"):
        if work.folder.shards(SEGMENTS, key) is None:
            pairs = load_pairs(work.folder, pairs_key)
            pairs = pairs.filter(pc.greater_equal(pairs["probability"], work.settings.min_prob))
            work.progress.start("align", pairs.num_rows, "page pairs")
            if aligner == "lexical":
                _align_sentences(work, documents, pairs, key, evidence)
            else:
                inputs = _Inputs(pairs, readable(documents), DOCUMENT_COLUMNS)
                _align_shards(work, key, inputs, partial(align_table, aligner=as_aligner(aligner)))
        work.folder.discard_others(SEGMENTS, {key})
        forget(work.folder)
        segments = work.folder.read(SEGMENTS, key, SEGMENT_SCHEMA)
        work.progress.finish(f"{segments.num_rows if segments else 0} segments")
        work.folder.remember("run", SEGMENTS, key)
    return key


def _align_sentences(work: Work, documents: pa.Table, pairs: pa.Table, key: str, evidence: Serving) -> None:
    """Align by what is learnt from the sentences of all pages, with evidence where there is some."""
    pages = split_pages(work, readable(documents), pairs, key)
    strange = unmatched(pairs, pages, evidence)
    models = learn_models(work, pages, pairs, key, evidence=evidence)
    work.folder.remember("notes", key, [*evidence.notes, *strange, *idle(models)])
    stage = partial(align_sentences, models=models)
    _align_shards(work, key, _Inputs(pairs, pages, SENTENCE_COLUMNS), stage, patience=patience(evidence))


def _align_shards(work: Work, key: str, inputs: _Inputs, stage: Stage, *, patience: float = 1.0) -> None:
    shards = range(0, inputs.pairs.num_rows, SHARD_PAIRS)
    for number, start in enumerate(shards):
        if not work.folder.has_shard(SEGMENTS, key, number):
            table = beside(inputs.pairs.slice(start, SHARD_PAIRS), inputs.pages, inputs.columns)
            done = _align_pairs(work, table, stage, timeout_s=ALIGN_TIMEOUT_S * patience)
            work.folder.write_shard(SEGMENTS, key, number, done)
    work.folder.finish(SEGMENTS, key, len(shards))


def _align_pairs(work: Work, inputs: pa.Table, stage: Stage, *, timeout_s: float) -> pa.Table:
    tables = (inputs.slice(start, TABLE_PAIRS) for start in range(0, inputs.num_rows, TABLE_PAIRS))
    done = []
    for number, table in enumerate(work.engine.map(stage, tables, failed=_unalignable, timeout_s=timeout_s)):
        done.append(table)
        work.progress.advance(min(TABLE_PAIRS, inputs.num_rows - number * TABLE_PAIRS))
    return pa.concat_tables([SEGMENT_SCHEMA.empty_table(), *done]).combine_chunks()


def _unalignable(_pair: pa.Table, _reason: Reason, _detail: str) -> pa.Table:
    """A pair whose worker died gives no segment; its pages end in the ledger as paired without segments."""
    return SEGMENT_SCHEMA.empty_table()
