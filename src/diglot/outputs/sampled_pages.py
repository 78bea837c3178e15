"""Block texts of some pages of a run, evenly spread."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.disk.folder import RunFolder
from diglot.run.read import load_records
from diglot.run.striking import is_merge
from diglot.run.work import DOCUMENTS
from diglot.site import Site

SAMPLED = 20


def sampled_pages(folder: RunFolder) -> list[list[str]]:
    """Block texts of up to 20 readable pages; none in a merge, which holds no pages."""
    key = folder.recall("run", DOCUMENTS)
    if is_merge(folder) or not key:
        return []
    records = load_records(folder, key).select(["reason", "chunks", "block_ends"])
    rows = pc.indices_nonzero(pc.equal(records["reason"], "")).to_numpy()
    chosen = rows[np.unique(np.linspace(0, len(rows) - 1, SAMPLED).astype(int))] if len(rows) else rows
    # Slices copy nothing; Arrow's own choice of rows copies the texts of all pages first.
    some = pa.concat_tables([records.slice(0, 0), *(records.slice(row, 1) for row in chosen.tolist())])
    texts: list[list[str]] = Site("", some).block_texts.to_pylist()
    return texts
