"""Matching the pages of two languages by content: neutral words first, then a lexicon learnt from that matching."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from diglot.arrays import Floats, Mask, Pairs, Rows, robust_sd
from diglot.features.sparse_rows import nearest_both_ways, products, union, unit_rows, weigh_counts
from diglot.pairing.assignment import dense_ranks, greedy
from diglot.pairing.fused.blocks import block_beads, page_blocks_of
from diglot.pairing.fused.blocks_kernels import PageBlocks
from diglot.pairing.fused.lexicon import identity_lexicon, learn_lexicon
from diglot.pairing.fused.words import SiteWords, document_frequency, site_words
from diglot.site import Site
from diglot.sparse import SparseMatrix

Vectors: TypeAlias = "tuple[SparseMatrix, SparseMatrix]"

CANDIDATES = 8
"""Nearest pages kept for each page and direction."""
NEUTRAL_CANDIDATES = 2
"""Nearest pages by neutral words kept in addition, once there is a lexicon."""
TRAINING_QUANTILES = (0.5, 0.35)
"""Quantile of the matched pairs' scores for training pairs, in each round of learning a lexicon; a third round changes
nothing."""
NEUTRAL_MAX_SHARE = 0.10
NEUTRAL_MIN_PAGES = 60
"""A neutral word counts on up to 10% of a language's pages, on small sites up to 60 pages."""
MAX_DOCUMENTS = 400
"""Words on more pages than this find no partner and make the search quadratic."""
MIN_TRAINING = 5
"""Least number of training pairs: a lexicon from fewer only remembers them, and neutral words have to do."""
MIN_LENGTH_SD = 0.12
"""Least standard deviation of the log length ratio: a few pages of equal length are no proof of a narrow ratio."""
WIDEST_DEVIATIONS, WIDEST_SLACK = 3, 0.1
"""Bound of a training pair's log length ratio: standard deviations, and an allowance added to them."""
MIN_MARGIN = 0.05
"""Least lead of a training pair over its rivals, as a share of the pair's similarity."""


@dataclass(frozen=True)
class Matching:
    """The state of two languages' pages after self-training.

    ``pairs``: candidate rows (n, 2); ``cosine``: of neutral words, or of translated vectors with a lexicon;
    ``similarity``: the cosine under the length prior; ``lexicon``: (words, words); ``training``: pairs behind the
    lexicon; ``idf``: word weights of the two languages; ``log_ratio``, ``length_sd``: of target over source lengths;
    ``blocks``: of all pages, for the kernels; ``vectors``: both ways, ``neutral``: of words spelt alike; ``place``:
    index of every row of the site among the rows of its language.
    """

    pairs: Pairs
    cosine: Floats
    similarity: Floats
    lexicon: SparseMatrix
    training: Pairs
    idf: tuple[Floats, Floats]
    log_ratio: float
    length_sd: float
    blocks: PageBlocks
    vectors: tuple[Vectors, ...]
    neutral: Vectors
    place: Rows

    def neutral_of(self, pairs: Pairs) -> Floats:
        """Cosine of any pairs of rows over words spelt alike."""
        return products(*self.neutral, self.place[pairs])

    def cosine_of(self, pairs: Pairs) -> Floats:
        """Mean cosine of any pairs of rows, translated either way."""
        return _cosine(self.vectors, self.place[pairs])


def first_matching(site: Site, src: Rows, tgt: Rows) -> Matching:
    """Candidates by neutral words alone, without any translation."""
    words = site_words(site)
    df = document_frequency(words.counts, src), document_frequency(words.counts, tgt)
    neutral = _neutral_vectors(words, src, tgt)
    pairs = _site_rows(nearest_both_ways(*neutral, CANDIDATES), src, tgt)
    place = _place_of(site, src, tgt)
    cosine = products(*neutral, place[pairs])
    return Matching(
        pairs=pairs,
        cosine=cosine,
        similarity=cosine,
        lexicon=identity_lexicon(words, *df),
        training=pairs[:0],
        idf=(_idf(df[0], len(src)), _idf(df[1], len(tgt))),
        log_ratio=0.0,
        length_sd=MIN_LENGTH_SD,
        blocks=site.keep("page blocks", lambda: page_blocks_of(words)),
        vectors=(neutral,),
        neutral=neutral,
        place=place,
    )


