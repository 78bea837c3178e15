"""The compiled parts of the lexical aligner: word statistics, scores of beads, sums and best path over them.

Importing this module imports numba (about 0.8 s); see :mod:`diglot.compiled`. Tables of translations have
one row a unit, ``(offsets, ids, values)``: unit s goes with the units ``ids[offsets[s]:offsets[s + 1]]``, and
``values`` (entries, folds) says how much likelier each is beside s than elsewhere, as learnt without each fold.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from diglot.alignment.lexical_units import UnitClass
from diglot.compiled import compiled

Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Table = tuple[Ints, Ints, Singles]
Units = tuple[Ints, Ints]
"""Offsets (n + 1,) and unit numbers of n sentences or beads."""

CLASSES = len(UnitClass)
ANY_FOLD = -1
"""Fold of a target sentence: only source sentences have folds."""
_FLOOR = -1e30
_HUGE, _TINY = 1e100, 1e-100


@compiled
def inverted(units: Units, vocabulary: int) -> Units:
    """For each unit the beads that hold it."""
    offsets, numbers = units
    starts = np.zeros(vocabulary + 1, np.int64)
    for unit in numbers:
        starts[unit + 1] += 1
    starts = np.cumsum(starts)
    place = starts[:-1].copy()
    beads = np.empty(len(numbers), np.int64)
    for bead in range(len(offsets) - 1):
        for k in range(offsets[bead], offsets[bead + 1]):
            beads[place[numbers[k]]] = bead
            place[numbers[k]] += 1
    return starts, beads


@compiled
def together(where: Units, tgt: Units, same: Ints, vocabulary: int) -> Units:
    """For each source unit the target units of its beads, and the one written alike."""
    starts, beads = where
    tgt_offsets, tgt_units = tgt
    seen = np.full(vocabulary, -1, np.int64)
    offsets = np.zeros(len(starts), np.int64)
    ids = np.empty(1024, np.int64)
    count = 0
    for s in range(len(starts) - 1):
        if same[s] >= 0:
            seen[same[s]] = s
            if count == len(ids):
                ids = np.concatenate((ids, np.empty(count, np.int64)))
            ids[count] = same[s]
            count += 1
        for k in range(starts[s], starts[s + 1]):
            bead = beads[k]
            if count + tgt_offsets[bead + 1] - tgt_offsets[bead] > len(ids):
                ids = np.concatenate((ids, np.empty(len(ids) + 4096, np.int64)))
            for q in range(tgt_offsets[bead], tgt_offsets[bead + 1]):
                t = tgt_units[q]
                if seen[t] != s:
                    seen[t] = s
                    ids[count] = t
                    count += 1
        offsets[s + 1] = count
    return offsets, ids[:count].copy()


@compiled
def learn(
    src: Units, tgt: Units, weights: Singles, same: Ints, share: Floats, rates: tuple[int, float, float, float, float]
) -> Table:
    """Table of translations by IBM model 1 with a null word, once without each fold.

    ``src``, ``tgt``: units of the beads. ``weights``: (beads, folds), 0 for the fold that holds the bead. ``same``:
    see :func:`diglot.alignment.lexical_units.same_units`. ``share``: of each target unit among all. ``rates``:
    iterations, null mass, weight of the unit written alike, mass kept for the unknown, and least value of an entry.
    """
    iterations, null, alike, unknown, least = rates
    folds, vocabulary = weights.shape[1], len(share)
    where = inverted(src, len(same))
    starts, beads = where
    offsets, ids = together(where, tgt, same, vocabulary)
    src_offsets, (tgt_offsets, tgt_units) = src[0], tgt
    values = np.empty((len(ids), folds), np.float32)
    for s in range(len(same)):
        first = 1.0 / max(vocabulary, 1)
        total = 1.2 if same[s] >= 0 else 1.0
        for e in range(offsets[s], offsets[s + 1]):
            values[e, :] = (first + (0.2 if ids[e] == same[s] else 0.0)) / total
    current = np.zeros((vocabulary, folds), np.float32)
    counts = np.zeros((vocabulary, folds), np.float32)
    mass = np.empty((len(tgt_units), folds), np.float32)
    held = np.empty(folds, np.float32)
    for _ in range(iterations):
        for bead in range(len(src_offsets) - 1):
            size = src_offsets[bead + 1] - src_offsets[bead]
            for q in range(tgt_offsets[bead], tgt_offsets[bead + 1]):
                mass[q, :] = null / (1 - null) * size * share[tgt_units[q]]
        for s in range(len(same)):
            for e in range(offsets[s], offsets[s + 1]):
                current[ids[e]] = values[e]
            for k in range(starts[s], starts[s + 1]):
                for q in range(tgt_offsets[beads[k]], tgt_offsets[beads[k] + 1]):
                    for f in range(folds):
                        mass[q, f] += current[tgt_units[q], f]
        for s in range(len(same)):
            if offsets[s] == offsets[s + 1]:
                continue
            for e in range(offsets[s], offsets[s + 1]):
                current[ids[e]] = values[e]
                counts[ids[e], :] = 0.0
            for k in range(starts[s], starts[s + 1]):
                bead = beads[k]
                for q in range(tgt_offsets[bead], tgt_offsets[bead + 1]):
                    t = tgt_units[q]
                    for f in range(folds):
                        counts[t, f] += weights[bead, f] * current[t, f] / mass[q, f]
            seed = alike if same[s] >= 0 else 0.0
            held[:] = seed + unknown
            for e in range(offsets[s], offsets[s + 1]):
                held += counts[ids[e]]
            for e in range(offsets[s], offsets[s + 1]):
                own = seed if ids[e] == same[s] else 0.0
                for f in range(folds):
                    values[e, f] = (counts[ids[e], f] + own) / held[f]
    kept = 0
    new_offsets = np.zeros(len(offsets), np.int64)
    for s in range(len(same)):
        for e in range(offsets[s], offsets[s + 1]):
            top = 0.0
            for f in range(folds):
                values[e, f] /= share[ids[e]]
                top = max(top, values[e, f])
            if top > least:
                ids[kept] = ids[e]
                values[kept] = values[e]
                kept += 1
        new_offsets[s + 1] = kept
    return new_offsets, ids[:kept].copy(), values[:kept].copy()


@compiled
def local_table(table: Table, rows: Ints, column_of: Ints, seeds: Ints, seed_values: Floats) -> Table:
    """Rows of a table, its columns renumbered.

    ``rows``: of the table, -1 for a unit it lacks. ``column_of``: new number of each column, -1 for one left out.
    ``seeds``: for each row a column to add with the value ``seed_values`` has for it; -1 for none.
    """
    offsets, ids, values = table
    new_offsets = np.zeros(len(rows) + 1, np.int64)
    count = 0
    for k in range(len(rows)):
        count += seeds[k] >= 0
        if rows[k] >= 0:
            for e in range(offsets[rows[k]], offsets[rows[k] + 1]):
                count += column_of[ids[e]] >= 0
        new_offsets[k + 1] = count
    new_ids = np.empty(count, np.int64)
    new_values = np.empty((count, values.shape[1]), np.float32)
    count = 0
    for k in range(len(rows)):
        if seeds[k] >= 0:
            new_ids[count] = seeds[k]
            new_values[count, :] = seed_values[k]
            count += 1
        if rows[k] >= 0:
            for e in range(offsets[rows[k]], offsets[rows[k] + 1]):
                if column_of[ids[e]] >= 0:
                    new_ids[count] = column_of[ids[e]]
                    new_values[count] = values[e]
                    count += 1
    return new_offsets, new_ids, new_values


@compiled
def add_entries(sums: Singles, span: Units, sentence: int, table: Table, fold: int) -> None:
    """Add what the units of a sentence go with: of one fold to the first column, or of all to a column each."""
    offsets, ids, values = table
    for u in range(span[0][sentence], span[0][sentence + 1]):
        for e in range(offsets[span[1][u]], offsets[span[1][u] + 1]):
            if fold == ANY_FOLD:
                for f in range(values.shape[1]):
                    sums[ids[e], f] += values[e, f]
            else:
                sums[ids[e], 0] += values[e, fold]


@compiled
def clear_entries(sums: Singles, span: Units, sentence: int, table: Table) -> None:
    """Undo :func:`add_entries`."""
    offsets, ids, _ = table
    for u in range(span[0][sentence], span[0][sentence + 1]):
        for e in range(offsets[span[1][u]], offsets[span[1][u] + 1]):
            for f in range(sums.shape[1]):
                sums[ids[e], f] = 0.0


@compiled
def span_scores(
    span: Units,
    other: Units,
    table: Table,
    null: Floats,
    folds: tuple[Ints, Ints],
    window: tuple[Ints, Ints],
    depth: int,
) -> Singles:
    """How much likelier single sentences are beside runs of 1 .. ``depth`` sentences of the other side, in nats.

    ``null``: rate at which each unit of ``other`` is no translation. ``folds``: of each ``span`` and each ``other``
    sentence, the source side's fold; those of the target side are all ``ANY_FOLD``. ``window``: run i is compared with
    the sentences from ``low[i]`` on, and its sums have the places ``start[i] .. start[i + 1] - 1``.
    Returns: float32 (places, depth); place k of run i is the sum over the first k sentences compared.
    """
    (span_offsets, _), (other_offsets, other_units) = span, other
    low, start = window
    count = len(span_offsets) - 1
    sums = np.zeros((len(null), table[2].shape[1]), np.float32)
    out = np.zeros((start[-1], depth), np.float32)
    for i in range(count):
        size = 0
        deepest = min(depth, count - i)
        for a in range(deepest):
            add_entries(sums, span, i + a, table, folds[0][i + a])
            size += span_offsets[i + a + 1] - span_offsets[i + a]
            total = 0.0
            for k in range(start[i + 1] - start[i] - 1):
                j = low[i] + k
                fold = max(folds[1][j], 0)
                product = 1.0
                if size > 0:
                    for q in range(other_offsets[j], other_offsets[j + 1]):
                        t = other_units[q]
                        product *= null[t] + (1.0 - null[t]) * sums[t, fold] / size
                        if product > _HUGE or product < _TINY:
                            total += math.log(product)
                            product = 1.0
                total += math.log(product)
                out[start[i] + k + 1, a] = total
        for a in range(deepest):
            clear_entries(sums, span, i + a, table)
    return out


@compiled
def lexicon_shares(
    span: Units, other: Units, table: Table, null: Floats, folds: tuple[Ints, Ints], classes: Ints, beads: Ints
) -> tuple[Floats, Floats]:
    """Of the units of the ``other`` side of beads, how many the table explains, and how many there are; by class.

    ``beads``: int64 (k, 4): first and end of the run in ``span``, first and end of that in ``other``. ``folds``: see
    :func:`span_scores`.
    """
    (span_offsets, _), (other_offsets, other_units) = span, other
    sums = np.zeros((len(null), table[2].shape[1]), np.float32)
    explained, units = np.zeros(CLASSES), np.zeros(CLASSES)
    for bead in range(len(beads)):
        first, end, other_first, other_end = beads[bead]
        size = span_offsets[end] - span_offsets[first]
        if size == 0:
            continue
        for i in range(first, end):
            add_entries(sums, span, i, table, folds[0][i])
        for j in range(other_first, other_end):
            fold = max(folds[1][j], 0)
            for q in range(other_offsets[j], other_offsets[j + 1]):
                t = other_units[q]
                learnt = (1.0 - null[t]) * sums[t, fold] / size
                explained[classes[t]] += learnt / (null[t] + learnt)
                units[classes[t]] += 1
        for i in range(first, end):
            clear_entries(sums, span, i, table)
    return explained, units


@compiled
def bead_scores(
    band: tuple[Ints, Ints, Ints],
    types: tuple[Ints, Ints, Floats],
    forward: tuple[Ints, Ints, Singles],
    backward: tuple[Ints, Ints, Singles],
    lengths: tuple[Floats, Floats, Floats],
    rates: tuple[float, float, float, float],
    opens: tuple[Ints, Ints],
    kinds: tuple[Ints, Ints],
    structure: tuple[Floats, Floats, Floats],
) -> Singles:
    """Log-likelihood ratio of each bead that starts in each cell of the band, float32 (cells, types).

    ``types``: sentences a side and log prior of each. ``forward``, ``backward``: window and result of
    :func:`span_scores` from source runs and from target runs. ``lengths``: cumulative, of both sides, and log density
    of each run of target sentences of 1 .. depth by itself, (m, depth). ``rates``: target length a source length,
    variance a unit, share of lengths at random, weight of the lexicon. ``opens``: cumulative numbers of sentences
    that open a block. ``structure``: nats of (opens, opens), (kind, kind) and (side, gap with block boundary).
    """
    low, high, start = band
    type_src, type_tgt, prior = types
    src_sums, tgt_sums, alone = lengths
    ratio, variance, stray, weight = rates
    opening, kind_pairs, gaps = structure
    n = len(src_sums) - 1
    scores = np.full((start[-1], len(prior)), np.float32(_FLOOR))
    for i in range(n + 1):
        for j in range(low[i], high[i] + 1):
            cell = start[i] + j - low[i]
            for k in range(len(prior)):
                a, b = type_src[k], type_tgt[k]
                if i + a > n or j + b < low[i + a] or j + b > high[i + a]:
                    continue
                score = prior[k]
                if a > 0 and b > 0:
                    place, other = forward[1][i] + j - forward[0][i], backward[1][j] + i - backward[0][j]
                    lexical = forward[2][place + b, a - 1] - forward[2][place, a - 1]
                    lexical += backward[2][other + a, b - 1] - backward[2][other, b - 1]
                    score += weight * lexical / 2
                    src_length, tgt_length = ratio * (src_sums[i + a] - src_sums[i]), tgt_sums[j + b] - tgt_sums[j]
                    if src_length > 0 and tgt_length > 0:
                        spread = variance * (src_length + tgt_length) / 2
                        gain = -((tgt_length - src_length) ** 2) / (2 * spread) - math.log(2 * math.pi * spread) / 2
                        gain = min(50.0, gain - alone[j, b - 1])
                        score += math.log(stray + (1 - stray) * math.exp(gain))
                    score += opening[opens[0][i + 1] - opens[0][i], opens[1][j + 1] - opens[1][j]]
                    score += kind_pairs[kinds[0][i], kinds[1][j]]
                    inside = opens[0][i + a] - opens[0][i + 1]
                    score += inside * gaps[0, 1] + (a - 1 - inside) * gaps[0, 0]
                    inside = opens[1][j + b] - opens[1][j + 1]
                    score += inside * gaps[1, 1] + (b - 1 - inside) * gaps[1, 0]
                scores[cell, k] = score
    return scores


@compiled
def forward_backward(
    scores: Singles, band: tuple[Ints, Ints, Ints], types: tuple[Ints, Ints], heat: float
) -> tuple[Floats, Floats]:
    """Log sums over all ways from the first node to each cell, and from each cell to the last; float64 (cells,).

    ``heat`` multiplies the scores: below 1 it makes the sums less sure of the best way.
    """
    low, high, start = band
    type_src, type_tgt = types
    n = len(low) - 1
    ahead, behind = np.full(start[-1], _FLOOR), np.full(start[-1], _FLOOR)
    steps = np.empty(len(type_src))
    ahead[0] = 0.0
    behind[start[-1] - 1] = 0.0
    for i in range(n + 1):
        for j in range(low[i], high[i] + 1):
            top, count = _FLOOR, 0
            for k in range(len(type_src)):
                from_i, from_j = i - type_src[k], j - type_tgt[k]
                if from_i >= 0 and low[from_i] <= from_j <= high[from_i]:
                    cell = start[from_i] + from_j - low[from_i]
                    steps[count] = ahead[cell] + heat * scores[cell, k]
                    top = max(top, steps[count])
                    count += 1
            if count > 0 and top > _FLOOR:
                total = 0.0
                for k in range(count):
                    if steps[k] > top - 40:
                        total += math.exp(steps[k] - top)
                ahead[start[i] + j - low[i]] = top + math.log(total)
    for i in range(n, -1, -1):
        for j in range(high[i], low[i] - 1, -1):
            top, count, cell = _FLOOR, 0, start[i] + j - low[i]
            for k in range(len(type_src)):
                to_i, to_j = i + type_src[k], j + type_tgt[k]
                if to_i <= n and low[to_i] <= to_j <= high[to_i]:
                    steps[count] = behind[start[to_i] + to_j - low[to_i]] + heat * scores[cell, k]
                    top = max(top, steps[count])
                    count += 1
            if count > 0 and top > _FLOOR:
                total = 0.0
                for k in range(count):
                    if steps[k] > top - 40:
                        total += math.exp(steps[k] - top)
                behind[cell] = top + math.log(total)
    return ahead, behind


@compiled
def likely_beads(
    scores: Singles, band: tuple[Ints, Ints, Ints], types: tuple[Ints, Ints], sums: tuple[Floats, Floats], least: float
) -> tuple[Ints, Floats, Floats]:
    """Beads of a posterior of at least ``least``: int64 (k, 3) row, column, type; their posteriors; and the expected
    number of beads of each type."""
    low, high, start = band
    type_src, type_tgt = types
    ahead, behind = sums
    whole = ahead[-1]
    expected = np.zeros(len(type_src))
    found, posteriors, count = np.empty((1024, 3), np.int64), np.empty(1024), 0
    for i in range(len(low)):
        for j in range(low[i], high[i] + 1):
            cell = start[i] + j - low[i]
            if ahead[cell] + behind[cell] < whole - 20:
                continue
            for k in range(len(type_src)):
                to_i, to_j = i + type_src[k], j + type_tgt[k]
                if to_i >= len(low) or to_j < low[to_i] or to_j > high[to_i]:
                    continue
                bits = ahead[cell] + scores[cell, k] + behind[start[to_i] + to_j - low[to_i]] - whole
                if bits < -20:
                    continue
                posterior = min(1.0, math.exp(bits))
                expected[k] += posterior
                if posterior >= least:
                    if count == len(found):
                        found = np.concatenate((found, np.empty_like(found)))
                        posteriors = np.concatenate((posteriors, np.empty_like(posteriors)))
                    found[count, 0], found[count, 1], found[count, 2] = i, j, k
                    posteriors[count] = posterior
                    count += 1
    return found[:count].copy(), posteriors[:count].copy(), expected


@compiled
def best_path(scores: Singles, band: tuple[Ints, Ints, Ints], types: tuple[Ints, Ints]) -> Ints:
    """The beads of the best way through the band: int64 (k, 3), row, column and type of each."""
    low, high, start = band
    type_src, type_tgt = types
    best = np.full(start[-1], _FLOOR)
    back = np.zeros(start[-1], np.uint8)
    best[0] = 0.0
    for i in range(len(low)):
        for j in range(low[i], high[i] + 1):
            here = start[i] + j - low[i]
            for k in range(len(type_src)):
                from_i, from_j = i - type_src[k], j - type_tgt[k]
                if from_i >= 0 and low[from_i] <= from_j <= high[from_i]:
                    cell = start[from_i] + from_j - low[from_i]
                    if best[cell] + scores[cell, k] > best[here]:
                        best[here] = best[cell] + scores[cell, k]
                        back[here] = k
    i, j = len(low) - 1, high[-1]
    place = i + j
    path = np.zeros((place, 3), np.int64)
    while i > 0 or j > 0:
        k = back[start[i] + j - low[i]]
        i, j, place = i - type_src[k], j - type_tgt[k], place - 1
        path[place, 0], path[place, 1], path[place, 2] = i, j, k
    return path[place:]
