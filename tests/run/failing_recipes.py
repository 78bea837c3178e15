"""Recipes with a mistake; a module of its own, so that workers can import it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from diglot.arrays import Column, Pairs
from diglot.features.surface import depth_difference, size_difference
from diglot.pairing.assignment import greedy
from diglot.pairing.candidates import similar_length
from diglot.pairing.cascade import GatedStep
from diglot.recipes.recipe import Recipe, setting
from diglot.site import Site


@dataclass(frozen=True, kw_only=True)
class Options:
    """One option, without use."""

    least: float = setting(0.2, "a test", "nothing")


def without_argument(_site: Site) -> Column:
    """Forgets the pairs."""
    raise AssertionError


def seven(_site: Site, pairs: Pairs) -> Column:
    """A score outside of [0, 1]."""
    return np.full(len(pairs), 7, np.float32)


def fails_on_poison(site: Site, pairs: Pairs) -> Column:
    """As a feature is, but for one site."""
    return {"poison.example": None}.get(site.name, np.ones(len(pairs), np.float32))  # type: ignore[return-value]


def rank_without_comma(options: Options, src_lang: str, tgt_lang: str) -> tuple[GatedStep, ...]:
    """The steps of the guide, with a comma forgotten."""
    return (_step(rank=(depth_difference)),)


def rank_by(feature: Any, options: Options, src_lang: str, tgt_lang: str) -> tuple[GatedStep, ...]:
    """The steps of the guide, ranked by another feature."""
    return (_step(rank=(feature,)),)


def score_by(feature: Any, options: Options, src_lang: str, tgt_lang: str) -> tuple[GatedStep, ...]:
    """The steps of the guide, with another score."""
    return (_step(score=feature),)


def steps_without_languages(options: Options) -> tuple[GatedStep, ...]:
    """Forgets the languages."""
    return (_step(),)


def _step(**changes: Any) -> GatedStep:
    usual: dict[str, Any] = {
        "method": "structure",
        "candidates": (partial(similar_length, max_difference=0.2),),
        "rank": (size_difference,),
        "assign": greedy,
        "score": partial(fails_on_poison),
    }
    return GatedStep(**usual | changes)


def recipe_of(steps: Any) -> Recipe:
    """A recipe named ``own``."""
    return Recipe(name="own", source="a test", summary="fails", options=Options(), steps=steps)
