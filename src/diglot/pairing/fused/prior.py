"""Weights of the evidence for sites too small to learn weights; readable numbers in a JSON file."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from diglot.arrays import Floats
from diglot.disk.safe_read import read_text
from diglot.errors import RecipeError
from diglot.pairing.fused.evidence import FEATURES

GROUP_FEATURES = ("rest", "own", "size")
"""Evidence of a pair in a group of pages of many languages, see :mod:`diglot.pairing.fused.groups`."""
UNTRAINED = {"orphan": 0.0, "pair": 1.0, "weight": 0.0}
"""Anchors and weight of an untrained column."""
SHIPPED = Path(__file__).with_name("prior.json")


@dataclass(frozen=True)
class Prior:
    """Anchors and weights of the columns of :data:`diglot.pairing.fused.evidence.COLUMNS`, shape (len(COLUMNS),).

    ``orphan``, ``pair``: median evidence of simulated orphans' pairs and of sure pairs, in the column's own unit;
    ``weights`` and ``bias``: log odds in nats for evidence scaled to 0 and 1 at these anchors; ``share``: share of true
    pairs among the matched. ``group_weights`` and ``group_bias``: log odds in nats for the unscaled columns
    :data:`GROUP_FEATURES`. ``untrained``: places of untrained columns.
    """

    orphan: Floats
    pair: Floats
    weights: Floats
    bias: float
    share: float
    group_weights: Floats = field(default_factory=lambda: np.zeros(len(GROUP_FEATURES)))
    group_bias: float = 0.0
    untrained: frozenset[int] = frozenset()

    def level(self, values: Floats, place: int) -> Floats | None:
        """Evidence of a column, scaled so that anchor ``orphan`` is 0 and anchor ``pair`` is 1; None if untrained."""
        if place in self.untrained:
            return None
        return (values - self.orphan[place]) / (self.pair[place] - self.orphan[place])

    def group_log_odds(self, features: Floats) -> Floats:
        """Log odds of pairs in groups from the columns (n, len(GROUP_FEATURES))."""
        return np.asarray(features @ self.group_weights + self.group_bias)


@cache
def read_prior(path: str | Path = SHIPPED) -> Prior:
    """The prior of a JSON file as ``benchmarks/train_fused_prior.py`` writes it.

    A column missing from the file has weight 0 and the anchors 0 and 1 until it is trained. Raises :class:`RecipeError`
    for an unreadable file or an unknown column.
    """
    try:
        content = json.loads(read_text(path))
        columns = {column["name"]: column for column in content["columns"]}
        untrained = frozenset(place for place, name in enumerate(FEATURES) if name not in columns)
        rows = [columns.pop(name, UNTRAINED) for name in FEATURES]
        table = {key: np.array([float(row[key]) for row in rows]) for key in ("orphan", "pair", "weight")}
        bias, share = float(content["bias"]), float(content["share"])
        group_columns = {column["name"]: column for column in content["group"]["columns"]}
        group_weights = np.array([float(group_columns[name]["weight"]) for name in GROUP_FEATURES])
        group_bias = float(content["group"]["bias"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RecipeError(
            f"fused prior {path}: not as benchmarks/train_fused_prior.py writes it ({error!r})"
        ) from error
    if columns:
        raise RecipeError(f"fused prior {path}: {', '.join(columns)}: no column of the recipe; train it anew")
    if not (0 < share < 1 and math.isfinite(bias) and (table["pair"] != table["orphan"]).all()):
        raise RecipeError(f"fused prior {path}: share outside (0, 1), or a column whose two anchors are equal")
    return Prior(table["orphan"], table["pair"], table["weight"], bias, share, group_weights, group_bias, untrained)
