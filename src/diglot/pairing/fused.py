"""Pairing that needs nothing but the site: self-trained evidence, an orphan model, calibrated odds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc
import xxhash

from diglot.pairing.address_evidence import AddressRules, switch_links
from diglot.pairing.block_alignment import order_scores
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
from diglot.site import Pairs, Rows, Site

Floats = npt.NDArray[np.float64]

FEATURES = (
    "order",
    "title",
    "cosine",
    "likelihood",
    "likelihood_scaled",
    "against",
    "numbers",
    "codes",
    "length",
    "blocks",
    "address",
    "link",
    "frame",
    "margin",
    "margin_larger",
    "margin_likelihood",
)
"""Evidence by name; the last three are margins over the next best candidate."""
SECOND_PASS_BELOW = 0.6
TIE_SHARE_OF_SD = 0.001
ADDRESS_VALUE = 1.0
"""What an address rule or a language switch adds to the matching value, where good content is about 1."""

FRAME_VALUE = 0.5
FRAME_BLOCKS = 8


@dataclass(frozen=True)
class Fused:
    """Outcome for two languages of a site.

    ``pairs``: the matched ones (n, 2), one-to-one; ``probability``; ``features`` (n, len(FEATURES)) as
    measured; ``weights`` of the model on anchored features; ``share``: estimated share of true pairs;
    ``notes`` for the user.
    """

    pairs: Pairs
    probability: Floats
    features: Floats
    model: OrphanModel
    share: float
    notes: tuple[str, ...] = ()


def fuse(site: Site, src: Rows, tgt: Rows, *, seed: int = 0) -> Fused:
    """Pair the pages of two languages, rows ``src`` and ``tgt`` of the site."""
    rng = np.random.default_rng([seed, xxhash.xxh3_64_intdigest("\n".join(site.urls).encode()) % 2**32])
    matching = match_pages(site, src, tgt)
    by_content = matching.pairs[match(matching.pairs, matching.similarity)]
    links = switch_links(site, src, tgt, by_content)
    rules = AddressRules(site, src, tgt, by_content)
    extra = union(rules.candidates(), np.array(sorted(links), np.int32).reshape(-1, 2))
    evidence = gather(site, src, tgt, matching, union(matching.pairs, extra), rules, links)
    return decide(evidence, rng)


def gather(
    site: Site,
    src: Rows,
    tgt: Rows,
    matching: Matching,
    pairs: Pairs,
    rules: AddressRules,
    links: dict[tuple[int, int], float],
) -> Evidence:
    """All scores of the candidates, and the value they are matched by."""
    terms = site_terms(site)
    order, title = order_scores(pairs, matching.side, matching.lexicon, matching.idf)
    ratios = likelihood(terms, (src, tgt), pairs, matching.training, matching.lexicon, matching.idf)
    lengths = text_lengths(terms)
    residual = np.abs(length_residual(lengths, pairs, matching.log_ratio)) / spread(lengths, pairs, matching.length_sd)
    blocks = np.diff(terms.block_offsets)[pairs].astype(np.float64)
    difference = np.abs(blocks[:, 0] - blocks[:, 1]) / np.maximum(blocks.max(axis=1), 1)
    address = rules.evidence(pairs).astype(np.float64)
    link = np.array([links.get((i, j), 0.0) for i, j in pairs.tolist()])
    cosine = matching.cosine_of(pairs)
    frame = (frame_typicality(site, src, tgt)[pairs[:, 0]] + frame_typicality(site, tgt, src)[pairs[:, 1]]) / 2
    columns = np.stack(
        [
            order,
            title,
            cosine,
            ratios.share,
            ratios.scaled,
            ratios.against,
            ratios.numbers,
            ratios.codes,
            np.minimum(residual, 6),
            difference,
            address,
            link,
            frame,
        ],
        axis=1,
    ).astype(np.float64)
    content = np.mean([_relative(each) for each in (order, ratios.share, ratios.scaled, cosine)], axis=0)
    value = content + 0.01 * ratios.numbers + ADDRESS_VALUE * (address + link) + FRAME_VALUE * frame
    return Evidence(pairs, columns, value, ratios.scaled)


def frame_typicality(site: Site, rows: Rows, others: Rows) -> Floats:
    """For every page of the site how common its eight commonest blocks are among ``rows``, in [0, 1].

    Blocks that stand on ``others`` too, the pages of the other language, do not count. A page left
    untranslated stands in its own edition's frame: among the originals it is untypical.
    """
    texts = pc.dictionary_encode(site.block_texts.flatten()).indices.to_numpy()
    offsets = site.repeated_blocks.offsets
    row = np.repeat(np.arange(len(site)), np.diff(offsets))
    places = np.unique(np.stack([row, texts], axis=1), axis=0)
    here = np.isin(places[:, 0], rows)
    share = np.bincount(places[here, 1], minlength=int(texts.max(initial=0)) + 1) / max(len(rows), 1)
    share[places[np.isin(places[:, 0], others), 1]] = 0
    order = np.lexsort((-share[places[:, 1]], places[:, 0]))
    row, value = places[order, 0], share[places[order, 1]]
    first = np.searchsorted(row, np.arange(len(site)))
    top = np.arange(len(row)) - first[row] < FRAME_BLOCKS
    total = np.bincount(row[top], weights=value[top], minlength=len(site))
    return np.asarray(total / FRAME_BLOCKS)


def _relative(score: Floats) -> Floats:
    """A score on the scale where the median candidate is 0 and the 95th percentile 1."""
    score = np.nan_to_num(np.asarray(score, np.float64))
    if not len(score):
        return score
    middle, high = np.median(score), np.quantile(score, 0.95)
    return (score - middle) / max(high - middle, 1e-9)


def decide(evidence: Evidence, rng: np.random.Generator) -> Fused:
    """Match, learn what orphans look like, and put a probability on every matched pair."""
    matched = match(evidence.pairs, evidence.value)
    features = np.hstack([evidence.columns, margins(evidence.pairs, evidence.value, evidence.scaled)])
    prior = np.zeros(features.shape[1])
    seeds = seeds_of(evidence, matched)
    model, share = _fit(evidence, features, matched, seeds, prior, rng)
    logit = model.logit(features[matched])
    probability = posterior(logit, share)
    if share < SECOND_PASS_BELOW and probability.sum() >= 10:
        best = np.flatnonzero(matched)[np.argsort(-logit, kind="stable")[: int(0.7 * probability.sum())]]
        seeds = np.zeros(len(matched), bool)
        seeds[best] = True
        seeds &= features[:, -3] > 0
        model, share = _fit(evidence, features, matched, seeds, prior, rng)
        probability = posterior(model.logit(features[matched]), share)
    tied = features[matched, -3] < TIE_SHARE_OF_SD * evidence.value.std()
    probability = np.where(tied, np.minimum(probability, 0.49), probability)
    return Fused(evidence.pairs[matched], probability, features[matched], model, share)


def _fit(
    evidence: Evidence,
    features: Floats,
    matched: npt.NDArray[np.bool_],
    seeds: npt.NDArray[np.bool_],
    prior: Floats,
    rng: np.random.Generator,
) -> tuple[OrphanModel, float]:
    orphans = simulated_orphans(evidence, seeds, rng)
    fresh = simulated_orphans(evidence, seeds, rng)
    model = fit_orphan_model(features[seeds], orphans, prior)
    return model, parallel_share(model.logit(features[matched]), model.logit(fresh))


def number_survival(terms: Terms, training: Pairs) -> float:
    """Share of the numbers on the training pairs' source pages that their targets hold too; NaN without any."""
    is_number = terms.classes == TermClass.NUMBER
    present = terms.counts[:, np.flatnonzero(is_number)] > 0
    src, tgt = present[training[:, 0]], present[training[:, 1]]
    total = src.sum()
    return float(src.multiply(tgt).sum() / total) if total else float("nan")
