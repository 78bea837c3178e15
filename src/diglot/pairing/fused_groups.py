"""The fused decision over all languages of a site at once, where there are many."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from itertools import chain

import numpy as np
import numpy.typing as npt

from diglot.pairing.deciding import REFUSED, Fused
from diglot.pairing.frames import copies_in_foreign_frames
from diglot.pairing.fused import fused
from diglot.pairing.grouped import MAX_PAGES, MIN_LANGS, grouped
from diglot.pairing.orphans import posterior
from diglot.pairing.similarity import union
from diglot.site import Pairs, Site

Floats = npt.NDArray[np.float64]
Outcomes = Mapping[tuple[str, str], Fused]

EVEN = 0.5


def decided(site: Site, src_lang: str, tgt_lang: str, *, seed: int) -> Fused:
    """What :func:`diglot.pairing.fused.fused` says of two languages, or, of a site wanted in many, all of them.

    Two languages without ground to believe that any pages are parallel are not helped by the others.
    """
    outcomes = site.cached(("fused groups", seed), lambda: _decide_all(site, seed))
    return outcomes.get((src_lang, tgt_lang)) or fused(site, src_lang, tgt_lang, seed=seed)


def _decide_all(site: Site, seed: int) -> Outcomes:
    langs = [lang for lang in dict.fromkeys(chain(*zip(*site.lang_pairs, strict=True))) if len(site.rows_of(lang))]
    if len(langs) < MIN_LANGS or sum(len(site.rows_of(lang)) for lang in langs) > MAX_PAGES:
        return {}
    wanted = [pair for pair in site.lang_pairs if set(pair) <= set(langs)]
    alone = {pair: fused(site, *pair, seed=seed) for pair in wanted}
    alone = {pair: outcome for pair, outcome in alone.items() if not outcome.notes}
    odds = {pair: (outcome.pairs, _log_odds(outcome.probability)) for pair, outcome in alone.items()}
    pairs, values = grouped(site, langs, odds, without=copies_in_foreign_frames(site))
    tags = np.array(site.strings("lang"), dtype=object)[pairs]
    return {
        pair: _with_groups(outcome, pairs[(mine := (tags == pair).all(axis=1))], values[mine], len(site))
        for pair, outcome in alone.items()
    }


def _log_odds(probability: Floats) -> Floats:
    inside = np.clip(probability, 1e-6, 1 - 1e-6)
    return np.asarray(np.log(inside / (1 - inside)))


def _with_groups(outcome: Fused, pairs: Pairs, log_odds: Floats, pages: int) -> Fused:
    """The outcome with the probability that the groups give: pairs that are in none are refused."""
    both = union(outcome.pairs, pairs)
    keys = [rows[:, 0].astype(np.int64) * pages + rows[:, 1] for rows in (both, outcome.pairs, pairs)]
    alone, together = np.searchsorted(keys[0], keys[1]), np.searchsorted(keys[0], keys[2])
    probability, matched = np.zeros(len(both)), np.zeros(len(both), bool)
    probability[alone] = np.minimum(outcome.probability, REFUSED)
    probability[together] = posterior(log_odds, EVEN)
    matched[together] = True
    bits = np.full((len(both), outcome.bits.shape[1]), np.nan)
    bits[alone] = outcome.bits
    return dataclasses.replace(outcome, pairs=both, matched=matched, probability=probability, bits=bits)
