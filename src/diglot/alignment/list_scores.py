"""Scores of beads inside lists whose order says little, as that of lists sorted by the alphabet of each language.

Posteriors of an alignment rest on both sides being in one order. Where that is in doubt, an item counts as likely to
belong to another as what they say makes it, against all other items of the list; items that nothing tells apart share
the chance of being right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from diglot.alignment.beads import Bead
from diglot.alignment.lexical.bead_scores import TextModel
from diglot.alignment.lexical.model1 import UnitLists
from diglot.alignment.lexical.run_scores import Direction, RunWindow, directions
from diglot.alignment.lexical.run_scores_kernels import word_scores
from diglot.alignment.lexical.units import NumberedText, ParallelText, run_places
from diglot.alignment.lists import LEAST_ITEMS
from diglot.alignment.reordering import LEAST_SHARED, lead_elsewhere, ranked
from diglot.arrays import Floats
from diglot.words import without_marks

SORTED_SHARE = 0.1
"""Prior share of lists that each language sorts by its own alphabet. Our choice."""
IN_ORDER = 0.97
"""Share of neighbours in a sorted list that are in alphabetical order as we compare them: we know no collation of
languages, and items that come first or last whatever their name. Our choice."""
LEAD_ELSEWHERE = 0.05
"""Score at most of two links to places that are known to be two. Our choice: a link that was set wrong is rare."""
LINK_NATS = 10.0
"""What it says that two items, each alone in its list, link to the same place, beside what its unit says: all but
sure."""
ALIKE_NATS = 5.0
"""What it says that two items open with the same text: as much as one unit of theirs that is found nowhere else."""
LEAST_DOUBT = 0.05
"""Doubt of an order below which a list is taken as it was aligned."""
MAX_CELLS = 250_000
"""Pairs of items that are compared at most: 500 by 500; in longer lists links alone count, and the rest
share the chance evenly."""
_ROUNDS = 20
"""Of Sinkhorn's scaling; more change no probability by .01."""
_UNMATCHED = 0.02
"""Weight of an item's having no counterpart, beside 1 for one that nothing tells from others: the prior share of beads
with one side."""
_MAX_NATS = 300.0
"""What is said of two items counts up to here, so that its exponential stays within range."""


Items = Sequence[tuple[int, int]]
"""First sentence and end of the items of a list."""

Chance = Callable[[int, int], float]
"""Ranks of two items -> probability that they belong together."""


class ItemList(NamedTuple):
    """A list: first sentence and end of its items in the order of the page, and the ranks of those with a link of
    their own."""

    items: list[tuple[int, int]]
    ranks: dict[str, int]

    def rank_of(self) -> dict[int, int]:
        """Rank of the item that each sentence is in."""
        return {sentence: rank for rank, item in enumerate(self.items) for sentence in range(*item)}


def with_doubt(beads: list[Bead], pair: ParallelText, text: NumberedText, model: TextModel) -> list[Bead]:
    """The beads of a text, those in lists of doubtful order scored by what their items say."""
    elsewhere = _elsewhere(beads, pair)
    scored = [replace(bead, score=min(bead.score, LEAD_ELSEWHERE)) if elsewhere.get(bead) else bead for bead in beads]
    src_lists, tgt_lists = (_lists_of(pair, side) for side in (0, 1))
    if not src_lists or not tgt_lists:
        return scored
    words = directions(text, model.tables, model.rates)
    for src, tgt, own in _aligned_lists(beads, src_lists, tgt_lists):
        known = [elsewhere[beads[place]] for place in own if beads[place] in elsewhere]
        doubt = max(order_doubt(src, tgt, pair), sum(known) / max(len(known), 1))
        if doubt >= LEAST_DOUBT:
            likely, ranks = _likely_items(src, tgt, pair, words), (src.rank_of(), tgt.rank_of())
            for place in own:
                chance = min(scored[place].score, _chance(scored[place], ranks, likely))
                scored[place] = replace(scored[place], score=(1 - doubt) * scored[place].score + doubt * chance)
    return scored


