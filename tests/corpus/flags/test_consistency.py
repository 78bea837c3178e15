"""Repeated texts beside unlike ones: worked by hand, both sides of every constant."""

from __future__ import annotations

from collections import Counter, defaultdict
from math import exp

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diglot.corpus.flags.consistency import EDITION_TEXTS, FORGIVEN, LEAST_SHARED, unlike_shares
from diglot.corpus.flags.context import Cleaning
from diglot.corpus.flags.counterparts import words_of_texts
from diglot.corpus.flags.flagging import limit_scores
from diglot.records import FLAGGED_SCHEMA
from made_segments import made_segment

Sides = tuple[str, str]


def shares(*groups: list[Sides], pages: list[int] | None = None) -> list[float]:
    """Shares of groups of segments; ``pages``: the page pair of each segment, None if each has its own."""
    pairs = [pair for group in groups for pair in group]
    texts = sorted({text for pair in pairs for text in pair})
    sides = np.array([[texts.index(text) for text in pair] for pair in pairs], np.int64).reshape(-1, 2).T
    numbers = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    words = words_of_texts(pa.array(texts, pa.string()))
    page_pairs = np.array(range(len(pairs)) if pages is None else pages, np.int64)
    found = unlike_shares(words, sides, numbers, page_pairs, np.ones(len(pairs), bool))
    return [round(each, 4) for each in found.tolist()]


def beside(text: str, *translations: str) -> list[Sides]:
    return [(text, translation) for translation in translations]


THREE = [
    *beside("alpha", "eins zwei", "drei vier"),
    *beside("beta", "fünf sechs", "sieben acht"),
    *beside("gamma", "neun zehn", "elf zwölf"),
]
"""Three repeated texts, each beside two texts that share no word."""


def test_two_texts_beside_unlike_ones_are_forgiven() -> None:
    assert shares(THREE) == [round(1 / 3, 4)]
    assert shares(THREE[:4]) == [0.0]
    assert shares([(tgt, src) for src, tgt in THREE]) == [round(1 / 3, 4)]
    # A fourth with one translation: of four texts, and of its translation, which is repeated, too.
    assert shares([*THREE, *beside("delta", "dreizehn", "dreizehn")]) == [round(1 / 5, 4)]


def test_groups_do_not_mix() -> None:
    assert shares(THREE, THREE[:4], THREE) == [round(1 / 3, 4), 0.0, round(1 / 3, 4)]
    # Each text once in each group: nothing is repeated.
    assert shares(THREE[::2], THREE[1::2]) == [0.0, 0.0]


@pytest.mark.parametrize(
    ("other", "is_unlike"), [("a b u v w x", False), ("a u v w x y", True), ("a b u v w x y", True)]
)
def test_translations_that_share_a_third_of_their_words_are_alike(other: str, is_unlike: bool) -> None:
    # Two of six and six words in common; one of six and six; two of six and seven.
    assert shares([*THREE, *beside("delta", "a b c d e f", other)]) == [round((1 + is_unlike) / 4, 4)]


def test_the_most_frequent_translation_is_the_right_one() -> None:
    # One place of three others beside another text.
    often = beside("delta", "gut so", "gut so", "gut so", "ganz anders")
    assert shares([*THREE, *often]) == [round((1 + 1 / 3) / 5, 4)]
    assert shares([*THREE, *often[::-1]]) == [round((1 + 1 / 3) / 5, 4)]
    # Among equally frequent ones the first counts: what comes later is like it or not.
    tied = beside("delta", "gut so", "ganz anders", "gut und schön")
    assert shares([*THREE, *tied]) == [round((1 + 1 / 2) / 4, 4)]
    assert shares([*THREE, *tied[1:], tied[0]]) == [round((1 + 1) / 4, 4)]


def test_the_places_of_a_page_pair_count_as_one_text_at_most() -> None:
    four = [*THREE, *beside("delta", "dreizehn vierzehn", "fünfzehn sechzehn")]
    assert shares(four) == [round((4 - FORGIVEN) / 4, 4)]
    # The second places of two texts on one page pair, and of three.
    assert shares(four, pages=[0, 1, 2, 3, 4, 5, 6, 5]) == [round((3 - FORGIVEN) / 4, 4)]
    assert shares(four, pages=[0, 1, 2, 3, 4, 3, 5, 3]) == [0.0]
    # First places say nothing, and a page pair with less than a text counts as it is.
    assert shares(four, pages=[0, 1, 0, 2, 0, 3, 0, 4]) == [round((4 - FORGIVEN) / 4, 4)]
    often = [*four, *beside("omega", "gut so", "gut so", "ganz anders")]
    assert shares(often, pages=[*range(10), 9]) == [round((4.5 - FORGIVEN) / 6, 4)]


