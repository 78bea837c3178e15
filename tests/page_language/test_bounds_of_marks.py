"""What addresses and links say of a page's language: cases worked by hand on both sides of each bound."""

from __future__ import annotations

from typing import Any

import pytest

from diglot.page_language.resolving import forced_language
from diglot.page_language.versions import (
    Claims,
    LanguageVersions,
    Part,
    address_parts,
    code_language,
    page_marks,
)
from diglot.site import Site
from made_documents import made_page, made_site


@pytest.mark.parametrize(
    ("url", "parts"),
    [
        ("http://example.org/fr/", [("folder 1", "fr")]),
        ("http://de.example.org/", [("host", "de")]),
        ("http://192.168.0.1/fr/", [("folder 1", "fr")]),
        ("http://[::1/fr/", []),
        ("http://a.b/1/2/3/4/5/6/7/", [(f"folder {n}", str(n)) for n in range(1, 7)]),
        ("http://a.b/x//y/", [("folder 1", "x"), ("folder 3", "y")]),
        ("http://a.b/FR/page", [("folder 1", "fr"), ("folder 2", "page")]),
        ("http://a.b/x/page.html", [("folder 1", "x")]),
        ("http://a.b/x/page_de", [("folder 1", "x"), ("suffix", "de")]),
        ("http://a.b/page.pt-br.html.gz", [("suffix", "pt-br")]),
        ("http://a.b/page.fr.htmlfile", []),  # an extension has five characters at most
        ("http://a.b/%46R/?Lang=%46R", [("folder 1", "fr"), ("?lang", "fr")]),
        ("http://a.b/%66r/?lang=%64e&empty=&bare&=x", [("folder 1", "fr"), ("?lang", "de"), ("?", "x")]),
    ],
)
def test_parts_of_addresses(url: str, parts: list[tuple[str, str]]) -> None:
    assert [tuple(part) for part in address_parts(url)] == parts


@pytest.mark.parametrize(
    ("value", "lang"),
    [
        ("ti", "ti"),  # two letters: any language of the registry
        ("yue", "yue"),  # three: those that the identifier tells from others
        ("wuu", ""),
        ("tig", ""),
        ("fre", "fr"),
        ("de-facto-is-so", ""),
        ("de-de-1996", "de"),
        ("zh_hant_tw", "zh"),
        ("de-x", ""),
        ("d", ""),
        ("qq", ""),
    ],
)
def test_codes_of_languages(value: str, lang: str) -> None:
    assert code_language(value) == lang


def test_a_code_of_three_letters_counts_where_its_language_is_expected() -> None:
    assert (code_language("tig", frozenset({"tig"})), code_language("tig", frozenset({"ti"}))) == ("tig", "")


def test_in_is_india_unless_indonesian_is_asked_for() -> None:
    assert [code_language("in", frozenset(langs)) for langs in ((), ("en", "hi"), ("id",))] == ["", "", "id"]


def linking(url: str, *targets: str, hreflang: str = "", **others: Any) -> dict[str, Any]:
    count = len(targets)
    fields = {"link_anchors": [""] * count, "link_fragments": [""] * count, "link_hreflangs": [hreflang] * count}
    return made_page(url, "en", [url], link_urls=list(targets), link_alternate=[False] * count, **fields, **others)


def test_marks_are_parts_of_the_address_the_declaration_and_what_links_say() -> None:
    site = made_site(
        linking("http://a/1", "http://a/fr/2", "http://a/fr/2", hreflang="FR-ca", declared_lang="EN"),
        linking("http://a/3", "http://a/fr/2"),
        linking("http://a/4", "http://a/fr/2", hreflang="de"),
        made_page("http://a/fr/2", "fr"),
    )
    folder = Part("folder 1", "fr")
    assert page_marks(site) == [
        (Part("folder 1", "1"), Part("html lang", "en")),
        (Part("folder 1", "3"),),
        (Part("folder 1", "4"),),
        (folder, Part("folder 2", "2"), Part("hreflang", "de"), Part("hreflang", "fr-ca")),
    ]


def unlinked(pages: int) -> Site:
    return made_site(*(made_page(f"http://a/{n:03}", "en") for n in range(pages)))


def learnt(in_folder: list[str], elsewhere: list[str]) -> str:
    """What is learnt of the first page of a folder; languages of which the text of each page is sure."""
    marks = [(Part("folder 1", "x"),)] * len(in_folder) + [()] * len(elsewhere)
    return LanguageVersions(unlinked(len(marks)), marks, [*in_folder, *elsewhere]).of(0)


