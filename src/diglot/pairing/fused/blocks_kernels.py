"""What the blocks of two pages translate of each other, and the best chains of block pairs.

``side``: see :class:`diglot.pairing.fused.blocks.Side`. ``lexicon``: offsets, numbers and
values of the translations of each term. ``found``: (blocks of i, of j) on end.
"""

from __future__ import annotations

from typing import Any

import cython
import numpy as np
from cython.cimports.diglot.arrays import (
    BytesOut,
    Floats,
    FloatsOut,
    Int32Rows,
    IntRowsOut,
    Ints,
    Ints8Out,
    Ints32,
    Ints32Out,
    IntsOut,
    SingleRowsOut,
    Singles,
    SinglesOut,
)
from cython.cimports.diglot.libm import NAN, log, sqrt

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

_MAX_BLOCKS = cython.declare(cython.Py_ssize_t, MAX_BLOCKS)
_LENGTH_SD = cython.declare(cython.double, LENGTH_SD)
_MIN_LENGTH_FIT = cython.declare(cython.double, MIN_LENGTH_FIT)
_SIMILARITY_WEIGHT = cython.declare(cython.double, SIMILARITY_WEIGHT)
_GAP = cython.declare(cython.double, GAP)
_DENSE = cython.declare(cython.Py_ssize_t, DENSE)
_SLACK = cython.declare(cython.double, SLACK)
_ROUNDING = cython.declare(cython.double, ROUNDING)


def add_totals(docs: Ints32, total: FloatsOut, side: Any, lexicon: Any, weight: Floats) -> None:
    """Fill ``total`` with the weight of the terms of each block of some documents that have any translation."""
    block_values: Ints32 = side.block_values
    block_offsets: Ints = side.block_offsets
    doc_blocks: Ints = side.doc_blocks
    offsets: Ints = lexicon[0]
    with cython.nogil:
        for k in range(docs.shape[0]):
            first = doc_blocks[docs[k]]
            for block in range(first, first + _block_count(doc_blocks, docs[k])):
                known: cython.double = 0.0
                for p in range(block_offsets[block], block_offsets[block + 1]):
                    x = block_values[p]
                    if weight[x] > 0 and offsets[x] != offsets[x + 1]:
                        known += weight[x]
                total[block] = known


def order_scores_of(
    pairs: Int32Rows,
    out: SingleRowsOut,
    side: Any,
    forward: Any,
    back: Any,
    src_weight: Floats,
    tgt_weight: Floats,
    src_totals: Floats,
    tgt_totals: Floats,
) -> None:
    """Fill ``out`` with order-aware and first-block coverage; see :func:`diglot.pairing.fused.blocks.order_scores`."""
    doc_blocks: Ints = side.doc_blocks
    term_values: Ints32 = side.term_values
    term_offsets: Ints = side.term_offsets
    posting_offsets: Ints = side.posting_offsets
    postings: Ints32 = side.postings
    forward_offsets: Ints = forward[0]
    forward_numbers: Ints32 = forward[1]
    forward_values: Singles = forward[2]
    back_offsets: Ints = back[0]
    back_numbers: Ints32 = back[1]
    back_values: Singles = back[2]
    most, cells = _most_blocks(pairs, doc_blocks)
    src_place: Ints32Out = np.full(src_weight.shape[0], -1, np.int32)
    tgt_place: Ints32Out = np.full(src_weight.shape[0], -1, np.int32)
    found_src: SinglesOut = np.empty(cells, np.float32)
    found_tgt: SinglesOut = np.empty(cells, np.float32)
    best: FloatsOut = np.zeros(most)
    touched: IntsOut = np.empty(most, np.int64)
    stands: FloatsOut = np.zeros(most)
    row: FloatsOut = np.empty(most + 1)
    up: FloatsOut = np.empty(most)
    down: FloatsOut = np.empty(most)
    may: BytesOut = np.empty(most, np.uint8)
    last: cython.Py_ssize_t = -1
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    m: cython.Py_ssize_t
    n: cython.Py_ssize_t
    with cython.nogil:
        for k in range(pairs.shape[0]):
            i, j = pairs[k, 0], pairs[k, 1]
            if i != last:
                if last >= 0:
                    _set_places(last, term_values, term_offsets, src_place, False)
                _set_places(i, term_values, term_offsets, src_place, True)
                last = i
            m, n = _block_count(doc_blocks, i), _block_count(doc_blocks, j)
            _set_places(j, term_values, term_offsets, tgt_place, True)
            _find_src(
                i,
                m,
                n,
                term_values,
                term_offsets,
                posting_offsets,
                postings,
                tgt_place,
                forward_offsets,
                forward_numbers,
                forward_values,
                src_weight,
                found_src,
                best,
                touched,
            )
            _set_places(j, term_values, term_offsets, tgt_place, False)
            _find_tgt(
                j,
                m,
                n,
                term_values,
                term_offsets,
                posting_offsets,
                postings,
                src_place,
                back_offsets,
                back_numbers,
                back_values,
                tgt_weight,
                found_tgt,
                best,
                touched,
                stands,
            )
            src_first, tgt_first = doc_blocks[i], doc_blocks[j]
            total_src: Floats = src_totals[src_first : src_first + m]
            total_tgt: Floats = tgt_totals[tgt_first : tgt_first + n]
            weight = _best_chain(found_src, found_tgt, total_src, total_tgt, row, up, down, may)
            whole = sqrt(_sum(total_src) * _sum(total_tgt))
            out[k, 0] = weight / whole if whole > 0 else NAN
            out[k, 1] = NAN
            if m > 0 and n > 0 and total_src[0] > 0 and total_tgt[0] > 0:
                share = (found_src[0] + 0.1) / (total_src[0] + 0.2)
                out[k, 1] = min(share, (found_tgt[0] + 0.1) / (total_tgt[0] + 0.2))


