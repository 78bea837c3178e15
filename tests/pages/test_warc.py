"""WARC records that are as they should be, or are not pages: what comes out and why not."""

from __future__ import annotations

import gzip
import io
import tracemalloc
import zlib
from pathlib import Path

import pytest
from fastwarc import ArchiveIterator
from fastwarc.warc import WarcRecordType
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_warcs import drops_of, http, made_site, member, pages_of, read_bytes, record, sha1

from diglot.pages.warc import digest_differs, iso_seconds
from diglot.reasons import Reason
from diglot.records import Drop, Page

HTML = b"<html><body><p>Gr\xc3\xbc\xc3\x9fe</p></body></html>"
JPEG_AS_UTF8 = b"\xc3\xbf\xc3\x98\xc3\xbf\xc3\xa0\x00\x10JFIF\x00\x01\x01"


def one(folder: Path, content: bytes) -> Page | Drop:
    [item] = read_bytes(folder, content)
    return item


@pytest.mark.parametrize("layout", ["members", "one member", "plain"])
def test_three_layouts_give_the_same_pages(tmp_path: Path, layout: str) -> None:
    site = made_site(8)
    records = [record(b"software: made\r\n", kind="warcinfo", url="")]
    records += [record(http(body), url=url) for url, body in site.items()]
    whole = b"".join(records)
    content = {"members": b"".join(map(member, records)), "one member": member(whole), "plain": whole}[layout]
    found = read_bytes(tmp_path, content)
    assert pages_of(found) == site
    assert drops_of(found) == []
    assert [item.url for item in found] == list(site)


def test_a_page_carries_what_the_record_says(tmp_path: Path) -> None:
    fields = {"Content-Type": "text/html; charset=utf-8", "Content-Language": "de"}
    response = record(
        http(HTML, fields=fields),
        url="<http://a.example/x y#part>",
        fields={"WARC-Date": "2024-06-01T14:00:00.25+02:00"},
    )
    first = member(record(b"", kind="warcinfo"))
    assert one(tmp_path, first + member(response)) == Page(
        url="http://a.example/x%20y",
        body=HTML,
        content_type="text/html; charset=utf-8",
        source="made.warc",
        offset=len(first),
        fetched="2024-06-01T12:00:00Z",
        declared_lang="de",
    )


@pytest.mark.parametrize(
    ("content", "reason", "detail"),
    [
        (
            record(http(b"", status="301 Moved Permanently", fields={"Location": "/en/"})),
            Reason.HTTP_STATUS,
            "301 to /en/",
        ),
        (record(http(HTML, status="404 Not Found")), Reason.HTTP_STATUS, "404"),
        (record(http(HTML, fields={"Content-Type": "image/png"})), Reason.NOT_HTML, "image/png"),
        (record(http(JPEG_AS_UTF8)), Reason.NOT_HTML, "not HTML, though sent as text/html"),
        (record(http(b"\x89PNG\r\n\x1a\n....")), Reason.NOT_HTML, "not HTML"),
        (record(http(b"just words", fields={"Content-Type": "text/plain"})), Reason.NOT_HTML, "not HTML"),
        (record(http(HTML), fields={"WARC-Truncated": "length"}), Reason.TRUNCATED, "length"),
        (record(http(HTML), fields={"WARC-Segment-Number": "1"}), Reason.TRUNCATED, "segment"),
        (record(http(HTML, fields={"Content-Length": "900"})), Reason.TRUNCATED, f"{len(HTML)} of 900"),
        (record(http(b"")), Reason.NO_TEXT, "empty"),
        (record(http(HTML), url=""), Reason.NO_ADDRESS, "no WARC-Target-URI"),
        (record(http(HTML), url="urn:view:3"), Reason.NO_ADDRESS, "urn:view:3"),
        (record(b"", kind="revisit"), Reason.UNCHANGED, ""),
        (
            record(
                b"",
                kind="revisit",
                fields={
                    "WARC-Refers-To-Target-URI": "http://a.example/",
                    "WARC-Refers-To-Date": "2026-01-02T03:04:05Z",
                },
            ),
            Reason.UNCHANGED,
            "http://a.example/ 2026-01-02T03:04:05Z",
        ),
        (record(http(HTML), kind="respinse"), Reason.DAMAGED_RECORD, "respinse"),
        (record(http(HTML), fields={"WARC-Block-Digest": sha1(b"")}), Reason.DAMAGED_RECORD, "digest"),
        (record(http(HTML), fields={"WARC-Payload-Digest": sha1(b"")}), Reason.DAMAGED_RECORD, "digest"),
        (record(b"not http at all"), Reason.DAMAGED_RECORD, "no HTTP status line"),
        (
            record(b"a.example. 60 IN A 192.0.2.1", fields={"Content-Type": "text/dns"}),
            Reason.NOT_HTML,
            "dns",
        ),
    ],
)
def test_what_is_no_page_says_why(tmp_path: Path, content: bytes, reason: Reason, detail: str) -> None:
    drop = one(tmp_path, member(content))
    assert isinstance(drop, Drop)
    assert (drop.reason, drop.source) == (reason, "made.warc")
    assert detail in drop.detail
    assert drop.url


