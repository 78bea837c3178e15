"""Whether a site can have pages in two wanted languages, told from what its pages show."""

from __future__ import annotations

from typing import Any

import pytest

from diglot.page_language.site_languages import languages_shown, may_have_pairs
from diglot.run.resolve import _group_by_site
from diglot.run.settings import make_settings
from made_documents import made_page, made_site

LINK = {"link_urls": ["http://a/2"], "link_anchors": [""], "link_alternate": [True]}


@pytest.mark.parametrize(
    ("pages", "seen"),
    [
        ([made_page("http://a.example/1", "en")], {"en"}),
        ([made_page("http://a.example/1", "zh-Hans"), made_page("http://a.example/2", "und")], {"zh"}),
        ([made_page("http://a.example/1", "en", declared_lang="FR-fr")], {"en", "fr"}),
        ([made_page("http://a.example/1", "en", link_hreflangs=["pt_BR"], **LINK)], {"en", "pt"}),
        ([made_page("http://a.example/1", "en", link_hreflangs=["x-default"], **LINK)], {"en"}),
        ([made_page("http://de.a.example/1", "en"), made_page("http://a.example/ja/1?lang=it", "en")], None),
        ([made_page("http://a.example/shop/index.html", "en")], {"en"}),
        ([], set()),
    ],
)
def test_languages_that_pages_show(pages: list[dict[str, Any]], seen: set[str] | None) -> None:
    assert languages_shown(made_site(*pages).documents) == ({"en", "de", "ja", "it"} if seen is None else seen)


def test_what_domains_show_is_what_their_site_shows() -> None:
    pages = [made_page("http://a.example/fr/1", "en"), made_page("http://b.example/1", "el", declared_lang="de")]
    apart = [languages_shown(made_site(page).documents) for page in pages]
    assert apart[0] | apart[1] == languages_shown(made_site(*pages).documents)


@pytest.mark.parametrize(
    ("seen", "langs", "worth"),
    [
        ({"en", "de"}, "en,fr", False),
        ({"en", "fr"}, "en,fr", True),
        (set(), "en,fr", False),
        ({"zh"}, "zh-Hans,zh-Hant", True),
        ({"no"}, "nb,nn", True),  # no identifier tells the two apart
        ({"en", "da"}, "en,nb", True),  # nor these
        ({"en"}, "en,ti", True),  # no text is identified as Tigrinya
    ],
)
def test_a_site_is_worth_resolving_if_it_may_have_two(seen: set[str], langs: str, worth: bool) -> None:
    assert may_have_pairs(seen, make_settings(langs).langs) is worth


@pytest.mark.parametrize(
    ("options", "worth"), [({}, False), ({"lang_rules": ("/f/=fr",)}, True), ({"lang_from": "path"}, True)]
)
def test_a_site_is_worth_resolving_if_the_user_says_how_to_find_languages(options: dict[str, Any], worth: bool) -> None:
    documents = made_site(made_page("http://a.example/f/1", "en")).documents
    assert bool(_group_by_site(documents, make_settings("en,fr", **options)).sites) is worth