def block_beads_of(
    pairs: Int32Rows,
    chars: Ints32,
    log_ratio: cython.double,
    side: Any,
    forward: Any,
    back: Any,
    src_weight: Floats,
    tgt_weight: Floats,
    src_totals: Floats,
    tgt_totals: Floats,
) -> np.ndarray:
    """Block numbers that stand opposite each other in the pairs of pages, int64 (n, 2)."""
    doc_blocks: Ints = side.doc_blocks
    term_values: Ints32 = side.term_values
    term_offsets: Ints = side.term_offsets
    posting_offsets: Ints = side.posting_offsets
    postings: Ints32 = side.postings
    forward_offsets: Ints = forward[0]
    forward_numbers: Ints32 = forward[1]
    forward_values: Singles = forward[2]
    back_offsets: Ints = back[0]
    back_numbers: Ints32 = back[1]
    back_values: Singles = back[2]
    most, cells = _most_blocks(pairs, doc_blocks)
    place: Ints32Out = np.full(src_weight.shape[0], -1, np.int32)
    found_src: SinglesOut = np.empty(cells, np.float32)
    found_tgt: SinglesOut = np.empty(cells, np.float32)
    best: FloatsOut = np.zeros(most)
    touched: IntsOut = np.empty(most, np.int64)
    stands: FloatsOut = np.zeros(most)
    src_log: FloatsOut = np.empty(most)
    tgt_log: FloatsOut = np.empty(most)
    before: SinglesOut = np.empty(most + 1, np.float32)
    row: SinglesOut = np.empty(most + 1, np.float32)
    steps: Ints8Out = np.empty(cells + 2 * most + 1, np.int8)
    size: cython.Py_ssize_t = 0
    with cython.nogil:
        for k in range(pairs.shape[0]):
            size += _block_count(doc_blocks, pairs[k, 0])
    all_out = np.empty((size, 2), np.int64)
    out: IntRowsOut = all_out
    count: cython.Py_ssize_t = 0
    a: cython.Py_ssize_t
    b: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    m: cython.Py_ssize_t
    n: cython.Py_ssize_t
    step: cython.int
    with cython.nogil:
        for k in range(pairs.shape[0]):
            i, j = pairs[k, 0], pairs[k, 1]
            m, n = _block_count(doc_blocks, i), _block_count(doc_blocks, j)
            _set_places(j, term_values, term_offsets, place, True)
            _find_src(
                i,
                m,
                n,
                term_values,
                term_offsets,
                posting_offsets,
                postings,
                place,
                forward_offsets,
                forward_numbers,
                forward_values,
                src_weight,
                found_src,
                best,
                touched,
            )
            _set_places(j, term_values, term_offsets, place, False)
            _set_places(i, term_values, term_offsets, place, True)
            _find_tgt(
                j,
                m,
                n,
                term_values,
                term_offsets,
                posting_offsets,
                postings,
                place,
                back_offsets,
                back_numbers,
                back_values,
                tgt_weight,
                found_tgt,
                best,
                touched,
                stands,
            )
            _set_places(i, term_values, term_offsets, place, False)
            src_first, tgt_first = doc_blocks[i], doc_blocks[j]
            _fill_steps(
                m,
                n,
                found_src,
                found_tgt,
                src_totals[src_first : src_first + m],
                tgt_totals[tgt_first : tgt_first + n],
                chars[src_first : src_first + m],
                chars[tgt_first : tgt_first + n],
                log_ratio,
                src_log,
                tgt_log,
                before,
                row,
                steps,
            )
            a, b = m, n
            while a > 0 and b > 0:
                step = steps[a * (n + 1) + b]
                if step == 0:
                    a, b = a - 1, b - 1
                    out[count, 0], out[count, 1] = src_first + a, tgt_first + b
                    count += 1
                elif step == 1:
                    a -= 1
                else:
                    b -= 1
    return all_out[:count]


