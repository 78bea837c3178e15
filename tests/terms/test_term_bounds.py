"""Both sides of every constant on the way to a term, worked by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diglot.terms import function_words as words_module
from diglot.terms import links as links_module
from diglot.terms import tokens as tokens_module
from diglot.terms.candidates import Candidates, Side, find_candidates, is_complete
from diglot.terms.estimate import TermPlaces, expected_pages, probability, termhood
from diglot.terms.function_words import FunctionWords, well_bounded
from diglot.terms.links import Links, link_words
from diglot.terms.phrases import MAX_WORDS, Pairs, hashes, phrase_pairs, places_of
from diglot.terms.rivals import Translations, find_rivals, same_sources
from diglot.terms.scoring import Counts, association, cohesion, count, free_counts, gram_counts
from diglot.terms.table import TERM_SCHEMA
from diglot.terms.tokens import MIN_MERGED, Tokens, cut
from diglot.terms.variants import (
    Endings,
    base_forms,
    beginnings,
    find_endings,
    group_forms,
    is_derived,
    is_form,
    keys_of,
)
from frozen_records import records_that_may_change


def plain(tokens: Tokens, function: Sequence[str] = (), connects: Sequence[str] = ()) -> Side:
    """A side of which these words are function words, and these of them stand within terms."""
    lists = (np.array([name in chosen for name in tokens.names], bool) for chosen in (function, connects))
    return Side(tokens, FunctionWords(*lists, np.ones(len(tokens.names))), hashes(tokens))


def linked(*ends: tuple[int, int]) -> Links:
    pairs = np.array(sorted(ends), np.int64).reshape(-1, 2)
    return Links(pairs[:, 0], pairs[:, 1], np.ones(len(pairs), np.float32))


# Tokens.


@pytest.mark.parametrize(("times", "merged"), [(MIN_MERGED - 1, False), (MIN_MERGED, True)])
def test_neighbours_are_one_word_from_four_segments_on(times: int, merged: bool) -> None:
    texts = ["自由"] * times + ["山", "川", "空", "犬", "猫", "鳥"] * 3
    assert MIN_MERGED == 4
    assert ("自由" in cut(texts, "th").names) == merged


def test_words_grow_to_sixteen_characters() -> None:
    long = "一二三四五六七八九十百千万億兆京垓"
    names = cut([long] * 9 + [*"山川空犬猫鳥"] * 9, "th").names
    assert max(map(len, names)) == 16


def test_neighbours_are_one_word_by_their_normalised_mutual_information() -> None:
    # "ab": p = c / n, p(a) = p(b) = (c + s) / n; the logarithm of p / (p(a) p(b)) over that of 1 / p is .45 or not.
    def cohesion_of(both: int, single: int, other: int) -> float:
        n = 2 * both + 2 * single + other
        return math.log((both / n) / ((both + single) / n) ** 2) / -math.log(both / n)

    for single in range(1, 60):
        texts = ["自由"] * 10 + ["自", "由"] * single + ["山"] * 10 + ["川"] * 10
        value = cohesion_of(10, single, 20)
        assert ("自由" in cut(texts, "th").names) == (value >= tokens_module._LEAST_COHESION)
    assert cohesion_of(10, 1, 20) > 0.45 > cohesion_of(10, 59, 20)


def test_a_clause_ends_at_a_mark_behind_a_blank_in_french_alone() -> None:
    assert cut(["Oui ! Non . Si ; la"], "fr").closes.tolist() == [True, False, True, True]
    assert cut(["a, b) c - d"], "fr").closes.tolist() == [True, True, False, True]
    assert cut(["a\u00a0b  c d"], "fr").breaks.tolist() == [True, False, True, False]


# Links.


def chosen(pairs: Sequence[tuple[int, int, float, float]]) -> list[tuple[int, int]]:
    i, j, explained, explaining = (np.array(column) for column in zip(*pairs, strict=True))
    found = links_module._choose(i, j, explained.astype(np.float32), explaining.astype(np.float32))
    return list(zip(found.src.tolist(), found.tgt.tolist(), strict=True))


@pytest.mark.parametrize(
    ("pairs", "found"),
    [
        ([(0, 0, 0.15, 0.15)], [(0, 0)]),
        ([(0, 0, 0.15, 0.149)], []),  # the root of both is below .15
        ([(0, 0, 0.9, 0.9), (0, 1, 0.5, 0.5)], [(0, 0), (0, 1)]),  # a free neighbour, one way at .3 or more
        ([(0, 0, 0.9, 0.9), (0, 1, 0.31, 0.1)], [(0, 0), (0, 1)]),
        ([(0, 0, 0.9, 0.9), (0, 1, 0.29, 0.1)], [(0, 0)]),
        ([(0, 0, 0.9, 0.9), (1, 0, 0.1, 0.31)], [(0, 0), (1, 0)]),
        ([(0, 0, 0.9, 0.9), (1, 0, 0.1, 0.29)], [(0, 0)]),
        ([(0, 0, 0.9, 0.9), (0, 2, 0.31, 0.1)], [(0, 0), (0, 2)]),  # two tokens away
        ([(0, 0, 0.9, 0.9), (0, 3, 0.31, 0.1)], [(0, 0)]),
        ([(0, 0, 0.9, 0.9), (2, 0, 0.1, 0.31)], [(0, 0), (2, 0)]),
        ([(0, 0, 0.9, 0.9), (3, 0, 0.1, 0.31)], [(0, 0)]),
        ([(0, 0, 0.9, 0.9), (1, 1, 0.2, 0.2)], [(0, 0), (1, 1)]),
        ([(0, 0, 0.9, 0.9), (0, 1, 0.8, 0.8), (1, 1, 0.7, 0.7)], [(0, 0), (0, 1)]),
    ],
)
def test_links_on_both_sides_of_what_is_asked(
    pairs: list[tuple[int, int, float, float]], found: list[tuple[int, int]]
) -> None:
    assert chosen(pairs) == found


def test_a_pair_that_nothing_explains_is_the_best_of_no_token() -> None:
    values = np.array([0.2, 0.5, 0.5, 0.0, 0.0], np.float32)
    assert links_module._is_best(np.array([0, 0, 0, 3, 4]), values).tolist() == [False, True, True, False, False]
    assert links_module._is_best(np.zeros(0, np.int64), np.zeros(0, np.float32)).tolist() == []


@pytest.mark.parametrize(("words", "any_link"), [(200, True), (201, False)])
def test_a_segment_of_more_than_forty_thousand_pairs_of_tokens_is_not_linked(words: int, any_link: bool) -> None:
    short = [f"cat{n % 7} dog{n % 5}" for n in range(64)]
    lists = " ".join(["cat1 dog1", *["item"] * (words - 2)]), " ".join(["cat1 dog1", *["item"] * 198])
    src, tgt = cut([*short, lists[0]], "en"), cut([*short, lists[1]], "en")
    links = link_words(src, tgt)
    assert (src.segments[links.src] == 64).any() == any_link
    assert (src.segments[links.src] < 64).sum() > 100


# Function words.


def test_how_often_a_word_ends_a_clause_is_counted_in_segments_of_four_tokens() -> None:
    side = cut(["a b c d", "a b c d", "d a b"], "en")
    # Four of eight... the first two segments: one token in four ends a clause; "d" does in both of its two places.
    ending = dict(zip(side.names, words_module._ending(side).tolist(), strict=True))
    assert ending["d"] == pytest.approx((2 + 2) / (2 / 4 + 2))
    assert ending["a"] == ending["b"] == pytest.approx(2 / (2 / 4 + 2))


@pytest.mark.parametrize(
    ("same", "of", "openness"), [(1, 2, 1.0), (9, 10, 0.0), (7, 10, 0.5), (1, 4, 1.0), (4, 4, 0.0)]
)
def test_a_word_is_open_that_goes_before_many_others(same: int, of: int, openness: float) -> None:
    side = cut([*["the cat"] * same, *(f"the x{n}" for n in range(of - same))], "en")
    assert words_module._openness(side)[side.names.index("the")] == pytest.approx(openness)


@pytest.mark.parametrize(
    ("share", "segments", "asked"),
    [
        (0.005, 10_000, 0.62),
        (0.01, 10_000, 0.56),
        (0.04, 10_000, 0.44),
        (0.5, 10_000, 0.44),
        (0.0025, 10_000, 0.68),
        (0.002, 10_000, 0.62 + 0.06 * math.log2(2.5)),
        (0.0019, 10_000, 2.0),
        (12 / 1_000, 1_000, 0.62 - 0.06 * math.log2(2.4)),
        (11 / 1_000, 1_000, 2.0),
    ],
)
def test_the_degree_asked_of_a_function_word(share: float, segments: int, asked: float) -> None:
    side = cut(["a"] * segments, "en")
    assert words_module._least_degree(np.array([share]), side).tolist() == pytest.approx([asked])


def test_a_function_word_between_two_others() -> None:
    side = cut(["a of b", "of b", "a of", "a of of b", "a, of b", "a of, b"], "en")
    found = words_module._between(side, np.array([name == "of" for name in side.names]))
    assert np.flatnonzero(found).tolist() == [1]


@pytest.mark.parametrize(
    ("free", "bound", "connects"), [(5, 0, True), (4, 0, False), (5, 45, True), (5, 46, False), (20, 180, True)]
)
def test_a_connector_has_no_counterpart_five_times_and_in_a_tenth_of_its_places(
    free: int, bound: int, connects: bool
) -> None:
    """ "roue de vent" is "wind wheel", where "de" is linked to nothing, or it is "wheel of wind"."""
    src = cut(["wheel wind"] * free + ["wheel of wind"] * bound, "en")
    tgt = cut(["roue de vent"] * (free + bound), "fr")
    ends = [(2 * n + side, 3 * n + 2 * side) for n in range(free) for side in (0, 1)]
    ends += [(2 * free + 3 * n + side, 3 * (free + n) + side) for n in range(bound) for side in (0, 1, 2)]
    functions = [np.array([name in ("of", "de") for name in side.names]) for side in (src, tgt)]
    found = words_module._connectors(src, tgt, linked(*ends), functions)
    assert found[1][tgt.names.index("de")] == connects
    assert found[0].any() == (connects and bound > 0)  # "of" goes to a connector with all its links


def test_a_run_begins_and_ends_with_no_function_word_and_holds_none_that_connects_nothing() -> None:
    tokens = cut(["the mill of stone", "mill and stone"], "en")
    words = plain(tokens, ["the", "of", "and"], ["of"]).words
    runs = [(0, 1), (0, 2), (1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (3, 1), (4, 3), (6, 1)]
    first, sizes = (np.array(column) for column in zip(*runs, strict=True))
    assert well_bounded(tokens, words, first, sizes).tolist() == [
        *(False, False, True, False, True, False, False, True, False, True)
    ]


# Phrases and candidates.


def test_phrases_have_six_words_at_most() -> None:
    for size in (MAX_WORDS, MAX_WORDS + 1):
        side = cut([" ".join(f"w{n}" for n in range(size))], "en")
        found = phrase_pairs(side, side, linked(*((n, n) for n in range(size))), hashes(side), hashes(side))
        assert found.src_size.max() == found.tgt_size.max() == 6
        assert (found.src_size == found.tgt_size).all()
        assert len(found.src) == sum(size - n for n in range(6))
    assert MAX_WORDS == 6


def test_a_phrase_of_the_other_side_has_six_words_at_most() -> None:
    src = cut(["a b"], "en")
    for gap, whole in ((5, True), (6, False)):
        tgt = cut([" ".join(f"w{n}" for n in range(gap + 1))], "fr")
        found = phrase_pairs(src, tgt, linked((0, 0), (1, gap)), hashes(src), hashes(tgt))
        assert (2 in found.src_size) == whole


def test_where_phrases_stand_and_how_often() -> None:
    side = plain(cut(["a b a", "a b", "a, b"], "en"))
    a, ab = side.hashes[0][0], side.hashes[1][0]
    known = np.array(sorted([a, ab]))
    places = places_of(known, side.hashes)
    found = {
        name: sorted(places.first[places.phrases == np.flatnonzero(known == name)[0]].tolist()) for name in (a, ab)
    }
    assert found == {a: [0, 2, 3, 5], ab: [0, 3]}
    assert gram_counts(side, np.array([a, ab, ab + np.uint64(1)]), np.array([1, 2, 2])).tolist() == [4, 2, 0]


def found_pairs(texts: Sequence[tuple[str, str]], links: Links, function: Sequence[str] = ()) -> set[tuple[str, str]]:
    src, tgt = (plain(cut([pair[side] for pair in texts], "en"), function) for side in (0, 1))
    pairs = phrase_pairs(src.tokens, tgt.tokens, links, src.hashes, tgt.hashes)
    candidates, src_phrases, tgt_phrases = find_candidates(src, tgt, pairs)

    def text(side: Side, first: int, size: int) -> str:
        return " ".join(side.tokens.names[word] for word in side.tokens.words[first : first + size])

    return {
        (
            text(src, src_phrases.first[one], src_phrases.sizes[one]),
            text(tgt, tgt_phrases.first[other], tgt_phrases.sizes[other]),
        )
        for one, other in zip(candidates.src, candidates.tgt, strict=True)
    }


def test_a_pair_is_linked_in_two_segments_or_is_a_segment_of_four_words() -> None:
    long = ("one two three four five", "un deux trois quatre cinq")
    assert found_pairs([long], linked((0, 0))) == set()
    # All five words of the segment are linked: a sentence, and no term.
    assert found_pairs([long], linked(*((place, place) for place in range(5)))) == set()
    assert found_pairs([long] * 2, linked((0, 0), (5, 5))) == {("one", "un")}
    four = ("one two three four", "un deux trois quatre")
    whole = (" ".join(four[0].split()), " ".join(four[1].split()))
    assert found_pairs([four], linked((0, 0))) == {whole}
    assert found_pairs([(four[0], long[1])], linked((0, 0))) == set()
    assert found_pairs([(long[0], four[1])], linked((0, 0))) == set()
    assert found_pairs([("the one", "un")], linked((1, 0)), ["the"]) == set()


@pytest.mark.parametrize(
    ("text", "candidate"),
    [
        ("12", False),
        ("x", False),
        ("xy", True),
        ("水", True),
        ("x2", True),
        ("2 x", False),
        ("x 2", False),
        ("C", False),
    ],
)
def test_a_candidate_begins_and_ends_with_letters_and_is_more_than_one(text: str, candidate: bool) -> None:
    assert bool(found_pairs([(text, text)], linked())) == candidate


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("mill", True),
        ("mill wind", False),
        ("wind mill", False),
        ("mill of the wind", False),  # two function words between
        ("mill of the a wind", True),  # three
        ("wind of the mill", False),
        ("wind of the a mill", True),
        ("mill, wind", True),
        ("wind, mill", True),
    ],
)
def test_a_pair_is_not_complete_beside_a_word_that_is_linked_to_nothing(text: str, complete: bool) -> None:
    src, tgt = plain(cut([text], "en"), ["of", "the", "a"]), plain(cut(["moulin"], "fr"))
    at = src.tokens.names.index("mill")
    first = int(np.flatnonzero(src.tokens.words == at)[0])
    links = linked((first, 0))
    pairs = phrase_pairs(src.tokens, tgt.tokens, links, src.hashes, tgt.hashes)
    assert is_complete([src, tgt], links, pairs).tolist() == [complete]


# Forms of words.

PLURAL = frozenset({("", "s"), ("", "ed"), ("ed", "s")})


@pytest.mark.parametrize(
    ("one", "other", "form"),
    [
        ("abc", "abcd", True),
        ("ab", "abd", False),  # three letters alike
        ("abc", "abcxyz", True),
        ("abc", "abcwxyz", False),  # longer by four
        ("abcd", "abcdwxyz", False),
        ("abcuvwx", "abcd", False),  # the ending is longer than the stem
        ("abcduvwx", "abcdd", True),
        ("abcde", "abcdf", False),  # endings of no other word
        ("abc1", "abc1d", True),
        ("abc1", "abc", False),
        ("abc1", "abc1", True),
    ],
)
def test_forms_on_both_sides_of_their_bounds(one: str, other: str, form: bool) -> None:
    endings = frozenset({("", "d"), ("", "xyz"), ("", "wxyz"), ("d", "uvwx")})
    assert is_form(one, other, endings) == is_form(other, one, endings) == form


def endings_of(pairs: Sequence[tuple[str, str]]) -> tuple[Endings, Endings]:
    own, other = [(pair[0],) for pair in pairs], [(pair[1],) for pair in pairs]
    places = np.arange(len(pairs)), np.arange(len(pairs))
    return find_endings(own, other, places), find_endings(other, own, places)


SERVERS = [("server", "сервер"), ("service", "сервис")]
FORMS = [("right", "право"), ("right", "права"), ("word", "слово"), ("words", "слова")]


def test_endings_are_those_of_several_words_alike_on_both_sides() -> None:
    assert endings_of([*SERVERS, *FORMS]) == (frozenset(), frozenset({("а", "о")}))
    # One word alone proves nothing, and neither do words of which the translations are unlike.
    assert endings_of([*SERVERS, *FORMS[:2]])[1] == frozenset()
    assert endings_of([*FORMS[:2], ("word", "слово"), ("mill", "слова")])[1] == frozenset()
    # Names and versions differ in figures.
    assert endings_of([("v2.4", "v2.4"), ("v2.8", "v2.8"), ("v11.4", "v11.4"), ("v11.8", "v11.8")])[0] == frozenset()


@pytest.mark.parametrize(
    ("src", "tgt", "joined"),
    [
        (("wheel", "wheels"), ("abcdef", "abcdxy"), False),  # four letters of six, where two endings are unknown
        (("wheel", "wheels"), ("abcdefgh", "abcdefxy"), True),  # thrice as long
        (("wheel", "wheels"), ("abcdefgh", "abcdewxy"), False),
        (("plan", "play"), ("plan", "play"), False),  # unknown on both sides
        (("wheel", "wheel"), ("abcd", "abce"), True),
    ],
)
def test_endings_unknown_on_one_side_need_a_long_stem(src: tuple[str, str], tgt: tuple[str, str], joined: bool) -> None:
    numbers = range(2)
    sides = [[(word,) for word in each] for each in (src, tgt)]
    groups = group_forms(candidates_of(numbers, numbers, [2, 1]), *sides, (PLURAL, frozenset()))
    assert (groups.tolist() == [0, 0]) == joined


def test_beginnings_change_in_arabic_alone() -> None:
    known = {("-", "ال-"), ("-", "ل-")}
    arabic = [("state", "دولة"), ("state", "الدولة"), ("state", "لدولة"), ("law", "قانون")]
    arabic += [("law", "القانون"), ("law", "لقانون")]
    assert endings_of(arabic)[1] == {*known, ("-", "ا-")}
    assert endings_of([("fair", "fair"), ("fair", "unfair"), ("free", "frei"), ("free", "unfrei")])[1] == frozenset()
    groups = group_forms(
        candidates_of([0, 0, 0], [0, 1, 2], [3, 2, 1]),
        [("state",)],
        [("دولة",), ("الدولة",), ("لدولة",)],
        (frozenset(), frozenset(known)),
    )
    assert groups.tolist() == [0, 0, 0]
    src = [("الدولة", "الحرة"), ("لدولة", "حرة"), ("دولة", "كبيرة")]
    assert same_sources(src, np.array([3, 2, 1]), frozenset({*known, ("-", "ا-")})).tolist() == [0, 0, 2]


@given(st.text("ابتال", min_size=1, max_size=6), st.text("ابتال", min_size=1, max_size=6))
def test_forms_have_a_key_in_common(one: str, other: str) -> None:
    endings = frozenset({("-", "ال-"), ("-", "ل-"), ("ب-", "ل-"), ("", "ا"), ("ا", "ت")})
    if is_form(one, other, endings):
        assert set(keys_of((one,), endings)) & set(keys_of((other,), endings))


def test_words_made_of_each_other_begin_with_the_same_four_letters() -> None:
    assert is_derived("abcd", "abcdefghi")
    assert is_derived("ábcd", "abcdx")
    assert not is_derived("abc", "abc")
    assert not is_derived("abcd", "abce")
    assert beginnings(("Ärger", "of", "wheel")) == ("Arg", "of", "whe")


def candidates_of(
    src: Sequence[int], tgt: Sequence[int], counts: Sequence[int], units: Sequence[int] | None = None
) -> Candidates:
    empty = np.zeros(0, np.int64)
    nothing = Pairs(*(np.zeros(0, np.uint64),) * 2, *(empty,) * 5, np.zeros(0))
    each = [np.array(column) for column in (src, tgt, counts, units or [0] * len(src))]
    return Candidates(*each, np.zeros(len(src)), nothing, empty)


def test_a_form_joins_the_most_linked_one_and_groups_stand_in_their_order() -> None:
    src = [("wheel",), ("wheels",), ("mill",)]
    tgt = [("roue",), ("roues",), ("moulin",)]
    endings = (PLURAL, PLURAL)
    found = group_forms(candidates_of([0, 1, 2, 0], [0, 1, 2, 2], [3, 9, 5, 5]), src, tgt, endings)
    assert found.tolist() == [0, 0, 1, 2]
    assert group_forms(candidates_of([0, 1], [0, 2], [1, 1]), src, tgt, endings).tolist() == [0, 1]


BOTH_SIDES = [("requests", "Anfragen"), ("request", "Anfrage")]
ONE_SIDE = [("virtual", "virtuels"), ("virtual", "virtuel")]


@pytest.mark.parametrize(
    ("forms", "counts", "units", "base"),
    [
        (BOTH_SIDES, (8, 2), (0, 0), 1),  # a quarter of the links, no less
        (BOTH_SIDES, (9, 2), (0, 0), 0),
        (BOTH_SIDES, (9, 2), (0, 1), 1),  # shown alone: as often as it may be
        (BOTH_SIDES, (8, 8), (1, 0), 0),  # the site shows the longer form alone
        (BOTH_SIDES, (8, 2), (5, 1), 1),
        (ONE_SIDE, (8, 4), (0, 0), 1),  # half of them, where one side alone gets shorter
        (ONE_SIDE, (9, 4), (0, 0), 0),
        ([("schön", "belle"), ("schon", "bel")], (4, 4), (0, 0), 1),  # marks do not count
        ([("aktiv", "actives"), ("aktives", "actif")], (4, 4), (0, 0), 0),  # one lengthens, the other does not
        ([("https", "https"), ("http", "http")], (4, 4), (0, 0), 0),  # names have no other form
        ([("groups", "groupes"), ("group", "group")], (4, 4), (0, 0), 0),
        ([("requests", "Anfragen"), ("request", "Anfrage"), ("reques", "Anfrag")], (9, 4, 3), (0, 0, 0), 2),
    ],
)
def test_the_base_form_is_the_shortest_that_the_site_shows(
    forms: list[tuple[str, str]], counts: Sequence[int], units: Sequence[int], base: int
) -> None:
    numbers = range(len(forms))
    candidates = candidates_of(numbers, numbers, counts, units)
    sides = [[(form[side],) for form in forms] for side in (0, 1)]
    best, groups = np.array([0]), np.zeros(len(forms), np.int64)
    assert base_forms(candidates, groups, best, *sides).tolist() == [base]


def test_words_of_a_phrase_are_shorter_one_by_one() -> None:
    src = [("virtual", "hosts"), ("virtual", "host"), ("virtua", "hostss")]
    tgt = [("virtuelle", "Hosts"), ("virtuell", "Host"), ("virtuell", "Host")]
    candidates = candidates_of([0, 1, 2], [0, 1, 2], [4, 4, 4])
    assert base_forms(candidates, np.zeros(3, np.int64), np.array([0]), src, tgt).tolist() == [1]


# Counts.


def occurrences(rows: Sequence[tuple[int, int, int, int, int]]) -> Pairs:
    """Occurrences by segment, first token and words of the source, and of the target."""
    segments, src, src_size, tgt, tgt_size = (np.array(column) for column in zip(*rows, strict=True))
    none = np.zeros(len(rows), np.uint64)
    return Pairs(none, none, src, src_size, tgt, tgt_size, segments, np.linspace(0.2, 1, len(rows)))


def test_a_pair_is_free_where_no_longer_strong_one_holds_it() -> None:
    rows = [(0, 0, 1, 0, 1), (0, 0, 2, 0, 2), (1, 5, 1, 5, 1), (2, 9, 1, 9, 1), (2, 8, 2, 7, 2), (3, 12, 1, 20, 1),
            (3, 13, 2, 18, 3)]  # fmt: skip
    numbers = np.array([0, 1, 0, 0, 1, 0, 1])
    plain_ones = candidates_of([0, 1], [0, 1], [4, 3])
    made = Candidates(*plain_ones[:5], occurrences(rows), numbers)
    groups = np.array([0, 1])
    # In segment 0 and 2 the longer pair begins with it or ends so; in 3 its target lies within that of the longer one.
    assert free_counts(made, groups, np.array([False, True]), 4).tolist() == [1, 3]
    assert free_counts(made, groups, np.array([False, False]), 4).tolist() == [4, 3]
    assert free_counts(made, groups, np.array([True, False]), 4).tolist() == [4, 3]


def test_counts_of_a_group_by_hand() -> None:
    texts = [("mill", "moulin"), ("mills stand", "moulins debout"), ("mill stands", "reste"), ("no", "moulin")]
    src, tgt = (plain(cut([pair[side] for pair in texts], "en")) for side in (0, 1))
    links = linked((0, 0), (1, 1), (2, 2), (4, 3))
    pairs = phrase_pairs(src.tokens, tgt.tokens, links, src.hashes, tgt.hashes)
    candidates, *phrases = find_candidates(src, tgt, pairs)
    names = [
        (src.tokens.names[src.tokens.words[phrases[0].first[a]]], int(phrases[0].sizes[a]), int(phrases[1].sizes[b]))
        for a, b in zip(candidates.src, candidates.tgt, strict=True)
    ]
    # All short segments are candidates; "mill" and "mills" with one word on both sides would need two segments each.
    assert ("mill", 1, 1) in names
    one = names.index(("mill", 1, 1))
    groups = np.arange(len(candidates))
    counts = count(candidates, groups, phrases[0], phrases[1], len(texts))
    picked = {name: getattr(counts, name)[one].item() for name in Counts._fields}
    assert picked == {
        "linked": 1,
        "units": 1,
        "src": 2,
        "tgt": 2,
        "both": 1,
        "weight": 1.0,
        "src_linked": 1,
        "tgt_linked": 2,
    }


def test_cohesion_is_that_of_the_weakest_joint() -> None:
    # Twelve tokens: "a b" twice, "a" three times, "b" four times: log2(2 * 12 / (3 * 4)) = 1.
    side = plain(cut(["a b c", "a b", "a, b, b", "x, y, z, u"], "en"))
    assert len(side.tokens) == 12
    first, sizes = np.array([0, 0, 0]), np.array([1, 2, 3])
    phrases = type("P", (), {})()
    phrases.hashes = np.array([side.hashes[size - 1][0] for size in (1, 2, 3)])
    phrases.first, phrases.sizes = first, sizes
    # "a b c" once: a | b c: log2(12 / (3 * 1)) = 2; a b | c: log2(12 / (2 * 1)) = 2.58.
    assert cohesion(side, phrases).tolist() == [np.inf, pytest.approx(1.0), pytest.approx(2.0)]


def test_association_changes_its_sign_where_both_stand_together_by_chance() -> None:
    both, src, tgt = np.array([2, 1, 3]), np.array([10] * 3), np.array([20] * 3)
    found = association(both, src, tgt, 100)
    assert found[0] == pytest.approx(0, abs=1e-9)
    assert found[1] < 0 < found[2]


# The estimate.


def counts_of(linked: int, src: int, tgt: int, both: int, weight: float, units: int) -> Counts:
    each = [np.array([value]) for value in (linked, units, 0, 0, src, tgt, both)]
    return Counts(*each, np.array([weight]))


@pytest.mark.parametrize(
    ("linked", "src", "tgt", "both", "weight", "units", "ending"),
    [
        (8, 10, 12, 9, 0.9, 0, 1.0),
        (8, 12, 10, 9, 0.9, 0, 1.0),
        (1, 1, 1, 1, 1.5, 1, 4.0),
        (2, 9, 2, 5, 0.0, 1, 0.01),
        (64, 64, 70, 64, 0.5, 3, 0.5),
    ],
)
def test_the_probability_by_its_formula(
    linked: int, src: int, tgt: int, both: int, weight: float, units: int, ending: float
) -> None:
    share = (linked + 0.5) / (max(src, tgt) + 1)
    odds = -2.17 + 0.75 * math.log2(linked) + 0.45 * math.log(share / (1 - share)) + 2.93 * min(weight, 1)
    odds += 1.41 * (units > 0 and weight > 0) + 1.2 * math.log((linked + 0.5) / (both + 1))
    odds += 0.94 * min(1.0, max(-3.0, math.log2(ending)))
    found = probability(counts_of(linked, src, tgt, both, weight, units), np.array([ending]))
    assert found.tolist() == pytest.approx([1 / (1 + math.exp(-odds))])


@pytest.mark.parametrize(("bits", "firm"), [(np.inf, 0.0), (6.0, 0.5), (12.0, 0.5), (3.0, 0.25), (-1.0, 0.0)])
def test_termhood_by_its_formula(bits: float, firm: float) -> None:
    page_tokens = np.array([50, 50])
    each = [np.array([value]) for value in (4, 2, 1, 3)]
    linked_, occurrences_, pages, heads = each
    found = termhood(TermPlaces(linked_, occurrences_, pages, page_tokens, heads, 0.25, np.array([bits])))
    # Two occurrences on two even pages reach 1.5: bursts 1 - 2 / 2.5; heads (3 + 1) / (4 * .25 + 1) = 2.
    assert expected_pages(occurrences_, page_tokens).tolist() == pytest.approx([1.5])
    assert found.tolist() == pytest.approx([1 - (2 / 2.5) * 0.5 * (1 - firm)])
    everywhere = termhood(
        TermPlaces(linked_, occurrences_, np.array([2]), page_tokens, np.array([0]), 0.25, np.array([bits]))
    )
    assert everywhere.tolist() == pytest.approx([firm])


# Rivals.


@pytest.mark.parametrize(
    ("linked", "pages", "share", "chance", "rival"),
    [
        (3, 2, 0.1, 0.5, True),
        (2, 2, 0.1, 0.5, False),
        (3, 1, 0.1, 0.5, False),
        (3, 2, 0.09, 0.5, False),
        (3, 2, 0.1, 0.49, False),
    ],
)
def test_rivals_on_both_sides_of_the_evidence(
    linked: int, pages: int, share: float, chance: float, rival: bool
) -> None:
    src, tgt = [("wheel",)] * 2, [("roue",), ("volant",)]
    each = [np.array(column) for column in ((9, linked), (9, pages), (0.8, share), (0.9, chance))]
    expected: list[list[int]] = [[1], [0]] if rival else [[], []]
    assert find_rivals(Translations(src, tgt, np.zeros(2, np.int64), *each), frozenset()) == expected


def test_translations_of_which_one_holds_the_other_do_not_rival() -> None:
    src = [("wheel",)] * 4
    tgt = [("roue",), ("grande", "roues"), ("volant",), ("roueries",)]
    many = np.full(4, 9)
    found = find_rivals(
        Translations(src, tgt, np.zeros(4, np.int64), many, many, np.full(4, 0.2), np.full(4, 0.9)), PLURAL
    )
    assert found == [[2], [2], [0, 1, 3], [2]]


def test_a_source_goes_with_the_most_linked_form_of_it() -> None:
    src = [("wheel",), ("mill",), ("wheels",), ("wheeled",), ("wheel",)]
    assert same_sources(src, np.array([1, 5, 7, 2, 3]), PLURAL).tolist() == [2, 1, 2, 2, 2]
    assert same_sources(src, np.array([1, 1, 1, 1, 1]), PLURAL).tolist() == [0, 1, 0, 0, 0]


def test_records_do_not_change_and_terms_have_every_cell() -> None:
    assert records_that_may_change("diglot.terms") == set()
    assert [field.name for field in TERM_SCHEMA if field.nullable] == []


def test_places_are_counted_within_each_segment() -> None:
    assert cut(["a b c", "", "d", "e f"], "en").places().tolist() == [0, 1, 2, 0, 0, 1]
