"""The fused decision over all languages of a site at once, where there are many."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import chain

import numpy as np
import numpy.typing as npt

from diglot.pairing.assignment import Mask
from diglot.pairing.cascade import Decision
from diglot.pairing.deciding import Fused
from diglot.pairing.frames import no_candidates
from diglot.pairing.fused import fused
from diglot.pairing.fused_prior import FEATURES, read_prior
from diglot.pairing.grouped import MAX_PAGES, MIN_LANGS, grouped
from diglot.pairing.orphans import posterior
from diglot.pairing.similarity import union
from diglot.site import Column, Pairs, Rows, Site

Floats = npt.NDArray[np.float64]
Outcomes = Mapping[tuple[str, str], Fused]

EVEN = 0.5
OUTSIDE = 0.02
"""Highest probability of a pair in no group: of 120 that were believed in two languages at a time, and of which the
gold of three evaluation sites says something, one was right."""
GROUP = "group"
"""Evidence of the other languages: what their pages add to the log odds of a pair."""


def decided(site: Site, src_lang: str, tgt_lang: str, *, seed: int) -> Fused:
    """What :func:`diglot.pairing.fused.fused` says of two languages, or, of a site wanted in many, all of them.

    Where two languages by themselves give no ground to believe that any pages are parallel, only pages are paired that
    are both paired with one page of a third.
    """
    outcomes = site.cached(("fused groups", seed), lambda: _decide_all(site, seed))
    return outcomes.get((src_lang, tgt_lang)) or fused(site, src_lang, tgt_lang, seed=seed)


def fused_candidates(site: Site, _src: Rows, _tgt: Rows, *, src_lang: str, tgt_lang: str, seed: int) -> Iterator[Pairs]:
    """Blocking rule: every pair the evidence was gathered for."""
    yield decided(site, src_lang, tgt_lang, seed=seed).pairs


def fused_decision(site: Site, pairs: Pairs, *, src_lang: str, tgt_lang: str, seed: int) -> Decision:
    """Probability of each pair; at most .49 for one that lost the matching to another, NaN if never compared."""
    outcome = decided(site, src_lang, tgt_lang, seed=seed)
    probability = np.append(outcome.probability, np.nan)[_rows_of(site, outcome, pairs)]
    return Decision(probability=probability.astype(np.float32), notes=outcome.notes)


def fused_bits(site: Site, pairs: Pairs, *, src_lang: str, tgt_lang: str, seed: int, feature: str) -> Column:
    """What one kind of evidence adds to the log odds of each pair, in bits; NaN for pairs never compared."""
    outcome = decided(site, src_lang, tgt_lang, seed=seed)
    bits = outcome.bits[:, FEATURES.index(feature)] if feature != GROUP else outcome.group_bits
    bits = bits if len(bits) else np.full(len(outcome.pairs), np.nan)
    column: Column = np.append(bits, np.nan)[_rows_of(site, outcome, pairs)].astype(np.float32)
    return column


def _rows_of(site: Site, outcome: Fused, pairs: Pairs) -> npt.NDArray[np.int64]:
    """Where the pairs stand among the candidates, -1 for one that was never compared."""
    known, asked = site.pair_keys(outcome.pairs), site.pair_keys(pairs)
    place = np.minimum(np.searchsorted(known, asked), len(known) - 1)
    return np.where(known[place] == asked, place, -1) if len(known) else np.full(len(asked), -1)


def _decide_all(site: Site, seed: int) -> Outcomes:
    langs = [lang for lang in dict.fromkeys(chain(*zip(*site.lang_pairs, strict=True))) if len(site.rows_of(lang))]
    if len(langs) < MIN_LANGS or sum(len(site.rows_of(lang)) for lang in langs) > MAX_PAGES:
        return {}
    wanted = [pair for pair in site.lang_pairs if set(pair) <= set(langs)]
    alone = {pair: fused(site, *pair, seed=seed) for pair in wanted}
    sure = {pair: outcome for pair, outcome in alone.items() if not outcome.notes}
    odds = {pair: (outcome.pairs, log_odds(outcome.probability)) for pair, outcome in sure.items()}
    pairs, features = grouped(site, langs, odds, without=no_candidates(site))
    values = read_prior().group_log_odds(features)
    tags = np.array(site.strings("lang"), dtype=object)[pairs]
    spoken = {pair: (tags == pair).all(axis=1) for pair in wanted}
    borne = _borne_by_a_third(pairs, (values > 0) & sum((spoken[pair] for pair in sure), np.zeros(len(pairs), bool)))
    outcomes = {}
    for pair, outcome in alone.items():
        mine, outside = (spoken[pair], OUTSIDE) if pair in sure else (spoken[pair] & borne, 1.0)
        outcomes[pair] = _with_groups(outcome, pairs[mine], values[mine], site, outside=outside)
    return outcomes


def _borne_by_a_third(pairs: Pairs, sure: Mask) -> Mask:
    """Which pairs have two pages that both are in a sure pair with one and the same page."""
    partners: defaultdict[int, set[int]] = defaultdict(set)
    for i, j in pairs[sure].tolist():
        partners[i].add(j)
        partners[j].add(i)
    return np.array([bool(partners[i] & partners[j]) for i, j in pairs.tolist()], bool)


def log_odds(probability: Floats) -> Floats:
    """Log odds in nats of probabilities (n,), which are kept a millionth off 0 and 1."""
    inside = np.clip(probability, 1e-6, 1 - 1e-6)
    return np.asarray(np.log(inside / (1 - inside)))


def _with_groups(outcome: Fused, pairs: Pairs, odds: Floats, site: Site, *, outside: float) -> Fused:
    """The outcome with the probability that the groups give to ``pairs``, and at most ``outside`` for all others."""
    both = union(outcome.pairs, pairs)
    keys = site.pair_keys(both)
    alone, together = (np.searchsorted(keys, site.pair_keys(each)) for each in (outcome.pairs, pairs))
    probability, matched = np.zeros(len(both)), np.zeros(len(both), bool)
    probability[alone] = np.minimum(outcome.probability, outside)
    probability[together] = posterior(odds, EVEN)
    matched[together] = True
    bits = np.full((len(both), outcome.bits.shape[1]), np.nan)
    bits[alone] = outcome.bits
    own = np.zeros(len(both))
    own[alone] = log_odds(outcome.probability)
    group_bits = (log_odds(probability) - own) / np.log(2)
    return dataclasses.replace(
        outcome, pairs=both, matched=matched, probability=probability, bits=bits, group_bits=group_bits
    )
