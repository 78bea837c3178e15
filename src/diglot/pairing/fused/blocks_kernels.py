"""Shares of translated words between the blocks of two pages, and the best chains of block pairs."""

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
"""Most blocks of a page that are compared."""
# The score of a chain of blocks; the next four are on one scale, where blocks of the expected length are worth 1.
LENGTH_SD = 0.5
"""Rough standard deviation of the log length ratio of translated blocks."""
MIN_LENGTH_FIT = -3.0
"""Least score of the lengths of a match, so that known words can outweigh odd lengths."""
SIMILARITY_WEIGHT = 4.0
"""Score of two blocks with all known words translated."""
GAP = -0.6
"""Score of a block without a counterpart: better than a match of odd lengths."""
DENSE = 4
"""A word in at least 1 / DENSE of a page's blocks is added to all blocks, without look-ups."""
SLACK, ROUNDING = 1 + 1e-9, 1e-6
"""Bounds of the rounding error of sums and products computed in another order: a factor, and a difference."""

_MAX_BLOCKS = cython.declare(cython.Py_ssize_t, MAX_BLOCKS)
_LENGTH_SD = cython.declare(cython.double, LENGTH_SD)
_MIN_LENGTH_FIT = cython.declare(cython.double, MIN_LENGTH_FIT)
_SIMILARITY_WEIGHT = cython.declare(cython.double, SIMILARITY_WEIGHT)
_GAP = cython.declare(cython.double, GAP)
_DENSE = cython.declare(cython.Py_ssize_t, DENSE)
_SLACK = cython.declare(cython.double, SLACK)
_ROUNDING = cython.declare(cython.double, ROUNDING)


@cython.final
@cython.cclass
class PageBlocks:
    """The words of all pages, by block and by page.

    Page ``d`` has the blocks ``starts[d]`` to ``starts[d + 1]``, of ``chars`` characters each, and the distinct words
    ``words[word_starts[d] : word_starts[d + 1]]``. Block ``b`` has the words from ``block_words[block_starts[b]]`` on.
    The word at place ``t`` of ``words`` is in the blocks from ``postings[posting_starts[t]]`` on: numbers within the
    page, below :data:`MAX_BLOCKS`, rising.
    """

    starts: Ints
    chars: Ints32
    block_starts: Ints
    block_words: Ints32
    word_starts: Ints
    words: Ints32
    posting_starts: Ints
    postings: Ints32

    def __init__(self, starts: Ints, chars: Ints32, by_block: Any, by_page: Any, postings: Any) -> None:
        # The last three are lists of lists, each as offsets (int64) and values (int32).
        self.starts, self.chars = starts, chars
        self.block_starts, self.block_words = by_block
        self.word_starts, self.words = by_page
        self.posting_starts, self.postings = postings


@cython.final
@cython.cclass
class Translations:
    """A lexicon in one direction: word ``x`` has translations from ``numbers[starts[x]]`` on, of strength ``values``.

    ``weight`` by word; ``totals`` by block: weight of the block's words with a translation.
    """

    starts: Ints
    numbers: Ints32
    values: Singles
    weight: Floats
    totals: FloatsOut

    def __init__(self, lexicon: Any, weight: Floats, blocks: PageBlocks, pages: Ints32) -> None:
        # ``lexicon``: offsets, numbers and values of its rows. Blocks of other pages than ``pages`` need no total.
        self.starts, self.numbers, self.values = lexicon
        self.weight = weight
        self.totals = np.zeros(blocks.chars.shape[0])
        with cython.nogil:
            for k in range(pages.shape[0]):
                _sum_totals(pages[k], blocks, self)


@cython.final
@cython.cclass
class _Comparison:
    """A comparison of two pages block by block; the arrays are reused for many pairs of pages.

    ``m``, ``n``: blocks of the two pages. ``src_found``, ``tgt_found``: (m, n) row after row: weight of a source
    block's words with a translation in a target block, and of the target block's words in the source block.
    ``src_places``, ``tgt_places``: place of a word on the current page, -1 for absent words. ``best``, ``hits``: by
    block, zeros whenever a new word begins.
    """

    blocks: PageBlocks
    forward: Translations
    back: Translations
    src_page: cython.Py_ssize_t
    m: cython.Py_ssize_t
    n: cython.Py_ssize_t
    src_places: Ints32Out
    tgt_places: Ints32Out
    src_found: SinglesOut
    tgt_found: SinglesOut
    best: FloatsOut
    hits: FloatsOut
    touched: IntsOut

    def __init__(
        self, blocks: PageBlocks, forward: Translations, back: Translations, most: cython.Py_ssize_t, cells: int
    ) -> None:
        words = forward.weight.shape[0]
        self.blocks, self.forward, self.back = blocks, forward, back
        self.src_page = -1
        self.src_places, self.tgt_places = np.full(words, -1, np.int32), np.full(words, -1, np.int32)
        self.src_found, self.tgt_found = np.empty(cells, np.float32), np.empty(cells, np.float32)
        self.best, self.hits = np.zeros(most), np.zeros(most)
        self.touched = np.empty(most, np.int64)