def order_doubt(src: ItemList, tgt: ItemList, pair: ParallelText) -> float:
    """Probability that the order of two lists says nothing of which item is which, in [0, 1].

    What links say counts first: twice the share of neighbours that they find in the wrong order, as half of them are in
    a random one. Without links it is the probability that both sides are sorted by alphabet.
    """
    shared = sorted(src.ranks.keys() & tgt.ranks.keys(), key=src.ranks.__getitem__)
    if len(shared) >= LEAST_SHARED:
        ranks = [tgt.ranks[key] for key in shared]
        return min(1.0, 2 * sum(a > b for a, b in pairwise(ranks)) / (len(ranks) - 1))
    log_odds = np.log(SORTED_SHARE / (1 - SORTED_SHARE))
    for own, texts in ((src, pair.src), (tgt, pair.tgt)):
        log_odds += sorted_nats([texts[start] for start, _ in own.items])
    return float(1 / (1 + np.exp(-np.clip(log_odds, -_MAX_NATS, _MAX_NATS))))


def sorted_nats(texts: Sequence[str]) -> float:
    """How much likelier these texts are in their order if they are sorted by alphabet than if they are not.

    Of texts in no such order each second neighbour is in order by chance. It says less than what all orders make
    possible, and errs on the side of no doubt.
    """
    keys = [_sort_key(text) for text in texts]
    steps = [(a < b) for a, b in pairwise(keys) if a != b]
    return float(sum(np.log(2 * (IN_ORDER if rises else 1 - IN_ORDER)) for rises in steps))


def item_probabilities(gains: Floats) -> Floats:
    """Probability that each item of one list belongs to each of the other, each to one or none, in any order.

    ``gains``: log-likelihood ratios, (n, m). By Sinkhorn's scaling of rows and columns to a sum of 1 at most.
    """
    clipped = np.clip(gains, -_MAX_NATS, _MAX_NATS)
    weights = np.exp(clipped)
    columns = np.exp(-clipped.max(axis=0) / 2)  # evenly shared between both sides, as the scaling ends
    for _ in range(_ROUNDS):
        rows = 1 / (weights @ columns + _UNMATCHED)
        columns = 1 / (rows @ weights + _UNMATCHED)
    likely: Floats = rows[:, None] * weights * columns
    return np.minimum(likely, 1.0)


def _lists_of(pair: ParallelText, side: int) -> list[ItemList]:
    ranks = ranked(pair.items[side], pair.links[side])
    own = pair.items[side].by_list()
    return [ItemList(items, ranks[number]) for number, items in own.items() if len(items) >= LEAST_ITEMS]


def _aligned_lists(
    beads: Sequence[Bead], src_lists: Sequence[ItemList], tgt_lists: Sequence[ItemList]
) -> list[tuple[ItemList, ItemList, list[int]]]:
    """Each source list with the target list that most of its beads lead to, and the places of these beads; of lists
    inside each other, that of the likest number of items."""
    src_at, tgt_at = _lists_at(src_lists), _lists_at(tgt_lists)
    leading: list[dict[int, list[int]]] = [{} for _ in src_lists]
    for place, bead in enumerate(beads):
        if bead.src[0] < bead.src[1] and bead.tgt[0] < bead.tgt[1]:
            for number in src_at.get(bead.src[0], ()):
                for other in tgt_at.get(bead.tgt[0], ()):
                    leading[number].setdefault(other, []).append(place)

    def liking(number: int, other: int) -> tuple[int, int]:
        return len(leading[number][other]), -abs(len(tgt_lists[other].items) - len(src_lists[number].items))

    best = [(number, max(sorted(own), key=partial(liking, number))) for number, own in enumerate(leading) if own]
    return [(src_lists[number], tgt_lists[other], leading[number][other]) for number, other in best]


def _lists_at(lists: Sequence[ItemList]) -> dict[int, list[int]]:
    """Numbers of the lists that each sentence is in."""
    found: dict[int, list[int]] = {}
    for number, own in enumerate(lists):
        for start, end in own.items:
            for sentence in range(start, end):
                found.setdefault(sentence, []).append(number)
    return found


