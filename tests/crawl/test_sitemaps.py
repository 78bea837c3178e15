"""Sitemaps of every kind, and forty hostile ones: no file read, no connection, no second lost."""

from __future__ import annotations

import gzip
import socket
import time
from pathlib import Path

import pytest
from hostile_sitemaps import hostile_sitemaps
from hypothesis import given
from hypothesis import strategies as st

from diglot.crawl.queue.sitemaps import MAX_ADDRESSES, SitemapEntry, read_sitemap

HERE = "https://a.example/sitemap.xml"


def addresses(body: bytes, content_encoding: str = "") -> list[str]:
    return [entry.url for entry in read_sitemap(body, url=HERE, content_encoding=content_encoding).entries]


URLSET = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml"
 xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
<url><loc> https://a.example/en/?a=1&amp;b=2 </loc><lastmod>2024-05-01</lastmod>
<xhtml:link rel="alternate" hreflang="fr" href="https://a.example/fr/?a=1&amp;b=2&#38;c=%C3%A9&#x26;d=&quot;"/>
<xhtml:link rel="alternate" hreflang="x-default" href="/"/>
<xhtml:link rel="amphtml" hreflang="en" href="/amp"/>
<image:image><image:loc>https://a.example/pic.png</image:loc></image:image></url>
<url><loc><![CDATA[https://a.example/b\u00e9]]></loc></url>
</urlset>""".encode()


def test_urlset_with_versions() -> None:
    assert read_sitemap(URLSET, url=HERE).entries == [
        SitemapEntry(
            "https://a.example/en/?a=1&b=2",
            (("fr", 'https://a.example/fr/?a=1&b=2&c=%C3%A9&d="'), ("x-default", "https://a.example/")),
        ),
        SitemapEntry("https://a.example/b\u00e9"),
    ]


@pytest.mark.parametrize("coding", ["", "gzip", "deflate"])
def test_packed_as_file_and_by_the_server(coding: str) -> None:
    import zlib

    packed = {"": bytes, "gzip": gzip.compress, "deflate": zlib.compress}[coding]
    for file in (URLSET, gzip.compress(URLSET)):
        assert addresses(packed(file), coding) == addresses(URLSET)


def test_index() -> None:
    index = b"""<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
    <sitemap><loc>https://a.example/1.xml.gz</loc><lastmod>2024</lastmod></sitemap><sitemap><loc>2.xml</loc></sitemap>
    <url><loc>https://a.example/no</loc></url></sitemapindex>"""
    sitemap = read_sitemap(index, url="https://a.example/maps/index.xml")
    assert sitemap.sitemaps == ["https://a.example/1.xml.gz", "https://a.example/maps/2.xml"]
    assert sitemap.entries == []


@pytest.mark.parametrize(
    "feed",
    [
        "<rss><channel><link>https://a.example/</link><item><title>x</title><link>https://a.example/1</link></item>"
        "<item><link>https://a.example/2</link></item></channel></rss>",
        '<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://a.example/"/>'
        '<entry><link rel="edit" href="/e"/><link href="https://a.example/1"/></entry>'
        '<entry><link rel="alternate" href="/2"/></entry></feed>',
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><item><link>https://a.example/1</link></item>'
        "<item><link>https://a.example/2</link></item></rdf:RDF>",
        "https://a.example/1\r\n# no address\r\n\r\nhttps://a.example/2",
        "\ufeffhttps://a.example/1\nftp://a.example/3\nhttps://a.example/2\n",
    ],
)
def test_feeds_and_lists(feed: str) -> None:
    assert addresses(feed.encode()) == ["https://a.example/1", "https://a.example/2"]


def test_utf16() -> None:
    text = '<?xml version="1.0" encoding="UTF-16"?><urlset><url><loc>https://a.example/1</loc></url></urlset>'
    assert addresses(text.encode("utf-16")) == ["https://a.example/1"]


def test_a_broken_entry_does_not_take_the_others_along() -> None:
    text = b"""<urlset><url><loc>https://a.example/1?a=1&b=2</loc></url><url><loc>http://[</loc></url>
    <url><loc>javascript:x</loc></url><url></url><url><loc>https://a.example/2</loc></url></urlset>"""
    assert addresses(text)[-1] == "https://a.example/2"
    assert len(addresses(text)) == 2


def test_what_was_read_before_a_cut_is_kept() -> None:
    rows = "".join(f"<url><loc>https://a.example/{n * n}</loc></url>" for n in range(3000))
    packed = gzip.compress(f"<urlset>{rows}</urlset>".encode())
    sitemap = read_sitemap(packed[: len(packed) // 2], url=HERE)
    assert 500 < len(sitemap.entries) < 3000
    assert sitemap.problem == "the compressed body ends early"


@pytest.mark.parametrize("line", ["https://a.example/%d\n", "<url><loc>https://a.example/%d</loc></url>"])
def test_no_more_addresses_than_the_protocol_allows(line: str) -> None:
    rows = "".join(line % n for n in range(MAX_ADDRESSES + 5))
    sitemap = read_sitemap((rows if line.startswith("http") else f"<urlset>{rows}</urlset>").encode(), url=HERE)
    assert len(sitemap.entries) == MAX_ADDRESSES
    assert sitemap.problem == "more than 50,000 addresses"


@pytest.mark.parametrize("most_bytes", [100_000, pytest.param(1 << 40, marks=pytest.mark.slow)])
def test_hostile_sitemaps(tmp_path: Path, most_bytes: int) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("SECRET-IN-FILE")
    with socket.create_server(("127.0.0.1", 0)) as canary:
        canary.setblocking(False)
        hostile = hostile_sitemaps(str(secret), f"http://127.0.0.1:{canary.getsockname()[1]}/SECRET")
        assert len(hostile) >= 40
        for what, body in hostile.items():
            if len(body) > most_bytes:
                continue
            began = time.process_time()
            sitemap = read_sitemap(body, url=HERE)
            spent_s = time.process_time() - began
            assert spent_s < 3, f"{what}: {spent_s:.1f} s"  # 1 s on a free machine, see benchmarks/crawl_hostile.py
            assert "SECRET-IN-FILE" not in repr(sitemap.entries[:10]), what
            assert len(sitemap.entries) <= MAX_ADDRESSES
            assert sum(len(entry.url) for entry in sitemap.entries) < 10_000_000, what
            assert all(entry.url.startswith("https://a.example/") for entry in sitemap.entries), what
            assert sitemap.problem or not ("entity" in what or "laughs" in what), what
        with pytest.raises(BlockingIOError):
            canary.accept()


def test_half_a_surrogate_pair_is_broken_xml() -> None:
    pages = "<url><loc>https://a.example/1</loc></url><url><loc>&#xD800;</loc></url>"
    sitemap = read_sitemap(f"<urlset>{pages}</urlset>".encode(), url=HERE)
    assert [entry.url for entry in sitemap.entries] == ["https://a.example/1"]
    assert sitemap.problem.startswith("broken XML (")


@given(body=st.binary(max_size=200))
def test_no_bytes_are_too_much(body: bytes) -> None:
    for text in (body, b"<urlset><url><loc>" + body, b"<?xml version='1.0'?>" + body):
        read_sitemap(text, url=HERE)
