"""What prioritiser makes of the links of a page and of a sitemap's entries, worked by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from handed_pages import HOST, SITE, made_contents
from hypothesis import given, settings
from hypothesis import strategies as st

from diglot.crawl.queue.frontier import PAGE, Entry, NewAddress
from diglot.crawl.queue.prioritiser import TIER_PRIORITY, Link, Prioritiser, follows_links, refused_address
from diglot.crawl.queue.site_scope import SiteScope, folder_of, host_of
from diglot.crawl.queue.sitemaps import SitemapEntry

HERE, THERE, ELSEWHERE = f"{SITE}/en/a", f"{SITE}/b", "http://elsewhere.org/b"
ENTRY = Entry(7, HERE, PAGE, HOST, folder_of(HERE), 0, 0.0, 0, 0, 1, "link", None, "", None, None, None)
PLAIN = NewAddress(THERE, HOST, f"{HOST}/", priority=19.99, depth=1)
VERSION = NewAddress(THERE, HOST, f"{HOST}/", tier=4, priority=100.0, depth=1, how="version", family=7)
LONG_NAME = "[" + "français".center(38) + "]"


def _scope(*langs: str, exclude: tuple[str, ...] = ()) -> SiteScope:
    scope = SiteScope(langs, exclude=exclude)
    scope.admit(HOST, "https")
    return scope


def _prioritiser(*langs: str) -> Prioritiser:
    return Prioritiser(_scope(*langs), langs)


def test_the_queue_is_in_the_order_of_how_sure_a_version_is() -> None:
    assert TIER_PRIORITY == {5: 1000.0, 4: 100.0, 3: 80.0, 2: 70.0, 1: 50.0, 0: 10.0}


@pytest.mark.parametrize(
    ("link", "lang", "refused"),
    [
        (Link(THERE), "", ""),
        (Link(THERE, "Bienvenue"), "", ""),
        (Link(THERE, "Français"), "fr", ""),
        (Link(THERE, "[FR]"), "fr", ""),
        (Link(THERE, "English"), "", ""),
        (Link(THERE, "Le français facile"), "", ""),
        (Link(THERE, LONG_NAME), "fr", ""),
        (Link(THERE, f"{LONG_NAME}."), "", ""),
        (Link(THERE, "b", "fr-CA"), "fr-CA", ""),
        (Link(THERE, "b", "en-GB"), "", ""),
        (Link(THERE, "Français", "en-GB"), "", ""),
        (Link(THERE, "", "en-GB", alternate=True), "en-GB", ""),
        (Link(THERE, "", "", alternate=True), "", ""),
        (Link(THERE, "", "x-default", alternate=True), "x-default", ""),
        (Link(THERE, "", "X-Default", alternate=True), "X-Default", ""),
        (Link(THERE, "", "de", alternate=True), "de", "other_language"),
        (Link(THERE, "Deutsch"), "de", "other_language"),
    ],
)
def test_a_link_is_a_version_where_it_names_another_language(link: Link, lang: str, refused: str) -> None:
    expected = replace(VERSION, lang=lang, refused=refused) if lang else PLAIN
    expected = replace(expected, detail=f"linked as {lang}" if refused else "")
    links = _prioritiser("en", "fr").links(ENTRY, made_contents(link), expand=True)
    assert links.found == [expected]
    assert links.has_version is (lang.startswith("fr") or lang == "en-GB")
    unexpanded = _prioritiser("en", "fr").links(ENTRY, made_contents(link), expand=False)
    assert unexpanded.found == ([expected] if lang else [])
    assert unexpanded.has_version is links.has_version


def test_a_link_is_as_deep_as_its_page_and_one_more_and_its_version_of_the_same_family() -> None:
    deep = replace(ENTRY, depth=3, family=5)
    page = made_contents(Link(THERE), Link(f"{SITE}/c", "Français"))
    plain, version = _prioritiser("en", "fr").links(deep, page, expand=True).found
    assert (plain.depth, plain.priority, plain.family) == (4, pytest.approx(19.96), None)
    assert (version.depth, version.priority, version.family) == (4, 100.0, 5)


@pytest.mark.parametrize(
    ("anchor", "page_lang", "langs", "lang"),
    [
        ("Französisch", "de", ("de", "fr"), "fr"),
        ("Französisch", "de-AT", ("de", "fr"), "fr"),
        ("Französisch", "en", ("en", "fr"), ""),
        ("Französisch", "", ("en", "fr"), ""),
        ("  FRANÇAIS ", "en", (), "fr"),
        ("Bahasa\n Indonesia", "en", (), "id"),
        ("fr", "en", (), ""),
        ("fra", "en", (), ""),
        ("Thai", "en", (), "th"),
        ("中文", "en", (), "zh"),
        ("Hebrew", "en", (), "he"),
        ("Deutsch", "en", ("en", "fr"), "de"),
    ],
)
def test_names_of_languages_are_those_the_reader_of_the_page_knows(
    anchor: str, page_lang: str, langs: tuple[str, ...], lang: str
) -> None:
    page = made_contents(Link(THERE, anchor), lang=page_lang)
    assert [found.lang for found in _prioritiser(*langs).links(ENTRY, page, expand=True).found] == [lang]


def test_the_declared_language_stands_in_for_one_that_cannot_be_told() -> None:
    page = made_contents(Link(THERE, "English"), lang="und", declared="en-GB")
    assert _prioritiser("en", "fr").links(ENTRY, page, expand=True).found == [PLAIN]


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(
    ("other", "kept"), [(Link(THERE), "version"), (Link(THERE, "Deutsch"), "either"), (Link(THERE, "", "fr"), "either")]
)
def test_of_two_links_to_one_address_the_more_wanted_counts_then_the_first(other: Link, kept: str, order: int) -> None:
    both = [Link(THERE, "", "fr-CA"), other][::order]
    (found,) = _prioritiser("en", "fr").links(ENTRY, made_contents(*both), expand=True).found
    langs = [link.hreflang or ("de" if link.anchor else "") for link in both]
    assert found.lang == ("fr-CA" if kept == "version" else langs[0])


def test_a_version_that_is_doubted_is_queued_as_the_link_that_it_also_is() -> None:
    prioritiser = _prioritiser("en", "fr")
    prioritiser.learn_promise(7, "fr", kept=False)
    (doubted,) = prioritiser.links(ENTRY, made_contents(Link(THERE, "Français")), expand=True).found
    assert (doubted.tier, doubted.priority) == (4, pytest.approx(7.0))
    links = prioritiser.links(ENTRY, made_contents(Link(THERE, "Français"), Link(THERE)), expand=True)
    assert links.found == [PLAIN]
    assert links.has_version


@pytest.mark.parametrize("url", ["", HERE, f"{HERE}#top", "mailto:a@site.example.com", "javascript:void(0)", ELSEWHERE])
def test_a_page_itself_other_sites_and_what_is_no_address_are_not_queued(url: str) -> None:
    links = _prioritiser("en", "fr").links(ENTRY, made_contents(Link(url), Link(url, "Français")), expand=True)
    assert (links.found, links.has_version) == ([], False)


@pytest.mark.parametrize(
    ("link", "queued"),
    [
        (Link(ELSEWHERE, "", "fr", alternate=True), True),
        (Link(ELSEWHERE, "", "X-Default", alternate=True), True),
        (Link(ELSEWHERE, "", "de", alternate=True), False),
        (Link(ELSEWHERE, "", "fr"), False),
        (Link("http://site.example.fr/b", "Français"), True),
        (Link("http://site.example.fr/b", "Deutsch"), False),
        (Link("http://site.example.fr/b", "English"), False),
        (Link("http://site.example.fr/b"), False),
        (Link("http://fr.example.com/b"), False),
        (Link("http://fr.site.example.com/b"), True),
    ],
)
def test_a_wanted_version_elsewhere_is_queued_and_brings_its_host_into_the_site_once_it_names_this_one(
    link: Link, queued: bool
) -> None:
    scope = _scope("en", "fr")
    prioritiser = Prioritiser(scope, ("en", "fr"))
    links = prioritiser.links(ENTRY, made_contents(link), expand=True)
    assert [found.url for found in links.found] == ([link.url] if queued else [])
    host = host_of(link.url)
    of_label = [(host, "http")] if host == f"fr.{HOST}" else []
    assert list(scope.hosts()) == [(HOST, "https"), *of_label]
    there = replace(ENTRY, url=link.url, host=host)
    prioritiser.links(there, made_contents(Link(HERE, "", "fr", alternate=True), lang="fr"), expand=True)
    assert list(scope.hosts()) == [(HOST, "https"), (host, "http")]


@pytest.mark.parametrize("alternate", [True, False])
@pytest.mark.parametrize("expand", [True, False])
def test_what_the_guard_refuses_is_noted_and_its_host_is_never_of_the_site(alternate: bool, expand: bool) -> None:
    scope = _scope("en", "fr")
    link = Link("http://127.0.0.1/b", "", "fr" if alternate else "", alternate)
    links = Prioritiser(scope, ("en", "fr")).links(ENTRY, made_contents(link), expand=expand)
    words = "127.0.0.1 (loopback)"
    assert links.found == [NewAddress(link.url, "", how="link", refused="refused_address", detail=words)]
    assert not links.has_version
    assert list(scope.hosts()) == [(HOST, "https")]


@pytest.mark.parametrize("lang", ["fr", "de", ""])
def test_what_the_user_excludes_is_refused_for_that_whatever_its_language(lang: str) -> None:
    prioritiser = Prioritiser(_scope("en", "fr", exclude=("/b*",)), ("en", "fr"))
    for number in range(3):
        prioritiser.learn_page(f"{SITE}/de/{number}", "de", wanted=False, has_version=False)
    links = prioritiser.links(ENTRY, made_contents(Link(f"{SITE}/b/de/1", "", lang, alternate=True)), expand=True)
    assert [(found.lang, found.refused, found.detail) for found in links.found] == [(lang, "excluded", "")]
    assert not links.has_version


@given(
    st.lists(
        st.builds(
            Link,
            st.sampled_from(["en/a", "b", "c#x", "fr/b", "x.pdf", "b?lang=fr"]).map(lambda path: f"{SITE}/{path}"),
            st.sampled_from(["", "Français", "English", "Deutsch", "more"]),
            st.sampled_from(["", "en", "fr", "de", "x-default", "?"]),
            st.booleans(),
        ),
        max_size=8,
    )
)
@settings(deadline=None)
def test_unwanted_pages_lead_to_their_versions_and_to_nothing_else(links: list[Link]) -> None:
    whole = _prioritiser("en", "fr").links(ENTRY, made_contents(*links), expand=True)
    cut = _prioritiser("en", "fr").links(ENTRY, made_contents(*links), expand=False)
    assert {found.url: found for found in cut.found} == {found.url: found for found in whole.found if found.lang}
    assert len({found.url for found in whole.found}) == len(whole.found)
    assert HERE not in {found.url for found in whole.found}
    wanted = [found for found in whole.found if found.lang in ("en", "fr") and not found.refused]
    assert cut.has_version == whole.has_version
    assert not wanted or whole.has_version


A, B, C = f"{SITE}/a", f"{SITE}/b", f"{SITE}/c"


@pytest.mark.parametrize(
    ("alternates", "queued"),
    [
        ([], [(A, "", 0)]),
        ([("en", A), ("fr", B)], [(A, "en", 1), (B, "fr", 1)]),
        ([("fr", B), ("de", C)], [(A, "", 1), (B, "fr", 1)]),
        ([("de", B)], [(A, "", 0)]),
        ([("de", A), ("fr", B)], []),
        ([("de", A)], []),
        ([("x-default", B)], [(A, "", 1), (B, "", 1)]),
        ([("X-DEFAULT", B), ("fr", C)], [(A, "", 1), (B, "", 1), (C, "fr", 1)]),
        ([("fr", "mailto:b@site.example.com"), ("fr", "")], [(A, "", 0)]),
        ([("fr", ELSEWHERE)], [(A, "", 1), (ELSEWHERE, "fr", 1)]),
        ([("de", ELSEWHERE)], [(A, "", 0)]),
        ([("fr", "http://10.0.0.1/")], [(A, "", 0)]),
        ([("fr", f"{B}#top"), ("fr-CA", B)], [(A, "", 1), (B, "fr-CA", 1)]),
    ],
)
def test_a_page_of_a_sitemap_goes_with_its_wanted_versions(
    alternates: list[tuple[str, str]], queued: list[tuple[str, str, int]]
) -> None:
    found = _prioritiser("en", "fr").sitemap_family(SitemapEntry(f"{A}#top", alternates=tuple(alternates)))
    assert [(each.url, each.lang, each.tier) for each in found] == queued
    for each in found:
        priority = 50.0 if each.tier else 19.99
        place = NewAddress(each.url, host_of(each.url), folder_of(each.url), tier=each.tier, priority=priority, depth=1)
        assert each == replace(place, how="sitemap", lang=each.lang)


def test_hosts_of_versions_in_a_sitemap_stay_outside_and_wanted_versions_are_queued() -> None:
    scope = _scope("en", "fr")
    prioritiser = Prioritiser(scope, ("en", "fr"))
    family = prioritiser.sitemap_family(
        SitemapEntry(A, alternates=(("de", ELSEWHERE), ("fr", "mailto:a"), ("fr", "https://a.org/")))
    )
    assert [each.url for each in family] == [A, "https://a.org/"]
    assert list(scope.hosts()) == [(HOST, "https")]


def test_a_page_that_a_sitemap_names_outside_of_the_site_is_none_and_one_inward_is_refused() -> None:
    prioritiser = _prioritiser("en", "fr")
    assert prioritiser.sitemap_family(SitemapEntry(ELSEWHERE, alternates=(("fr", A),))) == []
    refused = NewAddress("http://10.0.0.1/", "", how="sitemap", refused="refused_address", detail="10.0.0.1 (private)")
    assert prioritiser.sitemap_family(SitemapEntry("http://10.0.0.1/")) == [refused]
    (document,) = prioritiser.sitemap_family(SitemapEntry(f"{SITE}/a.pdf"))
    assert (document.refused, document.priority) == ("not_html", 19.99)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://10.0.0.1/" + "a" * 1984, "http://10.0.0.1/" + "a" * 1984),
        ("http://10.0.0.1/" + "a" * 1985, "http://10.0.0.1/" + "a" * 1984),
        ("http://10.0.0.1/é", "http://10.0.0.1/\\xe9"),
        ("http://10.0.0.1/a\tb", "http://10.0.0.1/a\\tb"),
    ],
)
def test_a_refused_address_is_written_in_printable_ascii_and_cut(url: str, shown: str) -> None:
    assert refused_address(url, "why") == NewAddress(shown, "", how="link", refused="refused_address", detail="why")


@pytest.mark.parametrize(
    ("lang", "declared", "chars", "followed"),
    [
        ("en", "de", 200, True),
        ("de", "", 200, False),
        ("de", "", 199, True),
        ("de", "fr-CA", 200, True),
        ("de", "de", 200, False),
        ("und", "de", 200, True),
    ],
)
def test_links_are_followed_of_pages_that_are_or_claim_to_be_in_a_wanted_language(
    lang: str, declared: str, chars: int, followed: bool
) -> None:
    assert follows_links(made_contents(lang=lang, declared=declared, chars=chars), _scope("en", "fr").wants) is followed
