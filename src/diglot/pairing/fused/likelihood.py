"""Likelihood ratios: are the rare words of a page translated on a candidate more often than on its siblings?

A word x of page i is *found* on a candidate j if j holds any translation of x. Expected among translations (p1): the
share of training pairs with x found. Expected by chance (p0): the share of j's nearest pages in the same language with
a translation, so that words of all siblings count for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from diglot.arrays import Floats, Ints, Mask, Pairs, Rows
from diglot.features.sparse_rows import nearest, products, unit_rows, weigh_counts
from diglot.pairing.fused.likelihood_kernels import P0_RANGE, P1_RANGE, fill_sums, log_ratio, sibling_chances
from diglot.pairing.fused.matching import MAX_DOCUMENTS
from diglot.pairing.fused.words import SiteWords, WordClass, document_frequency, take_rows
from diglot.sparse import SparseMatrix, common_columns
from diglot.threads import in_threads

SIBLINGS = 6
"""Number of nearest pages in the same language, which tell what words a page has by chance."""
KEEP_UNKNOWN_RATE = 0.3
"""Words without any translation count if words of their class are found in translations at least this often."""
DICE_BINS = np.array([0.35, 0.5, 0.65, 0.8])
"""Bounds of the classes of words, by the Dice coefficient of the best translation."""
MAX_GRADES = 16
"""An upper bound of the number of classes."""
CHUNK_PAIRS = 512
"""Pairs in a batch for a thread: enough to pay for two arrays over the vocabulary."""


@dataclass(frozen=True)
class Likelihood:
    """Sums over the words of each page pair, in nats.

    ``scaled``: sum of log ratios over the square root of the number of words; ``against``: the negative part of the
    sum, over the expected sum of a perfect translation; ``numbers``: sum over numbers, within 12 nats a side.
    """

    scaled: Floats
    against: Floats
    numbers: Floats


class Siblings(NamedTuple):
    """The nearest pages in the same language and their cosines, (pages, SIBLINGS); -1 for no page."""

    pages: Ints
    closeness: Floats


class WordRates(NamedTuple):
    """Rates of every word.

    ``background``: share of target pages with a translation; ``hits``, ``seen``: number of training pairs with a
    translation found, and with the word on the source page; ``class_rate``: rate of the word's class; ``known``:
    whether the word counts.
    """

    background: Floats
    hits: Floats
    seen: Floats
    class_rate: Floats
    known: Mask
    is_number: Mask


class LearntRatios(NamedTuple):
    """The input of one side's ratios.

    ``present``: words of the pages; ``holds``: words with a translation on a page; ``siblings``: of the other side's
    pages.
    """

    present: SparseMatrix
    holds: SparseMatrix
    siblings: Siblings
    rates: WordRates


def likelihood(
    words: SiteWords, rows: tuple[Rows, Rows], pairs: Pairs, training: Pairs, lexicon: SparseMatrix, idf: Any
) -> Likelihood:
    """Likelihood ratios of every pair, from both sides: the weaker side counts, numbers add up."""
    forward = _one_way(words, rows[1], pairs, training, lexicon, idf[1])
    back = _one_way(words, rows[0], pairs[:, ::-1], training[:, ::-1], lexicon.T, idf[0])
    return Likelihood(
        scaled=np.minimum(forward.scaled, back.scaled),
        against=np.minimum(forward.against, back.against),
        numbers=forward.numbers + back.numbers,
    )


def word_ratios(
    words: SiteWords, tgt: Rows, pair: tuple[int, int], training: Pairs, lexicon: SparseMatrix, idf: Floats
) -> dict[int, float]:
    """Log ratio in nats of the words that count on the first page of ``pair``; ``tgt``: rows of the second language."""
    learnt = _learn_ratios(words, tgt, training, lexicon, idf)
    present, holds, rates = learnt.present, learnt.holds, learnt.rates
    i, j = pair
    chance, weight = sibling_chances(j, holds, learnt.siblings, rates.background)
    chance = np.where(chance < 0, rates.background, chance) / weight
    held = set(holds.columns[holds.starts[j] : holds.starts[j + 1]].tolist())
    own = float(_are_in_training(np.array([pair], np.int32), training)[0])
    mine = [x for x in present.columns[present.starts[i] : present.starts[i + 1]].tolist() if rates.known[x]]
    return {x: log_ratio(x in held, chance[x], own, rates.hits[x], rates.seen[x], rates.class_rate[x]) for x in mine}


def _one_way(
    words: SiteWords, tgt: Rows, pairs: Pairs, training: Pairs, lexicon: SparseMatrix, idf: Floats
) -> Likelihood:
    """Sums over the words of the pairs' first pages."""
    trained = _are_in_training(pairs, training)
    learnt = _learn_ratios(words, tgt, training, lexicon, idf)
    # The kernel marks the words of a second page once for all pairs of it.
    order = np.lexsort((pairs[:, 0], pairs[:, 1]))
    sums, pairs = np.zeros((len(pairs), 3)), np.ascontiguousarray(pairs, np.int32)
    in_threads(lambda some: fill_sums(order[some], pairs, trained, sums, learnt), len(pairs), CHUNK_PAIRS)
    return Likelihood(scaled=sums[:, 0], against=sums[:, 1], numbers=sums[:, 2])


