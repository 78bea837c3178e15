"""The lexical aligner: sentences of translations matched by lengths and words, both learnt from the texts themselves.

Method and figures: docs/theory/lexical-alignment.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from diglot.alignment.beads import Bead
from diglot.alignment.gale_church import align_lengths
from diglot.alignment.lexical.coarse import BLOCK_SENTENCES, coarse_centre
from diglot.alignment.lexical.lattice import (
    Evidence,
    Model,
    Solution,
    centre_of,
    directions,
    path_posteriors,
    solve_again,
    solve_text,
)
from diglot.alignment.lexical.lexicon import Lexicon, Table, Text, empty_lexicon, learn_lexicon, shares, text_tables
from diglot.alignment.lexical.outside import Similarity, evidence_of, learn_scales
from diglot.alignment.lexical.pool import Bitext, Pool, make_pool
from diglot.alignment.lexical.rates import TYPE_SRC, TYPE_TGT, Rates, first_rates, next_null, next_rates, own_ratio
from diglot.alignment.lexical.run_scores import explained_units
from diglot.alignment.lexical.units import UnitClass
from diglot.arrays import Ints

PASSES = 6
"""Passes at most, the first without a lexicon; scripts without common words need as many."""
WIDE, NARROW = 30, 12
"""Half-widths of the bands: round the path by lengths alone, and round the path of the pass before. Twice as much
changes no figure."""
_COARSE_PASSES = (1, 2)
"""Passes after which the way is compared with that through blocks: the first two that know a learnt lexicon."""
_FAR = 3 * BLOCK_SENTENCES
"""Sentences between the two ways from which on the other is tried."""
_SETTLED = 0.005
"""Share of new beads up to which paths count as the same."""
_LENGTH_CELLS = 12_000_000
_LENGTH_ROUNDS = 2
"""Passes without a lexicon, in which the rates of lengths and types settle."""


@dataclass(frozen=True, slots=True)
class Learnt:
    """What the passes found: the last path of each text, and the lexicon and rates that led to it."""

    solved: list[Solution]
    lexicon: Lexicon
    rates: Rates


def align_pool(bitexts: Sequence[Bitext], *, passes: int = PASSES) -> list[list[Bead]]:
    """Beads of several texts of one language pair, learnt from together; one list of beads a text, covering it.

    ``score`` of a bead: estimated probability that it is right, in [0, 1]; of a bead with an empty side, that the
    sentence has no counterpart.
    """
    both = [bitext for bitext in bitexts if bitext.src and bitext.tgt]
    pool = make_pool(both)
    solved = learn(pool, [bitext.evidence for bitext in both], passes=passes).solved if both else []
    found = map(path_beads, solved, pool.texts)
    return [next(found) if bitext.src and bitext.tgt else one_sided(bitext) for bitext in bitexts]


def one_sided(bitext: Bitext) -> list[Bead]:
    """Beads of a text with an empty side: nothing has a counterpart, surely."""
    return [
        *(Bead((n, n + 1), (0, 0), 1.0) for n in range(len(bitext.src))),
        *(Bead((0, 0), (n, n + 1), 1.0) for n in range(len(bitext.tgt))),
    ]


def learn(pool: Pool, evidence: Sequence[Sequence[Similarity]] = (), *, passes: int = PASSES) -> Learnt:
    """Align texts and learn from them in turn, until the paths stay as they are or all passes are made.

    ``evidence``: of each text, similarities of the same kinds in the same order.
    """
    texts, sides = pool.texts, [text.sides for text in pool.texts]
    lexicon = empty_lexicon(*shares(texts, (len(pool.numbers[0]), len(pool.numbers[1]))))
    rates = first_rates(sides)
    own = [own_ratio(rates, text, None) for text in sides]
    centres = [first_centre(text) for text in texts]
    solved: list[Solution] = []
    for number in range(1 - _LENGTH_ROUNDS, passes):
        before = solved
        if number > 0:
            lexicon = learn_lexicon(texts, [each.likely for each in solved], pool.same, lexicon)
        tables = [text_tables(text, lexicon) for text in texts]
        if number > 0:
            rates = _with_null(rates, texts, tables, solved)
            own = [replace(each, src_null=rates.src_null, tgt_null=rates.tgt_null) for each in own]
        models = [Model(*each) for each in zip(tables, own, _weighed(evidence, solved, len(texts)), strict=True)]
        width = NARROW if number > 0 else WIDE
        if solved:
            solved = [solve_again(*each, width) for each in zip(texts, models, solved, strict=True)]
        else:
            solved = [solve_text(*each, width) for each in zip(texts, models, centres, strict=True)]
        if number in _COARSE_PASSES:
            solved = [detour(*each) for each in zip(texts, models, solved, strict=True)]
        if number == passes - 1 or (number > 0 and _are_settled(before, solved)):
            break
        rates = next_rates(rates, sides, [each.likely for each in solved])
        own = [own_ratio(rates, text, each.likely) for text, each in zip(sides, solved, strict=True)]
    return Learnt(solved, lexicon, rates)


def detour(text: Text, model: Model, found: Solution) -> Solution:
    """The best path near the way through blocks, where that is far from the path found and turns out likelier."""
    coarse = coarse_centre(text, model)
    if coarse is None or np.abs(coarse - _centre(found, text)).max() < _FAR:
        return found
    other = solve_text(text, model, coarse, WIDE, reach=2 * BLOCK_SENTENCES)
    return other if other.log_sum > found.log_sum else found


def solve_known(text: Text, model: Model) -> Solution:
    """The best path by a lexicon that is known beforehand: near the way through blocks, or by lengths if likelier.

    Lengths alone lose their way at a gap, and a band that has to find it back is solved again and again.
    """
    by_length, coarse = first_centre(text), coarse_centre(text, model)
    if coarse is None:
        return solve_text(text, model, by_length, WIDE)
    found = solve_text(text, model, coarse, WIDE, reach=2 * BLOCK_SENTENCES)
    if np.abs(by_length - _centre(found, text)).max() < _FAR:
        return found
    other = solve_text(text, model, by_length, WIDE, most_bands=1)
    return other if other.log_sum > found.log_sum else found


def path_beads(solution: Solution, text: Text) -> list[Bead]:
    """The path as beads."""
    nodes = solution.nodes(len(text.src), len(text.tgt)).tolist()
    scores = path_posteriors(solution).tolist()
    return [
        Bead((i, next_i), (j, next_j), score)
        for (i, j), (next_i, next_j), score in zip(nodes[:-1], nodes[1:], scores, strict=True)
    ]


def first_centre(text: Text) -> Ints:
    """Column at each row of the path by lengths alone."""
    beads = align_lengths(text.src.lengths.tolist(), text.tgt.lengths.tolist(), max_cells=_LENGTH_CELLS)
    nodes = np.array([(bead.src[0], bead.tgt[0]) for bead in beads] + [(len(text.src), len(text.tgt))], np.int64)
    return centre_of(nodes, len(text.src))


def _centre(solution: Solution, text: Text) -> Ints:
    return centre_of(solution.nodes(len(text.src), len(text.tgt)), len(text.src))


def _weighed(
    similarities: Sequence[Sequence[Similarity]], solved: Sequence[Solution], count: int
) -> list[Evidence | None]:
    """Evidence of each text, weighed by the likely beads of the pass before; none before the first."""
    if not solved or not any(similarities):
        return [None] * count
    scales = learn_scales(similarities, [each.likely for each in solved])
    return [evidence_of(each, scales) for each in similarities]


def _are_settled(before: Sequence[Solution], after: Sequence[Solution]) -> bool:
    """Whether hardly a bead of the paths is new."""
    new, beads = 0, 0
    for one, other in zip(before, after, strict=True):
        old = set(map(tuple, one.path.tolist()))
        new += sum(tuple(bead) not in old for bead in other.path.tolist())
        beads += len(other.path)
    return new <= _SETTLED * beads


def _with_null(
    rates: Rates, texts: Sequence[Text], tables: Sequence[tuple[Table, Table]], solved: Sequence[Solution]
) -> Rates:
    """Null rates of what a new lexicon leaves unexplained on the paths found before it."""

    totals = np.zeros((2, 2, len(UnitClass)))
    for text, both_tables, solution in zip(texts, tables, solved, strict=True):
        i, j, kind = solution.path.T
        ends = (i + TYPE_SRC[kind], j + TYPE_TGT[kind])
        both = (ends[0] > i) & (ends[1] > j)
        there = np.stack((i[both], ends[0][both], j[both], ends[1][both]), axis=1)
        back = there[:, [2, 3, 0, 1]].copy()
        forward, backward = directions(text, both_tables, rates)
        totals[1] += explained_units(forward, text.classes[1], there)
        totals[0] += explained_units(backward, text.classes[0], back)
    return replace(rates, src_null=next_null(*totals[0]), tgt_null=next_null(*totals[1]))
