"""Texts of some pages of a run."""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.disk.folder import RunFolder
from diglot.records import DOCUMENT_SCHEMA
from diglot.run.work import DOCUMENTS
from diglot.site import Site

SAMPLED = 20
_COLUMNS = ("reason", "chunks", "block_ends", "text_length_chars", "hidden_chars")
_TEXTS = pa.schema([DOCUMENT_SCHEMA.field(name) for name in _COLUMNS])


class SampledPage(NamedTuple):
    """Block texts of a page, and characters of its hidden text in proportion to the text shown."""

    texts: list[str]
    hidden_ratio: float


def sampled_pages(folder: RunFolder) -> list[SampledPage]:
    """Up to 20 readable pages, evenly spread in the first file of documents; none in a merge."""
    sources = folder.recall("sources", folder.recall("run", DOCUMENTS) or "") or ()
    # A note is not worth the texts of all pages: one file holds a thousand records at most.
    shards = chain.from_iterable(folder.each_shard(DOCUMENTS, key, _TEXTS) for key in sources)
    records = next(shards, _TEXTS.empty_table())
    rows = pc.indices_nonzero(pc.equal(records["reason"], "")).to_numpy()
    chosen = rows[np.unique(np.linspace(0, len(rows) - 1, SAMPLED).astype(int))] if len(rows) else rows
    # Slices copy nothing; Arrow's own choice of rows copies the texts of all pages first.
    some = pa.concat_tables([records.slice(0, 0), *(records.slice(row, 1) for row in chosen.tolist())])
    ratios = some["hidden_chars"].to_numpy() / np.maximum(1, some["text_length_chars"].to_numpy())
    return list(map(SampledPage, Site("", some).block_texts.to_pylist(), ratios.tolist()))
