"""From evidence to probabilities: match, learn what orphans look like on this site, and say how sure each pair is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from diglot.arrays import Floats, Mask, Pairs
from diglot.pairing.fused.doubts import MIN_LEAD_PAIRS, SUREST_SHARE, doubts
from diglot.pairing.fused.orphans import (
    Evidence,
    OrphanModel,
    fit_orphan_model,
    likeliest_share,
    margins,
    match,
    parallel_share,
    posterior,
    seeds_of,
    simulated_orphans,
)
from diglot.pairing.fused.prior import FEATURES, MARGIN, Prior, read_prior
from diglot.pairing.fused.terms import Terms

Copies = Mapping[int, Sequence[int]]
Fit = tuple[OrphanModel, float, Floats]

REFITTED_BELOW = 0.7
"""Estimated share of true pairs below which the model is fitted anew on its surest pairs."""
SUREST_OF_EXPECTED = (0.7, 0.7, 1.0)
"""Seeds of each such fit: the surest pairs, as a share of how many are expected to be true. Fewer at first, to leave
the orphans among them behind; then all, for the surest are not typical of the others."""
MIN_EXPECTED = 30
"""Fewer surest pairs tell nothing of the others: among near duplicates, each fit then believes in fewer pairs."""
TIE_SHARE_OF_SD = 0.001
"""A margin below this share of the spread of values is a tie."""
REFUSED = 0.49
"""Highest probability of a pair that lost the matching to another."""
TIED = 0.06
"""Highest probability of a pair that fits no better than a rival: 44 of 762 such pairs on 20 variants of evaluation
sites were right."""
GROUNDLESS = 0.05
"""Highest probability, at no operating point enough, of a pair on a site that gives no ground to believe in any."""
SUPPORTED = 0.5
"""Address and link evidence, together at most 2, from which a pair stands on more than its content."""
MIN_SUPPORTED_SEEDS = 5
"""From so many on, only seeds that addresses or links support are learnt from: content alone confuses siblings."""


@dataclass(frozen=True)
class Fused:
    """Outcome for two languages of a site.

    ``pairs``: all candidates (n, 2), sorted; ``matched``: the one-to-one matching; ``probability`` and
    ``bits`` (n, len(FEATURES)): of each candidate, the bits being weight times anchored evidence;
    ``share``: estimated share of true pairs among the matched. ``group_bits``: what pages of other languages
    add, NaN or nothing where they were not asked.
    """

    pairs: Pairs
    matched: Mask
    probability: Floats
    bits: Floats
    share: float
    notes: tuple[str, ...] = ()
    group_bits: Floats = field(default_factory=lambda: np.zeros(0))


def decide(evidence: Evidence, terms: Terms, rng: np.random.Generator, *, training: Pairs, copies: Copies) -> Fused:
    """Match, learn what orphans look like, and put a probability on every candidate.

    ``training``: pairs the lexicon was learnt from. Where the site gives no ground to believe that any pages are
    parallel (:func:`diglot.pairing.fused.doubts.doubts`), only what addresses or links support is kept.
    ``copies``: near copies of pages in their own language.
    """
    prior = read_prior()
    matched = match(evidence.pairs, evidence.value)
    features = np.hstack([evidence.columns, margins(evidence.pairs, evidence.value, evidence.scaled)])
    supported = (
        evidence.columns[:, FEATURES.index("address")] + evidence.columns[:, FEATURES.index("link")] >= SUPPORTED
    )
    seeds = seeds_of(evidence, matched)
    bereave = partial(simulated_orphans, evidence, rng=rng, copies=copies)
    if (seeds & supported).sum() >= MIN_SUPPORTED_SEEDS:
        seeds &= supported
    fit = partial(_fit, features, matched, bereave=bereave, prior=prior)
    model, share, orphans = fit(seeds)

    def surest() -> tuple[Floats, Floats]:
        best = _surest(seeds, model.logit(features), max(MIN_LEAD_PAIRS, int(SUREST_SHARE * seeds.sum())))
        return features[best], bereave(best)

    notes = doubts(terms, training, features[seeds], orphans, surest, prior)
    if share < REFITTED_BELOW:
        model, share = _refitted(features, matched, model, share, fit)
    probability = posterior(model.logit(features), share)
    probability = np.where(matched, probability, np.minimum(probability, REFUSED))
    tied = undecided(features, float(evidence.value.std()))
    probability = np.where(tied, np.minimum(probability, TIED), probability)
    if notes:
        probability = np.where(supported, probability, np.minimum(probability, GROUNDLESS))
    bits = model.anchored(features) * model.weights / np.log(2)
    return Fused(evidence.pairs, matched, probability, bits, share, notes)


def undecided(features: Floats, spread: float) -> Mask:
    """Pairs that fit as well as a rival of one of their pages, or are best of neither."""
    smaller, larger = features[:, MARGIN], features[:, MARGIN + 1]
    tie = TIE_SHARE_OF_SD * spread
    return np.asarray((np.abs(smaller) < tie) | ((smaller < tie) & (larger < tie)))


def _surest(eligible: Mask, probability: Floats, count: int) -> Mask:
    seeds = np.zeros(len(eligible), bool)
    order = np.lexsort((np.arange(len(eligible)), -probability))
    seeds[order[eligible[order]][:count]] = True
    return seeds


def _refitted(
    features: Floats, matched: Mask, model: OrphanModel, share: float, fit: Callable[[Mask], Fit]
) -> tuple[OrphanModel, float]:
    """The model fitted anew to the surest pairs, again and again, and the share of true pairs; as they were where
    hardly any are expected.

    The share that makes the log odds likeliest is a little low in the end, what overlap tells too high: their geometric
    mean.
    """
    eligible = matched & (features[:, MARGIN] > 0)
    overlap = share
    for part in SUREST_OF_EXPECTED:
        probability = posterior(model.logit(features), share)
        expected = probability[matched].sum()
        if expected < MIN_EXPECTED:
            break
        model, overlap, _ = fit(_surest(eligible, probability, int(part * expected)))
        share = likeliest_share(model.logit(features[matched]))
    return model, float(np.sqrt(share * overlap))


def _fit(features: Floats, matched: Mask, seeds: Mask, bereave: Callable[[Mask], Floats], prior: Prior) -> Fit:
    """The model of seeds against simulated orphans, the estimated share of true pairs, and those orphans."""
    orphans, fresh = bereave(seeds), bereave(seeds)
    model = fit_orphan_model(features[seeds], orphans, prior)
    logits = map(model.logit, (features[matched], features[seeds], fresh))
    return model, parallel_share(*logits, usual=prior.share), orphans
