"""Pages whose language cannot be told: reckoned with in recall, and named; worked by hand."""

from __future__ import annotations

import math

import pytest

from diglot.page_language.lost_pages import lost_to_language, unknown_language_notes, with_lost
from diglot.records import BlockKind
from diglot.results.explain import language_text
from made_documents import made_page, made_site

TITLE = int(BlockKind.TITLE)


def test_pages_of_an_edition_whose_text_tells_no_language_are_lost_to_it() -> None:
    pages = [
        made_page("http://a/1", "und", ["OK"], reason="unknown_language", edition="fr"),
        made_page("http://a/2", "und", ["OK"], reason="unknown_language", edition=""),
        made_page("http://a/7", "und", ["OK"], reason="unknown_language", edition="fr"),
        made_page("http://a/3", "am", ["OK"], reason="other_language", edition="ti"),
        made_page("http://a/4", "de", ["OK"], reason="other_language", edition="fr"),
        made_page("http://a/5", "fr", ["OK"], reason="duplicate", edition="fr"),
        made_page("http://a/6", "fr", ["OK"], edition="fr"),
        # A picture, and a picture with a word below it.
        made_page("http://a/8", "und", ["large"], reason="unknown_language", edition="en", block_kinds=[TITLE]),
        made_page(
            "http://a/9", "und", ["large", "Next"], reason="unknown_language", edition="en", block_kinds=[TITLE, 0]
        ),
    ]
    lost = lost_to_language(made_site(*pages).documents, ("en", "fr-CA", "ti"))
    assert lost == {"en": 1, "fr-CA": 2, "ti": 1}


@pytest.mark.parametrize(
    ("lang", "edition", "lost"),
    [
        ("id", "", 1.5),  # Malay, half of them
        ("id", "ms", 0.0),  # the language version was asked
        ("eo", "", 0.0),
        ("und", "", 0.0),
    ],
)
def test_pages_in_a_language_near_a_wanted_one_are_doubtful(lang: str, edition: str, lost: float) -> None:
    pages = [made_page(f"http://a/{k}", lang, ["OK"], reason="other_language", edition=edition) for k in range(3)]
    assert lost_to_language(made_site(*pages).documents, ("en", "ms")) == {"en": 0, "ms": lost}


@pytest.mark.parametrize(
    ("seen", "compared", "lost", "expected"),
    [
        (30.0, {"en": 40, "fr": 30}, {"en": 0, "fr": 0}, 30.0),
        (30.0, {"en": 40, "fr": 30}, {"en": 0, "fr": 10}, 40.0),  # each French page had a partner
        (30.0, {"en": 60, "fr": 60}, {"en": 0, "fr": 10}, 35.0),  # every second one had
        (30.0, {"en": 40, "fr": 30}, {"en": 0, "fr": 90}, 40.0),  # there are no more English ones
        (0.0, {"en": 40, "fr": 0}, {"en": 0, "fr": 30}, 30.0),
    ],
)
def test_lost_pages_are_in_pairs_as_often_as_others(
    seen: float, compared: dict[str, int], lost: dict[str, int], expected: float
) -> None:
    assert with_lost({"en-fr": seen}, [("en", "fr")], compared, lost) == {"en-fr": expected}


def test_nobody_knows_how_many_pages_were_missed_of_a_language_without_any() -> None:
    found = with_lost({"en-ti": 0.0}, [("en", "ti")], {"en": 9, "ti": 0}, {"en": 0, "ti": 0})
    assert math.isnan(found["en-ti"])
    assert with_lost({"en-ti": 5.0}, [("en", "ti")], {"en": 9, "ti": 5}, {"en": 0, "ti": 0}) == {"en-ti": 5.0}


def test_languages_that_no_text_is_identified_as_are_named() -> None:
    [note] = unknown_language_notes(("en", "nb", "sr-Latn", "ti"))
    assert note.startswith("no language identifier here knows Tigrinya (ti)")


def test_one_note_names_all_of_them() -> None:
    [note] = unknown_language_notes(("en", "haw", "mi"))
    assert note.startswith("no language identifier here knows Hawaiian (haw), Māori (mi): only pages that")
    assert "--lang 'TEXT=haw' adds" in note
    assert unknown_language_notes(("en", "fr")) == []


def test_what_a_page_was_taken_for_in_words() -> None:
    assert language_text("zh-Hant", "all its text", "zh") == "Chinese (Traditional) (zh-Hant), by all its text"
    assert language_text("und", "all its text", "") == "not known: too little text, or an unknown script"
