"""Bitextor 3.2 as described in 2010: surface filters, addresses with one difference, two edit distances."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from diglot.features.fingerprint import direct_distance, direct_similarity
from diglot.features.surface import text_length_difference
from diglot.features.url_difference import rule_support
from diglot.pairing.assignment import mutual_best
from diglot.pairing.candidates import one_url_difference, similar_length
from diglot.pairing.cascade import Gate, GatedStep
from diglot.recipes.bitextor2009 import filters, fingerprint_edits
from diglot.recipes.recipe import PerPair, Recipe, setting


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of Bitextor 2010. Shares are fractions; ``inf`` switches a limit off."""

    max_edits: float = setting(10.0, "2010, section 6", "most edits between two fingerprints")
    max_edit_share: float = setting(
        0.10, "Bitextor 3.2 configuration", "the same, as a share of the longer fingerprint"
    )
    block_threshold: PerPair = setting(
        PerPair(0.30, (("es-ca", 0.20), ("es-en", 0.35), ("ca-en", 0.35))),
        "2010, 4.2; Bitextor 3.2 configuration",
        "difference of length above which two text blocks count as an edit",
    )
    max_size_difference: float = setting(0.30, "Bitextor 3.2 configuration", "difference of the HTML sizes")
    max_text_difference: float = setting(0.20, "Bitextor 3.2 configuration", "difference of the plain-text lengths")
    max_level_difference: float = setting(float("inf"), "Bitextor 3.2 configuration", "difference of directory levels")
    url_rule: bool = setting(True, "2010, 4.1", "addresses may differ in one part at most")
    min_rule_support: float = setting(0.0, "Bitextor code of January 2010 (3)", "how often a URL difference must recur")
    end_tags: bool = setting(True, "reading A.5", "end tags are part of a fingerprint")
    min_fingerprint: float = setting(5.0, "Bitextor 3.2 configuration", "shorter fingerprints are passed over")


def steps(options: Options, src_lang: str, tgt_lang: str) -> tuple[GatedStep, ...]:
    """One step: surface, URL and thresholded distance discard pairs, the direct distance ranks them."""
    by_length = partial(similar_length, max_difference=options.max_text_difference)
    return (
        GatedStep(
            method="fingerprint+url" if options.url_rule else "fingerprint",
            candidates=(one_url_difference if options.url_rule else by_length,),
            gates=filters(options, fingerprint_edits(options, src_lang, tgt_lang)),
            rank=(partial(direct_distance, end_tags=options.end_tags), text_length_difference),
            assign=mutual_best,
            keep=(
                Gate(
                    name="url_rule_support", feature=rule_support, at_least=options.min_rule_support, missing="passes"
                ),
            ),
            score=partial(direct_similarity, end_tags=options.end_tags),
        ),
    )


RECIPE = Recipe(
    name="bitextor2010",
    source="Esplà-Gomis & Forcada 2010, Combining Content-Based and URL-Based Heuristics, PBML 93",
    summary="pairs pages of alike structure whose addresses differ in one part",
    options=Options(),
    steps=steps,
)

RELATIVE = Recipe(
    name="bitextor2010-relative",
    source=RECIPE.source,
    summary="bitextor2010 with limits of ours: edits only by their share (20%), blocks 30%, text lengths 35%",
    options=Options(
        max_edits=float("inf"), max_edit_share=0.20, block_threshold=PerPair(0.30), max_text_difference=0.35
    ),
    steps=steps,
    changed_sources={
        "max_edits": "ours: an absolute limit is a limit on page length",
        "max_edit_share": "ours",
        "block_threshold": "ours: the same for all language pairs",
        "max_text_difference": "ours",
    },
)
