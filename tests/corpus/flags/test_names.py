"""Names that differ, in a made-up site where it is known which words are kept and which translated."""

import math
import random

import numpy as np
import pytest

from diglot.corpus.flags.names import (
    LEAST_ROWS,
    LEAST_SUSPICION,
    ONE_SIDED,
    PLACE_APART,
    RARE,
    SAME_NEIGHBOUR,
    are_like,
    chances_to_lack,
    differing_names,
    is_latin,
    log_likelihood_ratio,
    place_fit,
    read_words,
    suspicion,
    translates,
    unmatched_names,
)

ENDINGS = ("son", "berg", "ski", "etti")


def made_name(number: int) -> str:
    """A name like no other: its first four letters are its own."""
    letters = "bdfgklmnprst"
    return (
        f"{letters[number % 12].upper()}{'aeiou'[number % 5]}{letters[number // 12 % 12]}{'aeiou'[number // 144 % 5]}"
        + (ENDINGS[number % 4])
    )


def site(rows: int) -> tuple[list[str], list[str]]:
    """Every row names a person, who is kept, and a country, which is translated."""
    src = [f"yesterday {made_name(n)} went to Germany by train" for n in range(rows)]
    tgt = [f"hier {made_name(n)} est parti pour l'Allemagne en train" for n in range(rows)]
    return src, tgt


def test_a_translated_name_is_no_difference() -> None:
    assert not differing_names(*site(300)).any()


def test_a_name_put_in_the_place_of_another_is_found() -> None:
    src, tgt = site(400)
    chosen = random.Random(1).sample(range(400), 4)
    for number, row in enumerate(chosen):
        tgt[row] = tgt[row].replace(made_name(row), ("Whittaker", "Xoloth", "Quimby", "Zhukov")[number])
    assert np.flatnonzero(differing_names(src, tgt)).tolist() == sorted(chosen)


def test_endings_and_other_scripts_are_no_difference() -> None:
    src, tgt = site(300)
    tgt[3] = tgt[3].replace(made_name(3), made_name(3) + "in")
    src[7], tgt[7] = "yesterday Stallman spoke", "hier Сталлман a parlé"
    assert not differing_names(src, tgt).any()


def test_a_translated_name_put_in_the_place_of_another_is_found() -> None:
    src, tgt = site(400)
    countries = [("Germany", "Allemagne"), ("Greece", "Grèce"), ("Switzerland", "Suisse"), ("Wales", "Galles")]
    for row in range(400):
        src[row] = src[row].replace("Germany", countries[row % 4][0])
        tgt[row] = tgt[row].replace("Allemagne", countries[row % 4][1])
    assert not differing_names(src, tgt).any()
    for row in (40, 122):
        tgt[row] = tgt[row].replace(countries[row % 4][1], countries[(row + 1) % 4][1])
    assert np.flatnonzero(differing_names(src, tgt)).tolist() == [40, 122]


def test_a_row_is_the_more_suspect_the_more_speaks_for_it() -> None:
    src, tgt = site(400)
    tgt[10] = tgt[10].replace(made_name(10), made_name(11))
    tgt[20] = tgt[20].replace(made_name(20), "quelqu'un")
    tgt[30] = tgt[30].replace(made_name(30), made_name(31)) + ", dit Xoloth à Zhukov"
    tgt[40] = f"hier est parti pour l'Allemagne {made_name(41)}"
    scores = suspicion(src, tgt)
    replaced, dropped, free, moved = scores[[10, 20, 30, 40]]
    assert replaced > LEAST_SUSPICION
    assert max(dropped, free, moved) < replaced
    assert np.isneginf(np.delete(scores, [10, 20, 30, 40])).all()


def test_how_names_fit_by_their_places() -> None:
    numbers: dict[str, int] = {}
    words = read_words(["saw Stallman Torvalds Knuth there", "vu Stallman Ritchie Knuth", "Ritchie"], numbers)
    place = {(int(row), list(numbers)[key]): n for n, (row, key) in enumerate(zip(words.rows, words.keys, strict=True))}
    # "vu" is too short for a word: Ritchie stands in the middle of three, Torvalds in the middle of five.
    torvalds, ritchie, last, alone = (place[p] for p in ((0, "torvalds"), (1, "ritchie"), (0, "there"), (2, "ritchie")))
    assert words.places[[torvalds, ritchie, last, alone]].tolist() == [0.5, 0.5, 1, 0]
    first, second = np.array([torvalds, last, last]), np.array([ritchie, ritchie, alone])
    fits = [2 * SAME_NEIGHBOUR, PLACE_APART / 2, PLACE_APART]
    assert place_fit(words, first, words, second).tolist() == pytest.approx(fits)


def test_the_chance_of_being_without_match_is_that_of_the_other_rows() -> None:
    words = read_words(["see Knuth"] * 4 + ["see Dijkstra", "see Hoare", "see Naur"], {})
    missing = np.flatnonzero(words.is_name)[[0, 4]]
    # Of three rare names one is missing: (1 + 1) / (3 + 2) with the weight of two rows, Knuth's other three rows 0.
    assert chances_to_lack(words, missing, 10).tolist() == pytest.approx([2 * 0.4 / 5, 2 * 0.4 / 2])


