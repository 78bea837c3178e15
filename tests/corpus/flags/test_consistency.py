"""Repeated texts beside unlike ones: worked by hand, both sides of every constant."""

from __future__ import annotations

from collections import Counter, defaultdict
from math import exp

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diglot.arrays import Ints, Mask
from diglot.corpus.flags import consistency
from diglot.corpus.flags.consistency import (
    EDITION_TEXTS,
    FORGIVEN,
    LEAST_SHARED,
    are_notices,
    have_unlike_rivals,
    unlike_shares,
)
from diglot.corpus.flags.context import Cleaning
from diglot.corpus.flags.counterparts import TextWords, words_of_texts
from diglot.corpus.flags.flagging import flag_segments, limit_scores
from diglot.records import FLAGGED_SCHEMA, SEGMENT_SCHEMA
from made_segments import made_segment

Sides = tuple[str, str]


def both_shares(*groups: list[Sides], pages: list[int] | None = None) -> tuple[list[float], list[float]]:
    """Shares of groups of segments and of page pairs; ``pages``: the page pair of each segment, None: each its own."""
    pairs = [pair for group in groups for pair in group]
    texts = sorted({text for pair in pairs for text in pair})
    sides = np.array([[texts.index(text) for text in pair] for pair in pairs], np.int64).reshape(-1, 2).T
    numbers = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    words = words_of_texts(pa.array(texts, pa.string()))
    page_pairs = np.array(range(len(pairs)) if pages is None else pages, np.int64)
    found = unlike_shares(words, sides, numbers, page_pairs, np.ones(len(pairs), bool))
    of_groups, of_pages = ([round(each, 4) for each in of.tolist()] for of in found)
    return of_groups, of_pages


def shares(*groups: list[Sides], pages: list[int] | None = None) -> list[float]:
    return both_shares(*groups, pages=pages)[0]


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
    # A page pair with less than a text counts as it is.
    often = [*four, *beside("omega", "gut so", "gut so", "ganz anders")]
    assert shares(often, pages=[*range(10), 9]) == [round((4.5 - FORGIVEN) / 6, 4)]


def test_texts_of_two_editions_of_a_page_do_not_count() -> None:
    # Three texts on two page pairs each: two of them on the same two, which are editions of one page.
    assert shares(THREE, pages=[0, 1, 1, 2, 2, 0]) == [round((3 - FORGIVEN) / 3, 4)]
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


def plain_shares(places: list[tuple[str, str, int]]) -> tuple[float, dict[int, float]]:
    """:func:`unlike_shares` of one group and of its page pairs, place by place."""
    repeated, on_page = 0, [0.0] * 6
    compared, unlike = [0.0] * 6, [0.0] * 6
    for ours, theirs in ((0, 1), (1, 0)):
        translations = defaultdict(list)
        for place in places:
            translations[place[ours]].append((place[theirs], place[2]))
        ends = Counter(
            couple for found in translations.values() if len(couple := frozenset(page for _, page in found)) == 2
        )
        counted = [
            found for found in translations.values() if ends[frozenset(page for _, page in found)] < EDITION_TEXTS
        ]
        in_doubt = Counter(page for found in counted if len({text for text, _ in found}) > 1 for _, page in found)
        for found in counted:
            times = Counter(text for text, _ in found)
            first = dict(reversed(found))
            _, _, right = min((-times[text], in_doubt[first[text]], number) for number, text in enumerate(times))
            best = set(list(times)[right].split())
            repeated += len(found) > 1
            there = Counter(page for _, page in found)
            for text, page in found:
                words = set(text.split())
                is_unlike = 2 * len(best & words) < LEAST_SHARED * (len(best) + len(words))
                on_page[page] += is_unlike / max(1, len(found) - 1)
                compared[page] += (len(there) > 1) / there[page]
                unlike[page] += is_unlike * (len(there) > 1) / there[page]
    of_pages = {page: max(0.0, unlike[page] - FORGIVEN) / max(1, compared[page]) for *_, page in places}
    return max(0.0, sum(min(1.0, share) for share in on_page) - FORGIVEN) / max(1, repeated), of_pages


