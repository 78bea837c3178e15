"""From evidence to probabilities: match, learn how orphans look on this site, and rate every pair."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from diglot.arrays import Floats, Ints, Mask, Pairs
from diglot.features.sparse_rows import union
from diglot.pairing.fused.evidence import ADDRESS, FEATURES, LINK, MARGIN, MARGIN_LARGER, Evidence
from diglot.pairing.fused.matching import Matching, one_to_one
from diglot.pairing.fused.orphans import (
    PRIOR_PAGES,
    SHARE_RANGE,
    OrphanModel,
    best_pairs,
    fit_orphan_model,
    likeliest_share,
    log_odds,
    parallel_share,
    posterior,
    seeds_of,
    simulated_orphans,
)
from diglot.pairing.fused.prior import Prior
from diglot.pairing.fused.sanity_checks import MIN_LEAD_PAIRS, SUREST_SHARE, failed_checks
from diglot.pairing.fused.words import SiteWords
from diglot.site import Site

MIN_SUPPORTED_SEEDS = 5
"""Least number of supported seeds for a fit to supported seeds alone: content alone confuses siblings."""

# When the model is fitted anew, and to what. Calibrated together on sites with a sixth of their pages parallel.
REFITTED_BELOW = 0.7
"""Estimated share of true pairs; below, the model is fitted again on the surest pairs."""
SUREST_OF_EXPECTED = (0.7, 0.7, 1.0)
"""Seeds of each further fit, as a share of the expected true pairs: first the surest alone, to leave out orphans; then
all, because the surest pairs are not typical."""
MIN_EXPECTED = 30
"""Least expected number of true pairs for a further fit: with fewer, among near duplicates, each fit believes in fewer
pairs than the last."""

# Caps on the probability of pairs that their evidence alone would make too sure.
REFUSED = 0.49
"""Highest probability of a pair outside of the matching."""
TIED = 0.06
"""Highest probability of a pair no better than a rival: about the share of right pairs among such pairs."""
MISSED_BY_TIE = 0.5
"""True pairs missed by a tie, as a share of the probability of the tied pair before the cap: one of two rivals is
right."""
TIE_SHARE_OF_SD = 0.001
"""A margin below this share of the spread of values is a tie."""
DOUBTFUL_SITE = 0.05
"""Highest probability of a pair without support on a site that fails the sanity checks: below all operating points."""


@dataclass(frozen=True)
class Outcome:
    """The verdict on the candidates of two languages of a site.

    ``pairs``: all candidates (n, 2), sorted. ``matched`` (n,): mask of the one-to-one matching. ``probability`` (n,).
    ``bits`` (n, len(FEATURES)): weight times anchored evidence; links that lead elsewhere count as links. ``share``:
    estimated share of true pairs among the matched. ``matching``: the lexicon and training pairs of the evidence.
    ``group_bits``: change of the log odds by pages of other languages; NaN, or an empty array, without groups.
    ``missed``: expected number of true pairs missed because rivals tie.
    """

    pairs: Pairs
    matched: Mask
    probability: Floats
    bits: Floats
    share: float
    matching: Matching
    notes: tuple[str, ...] = ()
    group_bits: Floats = field(default_factory=lambda: np.zeros(0))
    missed: float = 0.0


class Fit(NamedTuple):
    """A model of seeds against simulated orphans, and the share of true pairs among the matched."""

    model: OrphanModel
    share: float


@dataclass(frozen=True)
class Fitting:
    """The input of a fit: candidates with all their evidence, the matching, and the prior of other sites.

    ``best``: mask of the matched pairs that are the best of both pages.
    """

    evidence: Evidence
    features: Floats
    matched: Mask
    best: Mask
    prior: Prior
    rng: np.random.Generator

    def orphans(self, together: Mask) -> Floats:
        """Evidence of simulated orphans' pairs, (m, len(FEATURES)); drawn anew at every call."""
        return simulated_orphans(self.evidence, together, self.rng)

    def fit(self, seeds: Mask) -> Fit:
        """The model of ``seeds``, and the share of true pairs by a second set of orphans, unseen by the model."""
        # All best pairs lose pages, for sites have pages of several kinds: sections that are translated, and news that
        # are not. How wrong pairs look among the news, only the news can show.
        orphans, fresh = self.orphans(self.best), self.orphans(self.best)
        model = fit_orphan_model(self.features[seeds], orphans, self.prior)
        logits = map(model.logit, (self.features[self.matched], self.features[seeds], fresh))
        return Fit(model, parallel_share(*logits, usual=self.prior.share))


