"""Pairs implied by a third language: translations of a page in two languages translate each other."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Mapping
from itertools import combinations

import numpy as np

from diglot.pairing.fused.decision import Outcome, bits_gained, with_candidates
from diglot.site import Site

ACCEPTED = 0.5
"""Least probability of accepted pairs: they imply further pairs, and bar their pages from implied pairs."""


def with_implied_pairs(site: Site, alone: Mapping[tuple[str, str], Outcome]) -> dict[tuple[str, str], Outcome]:
    """The outcomes with the pairs that a third language implies; ``alone``: outcomes of two languages by themselves.

    A page whose pairs in two languages are both right has translations there that translate each other. The
    probability of such a pair is at least the product of the two, if neither page has a pair in the language of the
    other. Of several implied pairs of a page the most probable is taken.
    """
    partners: defaultdict[int, dict[str, tuple[int, float]]] = defaultdict(dict)
    for (src, tgt), outcome in alone.items():
        accepted = outcome.matched & (outcome.probability >= ACCEPTED)
        rows = zip(outcome.pairs[accepted].tolist(), outcome.probability[accepted].tolist(), strict=True)
        for (i, j), chance in rows:
            partners[i][tgt], partners[j][src] = (j, chance), (i, chance)
    implied: defaultdict[tuple[str, str], dict[tuple[int, int], float]] = defaultdict(dict)
    for found in partners.values():
        for (src, (i, one)), (tgt, (j, other)) in combinations(found.items(), 2):
            if tgt not in partners[i] and src not in partners[j]:
                pair, langs = ((i, j), (src, tgt)) if (src, tgt) in alone else ((j, i), (tgt, src))
                implied[langs][pair] = max(one * other, implied[langs].get(pair, 0.0))
    return {langs: _with_pairs(site, outcome, _one_to_one(implied[langs])) for langs, outcome in alone.items()}


def _one_to_one(implied: Mapping[tuple[int, int], float]) -> dict[tuple[int, int], float]:
    """The pairs that are the most probable of both pages, by the order of their rows where equal."""
    taken: set[tuple[int, int]] = set()
    kept = {}
    for (i, j), chance in sorted(implied.items(), key=lambda pair: (-pair[1], pair[0])):
        if not taken & {(0, i), (1, j)}:
            taken |= {(0, i), (1, j)}
            kept[i, j] = chance
    return dict(sorted(kept.items()))


def _with_pairs(site: Site, outcome: Outcome, implied: Mapping[tuple[int, int], float]) -> Outcome:
    """The outcome with implied pairs, in place of what their pages had in the matching."""
    if not implied:
        return outcome
    new = np.array(list(implied), np.int32)
    widened, places = with_candidates(site, outcome, new)
    is_taken = [np.isin(widened.pairs[:, side], new[:, side]) for side in (0, 1)]
    probability, matched = widened.probability.copy(), widened.matched & ~np.any(is_taken, axis=0)
    probability[places], matched[places] = np.maximum(probability[places], list(implied.values())), True
    group_bits = np.full(len(probability), np.nan)
    group_bits[places] = bits_gained(widened, probability)[places]
    return dataclasses.replace(widened, matched=matched, probability=probability, group_bits=group_bits)