@given(TEXTS)
def test_the_share_is_that_of_a_plain_count(places: list[tuple[str, str, int]]) -> None:
    of_groups, of_pages = both_shares([place[:2] for place in places], pages=[page for *_, page in places])
    of_group, of_page = plain_shares(places)
    # Sums in another order may fall on the other side of a rounding.
    assert of_groups == pytest.approx([of_group] * bool(places), abs=1e-4)
    assert of_pages == pytest.approx([of_page.get(page, 0.0) for page in range(len(of_pages))], abs=1e-4)


def entries(*numbers: int) -> list[Sides]:
    """Entries of a glossary in two languages; ``numbers``: the second language's beside each of the first, in order."""

    def sentence(letter: str) -> str:
        return " ".join(letter * length for length in range(5, 9)) + "."

    return [(sentence("abcdefgh"[mine]), sentence("stuvwxyz"[its])) for mine, its in enumerate(numbers)]


def test_a_list_that_is_sorted_anew_is_wrong_and_not_the_pages_of_its_entries() -> None:
    # The list comes first or last, beside a page for each entry: six of eight English and as many German texts.
    glossary, pages = entries(0, 2, 3, 4, 5, 6, 1, 7), entries(*range(8))
    wrong = round((12 - FORGIVEN) / 16, 4)
    assert both_shares([*glossary, *pages], pages=[0] * 8 + list(range(1, 9))) == ([0.0], [wrong] + [0.0] * 8)
    assert both_shares([*pages, *glossary], pages=[*range(8)] + [8] * 8) == ([0.0], [0.0] * 8 + [wrong])


