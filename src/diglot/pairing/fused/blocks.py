"""Two pages block by block under a lexicon: how much of one is found in the other, and in the same order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from diglot.arrays import Column, Pairs, distinct
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
DENSE = 4
"""What stands in one of so many blocks of a page is added to all of them: that needs no look-up."""
SLACK, ROUNDING = 1 + 1e-9, 1e-6
"""More than sums and products differ in that are taken in another order: by factor, and by difference."""
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


@compiled
def _add_totals(docs: Any, side: Any, lexicon: Any, weight: Any, total: Any) -> None:
    """Fill ``total`` with the weight of the terms of each block of some documents that have any translation."""
    block_values, block_offsets, doc_blocks = side[0], side[1], side[2]
    indptr = lexicon[0]
    for k in range(len(docs)):
        first = doc_blocks[docs[k]]
        for block in range(first, min(doc_blocks[docs[k] + 1], first + MAX_BLOCKS)):
            known = 0.0
            for p in range(block_offsets[block], block_offsets[block + 1]):
                x = block_values[p]
                if weight[x] > 0 and indptr[x] != indptr[x + 1]:
                    known += weight[x]
            total[block] = known


@compiled
def _set_places(doc: int, side: Any, place: Any, stands: bool) -> None:
    """Note for each term of a document where its postings are; -1 once it ``stands`` no more."""
    term_values, term_offsets = side[3], side[4]
    for t in range(term_offsets[doc], term_offsets[doc + 1]):
        place[term_values[t]] = t if stands else -1


@compiled
def _reached(term: int, place: Any, lexicon: Any, side: Any, best: Any, touched: Any, most: int) -> int:
    """How many blocks (of the first ``most``) of a document hold a translation of a term: their numbers go into
    ``touched``, the value of the best into ``best``."""
    indptr, indices, data = lexicon
    posting_offsets, postings = side[5], side[6]
    count = 0
    for q in range(indptr[term], indptr[term + 1]):
        at = place[indices[q]]
        if at < 0:
            continue
        value = data[q]
        for r in range(posting_offsets[at], posting_offsets[at + 1]):
            b = postings[r]
            if b >= most:
                break
            if best[b] == 0:
                touched[count] = b
                count += 1
                best[b] = value
            elif value > best[b]:
                best[b] = value
    return count


@compiled
def _find_src(i: int, m: int, n: int, side: Any, place: Any, lexicon: Any, weight: Any, found: Any, room: Any) -> None:
    """Add to ``found``, float32 (m * n), the weight of the terms of each block of i that each block of j translates.

    ``place``: of the terms of j. Terms come one after the other, rising, as each block has them: so are the sums of
    floats the same in whatever order pages come.
    """
    best, touched, _ = room
    term_values, term_offsets, posting_offsets, postings = side[3], side[4], side[5], side[6]
    for t in range(term_offsets[i], term_offsets[i + 1]):
        x = term_values[t]
        if weight[x] <= 0:
            continue
        count = _reached(x, place, lexicon, side, best, touched, n)
        if count == 0:
            continue
        for k in range(count):
            best[touched[k]] *= weight[x]
        for r in range(posting_offsets[t], posting_offsets[t + 1]):
            if postings[r] >= m:
                break
            start = postings[r] * n
            if count * DENSE >= n:
                for b in range(n):
                    found[start + b] += best[b]
            else:
                for k in range(count):
                    found[start + touched[k]] += best[touched[k]]
        for k in range(count):
            best[touched[k]] = 0


@compiled
def _find_tgt(j: int, m: int, n: int, side: Any, place: Any, lexicon: Any, weight: Any, found: Any, room: Any) -> None:
    """The same of the blocks of j by those of i, again float32 (m * n), a row for each block of i."""
    best, touched, stands = room
    term_values, term_offsets, posting_offsets, postings = side[3], side[4], side[5], side[6]
    for t in range(term_offsets[j], term_offsets[j + 1]):
        y = term_values[t]
        if weight[y] <= 0:
            continue
        count = _reached(y, place, lexicon, side, best, touched, m)
        if count == 0:
            continue
        first, end = posting_offsets[t], posting_offsets[t + 1]
        while end > first and postings[end - 1] >= n:
            end -= 1
        dense = (end - first) * DENSE >= n
        if dense:
            for r in range(first, end):
                stands[postings[r]] = 1.0
        for k in range(count):
            value = weight[y] * best[touched[k]]
            best[touched[k]] = 0
            start = touched[k] * n
            if dense:
                for b in range(n):
                    found[start + b] += value * stands[b]
            else:
                for r in range(first, end):
                    found[start + postings[r]] += value
        if dense:
            for r in range(first, end):
                stands[postings[r]] = 0.0


@compiled
def _best_chain(
    m: int, n: int, found_src: Any, found_tgt: Any, total_src: Any, total_tgt: Any, row: Any, room: Any
) -> float:
    """Weight of the best monotone chain of block pairs, each worth the smaller of the two shares that are found times
    the geometric mean of the totals.

    ``row[b]``: of the best chain within the blocks so far and the first b, which never falls. A pair that cannot raise
    it by a bound that takes no division is not looked at.
    """
    up, down, may = room
    for b in range(n):
        row[b] = 0.0
        up[b] = np.sqrt(total_tgt[b]) * SLACK
        down[b] = SLACK * SLACK / up[b] if total_tgt[b] > 0 else 0.0
    row[n] = 0.0
    for a in range(m):
        mine = total_src[a]
        if mine <= 0:
            continue
        root, start = np.sqrt(mine), a * n
        inverse = 1 / root
        for b in range(n):
            by_src = found_src[start + b] * (inverse * up[b])
            by_tgt = found_tgt[start + b] * (root * down[b])
            may[b] = row[b] + (by_src if by_src < by_tgt else by_tgt) > row[b + 1]
        b = 0
        while b < n:
            if not may[b]:
                b += 1
                continue
            before, raised = row[b], 0.0
            while b < n:
                if may[b]:
                    share = min(found_src[start + b] / mine, found_tgt[start + b] / total_tgt[b])
                    score = before + share * np.sqrt(mine * total_tgt[b])
                    raised = max(raised, score)
                before = row[b + 1]
                b += 1
                if before >= raised:
                    break
                row[b] = raised
    return row[n]


@compiled
def _sum(values: Any) -> float:
    total = 0.0
    for k in range(len(values)):
        total += values[k]
    return total


@compiled
def _size(doc: int, doc_blocks: Any) -> int:
    """How many of a document's blocks are looked at."""
    return min(doc_blocks[doc + 1] - doc_blocks[doc], MAX_BLOCKS)


