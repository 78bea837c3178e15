"""Two pages block by block under a lexicon: how much of one is found in the other, and in the same order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from diglot import sparse
from diglot.arrays import Column, Pairs, distinct
from diglot.pairing.fused.blocks_kernels import add_totals, block_beads_of, order_scores_of
from diglot.pairing.fused.terms import Terms
from diglot.threads import in_threads

_CHUNK_PAIRS = 256
"""Pairs of pages that one thread takes at a stretch: enough to pay for its arrays over the vocabulary."""


@dataclass(frozen=True)
class Side:
    """Blocks of all documents with their terms, and each document's terms with the blocks they stand in."""

    block_values: npt.NDArray[np.int32]
    block_offsets: npt.NDArray[np.int64]
    doc_blocks: npt.NDArray[np.int64]
    block_chars: npt.NDArray[np.int32]
    term_values: npt.NDArray[np.int32]
    term_offsets: npt.NDArray[np.int64]
    posting_offsets: npt.NDArray[np.int64]
    postings: npt.NDArray[np.int32]


def side_of(terms: Terms) -> Side:
    """The arrays the kernels read; postings are block numbers within their document."""
    starts = np.repeat(terms.block_offsets[:-1], np.diff(terms.block_offsets))
    local = (np.arange(len(terms.blocks)) - starts).astype(np.int32)
    postings = _by_document_and_term(terms, np.repeat(local, terms.blocks.lengths()))
    ends = postings.indptr.astype(np.int64)
    new = np.ones(len(postings.indices) + 1, bool)
    new[1:-1] = postings.indices[1:] != postings.indices[:-1]
    new[ends] = True
    first = np.flatnonzero(new)
    return Side(
        block_values=terms.blocks.values,
        block_offsets=terms.blocks.offsets,
        doc_blocks=terms.block_offsets,
        block_chars=terms.block_chars,
        term_values=postings.indices[first[:-1]].astype(np.int32),
        term_offsets=np.searchsorted(first, ends).astype(np.int64),
        posting_offsets=first.astype(np.int64),
        postings=postings.data,
    )


def _by_document_and_term(terms: Terms, blocks: npt.NDArray[np.int32]) -> sparse.csr_array:
    """The number of its block of every term, by document and term, those of one in order: counted out twice, which
    needs no comparison."""
    ends = terms.blocks.offsets[terms.block_offsets]
    shape = (len(ends) - 1, max(len(terms.vocabulary), 1))
    return sparse.csr_array(sparse.csr_array((blocks, terms.blocks.values, ends), shape=shape).tocsc())


def order_scores(
    pairs: Pairs, side: Side, lexicon: sparse.csr_array, weights: tuple[npt.NDArray[np.float64], ...]
) -> tuple[Column, Column]:
    """Order-aware coverage and first-block coverage of every pair, each in [0, 1], NaN without known terms.

    Order: best monotone chain of block pairs, each worth the smaller of the two shares of known weight
    that the other block translates, times the geometric mean of the two weights; over the geometric
    mean of the pages' weights. ``lexicon``: (terms, terms), value t in (0, 1] of a translation.
    ``weights``: of the terms on the source and the target side.
    """
    scores, pairs = np.zeros((len(pairs), 2), np.float32), np.ascontiguousarray(pairs, np.int32)
    arrays = _kernel_arrays(pairs, side, lexicon, weights)
    in_threads(lambda some: order_scores_of(pairs[some], scores[some], *arrays), len(pairs), _CHUNK_PAIRS)
    return scores[:, 0].copy(), scores[:, 1].copy()


def block_beads(
    pairs: Pairs,
    side: Side,
    lexicon: sparse.csr_array,
    weights: tuple[npt.NDArray[np.float64], ...],
    *,
    log_ratio: float,
) -> npt.NDArray[np.int64]:
    """Block numbers that stand opposite each other in the pairs of pages, int64 (n, 2); ``log_ratio``: log of
    target over source characters."""
    pairs = np.ascontiguousarray(pairs, np.int32)
    arrays = _kernel_arrays(pairs, side, lexicon, weights)
    beads: npt.NDArray[np.int64] = block_beads_of(pairs, side.block_chars, log_ratio, *arrays)
    return beads


def _kernel_arrays(
    pairs: Pairs, side: Side, lexicon: sparse.csr_array, weights: tuple[npt.NDArray[np.float64], ...]
) -> tuple[Any, ...]:
    """What the kernels read: blocks, the lexicon either way, weights, and the known weight of the pages' blocks."""
    directions = _directions(lexicon)
    totals = np.zeros(len(side.block_chars)), np.zeros(len(side.block_chars))
    for k in (0, 1):
        add_totals(distinct(pairs[:, k]), totals[k], side, directions[k], weights[k])
    return side, *directions, *weights, *totals


def _directions(lexicon: sparse.csr_array) -> tuple[tuple[npt.NDArray[Any], ...], tuple[npt.NDArray[Any], ...]]:
    back = sparse.csr_array(lexicon.T)
    return (
        (lexicon.indptr.astype(np.int64), lexicon.indices.astype(np.int32), lexicon.data.astype(np.float32)),
        (back.indptr.astype(np.int64), back.indices.astype(np.int32), back.data.astype(np.float32)),
    )
