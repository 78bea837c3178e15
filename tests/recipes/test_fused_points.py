"""Operating points of fused, and what its step says of the evidence."""

from __future__ import annotations

import pytest

from diglot.errors import RecipeError
from diglot.pairing.fused.evidence import FEATURES
from diglot.recipes.fused import POINTS, Options, steps


def test_operating_points() -> None:
    for point, least in POINTS.items():
        assert steps(Options(point=point), "en", "fr")[0].min_probability == least
    assert steps(Options(point="precise", min_probability=0.7), "en", "fr")[0].min_probability == 0.7
    with pytest.raises(RecipeError, match="precise, balanced, recall"):
        steps(Options(point="best"), "en", "fr")


def test_every_column_is_told_in_some_group() -> None:
    groups = steps(Options(), "en", "fr")[0].evidence_groups
    assert {name for names in groups.values() for name in names} == set(FEATURES)
