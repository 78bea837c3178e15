"""Texts in another language, step by step: words and their counts, odds, thresholds, worked by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest

from diglot.corpus.flags import foreign_by_identifier, foreign_by_words, site_texts
from diglot.corpus.flags.foreign import COPIED_ODDS, Verdicts, foreign_texts
from diglot.corpus.flags.foreign_by_identifier import COMMON_WORDS, LEAST_TEXTS, Reading, is_in_a_third
from diglot.corpus.flags.foreign_by_words import WordStatistics
from diglot.corpus.flags.site_texts import Texts, Words, words_of

NOTHING = np.zeros(0, bool)


def words(*texts: str) -> Words:
    return words_of(pa.array(texts, pa.string()))


def reading(found: Sequence[str], lang: Sequence[int], langs: tuple[str, ...] = ("de", "en")) -> Reading:
    every = np.ones(len(found), bool)
    return Reading(langs, np.array(lang), np.array(found, object), every, ~every)


def test_words_are_counted_by_text_and_by_class() -> None:
    some = Words(np.array([0, 1, 0, 1, 2]), np.array([0, 0, 0, 2, 2]), pa.array(["a", "b", "c"]), 3)
    read = words("a b a", "", "b c")
    assert [read.known[word].as_py() for word in read.word] == ["a", "b", "a", "b", "c"]
    assert (read.text.tolist(), read.texts) == ([0, 0, 0, 2, 2], 3)
    assert some.totals(np.array([1.0, 10.0, 100.0])).tolist() == [12, 0, 110]
    assert some.of(np.array([False, True, True])).word.tolist() == [1, 2]
    taken = some.take(np.array([2, 1, 0, 2]))
    assert taken.text.tolist() == [0, 0, 2, 2, 2, 3, 3]
    assert taken.word.tolist() == [1, 2, 0, 1, 0, 1, 2]
    assert some.counts(np.array([1, 0, 0]), 3).tolist() == [[0, 1, 1], [2, 1, 0], [0, 0, 0]]
    assert some.counts(np.array([1, 0, -1]), 2).tolist() == [[0, 0, 0], [2, 1, 0]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a" * 40, True),
        ("a" * 39, False),
        ("漢" * 15, True),
        ("漢" * 14, False),
        ("a" * 39 + "漢" * 14, False),
        ("x " * 40, True),
        ("1" * 60, False),
    ],
)
def test_a_text_is_long_from_forty_letters_or_fifteen_of_scripts_without_blanks(text: str, expected: bool) -> None:
    assert foreign_by_identifier.is_long(words(text)).tolist() == [expected]


@pytest.mark.parametrize(
    ("code", "left"),
    [
        ("a/b c", ["c"]),
        ("x=1 c", ["c"]),
        ("a_b c", ["c"]),
        ("jo@example c", ["c"]),
        ("a.b c", ["c"]),
        ("a. b", ["a", "b"]),
        ("-o c", ["c"]),
        ("--all c", ["c"]),
        ("a-b", ["a", "b"]),
        ("f(x) c", ["c"]),
        ("(x) c", ["x", "c"]),
        ("é1 ça", ["ça"]),
    ],
)
def test_code_is_no_word(code: str, left: list[str]) -> None:
    some = words(code)
    assert [some.known[word].as_py() for word in some.word] == left


def test_a_language_is_one_of_the_site_from_three_texts_on() -> None:
    assert LEAST_TEXTS == 3
    found = ["nl"] * 3 + ["sv"] * 2 + ["", "de"]
    assert reading(found, [0] * 7).classes()[0] == ("de", "en", "nl")
    assert reading(found, [0] * 7).classes()[1].tolist() == [2, 2, 2, -1, -1, -1, 0]


def test_a_text_is_of_another_language_where_the_identifier_tells_the_two_apart() -> None:
    # Danish and Norwegian are close; nothing found is nothing.
    langs = ("da", "de")
    assert reading(["de", "nb", "", "da", "nl"], [0, 0, 0, 0, 1], langs).is_other().tolist() == [
        *(True, False, False, False, True)
    ]


def test_the_ratio_of_rates_is_smoothed_by_one_occurrence() -> None:
    # Two languages of ten words each: a word 6 times in the first, 2 in the second; expected are 4.
    counts = np.array([[6.0, 4.0], [2.0, 8.0]])
    expected = [[math.log(7 / 5), math.log(5 / 7)], [math.log(3 / 5), math.log(9 / 7)]]
    assert foreign_by_words._log_ratio(counts).tolist() == [pytest.approx(row) for row in expected]
    # A single word of one language is as frequent as expected; so is a word that was never seen.
    assert foreign_by_words._log_ratio(np.array([[1.0, 0.0], [0.0, 0.0]])).tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_the_threshold_is_nine_to_one_and_the_share_of_foreign_texts() -> None:
    assert foreign_by_words._threshold(np.array([0.5, 0.1])).tolist() == pytest.approx(
        [math.log(9), math.log(9) + math.log(9)]
    )
    assert pytest.approx(math.log(9)) == COPIED_ODDS


def statistics_of(
    *rows: Sequence[float], langs: tuple[str, ...] = ("de", "en", "nl"), threshold: float = 1.0
) -> WordStatistics:
    return WordStatistics(langs, np.array(rows), np.full(len(langs), threshold))


def test_the_odds_against_a_text_are_those_of_the_likeliest_language_that_is_not_close() -> None:
    some = words("a a b", "b")
    statistics = statistics_of([0, 0], [1, -1], [-1, 3])
    assert statistics.against(some, 0).tolist() == [1, 3]
    assert statistics.against(some, 2).tolist() == [2 + 2 - 4, -3]
    assert statistics.against(some, 0, np.array([1, 0.5, 0.5, 1])).tolist() == [1.0, 3.0]
    close = statistics_of([0, 0], [1, -1], [-1, 3], langs=("da", "nb", "de"))
    assert close.against(some, 0).tolist() == [1, 3]  # Norwegian is not asked: -1 -1 + 3 and 3
    assert np.isneginf(statistics_of([0, 0], langs=("de",)).against(some, 0)).all()


def verdicts(*texts: str, lang: Sequence[int], statistics: WordStatistics) -> Verdicts:
    return Verdicts(NOTHING, NOTHING, NOTHING, NOTHING, words(*texts), statistics, np.array(lang))


def test_a_word_of_both_sides_counts_a_third_and_each_word_once() -> None:
    # In "a b" against "a c": a third of 1.5 for the word that both have, .5 for the other: 1, and not above it.
    statistics = statistics_of([0, 0, 0], [1.5, 0.5, 0], langs=("de", "en"), threshold=1.0)
    mine, other = np.array([0]), np.array([1])
    assert not verdicts("a b", "a c", lang=[0, 1], statistics=statistics).stays(mine, other)[0]
    assert verdicts("a b", "c", lang=[0, 1], statistics=statistics).stays(mine, other)[0]
    assert not verdicts(
        "b b b b", "c", lang=[0, 1], statistics=statistics_of([0, 0], [0.5, 0], langs=("de", "en"))
    ).stays(mine, other)[0]
    below = statistics_of([0, 0, 0], [1.5, 0.49, 0], langs=("de", "en"), threshold=0.98)
    above = statistics_of([0, 0, 0], [1.5, 0.49, 0], langs=("de", "en"), threshold=1.0)
    assert verdicts("a b", "a c", lang=[0, 1], statistics=below).stays(mine, other)[0]
    assert not verdicts("a b", "a c", lang=[0, 1], statistics=above).stays(mine, other)[0]


@pytest.mark.parametrize(
    ("src", "tgt", "copied"),
    [
        ("a b", "a c", ["a"]),  # half of each
        ("a b c", "a d", []),
        ("a b", "a c d", []),
        ("a b c d", "b a x y", ["a", "b"]),
        ("a a a b", "a c", ["a"]),
        ("a b", "c d", []),
    ],
)
def test_what_both_sides_have_counts_where_it_is_half_of_each(src: str, tgt: str, copied: list[str]) -> None:
    statistics = statistics_of([0] * 6, langs=("de",))
    found = verdicts(src, tgt, lang=[0, 0], statistics=statistics).shared_words(np.array([0]), np.array([1]))
    assert sorted(found.known[word].as_py() for word in found.word) == copied


def test_copied_words_are_of_a_third_language_against_both() -> None:
    third = statistics_of([0, 0], [0, 0], [2.3, -2.3])
    said = verdicts("a b", "a b", lang=[0, 1], statistics=third)
    src, tgt = np.array([0, 0]), np.array([1, 1])
    one = Words(np.array([0, 1]), np.array([0, 1]), said.words.known, 2)
    assert said.are_third(one, src, tgt).tolist() == [True, False]
    of_target = statistics_of([0, 0], [2.3, 0], [2.3, 0])
    assert not verdicts("a b", "a b", lang=[0, 1], statistics=of_target).are_third(one, src, tgt).any()


@pytest.mark.parametrize(
    ("text", "chances", "third"),
    [
        ("abcde fghijk", {"nb": 0.3, "en": 0.0, "de": 0.0}, True),
        ("abcde fghij", {"nb": 0.9, "en": 0.0, "de": 0.0}, False),  # eleven characters
        ("abcde fghijk", {"nb": 0.29, "en": 0.0, "de": 0.0}, False),
        ("abcde fghijk", {"nb": 0.6, "en": 0.02, "de": 0.0}, False),  # thirty times, and not more
        ("abcde fghijk", {"nb": 0.6, "en": 0.0199, "de": 0.0}, True),
        ("abcde fghijk", {"nb": 0.6, "en": 0.0, "de": 0.02}, False),
        ("abcde fghijk", {"nb": 0.6, "en": 0.0}, False),  # a language that the identifier does not know
        ("Abcde Fghijk", {"nb": 0.9, "en": 0.0, "de": 0.0}, False),  # names
        ("Abcde fghijk", {"nb": 0.9, "en": 0.0, "de": 0.0}, True),
    ],
)
def test_copied_words_on_both_sides_of_what_the_identifier_is_believed(
    text: str, chances: dict[str, float], third: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(foreign_by_identifier, "probabilities", lambda told: chances)
    assert is_in_a_third(f"{text} left", frozenset(text.casefold().split()), ("en", "de")) == third


@pytest.mark.parametrize(("langs", "third"), [(("en", "de"), True), (("en", "da"), False), (("da", "en"), False)])
def test_a_language_close_to_one_of_the_two_is_no_third(
    langs: tuple[str, str], third: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(foreign_by_identifier, "probabilities", lambda told: {"nb": 0.9, **dict.fromkeys(langs, 0.0)})
    assert is_in_a_third("abcde fghijk left", frozenset({"abcde", "fghijk"}), langs) == third


@pytest.mark.parametrize(
    ("english", "german", "has"),
    [
        (["the of", "the of"], ["der", "der"], True),
        (["the the", "the the"], ["der", "der"], False),  # one word twice
        (["the of", "of the der"], ["the", "der the of"], False),  # no commoner than in German
        (["the of", "x"], ["der", "der"], False),  # in one text once each is not common
    ],
)
def test_a_text_is_not_read_that_holds_two_words_of_its_own_language(
    english: list[str], german: list[str], has: bool
) -> None:
    some = words(*english, *german)
    lang = [1] * len(english) + [0] * len(german)
    said = reading(["en"] * len(english) + ["de"] * len(german), lang)
    assert foreign_by_identifier.has_own_words(some, said)[0] == has
    assert COMMON_WORDS == 200


def test_words_are_own_where_they_are_more_than_twice_as_common_as_elsewhere() -> None:
    # Ten words of each language: "the" and "of" 4 times here, and there 2 (twice) or 1 times.
    english = "the the the the of of of of x y"
    for times, has in ((2, False), (1, True)):
        german = " ".join(["the"] * times + ["of"] * times + ["z"] * (10 - 2 * times))
        said = reading(["en", "de"], [1, 0])
        assert foreign_by_identifier.has_own_words(words(english, german), said)[0] == has


def test_keys_with_two_values_and_numbers_among_others() -> None:
    assert site_texts.have_two(np.array([0, 0, 1, 1, 2]), np.array([5, 6, 7, 7, 8]), 4).tolist() == [
        *(True, False, False, False)
    ]
    numbers = np.array([1, 3, 5, 9])
    assert site_texts.are_among(numbers, np.array([3, 4, 9])).tolist() == [False, True, False, True]
    assert not site_texts.are_among(numbers, np.zeros(0, np.int64)).any()


def test_the_identifier_reads_what_it_is_sure_of_once(monkeypatch: pytest.MonkeyPatch) -> None:
    told = {"sure": ("nl", 0.95), "unsure": ("nl", 0.94), "none": ("und", 1.0), "known": ("nl", 1.0)}
    monkeypatch.setattr(foreign_by_identifier, "identify", lambda text, lang: told[text])
    texts = Texts(pa.array(list(told)), np.zeros(4, np.int64), ("de",), np.ones(4, bool))
    said = reading(["", "", "", "sv"], [0] * 4)
    foreign_by_identifier.identify_texts(texts, np.arange(4), said)
    assert said.found.tolist() == ["nl", "", "", "sv"]


@pytest.mark.parametrize(("count", "read"), [(500, 500), (501, 251), (1000, 500), (1001, 334)])
def test_a_sample_of_five_hundred_long_texts_is_read(count: int, read: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def identify(text: str, lang: str) -> tuple[str, float]:
        asked.append(text)
        return lang, 1.0

    monkeypatch.setattr(foreign_by_identifier, "identify", identify)
    texts = [f"{'das Haus und der Garten stehen da so wie immer und alle Tage '} {'x' * (n + 1)}" for n in range(count)]
    foreign_texts(Texts(pa.array(texts), np.zeros(count, np.int64), ("de",), np.ones(count, bool)))
    assert len(asked) == read


def test_texts_that_stand_in_two_languages() -> None:
    texts = Texts(pa.array(["a", "a", "b", "c", "b"]), np.zeros(5, np.int64), ("de",), np.ones(5, bool))
    assert site_texts.in_two_languages(texts, np.array([0, 1, 0, 1, 0])).tolist() == [True, True, False, False, False]
