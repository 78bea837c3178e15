"""What the blocks of two pages translate of each other, and the best chains of block pairs.

``side``: see :class:`diglot.pairing.fused.blocks.Side`. ``lexicon``: offsets, numbers and
values of the translations of each term.
"""

from __future__ import annotations

from typing import Any

import cython
import numpy as np
from cython.cimports.diglot.arrays import (
    Floats,
    FloatsOut,
    Int32Rows,
    IntRowsOut,
    Ints,
    Ints8Out,
    Ints32,
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

_MAX_BLOCKS = cython.declare(cython.Py_ssize_t, MAX_BLOCKS)
_LENGTH_SD = cython.declare(cython.double, LENGTH_SD)
_MIN_LENGTH_FIT = cython.declare(cython.double, MIN_LENGTH_FIT)
_SIMILARITY_WEIGHT = cython.declare(cython.double, SIMILARITY_WEIGHT)
_GAP = cython.declare(cython.double, GAP)


def order_scores_of(
    pairs: Int32Rows, out: SingleRowsOut, side: Any, forward: Any, back: Any, src_weight: Floats, tgt_weight: Floats
) -> None:
    """Fill ``out`` with order-aware and first-block coverage; see :func:`diglot.pairing.fused.blocks.order_scores`."""
    block_values: Ints32 = side.block_values
    block_offsets: Ints = side.block_offsets
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
    rows, cells = _room(pairs, doc_blocks)
    found_src: SinglesOut = np.empty(cells, np.float32)
    found_tgt: SinglesOut = np.empty(cells, np.float32)
    total_src: FloatsOut = np.empty(rows)
    total_tgt: FloatsOut = np.empty(rows)
    best: FloatsOut = np.zeros(rows + 1)
    touched: IntsOut = np.empty(rows, np.int64)
    m: cython.Py_ssize_t
    n: cython.Py_ssize_t
    share: cython.double
    score: cython.double
    diagonal: cython.double
    above: cython.double
    whole_src: cython.double
    whole_tgt: cython.double
    with cython.nogil:
        for k in range(pairs.shape[0]):
            i, j = pairs[k, 0], pairs[k, 1]
            m, n = _block_count(doc_blocks, i), _block_count(doc_blocks, j)
            _found_mass(
                i,
                j,
                block_values,
                block_offsets,
                doc_blocks,
                term_values,
                term_offsets,
                posting_offsets,
                postings,
                forward_offsets,
                forward_numbers,
                forward_values,
                src_weight,
                found_src,
                total_src,
                best,
                touched,
            )
            _found_mass(
                j,
                i,
                block_values,
                block_offsets,
                doc_blocks,
                term_values,
                term_offsets,
                posting_offsets,
                postings,
                back_offsets,
                back_numbers,
                back_values,
                tgt_weight,
                found_tgt,
                total_tgt,
                best,
                touched,
            )
            for a in range(m):
                diagonal = 0.0
                for b in range(n):
                    above = best[b + 1]
                    score = 0.0
                    if found_src[a * n + b] > 0 and found_tgt[b * m + a] > 0:
                        share = min(found_src[a * n + b] / total_src[a], found_tgt[b * m + a] / total_tgt[b])
                        score = share * sqrt(total_src[a] * total_tgt[b])
                    best[b + 1] = max(max(above, best[b]), diagonal + score)
                    diagonal = above
            whole_src, whole_tgt = 0.0, 0.0
            for a in range(m):
                whole_src += total_src[a]
            for b in range(n):
                whole_tgt += total_tgt[b]
            out[k, 0] = best[n] / sqrt(whole_src * whole_tgt) if whole_src * whole_tgt > 0 else NAN
            out[k, 1] = NAN
            if m > 0 and n > 0 and total_src[0] > 0 and total_tgt[0] > 0:
                share = (found_src[0] + 0.1) / (total_src[0] + 0.2)
                out[k, 1] = min(share, (found_tgt[0] + 0.1) / (total_tgt[0] + 0.2))
            for b in range(n + 1):
                best[b] = 0.0


def block_beads_of(
    pairs: Int32Rows,
    chars: Ints32,
    log_ratio: cython.double,
    side: Any,
    forward: Any,
    back: Any,
    src_weight: Floats,
    tgt_weight: Floats,
) -> np.ndarray:
    """Block numbers that stand opposite each other in the pairs of pages, int64 (n, 2)."""
    block_values: Ints32 = side.block_values
    block_offsets: Ints = side.block_offsets
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
    rows, cells = _room(pairs, doc_blocks)
    found_src: SinglesOut = np.empty(cells, np.float32)
    found_tgt: SinglesOut = np.empty(cells, np.float32)
    total_src: FloatsOut = np.empty(rows)
    total_tgt: FloatsOut = np.empty(rows)
    best: FloatsOut = np.zeros(rows + 1)
    touched: IntsOut = np.empty(rows, np.int64)
    scores: SinglesOut = np.empty(cells + 2 * rows + 1, np.float32)
    steps: Ints8Out = np.empty(cells + 2 * rows + 1, np.int8)
    size: cython.Py_ssize_t = 0
    with cython.nogil:
        for k in range(pairs.shape[0]):
            size += _block_count(doc_blocks, pairs[k, 0])
    all_out = np.empty((size, 2), np.int64)
    out: IntRowsOut = all_out
    count: cython.Py_ssize_t = 0
    a: cython.Py_ssize_t
    b: cython.Py_ssize_t
    m: cython.Py_ssize_t
    n: cython.Py_ssize_t
    step: cython.int
    with cython.nogil:
        for k in range(pairs.shape[0]):
            i, j = pairs[k, 0], pairs[k, 1]
            m, n = _block_count(doc_blocks, i), _block_count(doc_blocks, j)
            _found_mass(
                i,
                j,
                block_values,
                block_offsets,
                doc_blocks,
                term_values,
                term_offsets,
                posting_offsets,
                postings,
                forward_offsets,
                forward_numbers,
                forward_values,
                src_weight,
                found_src,
                total_src,
                best,
                touched,
            )
            _found_mass(
                j,
                i,
                block_values,
                block_offsets,
                doc_blocks,
                term_values,
                term_offsets,
                posting_offsets,
                postings,
                back_offsets,
                back_numbers,
                back_values,
                tgt_weight,
                found_tgt,
                total_tgt,
                best,
                touched,
            )
            _fill_chain(
                m,
                n,
                found_src,
                found_tgt,
                total_src,
                total_tgt,
                chars,
                doc_blocks[i],
                doc_blocks[j],
                log_ratio,
                scores,
                steps,
            )
            a, b = m, n
            while a > 0 and b > 0:
                step = steps[a * (n + 1) + b]
                if step == 0:
                    a, b = a - 1, b - 1
                    out[count, 0], out[count, 1] = doc_blocks[i] + a, doc_blocks[j] + b
                    count += 1
                elif step == 1:
                    a -= 1
                else:
                    b -= 1
    return all_out[:count]


def _room(pairs: Int32Rows, doc_blocks: Ints) -> tuple[int, int]:
    """Blocks of the largest page of some pairs, and pairs of blocks of the largest pair."""
    rows: cython.Py_ssize_t = 0
    cells: cython.Py_ssize_t = 0
    m: cython.Py_ssize_t
    n: cython.Py_ssize_t
    with cython.nogil:
        for k in range(pairs.shape[0]):
            m, n = _block_count(doc_blocks, pairs[k, 0]), _block_count(doc_blocks, pairs[k, 1])
            rows, cells = max(rows, max(m, n)), max(cells, m * n)
    return rows, cells


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _block_count(doc_blocks: Ints, page: cython.Py_ssize_t) -> cython.Py_ssize_t:
    return min(doc_blocks[page + 1] - doc_blocks[page], _MAX_BLOCKS)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _find(values: Ints32, start: cython.Py_ssize_t, end: cython.Py_ssize_t, wanted: cython.int) -> cython.Py_ssize_t:
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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _found_mass(
    i: cython.Py_ssize_t,
    j: cython.Py_ssize_t,
    block_values: Ints32,
    block_offsets: Ints,
    doc_blocks: Ints,
    term_values: Ints32,
    term_offsets: Ints,
    posting_offsets: Ints,
    postings: Ints32,
    lexicon_offsets: Ints,
    lexicon_numbers: Ints32,
    lexicon_values: Singles,
    weight: Floats,
    found: SinglesOut,
    total: FloatsOut,
    best: FloatsOut,
    touched: IntsOut,
) -> cython.void:
    """Fill ``found`` with the weight of the terms of each block of i that each block of j translates, (blocks of i, of
    j) on end, and ``total`` with the weight of each block of i; ``best``: zeros, and zeros again after."""
    rows, columns = _block_count(doc_blocks, i), _block_count(doc_blocks, j)
    for cell in range(rows * columns):
        found[cell] = 0.0
    for a in range(rows):
        total[a] = 0.0
        block = doc_blocks[i] + a
        for p in range(block_offsets[block], block_offsets[block + 1]):
            x = block_values[p]
            if weight[x] <= 0 or lexicon_offsets[x] == lexicon_offsets[x + 1]:
                continue
            total[a] += weight[x]
            count: cython.Py_ssize_t = 0
            for q in range(lexicon_offsets[x], lexicon_offsets[x + 1]):
                place = _find(term_values, term_offsets[j], term_offsets[j + 1], lexicon_numbers[q])
                if place < 0:
                    continue
                for r in range(posting_offsets[place], posting_offsets[place + 1]):
                    b = postings[r]
                    if b < columns:
                        if best[b] == 0:
                            touched[count] = b
                            count += 1
                        best[b] = max(best[b], lexicon_values[q])
            for k in range(count):
                found[a * columns + touched[k]] += weight[x] * best[touched[k]]
                best[touched[k]] = 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fill_chain(
    m: cython.Py_ssize_t,
    n: cython.Py_ssize_t,
    found_src: SinglesOut,
    found_tgt: SinglesOut,
    total_src: FloatsOut,
    total_tgt: FloatsOut,
    chars: Ints32,
    src_first: cython.Py_ssize_t,
    tgt_first: cython.Py_ssize_t,
    log_ratio: cython.double,
    scores: SinglesOut,
    steps: Ints8Out,
) -> cython.void:
    """Best monotone chains of block pairs by length fit and lexicon: scores and last steps, (m + 1, n + 1) on end; a
    step is 0 along both pages, 1 along the first and 2 along the second."""
    width = n + 1
    for b in range(width):
        scores[b], steps[b] = _GAP * b, 2
    for a in range(1, m + 1):
        scores[a * width], steps[a * width] = _GAP * a, 1
        for b in range(1, width):
            chars_ratio = (chars[tgt_first + b - 1] + 1.0) / (chars[src_first + a - 1] + 1.0)
            z = (log(chars_ratio) - log_ratio) / _LENGTH_SD
            fit = max(1 - 0.5 * z * z, _MIN_LENGTH_FIT)
            if total_src[a - 1] > 0 and total_tgt[b - 1] > 0:
                share = found_src[(a - 1) * n + b - 1] / total_src[a - 1]
                share = share * found_tgt[(b - 1) * m + a - 1] / total_tgt[b - 1]
                fit += _SIMILARITY_WEIGHT * sqrt(share)
            here = a * width + b
            best: cython.double = scores[here - width - 1] + fit
            step: cython.int = 0
            if scores[here - width] + _GAP > best:
                best, step = scores[here - width] + _GAP, 1
            if scores[here - 1] + _GAP > best:
                best, step = scores[here - 1] + _GAP, 2
            scores[here], steps[here] = best, step
