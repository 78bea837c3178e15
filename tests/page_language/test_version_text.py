"""Text in the language of a page's version: cases worked by hand on both sides of each bound."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from diglot.page_language.own_text import OwnText
from diglot.page_language.resolving import resolve_languages
from diglot.page_language.version_text import VersionText
from made_documents import made_page, made_site
from sentences import SENTENCES

ITALIAN = SENTENCES["it"]


def held(pages: Sequence[dict[str, Any]], versions: Sequence[str], row: int = 0) -> str:
    """The text of the page in its version's language; its text as a whole was taken for English."""
    site = made_site(*pages)
    return VersionText(site, OwnText(site), versions).sample(row, versions[row], "en")


def english(count: int) -> str:
    """Characters of English, so many."""
    return (SENTENCES["en"] * count)[: count - 1] + "x"


@pytest.mark.parametrize(("more", "found"), [(0, ITALIAN), (1, "")])
def test_a_page_of_a_version_holds_a_twentieth_of_its_text_in_the_version_s_language(more: int, found: str) -> None:
    """The English text stands on two pages and counts half: 19 times the Italian, or half a character more."""
    left = english(38 * len(ITALIAN) + more)
    pages = [made_page("http://a/0", "en", [ITALIAN, left]), made_page("http://a/1", "en", [left])]
    assert held(pages, ["it", "en"]) == found


@pytest.mark.parametrize(("title", "found"), [("", ITALIAN), (ITALIAN, "")])
def test_the_title_of_a_page_says_nothing(title: str, found: str) -> None:
    page = made_page("http://a/0", "en", [ITALIAN, english(400)], title=title)
    assert held([page, made_page("http://a/1", "en", [english(400)])], ["it", "en"]) == found


@pytest.mark.parametrize(("others", "found"), [(4, ITALIAN), (5, "")])
def test_a_text_on_more_than_five_pages_of_a_version_is_its_frame(others: int, found: str) -> None:
    pages = [made_page("http://a/0", "en", [ITALIAN, english(200)])]
    pages += [made_page(f"http://a/{n}", "it", [ITALIAN, f"pagina {n}"]) for n in range(1, others + 1)]
    pages += [made_page("http://b/", "en", [english(200)])]
    assert held(pages, [*["it"] * (others + 1), "en"]) == found


@pytest.mark.parametrize(("text", "found"), [("Il panettiere, la strada", True), ("Il panettiere e la", False)])
def test_fewer_than_twenty_letters_are_in_no_language(text: str, found: bool) -> None:
    """20 letters and 15."""
    pages = [made_page("http://a/0", "en", [text, english(60)]), made_page("http://a/1", "en", [english(60)])]
    assert bool(held(pages, ["it", "en"])) == found


def folder(lang: str) -> list[dict[str, Any]]:
    """Four pages of sure text under the code of their language."""
    texts = [[f"{SENTENCES[lang]} ({number} {part})" for part in range(3)] for number in range(4)]
    return [made_page(f"http://a/{lang}/{n}", lang, text, lang_confidence=1.0) for n, text in enumerate(texts)]


def languages(*pages: dict[str, Any]) -> dict[str, str]:
    site = made_site(*folder("it"), *folder("fi"), *pages)
    return {url[9:]: each.tag for url, each in zip(site.urls, resolve_languages(site, ("it", "fi")), strict=True)}


def test_a_lesson_in_a_foreign_language_is_in_the_language_that_teaches() -> None:
    """An English text in both versions of a course, and a sentence of each version."""
    lesson = [f"{SENTENCES['en']} ({part})" for part in range(9)]
    pages = [
        made_page(f"http://a/{lang}/lesson", "en", [*lesson, f"{SENTENCES[lang]} (lesson)"], lang_confidence=1.0)
        for lang in ("it", "fi")
    ]
    found = languages(*pages)
    assert (found["it/lesson"], found["fi/lesson"]) == ("it", "fi")


def test_a_page_left_untranslated_stays_in_the_language_of_its_text() -> None:
    lesson = [f"{SENTENCES['en']} ({part})" for part in range(9)]
    pages = [made_page(f"http://a/{lang}/lesson", "en", [*lesson, lang], lang_confidence=1.0) for lang in ("it", "fi")]
    found = languages(*pages)
    assert (found["it/lesson"], found["fi/lesson"]) == ("en", "en")


def test_equal_pages_of_two_versions_have_the_language_that_one_version_finds_in_them() -> None:
    """The Italian lesson stands under /fi/, too, where nobody translated it."""
    lesson = [*(f"{SENTENCES['en']} ({part})" for part in range(9)), f"{ITALIAN} (lesson)"]
    pages = [made_page(f"http://a/{lang}/lesson", "en", lesson, lang_confidence=1.0) for lang in ("it", "fi")]
    # A third version holds the English text alone, so that it is no text of a single page.
    pages += [made_page("http://a/x", "en", lesson[:9], lang_confidence=1.0)]
    found = languages(*pages)
    assert (found["it/lesson"], found["fi/lesson"]) == ("it", "it")


@pytest.mark.parametrize(("other", "version"), [("fi", "it"), ("it", ""), ("", "")])
def test_one_declaration_on_a_whole_site_is_a_template_and_names_no_version(other: str, version: str) -> None:
    pages = [made_page("http://a/one", "en", [english(400)], declared_lang="it", lang_confidence=1.0)]
    pages += [made_page("http://a/two", "en", [f"{english(400)}y"], declared_lang=other, lang_confidence=1.0)]
    site = made_site(*pages)
    assert resolve_languages(site, ("en", "fi"))[0].version == version


@pytest.mark.parametrize(
    ("english_declaring", "others", "version"),
    [
        (2, 2, ""),  # 22 of 24 pages with a declaration, and two of three English ones
        (2, 3, "it"),  # 22 of 25
        (1, 2, "it"),  # one of three English pages
    ],
)
def test_a_declaration_of_nearly_all_pages_that_stands_on_english_ones_names_no_version(
    english_declaring: int, others: int, version: str
) -> None:
    """Nineteen Italian pages, and one whose own text does not tell."""
    texts = {
        lang: [[f"{SENTENCES[lang]} ({n} {part})" for part in range(3)] for n in range(19)] for lang in ("it", "en")
    }
    pages = [made_page("http://a/asked", "en", ["short"], declared_lang="it")]
    for lang, declared in (("it", ["it"] * 19), ("en", [*["it"] * english_declaring, "", ""][:3])):
        pages += [
            made_page(f"http://a/{lang}{n}", lang, text, declared_lang=each, lang_confidence=1.0)
            for n, (text, each) in enumerate(zip(texts[lang], declared, strict=False))
        ]
    pages += [made_page(f"http://a/other{n}", "fi", [f"sana {n}"], declared_lang="fi") for n in range(others)]
    assert resolve_languages(made_site(*pages), ("it", "en"))[0].version == version