@cython.final
@cython.cclass
class _Chain:
    """Arrays of :func:`_best_chain` for pages of up to ``most`` blocks."""

    row: FloatsOut
    up: FloatsOut
    down: FloatsOut
    may_raise: BytesOut

    def __init__(self, most: cython.Py_ssize_t) -> None:
        self.row, self.up, self.down = np.empty(most + 1), np.empty(most), np.empty(most)
        self.may_raise = np.empty(most, np.uint8)


@cython.final
@cython.cclass
class _Steps:
    """Arrays of :func:`_fill_steps`; ``steps``: (m + 1, n + 1) row after row, the last steps of the best chains.

    0: a match of two blocks; 1: a block of the first page alone; 2: a block of the second page alone.
    """

    src_log: FloatsOut
    tgt_log: FloatsOut
    before: SinglesOut
    row: SinglesOut
    steps: Ints8Out
    log_ratio: cython.double

    def __init__(self, log_ratio: cython.double, most: cython.Py_ssize_t, cells: cython.Py_ssize_t) -> None:
        self.log_ratio = log_ratio
        self.src_log, self.tgt_log = np.empty(most), np.empty(most)
        self.before, self.row = np.empty(most + 1, np.float32), np.empty(most + 1, np.float32)
        self.steps = np.empty(cells + 2 * most + 1, np.int8)


def fill_order_scores(
    pairs: Int32Rows, out: SingleRowsOut, blocks: PageBlocks, forward: Translations, back: Translations
) -> None:
    """Fill ``out`` with order-aware and first-block coverage; see :func:`diglot.pairing.fused.blocks.order_scores`."""
    most, cells = _largest(pairs, blocks)
    pages: _Comparison = _Comparison(blocks, forward, back, most, cells)
    chain: _Chain = _Chain(most)
    with cython.nogil:
        for k in range(pairs.shape[0]):
            i, j = pairs[k, 0], pairs[k, 1]
            _compare(i, j, pages)
            src_total: Floats = forward.totals[blocks.starts[i] : blocks.starts[i] + pages.m]
            tgt_total: Floats = back.totals[blocks.starts[j] : blocks.starts[j] + pages.n]
            weight = _best_chain(pages, src_total, tgt_total, chain)
            whole = sqrt(_sum(src_total) * _sum(tgt_total))
            out[k, 0] = weight / whole if whole > 0 else NAN
            out[k, 1] = NAN
            if pages.m > 0 and pages.n > 0 and src_total[0] > 0 and tgt_total[0] > 0:
                share = (pages.src_found[0] + 0.1) / (src_total[0] + 0.2)
                out[k, 1] = min(share, (pages.tgt_found[0] + 0.1) / (tgt_total[0] + 0.2))


def find_block_beads(
    pairs: Int32Rows, log_ratio: cython.double, blocks: PageBlocks, forward: Translations, back: Translations
) -> np.ndarray:
    """Aligned blocks of the pairs of pages, numbered over all pages, int64 (n, 2)."""
    most, cells = _largest(pairs, blocks)
    pages: _Comparison = _Comparison(blocks, forward, back, most, cells)
    work: _Steps = _Steps(log_ratio, most, cells)
    size: cython.Py_ssize_t = 0
    count: cython.Py_ssize_t = 0
    a: cython.Py_ssize_t
    b: cython.Py_ssize_t
    with cython.nogil:
        for k in range(pairs.shape[0]):
            size += _block_count(blocks, pairs[k, 0])
    all_beads = np.empty((size, 2), np.int64)
    beads: IntRowsOut = all_beads
    with cython.nogil:
        for k in range(pairs.shape[0]):
            _compare(pairs[k, 0], pairs[k, 1], pages)
            _fill_steps(pairs[k, 0], pairs[k, 1], pages, work)
            a, b = pages.m, pages.n
            while a > 0 and b > 0:
                step = work.steps[a * (pages.n + 1) + b]
                if step == 0:
                    a, b = a - 1, b - 1
                    beads[count, 0], beads[count, 1] = blocks.starts[pairs[k, 0]] + a, blocks.starts[pairs[k, 1]] + b
                    count += 1
                elif step == 1:
                    a -= 1
                else:
                    b -= 1
    return all_beads[:count]


