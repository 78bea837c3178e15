"""The align stage: segments of every accepted page pair."""

from __future__ import annotations

from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from diglot.aligning import beside, forget, lexical_stage
from diglot.alignment.lexical_tables import SENTENCE_COLUMNS
from diglot.alignment.table import DOCUMENT_COLUMNS, align_table, as_aligner
from diglot.documents.settle import readable
from diglot.engines.local import Stage
from diglot.records import SEGMENT_SCHEMA, Reason
from diglot.run import content_key
from diglot.stages.pair import load_pairs
from diglot.stages.work import SEGMENTS, Work, timed

SHARD_PAIRS = 256
TABLE_PAIRS = 8
ALIGN_TIMEOUT_S = 120.0


def align_stage(work: Work, documents: pa.Table, pairs_key: str) -> str:
    """Align the segments of every accepted pair; returns the key of the segments. Shards are journalled."""
    recipe = work.settings.resolved_recipe()
    key = content_key("segments", pairs_key, recipe.aligner, work.settings.min_prob)
    with timed(work, "align"):
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