def test_texts_of_two_editions_of_a_page_do_not_count() -> None:
    # Three texts on two page pairs each: two of them on the same two, which are editions of one page.
    assert shares(THREE, pages=[0, 1, 0, 2, 3, 4]) == [round((3 - FORGIVEN) / 3, 4)]
    five = [*THREE, *beside("delta", "dreizehn", "vierzehn"), *beside("omega", "fünfzehn", "sechzehn")]
    assert shares(five, pages=[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) == [round((5 - FORGIVEN) / 5, 4)]
    assert shares(five, pages=[0, 1, 2, 3, 4, 5, 8, 9, 9, 8]) == [round((3 - FORGIVEN) / 3, 4)]
    # A third place of a text: a plan of pages, and not a new edition.
    assert shares([*five, ("omega", "fünfzehn")], pages=[0, 1, 2, 3, 4, 5, 8, 9, 9, 8, 7]) == [round((4.5 - 2) / 6, 4)]


def test_texts_without_words_are_alike() -> None:
    assert shares([*THREE, *beside("delta", "1", "2")]) == [round(1 / 4, 4)]
    assert shares() == []


TEXTS = st.lists(
    st.tuples(*[st.lists(st.sampled_from("abcd"), max_size=3).map(" ".join)] * 2, st.integers(0, 5)), max_size=30
)


def plain_share(places: list[tuple[str, str, int]]) -> float:
    """:func:`unlike_shares` of one group, place by place."""
    repeated, on_page = 0, [0.0] * 6
    for ours, theirs in ((0, 1), (1, 0)):
        translations = defaultdict(list)
        for place in places:
            translations[place[ours]].append((place[theirs], place[2]))
        ends = Counter(
            couple for found in translations.values() if len(couple := frozenset(page for _, page in found)) == 2
        )
        for found in translations.values():
            if ends[frozenset(page for _, page in found)] >= EDITION_TEXTS:
                continue
            best = set(Counter(text for text, _ in found).most_common(1)[0][0].split())
            repeated += len(found) > 1
            for text, page in found:
                words = set(text.split())
                if 2 * len(best & words) < LEAST_SHARED * (len(best) + len(words)):
                    on_page[page] += 1 / (len(found) - 1)
    return max(0.0, sum(min(1.0, share) for share in on_page) - FORGIVEN) / max(1, repeated)


@given(TEXTS)
def test_the_share_is_that_of_a_plain_count(places: list[tuple[str, str, int]]) -> None:
    found = shares([place[:2] for place in places], pages=[page for *_, page in places])
    # Sums in another order may fall on the other side of a rounding.
    assert found == pytest.approx([plain_share(places)] * bool(places), abs=1e-4)


def limited(*texts: Sides, one_page: bool = False, **flags: list[str]) -> list[float]:
    rows = [
        made_segment(src, tgt, page=0 if one_page else number, score=1.0, flags=flags.get(tgt, []))
        for number, (src, tgt) in enumerate(texts)
    ]
    found = limit_scores(pa.Table.from_pylist(rows, schema=FLAGGED_SCHEMA), Cleaning())
    return [round(each, 3) for each in found["score"].to_pylist()]


UNLIKE = [
    ("The red house burns.", "Gestern kamen Vögel."),
    ("The red house burns.", "Niemand wusste davon."),
    ("A cat sleeps at home.", "Regen fiel auf Dächer."),
    ("A cat sleeps at home.", "Unser Zug hält hier."),
    ("Men work in old mines.", "Bücher sind zu teuer."),
    ("Men work in old mines.", "Wasser kocht schnell."),
]
FLAGS = {tgt: ["conflict"] for _, tgt in UNLIKE[1::2]}
KEPT = 0.947
"""Score of a segment whose language pair shows nothing (`test_chances`)."""


def test_repeated_sentences_beside_unlike_ones_lower_all_scores() -> None:
    # Three texts, two forgiven: odds of 17.85 exp(-40 / 3) fall to 1, and no further. Flags of copies do not matter.
    assert limited(*UNLIKE, ("Home", "Start")) == [0.5] * 7
    assert limited(*UNLIKE, ("Home", "Start"), **FLAGS) == [0.5] * 7
    assert limited(*UNLIKE[:4], ("Home", "Start")) == [KEPT] * 5


def test_a_list_pasted_twice_lowers_no_scores() -> None:
    pasted = [*UNLIKE[::2], ("Home", "Start"), *UNLIKE[1::2]]
    assert limited(*pasted, one_page=True) == [KEPT] * 7
    assert limited(*pasted) == [0.5] * 7


def test_other_repeated_sentences_weaken_the_sign() -> None:
    numerals = ["null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun"]
    same = [(f"It is {word} for all of us.", f"Das ist {word} für uns alle.") for word in numerals] * 2
    low, high = (limited(*texts, *same)[-1] for texts in (UNLIKE, UNLIKE[:4]))
    # Three repeated texts are beside unlike ones, two forgiven, and 20 are not: odds fall by exp(-40 / 23).
    assert low / (1 - low) == pytest.approx(high / (1 - high) * exp(-40 / 23), rel=0.01)


def test_labels_short_texts_and_texts_in_doubt_show_nothing() -> None:
    assert limited(*((src[:-1], tgt[:-1]) for src, tgt in UNLIKE)) == [KEPT] * 6
    assert limited(*((src[-15:], tgt) for src, tgt in UNLIKE)) == [KEPT] * 6
    assert limited(*UNLIKE, **{tgt: ["numbers"] for tgt in FLAGS}) == [KEPT] * 6
