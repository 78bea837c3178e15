"""Segments drawn at random for a person to judge, and a note of each drawing, which tells a sample from a choice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from diglot.corpus.judged import segment_id
from diglot.disk.folder import RunFolder, content_key
from diglot.errors import UsageError

DRAWS = "draws"


def draw_sample(kept: pa.Table, size: int, *, seed: int = 0) -> pa.Table:
    """Draw ``size`` rows at random without replacement, all rows of a smaller table; same seed, same rows.

    ``kept``: segments kept, :data:`diglot.records.SEGMENT_SCHEMA`. Raises :class:`UsageError` for an empty table.
    """
    if size < 1:
        raise UsageError(f"-n {size}: give the number of segments to judge, at least 1")
    if not kept.num_rows:
        raise UsageError("the run keeps no segment of these languages; there is nothing to judge")
    return kept.take(pa.array(np.random.default_rng(seed).permutation(kept.num_rows)[:size]))


def note_draw(folder: RunFolder, drawn: pa.Table, kept: pa.Table) -> None:
    """Note in the run that ``drawn`` is a random sample of ``kept``, both tables of segments."""
    ids = sorted(map(segment_id, drawn.select(["src_url", "tgt_url", "src", "tgt"]).to_pylist()))
    langs = zip(kept["src_lang"].to_pylist(), kept["tgt_lang"].to_pylist(), strict=True)
    population = dict(Counter("-".join(pair) for pair in langs))
    number = len(folder.recall_all(DRAWS))
    folder.remember(DRAWS, content_key(DRAWS, ids), {"number": number, "ids": ids, "kept": population})


def draw_of(draws: Mapping[str, Any], listed: frozenset[str] | None) -> str:
    """Name of the drawing that holds all ids of a file; "" without one. ``listed``: None where a row has no id."""
    if not listed:
        return ""
    return next((name for name, draw in sorted(draws.items()) if listed <= set(draw["ids"])), "")


def populations(draws: Mapping[str, Any], names: Sequence[str]) -> dict[str, int]:
    """Size of the population of these drawings by language pair (``en-fr``); the latest drawing of a pair counts."""
    known = {name for name in names if name in draws}
    sizes: dict[str, int] = {}
    for name in sorted(known, key=lambda name: draws[name]["number"]):
        sizes |= draws[name]["kept"]
    return sizes