def decide(evidence: Evidence, words: SiteWords, matching: Matching, prior: Prior, rng: np.random.Generator) -> Outcome:
    """Match, learn how orphans look, and put a probability on every candidate.

    If the sanity checks fail (:func:`diglot.pairing.fused.sanity_checks.failed_checks`), pairs without support
    by addresses or links get at most :data:`DOUBTFUL_SITE`.
    """
    if not len(evidence.pairs):
        none = np.zeros(0)
        return Outcome(evidence.pairs, none.astype(bool), none, np.zeros((0, len(FEATURES))), 0.0, matching)
    matched, supported = one_to_one(evidence.pairs, evidence.value), evidence.support_mask()
    fitting = Fitting(evidence, evidence.features, matched, best_pairs(evidence, matched), prior, rng)
    seeds = seeds_of(evidence, matched)
    if (seeds & supported).sum() >= MIN_SUPPORTED_SEEDS:
        seeds &= supported
    first = fitting.fit(seeds)
    notes = failed_checks(
        words,
        matching.training,
        fitting.features[seeds],
        fitting.orphans(seeds),
        lambda: _surest_and_orphans(fitting, seeds, first.model),
        prior,
    )
    model, share = _refit(fitting, first) if first.share < REFITTED_BELOW else (first.model, first.share)
    # A translation may be at an address missing on the site, unless an address or link supports the pair at hand.
    elsewhere = np.where(supported, 0.0, np.log1p(-evidence.elsewhere))
    logit = model.logit(fitting.features)
    by_support = _odds_by_support(posterior(logit, share), matched, supported)
    probability = posterior(logit + elsewhere + by_support, share)
    tied = find_ties(fitting.features, float(evidence.value.std()))
    # On a site that fails the checks, no probability is believed.
    missed = 0.0 if notes else MISSED_BY_TIE * float(probability[matched & tied].sum())
    for capped, most in ((~matched, REFUSED), (tied, TIED), (~supported & bool(notes), DOUBTFUL_SITE)):
        probability = np.where(capped, np.minimum(probability, most), probability)
    bits = _bits_of(fitting, model, elsewhere, by_support)
    return Outcome(evidence.pairs, matched, probability, bits, share, matching, notes, missed=missed)


def _bits_of(fitting: Fitting, model: OrphanModel, elsewhere: Floats, by_support: Floats) -> Floats:
    """Evidence of every pair in bits, for people to read, (n, len(FEATURES)): weight times anchored value.

    ``elsewhere`` and ``by_support``: other changes of the log odds, in nats, (n,). The first counts as links; the
    second as addresses, or as links where they support the pair more.
    """
    nats, columns = model.anchor(fitting.features) * model.weights, fitting.evidence.columns
    nats[:, LINK] += elsewhere
    nats[np.arange(len(nats)), np.where(columns[:, LINK] > columns[:, ADDRESS], LINK, ADDRESS)] += by_support
    return nats / np.log(2)


def _odds_by_support(probability: Floats, matched: Mask, supported: Mask) -> Floats:
    """Change of the log odds of every pair, (n,), by the share of true pairs among those with support, and without.

    On a site with an address rule or a switch, most pairs with support are true, and a page without a supported pair
    often has no translation. Each share is the mean probability of the matched pairs of its kind, shrunk to that of all
    matched pairs, with which it is compared. Without any support nothing changes.
    """
    usual = probability[matched].mean()
    every, with_support, without = (
        log_odds(np.clip((probability[kind].sum() + PRIOR_PAGES * usual) / (kind.sum() + PRIOR_PAGES), *SHARE_RANGE))
        for kind in (matched, matched & supported, matched & ~supported)
    )
    return np.where(supported, with_support - every, without - every)


