"""Links, alternates and images of a page, resolved as RFC 3986 says."""

from __future__ import annotations

from urllib.parse import urldefrag, urljoin

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from diglot.documents.html import links
from diglot.pages.address import is_web_address, normalise_address
from linearised import linearise

URL = "http://a.example/dir/page.html"


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("x.html", "http://a.example/dir/x.html"),
        ("./x.html", "http://a.example/dir/x.html"),
        ("../x.html", "http://a.example/x.html"),
        ("../../../x", "http://a.example/x"),
        ("sub/x", "http://a.example/dir/sub/x"),
        ("sub/../x", "http://a.example/dir/x"),
        ("sub/.", "http://a.example/dir/sub/"),
        ("/x", "http://a.example/x"),
        ("/x/..", "http://a.example/"),
        ("/./x", "http://a.example/x"),
        ("/", "http://a.example/"),
        (".", "http://a.example/dir/"),
        ("..", "http://a.example/"),
        ("//b.example/x", "http://b.example/x"),
        ("//b.example", "http://b.example/"),
        ("?q=1", "http://a.example/dir/page.html?q=1"),
        ("x?q=a:b", "http://a.example/dir/x?q=a:b"),
        ("x?a=1&amp;b=2", "http://a.example/dir/x?a=1&b=2"),
        ("x?a=1&b=2", "http://a.example/dir/x?a=1&b=2"),
        ("x#part", "http://a.example/dir/x"),
        ("#part", ""),
        ("", ""),
        (" x.html\n", "http://a.example/dir/x.html"),
        ("a b.html", "http://a.example/dir/a%20b.html"),
        ("/a b", "http://a.example/a%20b"),
        ("é.html", "http://a.example/dir/%C3%A9.html"),
        ("_x.html", "http://a.example/dir/_x.html"),
        ("~u/x", "http://a.example/dir/~u/x"),
        ("https://b.example", "https://b.example/"),
        ("http://b.example/a?b#c", "http://b.example/a?b"),
        ("HTTP://b.example/x", "http://b.example/x"),
        ("http://[::1]/x", "http://[::1]/x"),
        ("http://[bad/x", ""),
        ("//[bad", ""),
        ("http://e℀.example/", ""),
        ("http:x.html", "http://a.example/dir/x.html"),
        ("mailto:x@b.example", ""),
        ("MAILTO:x@b.example", ""),
        ("javascript:void(0)", ""),
        ("java\nscript:x", ""),
        ("tel:+1", ""),
        ("data:text/html,x", ""),
        ("ftp://b.example/", ""),
        ("whatsapp://send", ""),
        ("skype:x", ""),
    ],
)
def test_addresses(href: str, expected: str) -> None:
    for html in (
        f'<a href="{href}">t</a>',
        f'<map><area href="{href}"></map>',
        f'<link rel=alternate hreflang=x href="{href}">',
    ):
        assert linearise(html, URL).links.urls == [expected]


SEGMENTS = st.lists(
    st.sampled_from(["a", "b.html", ".", "..", "", "é", "_", "~x", "%20", "a.b", "-", "a;b", "x?y", "z?a=b:c/../d"]),
    max_size=4,
)


@given(
    st.sampled_from(
        [URL, "http://a.example", "http://a.example/", "https://a.example/x/y/", "http://a.example/x//y/./z/../w/"]
    ),
    SEGMENTS,
    st.booleans(),
)
@example("http://a.example", ["x"], False)
@example("http://a.example", [".", "x"], False)
@example(URL, ["..", "..", "..", "x"], True)
def test_relative_addresses_are_joined_as_the_standard_library_joins_them(
    base: str, path: list[str], query: bool
) -> None:
    href = "/".join(path) + "?q" * query
    joined = normalise_address(urldefrag(urljoin(base, href)).url) if href else ""
    expected = joined if is_web_address(joined) else ""
    assert linearise(f'<a href="{href}">', base).links.urls == [expected]


@given(st.text(max_size=30))
def test_any_href_gives_a_web_address_or_none(href: str) -> None:
    quoted = href.replace("&", "&amp;").replace('"', "&quot;")
    [url] = linearise(f'<base href="{quoted}"><a href="{quoted}">', URL).links.urls
    assert not url or is_web_address(url)
    assert normalise_address(url) == url


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        ("http://b.example/c/d", "http://b.example/c/x"),
        ("/c/", "http://a.example/c/x"),
        ("c/", "http://a.example/dir/c/x"),
        ("http://b.example", "http://b.example/x"),
        ("http://[bad", "http://a.example/dir/x"),
        ("javascript:1", "http://a.example/dir/x"),
        ("", "http://a.example/dir/x"),
    ],
)
def test_base(base: str, expected: str) -> None:
    linear = linearise(f"<base target=_top><base href='{base}'><a href=x>t</a><img src=x><iframe src=x></iframe>", URL)
    assert linear.links.urls == [expected]
    assert linear.links.images == [expected, expected]


