"""How likely a segment is right in every word, by what an aligner does not look at: lengths, words, commas, brackets,
and what else the site puts beside a text."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Floats, Ints, Mask, distinct_counts, robust_sd
from diglot.corpus.flags.codes import both_sides, combine, rows_by_code
from diglot.corpus.flags.consistency import unlike_shares
from diglot.corpus.flags.context import Context
from diglot.corpus.flags.counterparts import TextWords, crossed_shares, missing_shares, words_of_texts
from diglot.corpus.flags.lengths import RATIO_LEAST_CHARS, RATIO_LEAST_ROWS, Lengths

BEST_ODDS = 80.0
"""Odds that a segment is right in every word if it has the usual length and each word a counterpart, where lengths vary
least."""
ODDS_DEVIATION = 5.0
"""Squared deviation of a length, over the spread, by which the odds fall to 1 / e."""
MOST_AVERAGED = 100.0
"""Characters of a sentence, over which deviations average out: a free translator is free in every sentence."""
LEAST_SPREAD = 1.0
"""Least standard deviation of lengths, in square roots of characters: faithful translations vary as much."""
MISSING_NATS = 3.0
"""Nats by which the odds fall if all words lack a counterpart."""
USUAL_MISSING = 0.5
"""Share of missing words of a segment whose words are not looked at: about the mean over sites."""
COMMA_ODDS = 0.6
"""Factor of the odds if one side alone has a comma: a comma often begins a clause, which the other side may lack."""
BRACKET_NATS = 0.9
"""Nats by which the odds fall if one side has more brackets: translators add notes in brackets, or leave them out."""
FAULT_NATS = 12.0
"""Nats by which the odds would fall if all segments of a language pair were more likely wrong than right. Where many
are, in translations of older pages, others have faults that no text shows."""
FAULT_PRIOR = 20
"""Imagined segments without faults, added to the segments of each language pair."""
UNLIKE_NATS = 40.0
"""Nats by which the odds would fall if all repeated sentences of a language pair stood beside unlike sentences. Such a
site fills the same plan with other sentences in each language."""
CROSSED_NATS = 8.0
"""Nats by which the odds would fall if all words of a segment had a counterpart elsewhere on the two pages
(:func:`crossed_shares`). A third of the words is enough to leave an entry of a table out."""
ADAPTED_NATS = 4.0
"""Nats by which the odds would fall if none of the text that the aligner joined on two pages were likely a translation.
Such pages are written anew on one plan: what fits by position and by a word or two is seldom right."""
CALIBRATION_POWER = 0.7
"""Power of odds above 1: of what makes a segment wrong, lengths and words show a part. Chosen on 2,973 kept
segments of 100 sites, six readers (decision 82)."""
_COMMA, _BRACKET = "[,，、،]", r"[(\[（【]"


def chances_of_right(context: Context, *, usable: Mask, sound: Mask, unlikely: Mask) -> Floats:
    """Chance that a segment is right in every word, in (0, 1): odds by lengths, missing words, marks, other segments.

    Usual lengths and counterparts of a site and language pair are learnt from its ``usable`` rows, and not from fewer
    than ten. ``sound``: mask of these and of the rows left out because another row is kept in their place: how a
    site translates a text elsewhere is learnt from all of them. ``unlikely``: mask of the rows that no flag leaves out,
    and that the aligner scores below half. The figures above were chosen on 1,583 segments of 15 sites that a strict
    reader read (decision 44), and on more segments of other sites (decisions 47, 50 and 71).
    """
    segments, peers, sides = context.segments, context.peers, context.texts.sides
    words, pages, text_pairs = words_of_texts(context.texts.values), context.page_pair, combine(peers, *sides)
    odds = BEST_ODDS * np.exp(-MISSING_NATS * _missing(words, sides, text_pairs, peers, usable))
    odds *= np.where(np.logical_xor(*(_counts(segments, _COMMA) > 0)), COMMA_ODDS, 1.0)
    odds *= _falls_by_length(context.lengths, peers, usable)
    doubts = FAULT_NATS * _fault_shares(odds, peers, usable)
    unlike = unlike_shares(words, sides, peers, pages, _sentences(context) & sound)
    doubts += UNLIKE_NATS * unlike.of_groups[peers]
    doubts += BRACKET_NATS * np.not_equal(*_counts(segments, _BRACKET))
    odds *= np.exp(-ADAPTED_NATS * _adapted_shares(context.lengths, pages, usable, unlikely))
    # Doubts lower a score, and leave no segment out.
    odds = np.where(odds < 1, odds, np.maximum(odds * np.exp(-doubts), 1.0))
    odds *= np.exp(-CROSSED_NATS * crossed_shares(words, sides, pages))
    # A page pair whose repeated texts stand in other words elsewhere was joined by position, and so were its other
    # texts; not those whose translation stands beside them on another page pair, too.
    is_elsewhere = distinct_counts(text_pairs, pages)[text_pairs] > 1
    return np.asarray(np.minimum(odds / (1 + odds), np.where(is_elsewhere, 1.0, 1 - unlike.of_pages[pages])))


def calibrate(scores: Floats) -> Floats:
    """Scores in [0, 1) as shares of right segments: odds above 1 to the power of :data:`CALIBRATION_POWER`.

    A score below one half stays below it, and one above stays above: the same segments are kept.
    """
    odds = np.maximum(scores / (1 - scores), 1.0) ** CALIBRATION_POWER
    return np.where(scores > 0.5, odds / (1 + odds), scores)


def _counts(segments: pa.Table, mark: str) -> Ints:
    """How often both sides have a mark (RE2), (2, rows)."""
    return np.asarray(pc.count_substring_regex(both_sides(segments), mark).to_numpy().reshape(2, -1))


def _fault_shares(odds: Floats, peers: Ints, usable: Mask) -> Floats:
    """Share of the usable rows of each row's language pair that are more likely wrong than right."""
    faults, rows = (np.bincount(peers, mask) for mask in (usable & (odds < 1), usable))
    return np.asarray((faults / (rows + FAULT_PRIOR))[peers])


