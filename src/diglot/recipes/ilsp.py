"""ILSP/ARC at WMT 2016: links, then addresses, then images and digits, then the structure of the main text."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from diglot.disk.safe_read import read_text
from diglot.errors import RecipeError, describe_error
from diglot.features import complement, logistic, product, weighted_mean
from diglot.features.ilsp_structure import Polynomial, fingerprint_ratio, structure_decision
from diglot.features.images import image_overlap
from diglot.features.language_markers import marked_similarity
from diglot.features.links import link_strength
from diglot.features.paragraphs import (
    TOP_TIER,
    digit_counts,
    digit_excess,
    digit_similarity,
    fewer_digits,
    fewer_paragraphs,
    paragraph_counts,
    paragraph_ratio,
    token_ratio,
)
from diglot.features.surface import depth_difference
from diglot.pairing.assignment import best_of_two, greedy, mutual_best, without_rivals
from diglot.pairing.candidates import Blocking, language_linked_pages, matching_patterns, shared_images, similar_count
from diglot.pairing.cascade import Assignment, Gate, GatedStep
from diglot.recipes.recipe import Recipe, setting
from diglot.site import Feature

METHODS = "aupdihml"
"""a links, u addresses, p images and digits, d digits, i images, h m l structure of high, medium, low confidence."""
SHIPPED = Path(__file__).with_name("ilsp_structure.json")
RATIOS = ("length_ratio", "paragraph_ratio", "edit_share")
"""Names of x, y and z in the file, in the order of the powers."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of ILSP-ARC. Ratios are smaller over larger; limits are met by equality."""

    methods: str = setting("aupdih", "ILSP-FC; 2.3", f"which methods, in which order, of {METHODS}")
    main_text: bool = setting(True, "2.2", "compare main text only, not all paragraphs")
    max_depth_difference: float = setting(1.0, "2.3", "difference of address depth in p, d, i, h, m, l")
    url_separators: str = setting("/_=.-", "2.3 prints / _ =; ILSP-FC", "what may stand before a language in u")
    url_unmarked: bool = setting(True, "ILSP-FC", "an address without marker may be the other language in u")
    check_lengths: bool = setting(False, "2.3 (not for the task)", "ratios of paragraphs and tokens in a and u too")
    min_paragraph_ratio: float = setting(0.6, "ILSP-FC", "ratio of the numbers of paragraphs in p, d, i")
    min_token_ratio: float = setting(0.4, "ILSP-FC", "ratio of the numbers of tokens in p, d, i")
    min_image_overlap: float = setting(0.6, "ILSP-FC", "Jaccard coefficient of the critical images in p, i")
    min_digit_similarity: float = setting(0.85, "ILSP-FC (.15 of the shorter)", "1 - edits over the longer in p, d")
    digit_tiers: bool = setting(False, "ILSP-FC", "in d, ask more of short digit strings and less of long ones")
    min_paragraphs: float = setting(4.0, "ILSP-FC", "paragraphs that a page needs for h, m, l")
    block_threshold: float = setting(0.4, "ILSP-FC", "difference of length up to which paragraphs are equal in h, m, l")
    max_edit_share: float = setting(0.38, "ILSP-FC", "edits over the longer fingerprint in h, m, l")
    min_structure_ratio: float = setting(0.7, "ILSP-FC", "ratio of fingerprint lengths, and of paragraphs, in h, m, l")
    min_decision: float = setting(0.0, "2.3", "decision value of the classifier in h, m, l")
    structure_weights: str = setting(
        "", "ours, see docs/theory/ilsp.md", "file of weights in place of our own", files=True
    )

    def __post_init__(self) -> None:
        unknown = set(self.methods) - set(METHODS)
        if unknown or len(set(self.methods)) < len(self.methods) or not self.methods:
            raise RecipeError(f"option methods: {self.methods!r} is not some of the letters {METHODS}, each once")
        if self.structure_weights:
            # Read now, so that a bad file ends the command before any page is loaded.
            read_classifier(self.structure_weights)


def steps(options: Options, src_lang: str, tgt_lang: str) -> tuple[GatedStep, ...]:
    """A step for every letter of ``methods``, in the order of the letters."""
    made: dict[str, Callable[[Options], GatedStep]] = {
        "a": _links,
        "u": partial(_addresses, langs=(src_lang, tgt_lang)),
        "p": partial(_images_and_digits, langs=(src_lang, tgt_lang)),
        "d": _digits,
        "i": partial(_images, langs=(src_lang, tgt_lang)),
        "h": partial(_structure, letter="h", assign=without_rivals),
        "m": partial(_structure, letter="m", assign=best_of_two),
        "l": partial(_structure, letter="l", assign=greedy),
    }
    return tuple(made[letter](options) for letter in options.methods)


def _links(options: Options) -> GatedStep:
    return GatedStep(
        method="a",
        candidates=(language_linked_pages,),
        gates=_lengths(options) if options.check_lengths else (),
        rank=(partial(complement, feature=link_strength), partial(complement, feature=marked_similarity)),
        assign=greedy,
        score=link_strength,
    )


def _addresses(options: Options, *, langs: tuple[str, str]) -> GatedStep:
    rule = partial(matching_patterns, langs=langs, separators=options.url_separators, unmarked=options.url_unmarked)
    gates = _lengths(options) if options.check_lengths else ()
    return _step("u", rule, gates, marked_similarity, greedy)


