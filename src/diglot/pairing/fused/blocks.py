"""Two pages block by block under a lexicon: how much of both pages is translated, blocks in the same order."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from diglot.arrays import Column, Pairs, distinct
from diglot.pairing.fused.blocks_kernels import (
    MAX_BLOCKS,
    PageBlocks,
    Translations,
    fill_order_scores,
    find_block_beads,
)
from diglot.pairing.fused.words import SiteWords
from diglot.sparse import SparseMatrix
from diglot.threads import in_threads

_CHUNK_PAIRS = 256
"""Pairs of pages in a batch for a thread: enough to pay for arrays over the vocabulary."""


def page_blocks_of(words: SiteWords) -> PageBlocks:
    """The words of all pages as the kernels read them."""
    starts = np.repeat(words.block_offsets[:-1], np.diff(words.block_offsets))
    local = (np.arange(len(words.blocks)) - starts).astype(np.int32)
    postings = _by_page_and_word(words, np.repeat(local, words.blocks.lengths()))
    ends = postings.starts
    new = np.ones(len(postings.columns) + 1, bool)
    new[1:-1] = postings.columns[1:] != postings.columns[:-1]
    new[ends] = True
    first = np.flatnonzero(new)
    by_page = np.searchsorted(first, ends).astype(np.int64), postings.columns[first[:-1]]
    by_block = words.blocks.offsets, words.blocks.values
    return PageBlocks(
        words.block_offsets, words.block_chars, by_block, by_page, (first.astype(np.int64), postings.values)
    )


def _by_page_and_word(words: SiteWords, blocks: npt.NDArray[np.int32]) -> SparseMatrix:
    """Numbers of the blocks with each word of each page, within the page, rising, below :data:`MAX_BLOCKS`.

    Shape (pages, words); a word in several blocks has an entry for each.
    """
    compared = blocks < MAX_BLOCKS
    ends = np.concatenate([[0], np.cumsum(compared)])[words.blocks.offsets[words.block_offsets]]
    shape = (len(ends) - 1, max(len(words.vocabulary), 1))
    by_page = SparseMatrix(ends, words.blocks.values[compared], blocks[compared], shape)
    # Transposed twice, the words of each page stand in order.
    return by_page.T.T


def order_scores(
    pairs: Pairs, blocks: PageBlocks, lexicon: SparseMatrix, weights: tuple[npt.NDArray[np.float64], ...]
) -> tuple[Column, Column]:
    """Order-aware coverage and first-block coverage of every pair, each in [0, 1], NaN without known words.

    Order: weight of the best monotone chain of block pairs over the geometric mean of the pages' weights. A block pair
    is worth the smaller of the two shares of known weight that the other block translates, times the geometric mean of
    the two weights. ``lexicon``: (words, words), strength t in (0, 1] of a translation. ``weights``: of the words on
    the source and the target side.
    """
    scores, pairs = np.zeros((len(pairs), 2), np.float32), np.ascontiguousarray(pairs, np.int32)
    arrays = _kernel_arrays(pairs, blocks, lexicon, weights)
    in_threads(lambda some: fill_order_scores(pairs[some], scores[some], *arrays), len(pairs), _CHUNK_PAIRS)
    return scores[:, 0].copy(), scores[:, 1].copy()


def block_beads(
    pairs: Pairs,
    blocks: PageBlocks,
    lexicon: SparseMatrix,
    weights: tuple[npt.NDArray[np.float64], ...],
    *,
    log_ratio: float,
) -> npt.NDArray[np.int64]:
    """Aligned blocks of the pairs of pages, numbered over the whole site, int64 (n, 2).

    ``log_ratio``: log of target over source characters.
    """
    pairs = np.ascontiguousarray(pairs, np.int32)
    arrays = _kernel_arrays(pairs, blocks, lexicon, weights)
    beads: npt.NDArray[np.int64] = find_block_beads(pairs, log_ratio, *arrays)
    return beads


def _kernel_arrays(
    pairs: Pairs, blocks: PageBlocks, lexicon: SparseMatrix, weights: tuple[npt.NDArray[np.float64], ...]
) -> tuple[Any, ...]:
    """The records of the kernels: blocks, and the lexicon in both directions."""
    forward, back = ((each.starts, each.columns, each.values.astype(np.float32)) for each in (lexicon, lexicon.T))
    return (
        blocks,
        Translations(forward, weights[0], blocks, distinct(pairs[:, 0])),
        Translations(back, weights[1], blocks, distinct(pairs[:, 1])),
    )
