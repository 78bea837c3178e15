"""The align stage over Arrow tables: page pairs with their documents in, segments out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast, get_args

import numpy as np
import pyarrow as pa

from diglot.alignment.segments import AlignedSegment, Aligner, align_pair
from diglot.alignment.tags import PUBLISHED, DocumentView, TagWeights
from diglot.errors import RecipeError, no_such
from diglot.records import SEGMENT_SCHEMA

DOCUMENT_COLUMNS = ("tokens", "chunks", "block_ends", "block_kinds", "fetched")
"""What of a document the stage reads; in its input each name stands twice, with src_ and tgt_ before it."""

LENGTH_ALIGNERS = frozenset(("tags", "gale_church"))
"""Aligners whose scores say how well lengths fit; the others give the probability that a segment is right."""


def as_aligner(name: str) -> Aligner:
    """The aligner of that name; :class:`RecipeError` where there is none."""
    for known in get_args(Aligner):
        if known == name:
            return cast(Aligner, known)
    raise RecipeError(no_such("aligner", name, get_args(Aligner)))


def align_table(pairs: pa.Table, *, aligner: Aligner = "tags", weights: TagWeights = PUBLISHED) -> pa.Table:
    """Segments (:data:`diglot.records.SEGMENT_SCHEMA`, no flags yet) of every page pair, in order of their
    pages."""
    tables = [SEGMENT_SCHEMA.empty_table()]
    for pair in pairs.to_pylist():
        views = (document_view(pair, "src_"), document_view(pair, "tgt_"))
        segments = align_pair(*views, pair["src_lang"], pair["tgt_lang"], aligner=aligner, weights=weights)
        tables.append(segments_table(pair, segments))
    return pa.concat_tables(tables)


def segments_table(pair: dict[str, Any], segments: Sequence[AlignedSegment]) -> pa.Table:
    """The segments of a page pair, :data:`diglot.records.SEGMENT_SCHEMA`."""
    count = len(segments)
    of_pair = {name: pair[name] for name in ("src_lang", "tgt_lang", "src_url", "tgt_url")}
    of_pair["fetched"] = max(pair["src_fetched"], pair["tgt_fetched"])
    columns = {
        **{name: [getattr(segment, name) for segment in segments] for name in ("src", "tgt", "score", "bead", "kind")},
        **{name: pa.repeat(value, count) for name, value in of_pair.items()},
        "flags": [()] * count,
        "position": np.arange(count, dtype=np.int32),
    }
    return pa.table([pa.array(columns[field.name], field.type) for field in SEGMENT_SCHEMA], schema=SEGMENT_SCHEMA)


def document_view(row: dict[str, Any], prefix: str) -> DocumentView:
    """A document from a row whose columns have this prefix."""
    return DocumentView(
        np.array(row[f"{prefix}tokens"], np.int32),
        row[f"{prefix}chunks"],
        np.array(row[f"{prefix}block_ends"], np.int32),
        np.array(row[f"{prefix}block_kinds"], np.int8),
    )
