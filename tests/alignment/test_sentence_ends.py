"""Ends of sentences, told with few of yasbd's patterns, beside those that yasbd tells with all."""

from __future__ import annotations

import re
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from yasbd import BoundaryDetector, get_supported_langs
from yasbd.rules import load_rule

from diglot.alignment.sentence_ends import Rule

LANGUAGES = sorted(set(get_supported_langs()) - {"auto"})


@cache
def detector(lang: str) -> BoundaryDetector:
    """Made when it is asked for: to make all takes seconds, which every process of a test session would spend."""
    return BoundaryDetector(lang)


@cache
def rule_of(lang: str) -> Rule:
    return Rule(lang, load_rule(lang, ext_registry={}))


@cache
def listed(lang: str) -> list[str]:
    """Abbreviations, names and marks that yasbd knows in a language."""
    kinds = type(rule_of(lang).known).__mro__
    listings = (words for kind in kinds for words in vars(kind).values() if isinstance(words, set | frozenset))
    return sorted(entry for words in listings for entry in words)


WORDS = [
    "word",
    "Word",
    "The",
    "it",
    "us",
    "US",
    "OK",
    "Nos",
    "Para",
    "PlutoNos",
    "España",
    "I",
    "i",
    "é",
    "Straße",
    "ſt",
    "K",
    "ıt",
    "İt",
    "слово",
    "Я",
    "т",
    "字",
    "漢字",
    "かな",
    "한국",
    "ไทย",
    "क",
    "हिन्दी",
    "العربية",
    "Chicago",
    "go",
    "Ha",
    "Yahoo",
    "XIX",
    "MIX",
    "2013",
    "1",
    "3.14",
    "U.S",
    "a.m",
    "nov",
    "Part",
    "Section",
]
MARKS = (
    r" |. |, |! |? |… |.| « | » |“|” |(|) |) . |[1] |: | - | * | 1. | 2) | a. | B. | IV. |... |. . . |...... 5|</b> |。"
    r"|！| 😀 |😀|—|`|''| '|' |؟ |।|;| & |p.m. |ª |_"
)


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, str]:
    lang = draw(st.sampled_from(LANGUAGES))
    word = st.sampled_from(listed(lang)) | st.sampled_from(WORDS) | st.characters(exclude_categories=["Cs"])
    parts = draw(
        st.lists(st.tuples(word, st.sampled_from([*MARKS.split("|"), '"', "\u0301"]) | st.just(". ")), max_size=12)
    )
    return lang, " ".join("".join(map("".join, parts)).split())


@given(texts())
@settings(max_examples=10 * len(LANGUAGES))
def test_the_ends_are_those_of_all_patterns(made: tuple[str, str]) -> None:
    lang, text = made
    inside = range(1, len(text))
    assert [end for end in rule_of(lang).ends(text) if end in inside] == [
        end for end in detector(lang).detect(text) if end in inside
    ]


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("kk", "1990 жж. Алматы қаласы. Бүгін"),
        ("lt", "5 skyrius. Antras. 3 sk. Trys. a. s. d. Antras"),
        (
            "en",
            "See Mr. McDonald. M. St is v. Foo. U.S. Code. The U.S. The end. Main St. The house. Rd. It is. 5 a.m. May",
        ),
        ("es", "EE. UU. es. PlutoNos. Hola. El Sr. García"),
        ("de", "In der Hauptstr. Die Frau. z. B. Der 3. Mai. Am 5. Mo. ist. W. Geb. Der"),
        ("ru", "слово. Я. Иванов. и т. д. Потом"),
        ("fr", "cf. Le. M. Dupont, p. ex. Les. etc. Que. Voir ch. IV. Puis. Fig. 3. Là"),
        ("hi", "यह U.S. है। डा. राम. वह"),
    ],
)
def test_ends_behind_abbreviations(lang: str, text: str) -> None:
    assert [end for end in rule_of(lang).ends(text) if 0 < end < len(text)] == list(detector(lang).detect(text))[:-1]


def refuse(*_: object) -> None:
    raise AssertionError("all patterns were run")


@pytest.mark.parametrize(
    ("lang", "marked"),
    [
        ("en", "An easy sentence.| Another (with a remark. In brackets).| Is it? it is."),
        ("fr", "Menu principal"),
        ("fr", "Une phrase facile.| « Une autre. Encore. »| Et voilà !"),
        ("de", "Version 7.4 von www.example.org ist da"),
        ("ja", "雨が降った。|次の日。"),
        ("en", "See Mr. Smith and M. Jones.| They came."),
    ],
)
def test_easy_texts_need_few_patterns(lang: str, marked: str) -> None:
    parts = marked.split("|")
    rule = Rule(lang, type("Unasked", (type(rule_of(lang).known),), {"apply": refuse})())
    text = "".join(parts)
    wanted = [sum(map(len, parts[: n + 1])) for n in range(len(parts) - 1)]
    assert [end for end in rule.ends(text) if 0 < end < len(text)] == wanted


@pytest.mark.parametrize(
    ("text", "is_end"), [("Who? She", True), ("Oh! She", None), ("End． She", None), ("a) She", None)]
)
def test_a_mark_is_an_end_but_for_marks_that_patterns_look_at(text: str, is_end: bool | None) -> None:
    assert rule_of("en")._is_end(text, text.index(" ")) is is_end


def test_words_before_an_end_are_compared_by_their_last_part() -> None:
    assert {"dr", "al"} <= rule_of("en")._abbreviations
    assert not any(re.search(r"\W", word) for word in rule_of("en")._abbreviations)
    assert "st" in rule_of("en")._streets