@pytest.mark.parametrize("href", ["{}", "{}?a=b:c", "//"])
def test_a_long_base_is_repeated_up_to_a_bound(href: str, monkeypatch: pytest.MonkeyPatch) -> None:
    most = 1 << 20
    monkeypatch.setattr(links, "MAX_LINK_CHARS", most)
    markup = "".join(f"<a href='{href.format(n)}'>t</a>" for n in range(30))
    urls = linearise(f"<base href='/{'%C3%A9' * 10_000}/'>{markup}", URL).links.urls
    assert len(urls[0]) > 60_000
    assert urls[-2:] == ["", ""]
    assert most - 2 * len(urls[0]) <= sum(map(len, urls)) <= most + len(urls[0])


def test_anchors() -> None:
    html = (
        "<a href=1>a <b>b</b>\nc</a><a href=2><img src=i alt='French &amp; more'></a><a href=3></a>"
        "<a name=n>no link</a><a href=4 hreflang=' de '>Deutsch</a><a href=5><img alt=flag src=f>and text</a>"
    )
    linear = linearise(html, URL)
    assert linear.links.anchors == ["a b c", "French & more", "", "Deutsch", "and text"]
    assert linear.links.hreflangs == ["", "", "", "de", ""]
    assert linear.links.alternate == [False] * 5
    assert linear.links.images == ["http://a.example/dir/i", "http://a.example/dir/f"]


def test_an_unclosed_link_ends_at_the_next() -> None:
    linear = linearise("<p><a href=1>a<a href=2>b</p><p>c</p>", URL)
    assert linear.links.anchors[0] == "a"
    assert linear.links.anchors[1].startswith("b")


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<link rel=alternate hreflang=fr href=/fr>", [("http://a.example/fr", "fr")]),
        ("<LINK REL='Alternate' HREFLANG='x-default' HREF=/>", [("http://a.example/", "x-default")]),
        ("<link rel='canonical alternate' hreflang=fr href=/fr>", [("http://a.example/fr", "fr")]),
        ("<link rel=alternate type=application/rss+xml href=/feed>", []),
        ("<link rel=alternate type=application/rss+xml hreflang=fr href=/feed>", []),
        ("<link rel=alternate type='Text/HTML; charset=utf-8' hreflang=fr href=/fr>", [("http://a.example/fr", "fr")]),
        ("<link rel=stylesheet hreflang=fr href=/fr>", []),
        ("<body><link rel=alternate hreflang=fr href=/fr>", [("http://a.example/fr", "fr")]),
    ],
)
def test_alternates(html: str, found: list[tuple[str, str]]) -> None:
    linear = linearise(html, URL)
    assert list(zip(linear.links.urls, linear.links.hreflangs, strict=True)) == found
    assert linear.links.alternate == [True] * len(found)


def test_frames_are_links_and_embedded_pages_are_images() -> None:
    frames = linearise("<frameset><frame src=a.html><FRAME SRC=b.html></frameset>", URL)
    assert frames.links.urls == ["http://a.example/dir/a.html", "http://a.example/dir/b.html"]
    embedded = linearise("<IFRAME SRC=a.html></IFRAME><object data=b.swf></object><img src=data:image/png,x>", URL)
    assert embedded.links.images == ["http://a.example/dir/a.html", "http://a.example/dir/b.swf"]


def test_links_with_quotes_and_brackets_in_other_attributes() -> None:
    html = """<a title='a > "b"' href=x>t</a><a onclick="f('<a href=no>')" href="y">u</a><a href='z"w'>v</a>"""
    assert linearise(html, URL).links.urls == [f"http://a.example/dir/{name}" for name in ("x", "y", 'z"w')]


MENU = "<select onchange='location=this.value'>%s</select>"


@pytest.mark.parametrize(
    ("option", "found"),
    [
        ("<option value=/fr/x>Français", ("http://a.example/fr/x", "Français")),
        ("<option selected value='https://b.example/fr/'> FR </option>", ("https://b.example/fr/", "FR")),
        ("<option value=x_fr.html>Français (French)", ("http://a.example/dir/x_fr.html", "Français (French)")),
        ("<option value='?lang=fr&amp;p=1'>français", ("http://a.example/dir/page.html?lang=fr&p=1", "français")),
        ("<option value=/>English", ("http://a.example/", "English")),
        # What a form sends is no address.
        ("<option value=fr>Français", None),
        ("<option value=fr_FR.UTF-8>Français", None),
        ("<option>Français", None),
        # Months, orders of a list and so on are no language versions.
        ("<option value=/2020/05/>Mai 2020", None),
        ("<option value=/fr/x></option><option>Français", None),
        ("<option value=/fr/x>", None),
        ("<option value=/fr/x>Français, the language of a colloquium in forty letters", None),
    ],
)
def test_a_menu_of_languages_leads_to_their_pages(option: str, found: tuple[str, str] | None) -> None:
    of_page = linearise(f"<p>Text <a href=/y>y</a>{MENU % option}<p><a href=/z>z</a>", URL).links
    links_found = list(zip(of_page.urls, of_page.anchors, strict=True))
    expected = [("http://a.example/y", "y"), *([found] if found else []), ("http://a.example/z", "z")]
    assert links_found == expected


def test_a_menu_without_an_end_and_without_text_is_read() -> None:
    assert linearise("<select><option value=/fr>", URL).links.urls == []
    assert linearise("<select><option value=/fr>Français", URL).links.urls == ["http://a.example/fr"]