def self_train(site: Site, src: Rows, tgt: Rows, matching: Matching) -> Matching:
    """The matching with a lexicon learnt from the surest pairs, in two rounds; unchanged if too few pairs are sure."""
    lengths = text_lengths(site_words(site))
    # Each round learns from the matching of the round before.
    for quantile in TRAINING_QUANTILES:
        matched = _match_similar(matching.pairs, matching.similarity)
        log_ratio, sd = _length_model(lengths, matching.pairs[matched])
        similarity = matching.cosine * _length_prior(lengths, matching.pairs, log_ratio, sd)
        matching = replace(matching, similarity=similarity, log_ratio=log_ratio, length_sd=sd)
        matching = replace(matching, training=_training_pairs(lengths, matching, quantile))
        if len(matching.training) < MIN_TRAINING:
            break
        matching = relearn(site, src, tgt, matching, matching.training)
    return matching


def relearn(site: Site, src: Rows, tgt: Rows, matching: Matching, training: Pairs) -> Matching:
    """The matching with a lexicon learnt from ``training``, and the lexicon's candidates; the length model stays."""
    words = site_words(site)
    df = document_frequency(words.counts, src), document_frequency(words.counts, tgt)
    beads = block_beads(training, matching.blocks, matching.lexicon, matching.idf, log_ratio=matching.log_ratio)
    lexicon = learn_lexicon(words, beads, *df)
    vectors = _translated_vectors(words, src, tgt, matching.idf, df, lexicon)
    pairs = _candidates(vectors, matching.neutral, src, tgt)
    prior = _length_prior(text_lengths(words), pairs, matching.log_ratio, matching.length_sd)
    cosine = _cosine(vectors, matching.place[pairs])
    found = replace(matching, pairs=pairs, cosine=cosine, similarity=cosine * prior)
    return replace(found, lexicon=lexicon, training=training, vectors=tuple(vectors))


def text_lengths(words: SiteWords) -> Floats:
    """Characters of each document's blocks, repeated ones left out."""
    total = np.concatenate([[0], np.cumsum(words.block_chars, dtype=np.float64)])
    return np.asarray(total[words.block_offsets[1:]] - total[words.block_offsets[:-1]])


def length_residual(lengths: Floats, pairs: Pairs, log_ratio: float) -> Floats:
    """Log of target over source length, less the expectation of the language pair."""
    # 20 characters more on both sides: in very short texts a few letters would make a large ratio.
    return np.log((lengths[pairs[:, 1]] + 20) / (lengths[pairs[:, 0]] + 20)) - log_ratio


def residual_sd(lengths: Floats, pairs: Pairs, sd: float) -> Floats:
    """Standard deviation of the length residual of each pair, wider for short pages."""
    shorter = np.minimum(lengths[pairs[:, 0]], lengths[pairs[:, 1]])
    return np.sqrt(sd**2 + 25.0 / (shorter + 20))


def _idf(df: Floats, pages: int) -> Floats:
    return np.where(df > 0, np.log((pages + 1) / np.maximum(df, 1)), 0.0)


def _neutral_vectors(words: SiteWords, src: Rows, tgt: Rows) -> Vectors:
    """Unit vectors of words spelt alike on both sides and common on neither."""
    df = document_frequency(words.neutral, src), document_frequency(words.neutral, tgt)
    usable = (df[0] > 0) & (df[1] > 0)
    for each, rows in zip(df, (src, tgt), strict=True):
        usable &= each <= min(max(NEUTRAL_MAX_SHARE * len(rows), NEUTRAL_MIN_PAGES), MAX_DOCUMENTS)
    total = max(len(src) + len(tgt), 1)  # a site may have no page in either language
    weights = np.where(usable, np.log(total / np.maximum(df[0] + df[1], 1)), 0)
    return unit_rows(weigh_counts(words.neutral[src], weights)), unit_rows(weigh_counts(words.neutral[tgt], weights))


def _translated_vectors(
    words: SiteWords, src: Rows, tgt: Rows, idf: tuple[Floats, Floats], df: tuple[Floats, Floats], lexicon: SparseMatrix
) -> list[Vectors]:
    """Unit tf-idf vectors of both sides in the target's words, and in the source's."""
    known = lexicon.row_sizes() > 0, lexicon.column_sizes() > 0
    vectors = []
    for weights, has_entry, each, rows in zip(idf, known, df, (src, tgt), strict=True):
        usable = has_entry & (each <= max(MAX_DOCUMENTS, 3))
        vectors.append(weigh_counts(words.counts[rows], weights * usable))
    forward = unit_rows(vectors[0] @ _normalise_rows(lexicon))
    back = unit_rows(vectors[1] @ _normalise_rows(lexicon.T))
    return [(forward, unit_rows(vectors[1])), (unit_rows(vectors[0]), back)]


