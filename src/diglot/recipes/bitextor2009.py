"""Bitextor as described in 2009: surface filters, a window of levels, thresholded edit distance of fingerprints."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from diglot.features.fingerprint import direct_similarity, fingerprint_length, limited_distance
from diglot.features.surface import depth_difference, same_extension, size_difference, text_length_difference
from diglot.pairing.assignment import greedy
from diglot.pairing.candidates import similar_length
from diglot.pairing.cascade import Gate, GatedStep
from diglot.recipes.recipe import PerPair, Recipe, setting
from diglot.site import Feature


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of Bitextor 2009. Shares are fractions; ``inf`` switches a limit off."""

    max_edits: float = setting(5.0, "2009, 4.1 and 6.2 (t_a = 5)", "most edits between two fingerprints")
    max_edit_share: float = setting(0.20, "2009, 4.1 (t_r = 20%)", "the same, as a share of the longer fingerprint")
    block_threshold: PerPair = setting(
        PerPair(0.20), "2009, 4.1 (t_b = 20%)", "difference of length above which two text blocks count as an edit"
    )
    max_size_difference: float = setting(0.40, "Bitextor 2.0 configuration", "difference of the HTML sizes")
    max_text_difference: float = setting(0.90, "Bitextor 2.0 configuration", "difference of the plain-text lengths")
    max_level_difference: float = setting(2.0, "Bitextor 2.0 configuration", "difference of directory levels")
    same_extension: bool = setting(False, "2009, section 4; off in the code", "ask for the same file extension")
    end_tags: bool = setting(True, "reading A.5", "end tags are part of a fingerprint")
    min_fingerprint: float = setting(5.0, "Bitextor 3.2 configuration", "shorter fingerprints are passed over")


def steps(options: Options, src_lang: str, tgt_lang: str) -> tuple[GatedStep, ...]:
    """One step: cheap filters first, the edit distance last."""
    distance = fingerprint_edits(options, src_lang, tgt_lang)
    extension = Gate(name="extension", feature=same_extension, at_least=1, missing="passes")
    levels, *others = filters(options, distance)
    return (
        GatedStep(
            method="fingerprint",
            candidates=(partial(similar_length, max_difference=options.max_text_difference),),
            gates=(levels, *((extension,) if options.same_extension else ()), *others),
            rank=(distance, text_length_difference),
            assign=greedy,
            score=partial(direct_similarity, end_tags=options.end_tags),
        ),
    )


def fingerprint_edits(options: Any, src_lang: str, tgt_lang: str) -> Feature:
    """Edits between two fingerprints within the limits of ``options``, of Bitextor 2009 or 2010."""
    return partial(
        limited_distance,
        block_threshold=options.block_threshold.of(src_lang, tgt_lang),
        absolute=options.max_edits,
        relative=options.max_edit_share,
        end_tags=options.end_tags,
    )


def filters(options: Any, distance: Feature) -> tuple[Gate, ...]:
    """Gates of Bitextor 2009 and 2010, from the cheapest to the dearest: levels, sizes, lengths, ``distance``."""
    length, text = partial(fingerprint_length, end_tags=options.end_tags), options.max_text_difference
    return (
        Gate(name="levels", feature=depth_difference, at_most=options.max_level_difference, missing="passes"),
        Gate(name="size", feature=size_difference, at_most=options.max_size_difference, missing="passes"),
        Gate(name="text_length", feature=text_length_difference, at_most=text, missing="passes"),
        Gate(name="fingerprint_length", feature=length, at_least=options.min_fingerprint, missing="passes"),
        # Distances beyond their limit are infinite, so any finite bound will do.
        Gate(name="edits", feature=distance, at_most=float(2**30), missing="passes"),
    )


RECIPE = Recipe(
    name="bitextor2009",
    source="Esplà-Gomis 2009, Bitextor: a free/open-source software to harvest translation memories",
    summary="pairs pages whose tags and text lengths differ in few places",
    options=Options(),
    steps=steps,
)

RELATIVE = Recipe(
    name="bitextor2009-relative",
    source=RECIPE.source,
    summary="bitextor2009 with limits of ours: edits only by their share (20%), blocks 30%, text lengths 35%",
    options=Options(
        max_edits=float("inf"), max_edit_share=0.20, block_threshold=PerPair(0.30), max_text_difference=0.35
    ),
    steps=steps,
    changed_sources={
        "max_edits": "ours: an absolute limit is a limit on page length",
        "block_threshold": "ours",
        "max_text_difference": "ours",
    },
)
