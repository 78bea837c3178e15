"""The steps to a term, each by cases worked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from made_mill import mill_rows

from diglot.terms.estimate import TermPlaces, expected_pages, probability, termhood
from diglot.terms.function_words import function_words
from diglot.terms.links import Links, link_words
from diglot.terms.phrases import hashes, phrase_pairs
from diglot.terms.rivals import Translations, find_rivals
from diglot.terms.scoring import Counts, association
from diglot.terms.tokens import cut
from diglot.terms.variants import are_forms, is_form


def words_in(text: str, lang: str = "en") -> list[str]:
    tokens = cut([text], lang)
    return [tokens.names[word] for word in tokens.words]


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        ("fr", "L’e-mail d'aujourd'hui", ["l'", "e-mail", "d'", "aujourd", "'hui"]),
        ("en", "The user's C++ and C# files: don't!", ["the", "user", "'s", "c++", "and", "c#", "files", "don", "'t"]),
        ("en", "mod_ssl 2.4, www.gnu.org.", ["mod_ssl", "2.4", "www.gnu.org"]),
        ("fr", "ce qu'il", ["ce", "qu'", "il"]),
        ("de", "Straße", ["strasse"]),
        ("ko", "자유 소프트웨어", ["자유", "소프트웨어"]),
        ("en", " -- … ", []),
    ],
)
def test_tokens_by_hand(lang: str, text: str, expected: list[str]) -> None:
    assert words_in(text, lang) == expected


def test_a_term_does_not_go_over_marks_nor_segments() -> None:
    tokens = cut(["free software, and (open) source", "code"], "en")
    assert tokens.breaks.tolist() == [True, False, True, True, True, True]
    assert tokens.closes.tolist() == [False, True, False, True, True, True]


@given(st.lists(st.text(max_size=30), max_size=6), st.sampled_from(["en", "fr", "ja", "th", "zh"]))
@example(["ขก", "ขก", "ขก", "ข ก"], "en")
def test_tokens_stand_where_they_say(texts: list[str], lang: str) -> None:
    tokens = cut(texts, lang)
    assert len(tokens.offsets) == len(texts) + 1
    for number in range(len(tokens)):
        text = texts[tokens.segments[number]].replace("\n", " ")
        piece = text[tokens.starts[number] : tokens.ends[number]]
        assert piece.casefold().replace("’", "'") == tokens.names[tokens.words[number]]
    assert tokens.places().min(initial=0) >= 0


def test_characters_that_stand_together_become_words() -> None:
    texts = ["自由な猫", "犬と自由", "自由は山", "川の自由", "空も自由", "猫と犬", "山と川", "空の犬", "川は猫"] * 3
    tokens = cut(texts, "th")  # no segmenter: as where none is installed
    assert "自由" in tokens.names
    assert "自" not in {tokens.names[word] for word in tokens.words}


def pairs_of(src: str, tgt: str, links: list[tuple[int, int]]) -> set[tuple[str, str]]:
    one, other = cut([src], "en"), cut([tgt], "fr")
    ends = np.array(sorted(links), np.int64).reshape(-1, 2)
    linked = Links(ends[:, 0], ends[:, 1], np.ones(len(ends), np.float32))
    found = phrase_pairs(one, other, linked, hashes(one), hashes(other))
    return {
        (
            src[one.starts[a] : one.ends[a + n - 1]],
            tgt[other.starts[b] : other.ends[b + m - 1]],
        )
        for a, n, b, m in zip(found.src_first, found.src_size, found.tgt_first, found.tgt_size, strict=True)
    }


def test_phrases_are_those_whose_links_stay_within() -> None:
    found = pairs_of("the free software movement", "le mouvement du logiciel libre", [(0, 0), (1, 4), (2, 3), (3, 1)])
    assert found == {
        ("the", "le"),
        ("free", "libre"),
        ("software", "logiciel"),
        ("movement", "mouvement"),
        ("free software", "logiciel libre"),
        ("software movement", "mouvement du logiciel"),
        ("free software movement", "mouvement du logiciel libre"),
        ("the free software movement", "le mouvement du logiciel libre"),
    }


def test_a_phrase_goes_over_no_mark_on_either_side() -> None:
    assert pairs_of("red house", "maison, rouge", [(0, 1), (1, 0)]) == {("red", "rouge"), ("house", "maison")}


def test_links_of_a_made_site_are_right_where_words_repeat() -> None:
    rows = mill_rows()
    src, tgt = cut([str(each["src"]) for each in rows], "en"), cut([str(each["tgt"]) for each in rows], "fr")
    links = link_words(src, tgt)
    assert np.array_equal(src.segments[links.src], tgt.segments[links.tgt])
    assert 0 <= links.weights.min() <= links.weights.max() <= 1
    wheel, wheels = src.names.index("wheel"), set(map(tgt.names.index, ("roue", "à", "aubes")))
    of_wheel = tgt.words[links.tgt[src.words[links.src] == wheel]].tolist()
    assert len(of_wheel) >= 80
    assert sum(word in wheels for word in of_wheel) > 0.95 * len(of_wheel)


def test_function_words_are_those_that_never_end_a_clause() -> None:
    rows = mill_rows()
    src, tgt = cut([str(each["src"]) for each in rows], "en"), cut([str(each["tgt"]) for each in rows], "fr")
    found = function_words(src, tgt, link_words(src, tgt))
    english = {src.names[word] for word in np.flatnonzero(found[0].is_function)}
    assert {"the", "a"} <= english
    assert not english & {"wheel", "old", "day", "water"}


PLURAL = frozenset({("", "s")})
ENDINGS = frozenset({("", "s"), ("ied", "y"), ("", "en"), ("-", "ال-"), ("-", "لل-"), ("", "ة"), ("ffer", "rt")})


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("event", "events", True),
        ("modify", "modified", True),
        ("fall", "fällen", True),
        ("événement", "evenement", True),
        ("line", "link", False),  # endings of no other word
        ("staff", "start", False),
        ("as", "ass", False),  # two letters in common
        ("staffer", "start", False),  # the endings are longer than the stem
        ("v2", "v3", False),
        ("events", "v2", False),
        ("الدولة", "للدولة", False),  # this change of beginnings is not known
        ("الدولة", "دولة", True),
        ("للدولة", "دول", True),
        ("دولة", "دول", True),
    ],
)
def test_forms_of_a_word(one: str, other: str, expected: bool) -> None:
    assert is_form(one, other, ENDINGS) == is_form(other, one, ENDINGS) == expected
    assert are_forms((one, "x"), (other, "x"), ENDINGS) == expected
    assert not are_forms((one,), (other, "x"), ENDINGS)


def test_association_by_hand() -> None:
    # Both in 10 of 100 segments, always together: G2 = 2 (10 ln 10 + 90 ln (1 / .9)).
    both, src, tgt = np.array([10, 0]), np.array([10, 50]), np.array([10, 50])
    found = association(both, src, tgt, 100)
    assert found[0] == pytest.approx(2 * (10 * np.log(10) + 90 * np.log(1 / 0.9)))
    assert found[1] < 0


def counts(linked: int, share: int, both: int, weight: float = 0.9, units: int = 0) -> Counts:
    one = np.array([linked])
    most = np.array([share])
    return Counts(one, np.array([units]), most, most, most, most, np.array([both]), np.array([weight]))


def test_probability_grows_with_evidence_and_falls_with_competition() -> None:
    usual = np.ones(1)
    base = probability(counts(8, 10, 9), usual)[0]
    assert probability(counts(64, 80, 72), usual)[0] > base
    assert probability(counts(8, 40, 9), usual)[0] < base
    assert probability(counts(8, 10, 30), usual)[0] < base
    assert probability(counts(8, 10, 9, weight=0.3), usual)[0] < base
    assert probability(counts(8, 10, 9, units=1), usual)[0] > base
    assert probability(counts(8, 10, 9), usual / 8)[0] < base


@given(st.integers(1, 10**6), st.integers(0, 10**6), st.floats(0, 1), st.floats(0, 100))
def test_probability_is_one(linked: int, more: int, weight: float, ending: float) -> None:
    chance = probability(counts(linked, linked + more, linked + more, weight), np.array([ending]))[0]
    assert 0 <= chance <= 1


def test_expected_pages_by_hand() -> None:
    even = np.array([100, 100])
    assert expected_pages(np.array([1, 2, 10]), even) == pytest.approx([1, 1.5, 2 - 2 * 0.5**10], abs=0.02)
    assert expected_pages(np.array([5]), np.array([0])).tolist() == [0]


def test_termhood_is_low_for_what_is_everywhere() -> None:
    pages = np.full(50, 1000)
    many, one = np.array([400]), np.array([np.inf])
    everywhere = termhood(TermPlaces(many, many, np.array([50]), pages, np.array([40]), 0.1, one))[0]
    on_few = termhood(TermPlaces(many, many, np.array([4]), pages, np.array([40]), 0.1, one))[0]
    in_titles = termhood(TermPlaces(many, many, np.array([50]), pages, np.array([200]), 0.1, one))[0]
    firm = termhood(TermPlaces(many, many, np.array([50]), pages, np.array([40]), 0.1, np.array([12.0])))[0]
    assert everywhere < 0.05 < min(on_few, in_titles, firm)


def test_rivals_need_evidence_and_other_words() -> None:
    src = [("wheel",), ("wheels",), ("wheel",), ("wheel",), ("wheel",)]
    tgt = [("roue",), ("volant",), ("roues", "dentée"), ("rare",), ("wheel",)]
    linked, pages = np.array([9, 8, 7, 2, 9]), np.array([5, 5, 5, 5, 5])
    share, chance = np.full(5, 0.2), np.full(5, 0.9)
    sources = np.zeros(5, np.int64)
    found = find_rivals(Translations(src, tgt, sources, linked, pages, share, chance), PLURAL)
    assert found == [[1], [0, 2], [1], [], []]
    on_one_page = Translations(src, tgt, sources, linked, np.ones(5, np.int64), share, chance)
    assert find_rivals(on_one_page, PLURAL) == [[]] * 5
    assert find_rivals(Translations(src, tgt, np.arange(5), linked, pages, share, chance), PLURAL) == [[]] * 5
