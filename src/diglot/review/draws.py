"""Which segments of a run were drawn at random to be judged: what tells a sample from a choice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from diglot.corpus.judged import segment_id
from diglot.disk.folder import RunFolder, content_key

DRAWS = "draws"


def note_draw(folder: RunFolder, drawn: pa.Table, kept: pa.Table) -> None:
    """Note that ``drawn`` was drawn out of ``kept``, tables of segments."""
    ids = sorted(map(segment_id, drawn.select(["src_url", "tgt_url", "src", "tgt"]).to_pylist()))
    langs = zip(kept["src_lang"].to_pylist(), kept["tgt_lang"].to_pylist(), strict=True)
    known = folder.recall_all(DRAWS)
    name = content_key(DRAWS, ids)
    population = dict(Counter("-".join(pair) for pair in langs))
    folder.remember(DRAWS, name, {"number": len(known), "ids": ids, "kept": population})


def draw_of(draws: Mapping[str, Any], listed: frozenset[str] | None) -> str:
    """The drawing that a file with these ids is a sheet of, whole or in part; "" where it is none."""
    if not listed:
        return ""
    names = [name for name, draw in sorted(draws.items()) if listed <= set(draw["ids"])]
    return names[0] if names else ""


def populations(draws: Mapping[str, Any], names: Sequence[str]) -> dict[str, int]:
    """Of how many segments these were drawn, by language pair (``en-fr``); of several drawings the latest counts."""
    found: dict[str, int] = {}
    for name in sorted((name for name in set(names) if name in draws), key=lambda name: draws[name]["number"]):
        found |= draws[name]["kept"]
    return found
