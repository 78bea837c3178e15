"""What tells twins apart, pages that differ in a name: what titles name, and how often codes stand on both pages."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from diglot.arrays import Floats, Pairs, Rows
from diglot.features.sparse_rows import products, ruzicka
from diglot.pairing.fused.likelihood import KEEP_UNKNOWN_RATE, P0_RANGE, P1_RANGE, term_grades
from diglot.pairing.fused.terms import TermClass, Terms, document_frequency, rows_taken


def title_likelihood(
    terms: Terms, rows: tuple[Rows, Rows], pairs: Pairs, training: Pairs, lexicon: sparse.csr_array
) -> Floats:
    """Likelihood ratio in nats of the terms of both titles, float64 (n,): the weaker side counts.

    A title is the first block that is not repeated all over the site. A term is found if the other title holds a
    translation: expected among translations as often as terms of its class over the training pairs, by chance as often
    as the titles of that language hold one.
    """
    titles = first_blocks(terms)
    forward = _title_ratios(terms, titles, rows[1], pairs, training, lexicon)
    back = _title_ratios(terms, titles, rows[0], pairs[:, ::-1], training[:, ::-1], sparse.csr_array(lexicon.T))
    return np.minimum(forward, back)


def first_blocks(terms: Terms) -> sparse.csr_array:
    """Which terms stand in the first block of each document: sparse (documents, terms) of ones."""
    filled = np.diff(terms.block_offsets) > 0
    taken = rows_taken(terms.blocks, terms.block_offsets[:-1][filled])
    ends = np.concatenate([[0], taken.offsets[np.cumsum(filled)]])
    shape = (len(filled), len(terms.vocabulary))
    return sparse.csr_array((np.ones(len(taken.values)), taken.values, ends), shape=shape)


def count_agreement(terms: Terms, rows: tuple[Rows, Rows], pairs: Pairs) -> Floats:
    """How far numbers, codes and capitals stand as often on both pages, in [0, 1], rarer ones counting more.

    Pages of twins name each other: `LBound` and `UBound` stand on both, but not as often. Of terms that both languages
    have; NaN where neither page has any.
    """
    df = [document_frequency(terms.counts, side) for side in rows]
    telling = np.flatnonzero((terms.classes != TermClass.WORD) & (df[0] > 0) & (df[1] > 0))
    weight = np.log((len(rows[0]) + len(rows[1]) + 1) / (df[0] + df[1])[telling])
    counts = sparse.csr_array(terms.counts[:, telling] @ sparse.diags_array(weight))
    return ruzicka(counts, counts, pairs)


def _title_ratios(
    terms: Terms, titles: sparse.csr_array, tgt: Rows, pairs: Pairs, training: Pairs, lexicon: sparse.csr_array
) -> Floats:
    """The ratio of the terms of the first page's title of each pair."""
    held = sparse.csr_array(titles @ sparse.csr_array((lexicon > 0).T.astype(np.float64)))
    held.data[:] = 1.0
    held.sort_indices()
    grades = term_grades(lexicon, terms)
    stand = titles[training[:, 0]]
    seen = np.bincount(grades[stand.indices], minlength=grades.max(initial=0) + 1)
    found = stand.multiply(held[training[:, 1]]).tocoo()
    hits = np.bincount(grades[found.coords[1]], minlength=len(seen))
    rate = ((hits + 1) / (seen + 2))[grades]
    chance = np.clip(np.bincount(held[tgt].indices, minlength=len(grades)) / max(len(tgt), 1), *P0_RANGE)
    p1 = np.clip(np.maximum(rate, chance), *P1_RANGE)
    known = (np.diff(lexicon.indptr) > 0) | (rate >= KEEP_UNKNOWN_RATE)
    gain, loss = (np.where(known, np.log(a / b), 0.0) for a, b in ((p1, chance), (1 - p1, 1 - chance)))
    differences = sparse.csr_array(titles @ sparse.diags_array(gain - loss))
    return (titles @ loss)[pairs[:, 0]] + products(differences, held, pairs)
