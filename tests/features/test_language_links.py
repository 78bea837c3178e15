"""Links and names of languages: what counts as a page naming its translation."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from diglot.features.links import (
    HREFLANG,
    NAMED,
    _in_folder,
    code_means_language,
    find_pages,
    language_links,
    link_strength,
    mutually_named_mask,
    page_key,
    spell_alike,
)
from diglot.language_names import known_languages, language_names, names_any_language, names_language
from diglot.pairing.candidates import collect, language_linked_pages
from ilsp_pages import body, rows, site_of
from made_documents import made_page, made_site


@pytest.mark.parametrize(
    ("text", "lang", "named"),
    [
        ("Français", "fr", True),
        ("[FR] français", "fr", True),
        ("FRENCH", "fr", True),
        ("日本語", "ja", True),
        ("Français", "en", False),
        ("French cooking", "fr", False),
        ("Português (Brasil)", "pt-BR", True),
        ("", "fr", False),
        ("12", "fr", False),
        ("fr 3", "fr", False),  # the third page of something
        ("May 2020", "ms", False),  # "may" is an old code of Malay
        ("may", "ms", True),
        ("e", "en", False),  # one letter names nothing
    ],
)
def test_names(text: str, lang: str, named: bool) -> None:
    assert names_language(text, lang) == named


def test_a_page_names_a_language_in_its_own() -> None:
    assert names_language("Französisch", "fr", ("de",))
    assert not names_language("Französisch", "fr")
    assert "französisch" in language_names("fr", ("de",))


def test_a_text_names_any_language_where_it_names_one_of_them() -> None:
    langs = sorted(known_languages())
    names = [name for lang in langs[::5] for name in sorted(language_names(lang))]
    texts = [*names, *map(" / ".join, pairwise(names)), "FR", "Norsk bokmål!", "French cooking", "Mai 2020", "12", ""]
    named = [any(names_language(text, lang) for lang in langs) for text in texts]
    assert [names_any_language(text) for text in texts] == named
    assert 100 < sum(named) < len(texts) - 50


@pytest.mark.parametrize(
    ("code", "lang", "fits"),
    [
        ("fr", "fr", True),
        ("fr-CA", "fr", True),
        ("fr_CA", "fr", True),
        ("french", "fr", True),
        ("x-default", "fr", False),
        ("*", "fr", False),
        ("", "fr", False),
        ("zh-TW", "zh-Hans", False),
        ("zh-TW", "zh-Hant", True),
    ],
)
def test_hreflang_codes(code: str, lang: str, fits: bool) -> None:
    assert code_means_language(code, lang) == fits


def link(to: str, text: str, hreflang: str = "") -> str:
    return f'<a href="{to}" hreflang="{hreflang}">{text}</a>' if hreflang else f'<a href="{to}">{text}</a>'


EN, FR = (
    body("<p>The text</p>", link("http://a/fr", "go", "fr")),
    body("<p>Le texte</p>", link("http://a/en", "English")),
)


def test_kinds_of_links_and_what_is_ignored() -> None:
    site = site_of(
        ("https://a/en", "en", EN + link("https://a/en", "English", "en") + link("https://a/en2", "x", "en")),
        ("https://a/fr", "fr", FR),
        ("https://a/en2", "en", body("<p>More</p>", link("https://a/fr", "Deutsch"), link("https://b/fr", "Français"))),
    )
    assert language_links(site).tolist() == [[0, 1, HREFLANG], [1, 0, NAMED]]


def test_protocol_does_not_count_and_alternate_does() -> None:
    head = '<link rel="alternate" hreflang="fr" href="http://a/fr"><link rel="alternate" hreflang="de" href="/fr">'
    site = site_of(("https://a/en", "en", body("<p>x</p>", head=head)), ("https://a/fr", "fr", body("<p>y</p>")))
    assert language_links(site).tolist() == [[0, 1, HREFLANG]]


def test_both_ways_goes_before_one_way_and_hreflang_before_names() -> None:
    there, back = link("http://a/2", "fr", "fr"), link("http://a/1", "en", "en")
    named_there, named_back = link("http://a/2", "Français"), link("http://a/1", "English")
    strengths = []
    for first, second in [("", named_back), (named_there, named_back), (there, ""), (there, named_back), (there, back)]:
        site = site_of(("http://a/1", "en", body("<p>x</p>", first)), ("http://a/2", "fr", body("<p>y</p>", second)))
        both = link_strength(site, rows((0, 1), (1, 0)))
        assert both[0] == both[1]
        strengths.append(float(both[0]))
    assert strengths == sorted(strengths)
    assert len(set(strengths)) == 5
    assert strengths[-1] == 1


def test_a_version_of_several_pages_is_the_version_of_none() -> None:
    legal, home = link("http://a/legal", "Aviso legal", "es"), link("http://a/home", "Inicio", "es")
    pages = [
        ("http://a/fr1", "fr", body("<p>x</p>", legal + home)),
        ("http://a/fr2", "fr", body("<p>y</p>", legal)),
        ("http://a/home", "es", body("<p>z</p>")),
        ("http://a/legal", "es", body("<p>w</p>")),
    ]
    site = site_of(*pages)
    assert mutually_named_mask(site, rows((0, 2), (0, 3), (1, 3), (1, 2))).tolist() == [True, False, False, False]
    # A menu that leads to the home page takes nothing from the page that names it by hreflang.
    named = (*pages[:1], ("http://a/fr2", "fr", body("<p>y</p>", link("http://a/home", "Español"))), *pages[2:])
    assert mutually_named_mask(site_of(*named), rows((0, 2), (1, 2))).tolist() == [True, False]
    back = ("http://a/legal", "es", body("<p>w</p>", link("http://a/fr2", "Français")))
    site = site_of(*pages[:3], back)
    assert mutually_named_mask(site, rows((0, 3), (1, 3), (3, 1))).tolist() == [False, True, True]


def test_candidates_are_the_linked_pages_from_either_side() -> None:
    site = site_of(
        ("http://a/en", "en", body("<p>x</p>")),
        ("http://a/fr", "fr", FR),
        ("http://a/fr2", "fr", body("<p>z</p>")),
    )
    found = collect(language_linked_pages(site, site.rows_of("en"), site.rows_of("fr")))
    assert found.tolist() == [[0, 1]]
    assert link_strength(site, rows((0, 1), (0, 2))).tolist() == [np.float32(0.7), 0]


def test_a_site_without_such_links_has_no_candidates() -> None:
    site = site_of(("http://a/en", "en", body("<p>x</p>")), ("http://a/fr", "fr", body("<p>y</p>")))
    assert collect(language_linked_pages(site, site.rows_of("en"), site.rows_of("fr"))).shape == (0, 2)
    assert link_strength(site, rows((0, 1))).tolist() == [0]


@pytest.mark.parametrize(
    ("address", "page"),
    [
        ("http://x/fr/", 0),
        ("https://x/fr/index.html", 0),
        ("http://x/fr/index.htm", 0),
        ("http://x/fr/index.php?id=3", 3),
        ("http://x/fr/?id=3", 3),
        ("http://x/en/", 1),
        ("http://x/en/index.html", 2),  # a page of this very address comes first
        ("http://x/old", 0),
        ("http://x/older/index.html", 0),
        ("http://x/fr/reindex.html", None),
        ("http://x/fr/index.html.bak", None),
        ("http://x/fr", 0),
        ("http://x/f", None),
        ("http://x/contact/", 4),
        ("http://x/contact.html", 4),
        ("http://x/fr/about", 5),
        ("http://x/fr/about/?p=1", 6),
        ("http://x/fr/about?p=1", 6),
        ("http://x/fr/about.htm", 5),
        ("http://x/fr/about.html.gz", None),
        ("http://x/fr/news.html", 7),
        ("http://x/fr/news", 8),  # the first page of a folder comes before a file
        ("", None),
    ],
)
def test_a_page_is_found_by_its_folder_and_by_the_addresses_of_equal_pages(address: str, page: int | None) -> None:
    equal = [["http://x/old", "http://x/older/"], None, *([[]] * 7)]
    urls = ["http://x/fr/index.html", "http://x/en/", "http://x/en/index.html", "http://x/fr/index.php?id=3"]
    urls += ["http://x/contact", "http://x/fr/about.html", "http://x/fr/about.html?p=1"]
    urls += ["http://x/fr/news.html", "http://x/fr/news/index.html"]
    site = made_site(*(made_page(url, "fr", equal_urls=more) for url, more in zip(urls, equal, strict=True)))
    (found,) = find_pages(site, pa.array([address])).to_pylist()
    assert (None if found is None else site.urls[found]) == (None if page is None else urls[page])


@pytest.mark.parametrize("host", ["https://a.org", "HTTP://a.org", "a.org"])
@pytest.mark.parametrize(
    "path",
    ["", "/", "/fr", "/fr/index.html", "/fr/index.php?p=1", "/fr/?p=1", "/fr%3Fp=1", "/index/", "/x.html", "/x.htm?p"],
)
def test_the_key_of_an_address_is_how_columns_of_addresses_are_compared(host: str, path: str) -> None:
    (compared,) = _in_folder(spell_alike(pa.array([host + path]))).to_pylist()
    assert page_key(host + path) == compared
