"""Files of WMT 2016: good lines are pages, bad ones are named by their number."""

from __future__ import annotations

import base64
import gzip
from pathlib import Path

import pytest
from made_warcs import drops_of, made_site, pages_of, read_bytes

from diglot.pages.byte_feed import lines
from diglot.reasons import Reason
from diglot.records import Page

HTML = "<html><body>Grüße</body></html>"


def line(url: str, html: bytes = HTML.encode(), *, charset: str = "utf-8", mime: str = "text/html") -> bytes:
    fields = [b"de", mime.encode(), charset.encode(), url.encode(), *map(base64.b64encode, (html, b"text"))]
    return b"\t".join(fields) + b"\n"


GOOD = line("http://a.example/1")


@pytest.mark.parametrize("name", ["site.lett", "site.lett.gz", "any.name"])
def test_a_page_a_line(tmp_path: Path, name: str) -> None:
    content = GOOD + line("http://a.example/2").rstrip(b"\n")
    packed = gzip.compress(content) if name.endswith(".gz") else content
    first, second = read_bytes(tmp_path, packed, name=name)
    assert first == Page(
        url="http://a.example/1",
        body=HTML.encode(),
        content_type="text/html; charset=utf-8",
        source=name,
        offset=1,
        declared_lang="de",
    )
    assert (second.url, second.offset) == ("http://a.example/2", 2)


@pytest.mark.parametrize(
    ("charset", "content_type"),
    [("iso-8859-1", "text/html; charset=iso-8859-1"), ("a b;c", "text/html"), ("", "text/html")],
)
def test_the_charset_column_counts_where_it_is_not_utf8(tmp_path: Path, charset: str, content_type: str) -> None:
    [page] = read_bytes(tmp_path, line("http://a.example/1", HTML.encode("latin-1"), charset=charset))
    assert isinstance(page, Page)
    assert page.content_type == content_type


@pytest.mark.parametrize(
    ("bad", "reason", "detail"),
    [
        (b"one field\n", Reason.MALFORMED_LINE, "line 2: 1 fields"),
        (GOOD.replace(b"\t", b"\t\t", 1), Reason.MALFORMED_LINE, "line 2: 7 fields"),
        (GOOD[:-10] + b"\n", Reason.MALFORMED_LINE, "line 2: 5 fields"),
        (GOOD.replace(b"\tPGh0", b"\t*Gh0"), Reason.MALFORMED_LINE, "line 2: HTML is not base64"),
        (line(""), Reason.MALFORMED_LINE, "not a web address"),
        (line("/relative"), Reason.MALFORMED_LINE, "not a web address"),
        (line("http://a.example/2", b""), Reason.NO_TEXT, "line 2"),
        (line("http://a.example/2", b"%!PS-"), Reason.NOT_HTML, "text/html"),
        (line("http://a.example/2", mime="image/png"), Reason.NOT_HTML, "image/png"),
        (line("http://a.example/2", b"<p>" + b"x" * 9000), Reason.TOO_LARGE, "more than 5000"),
        (line("http://a.example/2", b"<p>" + b"x" * 90000), Reason.TOO_LARGE, "more than 5000"),
    ],
)
def test_a_bad_line_costs_itself(tmp_path: Path, bad: bytes, reason: Reason, detail: str) -> None:
    content = GOOD + bad + b"\n" + line("http://a.example/3")
    found = read_bytes(tmp_path, content, name="site.lett", max_page_bytes=5000)
    assert list(pages_of(found)) == ["http://a.example/1", "http://a.example/3"]
    [drop] = drops_of(found)
    assert (drop.reason, drop.offset) == (reason, 2)
    assert detail in drop.detail
    assert drop.url


def test_a_page_is_read_whose_text_column_is_broken(tmp_path: Path) -> None:
    """The column is not used."""
    content = GOOD + line("http://a.example/2")[:-4] + b"*\n"
    assert list(pages_of(read_bytes(tmp_path, content, name="site.lett"))) == [
        "http://a.example/1",
        "http://a.example/2",
    ]


def test_a_cut_gzip_file_keeps_what_came_before(tmp_path: Path) -> None:
    site = made_site(20)
    packed = gzip.compress(b"".join(line(url, body) for url, body in site.items()))
    found = read_bytes(tmp_path, packed[: len(packed) // 2], name="site.lett.gz")
    pages = pages_of(found)
    assert list(pages) == list(site)[: len(pages)]
    assert 5 <= len(pages) <= 15
    assert all(site[url] == body for url, body in pages.items())
    assert [drop.url for drop in drops_of(found)] == [f"site.lett.gz@{len(pages) + 1}"]


def test_of_a_line_that_is_too_long_the_beginning_is_held_alone() -> None:
    pieces = [b"ab\nx"] + [b"y" * 10] * 100 + [b"z\n", b"last"]
    assert list(lines(pieces, 25)) == [b"ab", b"x" + b"y" * 25, b"last"]
    assert list(lines([b"a" * 25 + b"\n", b"b" * 26], 25)) == [b"a" * 25, b"b" * 26]
