"""From evidence to probabilities: match, learn what orphans look like on this site, and say how sure each pair is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from diglot.pairing.assignment import Mask
from diglot.pairing.fused_prior import FEATURES, MARGIN, Prior, read_prior
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
from diglot.pairing.terms import TermClass, Terms
from diglot.site import Pairs

Floats = npt.NDArray[np.float64]
Copies = Mapping[int, Sequence[int]]

SECOND_PASS_BELOW = 0.6
"""Estimated share of true pairs below which the model is fitted once more on its surest pairs."""
TIE_SHARE_OF_SD = 0.001
"""A margin below this share of the spread of values is a tie."""
REFUSED = 0.49
GROUNDLESS = 0.05
"""Highest probability, at no operating point enough, of a pair on a site that gives no ground to believe in any."""
SUPPORTED = 0.5
"""Address and link evidence, together at most 2, from which a pair stands on more than its content."""
MIN_SUPPORTED_SEEDS = 5
"""From so many on, only seeds that addresses or links support are learnt from: content alone confuses siblings."""
MIN_NUMBER_SURVIVAL = 0.4
"""Translations keep numbers: confident pairs share .45 to .86 of them on sites with parallel pages, .26 to .33 on
the same sites with all partners taken away."""
MIN_SURVIVAL_PAIRS = 10
"""Fewer pairs, on six pages of a language, may be the wrong siblings of the right ones and still share few numbers."""


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


def decide(evidence: Evidence, terms: Terms, rng: np.random.Generator, *, training: Pairs, copies: Copies) -> Fused:
    """Match, learn what orphans look like, and put a probability on every candidate.

    ``training``: pairs the lexicon was learnt from. Where they share few numbers, the site
    gives no ground to believe that any pages are parallel, and only what addresses or links support is kept.
    ``copies``: near copies of pages in their own language.
    """
    prior = read_prior()
    matched = match(evidence.pairs, evidence.value)
    features = np.hstack([evidence.columns, margins(evidence.pairs, evidence.value, evidence.scaled)])
    supported = (
        evidence.columns[:, FEATURES.index("address")] + evidence.columns[:, FEATURES.index("link")] >= SUPPORTED
    )
    seeds = seeds_of(evidence, matched)
    survival = number_survival(terms, training)
    if (seeds & supported).sum() >= MIN_SUPPORTED_SEEDS:
        seeds &= supported
    model, share = _fit(evidence, features, matched, seeds, rng, copies, prior)
    probability = posterior(model.logit(features), share)
    if share < SECOND_PASS_BELOW and probability[matched].sum() >= 10:
        seeds = _surest(matched & (features[:, MARGIN] > 0), probability, int(0.7 * probability[matched].sum()))
        model, share = _fit(evidence, features, matched, seeds, rng, copies, prior)
        probability = posterior(model.logit(features), share)
    lost = ~matched | undecided(features, float(evidence.value.std()))
    notes: tuple[str, ...] = ()
    if survival < MIN_NUMBER_SURVIVAL:
        notes = (
            f"matched pages share only {survival:.0%} of their numbers, translations share more than half: "
            "kept only pairs that addresses or language links support",
        )
    probability = np.where(lost, np.minimum(probability, REFUSED), probability)
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


def _fit(
    evidence: Evidence,
    features: Floats,
    matched: Mask,
    seeds: Mask,
    rng: np.random.Generator,
    copies: Copies,
    prior: Prior,
) -> tuple[OrphanModel, float]:
    orphans = simulated_orphans(evidence, seeds, rng, copies=copies)
    fresh = simulated_orphans(evidence, seeds, rng, copies=copies)
    model = fit_orphan_model(features[seeds], orphans, prior)
    logits = map(model.logit, (features[matched], features[seeds], fresh))
    return model, parallel_share(*logits, usual=prior.share)


def number_survival(terms: Terms, matched: Pairs) -> float:
    """Share of the numbers on matched pages that stand on both; 1 where there are no or few pairs."""
    if len(matched) < MIN_SURVIVAL_PAIRS:
        return 1.0
    columns = np.flatnonzero(terms.classes == TermClass.NUMBER)
    present = terms.counts[:, columns] > 0
    src, tgt = present[matched[:, 0]], present[matched[:, 1]]
    total = src.sum() + tgt.sum()
    return float(2 * src.multiply(tgt).sum() / total) if total else 1.0
