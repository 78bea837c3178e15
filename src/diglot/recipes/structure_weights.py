"""The structure classifier of `ilsp` as a readable file of weights."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

from diglot.disk.safe_read import read_text
from diglot.errors import RecipeError
from diglot.features.ilsp_structure import Polynomial

SHIPPED = Path(__file__).with_name("ilsp_structure.json")
RATIOS = ("length_ratio", "paragraph_ratio", "edit_share")
"""Names of x, y and z in the file, in the order of the powers."""


@cache
def read_classifier(path: str | Path = SHIPPED) -> Polynomial:
    """Weights from a JSON file: ``{"ratios": [...], "terms": [{"powers": [1, 0, 2], "weight": 0.5}, ...]}``.

    Raises :class:`RecipeError` for a file that cannot be read or says something else.
    """
    try:
        content = json.loads(read_text(path))
    except (OSError, ValueError) as error:
        raise RecipeError(f"structure weights {path}: cannot be read as JSON ({error})") from error
    try:
        if tuple(content["ratios"]) != RATIOS or not content["terms"]:
            raise ValueError(f"the ratios must be {', '.join(RATIOS)}, with at least one term")
        return Polynomial(tuple(_term(term) for term in content["terms"]))
    except (KeyError, TypeError, ValueError) as error:
        raise RecipeError(
            f"structure weights {path}: not as benchmarks/train_structure.py writes them ({error!r})"
        ) from error


def _term(term: dict[str, Any]) -> tuple[tuple[int, int, int], float]:
    i, j, k = term["powers"]
    weight = float(term["weight"])
    if not all(isinstance(power, int) and power >= 0 for power in (i, j, k)) or not math.isfinite(weight):
        raise ValueError(f"no term: {term}")
    return (i, j, k), weight
