"""How likely a segment is right in every word: lengths, words without a counterpart, commas, brackets. Both sides of
every threshold, worked by hand."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np
import pyarrow as pa
import pytest

from diglot.corpus.flags.chances import calibrate
from diglot.corpus.flags.context import Cleaning
from diglot.corpus.flags.counterparts import missing_shares, words_of_texts
from diglot.corpus.flags.flagging import clean_segments, limit_scores
from diglot.records import FLAGGED_SCHEMA, SEGMENT_SCHEMA
from made_segments import made_segment

Sides = tuple[str, str]

UNKNOWN = 0.947
"""Score of a segment of usual length whose words are not looked at: odds of 80 exp(-3 * .5) = 17.85."""


def limited(*texts: Sides, probabilities: bool = True, score: float = 1.0, **others: list[str]) -> list[float]:
    """Scores of segments, rounded; each has two pages of its own."""
    rows = [
        made_segment(src, tgt, page=number, score=score, flags=others.get(src, []))
        for number, (src, tgt) in enumerate(texts)
    ]
    return scores_of(rows, probabilities=probabilities)


def on_a_page(*texts: Sides) -> list[float]:
    """Scores of the segments of two pages, rounded."""
    return scores_of([made_segment(src, tgt, score=1.0) for src, tgt in texts])


def scores_of(rows: list[dict[str, object]], *, probabilities: bool = True) -> list[float]:
    found = limit_scores(pa.Table.from_pylist(rows, schema=FLAGGED_SCHEMA), Cleaning(probabilities=probabilities))
    return [round(each, 3) for each in found["score"].to_pylist()]


def of_lengths(*lengths: tuple[int, int], **options: float) -> list[float]:
    """Scores of segments with so many characters a side, of no more than nine different texts."""
    return limited(*(("a" * src, "b" * tgt) for src, tgt in lengths), **options)  # type: ignore[arg-type]


def other_words(count: int) -> list[Sides]:
    """Texts of a word a side that stands in no other text; a word is known by five letters."""
    words = list(map("".join, product("bcdfgh", repeat=5)))
    return list(zip(words[:count], words[count : 2 * count], strict=True))


def shares(texts: Mapping[int, Sides], count: int) -> list[float]:
    """Shares of missing words of ``count`` texts: those given by number, the others of a lone word a side."""
    pairs = [texts.get(number, pair) for number, pair in enumerate(other_words(count))]
    texts_of_sides = pa.array([text for side in zip(*pairs, strict=True) for text in side])
    found = missing_shares(words_of_texts(texts_of_sides), *np.arange(2 * count).reshape(2, -1))
    return [round(each, 4) for each in found.tolist()]


LONE = round(2 / 7, 4)
"""Both words missing, of two and the five that are taken as known."""


def test_a_score_is_no_higher_than_lengths_allow() -> None:
    usual = [(100, 100)] * 12
    # Odds of 17.85, times exp(-(10 ln 1.46)^2 / 5) = .0570: 1.018 to 1; of 147 characters .917 to 1.
    assert of_lengths(*usual, (100, 146), (146, 100)) == [*[UNKNOWN] * 12, 0.504, 0.504]
    assert of_lengths(*usual, (100, 147))[-1] == 0.478
    # A short text: exp(-(6 ln 1.5)^2 / 5) = .3061, odds of 5.464.
    assert of_lengths(*usual, (36, 54))[-1] == 0.845
    # Longer texts count as 100 characters.
    assert of_lengths(*usual, (400, 584))[-1] == 0.504
    assert of_lengths(*usual, (100, 146), score=0.6) == [*[0.6] * 12, 0.504]


def test_the_share_of_a_page_pair_that_is_no_translation_lowers_its_scores() -> None:
    def page(number: int, *sizes: tuple[int, float], flags: tuple[str, ...] = ()) -> list[dict[str, object]]:
        return [
            made_segment("a" * size, "b" * size, page=number, score=score, flags=list(flags)) for size, score in sizes
        ]

    # No text, a quarter and three quarters of what the aligner joined is likely no translation: odds of 17.85, times
    # exp(-4 / 4) = .3679 and exp(-4 * 3 / 4) = .0498.
    rows = [*page(0, (60, 1.0)), *page(1, (60, 1.0), (20, 0.49)), *page(2, (20, 1.0), (60, 0.0))]
    assert scores_of(rows) == [UNKNOWN, 0.868, 0.49, 0.471, 0.0]
    # A score of half is trusted. Text that a flag leaves out, such as an equal or an unaligned one, says nothing.
    rows = [*page(0, (60, 1.0), (20, 0.5)), *page(1, (20, 0.49), flags=("identical",)), *page(1, (60, 1.0))]
    assert scores_of(rows) == [UNKNOWN, 0.5, 0.49, UNKNOWN]


def test_names_in_latin_letters_lower_no_score_beside_shorter_texts() -> None:
    usual, name = [("a" * 100, "日" * 50)] * 12, "c" * 60
    assert limited(*usual, ("a" * 39 + " " + name, "日" * 20 + name))[-1] == UNKNOWN
    # Of other names nothing is known: exp(-(sqrt(80) ln 1.6)^2 / 5) = .029, odds of .521.
    assert limited(*usual, ("a" * 39 + " " + name, "日" * 20 + "d" * 60))[-1] == 0.342


def test_segments_more_likely_wrong_lower_the_others_and_leave_none_out() -> None:
    usual = [(100, 100)] * 12
    # One of 13, and 20 more: odds of 17.85 exp(-12 / 33) = 12.41.
    assert of_lengths(*usual, (100, 147)) == [*[0.925] * 12, 0.478]
    # Six of 19: 17.85 exp(-12 * 6 / 39) = 2.818. Odds of 1.018 fall to 1, and no further.
    assert of_lengths(*usual, (100, 146), *[(100, 147)] * 6) == [*[0.738] * 12, 0.5, *[0.478] * 6]


def test_lengths_that_vary_lower_all_scores() -> None:
    # Deviations of +-10 ln 1.3 = 2.624, a spread of 3.890: odds of 17.85 / 1.972 exp(-6.884 / 3.890 / 5) = 6.354.
    assert of_lengths(*[(100, 130), (130, 100)] * 6) == [0.864] * 12


def test_few_segments_have_no_usual_length() -> None:
    assert of_lengths(*[(100, 100)] * 8, (100, 190)) == [UNKNOWN] * 9
    assert of_lengths(*[(100, 100)] * 9, (100, 190))[-1] == 0.005


def test_scores_by_lengths_alone_stay() -> None:
    assert of_lengths(*[(100, 100)] * 12, (100, 190), probabilities=False) == [1.0] * 13


def test_a_comma_on_one_side_alone() -> None:
    # Odds of 17.85 * .6 = 10.71.
    texts = [("One and two", "Un et deux"), ("One, two", "Un et deux"), ("One", "Un、deux"), ("One, two", "一，二")]
    assert limited(*texts) == [UNKNOWN, 0.915, 0.915, UNKNOWN]


def test_more_brackets_on_one_side() -> None:
    # Odds of 17.85 exp(-.9) = 7.257.
    texts = [
        ("One (two)", "Un deux"),
        ("One [two]", "Un"),
        ("(1) One (two)", "（1）Un"),
        ("One (two)", "【Un】"),
        ("1)", "1"),
    ]
    assert limited(*texts) == [0.879, 0.879, 0.879, UNKNOWN, UNKNOWN]
    assert limited(*((tgt, src) for src, tgt in texts)) == [0.879, 0.879, 0.879, UNKNOWN, UNKNOWN]


def test_brackets_leave_no_segment_out() -> None:
    # Odds of 1.018 (below) fall to 1, and no further.
    usual = [("a" * 100, "b" * 100)] * 12
    assert limited(*usual, ("a" * 100, "b" * 145 + "("))[-1] == 0.5
    assert limited(*usual, ("a" * 100, "b" * 146 + "("))[-1] == 0.478


def test_words_are_looked_at_where_ten_segments_are_kept() -> None:
    # Both words are missing, of two and five: odds of 80 exp(-3 * 2 / 7) = 33.95.
    assert limited(*other_words(9)) == [UNKNOWN] * 9
    assert limited(*other_words(10)) == [0.971] * 10
    # The same texts teach nothing twice, and have one score.
    assert limited(*other_words(9), *other_words(9)[:2]) == [UNKNOWN] * 11
    assert limited(*other_words(10), *other_words(10)[:2]) == [0.971] * 12


def test_a_segment_that_is_left_out_teaches_nothing() -> None:
    texts = other_words(11)
    assert limited(*texts, **{texts[0][0]: ["numbers"]}) == [UNKNOWN, *[0.971] * 10]
    assert limited(*texts, **{texts[0][0]: ["duplicate"]}) == [UNKNOWN, *[0.971] * 10]
    assert limited(*texts, texts[0], **{texts[0][0]: ["too_short"]}) == [0.971] * 12


def test_words_that_stand_together_are_counterparts() -> None:
    # Expected by chance without the text looked at: 2 * 2 / 37 = .1081 texts. 2 (2 ln(2 / .1081) - 2 + .1081) = 7.887.
    three = dict.fromkeys(range(3), ("alpha", "eins"))
    assert shares(three, 38) == [0.0] * 3 + [LONE] * 35
    assert shares(three, 37) == [LONE] * 37  # 7.784
    # In two texts there is one other, which is chance in any number of texts.
    assert shares(dict.fromkeys(range(2), ("alpha", "eins")), 500) == [LONE] * 500


def test_a_word_that_mostly_has_a_counterpart_counts_more() -> None:
    texts = {**dict.fromkeys(range(3), ("alpha", "eins")), 3: ("alpha", "zwei")}
    # 1 - ln(1 / 4) for one word and 1 for the other, of two and five.
    assert shares(texts, 60)[:5] == [0.0, 0.0, 0.0, round((2.3863 + 1) / 7, 4), LONE]
    turned = {number: (tgt, src) for number, (src, tgt) in texts.items()}
    assert shares(turned, 60)[:5] == shares(texts, 60)[:5]


@pytest.mark.parametrize(("count", "most"), [(60, 20), (220, 22)])
def test_frequent_words_say_nothing(count: int, most: int) -> None:
    def share_with(times: int) -> float:
        pairs = other_words(count)[:times]
        return shares({number: (f"the {src}", tgt) for number, (src, tgt) in enumerate(pairs)}, count)[0]

    assert share_with(most) == round(3 / 8, 4)
    assert share_with(most + 1) == LONE


def test_words_are_known_by_five_letters_and_ideographs_each() -> None:
    forms = {0: ("Alphas 12", "eins"), 1: ("ALPHABET", "Eins!"), 2: ("alpha's", "eins eins")}
    assert shares(forms, 60)[:3] == [0.0, 0.0, round(1 / 8, 4)]
    assert shares({0: ("中文", "eins")}, 60)[0] == round(3 / 8, 4)


def test_of_a_long_text_some_words_are_looked_at() -> None:
    words = [src for src, _ in other_words(600)][60:]
    found = [shares({0: (" ".join(words[:count]), "eins")}, 60)[0] for count in (499, 500, 501)]
    assert found == [round(500 / 505, 4), round(501 / 506, 4), round(501 / 506, 4)]


def test_texts_without_words_miss_none() -> None:
    assert shares({0: ("1", "2"), 1: ("1", "")}, 2) == [0.0, 0.0]
    assert shares({0: ("1", "zwei")}, 60)[0] == round(1 / 6, 4)


MUNJI, OMANI = ("Omani Arabic [acx]", "Munji [mnj]"), ("Munji [mnj]", "Arabe d’Oman [acx]")
"""Two rows of a table that each language sorts anew, aligned by their places."""


def test_words_alike_in_other_rows_of_the_two_pages_lower_a_score() -> None:
    # Three of five words, and of six: odds of 17.85 exp(-8 * 3 / 5) = .1469 and 17.85 exp(-8 / 2) = .3269.
    assert on_a_page(MUNJI, OMANI) == [0.128, 0.246]
    assert limited(MUNJI, OMANI) == [UNKNOWN] * 2
    assert on_a_page(("Omani Arabic [acx]", "Arabe d’Oman [acx]"), ("Munji [mnj]", "Munji [mnj]")) == [UNKNOWN] * 2
    # A row without a translation holds a counterpart, too: two of five words.
    assert on_a_page(MUNJI, ("Mnj", ""), ("", "acx"))[0] == 0.421


def test_words_alike_in_other_rows_say_nothing_of_one_text_alone() -> None:
    assert on_a_page(("Omani Arabic acx", "Persan"), ("Persian", "Arabe d’Oman acx")) == [UNKNOWN] * 2
    assert on_a_page(("Persian", "Munji mnj"), ("Munji mnj", "Persan")) == [UNKNOWN] * 2


def test_words_that_stand_twice_on_a_page_have_no_place() -> None:
    assert on_a_page(MUNJI, OMANI, ("acx", "")) == [UNKNOWN] * 3
    assert on_a_page(("kawa", "yama"), ("yama", "kawa")) == [0.006] * 2
    assert on_a_page(("kawa", "yama"), ("yama", "kawa"), ("", "kawa")) == [UNKNOWN] * 3


def test_characters_of_scripts_without_blanks_have_no_place() -> None:
    assert on_a_page(("川", "山"), ("山", "川")) == [UNKNOWN] * 2


def test_odds_above_one_are_raised_to_the_power_of_what_readers_found() -> None:
    # Odds of 9 to the power of .7: 4.66; of 80: 21.5.
    shown = calibrate(np.array([0.0, 0.3, 0.499, 0.5, 0.9, 80 / 81]))
    assert shown.round(4).tolist() == [0.0, 0.3, 0.499, 0.5, 0.8232, 0.9555]
    scores = np.linspace(0, 0.988, 400)
    assert (np.diff(calibrate(scores)) > 0).all()


@pytest.mark.parametrize(("probabilities", "score"), [(True, 0.883), (False, 1.0)])
def test_segments_are_cleaned_with_calibrated_scores(probabilities: bool, score: float) -> None:
    rows = [made_segment("good morning", "guten Morgen", score=1.0)]
    cleaned = clean_segments(pa.Table.from_pylist(rows, schema=SEGMENT_SCHEMA), Cleaning(probabilities=probabilities))
    # Odds of 17.85, as long as words are not looked at, to the power of .7: 7.5.
    assert [round(each, 3) for each in cleaned["score"].to_pylist()] == [score]