def limited(*texts: Sides, pages: list[int] | None = None, **flags: list[str]) -> list[float]:
    """Scores of segments; ``pages``: the page pair of each segment, None if each has its own."""
    rows = [
        made_segment(src, tgt, page=page, score=1.0, flags=flags.get(tgt, []))
        for page, (src, tgt) in zip(pages or range(len(texts)), texts, strict=True)
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
    assert limited(*pasted, pages=[0] * 7) == [KEPT] * 7
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


def test_a_page_pair_is_no_surer_than_its_repeated_sentences() -> None:
    glossary, pages = entries(0, 2, 3, 4, 5, 6, 1, 7), entries(*range(8))
    rows = [("Only here it stands.", "Nur hier steht es ja."), *glossary, *pages]
    found = limited(*rows, pages=[0] * 9 + list(range(1, 9)))
    # Six of eight sentences of both languages stand elsewhere beside others, of which two are forgiven.
    assert found[0] == found[2] == round(1 - 10 / 16, 3)
    # What the glossary and a page have in common stays, and so do the pages.
    assert min(found[1], found[8], *found[9:]) > 0.9


def test_a_note_beside_many_sentences_of_a_page_is_one_text() -> None:
    note = "Not yet in our language."
    noted = [*((src, note) for src, _ in entries(*range(8))), ("The original is newer.", note)]
    assert both_shares(noted, pages=[0] * 8 + [1])[1] == [0.0, 0.0]
    # All eight sentences and the note stand elsewhere beside others.
    of_pages = both_shares([*noted, *entries(*range(8))], pages=[0] * 8 + [1] + list(range(2, 10)))[1]
    assert of_pages[:2] == [round((8 + 1 - FORGIVEN) / 9, 4), 0.0]


@pytest.mark.parametrize(
    ("support", "is_beaten"),
    [
        ([4.5, 4.5, 4.5, 1.5], True),
        ([4.5, 4.5, 4.5, 1.6], False),
        ([0.0, 0.0, 0.0, 0.0], False),  # nothing speaks for any of them
        ([0.4, 0.4, 0.4, 0.0], True),
    ],
)
def test_both_texts_have_a_translation_three_times_as_well_supported(support: list[float], is_beaten: bool) -> None:
    texts = pa.array(["black dress", "short trousers", "schwarzes Kleid", "kurze Hose"])
    # Each of two products beside each of two names; the last row has the second of both.
    sides = np.array([[0, 0, 1, 1], [2, 3, 2, 3]])
    best = np.array([[0, 0, 2, 2], [0, 1, 0, 1]])
    found = have_unlike_rivals(texts, sides, best, np.array(support))
    assert found.tolist() == [False, False, False, is_beaten]


UNLIKELY = ["Berg und Tal", "Glas und Krug", "Licht und Luft", "Feld und Flur", "Rat und Tat", "Kind und Kegel"]
NO_WORD_IN_COMMON = ["one two three", "four five six", "seven eight nine"]


@pytest.mark.parametrize(
    ("notice", "beside", "support", "expected"),
    [
        ("Only in Japanese for now.", NO_WORD_IN_COMMON, [1, 1, 1], True),
        ("この項目は日本語だけです。", NO_WORD_IN_COMMON, [1, 1, 1], True),
        ("Only in Japanese now.", NO_WORD_IN_COMMON, [1, 1, 1], False),  # four words may be said in many ways
        ("Only in Japanese for now", NO_WORD_IN_COMMON, [1, 1, 1], False),
        ("Only in Japanese for now.", NO_WORD_IN_COMMON[:2], [1, 1], False),
        ("Only in Japanese for now.", [*NO_WORD_IN_COMMON[:2], "four six ten"], [1, 1, 1], False),  # two wordings
        ("Only in Japanese for now.", NO_WORD_IN_COMMON, [4, 1, 1], True),
        ("Only in Japanese for now.", NO_WORD_IN_COMMON, [4.1, 1, 1], False),  # the right one, and two slips
        ("Only in Japanese for now.", [*NO_WORD_IN_COMMON, "one two ten"], [2.1, 1, 1, 2], False),  # two wordings
        ("Only in Japanese for now.", [*NO_WORD_IN_COMMON, "one two ten"], [2, 1, 1, 2], True),
    ],
)
@pytest.mark.parametrize("side", [0, 1])
def test_a_sentence_beside_three_unlike_texts_is_a_notice(
    notice: str, beside: list[str], support: list[float], expected: bool, side: int
) -> None:
    found = _notices(notice, beside, support, 2 * len(beside), side)
    assert found.tolist() == [expected] * len(beside) + [False] * 2 * len(beside)


def _notices(notice: str, beside: list[str], support: list[float], unlikely: int, side: int = 0) -> Mask:
    """Whether each segment of a text is one of a notice; some more segments are unlikely."""
    texts = pa.array([notice, *beside, *(f"unlikely {number}" for number in range(unlikely))])
    others = np.arange(1, len(texts))
    sides = np.stack([np.zeros_like(others), others])
    likely = others <= len(beside)
    worth = np.concatenate([support, np.full(unlikely, 9.0)])
    return are_notices(texts, sides[::-1] if side else sides, np.zeros_like(others), worth, likely)


@pytest.mark.parametrize(("unlikely", "expected"), [(0, False), (5, False), (6, True)])
def test_a_third_of_the_texts_beside_a_notice_are_likely_at_most(unlikely: int, expected: bool) -> None:
    assert _notices("Only in Japanese for now.", NO_WORD_IN_COMMON, [1, 1, 1], unlikely)[:3].all() == expected


@pytest.mark.parametrize(
    ("beside", "support", "expected"),
    [
        (["a b", "c d", "e f", "g h", "i j"], [1, 1, 1, 1, 1], False),
        (["a b", "c d", "e f", "g h", "i j", "k l"], [1, 1, 1, 1, 1, 1], True),
        (["a b", "c d", "e f", "g h", "i j", "a c"], [1, 1, 1, 1, 1, 1], False),  # like "a b": five unlike ones
        (["a b", "c d", "e f", "g h", "i j", "k l"], [10, 1, 1, 1, 1, 1], True),
        (["a b", "c d", "e f", "g h", "i j", "k l"], [10.1, 1, 1, 1, 1, 1], False),  # the right one, and five slips
    ],
)
@pytest.mark.parametrize("side", [0, 1])
def test_six_unlike_texts_beside_a_notice_may_all_be_likely(
    beside: list[str], support: list[float], expected: bool, side: int
) -> None:
    found = _notices("We pass this on to the next step.", beside, support, 0, side)
    assert found.tolist() == [expected] * len(beside)


def test_a_notice_is_of_one_site_and_language_pair() -> None:
    texts = pa.array(["Only in Japanese for now.", *NO_WORD_IN_COMMON, *"abcdef"])
    sides = np.stack([np.zeros(9, np.int64), np.arange(1, 10)])
    likely = np.arange(9) < 3
    assert are_notices(texts, sides, np.zeros(9, np.int64), np.ones(9), likely).tolist() == likely.tolist()
    assert not are_notices(texts, sides, np.arange(9) % 3, np.ones(9), likely).any()


@pytest.mark.parametrize(
    ("notice", "beside"),
    [
        (
            "Please contact us for more information.",
            [
                "Jos haluat tietää enemmän, ota yhteys myyjään.",
                "Lisätietoja saat ottamalla meihin yhteyttä.",
                "Kysy rohkeasti lisää!",
            ],
        ),
        ("What do you think about it?", ["どう思いますか。", "あなたの意見は？", "ご感想をお聞かせください。"]),
        (
            "Bitte beachten Sie die folgenden Hinweise.",
            ["Kindly heed what follows.", "Please note these instructions.", "Read our advice below."],
        ),
    ],
)
def test_a_right_translation_in_several_wordings_is_no_notice(notice: str, beside: list[str]) -> None:
    # The aligner slips as often as it is right: at one unlike text for each wording.
    assert not _notices(notice, beside, [1, 1, 1], len(beside)).any()


def _word(number: int) -> str:
    """A word of five letters for a number: longer words are cut."""
    return f"{number:05}".translate(str.maketrans("0123456789", "abcdefghij"))


def test_a_notice_is_judged_by_the_best_supported_texts() -> None:
    # The best 200: 67 unlike ones, and 133 or 134 wordings of a right translation. Two thirds are 133.3.
    for wordings, expected in ((133, True), (134, False)):
        beside = [
            *map(_word, range(1000, 1200 - wordings)),
            *(f"right text {_word(number)}" for number in range(wordings)),
        ]
        further = [f"further {_word(number)}" for number in range(500)]
        support = [2.0] * 200 + [1.0] * 500
        found = _notices("Only in Japanese for now.", beside + further, support, 1400)
        assert found[:700].tolist() == [expected] * 700


def test_two_hundred_texts_beside_a_notice_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []
    share_words = consistency._share_words

    def count(words: TextWords, texts: Ints, others: Ints) -> Mask:
        compared.append(len(texts))
        return share_words(words, texts, others)

    monkeypatch.setattr(consistency, "_share_words", count)
    unlike = [_word(number) for number in range(1000)]
    assert _notices("Only in Japanese for now.", unlike, [1.0] * 1000, 2000)[:1000].all()
    assert sum(compared) == 200 * 199 // 2


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [1, 0, 2, 3, 4], [4, 3, 2, 1, 0]])
def test_the_verdict_on_a_notice_does_not_depend_on_the_order_of_segments(order: list[int]) -> None:
    # "b c" is like "a b" and "c d", which are unlike each other. Compared first, it would be worth three quarters.
    texts = pa.array(["Only in Japanese for now.", "a b", "b c", "c d", "x", "y", *map(_word, range(10))])
    rows = np.array([*order, *range(5, 15)])
    sides = np.stack([np.zeros(15, np.int64), rows + 1])
    support = np.array([1, 1, 1, 0.5, 0.5, *[0] * 10])[rows]
    assert are_notices(texts, sides, np.zeros(15, np.int64), support, rows < 5).sum() == 5


@pytest.mark.parametrize(("score", "expected"), [(0.6, 1), (0.4, 0)])
def test_a_notice_is_flagged_beside_likely_texts(score: float, expected: int) -> None:
    rows = [
        made_segment(text, "Only in Japanese for now.", page=page, score=score if page < 3 else 0.1)
        for page, text in enumerate(["Haus Baum Tür", "Hund Katze Maus", "Brot Salz Wein", *UNLIKELY])
    ]
    found = flag_segments(pa.Table.from_pylist(rows, schema=SEGMENT_SCHEMA), Cleaning(min_score=0.5))["flags"]
    assert [flags.count("notice") for flags in found.to_pylist()] == [expected] * 3 + [0] * 6
