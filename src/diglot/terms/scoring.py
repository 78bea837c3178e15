"""Step 7. Counts of groups of candidates; cohesion and association."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from diglot.arrays import Floats, Ints, Mask, distinct
from diglot.features.sparse_rows import products
from diglot.sparse import matrix_of_ones
from diglot.terms.candidates import Candidates, Phrases, Side
from diglot.terms.phrases import MAX_WORDS

FREE_SHARE = 0.2
"""Least share of segments with the term outside of longer terms; a smaller share marks a part of longer terms."""


class Counts(NamedTuple):
    """Counts of distinct segments by group: ``linked``, with a link between both sides; ``units``, linked with
    nothing else in the segment; ``src``, ``tgt``, with this side; ``src_linked``, ``tgt_linked``, with a link of this
    side to any candidate; ``both``, with both sides. ``weight``: mean probability of the links."""

    linked: Ints
    units: Ints
    src: Ints
    tgt: Ints
    src_linked: Ints
    tgt_linked: Ints
    both: Ints
    weight: Floats


def count(candidates: Candidates, groups: Ints, src: Phrases, tgt: Phrases, segments: int) -> Counts:
    """Counts of the groups."""
    size = int(groups.max(initial=-1)) + 1
    of_pairs = groups[candidates.numbers]
    linked = np.bincount(distinct(of_pairs * segments + candidates.pairs.segments) // max(segments, 1), minlength=size)
    units = np.bincount(groups, candidates.units, size).astype(np.int64)
    weight = np.bincount(of_pairs, candidates.pairs.weights, size) / np.maximum(
        np.bincount(of_pairs, minlength=size), 1
    )
    held, any_linked = [], []
    for number, phrases in ((candidates.src, src), (candidates.tgt, tgt)):
        members = matrix_of_ones(groups, number, (size, len(phrases.hashes)))
        held.append((members @ phrases.holds).as_ones())
        own = matrix_of_ones(number[candidates.numbers], candidates.pairs.segments, (len(phrases.hashes), segments))
        any_linked.append((members @ own).row_sizes())
    each_group = np.repeat(np.arange(size, dtype=np.int32)[:, None], 2, axis=1)
    both = products(held[0], held[1], each_group).astype(np.int64)
    src_held, tgt_held = (each.row_sizes() for each in held)
    return Counts(linked, units, src_held, tgt_held, any_linked[0], any_linked[1], both, weight)


def free_counts(candidates: Candidates, groups: Ints, strong: Mask, segments: int) -> Ints:
    """Number of segments with a link of each group that lies in no longer phrase of a ``strong`` group."""
    pairs, of_pairs = candidates.pairs, groups[candidates.numbers]
    nested = np.zeros(len(of_pairs), bool)
    for first, sizes in ((pairs.src_first, pairs.src_size), (pairs.tgt_first, pairs.tgt_size)):
        longest = np.zeros((MAX_WORDS + 1, int(first.max(initial=0)) + MAX_WORDS + 1), bool)
        chosen = strong[of_pairs]
        longest[sizes[chosen], first[chosen]] = True
        for size in range(1, MAX_WORDS):
            own = np.flatnonzero(sizes == size)
            for longer in range(size + 1, MAX_WORDS + 1):
                for back in range(longer - size + 1):
                    start = first[own] - back
                    nested[own] |= (start >= 0) & longest[longer, np.maximum(start, 0)]
    keys = distinct(of_pairs[~nested] * segments + pairs.segments[~nested])
    return np.bincount(keys // max(segments, 1), minlength=int(groups.max(initial=-1)) + 1)


def gram_counts(side: Side, hashes: np.ndarray, sizes: Ints) -> Ints:
    """Occurrences on a side of phrases, given by hash and number of words."""
    found = np.zeros(len(hashes), np.int64)
    for size in range(1, MAX_WORDS + 1):
        own = np.flatnonzero(sizes == size)
        if len(own):
            known, counts = np.unique(side.hashes[size - 1], return_counts=True)
            place = np.minimum(np.searchsorted(known, hashes[own]), len(known) - 1)
            found[own] = np.where(known[place] == hashes[own], counts[place], 0)
    return found


def cohesion(side: Side, phrases: Phrases) -> Floats:
    """Pointwise mutual information of the two parts of a phrase at the weakest joint, in bits; inf for single words."""
    weakest = np.full(len(phrases.hashes), np.inf)
    whole = np.maximum(gram_counts(side, phrases.hashes, phrases.sizes), 1)
    tokens = max(len(side.tokens), 1)
    table = np.stack(side.hashes)
    for cut in range(1, MAX_WORDS):
        rows = np.flatnonzero(phrases.sizes > cut)
        if not len(rows):
            break
        first, sizes = phrases.first[rows], phrases.sizes[rows]
        left = gram_counts(side, table[cut - 1, first], np.full(len(rows), cut))
        right = gram_counts(side, table[sizes - cut - 1, first + cut], sizes - cut)
        bits = np.log2(whole[rows] * tokens / (np.maximum(left, 1.0) * np.maximum(right, 1.0)))
        weakest[rows] = np.minimum(weakest[rows], bits)
    return weakest


def association(both: Ints, src: Ints, tgt: Ints, segments: int) -> Floats:
    """Log-likelihood ratio (Dunning 1993) of two phrases in the same segments, in nats; negative below chance."""
    table = np.stack((both, src - both, tgt - both, segments - src - tgt + both)).astype(float)
    rows = np.stack((src, src, segments - src, segments - src)).astype(float)
    columns = np.stack((tgt, segments - tgt, tgt, segments - tgt)).astype(float)
    expected = rows * columns / max(segments, 1)
    # An empty cell adds 0, the limit of x log x.
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(table > 0, table * np.log(table / expected), 0.0)
    return np.asarray(2 * terms.sum(axis=0) * np.where(table[0] >= expected[0], 1, -1))
