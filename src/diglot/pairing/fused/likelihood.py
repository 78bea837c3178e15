"""Does what is rare on one page turn up translated on the other? Likelihood ratios against the page's own siblings.

For a term x of page i and a candidate j: *found* if j holds any translation of x. Expected among
translations (p1): how often x was found over the training pairs. Expected by chance (p0): how many of
j's nearest pages of its own language hold it, so that words all siblings share say nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from diglot.arrays import Floats, Pairs, Rows
from diglot.compiled import compiled, in_threads
from diglot.features.sparse_rows import nearest, of_columns, products, unit_rows, weighted
from diglot.pairing.fused.matching import MAX_DOCUMENTS
from diglot.pairing.fused.terms import TermClass, Terms, document_frequency

SIBLINGS = 6
P0_RANGE = (0.003, 0.97)
P1_RANGE = (0.02, 0.985)
CLASS_WEIGHT = 4.0
"""How many observations the class's rate counts for beside a term's own."""
KEEP_UNKNOWN_RATE = 0.3
"""Terms without any translation are kept where their class survives translation at least this often."""
DICE_BINS = np.array([0.35, 0.5, 0.65, 0.8])
CLASS_CLIP_NATS = 12.0
NUMBERS, CODES = 1, 2
CHUNK_PAIRS = 512
"""Pairs that one thread scores at a stretch: enough to pay for its two arrays over the vocabulary."""


@dataclass(frozen=True)
class Likelihood:
    """Sums over the terms of a page pair, one value a pair each, in nats.

    ``share``: sum of log ratios over what it would be for a perfect translation (plus 1); ``scaled``:
    over the square root of the number of terms; ``against``: the negative part of ``share``;
    ``numbers``, ``codes``: sums over terms of that class, within 12 nats a side.
    """

    share: Floats
    scaled: Floats
    against: Floats
    numbers: Floats
    codes: Floats


def likelihood(
    terms: Terms, rows: tuple[Rows, Rows], pairs: Pairs, training: Pairs, lexicon: sparse.csr_array, idf: Any
) -> Likelihood:
    """Likelihood ratios of every pair, from both sides: the weaker side counts, numbers and codes add up."""
    forward = _one_way(terms, rows[1], pairs, training, lexicon, idf[1])
    back = _one_way(terms, rows[0], pairs[:, ::-1], training[:, ::-1], sparse.csr_array(lexicon.T), idf[0])
    weaker = [np.minimum(forward[:, k], back[:, k]) for k in range(3)]
    added = [forward[:, k] + back[:, k] for k in (3, 4)]
    return Likelihood(*weaker, *added)


def term_ratios(
    terms: Terms, tgt: Rows, pair: tuple[int, int], training: Pairs, lexicon: sparse.csr_array, idf: Floats
) -> dict[int, float]:
    """The log ratio in nats of each term of the first page of a pair that counts; ``tgt``: the other language."""
    present, holds, siblings, model = _learnt(terms, tgt, training, lexicon, idf)
    background, hits, seen, rate, known, _ = model
    i, j = pair
    chance, touched = np.full(len(background), -1.0), np.empty(len(background), np.int64)
    _, weight = _chances(j, holds, siblings, background, chance, touched)
    chance = np.where(chance < 0, background, chance) / weight
    held = set(holds[1][holds[0][j] : holds[0][j + 1]].tolist())
    own = float(_training_pairs_by_first(np.array([pair], np.int32), training)[0])
    mine = [x for x in present[1][present[0][i] : present[0][i + 1]].tolist() if known[x]]
    return {x: _ratio(x in held, chance[x], own, hits[x], seen[x], rate[x])[0] for x in mine}


def _one_way(terms: Terms, tgt: Rows, pairs: Pairs, training: Pairs, lexicon: sparse.csr_array, idf: Floats) -> Floats:
    """Columns share, scaled, against, numbers, codes of the terms of the first page of each pair."""
    trained = _training_pairs_by_first(pairs, training)
    learnt = _learnt(terms, tgt, training, lexicon, idf)
    return _sums(pairs, np.lexsort((pairs[:, 0], pairs[:, 1])), learnt, trained)


def _learnt(terms: Terms, tgt: Rows, training: Pairs, lexicon: sparse.csr_array, idf: Floats) -> tuple[Any, ...]:
    """What the kernels read: terms present, terms held in translation, siblings, and the rates of every term."""
    present = sparse.csr_array((terms.counts > 0).astype(np.float32))
    reach = sparse.csr_array((lexicon > 0).astype(np.float32))
    holds = sparse.csr_array(present @ sparse.csr_array(reach.T))
    holds.sort_indices()
    present.sort_indices()
    background = np.bincount(holds[tgt].indices, minlength=present.shape[1]) / max(len(tgt), 1)
    siblings, closeness = _siblings(terms, tgt, idf)
    grade = term_grades(lexicon, terms)
    hits, seen = _training_hits(present, holds, training)
    class_hits = np.bincount(grade, weights=hits, minlength=16)
    class_seen = np.bincount(grade, weights=seen, minlength=16)
    rate = (class_hits + 1) / (class_seen + 2)
    known = (np.diff(lexicon.indptr) > 0) | (rate[grade] >= KEEP_UNKNOWN_RATE)
    group = np.where(terms.classes == TermClass.NUMBER, NUMBERS, np.where(terms.classes == TermClass.WORD, 0, CODES))
    return (
        (present.indptr, present.indices),
        (holds.indptr, holds.indices),
        (siblings, closeness),
        (background, hits, seen, rate[grade], known, group.astype(np.int8)),
    )


def _siblings(terms: Terms, tgt: Rows, idf: Floats) -> tuple[npt.NDArray[np.int64], Floats]:
    """The nearest pages of its own language of every target page and their cosines; -1 where there are fewer."""
    size = terms.counts.shape[0]
    siblings, closeness = np.full((size, SIBLINGS), -1, np.int64), np.zeros((size, SIBLINGS))
    vectors = unit_rows(weighted(terms.counts[tgt], idf))
    telling = of_columns(vectors, document_frequency(terms.counts, tgt) <= MAX_DOCUMENTS)
    near = nearest(telling, telling, 3 * SIBLINGS + 1)
    near = near[near[:, 0] != near[:, 1]]
    values = products(vectors, vectors, near)
    order = np.lexsort((near[:, 1], -values, near[:, 0]))
    near, values = near[order], values[order]
    place = np.arange(len(near)) - np.searchsorted(near[:, 0], near[:, 0])
    keep = place < SIBLINGS
    siblings[tgt[near[keep, 0]], place[keep]] = tgt[near[keep, 1]]
    closeness[tgt[near[keep, 0]], place[keep]] = values[keep]
    return siblings, closeness


def term_grades(lexicon: sparse.csr_array, terms: Terms) -> npt.NDArray[np.int64]:
    """Class of each term's rate: its kind, or for plain words the strength of its best translation."""
    best = np.zeros(len(terms.vocabulary))
    np.maximum.at(best, np.repeat(np.arange(len(best)), np.diff(lexicon.indptr)), lexicon.data)
    strength = np.where(best == 0, 0, np.where(best >= 1, 6, 1 + np.digitize(best, DICE_BINS)))
    kind = terms.classes.astype(np.int64)
    return np.where(kind == TermClass.WORD, strength, 7 + kind).astype(np.int64)


