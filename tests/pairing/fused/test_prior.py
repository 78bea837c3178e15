"""The numbers of other sites: what a file must hold, what a column gets that it lacks, and levels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_evidence import column, made_prior

from diglot.errors import RecipeError
from diglot.pairing.fused.evidence import FEATURES
from diglot.pairing.fused.prior import GROUP_FEATURES, SHIPPED, read_prior


def changed(folder: Path, **others: Any) -> Path:
    """The shipped numbers with some parts in place of others."""
    path = folder / "prior.json"
    path.write_text(json.dumps(json.loads(SHIPPED.read_text(encoding="utf-8")) | others), encoding="utf-8")
    return path


def line(name: str, **others: float) -> dict[str, Any]:
    return {"name": name, "orphan": 0.1, "pair": 0.7, "weight": 1.5} | others


def test_the_shipped_prior_knows_every_column_and_weighs_none_against_a_pair() -> None:
    prior = read_prior()
    shipped = json.loads(SHIPPED.read_text(encoding="utf-8"))
    assert [each["name"] for each in shipped["columns"]] == list(FEATURES)
    assert [each["name"] for each in shipped["group"]["columns"]] == list(GROUP_FEATURES)
    assert (prior.weights >= 0).all()
    assert prior.weights.any()
    assert (prior.group_weights > 0).all()
    assert 0 < prior.share < 1


def test_an_untrained_column_weighs_nothing_and_a_trained_one_is_found_by_its_name(tmp_path: Path) -> None:
    prior = read_prior(changed(tmp_path, columns=[line("cosine")]))
    assert prior.weights.tolist() == [1.5 if name == "cosine" else 0 for name in FEATURES]
    assert prior.level(np.array([0.1, 0.7]), column("cosine")) == pytest.approx([0, 1])
    assert prior.level(np.array([0.3]), column("order")) is None


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ({"columns": [line("cosine"), line("colour")]}, "colour: no column of the recipe"),
        ({"columns": [line("cosine", pair=0.1)]}, "two anchors are equal"),
        ({"columns": [{"name": "cosine"}]}, "not as benchmarks/train_fused_prior.py writes it.*orphan"),
        ({"share": 1.0}, "share outside"),
        ({"bias": float("nan")}, "share outside"),
        ({"group": {"bias": 0, "columns": []}}, "not as .*rest"),
        ({"columns": None}, "not as "),
    ],
)
def test_a_prior_of_other_parts_is_refused(tmp_path: Path, others: dict[str, Any], said: str) -> None:
    with pytest.raises(RecipeError, match=rf"prior\.json: .*{said}"):
        read_prior(changed(tmp_path, **others))


def test_a_prior_that_is_no_json_or_no_file_is_refused(tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text("{", encoding="utf-8")
    for path in (broken, tmp_path / "none.json"):
        with pytest.raises(RecipeError, match=path.name):
            read_prior(path)


def test_levels_may_run_downwards() -> None:
    prior = made_prior(orphan=4, pair=2)
    assert prior.level(np.array([4.0, 2, 1, 5]), 0).tolist() == [0, 1, 1.5, -0.5]
