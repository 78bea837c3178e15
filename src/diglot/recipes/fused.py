"""Diglot's own recipe: all evidence of the site itself, weighed against orphans simulated on it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from diglot.errors import RecipeError
from diglot.recipes.recipe import Recipe, setting

if TYPE_CHECKING:
    from diglot.pairing.cascade import JudgedStep

POINTS = {"precise": 0.9, "balanced": 0.5, "recall": 0.1}
"""Operating points: least probability of an accepted pair."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of the fused recipe."""

    point: str = setting(
        "balanced", "balanced maximises expected F1 of calibrated pairs", "precise, balanced or recall: .9, .5 or .1"
    )
    min_probability: float = setting(
        0.0, "this project", "least probability, in place of the point's; 0 takes the point's"
    )
    seed: int = setting(0, "a whole number from 0", "seed of the simulated orphans")


def steps(options: Options, src_lang: str, tgt_lang: str) -> tuple[JudgedStep, ...]:
    """A single step: self-trained candidates, a joint decision, the most probable pairs first."""
    # Loaded here: commands on a finished run ask the recipe for its options and its aligner alone.
    from diglot.pairing.cascade import JudgedStep
    from diglot.pairing.fused import fused_judgement
    from diglot.pairing.fused.evidence import GROUPS
    from diglot.pairing.fused.why import explain_fused

    seed = options.seed
    if options.point not in POINTS:
        raise RecipeError(f"option point: {options.point!r} is none of {', '.join(POINTS)}")
    return (
        JudgedStep(
            method="fused",
            judge=partial(fused_judgement, src_lang=src_lang, tgt_lang=tgt_lang, seed=seed),
            min_probability=options.min_probability or POINTS[options.point],
            evidence_groups=GROUPS,
            explain=partial(explain_fused, src_lang=src_lang, tgt_lang=tgt_lang, seed=seed),
        ),
    )


RECIPE = Recipe(
    name="fused",
    source="this project; docs/theory/fused.md",
    summary="weighs words, order, numbers, addresses, links and structure, all learnt on the site itself",
    options=Options(),
    steps=steps,
    aligner="lexical",
)
