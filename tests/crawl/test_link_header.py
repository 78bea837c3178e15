"""Language versions in the Link header of an answer: those of a page, from an archive and in a crawl."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_crawls import MadeCrawl, MadeSite, made_page

from diglot.documents.parse import parse_page
from diglot.pages import open_sources, read
from diglot.records import Page

URL = "http://a.example/en/"
FR = ("http://a.example/fr/", "fr")


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("", []),
        ('<http://a.example/fr/>; rel="alternate"; hreflang="fr"', [FR]),
        ("</fr/>;rel=alternate;hreflang=fr", [FR]),
        ('<../fr/> ; HREFLANG = "fr" ; title="a, <b>; c" ; Rel="up Alternate"', [FR]),
        (
            '</style.css>; rel=preload, </fr/>; rel="alternate"; hreflang=fr,</x,y>; rel=alternate; hreflang=de',
            [FR, ("http://a.example/x,y", "de")],
        ),
        ('</fr/>; rel="alternate"; hreflang="fr"; type="text/html"', [FR]),
        ('</feed>; rel="alternate"; hreflang="fr"; type="application/rss+xml"', []),
        ('</fr/>; rel="canonical"; hreflang="fr"', []),
        ("</fr/>; rel=alternate", []),
        ("</fr/>; rel=alternate; hreflang", []),
        ('</fr/>; rel="alternate; hreflang=fr', []),
        ('<">; rel=alternate; hreflang=fr', [('http://a.example/en/"', "fr")]),
        ("<http://[>; rel=alternate; hreflang=fr", []),
    ],
)
def test_alternates_of_a_header_are_links_of_the_page(header: str, found: list[tuple[str, str]]) -> None:
    for head in ("", '<base href="http://b.example/">'):
        row = parse_page(Page(URL, made_page("en", 0, head=head), link_header=header))
        assert isinstance(row, dict)
        assert list(zip(list(row["link_urls"]), list(row["link_hreflangs"]), strict=True)) == found
        assert list(row["link_alternate"]) == [True] * len(found)
        plain = parse_page(Page(URL, made_page("en", 0, head=head)))
        assert isinstance(plain, dict)
        assert row["chunks"].to_pylist() == plain["chunks"].to_pylist()


def test_versions_in_headers_are_fetched_and_read_from_the_archive(tmp_path: Path) -> None:
    start, there = "https://site.example.com/", "https://site.example.com/x"
    links = {"Link": f'<{start}>; rel="alternate"; hreflang="en", <{there}>; rel="alternate"; hreflang="fr"'}
    site = MadeSite({start: (200, links, made_page("en", 0)), there: (200, links, made_page("fr", 0))})
    assert MadeCrawl(site, tmp_path, start, ("en", "fr")).run() == [start, there]
    pages = read(open_sources([str(tmp_path / "warc" / "crawl-00000.warc.gz")])[0])
    assert [page.link_header for page in pages if isinstance(page, Page)] == [links["Link"]] * 2
