"""Block texts of some pages of a run, evenly spread."""

from __future__ import annotations

import numpy as np

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
    records = load_records(folder, key)
    rows = np.flatnonzero(np.array(records["reason"].to_pylist(), dtype=object) == "")
    chosen = rows[np.unique(np.linspace(0, len(rows) - 1, SAMPLED).astype(int))] if len(rows) else rows
    texts: list[list[str]] = Site("", records.take(chosen)).block_texts.to_pylist()
    return texts