def _candidates(translated: Sequence[Vectors], neutral: Vectors, src: Rows, tgt: Rows) -> Pairs:
    """The nearest pages both ways by translated vectors, and a few by neutral words: rows of the site."""
    found = union(*(nearest_both_ways(*each, CANDIDATES) for each in translated))
    return union(_site_rows(found, src, tgt), _site_rows(nearest_both_ways(*neutral, NEUTRAL_CANDIDATES), src, tgt))


def _cosine(vectors: Sequence[Vectors], local: Pairs) -> Floats:
    """Mean cosine of pairs of local rows, translated either way."""
    return np.asarray(np.mean([products(src, tgt, local) for src, tgt in vectors], axis=0))


def _normalise_rows(lexicon: SparseMatrix) -> SparseMatrix:
    sums = lexicon.row_sums().astype(np.float32)
    return lexicon.scale_rows(np.divide(1.0, sums, out=np.zeros_like(sums), where=sums > 0))


def _site_rows(pairs: Pairs, src: Rows, tgt: Rows) -> Pairs:
    return np.stack([src[pairs[:, 0]], tgt[pairs[:, 1]]], axis=1).astype(np.int32)


def _place_of(site: Site, src: Rows, tgt: Rows) -> Rows:
    """Index of every row of the site among the rows of its language."""
    place = np.zeros(len(site), np.int32)
    place[src], place[tgt] = np.arange(len(src)), np.arange(len(tgt))
    return place


def one_to_one(pairs: Pairs, value: Floats) -> Mask:
    """Greedy 1-1 matching by ``value``, highest first; mask (n,)."""
    return greedy(pairs, dense_ranks([-value.astype(np.float32)]))


def _length_model(lengths: Floats, matched: Pairs) -> tuple[float, float]:
    """Median log length ratio of matched pages and its robust standard deviation."""
    if len(matched) < 3:
        # Two ratios are no distribution: equal lengths are expected, with a wide spread.
        return 0.0, 3 * MIN_LENGTH_SD
    ratios = length_residual(lengths, matched, 0.0)
    return float(np.median(ratios)), max(MIN_LENGTH_SD, robust_sd(ratios))


def _length_prior(lengths: Floats, pairs: Pairs, log_ratio: float, sd: float) -> Floats:
    z = length_residual(lengths, pairs, log_ratio) / (1.5 * residual_sd(lengths, pairs, sd))
    # Bounded at three deviations: length alone must not rule out a pair of like words.
    return np.asarray(np.exp(-0.5 * np.minimum(z**2, 9)))


def best_alternatives(pairs: Pairs, score: Floats) -> tuple[Floats, Floats]:
    """Best score of another pair of the source page, and of the target page, of every pair; 0 without."""
    return _best_other(pairs[:, 0], score), _best_other(pairs[:, 1], score)


def _best_other(rows: Rows, score: Floats) -> Floats:
    """Best score of another entry in the same row, of every entry; 0 without."""
    best = np.full(int(rows.max(initial=-1)) + 1, -np.inf)
    np.maximum.at(best, rows, score)
    is_best = np.flatnonzero(score == best[rows])
    holder = np.full(len(best), -1)
    holder[rows[is_best]] = is_best
    others = holder[rows] != np.arange(len(rows))
    second = np.full(len(best), -np.inf)
    np.maximum.at(second, rows[others], score[others])
    second[second == -np.inf] = 0.0
    return np.where(others, best[rows], second[rows])


def _match_similar(pairs: Pairs, similarity: Floats) -> Mask:
    """1-1 matching of the candidates of positive similarity."""
    return one_to_one(pairs, similarity) & (similarity > 0)


def _training_pairs(lengths: Floats, matching: Matching, quantile: float) -> Pairs:
    """Matched pairs that are best both ways by a margin, of usual length, and in the better part of all."""
    pairs, score = matching.pairs, matching.similarity
    matched = _match_similar(pairs, score)
    widest = WIDEST_DEVIATIONS * residual_sd(lengths, pairs, matching.length_sd) + WIDEST_SLACK
    usual = np.abs(length_residual(lengths, pairs, matching.log_ratio) / widest) <= 1
    row_best, column_best = best_alternatives(pairs, score)
    good = matched & (score - np.maximum(row_best, column_best) >= MIN_MARGIN * score) & usual
    if not good.any():
        return pairs[matched]
    return pairs[good & (score >= np.quantile(score[matched], quantile))]