@compiled
def _most_blocks(pairs: Any, doc_blocks: Any) -> Any:
    """The most blocks of a page, and of two pages multiplied."""
    most, cells = 0, 0
    for k in range(len(pairs)):
        m, n = _size(pairs[k, 0], doc_blocks), _size(pairs[k, 1], doc_blocks)
        most, cells = max(most, m, n), max(cells, m * n)
    return most, cells


@compiled
def _order_scores(
    pairs: Any, out: Any, side: Any, forward: Any, back: Any, src_weight: Any, tgt_weight: Any, totals: Any
) -> None:
    doc_blocks, terms = side[2], len(src_weight)
    most, cells = _most_blocks(pairs, doc_blocks)
    place_src, place_tgt = np.full(terms, -1, np.int32), np.full(terms, -1, np.int32)
    found_src, found_tgt, row = np.zeros(cells, np.float32), np.zeros(cells, np.float32), np.zeros(most + 1)
    room = np.zeros(most), np.empty(most, np.int64), np.zeros(most)
    chain_room, last = (np.zeros(most), np.zeros(most), np.zeros(most, np.bool_)), -1
    for k in range(len(pairs)):
        i, j = pairs[k, 0], pairs[k, 1]
        if i != last:
            if last >= 0:
                _set_places(last, side, place_src, False)
            _set_places(i, side, place_src, True)
            last = i
        m, n = _size(i, doc_blocks), _size(j, doc_blocks)
        for at in range(m * n):
            found_src[at] = 0
            found_tgt[at] = 0
        _set_places(j, side, place_tgt, True)
        _find_src(i, m, n, side, place_tgt, forward, src_weight, found_src, room)
        _set_places(j, side, place_tgt, False)
        _find_tgt(j, m, n, side, place_src, back, tgt_weight, found_tgt, room)
        total_src = totals[0][doc_blocks[i] : doc_blocks[i] + m]
        total_tgt = totals[1][doc_blocks[j] : doc_blocks[j] + n]
        best = _best_chain(m, n, found_src, found_tgt, total_src, total_tgt, row, chain_room)
        whole = np.sqrt(_sum(total_src) * _sum(total_tgt))
        out[k, 0] = best / whole if whole > 0 else np.nan
        out[k, 1] = np.nan
        if m > 0 and n > 0 and total_src[0] > 0 and total_tgt[0] > 0:
            out[k, 1] = min((found_src[0] + 0.1) / (total_src[0] + 0.2), (found_tgt[0] + 0.1) / (total_tgt[0] + 0.2))


