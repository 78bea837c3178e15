"""Estimated precision and recall of page pairs, from their probabilities."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import fsum
from typing import NamedTuple

import pyarrow as pa


class Mass(NamedTuple):
    """Accepted page pairs of a site and language pair (``en-fr``): number, and sum of probabilities."""

    lang_pair: str
    pairs: int
    probability: float


def pair_mass(pairs: pa.Table) -> tuple[Mass, ...]:
    """Numbers of accepted pairs and sums of their probabilities, by site and language pair."""
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    columns = (pairs[name].to_pylist() for name in ("site", "src_lang", "tgt_lang", "probability"))
    for site, src, tgt, probability in zip(*columns, strict=True):
        found[site, f"{src}-{tgt}"].append(probability)
    return tuple(Mass(lang_pair, len(told), fsum(told)) for (_, lang_pair), told in found.items())


def estimates(mass: Sequence[Mass], expected: Mapping[str, float | None]) -> dict[str, dict[str, float | None]]:
    """Estimated precision and recall of accepted pairs by language pair and for ``all``.

    ``expected``: expected number of true pairs among the compared pages, by language pair; None for recipes with scores
    but no probabilities. Precision: mean probability of the accepted pairs. Recall: sum of their probabilities over
    ``expected``. None without an estimate.
    """
    of_pair = {pair: [each for each in mass if each.lang_pair == pair] for pair in expected}
    found = {pair: _estimate(of_pair[pair], total) for pair, total in expected.items()}
    known = [total for total in expected.values() if total is not None]
    return {**found, "all": _estimate(mass, fsum(known) if known and len(known) == len(expected) else None)}


def _estimate(mass: Sequence[Mass], expected: float | None) -> dict[str, float | None]:
    if expected is None:
        return {"precision": None, "recall": None}
    count, right = sum(each.pairs for each in mass), fsum(each.probability for each in mass)
    precision = round(right / count, 4) if count else None
    # Accepted pairs may exceed the expectation by chance.
    return {"precision": precision, "recall": round(min(1.0, right / expected), 4) if expected > 0 else None}
