"""Of equal texts the one in a language version of their language represents all: resolved and marked as in a run."""

from __future__ import annotations

from typing import Any

import pytest

from alike_pages import left_untranslated, near_duplicates
from diglot.duplicates.marking import mark_duplicates
from diglot.duplicates.untranslated import BlockTexts, pages_in_foreign_frames
from diglot.page_language.resolving import resolve_languages
from diglot.records import with_columns
from diglot.site import Site
from made_documents import made_page, made_site, rows
from sentences import NORWEGIAN, SENTENCES


def told(lang: str, number: int, sentences: int = 5) -> list[str]:
    """A text of a language that no other page has."""
    return [f"{SENTENCES[lang]} ({number}.{part})" for part in range(sentences)]


def marked(*pages: dict[str, Any]) -> dict[str, str]:
    """Address of each copy, from the host on -> what is said of it, as a run marks them."""
    site = made_site(*pages)
    found = resolve_languages(site, ("en", "ja", "es"))
    columns = {"lang": [each.tag for each in found], "edition": [each.version for each in found]}
    table = mark_duplicates(Site(site.name, with_columns(site.documents, **columns)))
    return {row["url"][17:]: row["detail"] for row in table.to_pylist() if row["reason"] == "duplicate"}


@pytest.mark.parametrize(
    ("original", "edition"),
    [
        ("a-long-name/{}", "es/{}"),
        ("en/a-long-name/{}", "jp/{}"),
        ("{}?lang=english", "{}?lang=es"),
        ("a-long-name-{}.html", "{}.es.html"),
        ("english/a-long-name/{}", "nihongo/{}"),
    ],
)
def test_an_original_is_not_set_aside_for_its_exact_copy(original: str, edition: str) -> None:
    """Three originals fall back in an edition that has five pages of its own; addresses of copies are shorter."""
    own = "ja" if edition.startswith(("jp", "nihongo")) else "es"
    host = "http://a.example/"
    pages = [made_page(host + original.format(n), "en", told("en", n), lang_confidence=1.0) for n in range(8)]
    pages += [made_page(host + edition.format(n), own, told(own, n), lang_confidence=1.0) for n in range(3, 8)]
    pages += [made_page(host + edition.format(n), "en", told("en", n), lang_confidence=1.0) for n in range(3)]
    said = {edition.format(n): f"equal to {host}{original.format(n)}" for n in range(3)}
    assert marked(*pages) == said


@pytest.mark.parametrize(
    ("edition", "added", "untranslated_in"), [("fr", [], "fr"), ("fr", ["Accueil"], "fr"), ("en", [], ""), ("", [], "")]
)
def test_an_original_knows_the_versions_that_show_it_untranslated(
    edition: str, added: list[str], untranslated_in: str
) -> None:
    text = told("en", 1, 8)
    pages = [
        made_page("http://a.example/en/1", "en", text, edition="en"),
        made_page("http://a.example/x/1", "en", [*text, *added], edition=edition),
    ]
    assert mark_duplicates(made_site(*pages))["untranslated_in"].to_pylist() == [untranslated_in, ""]


def test_a_list_that_holds_the_beginning_of_a_page_does_not_show_it() -> None:
    text = told("en", 1, 30)
    pages = [
        made_page("http://a.example/en/1", "en", text, edition="en"),
        made_page("http://a.example/fr/list", "fr", text[:8], edition="fr"),
    ]
    table = mark_duplicates(made_site(*pages))
    assert table["detail"][1].as_py().startswith("left untranslated in another language version")
    assert table["untranslated_in"].to_pylist() == ["", ""]


@pytest.mark.parametrize(
    ("declared", "copies"),
    [("is", [f"{n}1" for n in range(4)]), ("en", []), ("", [])],  # Icelandic: a version that nobody translated yet
)
def test_a_version_of_originals_alone_is_the_one_that_its_pages_declare(declared: str, copies: list[str]) -> None:
    """The address says nothing, and the declaration stands on English pages alone, which are a little shorter."""
    pages = [made_page(f"http://a.example/{n}0", "en", told("en", n, 9), declared_lang="en") for n in range(8)]
    pages += [made_page(f"http://a.example/{n}1", "en", told("en", n, 8), declared_lang=declared) for n in range(4)]
    pages += [made_page(f"http://a.example/{n}2", "es", told("es", n), declared_lang="es") for n in range(16)]
    assert sorted(marked(*pages)) == copies


def test_of_near_copies_the_few_words_of_the_frame_tell_which_is_the_original() -> None:
    """Neither address nor links say anything; a date and a word are in Spanish."""
    pages = []
    for n in range(4):
        text = told("en", n, 30)
        pages += [made_page(f"http://a/{n}", "en", ["version 0.9.28", "June 4, 2022", *text])]
        pages += [made_page(f"http://b/{n}", "en", ["versión 0.9.28", "junio 4, 2022", *text])]
    site = made_site(*pages)
    found = pages_in_foreign_frames(BlockTexts(site), near_duplicates(site), 0.0)
    assert found == {b: a for n in range(4) for a, b in [rows(site, f"http://a/{n}", f"http://b/{n}")]}


def test_of_two_near_copies_in_their_own_version_neither_is_in_a_foreign_frame() -> None:
    """Stops of a tour: a name more or less in the frame says nothing of the language version."""
    pages = []
    for n in range(4):
        text = told("en", n, 30)
        pages += [made_page(f"http://a/{n}", "en", ["version 0.9.28", "June 4, 2022", *text], edition="en")]
        pages += [made_page(f"http://b/{n}", "en", ["versión 0.9.28", "junio 4, 2022", *text], edition="en")]
    site = made_site(*pages)
    assert pages_in_foreign_frames(BlockTexts(site), near_duplicates(site), 0.0) == {}


def test_the_name_of_another_edition_is_no_foreign_word_of_the_frame() -> None:
    pages = []
    for n in range(4):
        text = told("en", n, 30)
        pages += [made_page(f"http://a/{n}", "en", ["Tutorials of 2.5", *text])]
        pages += [made_page(f"http://b/{n}", "en", ["Tutorials of 2.6", "Français", *text])]
        pages += [made_page(f"http://c/{n}", "fr", told("fr", n))]
    site = made_site(*pages)
    assert pages_in_foreign_frames(BlockTexts(site), near_duplicates(site), 0.0) == {}


@pytest.mark.parametrize(("lang", "untranslated"), [("zh-Hans", False), ("fr", True)])
def test_a_translation_in_ideographs_is_not_too_short_to_be_one(lang: str, untranslated: bool) -> None:
    """Five parts Norwegian to one of Chinese are two parts to one by what they say; to one of French they stay five."""
    shared = [f"{NORWEGIAN} {n}" for n in range(5)]
    own = [SENTENCES[lang][:40]]
    pages = [made_page("http://a/1", "no", shared), made_page("http://a/2", lang, [*shared, *own])]
    found = left_untranslated(made_site(*pages))
    assert bool(found) == untranslated


def test_close_standards_of_one_language_are_not_left_untranslated_in_each_other() -> None:
    shared = [f"{NORWEGIAN} {n}" for n in range(5)]
    site = made_site(made_page("http://a/1", "nn", shared), made_page("http://a/2", "nb", shared))
    assert left_untranslated(site) == {}