def test_a_word_that_both_sides_hold_explains_no_other_name() -> None:
    numbers: dict[str, int] = {}
    one = read_words(["in Europe european law", "in Europe law"], numbers)
    two = read_words(["in Novell european law", "la loi europeenne"], numbers)
    names, explained = unmatched_names(one, two, list(numbers), across=False)
    assert [list(numbers)[key] for key in one.keys[names]] == ["europe", "europe"]
    assert explained.tolist() == [False, True]


def test_a_name_that_is_always_kept_is_missed_even_where_a_word_is_like_it() -> None:
    src, tgt = ([f"{row} with Linux" for row in side] for side in site(400))
    tgt[5] = tgt[5].replace("Linux", "line")
    assert np.flatnonzero(differing_names(src, tgt)).tolist() == [5]
    sides = (read_words([text], {}) for text in ("a Knuth", "b Knuth"))
    assert not unmatched_names(*sides, ["knuth"], across=False)[0].size


def test_the_ratio_of_likelihoods_is_that_of_a_worked_table() -> None:
    # 2 of 100 rows hold both, and no row one of them: 2 * (2 log 50 + 98 log(100 / 98)).
    two, rows = np.array([2]), 100
    expected = 2 * (2 * math.log(50) + 98 * math.log(100 / 98))
    assert log_likelihood_ratio(two, two, two, rows).tolist() == pytest.approx([expected])
    independent = log_likelihood_ratio(np.array([10]), np.array([20]), np.array([50]), rows)
    assert independent.tolist() == pytest.approx([0], abs=1e-9)


@pytest.mark.parametrize(("rows_of_word", "so"), [(20, True), (300, False)])
def test_a_word_of_many_rows_translates_no_rare_name(rows_of_word: int, so: bool) -> None:
    # The name is in ten of a thousand rows, and the word stands in all of them.
    together = np.arange(10)
    words = np.ones(rows_of_word, np.int64)
    found = translates(np.zeros(10, np.int64), together, words, together, 1_000)
    assert found.tolist() == [so] * 10


def test_a_name_does_not_count_as_another_that_is_missing_beside_it() -> None:
    src, tgt = site(400)
    tgt[20] = tgt[20].replace(made_name(20), "quelqu'un")
    alone = suspicion(src, tgt)[20]
    src[20] += " with Xoloth"
    assert suspicion(src, tgt)[20] < alone
    # Rare names lack a match in (1 + 1) / (400 + 2) of the rows; the word has this row only.
    chance = 2 / 402
    assert alone == pytest.approx(-math.log(chance) + ONE_SIDED + RARE)


def test_most_letters_tell_the_script_of_a_side() -> None:
    assert is_latin(["Ständig 12 Häuser в Москве"])
    assert not is_latin(["Сталлман написал GNU"])
    assert not is_latin([])


@pytest.mark.parametrize(
    ("name", "word", "across", "like"),
    [
        ("stallman", "stallmans", False, True),  # an ending
        ("stallman", "stolman", False, True),
        ("star", "starting", False, False),  # longer by more than half
        ("star", "stars", False, True),
        ("londres", "londonu", False, True),  # nothing alike but the beginning
        ("lindqvist", "berg", False, False),
        ("muhammad", "mhmd", False, False),
        ("muhammad", "mhmd", True, True),  # vowels not written
    ],
)
def test_forms_of_one_name(name: str, word: str, across: bool, like: bool) -> None:
    assert are_like(np.array([0, 1]), np.array([1, 0]), [name, word], across=across).tolist() == [like, like]


def test_words_of_a_text_and_which_may_be_names() -> None:
    numbers: dict[str, int] = {}
    texts = ["The GNU of Noël. The cat saw the Cat", "", "Linus sat"]
    words = read_words(texts, numbers)
    forms = list(numbers)
    assert words.starts.tolist() == [0, 5, 5, 7]
    sat = list(numbers).index("sat")
    assert words.before[words.keys == sat].tolist() == [list(numbers).index("linus")]
    assert words.after[words.keys == sat].tolist() == [-1]
    named = words.is_name
    names = {forms[key]: int(kind) for key, kind in zip(words.keys[named], words.kinds[named], strict=True)}
    # All capitals 2, begins a sentence 4, also written small 1; "The" begins sentences and is common.
    assert names == {"gnu": 2, "noel": 0, "cat": 1, "linus": 4}
    japanese = read_words(["リチャード・ストールマンはGNUを作った"], numbers := {})
    assert [list(numbers)[key] for key in japanese.keys[japanese.is_name]] == ["richiyado", "sutoruman", "gnu"]


def test_few_rows_say_nothing() -> None:
    src, tgt = site(LEAST_ROWS - 1)
    tgt[3] = tgt[3].replace(made_name(3), "Whittaker")
    assert not differing_names(src, tgt).any()