def _learn_ratios(words: SiteWords, tgt: Rows, training: Pairs, lexicon: SparseMatrix, idf: Floats) -> LearntRatios:
    """How often each word has a translation on a training pair, and on any page of ``tgt``."""
    present = words.counts.as_ones()
    holds = present @ lexicon.as_ones().T
    background = holds[tgt].column_sizes() / max(len(tgt), 1)
    grade = word_grades(lexicon, words)
    hits, seen = _training_hits(present, holds, training)
    class_hits, class_seen = (np.bincount(grade, weights=counts, minlength=MAX_GRADES) for counts in (hits, seen))
    # Laplace's rule of succession: a class never seen has a rate of one half.
    rate = ((class_hits + 1) / (class_seen + 2))[grade]
    known = (lexicon.row_sizes() > 0) | (rate >= KEEP_UNKNOWN_RATE)
    return LearntRatios(
        present,
        holds,
        _siblings(words, tgt, idf),
        WordRates(background, hits, seen, rate, known, words.classes == WordClass.NUMBER),
    )


def title_likelihood(
    words: SiteWords, rows: tuple[Rows, Rows], pairs: Pairs, training: Pairs, lexicon: SparseMatrix
) -> Floats:
    """Likelihood ratio in nats of the words of both titles, float64 (n,): the weaker side counts.

    Titles separate twins, pages that differ in a name. A title is the first block not repeated all over the site. The
    chance of a word is the share of the language's titles with a translation; the rate among translations is the rate
    of the word's class over the training pairs.
    """
    titles = first_blocks(words)
    forward = _title_ratios(words, titles, rows[1], pairs, training, lexicon)
    back = _title_ratios(words, titles, rows[0], pairs[:, ::-1], training[:, ::-1], lexicon.T)
    return np.minimum(forward, back)


def first_blocks(words: SiteWords) -> SparseMatrix:
    """Words of the pages' first blocks: sparse 0 or 1 (pages, words)."""
    filled = np.diff(words.block_offsets) > 0
    taken = take_rows(words.blocks, words.block_offsets[:-1][filled])
    ends = np.concatenate([[0], taken.offsets[np.cumsum(filled)]])
    shape = (len(filled), len(words.vocabulary))
    return SparseMatrix(ends, taken.values, np.ones(len(taken.values)), shape)


def _title_ratios(
    words: SiteWords, titles: SparseMatrix, tgt: Rows, pairs: Pairs, training: Pairs, lexicon: SparseMatrix
) -> Floats:
    """Log ratio of each pair, summed over the words of the first page's title."""
    held = (titles @ lexicon.T).as_ones()
    grades = word_grades(lexicon, words)
    stand = titles[training[:, 0]]
    seen = np.bincount(grades[stand.columns], minlength=MAX_GRADES)
    hits = np.bincount(grades[common_columns(stand, held[training[:, 1]])], minlength=len(seen))
    rate = ((hits + 1) / (seen + 2))[grades]
    chance = np.clip(held[tgt].column_sizes() / max(len(tgt), 1), *P0_RANGE)
    p1 = np.clip(np.maximum(rate, chance), *P1_RANGE)
    known = (lexicon.row_sizes() > 0) | (rate >= KEEP_UNKNOWN_RATE)
    gain, loss = (np.where(known, np.log(a / b), 0.0) for a, b in ((p1, chance), (1 - p1, 1 - chance)))
    differences = titles.scale_columns(gain - loss)
    # All words of the title count as not found; then words that are found add the difference.
    return (titles @ loss)[pairs[:, 0]] + products(differences, held, pairs)


def _siblings(words: SiteWords, tgt: Rows, idf: Floats) -> Siblings:
    """The pages of ``tgt`` closest to each of them in words, and their cosines."""
    size = words.counts.shape[0]
    siblings, closeness = np.full((size, SIBLINGS), -1, np.int64), np.zeros((size, SIBLINGS))
    vectors = unit_rows(weigh_counts(words.counts[tgt], idf))
    telling = vectors.keep_columns(document_frequency(words.counts, tgt) <= MAX_DOCUMENTS)
    # Common words cost most and tell least: rare words choose more pages than needed, then all words rank them.
    near = nearest(telling, telling, 3 * SIBLINGS + 1)
    near = near[near[:, 0] != near[:, 1]]
    values = products(vectors, vectors, near)
    order = np.lexsort((near[:, 1], -values, near[:, 0]))
    near, values = near[order], values[order]
    place = np.arange(len(near)) - np.searchsorted(near[:, 0], near[:, 0])
    keep = place < SIBLINGS
    siblings[tgt[near[keep, 0]], place[keep]] = tgt[near[keep, 1]]
    closeness[tgt[near[keep, 0]], place[keep]] = values[keep]
    return Siblings(siblings, closeness)


def word_grades(lexicon: SparseMatrix, words: SiteWords) -> Ints:
    """Classes of words: the kind, or for plain words the strength of the best translation."""
    best = np.zeros(len(words.vocabulary))
    np.maximum.at(best, lexicon.row_numbers(), lexicon.values)
    strength = np.where(best == 0, 0, np.where(best >= 1, 6, 1 + np.digitize(best, DICE_BINS)))
    kind = words.classes.astype(np.int64)
    # 6 is left to plain words that translate themselves, 8 and more to the other kinds of word.
    return np.where(kind == WordClass.WORD, strength, 7 + kind).astype(np.int64)


def _training_hits(present: SparseMatrix, holds: SparseMatrix, training: Pairs) -> tuple[Floats, Floats]:
    """Counts of training pairs by word, (words,): with a translation found, and with the word on the source page."""
    stands, translated = present[training[:, 0]], holds[training[:, 1]]
    hits = np.bincount(common_columns(stands, translated), minlength=present.shape[1])
    return hits.astype(np.float64), stands.column_sizes().astype(np.float64)


def _are_in_training(pairs: Pairs, training: Pairs) -> Mask:
    """Mask of the pairs among ``training``, (n,)."""
    keys, known = (each[:, 0].astype(np.int64) << 32 | each[:, 1] for each in (pairs, training))
    return np.isin(keys, known)
