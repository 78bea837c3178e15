"""Scored page pairs of a site as an Arrow table, with the evidence of each pair."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from diglot.arrays import Column, Mask
from diglot.pairing.cascade import Gate, GatedStep, JudgedStep, Scored, Step
from diglot.records import PAIR_SCHEMA
from diglot.site import Feature, Site


def pair_table(site: Site, scored: Scored, steps: Iterable[Step], src_lang: str, tgt_lang: str) -> pa.Table:
    """Rows of :data:`diglot.records.PAIR_SCHEMA`: accepted pairs, and the best refused pairs of other pages."""
    evidence = evidence_columns(site, scored, steps)
    names = list(evidence)
    values = np.stack([evidence[name] for name in names], axis=1) if names else np.zeros((len(scored.pairs), 0))
    maps = [[(n, float(v)) for n, v in zip(names, row, strict=True) if not np.isnan(v)] for row in values]
    urls = site.urls
    table = pa.table(
        {
            "site": [site.name] * len(scored.pairs),
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
    # Sorted by content, so that equal runs write equal bytes in any order of candidates.
    keys = [
        ("accepted", "descending"),
        ("probability", "descending"),
        ("src_url", "ascending"),
        ("tgt_url", "ascending"),
    ]
    return table.sort_by(keys)


def evidence_columns(site: Site, scored: Scored, steps: Iterable[Step]) -> dict[str, np.ndarray]:
    """Evidence of the scored pairs by name: columns of models, and features of gates and ranking.

    NaN where another step decided the pair, and for ranking features of pairs that a gate refused.
    """
    methods, refused_by = (np.array(names, dtype=object) for names in (scored.method, scored.refused_by))
    columns: dict[str, np.ndarray] = {}

    def fill(name: str, seen: Mask, values: Column) -> None:
        columns.setdefault(name, np.full(len(scored.pairs), np.nan, np.float32))[seen] = values

    for step in steps:
        mine = methods == step.method
        if isinstance(step, JudgedStep):
            for name, values in scored.judged[step.method].evidence_of(site, scored.pairs[mine]).items():
                fill(name, mine, values)
        gates = {gate.name for gate in gates_of(step)}
        # Ranking features cannot stop early at a limit, and on long pages cost more than all gates.
        ranked = mine & ~np.isin(refused_by, sorted(gates))
        for name, feature in named_features(step).items():
            seen = mine if name in gates else ranked
            fill(name, seen, feature(site, scored.pairs[seen]))
    return columns


def gates_of(step: Step) -> tuple[Gate, ...]:
    """The gates that each candidate of a step passes."""
    return step.gates if isinstance(step, GatedStep) else ()


def named_features(step: Step) -> dict[str, Feature]:
    """Features of the gates and the ranking of a step, by the name of the gate, else of the function."""
    named = {gate.name: gate.feature for gate in gates_of(step)}
    for feature in step.rank:
        if feature not in named.values():
            named[_name_of(feature)] = feature
    return named


def _name_of(feature: Feature) -> str:
    """The name of a feature's function, with that of an inner feature: ``complement of digits``."""
    name = str(getattr(feature, "func", feature).__name__)
    inner = getattr(feature, "keywords", {}).get("feature")
    return name if inner is None else f"{name} of {_name_of(inner)}"