def _adapted_shares(lengths: Lengths, pages: Ints, usable: Mask, unlikely: Mask) -> Floats:
    """Share of the joined text of each row's two pages that is likely no translation, by characters, in [0, 1]."""
    adapted, translated = (np.bincount(pages, (lengths.src + lengths.tgt) * rows) for rows in (unlikely, usable))
    return np.asarray((adapted / np.maximum(adapted + translated, 1.0))[pages])


def _sentences(context: Context) -> Mask:
    """Mask of the rows with a sentence on both sides. Labels are no sign: lists of headlines may be of other days
    where all articles are translated."""
    lengths = context.lengths
    return ~context.is_label & (np.minimum(lengths.src, lengths.tgt) >= RATIO_LEAST_CHARS)


def _falls_by_length(lengths: Lengths, peers: Ints, usable: Mask) -> Floats:
    """Factor of the odds by the lengths of both sides, in (0, 1].

    A side that is longer than usual holds text that the other lacks: a page was changed after its translation. The
    deviation of a log ratio from the usual one counts by the square root of the characters of the shorter side, 100 at
    most (after Gale and Church 1993). Its square is divided by the standard deviation of the language pair, not by the
    variance: a free translation is less often right.
    """
    learnt = usable & (lengths.shorter_side() >= RATIO_LEAST_CHARS)
    averaged = np.sqrt(np.minimum(np.minimum(lengths.src, lengths.tgt), MOST_AVERAGED))
    factors = np.ones(len(averaged))
    for rows in rows_by_code(peers):
        if learnt[rows].sum() < RATIO_LEAST_ROWS:
            continue
        here = lengths.take(rows)
        src, tgt = here.stretch(float(np.median(here.log_ratios()[learnt[rows]])))
        deviation = np.log(tgt / src) * averaged[rows]
        spread = max(robust_sd(deviation[learnt[rows]]), LEAST_SPREAD)
        factors[rows] = np.exp(-(deviation**2) / spread / ODDS_DEVIATION) / np.sqrt(spread)
    return factors


def _missing(words: TextWords, sides: Ints, pairs: Ints, peers: Ints, usable: Mask) -> Floats:
    """Share of missing words of each row; a row with the same two texts as a usable row has the share of that row.

    ``pairs``: a code for the two texts of each row within its site and language pair.
    """
    srcs, tgts = sides
    shares = np.full(int(pairs.max(initial=-1)) + 1, USUAL_MISSING)
    learnt = np.flatnonzero(usable)
    learnt = learnt[np.unique(pairs[learnt], return_index=True)[1]]
    for places in rows_by_code(peers[learnt]):
        rows = learnt[places]
        if len(rows) >= RATIO_LEAST_ROWS:
            shares[pairs[rows]] = missing_shares(words, srcs[rows], tgts[rows])
    return np.asarray(shares[pairs])
