"""Diglot's own recipe: every evidence the site itself gives, weighed against orphans the site itself supplies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from diglot.pairing.assignment import greedy
from diglot.pairing.cascade import Step
from diglot.pairing.fused import FEATURES, fused_bits, fused_candidates, fused_decision
from diglot.recipes.recipe import Recipe, setting


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of the fused recipe."""

    min_probability: float = setting(
        0.5, "maximises expected F1 of calibrated pairs", "least probability; .9 for precise pairs, .1 for most recall"
    )
    seed: int = setting(0, "any whole number", "seed of the simulated orphans")


def steps(options: Options, src_lang: str, tgt_lang: str) -> tuple[Step, ...]:
    """One step: self-trained candidates, one joint decision, the most probable first."""
    seed = int(options.seed)
    return (
        Step(
            method="fused",
            candidates=(partial(fused_candidates, src_lang=src_lang, tgt_lang=tgt_lang, seed=seed),),
            assign=greedy,
            decide=partial(fused_decision, src_lang=src_lang, tgt_lang=tgt_lang, seed=seed),
            min_probability=options.min_probability,
            evidence={
                name: partial(fused_bits, feature=name, src_lang=src_lang, tgt_lang=tgt_lang, seed=seed)
                for name in FEATURES
            },
        ),
    )


RECIPE = Recipe(
    name="fused",
    source="this project; docs/theory/fused.md",
    summary="weighs words, order, numbers, addresses, links and structure, all learnt on the site itself",
    options=Options(),
    steps=steps,
    aligner="gale_church",
)
