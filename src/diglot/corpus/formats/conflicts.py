"""The conflict sheet: sources that a run has in several translations, which one is kept, and where the others stand."""

from __future__ import annotations

import os
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from diglot.corpus.characters import one_line
from diglot.corpus.flags import Flag, clean
from diglot.corpus.flags.repeats import near_text_keys
from diglot.disk.atomic import replacing

CONFLICT_COLUMNS = ("src", "tgt", "kept", "score", "copies", "src_url", "tgt_url")


def write_conflicts(path: str | os.PathLike[str], segments: pa.Table, min_score: float = 0.0) -> int:
    """A header line, then for each source in conflict the translation that is kept and the others; returns the lines.

    ``segments`` are of :data:`diglot.records.FLAGGED_SCHEMA`, of one language pair. ``copies``: on how many page
    pairs the translation stands. Sources in order of their text. Of a source none is kept whose best translation is
    below ``min_score``.
    """
    groups = _groups(segments)
    count = 0
    with replacing(path) as handle:
        handle.write(("\t".join(CONFLICT_COLUMNS) + "\n").encode())
        for key in sorted(groups):
            for row in groups[key]:
                count += 1
                kept = "no" if Flag.CONFLICT in row["flags"] or row["score"] < min_score else "yes"
                copies = str(len(row["other_src_urls"]) + 1)
                cells = [row["src"], row["tgt"], kept, f"{row['score']:.4f}", copies, row["src_url"], row["tgt_url"]]
                handle.write(("\t".join(map(one_line, cells)) + "\n").encode())
    return count


def _groups(segments: pa.Table) -> dict[str, list[dict[str, Any]]]:
    """Rows by source key: first the one kept, then those in conflict, best first."""
    joined = pc.binary_join(segments["flags"].combine_chunks(), ",")
    beaten = segments.filter(pc.match_substring(joined, str(Flag.CONFLICT)))
    if not beaten.num_rows:
        return {}
    worst_last = beaten.sort_by([("score", "descending"), ("tgt", "ascending")])
    of_beaten, kept = near_text_keys(worst_last["src"].to_pylist()), clean(segments)
    groups: dict[str, list[dict[str, Any]]] = {key: [] for key in of_beaten}
    for key, row in zip(near_text_keys(kept["src"].to_pylist()), kept.to_pylist(), strict=True):
        if key in groups:
            groups[key].append(row)
    for key, row in zip(of_beaten, worst_last.to_pylist(), strict=True):
        groups[key].append(row)
    return groups