def _training_hits(present: sparse.csr_array, holds: sparse.csr_array, training: Pairs) -> tuple[Floats, Floats]:
    """For each term: in how many training pairs the second page holds a translation, and in how many it stands."""
    stands, translated = present[training[:, 0]], holds[training[:, 1]]
    both = stands.multiply(translated > 0)
    size = present.shape[1]
    seen = np.bincount(stands.indices, minlength=size).astype(np.float64)
    return np.asarray((both > 0).sum(axis=0), np.float64).ravel()[:size], seen


def _training_pairs_by_first(pairs: Pairs, training: Pairs) -> npt.NDArray[np.bool_]:
    return np.isin(_keys(pairs), _keys(training))


def _keys(pairs: Pairs) -> npt.NDArray[np.int64]:
    return np.asarray(pairs[:, 0].astype(np.int64) << 32 | pairs[:, 1])


@compiled
def _chances(j: int, holds: Any, siblings: Any, background: Any, chance: Any, touched: Any) -> Any:
    """Add to ``chance``, for the terms that siblings of page ``j`` hold, how close those are, to the background.

    Returns how many terms were touched, and the weight of j and its siblings together.
    """
    indptr, indices = holds
    near, closeness = siblings
    weight, count = 1.0, 0
    for s in range(near.shape[1]):
        sibling = near[j, s]
        if sibling >= 0:
            weight += closeness[j, s]
            for place in range(indptr[sibling], indptr[sibling + 1]):
                x = indices[place]
                if chance[x] < 0:
                    chance[x] = background[x]
                    touched[count] = x
                    count += 1
                chance[x] += closeness[j, s]
    return count, weight