def raise_pairs(outcome: Outcome, declared: Mask, least: float, column: int) -> Outcome:
    """The outcome with at least this probability for the matched pairs of a mask (n,); the added bits count as
    evidence of a column."""
    raised = outcome.matched & declared & (outcome.probability < least)
    probability = np.where(raised, least, outcome.probability)
    bits = outcome.bits.copy()
    bits[raised, column] += (log_odds(least) - log_odds(outcome.probability[raised])) / np.log(2)
    return replace(outcome, probability=probability, bits=bits)


def with_candidates(site: Site, outcome: Outcome, pairs: Pairs) -> tuple[Outcome, Ints]:
    """The outcome with more candidates, of probability 0, unmatched and without bits; and the places of ``pairs``."""
    both = union(outcome.pairs, pairs)
    # A union is sorted, so that pairs are found by bisection.
    keys = site.pair_keys(both)
    before, places = (np.searchsorted(keys, site.pair_keys(each)) for each in (outcome.pairs, pairs))
    probability, matched = np.zeros(len(both)), np.zeros(len(both), bool)
    probability[before], matched[before] = outcome.probability, outcome.matched
    bits = np.full((len(both), outcome.bits.shape[1]), np.nan)
    bits[before] = outcome.bits
    return replace(outcome, pairs=both, matched=matched, probability=probability, bits=bits), places


def bits_gained(outcome: Outcome, probability: Floats) -> Floats:
    """Bits from the log odds of every candidate to a new probability, (n,); from even odds without evidence."""
    own = np.where(np.isnan(outcome.bits).any(axis=1), 0.0, log_odds(outcome.probability))
    return (log_odds(probability) - own) / np.log(2)


def find_ties(features: Floats, spread: float) -> Mask:
    """Mask of pairs that tie with a rival of one page, or lose to a rival of both pages."""
    smaller, larger = features[:, MARGIN], features[:, MARGIN_LARGER]
    tie = TIE_SHARE_OF_SD * spread
    return np.asarray((np.abs(smaller) < tie) | ((smaller < tie) & (larger < tie)))


def _surest_and_orphans(fitting: Fitting, seeds: Mask, model: OrphanModel) -> tuple[Floats, Floats]:
    """Evidence of the surest seeds, and of the pairs of orphans simulated from the seeds."""
    best = _surest(seeds, model.logit(fitting.features), max(MIN_LEAD_PAIRS, int(SUREST_SHARE * seeds.sum())))
    return fitting.features[best], fitting.orphans(best)


def _surest(eligible: Mask, certainty: Floats, count: int) -> Mask:
    """Mask of the ``count`` eligible pairs of the highest certainty, (n,); of equal pairs, the first."""
    surest = np.zeros(len(eligible), bool)
    order = np.lexsort((np.arange(len(eligible)), -certainty))
    surest[order[eligible[order]][:count]] = True
    return surest


def _refit(fitting: Fitting, first: Fit) -> tuple[OrphanModel, float]:
    """The model fitted again and again to the surest pairs, and the share of true pairs."""
    model, share, overlap = first.model, first.share, first.share
    matched, features = fitting.matched, fitting.features
    for part in SUREST_OF_EXPECTED:
        probability = posterior(model.logit(features), share)
        expected = probability[matched].sum()
        if expected < MIN_EXPECTED:
            break
        model, overlap = fitting.fit(_surest(fitting.best, probability, int(part * expected)))
        share = likeliest_share(model.logit(features[matched]))
    # The likeliest share is a little low in the end, the share by overlap too high.
    return model, float(np.sqrt(share * overlap))
