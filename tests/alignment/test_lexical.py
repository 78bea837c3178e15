"""The lexical aligner on made texts whose words translate one by one, and its parts by hand."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diglot.alignment.bands import band_around
from diglot.alignment.beads import Bead
from diglot.alignment.lexical import align_texts, lattice, learn
from diglot.alignment.lexical.bead_scores import STRAY, TextModel, places, text_scores
from diglot.alignment.lexical.bead_scores_kernels import IMPOSSIBLE
from diglot.alignment.lexical.lattice import BLOCK_SENTENCES, WIDE, block_path, coarse_centre, length_centre
from diglot.alignment.lexical.lexicon import _training, empty_tables, text_tables
from diglot.alignment.lexical.rates import (
    TYPE_SRC,
    TYPE_TGT,
    LikelyBeads,
    block_rates,
    first_rates,
    first_types,
    next_rates,
)
from diglot.alignment.lexical.support import MAX_UNSUPPORTED
from diglot.alignment.lexical.tokens import UnitClass, roman, same_units, token_units
from diglot.alignment.lexical.units import (
    NumberedSide,
    NumberedText,
    ParallelText,
    Vocabulary,
    fold_length,
    number_texts,
    place_text,
    sentence_keys,
)
from diglot.alignment.site_model import align_with, learn_model, model_columns, model_of, model_without_texts
from diglot.arrays import Singles

WORDS = [first + second for first in ("bal", "kor", "min", "tes", "vur") for second in ("adan", "ipo", "unel", "esk")]
FOREIGN = [
    first + second for first in ("zho", "xig", "quy", "jaf", "wex") for second in ("obra", "ithe", "umma", "yll")
]


def made(count: int, seed: int = 0) -> tuple[list[str], list[str]]:
    """Sentences of invented words, and each of them in other invented words."""
    draw = random.Random(seed)
    rows = [[draw.randrange(len(WORDS)) for _ in range(draw.randint(3, 9))] for _ in range(count)]
    return [" ".join(WORDS[w] for w in row) + "." for row in rows], [
        " ".join(FOREIGN[w] for w in row) + "." for row in rows
    ]


def spans(beads: list[Bead]) -> set[tuple[tuple[int, int], tuple[int, int]]]:
    return {(bead.src, bead.tgt) for bead in beads}


def test_words_are_learnt_where_lengths_mislead() -> None:
    src, tgt = made(160)
    del tgt[100:110]
    (beads,) = align_texts([ParallelText(src, tgt)])
    wanted = {((n, n + 1), (n, n + 1)) for n in range(100)} | {((n, n + 1), (n - 10, n - 9)) for n in range(110, 160)}
    assert len(wanted & spans(beads)) >= 147
    assert sum(bead.kind == "1-0" for bead in beads) >= 8


def test_joined_sentences_make_one_bead() -> None:
    src, tgt = made(160, 1)
    joined = [*tgt[:80], f"{tgt[80]} {tgt[81]}", *tgt[82:]]
    (beads,) = align_texts([ParallelText(src, joined)])
    assert ((80, 82), (80, 81)) in spans(beads)


def test_no_bead_holds_two_equal_blocks_of_a_side() -> None:
    text = ParallelText(
        ["Ba a.", "Cu.", "Cu.", "Cu.", "Do.", "⤢", "⤢"], ["Xa b.", "Yu.", "Yu."], ([1, 1, 1, 0, 1, 1, 1], [1, 1, 0])
    )
    numbered = number_texts([text]).texts[0]
    model = TextModel(text_tables(numbered, empty_tables(np.zeros(9), np.zeros(9))), first_rates([numbered.sides]))
    band = band_around(length_centre(numbered, WIDE), 3, WIDE)
    scores = text_scores(numbered, model, band)
    types = list(zip(TYPE_SRC.tolist(), TYPE_TGT.tolist(), strict=True))

    def is_possible(row: int, column: int, size: tuple[int, int]) -> bool:
        (place,) = places(band, np.array([row]), np.array([column]), types.index(size))
        return bool(scores[place] > IMPOSSIBLE / 2)

    assert is_possible(0, 0, (2, 1))
    assert not is_possible(1, 0, (2, 1))
    assert not is_possible(0, 0, (3, 1))
    assert not is_possible(1, 1, (2, 2))
    assert all(is_possible(row, 0, (1, size)) for row in range(4) for size in (1, 2, 3))
    # A line of symbols is joined to no text, and stands beside one.
    assert not is_possible(4, 0, (2, 1))
    assert not is_possible(5, 1, (2, 2))
    assert is_possible(5, 0, (1, 2))
    # The last sentences of both sides repeat theirs within a block: an author does so.
    assert is_possible(2, 0, (2, 1))
    assert is_possible(0, 1, (1, 2))


def test_a_wrong_neighbour_is_less_probable_than_a_right_one() -> None:
    src, tgt = made(160, 2)
    swapped = [*tgt[:40], tgt[120], *tgt[41:]]
    (beads,) = align_texts([ParallelText(src, swapped)])
    score = {bead.src[0]: bead.score for bead in beads if bead.kind == "1-1"}
    assert score.get(40, 0.0) < np.median(list(score.values()))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text("ab 1.中", max_size=8), max_size=12), st.lists(st.text("ab 1.中", max_size=8), max_size=12))
def test_beads_cover_any_two_texts(src: list[str], tgt: list[str]) -> None:
    (beads,) = align_texts([ParallelText(src, tgt)])
    assert [n for bead in beads for n in range(*bead.src)] == list(range(len(src)))
    assert [n for bead in beads for n in range(*bead.tgt)] == list(range(len(tgt)))
    assert all(0 <= bead.score <= 1 for bead in beads)


def test_a_model_survives_its_table_and_aligns_other_pages() -> None:
    src, tgt = made(300, 3)
    model = learn_model([ParallelText(src[n : n + 30], tgt[n : n + 30], fold=n) for n in range(0, 300, 30)])
    again = model_of(pa.table(model_columns(model)))
    other = ParallelText(*made(40, 9))
    beads = align_with(again, other)
    assert beads == align_with(model, other)
    assert spans(beads) == {((n, n + 1), (n, n + 1)) for n in range(40)}


def test_without_a_model_numbers_and_names_hold_pages_together() -> None:
    src = [f"Chapter {n} of the book by Marlowe." for n in range(8)]
    tgt = [f"Kapitel {n} des Buches von Marlowe." for n in range(1, 8)]
    bitext = ParallelText(src, tgt)
    found = spans(align_with(model_without_texts(bitext), bitext))
    assert len(found & {((n, n + 1), (n - 1, n)) for n in range(1, 8)}) >= 6


@pytest.mark.parametrize(
    ("token", "kind", "units"),
    [
        ("Häuser", UnitClass.NAME, ("haus",)),
        ("1’000’000", UnitClass.NUMBER, ("1000000",)),
        ("٤٢", UnitClass.NUMBER, ("42",)),
        ("中", UnitClass.CHARACTER, ("中",)),
        ("ไทยงาม", UnitClass.CHARACTER, ("ไทย", "ทยง", "ยงา", "งาม")),
        ("?", UnitClass.PUNCTUATION, ("P?",)),
    ],
)
def test_units_of_a_token(token: str, kind: UnitClass, units: tuple[str, ...]) -> None:
    assert token_units(token) == (kind, units)


def test_a_sentence_is_a_set_of_units() -> None:
    words = Vocabulary()
    side = words.side(["Der Hund, der Hund？", ""])
    assert list(words.numbers) == ["der", "hund", "P,", "P?"]
    assert side.offsets.tolist() == [0, 4, 4]
    assert side.lengths.tolist() == [16, 0]


def test_units_alike_in_another_script() -> None:
    assert list(map(roman, ["иван", "дом", "мы"])) == ["ivan", "dom", "мы"]
    assert same_units({"дом": 0, "мы": 1}, {"my": 0, "dom": 1}).tolist() == [1, -1]
    assert same_units({"иван": 0, "дом": 1, "1945": 2}, {"1945": 0, "ivan": 1}).tolist() == [1, -1, 0]


def test_blocks_say_nothing_in_a_text_without_blocks() -> None:
    words = Vocabulary()
    side = words.side(["One.", "Two."])
    rates = block_rates([(side, side)], None)
    assert not rates.opening.any()
    assert not rates.steps.any()


@pytest.mark.parametrize(
    ("src", "tgt", "kinds"),
    [
        ([], [], []),
        (["One."], [], ["1-0"]),
        ([], ["Un.", "Deux."], ["0-1", "0-1"]),
        (["One sentence here."], ["Une phrase ici."], ["1-1"]),
        (["", ""], ["", ""], ["1-1", "1-1"]),
        (["***", "— — —"], ["***", "— — —"], ["1-1", "1-1"]),
        (["12", "***"], ["2024", "Words at last, and more of them."], None),
    ],
)
def test_sides_with_next_to_nothing(src: list[str], tgt: list[str], kinds: list[str] | None) -> None:
    for beads in (
        align_texts([ParallelText(src, tgt)])[0],
        align_with(learn_model([ParallelText(src, tgt)] * 2), ParallelText(src, tgt)),
    ):
        assert [n for bead in beads for n in range(*bead.src)] == list(range(len(src)))
        assert [n for bead in beads for n in range(*bead.tgt)] == list(range(len(tgt)))
        if kinds is not None:
            assert [bead.kind for bead in beads] == kinds


@pytest.mark.parametrize("side", [0, 1])
def test_a_third_of_a_side_left_out_is_leapt_over(side: int) -> None:
    texts = made(450, 5)
    del texts[side][150:300]
    (beads,) = align_texts([ParallelText(*texts)])
    ahead = [(n, n) for n in range(150)] + [(n, n + 150)[:: 1 - 2 * side] for n in range(150, 300)]
    wanted = {((i, i + 1), (j, j + 1)) for i, j in ahead}
    assert len(wanted & spans(beads)) >= 285


def test_the_way_through_blocks_needs_no_path() -> None:
    src, tgt = made(400, 6)
    model, text = learnt_model(src, tgt)
    centre = coarse_centre(text, model)
    assert centre is not None
    assert np.abs(centre - np.arange(401)).max() <= BLOCK_SENTENCES
    short = made(40, 6)
    model, text = learnt_model(*short)
    assert coarse_centre(text, model) is None


@pytest.mark.parametrize(("rows", "columns", "known"), [(120, 120, True), (120, 119, False), (119, 120, False)])
def test_a_way_through_blocks_is_for_texts_of_120_sentences_a_side(rows: int, columns: int, known: bool) -> None:
    src, tgt = made(120, 7)
    model, text = learnt_model(src[:rows], tgt[:columns])
    assert (coarse_centre(text, model) is not None) == known


def learnt_model(src: list[str], tgt: list[str]) -> tuple[TextModel, NumberedText]:
    pool = number_texts([ParallelText(src, tgt)])
    learnt = learn(pool, passes=3)
    return TextModel(text_tables(pool.texts[0], learnt.lexicon), learnt.rates), pool.texts[0]


def test_the_worst_lengths_count_as_the_98th_percentile() -> None:
    count = 100
    sides = [np.full(count, 50.0), np.r_[np.full(count - 1, 50.0), 5_000.0]]
    zeros = np.zeros(count, np.int64)
    src, tgt = (NumberedSide(np.zeros(count + 1, np.int64), zeros[:0], each, zeros, zeros) for each in sides)
    one_to_one = np.stack([np.arange(count), np.arange(count), zeros], axis=1)
    likely = LikelyBeads(one_to_one, np.ones(count), first_types() * count)
    rates = replace(first_rates([(src, tgt)]), ratio=1.0)
    assert next_rates(rates, [(src, tgt)], [likely]).variance < 50


def test_units_alike_translate_each_other_where_the_lexicon_lacks_one_of_them() -> None:
    src, tgt = made(60)
    model = learn_model([ParallelText(src, tgt)])
    known = WORDS[0]
    text = place_text(ParallelText([known], [known]), model.numbers, model.classes)
    assert text.numbers[0][text.same >= 0].min() >= 0 > text.numbers[1].max()
    (offsets, ids, _), (back_offsets, back_ids, _) = text_tables(text, model.lexicon)
    assert ids[offsets[0] :].tolist() == back_ids[back_offsets[0] :].tolist() == [0]


def test_a_pair_of_blocks_is_worth_a_step_from_two_deviations_on(monkeypatch: pytest.MonkeyPatch) -> None:
    model, text = learnt_model(*made(200, 6))
    gains: list[Singles] = []
    monkeypatch.setattr(lattice, "block_path", lambda given: gains.append(given) or block_path(given))
    assert coarse_centre(text, model) is not None
    assert float(gains[0].mean()) == pytest.approx(-2.0, abs=1e-3)


def test_short_texts_have_short_folds() -> None:
    assert [fold_length(sentences) for sentences in (1, 36, 80, 200, 320, 10_000)] == [4, 4, 4, 10, 16, 16]
    (short,) = number_texts([ParallelText(list(map(str, range(36))), ["b"])]).texts
    assert short.folds.tolist()[:21] == [*[0] * 4, *[1] * 4, *[2] * 4, *[3] * 4, *[4] * 4, 0]


def test_a_sentence_of_many_pages_is_in_the_same_fold_everywhere() -> None:
    menu, src = ["Products", "About us", "News"], [f"Sentence {number}" for number in range(40)]
    pages = [ParallelText([*menu, *src[:16]], ["b"], fold=0), ParallelText([*src[16:40], *menu], ["b"], fold=1)]
    numbered = number_texts(pages)
    first, second = (text.folds for text in numbered.texts)
    assert first[:3].tolist() == second[-3:].tolist()
    # The others have stretches of four, from the fold of their text on.
    assert first[3:12].tolist() == [0, *[1] * 4, *[2] * 4]
    assert second[:8].tolist() == [*[1] * 4, *[2] * 4]
    # Another page of the site, that the lexicon was not learnt from.
    other = ParallelText([*src[20:22], "New", *menu], ["b"], fold=2)
    folds = place_text(other, numbered.numbers, numbered.classes, numbered.folding).folds
    assert folds.tolist() == [2, 2, 2, *first[:3].tolist()]


def test_the_same_two_texts_teach_once() -> None:
    """A menu entry on three pages, beside another text on the last; and one sentence of a page alone."""
    pages = [(["Menu"], ["Menü"]), (["Menu", "One two."], ["Menü", "Eins zwei."]), (["Menu"], ["Karte"])]
    texts = number_texts([ParallelText(*page, fold=number) for number, page in enumerate(pages)]).texts
    one_to_one = int(np.flatnonzero((TYPE_SRC == 1) & (TYPE_TGT == 1))[0])
    likely = [
        LikelyBeads(
            np.array([[n, n, one_to_one] for n in range(len(text.src))]), np.full(len(text.src), 0.8), np.ones(1)
        )
        for text in texts
    ]
    assert _training(texts, likely).weights.tolist() == pytest.approx([0.4, 0.4, 0.8, 0.8])


def test_half_a_character_has_a_key_too() -> None:
    assert len(set(sentence_keys(["a \ud800", "a \ud801", "a"]).tolist())) == 3


def test_a_menu_in_another_order_does_not_confirm_itself() -> None:
    src, tgt = made(600)
    menus = ["katalo", "merkat", "novast", "pressi", "sumare"], ["vendor", "zeitun", "kontak", "firman", "hilfen"]
    pairs = [
        ParallelText([*menus[0], *src[30 * n : 30 * n + 30]], [*menus[1], *tgt[30 * n : 30 * n + 30]], fold=n)
        for n in range(20)
    ]
    model = learn_model(pairs)
    scores = [bead.score for bead in align_with(model, pairs[0])[:5]]
    assert max(scores) <= MAX_UNSUPPORTED


def test_threads_change_nothing_of_what_is_learnt() -> None:
    src, tgt = made(300)
    pairs = [ParallelText(src[n : n + 30], tgt[n : n + 30], fold=n) for n in range(0, 300, 30)]
    alone, shared = (model_columns(learn_model(pairs, threads=threads)) for threads in (1, 3))
    assert {name: column.to_pylist() for name, column in shared.items()} == {
        name: column.to_pylist() for name, column in alone.items()
    }


def test_a_model_keeps_its_folding() -> None:
    src, tgt = made(200)
    model = learn_model([ParallelText(src[:100], tgt[:100]), ParallelText([*src[100:], src[0]], tgt[100:], fold=1)])
    stored = model_of(pa.table(model_columns(model))).folding
    assert stored.sentences == model.folding.sentences == 10
    assert stored.frequent.tolist() == model.folding.frequent.tolist() == sentence_keys(src[:1]).tolist()


@pytest.mark.parametrize(
    ("texts", "of", "frequent"), [(1, 1, 0), (1, 3, 0), (2, 3, 1), (2, 6, 1), (3, 10, 0), (4, 10, 1)]
)
def test_frequent_sentences_stand_in_two_texts_and_in_more_than_three_tenths(
    texts: int, of: int, frequent: int
) -> None:
    sides = [(["Menu", "Menu"] if n < texts else [f"Text {n}"], [f"Texte {n}"]) for n in range(of)]
    assert len(number_texts([ParallelText(src, tgt) for src, tgt in sides]).folding.frequent) == frequent
    assert len(number_texts([ParallelText(tgt, src) for src, tgt in sides]).folding.frequent) == frequent


def test_a_text_knows_the_sentences_of_its_frame_also_where_it_is_placed_or_cut() -> None:
    """Of three texts two have the menu, and all have the footer on the target side."""
    pairs = [ParallelText(["Menu", f"Text {n}"][n == 2 :], [f"Texte {n}", "Pied de page"]) for n in range(3)]
    learnt = number_texts(pairs)
    placed = place_text(pairs[0], learnt.numbers, learnt.classes, learnt.folding)
    for text in (learnt.texts[0], placed):
        assert [mask.tolist() for mask in text.framed] == [[True, False], [False, True]]
        assert [mask.tolist() for mask in text.part((1, 2), (1, 2)).framed] == [[False], [True]]
    assert learnt.texts[2].framed[0].tolist() == [False]


def test_links_tell_sentences_that_nothing_else_does() -> None:
    src, tgt = ["aaa bbb", "ccc ddd", "eee fff", "ggg hhh"], ["xxx yyy", "zzz vvv", "www uuu"]
    keys = ["p", "q", "r", "s"]
    wanted = {((2, 3), (1, 2)), ((3, 4), (2, 3))}
    (beads,) = align_texts([ParallelText(src, tgt, links=(keys, ["p", "r", "s"]))])
    assert wanted <= spans(beads)
    (beads,) = align_texts([ParallelText(src, tgt, links=(keys, ["p", "q", "r"]))])
    assert not wanted & spans(beads)


def test_repeated_lines_of_symbols_hold_nothing_together() -> None:
    every = [1] * 36
    model = learn_model([ParallelText(*made(36, seed), (every, every), fold=seed) for seed in range(10, 20)])
    src, tgt = made(30, 4)
    # The same icons stand before some sentences on one side, and behind them on the other.
    icons = ["⤢", "***", "⤢", "***", "⤢", "⤢"]
    pair = ParallelText([*src[:9], *icons, *src[9:]], [*tgt[:14], *icons, *tgt[14:]], (every, every))
    assert {((n + 6, n + 7), (n, n + 1)) for n in range(9, 14)} <= spans(align_with(model, pair))


def test_lines_of_symbols_speak_once_and_letters_and_digits_always() -> None:
    lines = ["⤢ !", "→", "⤢ !", "⤢ a", "⤢ a", "7.", "7.", ""]
    side = number_texts([ParallelText(lines, ["x"])]).texts[0].src
    assert np.diff(side.offsets).tolist() == [0, 1, 0, 2, 2, 2, 2, 0]
    assert side.lengths.tolist() == [0, 1, 0, 2, 2, 2, 2, 0]


def test_a_line_without_length_fits_no_text() -> None:
    # A line of symbols beside another one says nothing by its length, beside a text that the lengths are far apart.
    text = ParallelText(["⤢", "⤢", "Ba a."], ["→", "→", "Xa b."])
    numbered = number_texts([text]).texts[0]
    model = TextModel(text_tables(numbered, empty_tables(np.zeros(9), np.zeros(9))), first_rates([numbered.sides]))
    band = band_around(length_centre(numbered, WIDE), 3, WIDE)
    scores = text_scores(numbered, model, band)
    kind = list(zip(TYPE_SRC.tolist(), TYPE_TGT.tolist(), strict=True)).index((1, 1))
    both, one = (float(scores[places(band, np.array([0]), np.array([column]), kind)][0]) for column in (0, 2))
    prior = float(np.log(model.rates.types[kind]))
    assert both == pytest.approx(prior, abs=1e-5)
    assert one == pytest.approx(prior + np.log(STRAY), abs=0.01)
