"""Step 10. Text that stands elsewhere on the other page: a glossary or an index that each language sorts anew.

The best path only leads forward, so it loses text in another place. Blocks that the path leaves without a counterpart,
or joins at less than even odds, are compared all with all by their words. Two blocks belong together if that is
likelier than all alternatives together: another partner for either block, or none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from diglot.alignment.beads import Bead, shift_beads
from diglot.alignment.lexical.bead_scores import TextModel
from diglot.alignment.lexical.lattice import INVERSE_TEMPERATURE, MAX_BLOCK_PAIRS, path_beads, solve_known
from diglot.alignment.lexical.support import TextWords, bead_support, score_by_support
from diglot.alignment.lexical.units import NumberedSide, NumberedText
from diglot.arrays import Ints, Mask, run_places

EVEN = 0.5
"""Score below which a bead of the path may be replaced, and probability above which two blocks belong together: no
block has two such partners."""


class Passage(NamedTuple):
    """Two blocks that likely belong together, with their titles; ``src`` and ``tgt`` are ranges of sentences.

    ``nats``: log-likelihood ratio of the words of the blocks, as translations against unrelated text. ``others``: sum
    of the likelihood ratios of all else that the two may be.
    """

    src: tuple[int, int]
    tgt: tuple[int, int]
    nats: float
    others: float


def join_moved(beads: Sequence[Bead], text: NumberedText, model: TextModel, words: TextWords) -> list[Bead]:
    """The beads of a text with moved blocks joined, in the order of the source.

    The score of a bead in a moved block is computed as for all beads
    (:func:`diglot.alignment.lexical.support.score_by_support`), and multiplied by the probability that the two blocks
    belong together.
    """
    src, tgt = _free_blocks(text, [bead for bead in beads if bead.score < EVEN or 0 in bead.sizes])
    if not 0 < len(src) * len(tgt) <= MAX_BLOCK_PAIRS:
        return list(beads)
    inner = replace(model, evidence=None)  # its sentence numbers are those of the whole text, not of a passage
    passages = _likely_passages(text, words, src, tgt)
    moved = [bead for passage in passages for bead in _passage_beads(passage, text, inner)]
    return _with_moved(beads, score_by_support(moved, text, words)) if moved else list(beads)


def _free_blocks(text: NumberedText, beads: Sequence[Bead]) -> tuple[Ints, Ints]:
    """Blocks of each side whose sentences are all in the beads: first and end of each block, int64 (k, 2)."""
    spans = np.array([(*bead.src, *bead.tgt) for bead in beads], np.int64).reshape(-1, 2, 2)
    return _blocks_within(text.src, spans[:, 0]), _blocks_within(text.tgt, spans[:, 1])


def _blocks_within(side: NumberedSide, runs: Ints) -> Ints:
    firsts = np.flatnonzero(side.opens)
    if not len(firsts):  # a text without blocks
        return np.zeros((0, 2), np.int64)
    is_free = np.zeros(len(side), bool)
    is_free[run_places(runs[:, 0], runs[:, 1] - runs[:, 0])] = True
    blocks = np.stack((firsts, np.append(firsts[1:], len(side))), axis=1)
    return blocks[np.logical_and.reduceat(is_free, firsts)]


def _likely_passages(text: NumberedText, words: TextWords, src: Ints, tgt: Ints) -> Iterator[Passage]:
    """Pairs of free blocks that belong together by their words, each with the titles of both."""
    grid = np.concatenate((np.repeat(src, len(tgt), axis=0), np.tile(tgt, (len(src), 1))), axis=1)
    support = bead_support(words, grid)
    nats = np.where(support.has_known, support.nats, -np.inf).reshape(len(src), len(tgt))
    likely = np.exp(nats)
    # Prior: a block is as likely to have no partner as to have one among all blocks.
    others = likely.sum(axis=0) + likely.sum(axis=1, keepdims=True) - 2 * likely + max(nats.shape)
    chosen = likely > others
    has_title = title_mask(text.src, src, chosen.any(axis=1))[:, None] & title_mask(text.tgt, tgt, chosen.any(axis=0))
    for row, column in np.argwhere(chosen).tolist():
        above = int(has_title[row, column])
        yield Passage(
            (int(src[row - above, 0]), int(src[row, 1])),
            (int(tgt[column - above, 0]), int(tgt[column, 1])),
            float(nats[row, column]),
            float(others[row, column]),
        )


def title_mask(side: NumberedSide, blocks: Ints, chosen: Mask) -> Mask:
    """Mask of the free blocks with a title: a shorter block of one sentence just above, without a partner of its own.

    ``blocks``: as ranges of sentences, (k, 2). ``chosen``: mask of the blocks with a partner.
    """
    chars = np.diff(side.length_sums[blocks])[:, 0]
    is_title = (np.diff(blocks)[:-1, 0] == 1) & ~chosen[:-1] & (chars[:-1] < chars[1:])
    return np.append(False, is_title & (blocks[:-1, 1] == blocks[1:, 0]))


def _passage_beads(passage: Passage, text: NumberedText, model: TextModel) -> list[Bead]:
    """Beads of a passage; none if its lengths and kinds of blocks speak against it."""
    part = text.part(passage.src, passage.tgt)
    solution = solve_known(part, model)
    # Words alone would join a heading to a long text on its topic.
    likely = np.exp(min(passage.nats, INVERSE_TEMPERATURE * solution.log_sum))
    probability = float(likely / (likely + passage.others))
    if probability <= EVEN:
        return []
    beads = shift_beads(path_beads(solution, part), passage.src[0], passage.tgt[0])
    return [replace(bead, score=bead.score * probability) for bead in beads]


def _with_moved(beads: Sequence[Bead], moved: Sequence[Bead]) -> list[Bead]:
    """All beads in the order of the source; a bead that shares a sentence with a moved bead is taken apart."""
    taken = [{n for bead in moved for n in range(*getattr(bead, side))} for side in ("src", "tgt")]
    found = list(moved)
    for bead in beads:
        left = [
            [n for n in range(*span) if n not in own] for span, own in zip((bead.src, bead.tgt), taken, strict=True)
        ]
        if (len(left[0]), len(left[1])) == bead.sizes:
            found.append(bead)
            continue
        # The bead was unlikely, so its other sentences stay without a counterpart.
        found += [Bead((n, n + 1), (bead.tgt[0], bead.tgt[0]), EVEN) for n in left[0]]
        found += [Bead((bead.src[0], bead.src[0]), (n, n + 1), EVEN) for n in left[1]]
    return sorted(found, key=lambda bead: (bead.src, bead.tgt))