def _most_blocks(pairs: Int32Rows, doc_blocks: Ints) -> tuple[int, int]:
    """The most blocks of a page, and of two pages multiplied."""
    most: cython.Py_ssize_t = 0
    cells: cython.Py_ssize_t = 0
    m: cython.Py_ssize_t
    n: cython.Py_ssize_t
    with cython.nogil:
        for k in range(pairs.shape[0]):
            m, n = _block_count(doc_blocks, pairs[k, 0]), _block_count(doc_blocks, pairs[k, 1])
            most, cells = max(most, max(m, n)), max(cells, m * n)
    return most, cells


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _block_count(doc_blocks: Ints, page: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """How many of a page's blocks are looked at."""
    return min(doc_blocks[page + 1] - doc_blocks[page], _MAX_BLOCKS)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sum(values: Floats) -> cython.double:
    total: cython.double = 0.0
    for k in range(values.shape[0]):
        total += values[k]
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _set_places(
    doc: cython.Py_ssize_t, term_values: Ints32, term_offsets: Ints, place: Ints32Out, stands: cython.bint
) -> cython.void:
    """Note for each term of a document where its postings are; -1 once it ``stands`` no more."""
    for t in range(term_offsets[doc], term_offsets[doc + 1]):
        place[term_values[t]] = t if stands else -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _reached(
    term: cython.Py_ssize_t,
    posting_offsets: Ints,
    postings: Ints32,
    place: Ints32Out,
    offsets: Ints,
    numbers: Ints32,
    values: Singles,
    best: FloatsOut,
    touched: IntsOut,
    most: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """How many blocks (of the first ``most``) of a document hold a translation of a term: their numbers go into
    ``touched``, the value of the best into ``best``."""
    count: cython.Py_ssize_t = 0
    for q in range(offsets[term], offsets[term + 1]):
        at = place[numbers[q]]
        if at < 0:
            continue
        value = values[q]
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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _find_src(
    i: cython.Py_ssize_t,
    m: cython.Py_ssize_t,
    n: cython.Py_ssize_t,
    term_values: Ints32,
    term_offsets: Ints,
    posting_offsets: Ints,
    postings: Ints32,
    place: Ints32Out,
    lexicon_offsets: Ints,
    lexicon_numbers: Ints32,
    lexicon_values: Singles,
    weight: Floats,
    found: SinglesOut,
    best: FloatsOut,
    touched: IntsOut,
) -> cython.void:
    """Fill ``found`` with the weight of the terms of each block of i that each block of j translates.

    ``place``: of the terms of j. ``best``: zeros, and zeros again after. Terms come one after the other, rising, as
    each block has them: so are the sums of floats the same in whatever order pages come.
    """
    for cell in range(m * n):
        found[cell] = 0.0
    for t in range(term_offsets[i], term_offsets[i + 1]):
        x = term_values[t]
        if weight[x] <= 0:
            continue
        count = _reached(
            x,
            posting_offsets,
            postings,
            place,
            lexicon_offsets,
            lexicon_numbers,
            lexicon_values,
            best,
            touched,
            n,
        )
        if count == 0:
            continue
        for k in range(count):
            best[touched[k]] *= weight[x]
        for r in range(posting_offsets[t], posting_offsets[t + 1]):
            if postings[r] >= m:
                break
            start = postings[r] * n
            if count * _DENSE >= n:
                for b in range(n):
                    found[start + b] += best[b]
            else:
                for k in range(count):
                    found[start + touched[k]] += best[touched[k]]
        for k in range(count):
            best[touched[k]] = 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _find_tgt(
    j: cython.Py_ssize_t,
    m: cython.Py_ssize_t,
    n: cython.Py_ssize_t,
    term_values: Ints32,
    term_offsets: Ints,
    posting_offsets: Ints,
    postings: Ints32,
    place: Ints32Out,
    lexicon_offsets: Ints,
    lexicon_numbers: Ints32,
    lexicon_values: Singles,
    weight: Floats,
    found: SinglesOut,
    best: FloatsOut,
    touched: IntsOut,
    stands: FloatsOut,
) -> cython.void:
    """The same of the blocks of j by those of i, again a row for each block of i; ``stands``: zeros, too."""
    first: cython.Py_ssize_t
    end: cython.Py_ssize_t
    dense: cython.bint
    for cell in range(m * n):
        found[cell] = 0.0
    for t in range(term_offsets[j], term_offsets[j + 1]):
        y = term_values[t]
        if weight[y] <= 0:
            continue
        count = _reached(
            y,
            posting_offsets,
            postings,
            place,
            lexicon_offsets,
            lexicon_numbers,
            lexicon_values,
            best,
            touched,
            m,
        )
        if count == 0:
            continue
        first, end = posting_offsets[t], posting_offsets[t + 1]
        while end > first and postings[end - 1] >= n:
            end -= 1
        dense = (end - first) * _DENSE >= n
        if dense:
            for r in range(first, end):
                stands[postings[r]] = 1.0
        for k in range(count):
            value = weight[y] * best[touched[k]]
            best[touched[k]] = 0.0
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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _best_chain(
    found_src: SinglesOut,
    found_tgt: SinglesOut,
    total_src: Floats,
    total_tgt: Floats,
    row: FloatsOut,
    up: FloatsOut,
    down: FloatsOut,
    may: BytesOut,
) -> cython.double:
    """Weight of the best monotone chain of block pairs, each worth the smaller of the two shares that are found times
    the geometric mean of the totals.

    ``row[b]``: of the best chain within the blocks so far and the first b, which never falls. A pair that cannot raise
    it by a bound that takes no division is not looked at.
    """
    m, n = total_src.shape[0], total_tgt.shape[0]
    b: cython.Py_ssize_t
    before: cython.double
    raised: cython.double
    for at in range(n):
        row[at] = 0.0
        up[at] = sqrt(total_tgt[at]) * _SLACK
        down[at] = _SLACK * _SLACK / up[at] if total_tgt[at] > 0 else 0.0
    row[n] = 0.0
    for a in range(m):
        mine = total_src[a]
        if mine <= 0:
            continue
        root, start = sqrt(mine), a * n
        inverse = 1 / root
        for at in range(n):
            by_src = found_src[start + at] * (inverse * up[at])
            by_tgt = found_tgt[start + at] * (root * down[at])
            may[at] = row[at] + (by_src if by_src < by_tgt else by_tgt) > row[at + 1]
        b = 0
        while b < n:
            if not may[b]:
                b += 1
                continue
            before, raised = row[b], 0.0
            while b < n:
                if may[b]:
                    share = min(found_src[start + b] / mine, found_tgt[start + b] / total_tgt[b])
                    raised = max(raised, before + share * sqrt(mine * total_tgt[b]))
                before = row[b + 1]
                b += 1
                if before >= raised:
                    break
                row[b] = raised
    return row[n]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fill_steps(
    m: cython.Py_ssize_t,
    n: cython.Py_ssize_t,
    found_src: SinglesOut,
    found_tgt: SinglesOut,
    total_src: Floats,
    total_tgt: Floats,
    src_chars: Ints32,
    tgt_chars: Ints32,
    log_ratio: cython.double,
    src_log: FloatsOut,
    tgt_log: FloatsOut,
    before: SinglesOut,
    row: SinglesOut,
    steps: Ints8Out,
) -> cython.void:
    """Last steps of the best monotone chains of block pairs by length fit and lexicon, (m + 1, n + 1) on end: 0 along
    both pages, 1 along the first and 2 along the second."""
    width = n + 1
    best: cython.double
    step: cython.int
    for a in range(m):
        src_log[a] = log(src_chars[a] + 1.0) + log_ratio
    for b in range(n):
        tgt_log[b] = log(tgt_chars[b] + 1.0)
    for b in range(width):
        row[b], steps[b] = _GAP * b, 2
    for a in range(1, m + 1):
        for b in range(width):
            before[b] = row[b]
        row[0], steps[a * width] = _GAP * a, 1
        start = (a - 1) * n - 1
        for b in range(1, width):
            similarity: cython.double = 0.0
            if found_src[start + b] > 0 and found_tgt[start + b] > 0:
                share = found_src[start + b] / total_src[a - 1] * found_tgt[start + b] / total_tgt[b - 1]
                similarity = _SIMILARITY_WEIGHT * sqrt(share)
            best, step = before[b] + _GAP, 1
            if row[b - 1] + _GAP > best:
                best, step = row[b - 1] + _GAP, 2
            # The logarithm of the ratio takes the time: what a difference of logarithms rules out needs none.
            z = (tgt_log[b - 1] - src_log[a - 1]) / _LENGTH_SD
            if before[b - 1] + max(1 - 0.5 * z * z, _MIN_LENGTH_FIT) + similarity + _ROUNDING >= best:
                z = (log((tgt_chars[b - 1] + 1.0) / (src_chars[a - 1] + 1.0)) - log_ratio) / _LENGTH_SD
                fit = max(1 - 0.5 * z * z, _MIN_LENGTH_FIT) + similarity
                if before[b - 1] + fit >= best:
                    best, step = before[b - 1] + fit, 0
            row[b], steps[a * width + b] = best, step
