"""The URL baseline of the WMT16 bilingual document alignment task: addresses equal but for language markers."""

from __future__ import annotations

from dataclasses import dataclass

from diglot.features.language_markers import marked_similarity
from diglot.pairing.assignment import greedy
from diglot.pairing.candidates import url_attempts
from diglot.pairing.cascade import GatedStep
from diglot.recipes.recipe import Recipe, setting


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of the URL baseline."""

    query_keys: bool = setting(
        True, "WMT16 baseline, third attempt", "also leave out query parameters that name a language"
    )


def steps(options: Options, src_lang: str, tgt_lang: str) -> tuple[GatedStep, ...]:
    """Attempts in the baseline's order: markers of the page's own language, of either, then query keys."""
    methods = ("url-own", "url-any", "url-query") if options.query_keys else ("url-own", "url-any")
    return tuple(
        GatedStep(method=method, candidates=(attempt,), assign=greedy, score=marked_similarity)
        for method, attempt in zip(methods, url_attempts(src_lang, tgt_lang), strict=False)
    )


RECIPE = Recipe(
    name="url_baseline",
    source="Buck & Koehn 2016, Findings of the WMT 2016 Bilingual Document Alignment Shared Task",
    summary="pairs addresses that are equal once language codes and names are taken out",
    options=Options(),
    steps=steps,
)