def _images_and_digits(options: Options, *, langs: tuple[str, str]) -> GatedStep:
    overlap = partial(image_overlap, langs=langs)
    digits = partial(digit_similarity, main=options.main_text)
    gates = (
        *_depth_and_lengths(options),
        Gate(name="images", feature=overlap, at_least=options.min_image_overlap, missing="passes"),
        Gate(name="digit_count", feature=partial(fewer_digits, main=options.main_text), at_least=1, missing="passes"),
        Gate(name="digits", feature=digits, at_least=options.min_digit_similarity, missing="passes"),
    )
    score = partial(product, features=(overlap, *_ratios(options), digits))
    return _step("p", partial(shared_images, langs=langs), gates, score)


def _digits(options: Options) -> GatedStep:
    count = partial(digit_counts, main=options.main_text)
    similarity = partial(digit_similarity, main=options.main_text)
    if options.digit_tiers:
        digits = Gate(
            name="digits", feature=partial(digit_excess, main=options.main_text), at_most=0.0, missing="passes"
        )
        # The highest tier bounds the difference of lengths: TOP_TIER of the shorter string, this share of the longer.
        window = TOP_TIER / (1 + TOP_TIER)
    else:
        digits = Gate(name="digits", feature=similarity, at_least=options.min_digit_similarity, missing="passes")
        window = 1 - options.min_digit_similarity
    rule = partial(similar_count, count=count, max_difference=window)
    score = partial(product, features=(*_ratios(options), similarity))
    return _step("d", rule, (*_depth_and_lengths(options), digits), score)


def _images(options: Options, *, langs: tuple[str, str]) -> GatedStep:
    overlap = partial(image_overlap, langs=langs)
    gates = (
        *_depth_and_lengths(options),
        Gate(name="images", feature=overlap, at_least=options.min_image_overlap, missing="passes"),
    )
    paragraphs, tokens = _ratios(options)
    score = partial(weighted_mean, features=((overlap, 0.6), (paragraphs, 0.2), (tokens, 0.2)))  # ILSP-FC
    return _step("i", partial(shared_images, langs=langs), gates, score)


def _structure(options: Options, *, letter: str, assign: Assignment) -> GatedStep:
    main, ratio = options.main_text, options.min_structure_ratio
    decision = partial(
        structure_decision,
        classifier=read_classifier(options.structure_weights or SHIPPED),
        block_threshold=options.block_threshold,
        at_most=options.max_edit_share,
        main=main,
    )
    score = partial(logistic, feature=decision)
    count = partial(paragraph_counts, main=main)
    gates = (
        _depth(options),
        Gate(
            name="paragraph_count",
            feature=partial(fewer_paragraphs, main=main),
            at_least=options.min_paragraphs,
            missing="passes",
        ),
        Gate(name="fingerprint_ratio", feature=partial(fingerprint_ratio, main=main), at_least=ratio, missing="passes"),
        Gate(name="structure", feature=decision, at_least=options.min_decision, missing="passes"),
    )
    return _step(letter, partial(similar_count, count=count, max_difference=1 - ratio), gates, score, assign)


def _step(
    letter: str, candidates: Blocking, gates: tuple[Gate, ...], score: Feature, assign: Assignment = mutual_best
) -> GatedStep:
    """A step ranked by its score. By default pairs are best both ways, and pages with ties stay unpaired (ILSP-FC)."""
    rank = (partial(complement, feature=score),)
    return GatedStep(method=letter, candidates=(candidates,), gates=gates, rank=rank, assign=assign, score=score)


def _ratios(options: Options) -> tuple[Feature, Feature]:
    return partial(paragraph_ratio, main=options.main_text), partial(token_ratio, main=options.main_text)


def _depth(options: Options) -> Gate:
    return Gate(name="depth", feature=depth_difference, at_most=options.max_depth_difference, missing="passes")


def _lengths(options: Options) -> tuple[Gate, Gate]:
    paragraphs, tokens = _ratios(options)
    return (
        Gate(name="paragraphs", feature=paragraphs, at_least=options.min_paragraph_ratio, missing="passes"),
        Gate(name="tokens", feature=tokens, at_least=options.min_token_ratio, missing="passes"),
    )


def _depth_and_lengths(options: Options) -> tuple[Gate, ...]:
    return (_depth(options), *_lengths(options))


@cache
def read_classifier(path: str | Path = SHIPPED) -> Polynomial:
    """Weights from a JSON file: ``{"ratios": [...], "terms": [{"powers": [1, 0, 2], "weight": 0.5}, ...]}``.

    Raises :class:`RecipeError` for a file that cannot be read or has another form.
    """
    try:
        content = json.loads(read_text(path))
    except (OSError, ValueError) as error:
        raise RecipeError(f"structure weights {path}: cannot be read as JSON ({describe_error(error)})") from error
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


RECIPE = Recipe(
    name="ilsp",
    source="Papavassiliou, Prokopidis & Piperidis 2016, The ILSP/ARC submission to the WMT 2016 Bilingual Document "
    "Alignment Shared Task",
    summary="pairs pages by links, then addresses, then images and digits, then the structure of the main text",
    options=Options(),
    steps=steps,
)
