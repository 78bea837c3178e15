"""Sites: documents as columns, split by registered domain, joined by hreflang."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from diglot.records import DOCUMENT_SCHEMA
from diglot.site import (
    MAX_DOMAINS,
    REPEATED_MIN_PAGES,
    Site,
    domains_of,
    join_domains,
    registered_domain,
    split_sites,
    url_depth,
)
from made_documents import made_page, made_site


def names(*pages: dict[str, object], together: bool = False) -> dict[str, list[str]]:
    table = pa.Table.from_pylist(list(pages), schema=DOCUMENT_SCHEMA)
    return {site.name: site.urls for site in split_sites(table, together=together)}


def linked(url: str, to: str, hreflang: str) -> dict[str, object]:
    return made_page(
        url, "en", ["a"], link_urls=[to], link_hreflangs=[hreflang], link_anchors=[""], link_alternate=[True]
    )


@pytest.mark.parametrize(
    ("url", "domain"),
    [
        ("https://fr.example.co.uk/a", "example.co.uk"),
        ("http://example.com", "example.com"),
        ("http://EXAMPLE.com:8080/x", "example.com"),
        ("http://user@www.example.org/", "example.org"),
        ("https://alice.github.io/x", "alice.github.io"),
        ("https://fr.alice.github.io/x", "alice.github.io"),
        ("https://blog.wordpress.com/", "blog.wordpress.com"),
        ("https://blog.blogspot.com/", "blog.blogspot.com"),
        ("https://my.netlify.app/", "my.netlify.app"),
        ("https://my.pages.dev/", "my.pages.dev"),
        ("https://github.io/", "github.io"),
        ("http://localhost/x", "localhost"),
        ("http://fr.site.corp/x", "site.corp"),
        ("http://www.site.local:8080/x", "site.local"),
        ("http://site.corp/", "site.corp"),
        ("http://a.kobe.jp/", "a.kobe.jp"),
        ("http://1.2.3.4.5/x", "1.2.3.4.5"),
        ("http://127.0.0.1/x", "127.0.0.1"),
        ("http://[::1]/x", "::1"),
        ("http://[bad/x", ""),
        ("http://e℀.example/", ""),
        ("s.warc@17", ""),
        ("", ""),
    ],
)
def test_registered_domain(url: str, domain: str) -> None:
    assert registered_domain(url) == domain


@pytest.mark.parametrize(
    ("url", "depth"),
    [("http://h", 0), ("http://h/", 0), ("http://h/a", 1), ("http://h/d1/d2/d3/page", 4), ("http://h/a/b/?q=/x/y", 2)],
)
def test_depth(url: str, depth: int) -> None:
    assert url_depth(url) == depth


def test_one_site_a_registered_domain() -> None:
    urls = ["http://fr.b.example.com/1", "http://a.example.com/2", "http://other.com/3"]
    pages = [made_page(url, "en", ["a"]) for url in urls]
    assert names(*pages) == {"example.com": [urls[1], urls[0]], "other.com": [urls[2]]}
    assert names(*pages, together=True) == {"all": sorted(urls)}
    assert names() == names(together=True) == {}


def test_owners_on_a_platform_are_sites_of_their_own() -> None:
    pages = [
        made_page(f"https://{owner}.github.io/{lang}/", lang) for owner in ("alice", "bob") for lang in ("en", "fr")
    ]
    assert sorted(names(*pages)) == ["alice.github.io", "bob.github.io"]


def test_domains_that_name_each_other_by_hreflang_are_one_site() -> None:
    pages = [
        linked("http://c.de/1", "http://b.fr/1", "fr"),
        linked("http://b.fr/1", "http://c.de/1", "de"),
        linked("http://b.fr/2", "http://a.it/1", "it"),
        linked("http://b.fr/3", "http://a.it/1", "it"),
        linked("http://a.it/1", "http://b.fr/7", "fr"),
        linked("http://a.it/2", "http://elsewhere.es/", "es"),
        linked("http://d.nl/1", "http://a.it/1", ""),
        linked("http://a.it/3", "http://d.nl/1", "nl"),
        linked("http://e.pl/1", "http://[bad/", "it"),
        linked("http://f.at/1", "http://a.it/1", "it"),
    ]
    assert {site: len(urls) for site, urls in names(*pages).items()} == {"a.it": 7, "d.nl": 1, "e.pl": 1, "f.at": 1}


@pytest.mark.parametrize(("others", "sites"), [(MAX_DOMAINS - 1, 1), (MAX_DOMAINS, MAX_DOMAINS + 1)])
def test_a_hub_and_all_that_it_names_are_no_site(others: int, sites: int) -> None:
    hub = [linked(f"http://hub.org/{n}", f"http://n{n}.org/", "fr") for n in range(others)]
    spokes = [linked(f"http://n{n}.org/", "http://hub.org/", "en") for n in range(others)]
    pages = [*hub, *spokes, linked("http://x.de/", "http://y.fr/", "fr"), linked("http://y.fr/", "http://x.de/", "de")]
    found = names(*pages)
    assert len(found) == sites + 1
    assert found["x.de"] == ["http://x.de/", "http://y.fr/"]
    crowds = join_domains(domains_of(pa.Table.from_pylist(pages, schema=DOCUMENT_SCHEMA))).crowds
    assert [len(crowd) for crowd in crowds] == ([] if sites == 1 else [MAX_DOMAINS + 1])


def chunked(url: str, lang: str, *blocks: list[str]) -> dict[str, object]:
    chunks = [chunk for block in blocks for chunk in block]
    ends = np.cumsum([len(block) for block in blocks]).tolist()
    return made_page(url, lang, chunks, block_ends=ends, block_kinds=[0] * len(blocks), block_main=[True] * len(blocks))


def test_block_texts() -> None:
    site = made_site(
        chunked("http://h/1", "en", ["to", "mat", "es "], ["a ", " b"], [" c "]),
        chunked("http://h/2", "fr", ["\u3000x"]),
        chunked("http://h/3", "fr", ["y"], ["z", "z"]),
    )
    assert site.block_texts.to_pylist() == [["tomates", "a b", "c"], ["x"], ["y", "zz"]]
    assert site.blocks(2) == ["y", "zz"]
    assert site.rows_of("fr").tolist() == [1, 2]
    assert site.rows_of("de").tolist() == []
    part = Site("part", site.documents.slice(1))
    assert part.block_texts.to_pylist() == [["x"], ["y", "zz"]]


def test_repeated_blocks_are_counted_by_language() -> None:
    pages = [
        chunked(f"http://h/en{n}", "en", ["menu"], [f"text {n}"], ["six" if n < REPEATED_MIN_PAGES + 1 else "rare"])
        for n in range(10)
    ]
    pages += [chunked(f"http://h/fr{n}", "fr", ["menu"], ["menu"], [f"texte {n}"]) for n in range(REPEATED_MIN_PAGES)]
    site = made_site(*pages)
    found = [site.repeated_blocks.row(row).tolist() for row in range(len(site))]
    assert found == [[True, False, n <= REPEATED_MIN_PAGES] for n in range(10)] + [[False] * 3] * REPEATED_MIN_PAGES


def test_ragged_columns() -> None:
    site = made_site(
        made_page("http://h/1", "en", ["ab", "c"]), made_page("http://h/2", "en"), made_page("http://h/3", "en", ["d"])
    )
    ragged = site.ragged_column("tokens")
    assert (len(ragged), ragged.lengths().tolist(), ragged.rows_of_values().tolist()) == (3, [2, 0, 1], [0, 0, 2])
    assert [ragged.row(row).tolist() for row in range(3)] == [[2, 1], [], [1]]
    assert site.ragged_column("tokens") is ragged
    assert site.ragged_strings("chunks") == [["ab", "c"], [], ["d"]]
    assert site.depth.tolist() == [1, 1, 1]


def test_an_empty_site() -> None:
    site = made_site()
    assert len(site) == 0
    assert site.block_texts.to_pylist() == []
    assert len(site.repeated_blocks) == 0
