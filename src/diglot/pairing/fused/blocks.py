"""Two pages block by block under a lexicon: how much of one is found in the other, and in the same order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from diglot import sparse
from diglot.arrays import Column, Pairs
from diglot.compiled import compiled, in_threads
from diglot.pairing.fused.terms import Terms

MAX_BLOCKS = 1_000
"""Blocks of a page beyond this many are not looked at."""
# The score of a chain of blocks; the four are on one scale, where blocks of the expected length are worth 1.
LENGTH_SD = 0.5
"""Standard deviation of the log length ratio of two blocks that translate each other, roughly."""
MIN_LENGTH_FIT = -3.0
"""However odd the lengths, a match costs no more than this, so that known words can outweigh it."""
SIMILARITY_WEIGHT = 4.0
"""What two blocks add of which each holds all known words of the other."""
GAP = -0.6
"""What a block without a counterpart costs: less than a match of odd lengths."""
_CHUNK_PAIRS = 64
"""Pairs of pages that one thread takes at a stretch."""


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
    docs = len(terms.block_offsets) - 1
    doc_of_block = np.repeat(np.arange(docs), np.diff(terms.block_offsets))
    block = np.repeat(np.arange(len(terms.blocks)), terms.blocks.lengths())
    doc = doc_of_block[block] if len(block) else np.zeros(0, np.int64)
    local = (block - terms.block_offsets[doc]).astype(np.int32)
    order = np.lexsort((local, terms.blocks.values, doc))
    doc, values = doc[order], terms.blocks.values[order]
    new = np.ones(len(values), bool)
    new[1:] = (values[1:] != values[:-1]) | (doc[1:] != doc[:-1])
    first = np.flatnonzero(new)
    return Side(
        block_values=terms.blocks.values,
        block_offsets=terms.blocks.offsets,
        doc_blocks=terms.block_offsets,
        block_chars=terms.block_chars,
        term_values=values[first].astype(np.int32),
        term_offsets=np.concatenate([[0], np.cumsum(np.bincount(doc[first], minlength=docs))]).astype(np.int64),
        posting_offsets=np.append(first, len(values)).astype(np.int64),
        postings=local[order],
    )


@compiled
def _find(values: Any, start: int, end: int, wanted: int) -> int:
    """Place of ``wanted`` in the rising ``values[start:end]``, -1 where it is not there."""
    while start < end:
        middle = (start + end) // 2
        if values[middle] < wanted:
            start = middle + 1
        elif values[middle] > wanted:
            end = middle
        else:
            return middle
    return -1


@compiled
def _found_mass(i: int, j: int, side: Any, lexicon: Any, weight: Any) -> Any:
    """The weight of the terms of each block of i that each block of j translates, float32 (blocks of i, of j), and
    the total weight of each block of i."""
    block_values, block_offsets, doc_blocks, term_values, term_offsets, posting_offsets, postings = side
    indptr, indices, data = lexicon
    rows = min(doc_blocks[i + 1] - doc_blocks[i], MAX_BLOCKS)
    columns = min(doc_blocks[j + 1] - doc_blocks[j], MAX_BLOCKS)
    found = np.zeros((rows, columns), np.float32)
    total = np.zeros(rows)
    best = np.zeros(columns)
    touched = np.empty(columns, np.int64)
    for a in range(rows):
        block = doc_blocks[i] + a
        for p in range(block_offsets[block], block_offsets[block + 1]):
            x = block_values[p]
            if weight[x] <= 0 or indptr[x] == indptr[x + 1]:
                continue
            total[a] += weight[x]
            count = 0
            for q in range(indptr[x], indptr[x + 1]):
                place = _find(term_values, term_offsets[j], term_offsets[j + 1], indices[q])
                if place < 0:
                    continue
                for r in range(posting_offsets[place], posting_offsets[place + 1]):
                    b = postings[r]
                    if b < columns:
                        if best[b] == 0:
                            touched[count] = b
                            count += 1
                        best[b] = max(best[b], data[q])
            for k in range(count):
                b = touched[k]
                found[a, b] += weight[x] * best[b]
                best[b] = 0
    return found, total


@compiled
def _masses(i: int, j: int, side: Any, forward: Any, back: Any, src_weight: Any, tgt_weight: Any) -> Any:
    found_src, total_src = _found_mass(i, j, side, forward, src_weight)
    found_tgt, total_tgt = _found_mass(j, i, side, back, tgt_weight)
    return found_src, found_tgt, total_src, total_tgt


@compiled
def _order_scores(pairs: Any, out: Any, side: Any, forward: Any, back: Any, src_weight: Any, tgt_weight: Any) -> None:
    for k in range(len(pairs)):
        masses = _masses(pairs[k, 0], pairs[k, 1], side, forward, back, src_weight, tgt_weight)
        found_src, found_tgt, total_src, total_tgt = masses
        m, n = found_src.shape
        row = np.zeros(n + 1)
        for a in range(m):
            diagonal = 0.0
            for b in range(n):
                above = row[b + 1]
                score = 0.0
                if found_src[a, b] > 0 and found_tgt[b, a] > 0:
                    share = min(found_src[a, b] / total_src[a], found_tgt[b, a] / total_tgt[b])
                    score = share * np.sqrt(total_src[a] * total_tgt[b])
                row[b + 1] = max(above, row[b], diagonal + score)
                diagonal = above
        whole = np.sqrt(total_src.sum() * total_tgt.sum())
        out[k, 0] = row[n] / whole if whole > 0 else np.nan
        out[k, 1] = np.nan
        if m > 0 and n > 0 and total_src[0] > 0 and total_tgt[0] > 0:
            out[k, 1] = min(
                (found_src[0, 0] + 0.1) / (total_src[0] + 0.2), (found_tgt[0, 0] + 0.1) / (total_tgt[0] + 0.2)
            )


@compiled
def _block_path(masses: Any, src_chars: Any, tgt_chars: Any, log_ratio: float) -> Any:
    """Best monotone chain of block pairs by length fit and lexicon; arrays of their block numbers."""
    found_src, found_tgt, total_src, total_tgt = masses
    m, n = found_src.shape
    score = np.empty((m + 1, n + 1), np.float32)
    step = np.zeros((m + 1, n + 1), np.int8)
    for b in range(n + 1):  # to give a slice takes the compiler longer than all the rest
        score[0, b], step[0, b] = GAP * b, 2
    for a in range(1, m + 1):
        score[a, 0] = GAP * a
        step[a, 0] = 1
        for b in range(1, n + 1):
            z = (np.log((tgt_chars[b - 1] + 1.0) / (src_chars[a - 1] + 1.0)) - log_ratio) / LENGTH_SD
            fit = max(1 - 0.5 * z * z, MIN_LENGTH_FIT)
            if total_src[a - 1] > 0 and total_tgt[b - 1] > 0:
                share = found_src[a - 1, b - 1] / total_src[a - 1] * found_tgt[b - 1, a - 1] / total_tgt[b - 1]
                fit += SIMILARITY_WEIGHT * np.sqrt(share)
            best, move = score[a - 1, b - 1] + fit, 0
            if score[a - 1, b] + GAP > best:
                best, move = score[a - 1, b] + GAP, 1
            if score[a, b - 1] + GAP > best:
                best, move = score[a, b - 1] + GAP, 2
            score[a, b], step[a, b] = best, move
    src_path = np.empty(min(m, n), np.int64)
    tgt_path = np.empty(min(m, n), np.int64)
    count, a, b = 0, m, n
    while a > 0 and b > 0:
        if step[a, b] == 0:
            a, b = a - 1, b - 1
            src_path[count], tgt_path[count] = a, b
            count += 1
        elif step[a, b] == 1:
            a -= 1
        else:
            b -= 1
    return src_path[:count], tgt_path[:count]


@compiled
def _block_beads(
    pairs: Any, chars: Any, log_ratio: float, side: Any, forward: Any, back: Any, src_weight: Any, tgt_weight: Any
) -> Any:
    doc_blocks = side[2]
    size = 0
    for k in range(len(pairs)):
        size += min(doc_blocks[pairs[k, 0] + 1] - doc_blocks[pairs[k, 0]], MAX_BLOCKS)
    out = np.empty((size, 2), np.int64)
    count = 0
    for k in range(len(pairs)):
        i, j = pairs[k, 0], pairs[k, 1]
        masses = _masses(i, j, side, forward, back, src_weight, tgt_weight)
        m, n = masses[0].shape
        start_i, start_j = doc_blocks[i], doc_blocks[j]
        src_path, tgt_path = _block_path(masses, chars[start_i : start_i + m], chars[start_j : start_j + n], log_ratio)
        for place in range(len(src_path)):
            out[count, 0], out[count, 1] = start_i + src_path[place], start_j + tgt_path[place]
            count += 1
    return out[:count]


def order_scores(
    pairs: Pairs, side: Side, lexicon: sparse.csr_array, weights: tuple[npt.NDArray[np.float64], ...]
) -> tuple[Column, Column]:
    """Order-aware coverage and first-block coverage of every pair, each in [0, 1], NaN without known terms.

    Order: best monotone chain of block pairs, each worth the smaller of the two shares of known weight
    that the other block translates, times the geometric mean of the two weights; over the geometric
    mean of the pages' weights. ``lexicon``: (terms, terms), value t in (0, 1] of a translation.
    ``weights``: of the terms on the source and the target side.
    """
    scores, pairs = np.zeros((len(pairs), 2), np.float32), np.ascontiguousarray(pairs)
    arrays = _arrays(side), *_directions(lexicon), *weights
    in_threads(lambda some: _order_scores(pairs[some], scores[some], *arrays), len(pairs), _CHUNK_PAIRS)
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
    beads: npt.NDArray[np.int64] = _block_beads(
        pairs, side.block_chars, log_ratio, _arrays(side), *_directions(lexicon), *weights
    )
    return beads


def _arrays(side: Side) -> tuple[npt.NDArray[Any], ...]:
    return (
        side.block_values,
        side.block_offsets,
        side.doc_blocks,
        side.term_values,
        side.term_offsets,
        side.posting_offsets,
        side.postings,
    )


def _directions(lexicon: sparse.csr_array) -> tuple[tuple[npt.NDArray[Any], ...], tuple[npt.NDArray[Any], ...]]:
    back = sparse.csr_array(lexicon.T)
    return (
        (lexicon.indptr.astype(np.int64), lexicon.indices.astype(np.int32), lexicon.data.astype(np.float32)),
        (back.indptr.astype(np.int64), back.indices.astype(np.int32), back.data.astype(np.float32)),
    )