@compiled
def _block_path(
    m: int,
    n: int,
    found_src: Any,
    found_tgt: Any,
    total_src: Any,
    total_tgt: Any,
    src_chars: Any,
    tgt_chars: Any,
    log_ratio: float,
) -> Any:
    """Best monotone chain of block pairs by length fit and lexicon; arrays of their block numbers."""
    before, row, step = np.empty(n + 1, np.float32), np.empty(n + 1, np.float32), np.zeros((m + 1, n + 1), np.int8)
    src_log, tgt_log = np.empty(m), np.empty(n)
    for a in range(m):
        src_log[a] = np.log(src_chars[a] + 1.0) + log_ratio
    for b in range(n):
        tgt_log[b] = np.log(tgt_chars[b] + 1.0)
    for b in range(n + 1):
        row[b], step[0, b] = GAP * b, 2
    for a in range(1, m + 1):
        before, row = row, before
        row[0], step[a, 0], start = GAP * a, 1, (a - 1) * n - 1
        for b in range(1, n + 1):
            similarity = 0.0
            if found_src[start + b] > 0 and found_tgt[start + b] > 0:
                share = found_src[start + b] / total_src[a - 1] * found_tgt[start + b] / total_tgt[b - 1]
                similarity = SIMILARITY_WEIGHT * np.sqrt(share)
            by_gap, move = before[b] + GAP, 1
            if row[b - 1] + GAP > by_gap:
                by_gap, move = row[b - 1] + GAP, 2
            # The logarithm of the ratio takes the time: what a difference of logarithms rules out needs none.
            z = (tgt_log[b - 1] - src_log[a - 1]) / LENGTH_SD
            if before[b - 1] + max(1 - 0.5 * z * z, MIN_LENGTH_FIT) + similarity + ROUNDING >= by_gap:
                z = (np.log((tgt_chars[b - 1] + 1.0) / (src_chars[a - 1] + 1.0)) - log_ratio) / LENGTH_SD
                fit = max(1 - 0.5 * z * z, MIN_LENGTH_FIT) + similarity
                if before[b - 1] + fit >= by_gap:
                    by_gap, move = before[b - 1] + fit, 0
            row[b], step[a, b] = by_gap, move
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
    pairs: Any,
    chars: Any,
    log_ratio: float,
    side: Any,
    forward: Any,
    back: Any,
    src_weight: Any,
    tgt_weight: Any,
    totals: Any,
) -> Any:
    doc_blocks, terms, size = side[2], len(src_weight), 0
    for k in range(len(pairs)):
        size += _size(pairs[k, 0], doc_blocks)
    out = np.empty((size, 2), np.int64)
    most, cells = _most_blocks(pairs, doc_blocks)
    place = np.full(terms, -1, np.int32)
    found_src, found_tgt = np.zeros(cells, np.float32), np.zeros(cells, np.float32)
    room, count = (np.zeros(most), np.empty(most, np.int64), np.zeros(most)), 0
    for k in range(len(pairs)):
        i, j = pairs[k, 0], pairs[k, 1]
        m, n = _size(i, doc_blocks), _size(j, doc_blocks)
        for at in range(m * n):
            found_src[at] = 0
            found_tgt[at] = 0
        _set_places(j, side, place, True)
        _find_src(i, m, n, side, place, forward, src_weight, found_src, room)
        _set_places(j, side, place, False)
        _set_places(i, side, place, True)
        _find_tgt(j, m, n, side, place, back, tgt_weight, found_tgt, room)
        _set_places(i, side, place, False)
        start_i, start_j = doc_blocks[i], doc_blocks[j]
        src_path, tgt_path = _block_path(
            m,
            n,
            found_src,
            found_tgt,
            totals[0][start_i : start_i + m],
            totals[1][start_j : start_j + n],
            chars[start_i : start_i + m],
            chars[start_j : start_j + n],
            log_ratio,
        )
        for place_in_path in range(len(src_path)):
            out[count, 0], out[count, 1] = start_i + src_path[place_in_path], start_j + tgt_path[place_in_path]
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
    arrays = _kernel_arrays(pairs, side, lexicon, weights)
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
        pairs, side.block_chars, log_ratio, *_kernel_arrays(pairs, side, lexicon, weights)
    )
    return beads


def _kernel_arrays(
    pairs: Pairs, side: Side, lexicon: sparse.csr_array, weights: tuple[npt.NDArray[np.float64], ...]
) -> tuple[Any, ...]:
    """What the kernels read: blocks, the lexicon either way, weights, and the known weight of the pages' blocks."""
    arrays, directions = _arrays(side), _directions(lexicon)
    totals = np.zeros(len(side.block_chars)), np.zeros(len(side.block_chars))
    for k in (0, 1):
        _add_totals(distinct(pairs[:, k]), arrays, directions[k], weights[k], totals[k])
    return arrays, *directions, *weights, totals


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