@compiled
def _ratio(found: bool, chance: float, own: float, hits: float, seen: float, class_rate: float) -> Any:
    """Log ratio of a term found or not, and its mean over translations; ``own``: 1 in a training pair, left out."""
    p0 = min(max(chance, P0_RANGE[0]), P0_RANGE[1])
    p1 = (hits - (own if found else 0.0) + CLASS_WEIGHT * class_rate) / (seen - own + CLASS_WEIGHT)
    p1 = min(max(p1, p0, P1_RANGE[0]), P1_RANGE[1])
    gain, loss = np.log(p1 / p0), np.log((1 - p1) / (1 - p0))
    return (gain if found else loss), p1 * gain + (1 - p1) * loss


def _sums(pairs: Pairs, order: Any, learnt: tuple[Any, ...], trained: Any) -> Floats:
    """Columns share, scaled, against, numbers, codes of the pairs, taken in this order."""
    out, pairs = np.zeros((len(pairs), 5)), np.ascontiguousarray(pairs)
    in_threads(lambda some: _sums_of(order[some], pairs, trained, out, *learnt), len(pairs), CHUNK_PAIRS)
    return out


@compiled
def _sums_of(
    some: Any, pairs: Any, trained: Any, out: Any, present: Any, holds: Any, siblings: Any, model: Any
) -> None:
    """Fill the rows ``some`` of ``out``; pairs of one second page stand together and share what its siblings hold."""
    indptr, indices = present
    holds_indptr, holds_indices = holds
    background, hits, seen, class_rate, known, group = model
    chance, touched, count_touched = np.full(len(background), -1.0), np.empty(len(background), np.int64), 0
    held, weight, last = np.zeros(len(background), np.bool_), 1.0, -1
    for k in some:
        i, j = pairs[k, 0], pairs[k, 1]
        if j != last:
            for place in range(count_touched):
                chance[touched[place]] = -1.0
            if last >= 0:
                held[holds_indices[holds_indptr[last] : holds_indptr[last + 1]]] = False
            held[holds_indices[holds_indptr[j] : holds_indptr[j + 1]]] = True
            count_touched, weight = _chances(j, holds, siblings, background, chance, touched)
            last = j
        own = 1.0 if trained[k] else 0.0
        total, negative, expected, count, numbers, codes = 0.0, 0.0, 0.0, 0, 0.0, 0.0
        for place in range(indptr[i], indptr[i + 1]):
            x = indices[place]
            if not known[x]:
                continue
            found = held[x]
            by_chance = chance[x] if chance[x] >= 0 else background[x]
            ratio, usual = _ratio(found, by_chance / weight, own, hits[x], seen[x], class_rate[x])
            total += ratio
            negative += min(ratio, 0.0)
            expected += usual
            count += 1
            if group[x] == 1:
                numbers += ratio
            elif group[x] == 2:
                codes += ratio
        out[k, 0] = total / (expected + 1)
        out[k, 1] = total / np.sqrt(count + 5.0)
        out[k, 2] = negative / (expected + 1)
        out[k, 3] = min(max(numbers, -CLASS_CLIP_NATS), CLASS_CLIP_NATS)
        out[k, 4] = min(max(codes, -CLASS_CLIP_NATS), CLASS_CLIP_NATS)
