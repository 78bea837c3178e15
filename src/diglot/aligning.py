"""What an aligner that learns from a whole run needs before it aligns: sentences of all pages, a model a language pair.

Both are kept in the run folder while the stage runs, so that it goes on where it was stopped.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from diglot.alignment.lexical_tables import (
    SENTENCE_COLUMNS,
    SENTENCE_SCHEMA,
    align_sentences,
    learn_table,
    model_sample,
    split_table,
)
from diglot.alignment.table import DOCUMENT_COLUMNS
from diglot.engines.local import LocalEngine, Stage
from diglot.records import Reason
from diglot.run import RunFolder

SENTENCES, MODELS = "sentences", "models"

SHARD_PAGES = 2_048
TABLE_PAGES = 16
SPLIT_TIMEOUT_S = 120.0
LEARN_TIMEOUT_S = 1_800.0


def beside(pairs: pa.Table, pages: pa.Table, columns: Iterable[str]) -> pa.Table:
    """The pairs with these columns of the pages of both sides beside them, src_ and tgt_ before their names."""
    row_of = {url: row for row, url in enumerate(pages["url"].to_pylist())}
    table = pairs.select(["src_url", "tgt_url", "src_lang", "tgt_lang"])
    for side in ("src", "tgt"):
        rows = pa.array([row_of[url] for url in pairs[f"{side}_url"].to_pylist()], pa.int64())
        taken = pages.select(list(columns)).take(rows)
        for name in columns:
            table = table.append_column(f"{side}_{name}", taken[name])
    return table


def lexical_stage(
    folder: RunFolder, engine: LocalEngine, documents: pa.Table, pairs: pa.Table, key: str
) -> tuple[Stage, pa.Table]:
    """The stage that aligns the pairs with what is learnt from all of them, and the sentences of their pages."""
    pages = _sentences(folder, engine, documents, pairs, key)
    languages = sorted(set(zip(pairs["src_lang"].to_pylist(), pairs["tgt_lang"].to_pylist(), strict=True)))
    missing = [number for number in range(len(languages)) if not folder.has_shard(MODELS, key, number)]
    samples = (_sample(pairs, pages, *languages[number]) for number in missing)
    learnt = engine.map(learn_table, samples, failed=_unlearnable, timeout_s=LEARN_TIMEOUT_S)
    for number, model in zip(missing, learnt, strict=True):
        folder.write_shard(MODELS, key, number, model)
    models = [
        (*langs, str(path))
        for number, langs in enumerate(languages)
        if pq.read_metadata(path := folder.shard_path(MODELS, key, number)).num_rows
    ]
    return partial(align_sentences, models=tuple(models)), pages


def forget(folder: RunFolder) -> None:
    """Delete what was kept while the stage ran."""
    folder.discard_others(SENTENCES, set())
    folder.discard_others(MODELS, set())


def _sentences(folder: RunFolder, engine: LocalEngine, documents: pa.Table, pairs: pa.Table, key: str) -> pa.Table:
    """Sentences of every page of the pairs, each page split once."""
    used = pa.array(sorted({*pairs["src_url"].to_pylist(), *pairs["tgt_url"].to_pylist()}), pa.string())
    wanted = documents.filter(pc.is_in(documents["url"], used)).select(["url", "lang", *DOCUMENT_COLUMNS])
    tables = [SENTENCE_SCHEMA.empty_table()]
    for number, start in enumerate(range(0, wanted.num_rows, SHARD_PAGES)):
        if not folder.has_shard(SENTENCES, key, number):
            shard = wanted.slice(start, SHARD_PAGES)
            parts = (shard.slice(first, TABLE_PAGES) for first in range(0, shard.num_rows, TABLE_PAGES))
            split = list(engine.map(split_table, parts, failed=_unsplittable, timeout_s=SPLIT_TIMEOUT_S))
            folder.write_shard(SENTENCES, key, number, pa.concat_tables(split).combine_chunks())
        tables.append(pq.read_table(folder.shard_path(SENTENCES, key, number)))
    return pa.concat_tables(tables)


def _sample(pairs: pa.Table, pages: pa.Table, src_lang: str, tgt_lang: str) -> pa.Table:
    """One row with the page pairs that the model of a language pair is learnt from."""
    own = pairs.filter(pc.and_(pc.equal(pairs["src_lang"], src_lang), pc.equal(pairs["tgt_lang"], tgt_lang)))
    table = beside(own.sort_by([("src_url", "ascending"), ("tgt_url", "ascending")]), pages, SENTENCE_COLUMNS)
    chosen = table.take(pa.array(model_sample(pc.list_value_length(table["src_sentences"]).to_pylist()), pa.int64()))
    rows = chosen.to_struct_array().combine_chunks() if chosen.num_rows else pa.array([])
    return pa.table({"pairs": pa.ListArray.from_arrays(pa.array([0, len(rows)], pa.int32()), rows)})


def _unsplittable(page: pa.Table, _reason: Reason, _detail: str) -> pa.Table:
    """A page whose worker died has no sentences; its pairs end in the ledger as paired without segments."""
    empty = pa.array([[]], pa.list_(pa.string()))
    columns = {"url": page["url"], "fetched": page["fetched"], "sentences": empty, "opens": empty, "kinds": empty}
    return pa.table(columns).cast(SENTENCE_SCHEMA)


def _unlearnable(_sample: pa.Table, _reason: Reason, _detail: str) -> pa.Table:
    """A language pair whose worker died has no model; each of its page pairs is aligned by itself."""
    return pa.table({"forward_ids": pa.array([], pa.list_(pa.int64()))})