@pytest.mark.parametrize(
    ("in_folder", "elsewhere", "found"),
    [
        (["", *["it"] * 3], ["en"] * 9, "it"),
        (["", *["it"] * 2], ["en"] * 9, ""),  # two pages
        (["it", *["it"] * 2], ["en"] * 9, ""),  # the page itself is no witness
        (["it", *["it"] * 3], ["en"] * 9, "it"),
        (["", *["it"] * 9, "en"], ["en"] * 99, "it"),  # nine of ten
        (["", *["it"] * 8, "en"], ["en"] * 99, ""),  # eight of nine
        (["", *["it"] * 3], [], ""),  # all pages are Italian
        (["", *["it"] * 3], ["en"], "it"),  # thrice the odds of the site, 3.5 to 1.5
        (["", *["it"] * 6], ["en", "it"], ""),  # 13 to 1 against 7.5 to 1.5: less than thrice
        (["", *["it"] * 6], ["en", "en", "it"], "it"),  # against 7.5 to 2.5
        (["en", *["it"] * 9, "en"], ["en"] * 99, "it"),
    ],
)
def test_a_mark_goes_with_a_language_of_three_pages_nine_tenths_and_thrice_the_odds(
    in_folder: list[str], elsewhere: list[str], found: str
) -> None:
    assert learnt(in_folder, elsewhere) == found


def test_the_surest_mark_of_a_page_counts_and_so_do_its_neighbours() -> None:
    pages = [linking("http://a/0", *(f"http://a/{n}" for n in range(1, 5)))]
    pages += [made_page(f"http://a/{n}", "it") for n in range(1, 10)]
    marks = [(Part("folder 1", "x"),), *[()] * 4, *[(Part("folder 1", "x"),)] * 3, (), ()]
    sure = ["", "it", "it", "it", "it", "fr", "fr", "fr", "en", "en"]
    assert LanguageVersions(made_site(*pages), marks, sure).of(0) == "it"
    assert LanguageVersions(unlinked(10), marks, sure).of(0) == "fr"


@pytest.mark.parametrize(
    ("italian", "finnish", "named"),
    [
        (["it", "it"], ["en", "en"], ("it",)),  # half of the sure pages are in the language of their code
        (["it", "it"], ["en", "en", "en"], ()),
        (["it", ""], ["", ""], ("it",)),
        (["", ""], ["", ""], ()),  # nothing is sure
        (["it", "it"], [], ()),  # one code alone
    ],
)
def test_codes_of_addresses_count_where_half_of_the_pages_bear_them_out(
    italian: list[str], finnish: list[str], named: tuple[str, ...]
) -> None:
    marks = [(Part("folder 1", "it"),)] * len(italian) + [(Part("folder 1", "fi"),)] * len(finnish)
    claims = LanguageVersions(unlinked(len(marks)), marks, [*italian, *finnish]).claims(frozenset())
    assert claims[0] == Claims(address=named)


@pytest.mark.parametrize(
    ("marks", "claims"),
    [
        ([Part("hreflang", "fr"), Part("hreflang", "fr-ca")], Claims(hreflang="fr")),
        ([Part("hreflang", "fr"), Part("hreflang", "de")], Claims()),  # links that contradict each other
        ([Part("hreflang", "fr"), Part("hreflang", "x-default")], Claims(hreflang="fr")),
        ([Part("hreflang", "x-default")], Claims()),
        ([Part("hreflang", "not a code"), Part("hreflang", "de")], Claims(hreflang="de")),
        ([Part("html lang", "fr_CA")], Claims(html="fr")),
        ([Part("folder 1", "fr")], Claims()),
    ],
)
def test_what_marks_name_by_code(marks: list[Part], claims: Claims) -> None:
    assert LanguageVersions(unlinked(1), [tuple(marks)], [""]).claims(frozenset()) == [claims]


@pytest.mark.parametrize(
    ("claims", "learnt", "lang", "edition"),
    [
        (Claims("fr", "de", ("ca",)), "it", "en", "ca"),
        (Claims("fr", "de"), "it", "en", "it"),
        (Claims("fr", "de"), "", "en", "fr"),
        (Claims("", "de"), "", "en", "de"),
        (Claims(), "", "en", ""),
        (Claims("fr", "de", ("ca", "en")), "", "en", "en"),
    ],
)
def test_the_language_version_is_that_of_the_address_then_of_marks_learnt_links_and_the_page(
    claims: Claims, learnt: str, lang: str, edition: str
) -> None:
    assert claims.version(lang, learnt) == edition


def test_languages_named_are_those_of_links_then_the_page_then_the_address() -> None:
    assert Claims("fr", "de", ("ca", "fr")).languages() == ("fr", "de", "ca")


@pytest.mark.parametrize(
    ("claims", "source", "rules", "forced"),
    [
        (Claims("fr", "de", ("ca", "es")), "declared", [], ("fr", "--lang-from declared")),
        (Claims("", "de", ("ca", "es")), "declared", [], ("de", "--lang-from declared")),
        (Claims("fr", "de", ("ca", "es")), "path", [], ("ca", "--lang-from path")),
        (Claims("fr", "de"), "path", [], ("", "")),
        (Claims("fr", "de", ("ca",)), "text", [], ("", "")),
        (Claims("fr"), "declared", ["/b/=it", "/a/=pt_br"], ("pt-BR", "--lang /a/=pt_br")),
        (Claims(), "weighed", ["x=y=it"], ("it", "--lang x=y=it")),
    ],
)
def test_a_user_says_the_language(claims: Claims, source: str, rules: list[str], forced: tuple[str, str]) -> None:
    assert forced_language("http://h/a/?x=y", claims, source, rules) == forced
