"""Step 4. Phrase pairs: runs of words on both sides with all their links inside the pair; places of phrases."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from diglot.arrays import Floats, Ints, Mask
from diglot.terms.links import Links
from diglot.terms.tokens import Tokens

MAX_WORDS = 6
"""Most words of a phrase."""
_MIX = np.uint64(0x9E3779B97F4A7C15)
_PRIME = np.uint64(0x100000001B3)

Hashes = npt.NDArray[np.uint64]


class Pairs(NamedTuple):
    """Occurrences of phrase pairs: hash, first token and number of words of both phrases, segment, mean probability of
    the links."""

    src: Hashes
    tgt: Hashes
    src_first: Ints
    src_size: Ints
    tgt_first: Ints
    tgt_size: Ints
    segments: Ints
    weights: Floats

    def take(self, rows: Ints | Mask) -> Pairs:
        """The occurrences in these rows."""
        columns: list[Any] = [column[rows] for column in self]
        return Pairs(*columns)


def hashes(tokens: Tokens) -> list[Hashes]:
    """Hashes of the phrases of 1, 2, ... :data:`MAX_WORDS` words from each token on: arrays of shape (tokens,), 0 for a
    phrase over a break."""
    words = (tokens.words.astype(np.uint64) + np.uint64(1)) * _MIX
    words ^= words >> np.uint64(29)
    words *= _PRIME
    found = [words]
    broken = np.zeros(len(tokens), bool)
    for size in range(2, MAX_WORDS + 1):
        before = found[-1]
        grown = np.zeros(len(tokens), np.uint64)
        if len(tokens) >= size:
            last = words[size - 1 :]
            grown[: len(last)] = ((before[: len(last)] ^ (last >> np.uint64(7))) * _PRIME) ^ last
            broken[: len(last)] |= tokens.breaks[size - 1 :]
            broken[len(last) :] = True
            grown[broken] = 0
        found.append(grown)
    return found


def phrase_pairs(src: Tokens, tgt: Tokens, links: Links, src_hashes: list[Hashes], tgt_hashes: list[Hashes]) -> Pairs:
    """All pairs of phrases with linked words at both ends and all links inside the pair."""
    src_low, src_high = _reach(links.src, links.tgt, len(src))
    tgt_low, tgt_high = _reach(links.tgt, links.src, len(tgt))
    weight = np.bincount(links.src, links.weights, len(src))
    number = np.bincount(links.src, minlength=len(src)).astype(np.float64)
    found = []
    low, high, total, count = src_low.copy(), src_high.copy(), weight.copy(), number.copy()
    for size in range(1, MAX_WORDS + 1):
        if size > 1:
            if len(src) < size:
                break
            # The reach of a longer phrase, from the phrase one word shorter.
            low = np.minimum(low[:-1], src_low[size - 1 :])
            high = np.maximum(high[:-1], src_high[size - 1 :])
            total = total[:-1] + weight[size - 1 :]
            count = count[:-1] + number[size - 1 :]
        n = len(low)
        fits = (src_high[:n] >= 0) & (src_high[size - 1 :][:n] >= 0) & (src_hashes[size - 1][:n] != 0)
        fits &= high - low < MAX_WORDS
        first = np.flatnonzero(fits)
        sizes = high[first] - low[first] + 1
        inside = _are_links_inside(first, size, low[first], sizes, (tgt_low, tgt_high))
        first, sizes = first[inside], sizes[inside]
        pairs = Pairs(
            src=src_hashes[size - 1][first],
            tgt=np.stack(tgt_hashes)[sizes - 1, low[first]] if len(first) else np.zeros(0, np.uint64),
            src_first=first,
            src_size=np.full(len(first), size),
            tgt_first=low[first],
            tgt_size=sizes,
            segments=src.segments[first],
            weights=total[first] / np.maximum(count[first], 1),
        )
        found.append(pairs.take(pairs.tgt != 0))
    return Pairs(*(np.concatenate(column) for column in zip(*found, strict=True)))


def _are_links_inside(first: Ints, size: int, tgt_first: Ints, tgt_sizes: Ints, reach: tuple[Ints, Ints]) -> Mask:
    """Mask of the pairs of phrases whose target tokens have no link to a token outside the source phrase.

    ``first``, ``tgt_first``: first tokens of the phrases; ``size``: words of each source phrase; ``reach``: first and
    last source token linked to each target token.
    """
    low, high = reach
    inside = np.ones(len(first), bool)
    for step in range(MAX_WORDS):
        at = np.minimum(tgt_first + step, len(low) - 1)
        within = (high[at] < 0) | ((low[at] >= first) & (high[at] < first + size))
        inside &= within | (step >= tgt_sizes)
    return inside


def _reach(one: Ints, other: Ints, size: int) -> tuple[Ints, Ints]:
    """First and last linked token of each token; (large, -1) without links."""
    low = np.full(size, np.iinfo(np.int64).max // 2)
    high = np.full(size, -1)
    np.minimum.at(low, one, other)
    np.maximum.at(high, one, other)
    return low, high


class Places(NamedTuple):
    """Places of phrases: number of the phrase, first token, words."""

    phrases: Ints
    first: Ints
    sizes: Ints


def places_of(phrases: Hashes, found: list[Hashes]) -> Places:
    """All places of some phrases, given by distinct, sorted hashes."""
    rows = []
    for size, each in enumerate(found, start=1):
        at = np.minimum(np.searchsorted(phrases, each), max(len(phrases) - 1, 0))
        known = np.flatnonzero((phrases[at] == each) & (each != 0)) if len(phrases) else np.zeros(0, np.int64)
        rows.append((at[known], known, np.full(len(known), size)))
    return Places(*(np.concatenate(column) for column in zip(*rows, strict=True)))
