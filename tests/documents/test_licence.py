"""The licence that a page says it is under: what says so, and what does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diglot.documents.parse import MAX_TITLE_CHARS, parse_page
from diglot.records import Drop, Page
from linearised import linearise

URL = "http://a.example/dir/page.html"
CC = "https://creativecommons.org/licenses/"
TEXT = "<p>" + "Some text of the page. " * 50


def licence(html: str, url: str = URL) -> str:
    return linearise(html, url).licence


@pytest.mark.parametrize(
    ("html", "address"),
    [
        ("<link rel=license href='https://b.example/licence.html#top'>", "https://b.example/licence.html"),
        ("<a rel='nofollow License' href=/about/licence>x</a>", "http://a.example/about/licence"),
        ("<a rel=license href=http://creativecommons.org/licenses/by-sa/4.0/deed.fr>x</a>", f"{CC}by-sa/4.0/"),
        ("<a rel=cc:license href=//www.creativecommons.org/licenses/by/3.0/us/>x</a>", f"{CC}by/3.0/us/"),
        ("<a rel=license href=https://creativecommons.org/licenses/by/3.0/igo/legalcode.ar>x", f"{CC}by/3.0/igo/"),
        (
            "<a rel=license href=https://creativecommons.org/publicdomain/zero/1.0/legalcode>x</a>",
            "https://creativecommons.org/publicdomain/zero/1.0/",
        ),
        (
            "<meta name=DCTERMS.license content=https://www.gnu.org/licenses/fdl.html>",
            "https://www.gnu.org/licenses/fdl.html",
        ),
        ("<meta property=dcterms:license content='https://b.example/?a=1&amp;b=2'>", "https://b.example/?a=1&b=2"),
        ("<link rel=DC.rights href=http://creativecommons.org/licenses/by/2.5/>", f"{CC}by/2.5/"),
        ("<meta name=dc.rights content='CC BY 4.0, http://creativecommons.org/licenses/by/4.0/.'>", f"{CC}by/4.0/"),
        ("<meta name=dcterms.rights content=https://b.example/licence>", "https://b.example/licence"),
        ("<footer><a href=https://creativecommons.org/licenses/by/4.0/>CC</a></footer>" + TEXT, f"{CC}by/4.0/"),
        (
            TEXT + "<div><a href=https://creativecommons.org/licenses/by/4.0/deed.de><img src=x></a></div>",
            f"{CC}by/4.0/",
        ),
        (
            TEXT
            + "<a href=http://creativecommons.org/licenses/by/4.0>a</a><a href=//creativecommons.org/licenses/by/4.0/>",
            f"{CC}by/4.0/",
        ),
    ],
)
def test_what_says_so(html: str, address: str) -> None:
    assert licence(html) == address


@pytest.mark.parametrize(
    "html",
    [
        "",
        "<a href=/licence>Licence</a>",
        "<meta name=dc.rights content='All rights reserved'>",
        "<meta name=dc.rights content=https://a.example/copyright>",
        "<meta name=dcterms.license content='Creative Commons'>",
        "<meta name=dcterms.license content='see https://b.example'>",
        "<meta name=license content=https://b.example>",
        "<a rel=license href=javascript:x>x</a><a rel=license>y</a><a rel=license href=#here>z</a>",
        f"<a rel=license href={CC}by/4.0/>x</a><a rel=license href={CC}by-sa/4.0/>y</a>",
        f"<p>Photo: <a href={CC}by/2.0/>CC</a>" + TEXT,
        TEXT + f"<footer><a href={CC}by/2.0/>x</a><a href={CC}by-nc/2.0/>y</a></footer>",
        f"<p>Of <a href={CC}by-nc/2.0/>one</a>" + TEXT + f"<a href={CC}by/2.0/>x</a>",
        TEXT
        + "<a href=https://creativecommons.org/licenses/>all of them</a><a href=https://creativecommons.org/>x</a>",
        TEXT + "<a href=https://notcreativecommons.org/licenses/by/4.0/>x</a>",
        f"<script>'<a rel=license href={CC}by/4.0/>'</script><div hidden><a rel=license href={CC}by/4.0/>x</div>",
    ],
)
def test_what_says_nothing(html: str) -> None:
    assert licence(html) == ""


def test_the_surest_statement_decides() -> None:
    in_head, in_text = f"<link rel=license href={CC}by/4.0/>", f"<a rel=license href={CC}by-nc/2.0/>a picture</a>"
    rights, foot = "<meta name=dcterms.license content=https://b.example/x>", f"{TEXT}<a href={CC}by-sa/3.0/>x</a>"
    everything = [(in_head, f"{CC}by/4.0/"), (in_text, f"{CC}by-nc/2.0/"), (rights, "https://b.example/x")]
    everything.append((foot, f"{CC}by-sa/3.0/"))
    for first in range(4):
        assert licence("".join(html for html, _ in everything[first:])) == everything[first][1]
    assert licence(in_text + in_text.replace("by-nc", "by") + rights + foot) == ""


def test_the_text_of_a_licence_is_not_under_it() -> None:
    html = f"{TEXT}<a href={CC}by/4.0/deed.fr>summary</a>"
    assert licence(html, f"{CC}by/4.0/legalcode.fr") == ""
    assert licence(html, "https://creativecommons.org/about") == f"{CC}by/4.0/"


@given(
    st.text(max_size=40),
    st.sampled_from(["link rel=license href", "meta name=dc.rights content", "a rel=license href"]),
)
def test_any_value_is_an_address_or_nothing(value: str, tag: str) -> None:
    quoted = value.replace("&", "&amp;").replace('"', "&quot;")
    found = licence(f'<{tag}="{quoted}">')
    assert not found or (found.startswith("http") and len(found.split()) == 1)


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title> The\n garden &amp; more </title><p>x", "The garden & more"),
        ("<h1>x</h1>", ""),
        ("<title></title>x", ""),
        (f"<title>{'long ' * 9_000}</title>x", ("long " * 9_000)[:MAX_TITLE_CHARS].strip()),
        ("<p>x<svg><title>drawing</title></svg>", ""),
    ],
)
def test_the_title_of_a_page(html: str, title: str) -> None:
    parsed = parse_page(Page(URL, html.encode()))
    assert not isinstance(parsed, Drop)
    assert parsed["title"] == title
