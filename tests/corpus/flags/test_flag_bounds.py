"""Both sides of every threshold of the flags, worked by hand."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diglot.corpus.flags import EXCLUDED, FLAGS, LASTING, MIN_SCORE, VOUCHED
from diglot.corpus.flags.across import candidates, verdicts, with_cells, with_verdicts
from diglot.corpus.flags.codes import encode, segment_sites, stack
from diglot.corpus.flags.context import Cleaning, PageFacts
from diglot.corpus.flags.flagging import flag_segments
from diglot.corpus.flags.keeping import carries, clean, count_left_out, in_turn, kept_mask
from diglot.corpus.flags.lengths import Lengths, has_words, is_odd_length, is_too_short, lengths_of
from diglot.corpus.flags.numbers import numbers_agree
from diglot.corpus.flags.personal import as_mode, has_personal_data, mask_personal_data
from diglot.corpus.flags.repeats import (
    Rivals,
    best_rows,
    best_translations,
    is_boilerplate,
    is_label,
    near_text_keys,
    supports,
)
from diglot.corpus.flags.variants import variant_of
from diglot.errors import UsageError
from diglot.records import FLAGGED_SCHEMA, SEGMENT_SCHEMA
from made_segments import made_segment


def segment(src: str, tgt: str, **other: Any) -> dict[str, Any]:
    return made_segment(src, tgt, **{"score": 0.5, "src_url": "s", "tgt_url": "t", **other})


def table(*rows: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=SEGMENT_SCHEMA)


def flags(*rows: dict[str, Any], pages: PageFacts | None = None, **options: Any) -> list[list[str]]:
    found: list[list[str]] = flag_segments(table(*rows), Cleaning(**options), pages)["flags"].to_pylist()
    return found


# The choice of what stays.


@pytest.mark.parametrize("flag", sorted(flag.name for flag in FLAGS))
def test_a_person_answers_for_a_segment_but_not_for_what_lasts(flag: str) -> None:
    lasting = {"boilerplate", "duplicate", "near_duplicate", "series"}
    lasting |= {"judged_wrong", "offensive", "personal_data", "unaligned"}
    assert set(LASTING) == lasting
    rows = table(*(segment("a", "b", flags=sorted({flag, *by})) for by in ((), ("corrected",), ("judged_right",))))
    answered = flag not in lasting
    plain = flag in ("corrected", "judged_right")
    assert kept_mask(rows, {flag}).tolist() == [plain, answered, answered]
    assert kept_mask(rows, set()).tolist() == [True] * 3


def test_the_least_score_is_kept_and_a_person_answers_for_less() -> None:
    scores = [0.5, np.nextafter(np.float32(0.5), np.float32(0)), 0.1, 0.1, 0.1]
    marks: list[list[str]] = [[], [], ["corrected"], ["judged_right"], ["judged_partly"]]
    rows = table(*(segment("a", "b", score=score, flags=mark) for score, mark in zip(scores, marks, strict=True)))
    assert MIN_SCORE == 0.5
    assert kept_mask(rows, EXCLUDED, 0.5).tolist() == [True, False, True, True, False]
    assert count_left_out(rows, EXCLUDED, 0.5) == ({}, 2)
    assert set(VOUCHED) == {"corrected", "judged_right"}
    # .9 in single precision is more than .9 in double precision is less than: what reads .9 reaches .9.
    assert kept_mask(table(segment("a", "b", score=0.9)), (), 0.9).tolist() == [True]


def test_what_leaves_a_segment_out_is_counted_under_its_own_flag_before_the_repeats() -> None:
    repeats = ["boilerplate", "duplicate", "near_duplicate", "conflict"]
    assert in_turn({*repeats, "series", "numbers", "identical"}) == ["identical", "numbers", "series", *repeats]
    assert in_turn({"conflict"}) == ["conflict"]
    rows = table(
        segment("a", "b", flags=["conflict", "series"]),
        segment("a", "b", flags=["conflict", "near_duplicate"]),
        segment("a", "b", flags=["judged_right", "numbers"]),
        segment("a", "b", flags=["duplicate", "judged_right"], score=0.0),
    )
    assert count_left_out(rows, EXCLUDED, 0.5) == ({"series": 1, "near_duplicate": 1, "duplicate": 1}, 0)
    assert clean(rows)["flags"].to_pylist() == [["judged_right", "numbers"]]


def test_a_flag_is_found_in_lists_of_any_length_and_in_slices() -> None:
    lists: list[list[str]] = [[], ["numbers"], ["numbers", "zebra"], [], ["numbers", "series"], ["zebra"]]
    rows = table(*(segment("a", "b", flags=each) for each in lists))
    assert carries(rows, "numbers").tolist() == [False, True, True, False, True, False]
    assert carries(rows.slice(2, 3), "numbers").tolist() == [True, False, True]


# Repeats.


def rows_of(scores: list[float], urls: list[tuple[str, str]], positions: list[int]) -> pa.Table:
    each = zip(scores, urls, positions, strict=True)
    return table(*(segment("a", "b", score=s, src_url=u[0], tgt_url=u[1], position=p) for s, u, p in each))


def test_the_best_copy_by_score_source_page_target_page_and_position() -> None:
    rows = rows_of([0.5, 0.9, 0.9, 0.9, 0.9], [("a", "a"), ("b", "a"), ("a", "b"), ("a", "a"), ("a", "a")],
                   [0, 0, 0, 2, 1])  # fmt: skip
    one = np.zeros(5, np.int64)
    assert best_rows(rows, one).tolist() == [4] * 5
    assert best_rows(rows.slice(0, 4), one[:4]).tolist() == [3] * 4
    assert best_rows(rows.slice(0, 3), one[:3]).tolist() == [2] * 3
    assert best_rows(rows, np.array([0, 1, 0, 1, 2])).tolist() == [2, 3, 2, 3, 4]
    doubted = np.array([False, True, True, True, True])
    assert best_rows(rows, one, doubted).tolist() == [0] * 5
    assert best_rows(rows, one, ~doubted).tolist() == [4] * 5
    assert best_rows(rows, one, np.ones(5, bool)).tolist() == [4] * 5


@pytest.mark.parametrize(
    ("pages", "of", "least", "share", "expected"),
    [
        (5, 5, 5, 0.0, False),
        (6, 6, 5, 0.0, True),
        (6, 20, 0, 0.3, False),
        (7, 20, 0, 0.3, True),
        (7, 20, 7, 0.3, False),
    ],
)
def test_boilerplate_is_more_than_both_bounds(pages: int, of: int, least: int, share: float, expected: bool) -> None:
    """A text on some page pairs of a site; another site of fifty page pairs does not count."""
    page_pair = np.concatenate([np.arange(of), np.arange(pages), np.arange(of, of + 50)])
    text_pair = np.concatenate([1 + np.arange(of), np.zeros(pages, int), of + 1 + np.arange(50)])
    peers = np.concatenate([np.zeros(of + pages, int), np.ones(50, int)])
    found = is_boilerplate(text_pair, page_pair, peers, least=least, share=share)
    assert found.tolist() == [False] * of + [expected] * pages + [False] * 50


def test_of_translations_the_sure_then_the_supported_then_the_better_scored() -> None:
    rows = rows_of([0.9, 0.6, 0.6, 0.8], [("a", "a"), ("b", "b"), ("c", "c"), ("d", "d")], [0] * 4)
    one, alone, every = np.zeros(4, np.int64), np.arange(4), np.ones(4, bool)

    def conflicts(
        representative: list[int], usable: Any = every, sure: Any = every, counted: Any = every
    ) -> list[bool]:
        support = supports(np.where(counted, rows["score"].to_numpy(), 0.0), np.array(representative))
        best = best_translations(rows, Rivals(one, support, np.array(usable), np.array(sure)))
        found: list[bool] = (best != alone).tolist()
        return found

    assert conflicts([0, 1, 2, 3]) == [False, True, True, True]
    assert conflicts([0, 1, 1, 3], usable=[True, True, False, True]) == [True, False, False, True]  # .6 + .6 > .9
    assert conflicts([0, 1, 2, 3], usable=[False, True, True, True]) == [False, True, True, False]
    assert conflicts([0, 1, 1, 3], [True, True, False, True], sure=[True, False, False, False]) == [
        *(False, True, False, True)
    ]
    # A copy that is boilerplate adds nothing: .6 against .89.
    assert conflicts([0, 1, 1, 3], [True, True, False, True], counted=[True, True, False, True]) == [
        *(False, True, False, True)
    ]
    support = supports(rows["score"].to_numpy(), alone)
    assert best_translations(rows, Rivals(alone, support, every, every)).tolist() == [0, 1, 2, 3]


def test_of_translations_with_the_same_support_the_better_scored_and_then_the_first() -> None:
    rows = rows_of([0.4, 0.4, 0.8, 0.8], [("a", "a"), ("b", "b"), ("d", "d"), ("c", "c")], [0] * 4)
    one, every = np.zeros(4, np.int64), np.ones(4, bool)
    usable = np.array([True, False, True, True])
    support = supports(rows["score"].to_numpy(), np.array([0, 0, 2, 3]))
    assert support.tolist() == [0.8, 0.0, 0.8, 0.8]
    found = best_translations(rows, Rivals(one, support, usable, every))
    assert found.tolist() == [3, 1, 3, 3]


@pytest.mark.parametrize("mark", list(".!?…。．！？।॥۔؟։።"))
def test_a_text_that_ends_as_a_sentence_is_no_label(mark: str) -> None:
    for end in (mark, f"{mark} »", f"{mark})"):
        ends = table(segment(f"Row 5 ends{end}", "Rang 5"), segment("Row 5", f"Le rang 5{end}"))
        assert is_label(ends).tolist() == [False, False]
    inside = table(segment(f"Row{mark} 5", f"Rang{mark} 5"), segment("Row 5:", "Rang 5,"))
    assert is_label(inside).tolist() == [True, True]


def test_of_labels_only_those_that_nothing_speaks_against_and_that_differ_in_numbers_alone() -> None:
    rows = (
        segment("Table 5", "Tableau 5", score=0.9),
        segment("Table 6", "Tableau 6", score=0.8),
        segment("Table 66", "Tableau 66", score=0.8, tgt_lang="oc"),
        segment("Tables 7", "Tableaux 7", score=0.8),
        segment("Table 8 or 9", "Tableau 8 ou 9", score=0.7),
    )
    assert ["series" in each for each in flags(*rows)] == [False, True, False, False, False]


def test_nearly_the_same_is_letters_and_digits_without_accents_of_some_scripts() -> None:
    keys = near_text_keys(
        ["Ünï-Çödé 5", "unicode5", "unicode 5 !", "ко\u0306т", "кот", "ｕｎｉ5", "गी", "ग", "--", "-"]
    )
    assert keys[0] == keys[1] == keys[2] == "unicode5"
    assert keys[5] == "uni5"
    assert keys[3] == keys[4]
    assert len(set(keys[6:])) == 4


# Texts by themselves.


@pytest.mark.parametrize(
    ("src", "tgt", "found"),
    [
        ("https://a.org/en", "https://a.org/de", True),
        ("www.a.org", "(www.a.de)", True),
        ("ann@a.org, bob@a.org", "anna@a.de", True),
        ("https://a.org/enを参照", "https://a.org/de", True),  # a side has only an address
        ("https://a.org/enを参照", "See https://a.org/de", False),
        ("www a org", "www a de", False),
        ("a @ b.org", "an @ b.org", False),
    ],
)
def test_letters_of_an_address_are_no_letters(src: str, tgt: str, found: bool) -> None:
    assert ["no_letters" in each for each in flags(segment(src, tgt))] == [found]


@pytest.mark.parametrize(
    ("src", "tgt", "found"),
    [
        ("林", "M", True),
        (" P ", "प", True),
        ("P", "कि", True),  # a letter with its mark
        ("A", "C", True),
        ("A", "a", False),  # identical
        ("Ф", "Q", True),
        ("林", "Ma", False),
        ("A", "42", True),  # no letter at all
        ("A1", "C", False),
        ("I:", "J:", False),  # a word list
        ("y", "e", False),
        ("和", "및", False),
    ],
)
def test_a_capital_alone_is_no_word_beside_one_letter(src: str, tgt: str, found: bool) -> None:
    for one, other in ((src, tgt), (tgt, src)):
        assert ["no_letters" in each for each in flags(segment(one, other))] == [found]


@pytest.mark.parametrize(
    ("src", "tgt", "found"),
    [
        ("Founded in , the parish serves", "Fondata nell'anno , la parrocchia serve", True),
        ("Founded in , the parish serves", "Ιδρυμένη το , η ενορία υπηρετεί", True),
        ("Founded in\u00a0, the parish", "منذ عام , الرعية", True),
        ("In , he sang", "En , il chantait", False),  # a name, for all that is known
        ("in , he sang", "en , il chantait", True),
        ("Founded in , the parish serves", "Fondata nell'anno, la parrocchia serve", False),
        ("with Firefox , Opera", "avec Firefox , Opera", False),
        ("as of 30th , May", "le 30e , mai", False),
        ("f(x ,y) is", "f(x ,y) est", False),
        ("Really ? No ; yes !", "Vraiment ? Non ; oui !", False),
        ("Last updated: .", "Zuletzt aktualisiert : .", True),
        ("Last updated:.", "更新：.", True),
        ("Last updated: ...", "Zuletzt aktualisiert: ...", False),
        ("Last updated: .5", "Zuletzt aktualisiert: .5", False),
        ("as it ends .", "wie es endet .", False),
    ],
)
def test_a_hole_is_one_of_both_sides(src: str, tgt: str, found: bool) -> None:
    for one, other in ((src, tgt), (tgt, src)):
        assert ["hole" in each for each in flags(segment(one, other))] == [found]


def test_only_letters_and_digits_make_both_sides_the_same() -> None:
    rows = [segment("A 1!", "a1"), segment("A 1", "A 2"), segment("é", "e"), segment("ß", "SS")]
    assert ["identical" in each for each in flags(*rows)] == [True, False, False, True]


def test_letters_are_asked_of_both_sides() -> None:
    rows = [segment("a 1", "1 b"), segment("1 2", "b 1 2"), segment("a 1 2", "1 2")]
    assert ["no_letters" in each for each in flags(*rows)] == [False, True, True]


def test_a_page_that_a_machine_translated_is_one_of_either_side() -> None:
    rows = [segment("Good day", "Bonjour", src_url="m"), segment("Bye", "Au revoir", tgt_url="m"), segment("x y", "z")]
    found = flags(*rows, pages=PageFacts(machine_translated=frozenset({"m"})))
    assert ["machine_translated" in each for each in found] == [True, True, False]


def test_a_listed_word_is_a_whole_word_of_either_side_in_any_case() -> None:
    rows = [segment("DAMN it", "zut"), segment("zut", "Oh, damn!"), segment("damned", "xdamn"), segment("a.b", "axb")]
    listed = frozenset({"damn", "a.b"})
    assert ["offensive" in each for each in flags(*rows, offensive=listed)] == [True, True, False, True]
    assert not any("offensive" in each for each in flags(*rows))


def test_an_empty_side_is_the_only_flag_and_no_copy() -> None:
    rows = [segment("12", " "), segment("12", "\u00a0"), segment("", "12")]
    found = flag_segments(table(*rows))
    assert found["flags"].to_pylist() == [["unaligned"]] * 3
    assert found["other_src_urls"].to_pylist() == [[]] * 3


def test_a_translation_with_a_flag_of_its_own_beats_none() -> None:
    rows = [segment("Open 5 files", "Ouvrir 6 fichiers", score=0.9), segment("Open 5 files", "Ouvrir 5 fichiers")]
    assert [("conflict" in each, "numbers" in each) for each in flags(*rows)] == [(False, True), (False, False)]


def test_copies_that_are_boilerplate_add_no_support() -> None:
    menu = [segment("Go on", "Continuer", score=0.7, src_url=f"s{n}", tgt_url=f"t{n}") for n in range(7)]
    rows = [*menu, segment("Go on", "Allez-y", score=0.89, src_url="s9", tgt_url="t9")]
    assert ["conflict" in each for each in flags(*rows)] == [True, *[False] * 7]
    few = [*menu[:5], rows[-1]]
    assert ["conflict" in each for each in flags(*few)] == [*[False] * 5, True]


# Lengths.


def lengths(*rows: dict[str, Any]) -> Lengths:
    values, codes = encode(stack(*(table(*rows)[side] for side in ("src", "tgt"))))
    return lengths_of(values, codes.reshape(2, -1))


def usual(count: int, ratio: float = 1.0) -> list[dict[str, Any]]:
    return [segment("a" * size, "é" * round(size * ratio)) for size in range(400, 400 + count)]


@pytest.mark.parametrize(
    ("src", "tgt", "odd"),
    [
        (400, 879, False),  # 2.2 times 400 is 880, and no more than 2.2 is asked of long texts
        (400, 882, True),
        (882, 400, True),
        (879, 400, False),
        (1, 20, True),
        (20, 1, True),
        (1, 19, False),  # neither side reaches 20 characters
        (19, 1, False),
    ],
)
def test_a_length_is_odd_from_a_factor_and_a_length_on(src: int, tgt: int, odd: bool) -> None:
    rows = lengths(*usual(12), segment("b" * src, "é" * tgt))
    found = is_odd_length(rows, np.zeros(13, np.int64), usable=np.ones(13, bool))
    assert found.tolist() == [False] * 12 + [odd]


def test_the_usual_length_is_learnt_from_ten_usable_rows_of_twenty_characters() -> None:
    peers, odd = np.zeros(11, np.int64), segment("b" * 400, "é" * 2000)
    usable = np.array([*[True] * 10, False])
    assert is_odd_length(lengths(*usual(10), odd), peers, usable=usable)[-1]
    assert not is_odd_length(lengths(*usual(9), odd, odd), peers, usable=np.array([*[True] * 9, False, False])).any()
    short = [segment("a" * 19, "é" * 40), segment("a" * 40, "é" * 19)]
    assert not is_odd_length(lengths(*usual(9), *short), peers, usable=np.ones(11, bool)).any()
    enough = [segment("a" * 20, "é" * 20), odd]
    assert is_odd_length(lengths(*usual(9), *enough), peers, usable=usable)[-1]


def test_the_bound_of_short_texts_is_three_deviations_of_gale_and_church() -> None:
    # Mean length m: 3 sqrt(6.8 / m). From 40 to 107 characters m is 73.5: .912, a factor 2.49; 40 to 109 is beyond.
    m = (40 + 100) / 2
    assert 3 * math.sqrt(6.8 / m) == pytest.approx(0.935, abs=0.001)
    rows = lengths(*usual(12), segment("b" * 40, "é" * 98), segment("b" * 40, "é" * 105), segment("c" * 98, "é" * 40))
    found = is_odd_length(rows, np.zeros(15, np.int64), usable=np.array([*[True] * 12, *[False] * 3]))
    assert found[12:].tolist() == [False, True, False]
    # Against a usual factor of 2, 40 characters against 80 are nothing, against 20 they are a factor 4.
    rows = lengths(*usual(12, 2.0), segment("b" * 40, "é" * 80), segment("b" * 40, "é" * 20))
    found = is_odd_length(rows, np.zeros(14, np.int64), usable=np.array([*[True] * 12, False, False]))
    assert found[12:].tolist() == [False, True]


def test_latin_words_are_as_long_in_another_script() -> None:
    # Three characters against one, but for 200 that stand on both sides: 60 and 200 against 20 and 200.
    usual_rows = [segment("a" * size, "日" * (size // 3)) for size in range(300, 336, 3)]
    shared = "c" * 200
    rows = [(60, 20, False), (60, 124, False), (60, 126, True), (1400, 20, True)]
    judged = [segment("b" * src + " " + shared, "日" * tgt + shared) for src, tgt, _ in rows]
    # 200 + 3 * 125 = 575 against 261 is a factor 2.2, the least that is odd.
    usable = np.array([True] * 12 + [False] * 4)
    found = is_odd_length(lengths(*usual_rows, *judged), np.zeros(16, np.int64), usable=usable)
    assert found.tolist() == [False] * 12 + [odd for _, _, odd in rows]


@pytest.mark.parametrize(
    ("src", "tgt", "shared"),
    [
        ("See https://a.org/x for Foo.", "詳細はhttps://a.org/xのFooを参照。", 13),  # https, a, org, x, Foo
        ("Version 2.1 of GNU", "Версия 2.1 GNU", 5),
        ("GNU GNU", "GNU、GNU", 0),  # no letter of another script
        ("GNU GNU is", "GNU、GNUは", 3),  # a word counts once
        ("See the Foo.", "Siehe Foo.", 0),
        ("yes", "はい", 0),
    ],
)
def test_shared_words_are_latin_words_and_numbers_beside_another_script(src: str, tgt: str, shared: int) -> None:
    found = lengths(segment(src, tgt), segment(tgt, src), segment("a", "b"))
    assert found.shared.tolist() == [shared, shared, 0]
    assert (found.src.tolist(), found.tgt.tolist()) == ([len(src), len(tgt), 1], [len(tgt), len(src), 1])


def test_short_is_fewer_than_three_words_on_both_sides() -> None:
    rows = table(
        segment("one two", "un deux"),
        segment("one two three", "un deux"),
        segment("one two", "un deux trois"),
        segment("one two", "四字熟語"),
        segment("one two", "五字熟語だ"),
    )
    assert is_too_short(rows).tolist() == [True, False, False, True, False]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        (" - ", 0),
        ("a-b", 1),
        ("a-b c", 2),
        ("a,b", 2),
        ("a\n1", 2),
        ("漢", 1),
        ("漢字", 1),
        ("漢字の", 2),
        ("GNU の 本", 2),
    ],
)
def test_words_of_a_text(text: str, words: int) -> None:
    found = [bool(has_words(pa.chunked_array([[text, "another text"]]), least)[0]) for least in range(1, 5)]
    assert found == [least <= words for least in range(1, 5)]


@given(st.lists(st.text("aé1'._- ,\n漢の", max_size=12), max_size=4), st.integers(1, 4))
def test_a_search_for_words_finds_what_a_count_finds(texts: list[str], least: int) -> None:
    def count(text: str) -> int:
        letters = sum(text.count(letter) for letter in "漢の")
        return len(re.findall(r"[aé1][aé1'._-]*", re.sub("[漢の]", " ", text))) + -(-letters // 2)

    assert has_words(pa.chunked_array([texts], pa.string()), least).tolist() == [count(text) >= least for text in texts]


# Numbers.


@pytest.mark.parametrize(
    ("src", "tgt", "agree"),
    [
        ("12 men", "men", True),  # two digits may be spelt out
        ("123 men", "men", False),
        ("120 men", "men", True),  # and zeros after them
        ("1200 men", "men", True),
        ("1230 men", "men", True),  # a decade
        ("1231 men", "men", False),
        ("12300 men", "men", False),
        ("15 hundred", "1500", True),  # two zeros lost to a word
        ("15 tens", "150", False),
        ("15 thousand", "15000", True),
        ("in 98", "in 1998", True),
        ("in 98", "in 1997", False),
        ("in 8", "in 1998", False),
        ("98", "11998", False),
        ("the 18th century", "the 1700s", True),
        ("the 19th century", "the 1700s", False),
        ("the 18th century", "the 1701s", False),
        ("at 3 p.m.", "at 15", True),
        ("at 3", "at 15", False),
        ("at 12 pm", "at 24", True),
        ("at 13 pm", "at 25", False),
        ("at 3 pm", "at 16", False),
        ("午後3時", "at 15", True),
        ("copyright 2009, 2011", "© 2009", True),
        ("copyright 2009, 2011", "of 2009", False),
        ("(c) 2009 2111", "© 2009", False),  # no year of these two centuries
        ("(C) 1899", "(c) of", False),
        ("1 and 1", "1", True),
        ("77 and 771", "771 and 78", False),
        ("1.234", "1234", True),
        ("12.34", "1234", True),  # all digits of a decimal number
        ("1.5 million", "1 500 000", True),
        ("XIV", "14", True),
        ("XIV and 345", "14 and 346", False),
        ("IL", "49", True),  # no numeral, but two digits may be spelt out
        ("CXIX", "119", True),
        ("CXX", "119", False),
        ("三百四十五", "345", True),
        ("三百四十五", "346", False),
        ("一億二千万", "120000000", True),
        ("1億2千万", "120000001", False),
        ("1.5万", "15000", True),
        ("3千", "3000", True),
        ("二〇一九", "2019", True),
        ("千二十一", "1021", True),
    ],
)
def test_numbers_on_both_sides_of_what_is_forgiven(src: str, tgt: str, agree: bool) -> None:
    assert numbers_agree(src, tgt) == agree
    assert numbers_agree(tgt, src) == agree


def test_more_than_forty_thousand_pairs_of_numbers_are_not_compared() -> None:
    numbers = [str(n) for n in range(1_001, 1_401, 2)]
    scaled = [f"{n}00" for n in numbers]
    assert len(numbers) == 200
    assert numbers_agree(" x ".join(numbers), " x ".join(scaled))
    assert not numbers_agree(" x ".join(["7", *numbers]), " x ".join(scaled))
    assert numbers_agree(" x ".join(["7", *numbers[1:]]), " x ".join(scaled[1:]))


def test_a_row_of_more_digits_or_numerals_than_a_number_has_is_none() -> None:
    assert numbers_agree("1" * 15 + "万", "1" * 15 + "0000")
    assert not numbers_agree("1" * 16 + "万 345", "1" * 16 + "0001 345")
    longest = "九千九百九十九億九千九百九十九万九千九百九十九"
    assert len(longest) == 23
    assert numbers_agree(longest, "999999999999")
    assert not numbers_agree(f"{longest}一", "9999999999991")


# Personal data.


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("a@b.co", "<email>"),
        ("a@b.c", "a@b.c"),  # no ending of one letter
        ("a.b+c-d@x-y.b.org,", "<email>,"),
        ("a@b.org-x", "a@b.org-x"),
        ("x" * 64 + "@b.org", "<email>"),
        ("+12345678", "+12345678"),  # eight digits
        ("+123456789", "<phone>"),
        ("+123456789012345", "<phone>"),
        ("+1234567890123456", "+1234567890123456"),  # sixteen
        ("(030) 12345", "(030) 12345"),
        ("(030) 123456", "<phone>"),
        ("030 1234 56", "<phone>"),
        ("030 123 45", "030 123 45"),
        ("555 123 4567", "<phone>"),
        ("555 123 45678", "555 123 45678"),
        ("GB82 WEST 1234 5698 7654 32", "<iban>"),
        ("GB83 WEST 1234 5698 7654 32", "GB83 WEST 1234 5698 7654 32"),
        ("NO9386011117947", "<iban>"),  # fifteen characters, the fewest
        ("4111 1111 1111 1111", "<card>"),
        ("4111 1111 1111 1112", "4111 1111 1111 1112"),
        ("4222222222222", "<card>"),  # thirteen digits, the fewest
        ("2222222222222224", "2222222222222224"),  # right by its check digit, of no issuer that begins so
        ("6304 0000 0000 0000 000", "<card>"),  # nineteen, the most
        ("3400-0000-0000-009", "<card>"),
        ("+33\u00a01\u202f42\u00a068 53 09", "<phone>"),  # as a correction has it that a person typed
        ("de\u00a0a@b.co\u202f!", "de\u00a0<email>\u202f!"),
    ],
)
def test_what_is_masked(text: str, masked: str) -> None:
    assert mask_personal_data(text) == masked
    assert mask_personal_data(f"So {text} it is") == f"So {masked} it is"
    assert has_personal_data(text) == (masked != text)


def test_ways_to_treat_personal_data() -> None:
    assert [as_mode(name) for name in ("flag", "mask", "off")] == ["flag", "mask", "off"]
    with pytest.raises(UsageError, match="pii=no: give one of flag, mask, off"):
        as_mode("no")


# Sites and variants.


def test_domains_that_a_pair_of_pages_joins_are_one_site() -> None:
    urls = [("a.org", "a.org"), ("www.a.org", "b.org"), ("c.org", "c.org"), ("b.org", "b.org"), ("d.co.uk", "e.co.uk")]
    rows = table(*(segment("a", "b", src_url=f"http://{s}/", tgt_url=f"http://{t}/") for s, t in urls))
    sites = segment_sites(rows)
    first, joined, other, second, last = sites.of_row.tolist()
    assert first == joined == second
    assert len({first, other, last}) == 3
    pages = pa.chunked_array([["http://x.b.org/", "http://z.org/", "http://e.co.uk/1", "http://c.org/"]])
    assert sites.of_urls(pages).tolist() == [first, -1, last, other]
    one = segment_sites(rows, one_site=True)
    assert one.of_row.tolist() == [0] * 5
    assert one.of_urls(pages).tolist() == [0] * 4


@pytest.mark.parametrize(
    ("text", "lang", "declared", "variant"),
    [
        ("Овојепривет", "sr", "", "sr-Cyrl"),  # eleven letters
        ("Овојеприве", "sr", "", "sr-Cyrl"),
        ("Овојеприв", "sr", "", ""),  # nine
        ("Овојеприв a", "sr", "", "sr-Cyrl"),  # nine of ten
        ("Овојепри ab", "sr", "", ""),
        ("Ovojeprivet", "sr", "", "sr-Latn"),
        ("這", "zh", "", ""),
        ("這個", "zh", "", "zh-Hant"),
        ("这个", "zh", "", "zh-Hans"),
        ("這個這個這個這個這 个", "zh", "", "zh-Hant"),  # nine of ten
        ("這個這個這個這個 个", "zh", "", ""),
        ("這個", "zh", "zh-TW", "zh-Hant"),  # no region of Chinese is believed
        ("這個", "zh-Hans", "", "zh-Hans"),
        ("Sim", "pt", "pt-BR", "pt-BR"),
        ("Sim", "pt", "es-BR", ""),
        ("Sim", "pt-PT", "pt-BR", "pt-PT"),
        ("Sim", "pt", "pt_BR", "pt-BR"),
        ("Sim", "pt", "no tag", ""),
    ],
)
def test_variants_on_both_sides_of_what_shows_them(text: str, lang: str, declared: str, variant: str) -> None:
    assert variant_of(text, lang, declared) == variant


# Across sites.


def flagged(*rows: dict[str, Any]) -> pa.Table:
    fixed = {"other_src_urls": [], "other_tgt_urls": [], "src_variant": "", "tgt_variant": ""}
    return pa.Table.from_pylist([fixed | row for row in rows], schema=FLAGGED_SCHEMA)


def test_of_several_sites_the_best_copy_is_kept_and_takes_all_addresses() -> None:
    rows = [
        segment("Yes", "Oui", score=0.6, src_url="a1", tgt_url="a2", other_src_urls=["a3"], other_tgt_urls=["a4"]),
        segment("Yes", "Oui", score=0.9, src_url="b1", tgt_url="b2"),
        segment("yes!", "oui", score=0.8, src_url="c1", tgt_url="c2"),
        segment("Yes", "Oui", score=1.0, src_url="d1", tgt_url="d2", flags=["numbers"]),
        segment("No", "Non", score=0.8, src_url="e1", tgt_url="e2"),
        segment("Yes", "Oui", score=0.7, src_url="f1", tgt_url="f2", tgt_lang="oc"),
    ]
    whole = flagged(*rows)
    found = candidates(whole, part=3)
    assert found["row"].to_pylist() == [0, 1, 2, 4, 5]
    assert set(found["part"].to_pylist()) == {3}
    decided = verdicts(found)
    assert decided.to_pylist() == [
        {"part": 3, "row": 0, "flag": "duplicate", "other_src_urls": [], "other_tgt_urls": []},
        {"part": 3, "row": 1, "flag": "", "other_src_urls": ["a1", "a3", "c1"], "other_tgt_urls": ["a2", "a4", "c2"]},
        {"part": 3, "row": 2, "flag": "near_duplicate", "other_src_urls": [], "other_tgt_urls": []},
    ]
    after = with_verdicts(whole, decided)
    assert after["flags"].to_pylist() == [["duplicate"], [], ["near_duplicate"], ["numbers"], [], []]
    assert after["other_src_urls"].to_pylist()[1] == ["a1", "a3", "c1"]
    assert after.drop(["flags", "other_src_urls", "other_tgt_urls"]).equals(
        whole.drop(["flags", "other_src_urls", "other_tgt_urls"])
    )
    assert verdicts(candidates(flagged(rows[0], rows[4]), 0)).num_rows == 0
    assert with_verdicts(whole, decided.slice(0, 0)) is whole


def test_cells_are_changed_in_some_rows_of_some_columns() -> None:
    rows = flagged(segment("a", "b"), segment("c", "d"), segment("e", "f"))
    changed = with_cells(rows, np.array([2, 0]), {"src": pa.array(["E", "A"])})
    assert changed["src"].to_pylist() == ["A", "c", "E"]
    assert changed["tgt"].to_pylist() == ["b", "d", "f"]
    assert changed.schema == rows.schema
