"""The lexical aligner over Arrow tables: pages to sentences, sentences to a model, page pairs to segments."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from diglot.alignment.evidence.sources import with_evidence
from diglot.alignment.lexical.pool import Bitext
from diglot.alignment.lexical.site_model import (
    SiteModel,
    align_with,
    learn_model,
    model_columns,
    model_of,
    model_scales,
    model_without_texts,
)
from diglot.alignment.segments import AlignedSegment, bead_segment, page_sentences
from diglot.alignment.table import document_view, segments_table
from diglot.records import SEGMENT_SCHEMA

SENTENCE_SCHEMA = pa.schema(
    [
        pa.field("url", pa.string(), nullable=False),
        pa.field("fetched", pa.string(), nullable=False),
        pa.field("sentences", pa.list_(pa.string()), nullable=False),
        pa.field("opens", pa.list_(pa.int8()), nullable=False),  # 1 where the sentence opens a block
        pa.field("kinds", pa.list_(pa.int8()), nullable=False),  # BlockKind of its block
    ]
)
SENTENCE_COLUMNS = ("sentences", "opens", "kinds", "fetched")
"""What of a page's sentences stands in a table of pairs, with src_ and tgt_ before it."""

MAX_MODEL_SENTENCES = 10_000
"""Source sentences that a model is learnt from; page pairs are taken evenly spaced where there are more."""


class StoredModel(NamedTuple):
    """The model of a language pair: its file, and the names of the sources of evidence that it was learnt with."""

    src_lang: str
    tgt_lang: str
    path: str
    evidence: tuple[str, ...] = ()


def split_table(pages: pa.Table) -> pa.Table:
    """Sentences (:data:`SENTENCE_SCHEMA`) of documents; headings and short items are one sentence each."""
    rows: list[dict[str, Any]] = []
    for page in pages.to_pylist():
        sentences, opens, kinds = page_sentences(document_view(page, ""), page["lang"])
        rows.append(
            {"url": page["url"], "fetched": page["fetched"], "sentences": sentences, "opens": opens, "kinds": kinds}
        )
    return pa.Table.from_pylist(rows, schema=SENTENCE_SCHEMA)


def learn_table(sample: pa.Table) -> pa.Table:
    """The model of the page pairs of a language pair: one row, see
    :func:`diglot.alignment.lexical.site_model.model_columns`. ``sample`` has one row: ``pairs``, a list of pairs with
    their sentences, and ``evidence``, a list of names of sources."""
    model = learn_model(_bitexts(sample["pairs"][0].as_py(), sample["evidence"][0].as_py()))
    return pa.table(model_columns(model))


def align_sentences(pairs: pa.Table, *, models: Sequence[StoredModel]) -> pa.Table:
    """Segments (:data:`diglot.records.SEGMENT_SCHEMA`) of page pairs with their sentences beside them.

    A language pair without a model is aligned by what the pages say alone.
    """
    stored = {(model.src_lang, model.tgt_lang): model for model in models}
    tables = [SEGMENT_SCHEMA.empty_table()]
    for langs, same in groupby(pairs.to_pylist(), key=lambda pair: (pair["src_lang"], pair["tgt_lang"])):
        rows, known = list(same), stored.get(langs)
        for pair, bitext in zip(rows, _bitexts(rows, known.evidence if known else ()), strict=True):
            model = _load(known.path) if known else model_without_texts(bitext)
            tables.append(segments_table(pair, page_segments(bitext, model)))
    return pa.concat_tables(tables)


def page_segments(bitext: Bitext, model: SiteModel) -> list[AlignedSegment]:
    """Aligned segments of two pages, in their order; every sentence of both is in one of them."""
    return [bead_segment(bitext.src, bitext.tgt, bitext.kinds, bead) for bead in align_with(model, bitext)]


def model_sample(counts: Sequence[int]) -> range:
    """Which page pairs to learn from, given the source sentences of each."""
    return range(0, len(counts), max(1, -(-sum(counts) // MAX_MODEL_SENTENCES)))


def idle_sources(model: StoredModel) -> list[str]:
    """The sources of evidence that do not tell the likely beads of the model's pages from others."""
    scales = model_scales(pq.read_table(model.path, columns=["scales"]))
    return [name for name, scale in zip(model.evidence, scales, strict=False) if not scale.slope]


@lru_cache(maxsize=2)
def _load(path: str) -> SiteModel:
    return model_of(pq.read_table(path))


def _bitexts(pairs: Sequence[dict[str, Any]], evidence: Sequence[str]) -> list[Bitext]:
    """Page pairs of one language pair as texts, with what these sources say of them."""
    bitexts = list(map(_bitext, pairs))
    if not bitexts or not evidence:
        return bitexts

    return with_evidence(bitexts, evidence, (pairs[0]["src_lang"], pairs[0]["tgt_lang"]))


def _bitext(pair: dict[str, Any]) -> Bitext:
    return Bitext(
        pair["src_sentences"],
        pair["tgt_sentences"],
        (pair["src_opens"], pair["tgt_opens"]),
        (pair["src_kinds"], pair["tgt_kinds"]),
        fold=zlib.crc32(f"{pair['src_url']} {pair['tgt_url']}".encode()),
    )