@pytest.mark.parametrize(
    "body",
    [
        HTML,
        b"\xef\xbb\xbf" + HTML,
        "<html><p>漢字一丁</p></html>".encode("utf-16"),
        "<!DOCTYPE html><p>漢字一丁</p>".encode("utf-16-be"),
        "<html><p>漢字一丁</p></html>".encode("utf-16-le"),
        b"<html><p>a stray \0 byte</p></html>",
        b"only words",
    ],
)
def test_html_in_any_encoding_is_html(tmp_path: Path, body: bytes) -> None:
    assert pages_of([one(tmp_path, record(http(body)))]) == {"http://a.example/": body}


@pytest.mark.parametrize("content_type", ["", "text/plain", "text/html, text/html", "Text/HTML,charset=utf-8"])
def test_vague_and_repeated_types_are_looked_into(tmp_path: Path, content_type: str) -> None:
    item = one(tmp_path, record(http(HTML, fields={"Content-Type": content_type})))
    assert isinstance(item, Page)


@pytest.mark.parametrize("content_type", ["", "text/xml", "text/html"])
@pytest.mark.parametrize(
    "body",
    [
        b'<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"\n>\n<channel><title>Comments</title>',
        b'\xef\xbb\xbf<?xml version="1.0"?>\n<?xml-stylesheet href="a.css"?>\n<!-- made -->\n<feed><title>News</title>',
        b"\n<rdf:RDF><channel><title>News</title>",
        b'<?xml version="1.0"?><urlset><url><loc>http://a.example/</loc>',
        b'<?xml version="1.0"?><!DOCTYPE tmx SYSTEM "tmx14.dtd"><tmx version="1.4"><header/><body><tu>',
        b'{"name":"A site","description":"<html><title>of it</title>"}',
        b'\n[ {\n "id" : 3, "text": "<p>It is a text.</p>"}]',
    ],
)
def test_feeds_sitemaps_and_json_are_no_pages(tmp_path: Path, body: bytes, content_type: str) -> None:
    item = one(tmp_path, record(http(body, fields={"Content-Type": content_type})))
    assert drops_of([item])[0].reason == Reason.NOT_HTML


@pytest.mark.parametrize(
    "body",
    [
        b'<?xml version="1.0"?>\n<!-- <rss> -->\n<!DOCTYPE html>\n<html><title>What <rss> is</title>',
        b'{ "quoted" } words <html><title>of a template</title>',
        b'<html><title>{"name":"JSON"}</title>',
    ],
)
def test_a_page_on_feeds_or_json_is_one(tmp_path: Path, body: bytes) -> None:
    assert isinstance(one(tmp_path, record(http(body, fields={"Content-Type": "text/xml"}))), Page)


def test_a_comment_bomb_does_not_hold_the_sniffer_up(tmp_path: Path) -> None:
    body = b"<!---->" * 146 + b"\0"
    assert drops_of([one(tmp_path, record(http(body)))])[0].reason == Reason.NOT_HTML


def test_resource_records_are_pages(tmp_path: Path) -> None:
    item = one(tmp_path, record(HTML, kind="resource", fields={"Content-Type": "text/html"}))
    assert isinstance(item, Page)
    assert item.body == HTML


def test_digests_that_fit(tmp_path: Path) -> None:
    block = http(HTML)
    fields = {"WARC-Block-Digest": sha1(block), "WARC-Payload-Digest": sha1(b"of a tool that differs")}
    assert isinstance(one(tmp_path, record(block, fields=fields)), Page)
    assert isinstance(one(tmp_path, record(block, fields={"WARC-Payload-Digest": sha1(HTML)})), Page)


