"""Segments as they are written and shown: with the no-break blanks of their pages, without columns of Diglot's own."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from diglot.no_breaks import with_blanks
from diglot.records import with_columns


def shown_segments(segments: pa.Table) -> pa.Table:
    """Segments with their no-break blanks in their texts, without the columns for the blanks and for the order of
    targets.

    Nothing changes for a table without these columns: its texts have their blanks already. Compare texts and make ids
    before, or by :func:`diglot.no_breaks.plain_blanks`.
    """
    if "tgt_start" in segments.column_names:
        segments = segments.drop_columns("tgt_start")
    for side in ("src", "tgt"):
        name = f"{side}_blanks"
        if name not in segments.column_names:
            continue
        blanks = segments[name].combine_chunks()
        segments = segments.drop_columns(name)
        if blanks.null_count == len(blanks):
            continue
        mask, own = blanks.is_valid(), segments[side].combine_chunks()
        texts = map(with_blanks, own.filter(mask).to_pylist(), blanks.filter(mask).to_pylist())
        segments = with_columns(segments, **{side: pc.replace_with_mask(own, mask, pa.array(texts, pa.string()))})
    return segments
