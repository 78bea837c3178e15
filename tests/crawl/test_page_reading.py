"""A page that kills, hangs or breaks the parser costs itself, and the next one is parsed."""

from __future__ import annotations

import os
import signal
import time

import pyarrow as pa
import pytest
from made_crawls import made_page

from diglot.crawl.page_reading import PageParser, parse_content
from diglot.documents.parse import parse_page, parse_table
from diglot.reasons import Reason
from diglot.records import Drop, Page

ENDS = {
    "http://a.example/killed": Reason.PARSER_CRASH,
    "http://a.example/raises": Reason.PARSER_CRASH,
    "http://a.example/hangs": Reason.PARSER_TIMEOUT,
}


def fault(pages: pa.Table) -> pa.Table:
    """A parser that fails on planted addresses."""
    end = pages["url"][0].as_py().rpartition("/")[2]
    if end == "killed":
        os.kill(os.getpid(), signal.SIGSEGV)
    if end == "raises":
        raise ValueError("planted")
    while end == "hangs":
        time.sleep(1)
    return parse_table(pages)


def test_a_page_that_ends_the_parser_costs_itself_only() -> None:
    with PageParser(fault, timeout_s=5.0) as parse:
        for url, reason in ENDS.items():
            parsed = parse(Page(url, b"<p>x"))
            assert isinstance(parsed, Drop)
            assert parsed.reason == reason
            assert not isinstance(parse(Page("http://a.example/", made_page("en", 1))), Drop)


def test_a_page_is_parsed_as_elsewhere() -> None:
    page = Page("http://a.example/", made_page("fr", 1, '<a href="/b" hreflang="en">English</a>'))
    with PageParser() as parse:
        parsed = parse(page)
        empty = parse(Page("http://a.example/", b"<p>"))
    assert not isinstance(parsed, Drop)
    assert parsed == parse_table(pa.Table.from_pylist([_row(page)])).to_pylist()[0]
    assert isinstance(empty, Drop)
    assert empty.reason == Reason.NO_TEXT


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ('"0; url=/fr"', "/fr"),
        ("\"0;URL='/fr'\"", "/fr"),
        ("'0; url=\"/fr\" '", "/fr"),
        ("\"5;url='/fr' and more\"", "/fr"),
        ('"0;url=/l\'accueil"', "/l'accueil"),
        ("\"0;url='/fr?a=1&amp;b=2'\"", "/fr?a=1&b=2"),
        ('"0;url=\'/fr"', "/fr"),
        ("\"0;url=''\"", ""),
        ('"30"', ""),
    ],
)
def test_a_refresh_leads_where_a_browser_goes(content: str, target: str) -> None:
    body = f"<html><head><META HTTP-EQUIV='Refresh' CONTENT={content}></head></html>".encode()
    page = Page("http://a.example/", body)
    read = parse_content(page, lambda page: Drop(page.url, Reason.NO_TEXT, ""))
    links = [link.url for link in read.contents.links] if read.contents else []
    assert links == ([f"http://a.example{target}"] if target else [])


@pytest.mark.parametrize(
    ("shown", "links"),
    [
        ("", ["http://a.example/de/", "http://a.example/fr/"]),
        # Where readers of all kinds have links, these are the links of the page.
        ("<a href=/all/>all</a>", ["http://a.example/all/"]),
        ("<script>go('<a href=/x/>')</script>", ["http://a.example/de/", "http://a.example/fr/"]),
    ],
)
def test_a_page_whose_script_chooses_the_language_is_left_by_its_links_for_readers_without(
    shown: str, links: list[str]
) -> None:
    choice = "<noscript><ul><li><a href='de/'>Deutsch</a><li><a href='/fr/'>Français</a></ul></noscript>"
    page = Page("http://a.example/", f"<html><body><p>Redirecting...</p>{shown}{choice}</body></html>".encode())
    read = parse_content(page, parse_page)
    assert read.contents is not None
    assert [link.url for link in read.contents.links] == links


def _row(page: Page) -> dict[str, object]:
    return {name: getattr(page, name) for name in page.__dataclass_fields__}
