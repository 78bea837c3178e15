"""Blocks that stand elsewhere on the other page, in made languages: a glossary that each language sorts anew."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from test_support import HEADING, PROSE, SRC, TGT, made_site

from diglot.alignment.beads import Bead
from diglot.alignment.lexical.bead_scores import TextModel
from diglot.alignment.lexical.lexicon import text_tables
from diglot.alignment.lexical.moved import join_moved, title_mask
from diglot.alignment.lexical.rates import own_ratio
from diglot.alignment.lexical.support import TextWords, bead_support, text_words
from diglot.alignment.lexical.units import NumberedText, ParallelText, place_text
from diglot.alignment.segments import AlignedSegment, bead_segment, segments_table
from diglot.alignment.site_model import SiteModel, align_with, learn_model, page_segments

FLOOR = 0.5
ENTRIES = 24

Entry = tuple[list[int], list[int]]
"""Numbers of the words of a term, and of its definition."""


@cache
def site_model() -> SiteModel:
    return learn_model(made_site(60, adapted=0))


def made_entries(seed: int) -> list[Entry]:
    draw = random.Random(seed)
    return [(draw.sample(range(300), 2), draw.sample(range(300), draw.randint(9, 14))) for _ in range(ENTRIES)]


def glossary(src: list[Entry], tgt: list[Entry]) -> ParallelText:
    """A page of terms, each above its definition, with the entries of either side in their order."""
    texts = [
        [" ".join(words[n] for n in numbers) for entry in side for numbers in entry]
        for words, side in ((SRC, src), (TGT, tgt))
    ]
    opens, kinds = [[1] * len(side) for side in texts], [[HEADING, PROSE] * (len(side) // 2) for side in texts]
    return ParallelText(texts[0], texts[1], (opens[0], opens[1]), (kinds[0], kinds[1]), fold=1000)


def shuffled(entries: list[Entry], seed: int = 5) -> list[Entry]:
    return random.Random(seed).sample(entries, len(entries))


def joined(beads: list[Bead]) -> dict[tuple[int, int], tuple[int, int]]:
    """Target of every source of a bead that is more likely right than wrong."""
    return {b.src: b.tgt for b in beads if b.src[0] < b.src[1] and b.tgt[0] < b.tgt[1] and b.score >= FLOOR}


def test_entries_in_another_order_are_joined_with_their_terms() -> None:
    src = made_entries(3)
    tgt = shuffled(src)
    found = joined(align_with(site_model(), glossary(src, tgt)))
    places = [tgt.index(entry) for entry in src]
    right = {(n, n + 1): (2 * places[n // 2] + n % 2, 2 * places[n // 2] + n % 2 + 1) for n in range(2 * ENTRIES)}
    correct = [span for span, other in found.items() if right.get(span) == other]
    # In order, a path joins some ten entries at most.
    assert len(correct) >= 0.9 * 2 * ENTRIES
    assert len(correct) >= 0.98 * len(found)


def test_every_sentence_is_in_one_bead_and_the_source_keeps_its_order() -> None:
    src = made_entries(4)
    pair = glossary(src, [*shuffled(src)[:-3], *made_entries(9)[:2]])
    beads = align_with(site_model(), pair)
    assert [n for bead in beads for n in range(*bead.src)] == list(range(len(pair.src)))
    assert sorted(n for bead in beads for n in range(*bead.tgt)) == list(range(len(pair.tgt)))
    assert all(0 <= bead.score <= 1 for bead in beads)


def test_a_term_with_strange_words_goes_with_its_definition() -> None:
    """A title is a shorter block of one sentence just above, not a longer one."""
    src = made_entries(6)
    tgt = shuffled(src)
    pair, row, column = glossary(src, tgt), 2 * 7, 2 * tgt.index(src[7])
    assert isinstance(pair.src, list)
    assert isinstance(pair.tgt, list)
    pair.src[row], pair.tgt[column] = "klmnop qrstkl", "абвгде жзикаб"
    assert joined(align_with(site_model(), pair))[row, row + 1] == (column, column + 1)
    # Longer than its definition, it may be the text of the entry above.
    pair.src[row], pair.tgt[column] = " ".join(["klmnop", "qrstkl"] * 10), " ".join(["абвгде", "жзикаб"] * 10)
    assert (row, row + 1) not in joined(align_with(site_model(), pair))


def test_other_entries_are_not_joined() -> None:
    src = made_entries(7)
    found = joined(align_with(site_model(), glossary(src, made_entries(8))))
    assert len(found) <= 3


def numbered(pair: ParallelText) -> NumberedText:
    model = site_model()
    return place_text(pair, model.numbers, model.classes, model.folding)


def model_and_words(text: NumberedText) -> tuple[TextModel, TextWords]:
    model = site_model()
    given = TextModel(text_tables(text, model.lexicon), own_ratio(model.rates, text.sides, None))
    return given, text_words(text, given, model.lexicon)


def lone_blocks(src: str, tgt: str, kinds: tuple[int, int]) -> NumberedText:
    return numbered(ParallelText([src], [tgt], ([1], [1]), ([kinds[0]], [kinds[1]]), fold=1000))


def moved_score(text: NumberedText) -> tuple[float, float]:
    """Score of the only block of either side, left alone by the path; and the probability of the two by their words."""
    given, words = model_and_words(text)
    beads = join_moved([Bead((0, 1), (0, 0), 1.0), Bead((1, 1), (0, 1), 1.0)], text, given, words)
    likely = np.exp(bead_support(words, np.array([[0, 1, 0, 1]])).nats[0])
    return (beads[0].score if len(beads) == 1 else 0.0), float(likely / (likely + 1))


def test_a_heading_is_not_joined_to_a_long_text_with_its_words() -> None:
    """The other words of the text are known nowhere, so they say nothing: the lengths do."""
    term, other = (" ".join(words[n] for n in (41, 133, 250)) for words in (SRC, TGT))
    score, by_words = moved_score(lone_blocks(term, other, (HEADING, HEADING)))
    assert score > FLOOR
    score, by_words = moved_score(lone_blocks(term, f"{other} {'абвгде жзикаб ' * 25}", (HEADING, PROSE)))
    assert by_words > 0.9
    assert score == 0.0


def test_the_score_is_that_of_the_two_blocks_at_most() -> None:
    """The only two blocks left: as likely a pair as none, before their words are looked at."""
    score, by_words = moved_score(lone_blocks(f"{SRC[41]} {SRC[7]}", f"{TGT[41]} {TGT[7]}", (PROSE, PROSE)))
    assert FLOOR < score <= by_words < 0.99


def test_a_title_by_hand() -> None:
    """Blocks of 2 and 9 characters, then of two sentences, of 9, of 9, of 3 and, not just above, of 8."""
    texts = ["ab", "abcdefghi", "ab", "ab", "abcdefghi", "abcdefghi", "abc", "abc", "abcdefgh"]
    side = numbered(ParallelText(texts, texts, ([1, 1, 1, 0, 1, 1, 1, 1, 1],) * 2)).src
    blocks = np.array([(0, 1), (1, 2), (2, 4), (4, 5), (5, 6), (6, 7), (8, 9)])
    alone = np.zeros(7, bool)
    assert np.flatnonzero(title_mask(side, blocks, alone)).tolist() == [1]
    near = np.array([(6, 7), (8, 9)]), np.array([(7, 8), (8, 9)])
    assert [title_mask(side, each, alone[:2]).tolist() for each in near] == [[False, False], [False, True]]
    # A block with a partner of its own is no title.
    assert not title_mask(side, blocks, np.array([True, *alone[1:]])).any()


def test_a_text_without_blocks_keeps_its_order() -> None:
    src = made_entries(3)
    pair = replace(glossary(src, shuffled(src)), opens=((), ()), kinds=((), ()))
    beads = align_with(site_model(), pair)
    assert [n for bead in beads for n in range(*bead.tgt)] == list(range(len(pair.tgt)))


def test_nothing_is_moved_where_all_is_joined() -> None:
    src = made_entries(3)
    text = numbered(glossary(src, src))
    beads = [Bead((n, n + 1), (n, n + 1), FLOOR) for n in range(2 * ENTRIES)]
    assert join_moved(beads, text, None, None) == beads  # type: ignore[arg-type]


def test_a_part_of_a_text_has_the_units_and_folds_of_the_whole() -> None:
    src = made_entries(3)
    text = numbered(glossary(src, src))
    part = text.part((5, 9), (20, 21))
    assert part.folds.tolist() == text.folds[5:9].tolist()
    assert (len(part.src), len(part.tgt)) == (4, 1)
    for own, whole, first in ((part.src, text.src, 5), (part.tgt, text.tgt, 20)):
        for n in range(len(own)):
            units = own.units[own.offsets[n] : own.offsets[n + 1]]
            assert units.tolist() == whole.units[whole.offsets[first + n] : whole.offsets[first + n + 1]].tolist()
            assert own.lengths[n] == whole.lengths[first + n]
            assert own.kinds[n] == whole.kinds[first + n]


def test_what_words_say_does_not_depend_on_the_order_of_beads() -> None:
    src = made_entries(3)
    _, words = model_and_words(numbered(glossary(src, shuffled(src))))
    spans = np.array([(i, i + 1, j, j + 1) for i in range(12) for j in range(12)], np.int64)
    order = np.array(random.Random(2).sample(range(len(spans)), len(spans)))
    straight, mixed = bead_support(words, spans), bead_support(words, np.ascontiguousarray(spans[order]))
    assert np.array_equal(straight.nats[order], mixed.nats)
    assert np.array_equal(straight.has_known[order], mixed.has_known)
    assert len(set(straight.nats.tolist())) > 50


def test_pages_and_blanks_of_moved_segments() -> None:
    """The second sentence of the target, on its second page, stands first; its blank is a no-break one."""
    pair = ParallelText(["a b", "c"], ["C", "A B"], ([1, 1], [1, 1]), ([0, 0], [0, 0]))
    beads = [Bead((0, 1), (1, 2), 0.9), Bead((1, 2), (0, 1), 0.8)]
    segments = [bead_segment(pair.src, pair.tgt, pair.kinds, bead) for bead in beads]
    assert [segment.starts for segment in segments] == [(0, 1), (1, 0)]
    row = {"src_lang": "en", "tgt_lang": "fr", "src_url": "s", "tgt_url": "t", "src_fetched": "", "tgt_fetched": ""}
    pages = {"src_pages": [1, 1], "tgt_pages": [4, 5], "src_no_breaks": [], "tgt_no_breaks": [2]}
    table = segments_table([(row | pages, segments)])
    assert table["tgt_page"].to_pylist() == [5, 4]
    assert table["tgt_blanks"].to_pylist() == ["\u00a0", None]
    assert table["tgt_start"].to_pylist() == [1, 0]
    assert segments_table([(row | pages, segments[:1])])["tgt_start"].to_pylist() == [None]


@pytest.mark.parametrize("seed", [21, 22])
def test_segments_of_a_moved_glossary_are_scored(seed: int) -> None:
    src = made_entries(seed)
    found: list[AlignedSegment] = page_segments(glossary(src, shuffled(src, seed)), site_model())
    both = [segment for segment in found if segment.src and segment.tgt]
    assert np.mean([segment.score for segment in both]) > 0.8
