"""The align stage over Arrow tables: page pairs with their documents in, segments out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast, get_args

import numpy as np
import pyarrow as pa

from diglot.alignment.segments import AlignedSegment, Aligner, align_pair
from diglot.alignment.tags import PUBLISHED, DocumentView, TagWeights
from diglot.errors import RecipeError, no_such
from diglot.records import SEGMENT_SCHEMA

DOCUMENT_COLUMNS = ("tokens", "chunks", "block_ends", "block_kinds", "fetched")
"""Columns of a document read by the stage; an input row has all of them twice, with the prefixes src_ and tgt_."""

LENGTH_ALIGNERS = frozenset(("tags", "gale_church"))
"""Aligners whose score is the fit of lengths; the score of others is the probability that a segment is right."""


def as_aligner(name: str) -> Aligner:
    """The aligner of a name; :class:`RecipeError` for an unknown name."""
    for known in get_args(Aligner):
        if known == name:
            return cast(Aligner, known)
    raise RecipeError(no_such("aligner", name, get_args(Aligner)))


def align_table(pairs: pa.Table, *, aligner: Aligner = "tags", weights: TagWeights = PUBLISHED) -> pa.Table:
    """Segments (:data:`diglot.records.SEGMENT_SCHEMA`, without flags) of every page pair, in page order."""
    rows = pairs.to_pylist()
    views = ((document_view(pair, "src_"), document_view(pair, "tgt_")) for pair in rows)
    aligned = (
        align_pair(*both, pair["src_lang"], pair["tgt_lang"], aligner=aligner, weights=weights)
        for both, pair in zip(views, rows, strict=True)
    )
    return segments_table(zip(rows, aligned, strict=True))


def segments_table(aligned: Iterable[tuple[dict[str, Any], Sequence[AlignedSegment]]]) -> pa.Table:
    """Table of the segments of page pairs, one pair after another, :data:`diglot.records.SEGMENT_SCHEMA`."""
    columns: dict[str, list[Any]] = {name: [] for name in SEGMENT_SCHEMA.names}
    for pair, segments in aligned:
        for name in ("src", "tgt", "score", "bead", "kind"):
            columns[name] += [getattr(segment, name) for segment in segments]
        for name in ("src_lang", "tgt_lang", "src_url", "tgt_url"):
            columns[name] += [pair[name]] * len(segments)
        columns["flags"] += [()] * len(segments)
        columns["position"] += range(len(segments))
        # A segment is as recent as the later of its two pages.
        columns["fetched"] += [max(pair["src_fetched"], pair["tgt_fetched"])] * len(segments)
    return pa.table([pa.array(columns[field.name], field.type) for field in SEGMENT_SCHEMA], schema=SEGMENT_SCHEMA)


def document_view(row: dict[str, Any], prefix: str) -> DocumentView:
    """The document in the columns of a row with this prefix."""
    return DocumentView(
        np.array(row[f"{prefix}tokens"], np.int32),
        row[f"{prefix}chunks"],
        np.array(row[f"{prefix}block_ends"], np.int32),
        np.array(row[f"{prefix}block_kinds"], np.int8),
    )