def _likely_items(src: ItemList, tgt: ItemList, pair: ParallelText, words: tuple[Direction, Direction]) -> Chance:
    """How likely each item of a list belongs to each of the other, by what words, links and whole texts say of them."""
    same = [(rank, tgt.ranks[key]) for key, rank in src.ranks.items() if key in tgt.ranks]
    if len(src.items) * len(tgt.items) > MAX_CELLS:
        known, even = set(same), 1 / max(len(src.items), len(tgt.items))
        return lambda i, j: 1.0 if (i, j) in known else even
    gains = _item_gains(src.items, tgt.items, words) + _alike_gains(src.items, tgt.items, pair)
    for i, j in same:
        gains[i, j] += LINK_NATS
    likely = item_probabilities(gains)
    return lambda i, j: float(likely[i, j])


def _item_gains(src: Items, tgt: Items, words: tuple[Direction, Direction]) -> Floats:
    """What words and links say of each pair of items, nats (n, m): the mean of both directions.

    All of it counts, where of sentences :data:`diglot.alignment.lexical.bead_scores.LEXICON_WEIGHT` does: items are of
    a word or two, which do not depend on each other.
    """
    forward, backward = words
    gains: Floats = (_gains(_of_items(forward, src, tgt)) + _gains(_of_items(backward, tgt, src)).T) / 2
    return gains


def _alike_gains(src: Items, tgt: Items, pair: ParallelText) -> Floats:
    """Nats of items that open with the same text, which their units, cut to some letters, may not tell from others."""
    numbers: dict[str, int] = {}
    src_texts, tgt_texts = (
        np.array([numbers.setdefault(sentences[start].casefold(), len(numbers)) for start, _ in items])
        for sentences, items in ((pair.src, src), (pair.tgt, tgt))
    )
    return np.where(src_texts[:, None] == tgt_texts, ALIKE_NATS, 0.0)


def _elsewhere(beads: Sequence[Bead], pair: ParallelText) -> dict[Bead, bool]:
    """Of the beads of two links, whether they are known to lead to different places; those that lead to one do not."""
    if not any(pair.links[0]) or not any(pair.links[1]):
        return {}
    on_src, on_tgt = (frozenset(keys) for keys in pair.links)
    found = {}
    for bead in beads:
        i, j = bead.src[0], bead.tgt[0]
        if bead.kind == "1-1" and pair.whole_links[0][i] and pair.whole_links[1][j]:
            src, tgt = pair.links[0][i], pair.links[1][j]
            if src == tgt or lead_elsewhere(src, tgt, on_src, on_tgt):
                found[bead] = src != tgt
    return found


def _of_items(words: Direction, span: Items, other: Items) -> Direction:
    """Items in the place of sentences; each has the fold of its first one."""
    folds = (words.span_folds[[start for start, _ in span]], words.other_folds[[start for start, _ in other]])
    return Direction(_units_of(words.span, span), _units_of(words.other, other), words.table, words.null, *folds)


def _units_of(units: UnitLists, items: Items) -> UnitLists:
    """The units of each item, of those of all sentences; items need not stand in the order of the sentences."""
    begin, end = units.offsets[np.array(items, np.int64)].astype(np.int64).T
    counts = end - begin
    offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.uint32)
    return UnitLists(offsets, units.numbers[run_places(begin, counts)])


def _gains(words: Direction) -> Floats:
    """Nats of each item of the other side beside each of the span side, (span items, other items)."""
    rows, columns = len(words.span.offsets) - 1, len(words.other.offsets) - 1
    window = RunWindow(np.zeros(rows, np.int64), np.arange(rows + 1) * (columns + 1))
    sums: Floats = word_scores(words, window)[:, 0].reshape(rows, columns + 1).astype(np.float64)
    return np.diff(sums, axis=1)


def _chance(bead: Bead, ranks: tuple[dict[int, int], dict[int, int]], likely: Chance) -> float:
    """Probability of a bead by the items that it is of; 0 for one of several items, or only partly of items."""
    rows, columns = (
        {own.get(n, -1) for n in range(*side)} for own, side in zip(ranks, (bead.src, bead.tgt), strict=True)
    )
    (row, *others), (column, *more) = rows, columns
    return 0.0 if others or more or min(row, column) < 0 else likely(row, column)


def _sort_key(text: str) -> str:
    """Letters of a text without their marks, as alphabets compare them. Numbers are left out: those that items begin
    with count them in the order they have."""
    return "".join(filter(str.isalpha, without_marks(text.casefold())))
