"""Pairing that needs nothing but the site: self-trained evidence, an orphan model, calibrated odds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc
import xxhash

from diglot.features.fingerprint import direct_similarity, longer_fingerprint
from diglot.pairing.address_evidence import AddressRules, switch_links
from diglot.pairing.assignment import Mask
from diglot.pairing.block_alignment import order_scores
from diglot.pairing.cascade import Decision
from diglot.pairing.likelihood import likelihood
from diglot.pairing.matching import Matching, length_residual, match_pages, spread, text_lengths
from diglot.pairing.orphans import (
    Evidence,
    OrphanModel,
    fit_orphan_model,
    margins,
    match,
    parallel_share,
    posterior,
    seeds_of,
    simulated_orphans,
)
from diglot.pairing.similarity import union
from diglot.pairing.terms import TermClass, Terms, site_terms
from diglot.site import Column, Pairs, Rows, Site

Floats = npt.NDArray[np.float64]

FEATURES = (
    "order",
    "title",
    "cosine",
    "neutral",
    "likelihood",
    "likelihood_scaled",
    "against",
    "numbers",
    "codes",
    "length",
    "blocks",
    "structure",
    "address",
    "link",
    "frame",
    "margin",
    "margin_larger",
    "margin_likelihood",
)
"""Evidence by name; the last three are margins over the next best candidate."""
MARGIN = FEATURES.index("margin")
CONTENT = ("order", "likelihood", "likelihood_scaled", "cosine", "neutral", "structure")
"""Evidence whose mean is what pages are matched by, before addresses."""
LEAST_LIKENESS = 0.5
"""Translations are more alike than this in tags and lengths; what is less alike counts as this."""
MAX_FINGERPRINT = 2_000
"""Longer fingerprints are not compared: edit distances need time quadratic in the length."""
SECOND_PASS_BELOW = 0.6
"""Estimated share of true pairs below which the model is fitted once more on its surest pairs."""
TIE_SHARE_OF_SD = 0.001
"""A margin below this share of the spread of values is a tie: two pages fit equally, neither is taken."""
REFUSED = 0.49
SUPPORTED = 0.5
"""Address and link evidence, together at most 2, from which a pair stands on more than its content."""
MIN_SUPPORTED_SEEDS = 5
"""From so many on, only seeds that addresses or links support are learnt from: content alone confuses siblings."""
ADDRESS_VALUE = 1.0
"""What an address rule or a language switch adds to the matching value, where good content is about 1."""
FRAME_VALUE = 0.5
FRAME_BLOCKS = 8
MIN_NUMBER_SURVIVAL = 0.4
"""Translations keep numbers: confident pairs share .45 to .86 of them on sites with parallel pages, .26 to .33 on
the same sites with all partners taken away."""
MIN_SURVIVAL_PAIRS = 6


@dataclass(frozen=True)
class Fused:
    """Outcome for two languages of a site.

    ``pairs``: all candidates (n, 2), sorted; ``matched``: the one-to-one matching; ``probability`` and
    ``bits`` (n, len(FEATURES)): of each candidate, the bits being weight times anchored evidence;
    ``share``: estimated share of true pairs among the matched.
    """

    pairs: Pairs
    matched: Mask
    probability: Floats
    bits: Floats
    share: float
    notes: tuple[str, ...] = ()


def fused(site: Site, src_lang: str, tgt_lang: str, *, seed: int = 0) -> Fused:
    """Pair the pages of two languages of a site, computed once a site, language pair and seed."""
    return site.cached(("fused", src_lang, tgt_lang, seed), lambda: _fuse(site, src_lang, tgt_lang, seed))


def fused_candidates(site: Site, _src: Rows, _tgt: Rows, *, src_lang: str, tgt_lang: str, seed: int) -> Iterator[Pairs]:
    """Blocking rule: every pair the evidence was gathered for."""
    yield fused(site, src_lang, tgt_lang, seed=seed).pairs


def fused_decision(site: Site, pairs: Pairs, *, src_lang: str, tgt_lang: str, seed: int) -> Decision:
    """Probability of each pair; at most .49 for one that lost the matching to another."""
    outcome = fused(site, src_lang, tgt_lang, seed=seed)
    probability = outcome.probability[_rows_of(outcome, pairs, len(site))]
    return Decision(probability=probability.astype(np.float32), notes=outcome.notes)


def fused_bits(site: Site, pairs: Pairs, *, src_lang: str, tgt_lang: str, seed: int, feature: str) -> Column:
    """What one kind of evidence adds to the log odds of each pair, in bits; NaN for pairs never compared."""
    outcome = fused(site, src_lang, tgt_lang, seed=seed)
    rows = _rows_of(outcome, pairs, len(site))
    bits = np.append(outcome.bits[:, FEATURES.index(feature)], np.nan)
    column: Column = bits[rows].astype(np.float32)
    return column


def _rows_of(outcome: Fused, pairs: Pairs, pages: int) -> npt.NDArray[np.int64]:
    """Where the pairs stand among the candidates, -1 for one that was never compared."""
    known = outcome.pairs[:, 0].astype(np.int64) * pages + outcome.pairs[:, 1]
    asked = pairs[:, 0].astype(np.int64) * pages + pairs[:, 1]
    place = np.minimum(np.searchsorted(known, asked), len(known) - 1)
    return np.where(known[place] == asked, place, -1) if len(known) else np.full(len(asked), -1)


def _fuse(site: Site, src_lang: str, tgt_lang: str, seed: int) -> Fused:
    src, tgt = site.rows_of(src_lang), site.rows_of(tgt_lang)
    rng = np.random.default_rng([seed, xxhash.xxh3_64_intdigest("\n".join(site.urls).encode()) % 2**32])
    matching = match_pages(site, src, tgt)
    by_content = matching.pairs[match(matching.pairs, matching.similarity)]
    links = switch_links(site, src, tgt, by_content)
    rules = AddressRules(site, by_content, matching.pairs, matching.similarity)
    pairs = union(matching.pairs, rules.candidates(), np.array(sorted(links), np.int32).reshape(-1, 2))
    if not len(pairs):
        return Fused(pairs, np.zeros(0, bool), np.zeros(0), np.zeros((0, len(FEATURES))), 0.0)
    evidence = gather(site, (src, tgt), matching, pairs, rules, links)
    return decide(evidence, rng, survival=number_survival(site_terms(site), matching.training))


def gather(
    site: Site,
    rows: tuple[Rows, Rows],
    matching: Matching,
    pairs: Pairs,
    rules: AddressRules,
    links: dict[tuple[int, int], float],
) -> Evidence:
    """All scores of the candidates, and the value they are matched by."""
    terms = site_terms(site)
    order, title = order_scores(pairs, matching.side, matching.lexicon, matching.idf)
    ratios = likelihood(terms, rows, pairs, matching.training, matching.lexicon, matching.idf)
    lengths = text_lengths(terms)
    residual = np.abs(length_residual(lengths, pairs, matching.log_ratio)) / spread(lengths, pairs, matching.length_sd)
    blocks = np.diff(terms.block_offsets)[pairs].astype(np.float64)
    scores = {
        "order": order,
        "title": title,
        "cosine": matching.cosine_of(pairs),
        "neutral": matching.neutral_of(pairs),
        "likelihood": ratios.share,
        "likelihood_scaled": ratios.scaled,
        "against": ratios.against,
        "numbers": ratios.numbers,
        "codes": ratios.codes,
        "length": np.minimum(residual, 6),
        "blocks": np.abs(blocks[:, 0] - blocks[:, 1]) / np.maximum(blocks.max(axis=1), 1),
        "structure": structure(site, pairs),
        "address": rules.evidence(pairs).astype(np.float64),
        "link": np.array([links.get((i, j), 0.0) for i, j in pairs.tolist()]),
        "frame": frame_typicality(site, *rows)[pairs[:, 0]] + frame_typicality(site, *rows[::-1])[pairs[:, 1]],
    }
    content = [_relative(scores[name]) for name in CONTENT]
    value = np.mean(content, axis=0) + 0.01 * ratios.numbers + 0.5 * FRAME_VALUE * scores["frame"]
    value = value + ADDRESS_VALUE * (scores["address"] + scores["link"])
    columns = np.stack([np.asarray(scores[name], np.float64) for name in FEATURES[:MARGIN]], axis=1)
    return Evidence(pairs, columns, value, ratios.scaled)


def structure(site: Site, pairs: Pairs) -> Floats:
    """Bitextor's direct similarity of two pages' tags and text lengths (2010, 4.2); NaN for very long pages."""
    short = longer_fingerprint(site, pairs) <= MAX_FINGERPRINT
    similarity = np.full(len(pairs), np.nan)
    similarity[short] = direct_similarity(site, pairs[short], least=LEAST_LIKENESS)
    return similarity


def frame_typicality(site: Site, rows: Rows, others: Rows) -> Floats:
    """For every page of the site how common its eight commonest blocks are among ``rows``, in [0, 1].

    Blocks that stand on ``others`` too, the pages of the other language, do not count. A page left
    untranslated stands in its own edition's frame: among the originals it is untypical.
    """
    places = site.cached("block places", lambda: _block_places(site))
    here = np.isin(places[:, 0], rows)
    share = np.bincount(places[here, 1], minlength=int(places[:, 1].max(initial=0)) + 1) / max(len(rows), 1)
    share[places[np.isin(places[:, 0], others), 1]] = 0
    order = np.lexsort((-share[places[:, 1]], places[:, 0]))
    row, value = places[order, 0], share[places[order, 1]]
    top = np.arange(len(row)) - np.searchsorted(row, row) < FRAME_BLOCKS
    return np.asarray(np.bincount(row[top], weights=value[top], minlength=len(site)) / FRAME_BLOCKS)


def _block_places(site: Site) -> npt.NDArray[np.int64]:
    """Row and block text number of every block a page has, each once, sorted."""
    texts = pc.dictionary_encode(site.block_texts.flatten()).indices.to_numpy()
    return np.unique(np.stack([site.repeated_blocks.rows_of_values(), texts], axis=1), axis=0)


def _relative(score: Floats) -> Floats:
    """A score on the scale where the median candidate is 0 and the 95th percentile 1."""
    score = np.nan_to_num(np.asarray(score, np.float64))
    middle, high = np.median(score), np.quantile(score, 0.95)
    return (score - middle) / max(high - middle, 1e-9)


def decide(evidence: Evidence, rng: np.random.Generator, *, survival: float) -> Fused:
    """Match, learn what orphans look like, and put a probability on every candidate.

    ``survival``: share of numbers that matched pages have in common; where it is low the site gives no
    ground to believe that any pages are parallel, and only what addresses or links support is kept.
    """
    matched = match(evidence.pairs, evidence.value)
    features = np.hstack([evidence.columns, margins(evidence.pairs, evidence.value, evidence.scaled)])
    supported = (
        evidence.columns[:, FEATURES.index("address")] + evidence.columns[:, FEATURES.index("link")] >= SUPPORTED
    )
    seeds = seeds_of(evidence, matched)
    if (seeds & supported).sum() >= MIN_SUPPORTED_SEEDS:
        seeds &= supported
    model, share = _fit(evidence, features, matched, seeds, rng)
    probability = posterior(model.logit(features), share)
    if share < SECOND_PASS_BELOW and probability[matched].sum() >= 10:
        seeds = _surest(matched & (features[:, MARGIN] > 0), probability, int(0.7 * probability[matched].sum()))
        model, share = _fit(evidence, features, matched, seeds, rng)
        probability = posterior(model.logit(features), share)
    lost = ~matched | (features[:, MARGIN] < TIE_SHARE_OF_SD * evidence.value.std())
    notes: tuple[str, ...] = ()
    if survival < MIN_NUMBER_SURVIVAL:
        lost |= ~supported
        notes = (
            f"matched pages share only {survival:.0%} of their numbers, translations share more than half: "
            "kept only pairs that addresses or language links support",
        )
    probability = np.where(lost, np.minimum(probability, REFUSED), probability)
    bits = model.anchored(features) * model.weights / np.log(2)
    return Fused(evidence.pairs, matched, probability, bits, share, notes)


def _surest(eligible: Mask, probability: Floats, count: int) -> Mask:
    seeds = np.zeros(len(eligible), bool)
    order = np.lexsort((np.arange(len(eligible)), -probability))
    seeds[order[eligible[order]][:count]] = True
    return seeds


def _fit(
    evidence: Evidence, features: Floats, matched: Mask, seeds: Mask, rng: np.random.Generator
) -> tuple[OrphanModel, float]:
    orphans = simulated_orphans(evidence, seeds, rng)
    fresh = simulated_orphans(evidence, seeds, rng)
    model = fit_orphan_model(features[seeds], orphans)
    return model, parallel_share(*map(model.logit, (features[matched], features[seeds], fresh)))


def number_survival(terms: Terms, matched: Pairs) -> float:
    """Share of the numbers on the training pairs that stand on both pages; 1 where there are no or few pairs."""
    if len(matched) < MIN_SURVIVAL_PAIRS:
        return 1.0
    columns = np.flatnonzero(terms.classes == TermClass.NUMBER)
    present = terms.counts[:, columns] > 0
    src, tgt = present[matched[:, 0]], present[matched[:, 1]]
    total = src.sum() + tgt.sum()
    return float(2 * src.multiply(tgt).sum() / total) if total else 1.0
