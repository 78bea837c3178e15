"""The structural model of Assylbekov et al. 2015 over candidate pairs of links and addresses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from diglot.arrays import Column, Pairs, Rows
from diglot.features.language_markers import stripped_url
from diglot.features.strand import chunk_characters, difference_percentage, token_counts, unmatched_tokens
from diglot.language_names import spellings
from diglot.pairing.candidates import (
    Blocking,
    collect,
    linked_by_anchor,
    linked_by_hreflang,
    unique_pairs,
    url_attempts,
)
from diglot.pairing.cascade import Judged, JudgedStep
from diglot.pairing.strand_em import Observations, StructuralFit, fit_structural_model
from diglot.pairing.strand_em_figures import draw_residuals, draw_token_counts
from diglot.recipes.recipe import Recipe, setting
from diglot.site import Site


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of strand_em. The model has no options: all parameters are learnt on the site."""

    drop_repeated: bool = setting(
        True, "section 4 (boilerplate removed)", "leave out blocks that stand all over the site"
    )
    links: bool = setting(True, "section 1 (STRAND's candidates)", "candidates from hreflang and language-name links")
    url_rules: bool = setting(
        True, "section 1 (STRAND's candidates)", "candidates from addresses equal but for languages"
    )
    min_probability: float = setting(0.5, "eq. 17", "least posterior probability of a pair")


def steps(options: Options, src_lang: str, tgt_lang: str) -> tuple[JudgedStep, ...]:
    """A single step: all candidates are judged together, then accepted from the most probable pair on."""
    links = _link_rules(src_lang, tgt_lang) if options.links else ()
    urls = url_attempts(src_lang, tgt_lang) if options.url_rules else ()
    return (
        JudgedStep(
            method="structure",
            judge=partial(
                judge, rules=(*links, *urls), drop_repeated=options.drop_repeated, name=f"{src_lang}-{tgt_lang}"
            ),
            min_probability=options.min_probability,
            # The posterior is a product over tokens that depend on each other, and the paper measures no calibration.
            is_calibrated=False,
            rank=(
                partial(address_difference, langs=frozenset({src_lang, tgt_lang})),
                partial(difference_percentage, drop_repeated=options.drop_repeated),
            ),
        ),
    )


def judge(site: Site, src: Rows, tgt: Rows, *, rules: tuple[Blocking, ...], drop_repeated: bool, name: str) -> Judged:
    """Fit the model to all candidates of the rules; the file names of the figures begin with ``name``."""
    pairs = collect(unique_pairs((batch for rule in rules for batch in rule(site, src, tgt)), site))
    fit = fit_structural_model(observe(site, pairs, drop_repeated=drop_repeated))
    return Judged(
        pairs=pairs, probability=fit.probability.astype("float32"), notes=fit.notes, figures=_figures(fit, name)
    )


def address_difference(site: Site, pairs: Pairs, *, langs: frozenset[str]) -> Column:
    """0 for addresses equal without markers of ``langs``, else 1.

    The column separates a translation from untranslated copies of equal structure in a site's folders of other
    languages.
    """
    stripped = {row: stripped_url(site.urls[row], langs, query_keys=True) for row in np.unique(pairs).tolist()}
    return np.array([stripped[i] != stripped[j] for i, j in pairs.tolist()], np.float32)


def observe(site: Site, pairs: Pairs, *, drop_repeated: bool) -> Observations:
    """The paper's w, m, n, l1 and l2 of every pair."""
    tokens = token_counts(site, drop_repeated=drop_repeated)[pairs].astype(float)
    chars = chunk_characters(site, drop_repeated=drop_repeated)[pairs].astype(float)
    unmatched = unmatched_tokens(site, pairs, drop_repeated=drop_repeated).astype(float)
    return Observations(w=unmatched, m=tokens[:, 0], n=tokens[:, 1], l1=chars[:, 0], l2=chars[:, 1])


def _figures(fit: StructuralFit, name: str) -> dict[str, str]:
    if not fit.parallel.any():
        return {}
    return {
        f"{name}-tokens.svg": draw_token_counts(fit, title=f"Tokens of candidate pairs, {name}"),
        f"{name}-residuals.svg": draw_residuals(fit, title=f"Residuals of the token counts, {name}"),
    }


def _link_rules(src_lang: str, tgt_lang: str) -> tuple[Blocking, ...]:
    names = partial(linked_by_anchor, src_names=_names(src_lang), tgt_names=_names(tgt_lang))
    return (linked_by_hreflang, names)


def _names(lang: str) -> frozenset[str]:
    """Codes and names of a language of two letters or more: many a link is called "e"."""
    return frozenset(name for name in spellings(lang) if len(name) > 1)


RECIPE = Recipe(
    name="strand_em",
    source="Assylbekov, Nurkas & Mouga 2015, A Statistical Model for Measuring Structural Similarity between Webpages",
    summary="judges linked pages and like addresses by structure and length, with a model learnt on the site",
    options=Options(),
    steps=steps,
)