def _largest(pairs: Int32Rows, blocks: PageBlocks) -> tuple[int, int]:
    """The most blocks of a page, and the largest product of the blocks of a pair of pages."""
    most: cython.Py_ssize_t = 0
    cells: cython.Py_ssize_t = 0
    m: cython.Py_ssize_t
    n: cython.Py_ssize_t
    with cython.nogil:
        for k in range(pairs.shape[0]):
            m, n = _block_count(blocks, pairs[k, 0]), _block_count(blocks, pairs[k, 1])
            most, cells = max(most, max(m, n)), max(cells, m * n)
    return most, cells


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _block_count(blocks: PageBlocks, page: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Number of blocks of a page to compare."""
    return min(blocks.starts[page + 1] - blocks.starts[page], _MAX_BLOCKS)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sum_totals(page: cython.Py_ssize_t, blocks: PageBlocks, known: Translations) -> cython.void:
    """Sum for each block of a page the weight of its words that have a translation in the lexicon."""
    first = blocks.starts[page]
    for block in range(first, first + _block_count(blocks, page)):
        total: cython.double = 0.0
        for p in range(blocks.block_starts[block], blocks.block_starts[block + 1]):
            x = blocks.block_words[p]
            if known.weight[x] > 0 and known.starts[x] != known.starts[x + 1]:
                total += known.weight[x]
        known.totals[block] = total


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
def _compare(i: cython.Py_ssize_t, j: cython.Py_ssize_t, pages: _Comparison) -> cython.void:
    """Fill ``src_found`` and ``tgt_found`` for two pages."""
    pages.m, pages.n = _block_count(pages.blocks, i), _block_count(pages.blocks, j)
    # Pairs come sorted by their first page, whose words then keep their places.
    if i != pages.src_page:
        if pages.src_page >= 0:
            _set_places(pages.src_page, pages.blocks, pages.src_places, False)
        _set_places(i, pages.blocks, pages.src_places, True)
        pages.src_page = i
    _set_places(j, pages.blocks, pages.tgt_places, True)
    _find_src(i, pages, pages.blocks, pages.forward)
    _set_places(j, pages.blocks, pages.tgt_places, False)
    _find_tgt(j, pages, pages.blocks, pages.back)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _set_places(page: cython.Py_ssize_t, blocks: PageBlocks, places: Ints32Out, present: cython.bint) -> cython.void:
    """Note the place of each word of a page; -1 if the page is not ``present``."""
    for t in range(blocks.word_starts[page], blocks.word_starts[page + 1]):
        places[blocks.words[t]] = t if present else -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.inline
def _touch_blocks(
    word: cython.Py_ssize_t,
    known: Translations,
    blocks: PageBlocks,
    places: Ints32Out,
    best: FloatsOut,
    touched: IntsOut,
) -> cython.Py_ssize_t:
    """Number of blocks of a page that hold a translation of a word.

    Their numbers go into ``touched``, the strength of the best translation in each into ``best``.
    """
    count: cython.Py_ssize_t = 0
    for q in range(known.starts[word], known.starts[word + 1]):
        at = places[known.numbers[q]]
        if at < 0:
            continue
        value = known.values[q]
        for r in range(blocks.posting_starts[at], blocks.posting_starts[at + 1]):
            b = blocks.postings[r]
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
def _find_src(i: cython.Py_ssize_t, pages: _Comparison, blocks: PageBlocks, known: Translations) -> cython.void:
    """Fill ``src_found``; ``tgt_places`` holds the words of the second page.

    Words are added in rising order, as in the blocks, so that sums of floats do not depend on the order of pages.
    """
    m, n = pages.m, pages.n
    # Locals, because the C compiler reads members of a record anew after every store.
    found: SinglesOut = pages.src_found
    best: FloatsOut = pages.best
    touched: IntsOut = pages.touched
    places: Ints32Out = pages.tgt_places
    for cell in range(m * n):
        found[cell] = 0.0
    for t in range(blocks.word_starts[i], blocks.word_starts[i + 1]):
        x = blocks.words[t]
        weight = known.weight[x]
        if weight <= 0:
            continue
        count = _touch_blocks(x, known, blocks, places, best, touched)
        if count == 0:
            continue
        for k in range(count):
            best[touched[k]] *= weight
        for r in range(blocks.posting_starts[t], blocks.posting_starts[t + 1]):
            start = blocks.postings[r] * n
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
def _find_tgt(j: cython.Py_ssize_t, pages: _Comparison, blocks: PageBlocks, known: Translations) -> cython.void:
    """Fill ``tgt_found``, again a row for every block of the first page; ``src_places`` holds the words of the first
    page."""
    m, n = pages.m, pages.n
    found: SinglesOut = pages.tgt_found
    best: FloatsOut = pages.best
    hits: FloatsOut = pages.hits
    touched: IntsOut = pages.touched
    places: Ints32Out = pages.src_places
    postings: Ints32 = blocks.postings
    dense: cython.bint
    for cell in range(m * n):
        found[cell] = 0.0
    for t in range(blocks.word_starts[j], blocks.word_starts[j + 1]):
        y = blocks.words[t]
        weight = known.weight[y]
        if weight <= 0:
            continue
        count = _touch_blocks(y, known, blocks, places, best, touched)
        if count == 0:
            continue
        first, end = blocks.posting_starts[t], blocks.posting_starts[t + 1]
        dense = (end - first) * _DENSE >= n
        if dense:
            for r in range(first, end):
                hits[postings[r]] = 1.0
        for k in range(count):
            value = weight * best[touched[k]]
            best[touched[k]] = 0.0
            start = touched[k] * n
            if dense:
                for b in range(n):
                    found[start + b] += value * hits[b]
            else:
                for r in range(first, end):
                    found[start + postings[r]] += value
        if dense:
            for r in range(first, end):
                hits[postings[r]] = 0.0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _best_chain(pages: _Comparison, src_total: Floats, tgt_total: Floats, work: _Chain) -> cython.double:
    """Weight of the best monotone chain of block pairs.

    A pair is worth the smaller of the two shares that are found times the geometric mean of the totals. ``row[b]`` is
    the weight of the best chain within the blocks so far and the first ``b``, and never falls.
    """
    m, n = pages.m, pages.n
    src_found: SinglesOut = pages.src_found
    tgt_found: SinglesOut = pages.tgt_found
    row: FloatsOut = work.row
    up: FloatsOut = work.up
    down: FloatsOut = work.down
    may_raise: BytesOut = work.may_raise
    b: cython.Py_ssize_t
    before: cython.double
    raised: cython.double
    for at in range(n):
        row[at] = 0.0
        up[at] = sqrt(tgt_total[at]) * _SLACK
        down[at] = _SLACK * _SLACK / up[at] if tgt_total[at] > 0 else 0.0
    row[n] = 0.0
    for a in range(m):
        mine = src_total[a]
        if mine <= 0:
            continue
        root, start = sqrt(mine), a * n
        inverse = 1 / root
        # An upper bound that takes no division rules most pairs out.
        for at in range(n):
            by_src = src_found[start + at] * (inverse * up[at])
            by_tgt = tgt_found[start + at] * (root * down[at])
            may_raise[at] = row[at] + (by_src if by_src < by_tgt else by_tgt) > row[at + 1]
        b = 0
        while b < n:
            if not may_raise[b]:
                b += 1
                continue
            before, raised = row[b], 0.0
            while b < n:
                if may_raise[b]:
                    share = min(src_found[start + b] / mine, tgt_found[start + b] / tgt_total[b])
                    raised = max(raised, before + share * sqrt(mine * tgt_total[b]))
                before = row[b + 1]
                b += 1
                if before >= raised:
                    break
                row[b] = raised
    return row[n]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fill_steps(i: cython.Py_ssize_t, j: cython.Py_ssize_t, pages: _Comparison, work: _Steps) -> cython.void:
    """Fill ``steps`` with the best monotone chains of block pairs by length fit and lexicon."""
    m, n, width = pages.m, pages.n, pages.n + 1
    log_ratio = work.log_ratio
    src_found: SinglesOut = pages.src_found
    tgt_found: SinglesOut = pages.tgt_found
    src_log: FloatsOut = work.src_log
    tgt_log: FloatsOut = work.tgt_log
    before: SinglesOut = work.before
    row: SinglesOut = work.row
    steps: Ints8Out = work.steps
    src_total: Floats = pages.forward.totals[pages.blocks.starts[i] :]
    tgt_total: Floats = pages.back.totals[pages.blocks.starts[j] :]
    src_chars: Ints32 = pages.blocks.chars[pages.blocks.starts[i] :]
    tgt_chars: Ints32 = pages.blocks.chars[pages.blocks.starts[j] :]
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
            if src_found[start + b] > 0 and tgt_found[start + b] > 0:
                share = src_found[start + b] / src_total[a - 1] * tgt_found[start + b] / tgt_total[b - 1]
                similarity = _SIMILARITY_WEIGHT * sqrt(share)
            best, step = before[b] + _GAP, 1
            if row[b - 1] + _GAP > best:
                best, step = row[b - 1] + _GAP, 2
            # The logarithm of the ratio takes most of the time; a difference of logarithms rules most pairs out.
            z = (tgt_log[b - 1] - src_log[a - 1]) / _LENGTH_SD
            if before[b - 1] + max(1 - 0.5 * z * z, _MIN_LENGTH_FIT) + similarity + _ROUNDING >= best:
                z = (log((tgt_chars[b - 1] + 1.0) / (src_chars[a - 1] + 1.0)) - log_ratio) / _LENGTH_SD
                fit = max(1 - 0.5 * z * z, _MIN_LENGTH_FIT) + similarity
                if before[b - 1] + fit >= best:
                    best, step = before[b - 1] + fit, 0
            row[b], steps[a * width + b] = best, step
