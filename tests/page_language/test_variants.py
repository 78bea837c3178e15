"""Variants of a language: regions named by addresses, and notes on a language that a site writes in two scripts."""

from __future__ import annotations

import json

import pytest

from diglot.languages import parse_languages
from diglot.page_language.variants import script_notes, stated_tags
from diglot.recipes import get_recipe
from diglot.run.pair import SiteAnswer, pair_site
from made_documents import made_page, made_site
from sentences import SENTENCES

UZBEK = {
    "Latn": "Barcha odamlar erkin, qadr-qimmat va huquqlarda teng",
    "Cyrl": "Барча одамлар эркин, қадр-қиммат ва ҳуқуқларда тенг",
}

CHINESE = {"Hans": "人人生而自由，在尊严和权利上一律平等", "Hant": "人人生而自由，在尊嚴和權利上一律平等"}


def addresses(name: str, count: int) -> list[str]:
    return [f"http://a.example/{name}/{number}" for number in range(count)]


@pytest.mark.parametrize(
    ("latin", "cyrillic", "paired", "is_told"),
    [
        (3, 3, {"Latn": 3}, True),
        (3, 3, {"Latn": 3, "Cyrl": 2}, False),  # two of three pages of the other script have a translation, too
        (4, 3, {"Latn": 4, "Cyrl": 1}, True),
        (9, 2, {"Latn": 9}, False),  # two stray pages
        (9, 0, {"Latn": 3}, False),
    ],
)
def test_scripts_whose_pages_share_one_translation_are_named(
    latin: int, cyrillic: int, paired: dict[str, int], is_told: bool
) -> None:
    pages = [
        made_page(url, "uz", [UZBEK[name]])
        for name, count in (("Latn", latin), ("Cyrl", cyrillic))
        for url in addresses(name, count)
    ]
    pages += [made_page(url, "ru", [SENTENCES["ru"]]) for url in addresses("ru", 4)]
    urls = {url for name, count in paired.items() for url in addresses(name, count)}
    notes = script_notes(made_site(*pages), ("uz", "ru"), urls)
    advice = " if the site has its pages in both, name each: -l uz-Cyrl,uz-Latn,ru"
    assert [note.endswith(advice) for note in notes] == [True] * is_told


@pytest.mark.parametrize(
    ("counts", "declared", "is_told"),
    [
        ({"Hans": 3, "Hant": 3}, "", True),
        ({"Hans": 3, "Hant": 3}, "zh", True),
        ({"Hans": 3, "Hant": 2}, "", False),
        ({"Hans": 6}, "", False),
        ({"Hans": 3, "Hant": 3}, "zh-TW", False),  # the notes of the run count what pages declare
    ],
)
def test_pages_of_both_scripts_of_chinese_are_told_apart(counts: dict[str, int], declared: str, is_told: bool) -> None:
    pages = [
        made_page(url, "zh", [CHINESE[name]], declared_lang=declared)
        for name, count in counts.items()
        for url in addresses(name, count)
    ]
    notes = script_notes(made_site(*pages), ("en", "zh"), set(addresses("Hans", 3)))
    assert [note.endswith(": -l en,zh-Hans,zh-Hant") for note in notes] == [True] * is_told


def test_a_paired_site_tells_of_its_scripts() -> None:
    pages = [made_page(url, "uz", [UZBEK[name]]) for name in UZBEK for url in addresses(name, 3)]
    pages += [made_page(url, "ru", [SENTENCES["ru"]]) for url in addresses("ru", 3)]
    site = made_site(*pages)
    answer = pair_site(site.documents, recipe=get_recipe("url_baseline"), lang_pairs=[("uz", "ru")])
    found = SiteAnswer(**json.loads(answer["answer"][0].as_py()))
    assert any(": the pages in uz are in uz-Cyrl (3) and uz-Latn (3); most of one have" in note for note in found.notes)


@pytest.mark.parametrize(
    ("pages", "langs", "variants"),
    [
        pytest.param({"/pt-br/a": "pt", "/en/a": "en"}, "en,pt-BR,pt", ["pt-br", "en"], id="address"),
        pytest.param({"/pt_BR/a": "pt", "/a?l=pt-PT": "pt"}, "en,pt-BR", ["pt-br", "pt-pt"], id="other region"),
        pytest.param({"/en-us/a": "pt-BR", "/pt-br/a": "pt"}, "en,pt-BR", ["pt-BR", "pt-br"], id="other language"),
        pytest.param({"/pt/a": "pt", "/pt-br/a": "pt"}, "en,pt-BR", ["pt-ZZ", "pt-br"], id="beside"),
        pytest.param({"/pt/a": "pt-PT", "/pt-br/a": "pt"}, "en,pt-BR", ["pt-PT", "pt-br"], id="beside, declared"),
        pytest.param({"/pt/a": "pt", "/x?l=pt-br": "pt"}, "en,pt-BR", ["pt", "pt-br"], id="another place"),
        pytest.param({"/pt/a": "pt", "/pt-br/a": "pt"}, "en,pt-PT", ["pt", "pt-br"], id="none wanted beside"),
        pytest.param({"/pt/a": "pt", "/pt-br/a": "pt"}, "en,pt", ["pt", "pt"], id="no region wanted"),
        pytest.param({"/pt-ui/a": "pt"}, "en,pt-BR", ["pt"], id="no region"),
        pytest.param({"/br/a": "br", "/pt/a": "pt-PT"}, "en,pt,pt-BR", ["pt-br", "pt-PT"], id="country"),
        pytest.param({"/br/a": "pt-PT", "/br/b": "en-US"}, "pt,pt-BR", ["pt-PT", "pt-br"], id="country, declared"),
        pytest.param({"/br/a": "pt", "/pt/a": "pt"}, "en,pt-BR", ["pt-br", "pt-ZZ"], id="beside a country"),
        pytest.param({"/br/a": "pt", "/pt/a": "pt"}, "en,pt,pt-PT", ["pt", "pt"], id="country unwanted, language"),
        pytest.param({"/go-br.html": "pt", "/go?in=br": "pt"}, "pt,pt-BR", ["pt", "pt-br"], id="no country's name"),
    ],
)
def test_an_address_names_the_region_that_a_page_does_not_declare(
    pages: dict[str, str], langs: str, variants: list[str]
) -> None:
    site = made_site(
        *(made_page(f"http://a.example{path}", "pt", ["text"], declared_lang=pages[path]) for path in pages)
    )
    resolved = ["en" if url.endswith("/en/a") else "pt" for url in site.urls]
    found = stated_tags(site.documents, resolved, parse_languages(langs))
    assert dict(zip(site.urls, found, strict=True)) == {
        f"http://a.example{path}": variant for path, variant in zip(pages, variants, strict=True)
    }
