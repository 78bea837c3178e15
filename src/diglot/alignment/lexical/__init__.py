"""The lexical aligner: sentences of translations matched by lengths and words, both learnt from the texts.

Read in this order; :func:`align_texts` and :func:`learn` carry the same numbers.

1. ``units``: a sentence is a set of units (words cut to four letters, numbers, marks), and all units have numbers.
2. ``lexicon``: IBM model 1 learns the translations of units from the likely beads.
3. ``rates``: shares of bead types, lengths, untranslated units and blocks, estimated from the same beads.
4. ``scales``: the worth of evidence from outside the texts, if there is any.
5. ``bead_scores``: lexicon, rates and evidence, added up to the score of every bead in a band around the path of the
   pass before.
6. ``lattice``: the best path through the band, and the posteriors of all beads near the path.
7. ``lattice``, second half: a coarse way through a long text, by blocks of sentences, for a path gone astray.
8. :mod:`diglot.alignment.site_model`: lexicon and rates learnt from the pages of a site, stored, and used to align any
   of the pages in a single pass; and the same over Arrow tables.
9. ``support``: the scores of the beads of a page pair, by what their words and the rest of the pair say.
10. ``moved``: blocks that stand elsewhere on the other page, joined by their words.

Steps 2 to 7 are a pass. Passes are repeated until the path hardly changes: the first two know no lexicon, and a pass
learns from the posteriors of the pass before.

Method and figures: docs/theory/lexical-alignment.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from diglot.alignment.beads import Bead, BeadEvidence, Similarity
from diglot.alignment.lexical.bead_scores import TextModel, with_null
from diglot.alignment.lexical.lattice import WIDE, Solution, detour, length_centre, path_beads, solve_again, solve_text
from diglot.alignment.lexical.lexicon import TranslationTables, empty_tables, learn_tables, shares, text_tables
from diglot.alignment.lexical.rates import Rates, first_rates, next_rates, own_ratio
from diglot.alignment.lexical.scales import learn_scales, weighed_evidence
from diglot.alignment.lexical.units import NumberedText, NumberedTexts, ParallelText, number_texts
from diglot.threads import map_in_threads

PASSES = 6
"""Passes have the numbers up to 5, with a lexicon from 1 on. Scripts without common words need all, others fewer."""
NARROW = 12
"""Half-width of the band around the path of the pass before. Twice as much changes no figure."""
_LENGTH_PASSES = 2
"""Passes without a lexicon, to estimate the rates of lengths and types."""
_DETOUR_PASSES = (1, 2)
"""Numbers of the passes after which the path is compared with the path through blocks."""
_CONVERGED = 0.005
"""Share of new beads up to which two paths count as the same."""


@dataclass(frozen=True, slots=True)
class Learnt:
    """Result of all passes: the last path of every text, the lexicon and the rates."""

    solved: list[Solution]
    lexicon: TranslationTables
    rates: Rates


def align_texts(pairs: Sequence[ParallelText]) -> list[list[Bead]]:
    """Beads of several texts of a language pair, learnt from together; a list of beads for every text, covering the
    text.

    ``score`` of a bead: estimated probability of a right bead, in [0, 1]; of a bead with an empty side, the probability
    of a sentence without a counterpart.
    """
    both = [pair for pair in pairs if pair.src and pair.tgt]
    if not both:
        return list(map(one_sided, pairs))
    # 1. Sentences become sets of numbers.
    numbered = number_texts(both)
    # 2. to 7., pass after pass.
    solved = learn(numbered, [pair.evidence for pair in both]).solved
    beads = map(path_beads, solved, numbered.texts)
    return [next(beads) if pair.src and pair.tgt else one_sided(pair) for pair in pairs]


def one_sided(pair: ParallelText) -> list[Bead]:
    """Beads of a text with an empty side: no sentence has a counterpart."""
    return [
        *(Bead((n, n + 1), (0, 0), 1.0) for n in range(len(pair.src))),
        *(Bead((0, 0), (n, n + 1), 1.0) for n in range(len(pair.tgt))),
    ]


def learn(
    numbered: NumberedTexts,
    similarities: Sequence[Sequence[Similarity]] = (),
    *,
    passes: int = PASSES,
    threads: int = 1,
    with_scores: bool = True,
) -> Learnt:
    """Align texts and learn from them by turns, until the paths hardly change or all passes are made.

    ``similarities``: evidence from outside for every text, of the same kinds in the same order. ``passes``: number of
    the last pass, and one (:data:`PASSES`). ``threads`` share the work and do not change the result. ``with_scores``:
    whether the solutions have what :func:`path_beads` needs, which is most of the memory of a long text.
    """
    texts, sides = numbered.texts, [text.sides for text in numbered.texts]
    lexicon = empty_tables(*shares(texts, (len(numbered.numbers[0]), len(numbered.numbers[1]))))
    rates = first_rates(sides)
    solved: list[Solution] = []
    for number in range(1 - _LENGTH_PASSES, passes):
        before = [solution.without_lattice() for solution in solved]
        likely = [solution.likely for solution in before]
        # 2. The lexicon of the likely beads. The first passes know nothing but units of the same spelling.
        if number > 0:
            lexicon = learn_tables(texts, likely, numbered.same, lexicon, threads=threads)
        tables = [text_tables(text, lexicon) for text in texts]
        # 3. Shares of types, lengths and blocks in these beads, and of units that the lexicon leaves untranslated.
        if before:
            rates = next_rates(rates, sides, likely)
        if number > 0:
            rates = with_null(rates, texts, tables, [solution.path for solution in before])
        own_rates = [own_ratio(rates, text, beads) for text, beads in zip_longest(sides, likely)]
        evidence = _text_evidence(similarities, before, len(texts))
        models = [TextModel(*parts) for parts in zip(tables, own_rates, evidence, strict=True)]
        # 5. and 6. The scores of the beads in a band around the path of the pass before, and the best path through it.
        solved = _solve_all(texts, models, before, NARROW if number > 0 else WIDE, threads)
        if not with_scores:
            solved = [solution.without_lattice() for solution in solved]
        # 7. Has a path lost its way?
        if number in _DETOUR_PASSES:
            solved = [detour(*parts) for parts in zip(texts, models, solved, strict=True)]
        if number > 0 and _have_converged(before, solved):
            break
    return Learnt(solved, lexicon, rates)


def _solve_all(
    texts: Sequence[NumberedText], models: Sequence[TextModel], before: Sequence[Solution], width: int, threads: int
) -> list[Solution]:
    """Best path of every text, near the path before, or near the path by lengths in the first pass."""

    def solve(number: int) -> Solution:
        text, model = texts[number], models[number]
        if before:
            return solve_again(text, model, before[number], width)
        return solve_text(text, model, length_centre(text, width), width)

    return map_in_threads(solve, range(len(texts)), threads)


def _text_evidence(
    similarities: Sequence[Sequence[Similarity]], solved: Sequence[Solution], count: int
) -> list[BeadEvidence | None]:
    """Step 4. Evidence of every text, weighed by the likely beads of the pass before; none before the first pass."""
    if not solved or not any(similarities):
        return [None] * count
    scales = learn_scales(similarities, [solution.likely for solution in solved])
    return [weighed_evidence(own, scales) for own in similarities]


def _have_converged(before: Sequence[Solution], after: Sequence[Solution]) -> bool:
    """Whether hardly any bead of the paths is new."""
    new, beads = 0, 0
    for one, other in zip(before, after, strict=True):
        old = set(map(tuple, one.path.tolist()))
        new += sum(tuple(bead) not in old for bead in other.path.tolist())
        beads += len(other.path)
    return new <= _CONVERGED * beads