def test_either_digest_may_count_the_body(tmp_path: Path) -> None:
    """Webrecorder counts the joined body of a page sent in chunks for both digests, and other archivers the chunks."""
    chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(HTML), HTML)
    head = {"Transfer-Encoding": "chunked", "Content-Length": ""}
    for stored in (HTML, chunked):
        for fields in (
            {"WARC-Block-Digest": sha1(HTML), "WARC-Payload-Digest": sha1(HTML)},
            {"WARC-Block-Digest": sha1(b"of a tool that differs"), "WARC-Payload-Digest": sha1(HTML)},
            {"WARC-Block-Digest": sha1(HTML)},
        ):
            assert pages_of([one(tmp_path, record(http(stored, fields=head), fields=fields))]) == {
                "http://a.example/": HTML
            }
    changed = record(http(HTML, fields=head), fields={name: sha1(b"of other text") for name in fields})
    assert drops_of([one(tmp_path, changed)])[0].reason == Reason.DAMAGED_RECORD


def test_digest_notations() -> None:
    # SHA-1 and MD5 of "abc" are those of RFC 3174 and RFC 1321.
    assert not digest_differs("sha1:a9993e364706816aba3e25717850c26c9cd0d89d", b"abc")
    assert not digest_differs("SHA1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5", b"abc")
    assert not digest_differs("md5:900150983cd24fb0d6963f7d28e17f72", b"abc")
    assert digest_differs("md5:900150983cd24fb0d6963f7d28e17f73", b"abc")
    assert not digest_differs("whirlpool:123", b"abc")


@pytest.mark.parametrize(
    ("date", "normal"),
    [
        ("2024-06-01T12:00:00Z", "2024-06-01T12:00:00Z"),
        ("2024-06-01T12:00:00.999999Z", "2024-06-01T12:00:00Z"),
        ("2024-06-01T01:00:00+02:00", "2024-05-31T23:00:00Z"),
        ("2024-06-01", "2024-06-01T00:00:00Z"),
        ("0001-01-01T00:00:00+12:00", ""),
        ("yesterday", ""),
    ],
)
def test_dates(date: str, normal: str) -> None:
    assert iso_seconds(date) == normal


def test_a_page_cut_by_its_crawler_without_a_word(tmp_path: Path) -> None:
    for filling, expected in ((b"x", Reason.TRUNCATED), (b"", None)):
        start = b"<html><body>"
        end = filling or b"</html>"
        body = start + b"y" * ((1 << 20) - len(start) - len(end)) + end
        item = one(tmp_path, record(http(body)))
        assert getattr(item, "reason", None) == expected


def test_bombs_stop_at_the_limit_and_stay_small(tmp_path: Path) -> None:
    zeros = b"<html>" + bytes(64 << 20)
    packed = gzip.compress(zeros, 1, mtime=0)
    coded = record(http(packed, fields={"Content-Encoding": "gzip"}), url="http://a.example/coded")
    twice = http(zlib.compress(packed), fields={"Content-Encoding": "gzip, deflate"})
    records = [
        member(coded),
        member(record(twice, url="http://a.example/stacked")),
        member(record(http(zeros), url="http://a.example/bare")),
        member(record(http(HTML), url="http://a.example/last")),
    ]
    tracemalloc.start()
    found = read_bytes(tmp_path, b"".join(records), max_page_bytes=1 << 20)
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert {drop.url[17:]: drop.reason for drop in drops_of(found)} == dict.fromkeys(
        ["coded", "stacked", "bare"], Reason.TOO_LARGE
    )
    assert pages_of(found) == {"http://a.example/last": HTML}
    assert peak_bytes < 8 << 20


def test_a_large_record_that_is_no_page_says_so(tmp_path: Path) -> None:
    video = http(bytes(300_000), fields={"Content-Type": "video/mp4"})
    for pack in (member, bytes):
        content = pack(record(video)) + pack(record(http(HTML), url="http://a.example/b"))
        found = read_bytes(tmp_path, content, max_page_bytes=100_000)
        assert [drop.reason for drop in drops_of(found)] == [Reason.NOT_HTML]
        assert list(pages_of(found)) == ["http://a.example/b"]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    bodies=st.lists(st.binary(min_size=1, max_size=400), min_size=1, max_size=6),
    members=st.booleans(),
)
def test_any_body_comes_back_as_written_and_as_fastwarc_reads_it(
    tmp_path: Path, bodies: list[bytes], members: bool
) -> None:
    # Markup in front, so that any bytes count as a page.
    site = {f"http://a.example/{i}": b"<html>" + body for i, body in enumerate(bodies)}
    pack = member if members else bytes
    content = b"".join(pack(record(http(body), url=url)) for url, body in site.items())
    found = read_bytes(tmp_path, content)
    assert pages_of(found) == site
    assert drops_of(found) == []
    theirs = ArchiveIterator(io.BytesIO(content), record_types=WarcRecordType.response)
    assert [item.reader.read() for item in theirs] == list(site.values())
