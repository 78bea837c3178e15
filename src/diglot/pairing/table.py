"""The pair stage over Arrow tables: one site's documents in, scored page pairs out."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from diglot.pairing.cascade import Feature, Scored, Step
from diglot.records import PAIR_SCHEMA
from diglot.site import Site


def pair_table(site: Site, scored: Scored, steps: Iterable[Step], src_lang: str, tgt_lang: str) -> pa.Table:
    """Rows of :data:`diglot.records.PAIR_SCHEMA`: accepted pairs, and the best refused one of each page without."""
    evidence = evidence_columns(site, scored, steps)
    names = list(evidence)
    values = np.stack([evidence[name] for name in names], axis=1) if names else np.zeros((len(scored.pairs), 0))
    maps = [[(n, float(v)) for n, v in zip(names, row, strict=True) if not np.isnan(v)] for row in values]
    urls = site.urls
    table = pa.table(
        {
            "src_url": [urls[i] for i in scored.pairs[:, 0].tolist()],
            "tgt_url": [urls[j] for j in scored.pairs[:, 1].tolist()],
            "src_lang": [src_lang] * len(scored.pairs),
            "tgt_lang": [tgt_lang] * len(scored.pairs),
            "accepted": scored.accepted,
            "probability": scored.score.astype(np.float32),
            "method": scored.method,
            "refused_by": scored.refused_by,
            "evidence": pa.array(maps, PAIR_SCHEMA.field("evidence").type),
        },
        schema=PAIR_SCHEMA,
    )
    keys = [
        ("accepted", "descending"),
        ("probability", "descending"),
        ("src_url", "ascending"),
        ("tgt_url", "ascending"),
    ]
    return table.sort_by(keys)


def evidence_columns(site: Site, scored: Scored, steps: Iterable[Step]) -> dict[str, np.ndarray]:
    """Every feature that some gate or ranking of the steps reads, over the scored pairs.

    NaN where a step did not see the pair, and for what only ranks where a gate refused it: ranking knows no limit
    beyond which it may stop, and on long pages costs more than all gates.
    """
    methods, refused_by = (np.array(names, dtype=object) for names in (scored.method, scored.refused_by))
    columns: dict[str, np.ndarray] = {}
    for step in steps:
        mine = methods == step.method
        gates = [gate.name for gate in step.gates]
        ranked = mine & ~np.isin(refused_by, gates)
        for name, feature in named_features(step).items():
            column = columns.setdefault(name, np.full(len(scored.pairs), np.nan, np.float32))
            seen = mine if name in gates or name in step.evidence else ranked
            column[seen] = feature(site, scored.pairs[seen])
    return columns


def named_features(step: Step) -> dict[str, Feature]:
    """Features of a step by the name of their gate, or their own."""
    named = {gate.name: gate.feature for gate in step.gates} | dict(step.evidence)
    for feature in step.rank:
        if feature not in named.values():
            named[getattr(feature, "func", feature).__name__] = feature
    return named
