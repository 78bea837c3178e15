"""Step 9. Scores by translated words, which show pages of the same plan with other content.

A path through two pages is likely wherever lengths and blocks agree, also where a page was written anew on the plan of
the other. The text of a page pair is therefore a mixture of translated and adapted text. The words of a bead say how
likely it is translated, and the share of translated text, estimated from all beads of the pair, counts as much for a
bead that says little by itself. Text of the frame, such as menus, is translated on most pages, whatever stands within:
it has a share of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from diglot.alignment.beads import Bead
from diglot.alignment.lexical.bead_scores import LEXICON_WEIGHT, Direction, TextModel, directions
from diglot.alignment.lexical.lattice import INVERSE_TEMPERATURE
from diglot.alignment.lexical.lexicon import TranslationTable, TranslationTables
from diglot.alignment.lexical.run_scores_kernels import word_support
from diglot.alignment.lexical.tokens import UnitClass
from diglot.alignment.lexical.units import FOLDS, NumberedText
from diglot.arrays import Bytes, Floats, Ints, Mask, run_places

MAX_UNSUPPORTED = 0.89
"""Highest score of a bead without a known word, a number or a link in common. Of such segments on translated pages of
real sites nine in ten were right: order and length alone say no more."""
_PRIOR_SHARE, _PRIOR_CHARS = 0.9, 300.0
"""Share of translated text before a page pair is looked at, and its weight in characters of both pages: two or three
sentences. Pages are paired because they translate each other, so few are adapted."""
_MAX_NATS = 30.0
"""Most nats of the words of a bead, for or against: more would not change a score, and ``exp`` would overflow."""
_ROUNDS = 20
"""Rounds of EM: one unknown in [0, 1] settles in fewer."""


class TextWords(NamedTuple):
    """Words of a text, as evidence: both directions, and the units of each side that count (:func:`speaking_units`)."""

    forward: Direction
    backward: Direction
    src_speaks: Bytes
    tgt_speaks: Bytes


class Support(NamedTuple):
    """What words say of beads. ``nats``: of a translation against unrelated texts, (k,). ``has_known``: whether a
    word, number or link of one side is known as translation of the other, (k,)."""

    nats: Floats
    has_known: Mask


def text_words(text: NumberedText, model: TextModel, lexicon: TranslationTables) -> TextWords:
    """The words of a text by a model, and by the lexicon that the model's tables are from."""
    alike = np.flatnonzero(text.same >= 0)
    return TextWords(
        *directions(text, model.tables, model.rates),
        src_speaks=speaking_units(text, 0, lexicon.forward, alike),
        tgt_speaks=speaking_units(text, 1, lexicon.backward, text.same[alike]),
    )


def score_by_support(beads: Sequence[Bead], text: NumberedText, words: TextWords) -> list[Bead]:
    """The beads of a page pair, each score times the probability that the bead is translated and not adapted text.

    Beads with a sentence of the frame, which many texts of the site have, and all others are two populations.
    """
    spans = np.array([(*bead.src, *bead.tgt) for bead in beads], np.int64)
    both = (spans[:, 0] < spans[:, 1]) & (spans[:, 2] < spans[:, 3])
    scores = np.array([bead.score for bead in beads])
    support = bead_support(words, spans[both])
    chars = _sums_of_spans(spans, [side.length_sums for side in text.sides])
    is_framed = _sums_of_spans(spans, [np.append(0.0, np.cumsum(mask)) for mask in text.framed]) > 0
    nats, chances = np.zeros(len(beads)), np.ones(len(beads))
    nats[both] = support.nats
    for own in (is_framed, ~is_framed):
        two = own & both
        # Characters times score: a bead that is likely wrong says little about the page.
        share = translated_share(nats[two], (scores * chars)[two], float(chars[own & ~both].sum()))
        chances[two] = _probability(nats[two], share)
    scores *= chances
    scores[both] = np.where(support.has_known, scores[both], np.minimum(scores[both], MAX_UNSUPPORTED))
    return [Bead(bead.src, bead.tgt, score) for bead, score in zip(beads, scores.tolist(), strict=True)]


def _sums_of_spans(spans: Ints, sums: Sequence[Floats]) -> Floats:
    """Sum of a figure of sentences over both sides of every bead. ``sums``: for each side, of the first n sentences."""
    (src, tgt), ends = sums, spans.T
    return np.asarray(src[ends[1]] - src[ends[0]] + tgt[ends[3]] - tgt[ends[2]])


def translated_share(nats: Floats, chars: Floats, lone_chars: float) -> float:
    """Share of the text of a page pair that is translated, in (0, 1), by EM over translated and adapted beads.

    ``nats``: of the words of every bead with two sides. ``chars``: its characters, times its score. ``lone_chars``:
    characters without a counterpart, which nothing translates.
    """
    share, total = _PRIOR_SHARE, float(chars.sum()) + lone_chars + _PRIOR_CHARS
    for _ in range(_ROUNDS):
        share = (float(chars @ _probability(nats, share)) + _PRIOR_CHARS * _PRIOR_SHARE) / total
    return share


def _probability(nats: Floats, share: float) -> Floats:
    """Probability that a bead is translated, given its words and the share of translated text."""
    odds = share / (1 - share) * np.exp(nats)
    return odds / (1 + odds)


def bead_support(words: TextWords, spans: Ints) -> Support:
    """What words say of beads with two sides; ``spans``: int64 (k, 4), first and end of the source side, first and end
    of the target side."""
    gains, known = word_support(words.forward, words.tgt_speaks, spans)
    # Sorted by target run, as equal runs one after the other cost less.
    order = np.argsort(spans[:, 2], kind="stable")
    turned, back = np.ascontiguousarray(spans[order][:, [2, 3, 0, 1]]), np.argsort(order)
    back_gains, back_known = (found[back] for found in word_support(words.backward, words.src_speaks, turned))
    # Weighed as in the scores of the path: the words of a sentence depend on each other.
    nats = INVERSE_TEMPERATURE * LEXICON_WEIGHT / 2 * (gains + back_gains)
    return Support(np.clip(nats, -_MAX_NATS, _MAX_NATS), known + back_known > 0)


def speaking_units(text: NumberedText, side: int, table: TranslationTable, same: Ints) -> Bytes:
    """Units of a side that count as evidence, 0 or 1, uint8 (units, FOLDS).

    A unit counts in a fold if the lexicon knows a translation without the fold, or if the other side has the same
    spelling (``same``). Others, seen nowhere else, say nothing, and punctuation is no word. ``table``: translations of
    the units of the side.
    """
    numbers, classes = text.numbers[side], text.classes[side]
    offsets, _, values = table
    speaks = np.zeros((len(numbers), FOLDS), np.uint8)
    rows = np.flatnonzero(numbers >= 0)
    begins, ends = (offsets[numbers[rows] + step] for step in (0, 1))
    rows, begins, counts = (each[begins < ends] for each in (rows, begins, ends - begins))
    if len(rows):
        learnt = values[run_places(begins, counts)] > 1
        speaks[rows] = np.logical_or.reduceat(learnt, np.cumsum(counts) - counts, axis=0)
    speaks[same] = 1
    speaks[classes == UnitClass.PUNCTUATION] = 0
    return speaks
