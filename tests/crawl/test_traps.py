"""Traps are left within their budget, real pages are all fetched, and a stop is explained."""

from __future__ import annotations

import itertools

import pytest
from endless_sites import LANGS, REAL_PAGES, SITE, TRAPS, drawn, page, walk
from hypothesis import given
from hypothesis import strategies as st

from diglot.crawl.queue.traps import (
    MAX_CHAIN,
    MAX_COPIES,
    MAX_FAN,
    TrapGuard,
    address_shape,
    text_hashes,
    why_odd,
)


def come(guard: TrapGuard, url: str, text: str) -> None:
    """Tell a guard that a page came, with one text."""
    guard.note_page(url, text_hashes(url, [text]))


@pytest.mark.parametrize(
    ("url", "shape"),
    [
        ("https://A.example/2024/05/item-17.html?id=5&lang=fr", "a.example/#/#/item-#.html?id&lang"),
        ("https://a.example/p/8f14e45fceea167a5a36dedd4bea2543", "a.example/p/#"),
        ("https://a.example/x;jsessionid=AB12?b=1&a=2&b=3#top", "a.example/x?a&b"),
        ("https://a.example/en/about", "a.example/en/about"),
        ("https://a.example/?", "a.example/"),
    ],
)
def test_shape(url: str, shape: str) -> None:
    assert address_shape(url) == shape


@pytest.mark.parametrize(
    "path",
    [
        "a/" * 3,
        "x/y/" * 3,
        "en/docs/" * 3 + "z.html",
        "a/b/a/c/a/d/a/e/a/",
        "a/" + "/".join("bcdefghijklmnopqrstuvw"),
        "y" * 2000,
    ],
)
def test_odd_addresses(path: str) -> None:
    assert why_odd(f"https://a.example/{path}")


@pytest.mark.parametrize(
    "path",
    [
        "",
        "a/a/",
        "2024/01/01/01/x",
        "en/docs/en/docs/x",
        "index.php?id=7&lang=fr",
        "1/1/1/1/1/",
        "a/b/a/b/c",
        "en/us/en/fr/x.html",
    ],
)
def test_usual_addresses(path: str) -> None:
    assert why_odd(f"https://a.example/{path}") == ""


def test_traps_beside_real_pages() -> None:
    walked = walk(page, [f"{SITE}/"])
    assert sum(walked.requests[lang] for lang in LANGS) == REAL_PAGES
    assert len(TRAPS) >= 12
    assert {name: walked.requests[name] for name in TRAPS if not 1 <= walked.requests[name] <= 200} == {}
    stopped = {stop.example.removeprefix(SITE).split("/")[1].partition("?")[0] for stop in walked.stops}
    assert stopped == set(TRAPS), "each trap was stopped, nothing else was"


def test_a_stop_says_why_what_and_where() -> None:
    walked = walk(page, [f"{SITE}/photos/", f"{SITE}/gone/"])
    texts = {str(stop) for stop in walked.stops}
    assert any(
        "repeats 'big' more than 2 times in a row (site.example/photos/big/big/big/, for example" in t for t in texts
    )
    assert any(
        "hold 'sorry this page is perhaps you like these' and nothing else of their own" in text for text in texts
    )


def test_a_large_site_under_one_form_of_address_is_no_trap() -> None:
    # 3,000 articles, each with its own text, known from a list and from their neighbours.
    def article(url: str) -> tuple[list[str], list[str]]:
        n = int(url.partition("id=")[2].partition("&")[0])
        near = [n * 2 + 1, n * 2 + 2, max(0, n - 1), n + 1, 0]
        return [" ".join(drawn(url, 20))], [f"{SITE}/index.php?id={m}&lang=fr" for m in near if m < 3000]

    walked = walk(article, [f"{SITE}/index.php?id=0&lang=fr"])
    assert walked.stops == []
    assert len(walked.urls) == 3000


def test_a_list_of_many_pages_that_nothing_else_leads_to_is_no_trap() -> None:
    def listed(url: str) -> tuple[list[str], list[str]]:
        links = [f"{SITE}/p/{n}" for n in range(1, 400)] if url.endswith("/0") else [f"{SITE}/p/0"]
        return [" ".join(drawn(url, 20))], links

    walked = walk(listed, [f"{SITE}/p/0"])
    assert walked.stops == []
    assert len(walked.urls) == 400


def test_one_page_with_something_of_its_own_opens_an_address_again() -> None:
    guard = TrapGuard()
    guard.note_links([f"{SITE}/start"])
    come(guard, f"{SITE}/start", "A start page with a text of its own")
    for n in range(MAX_COPIES):
        come(guard, f"{SITE}/old/{n}", "This page is gone and will not come back")
        guard.note_links([f"{SITE}/old/{n + 1}", f"{SITE}/old/last"], f"{SITE}/old/{n}")
    stop = guard.judge(f"{SITE}/old/last")
    assert stop is not None
    assert f"{MAX_COPIES} hold 'this page is gone and will not come back'" in stop.reason
    guard.note_links([f"{SITE}/old/last"], f"{SITE}/start")
    assert guard.judge(f"{SITE}/old/last") is None


def test_a_line_ends_and_a_second_way_to_it_opens_it_again() -> None:
    guard = TrapGuard()
    urls = [f"{SITE}/part/{n}" for n in range(MAX_CHAIN + 2)]
    guard.note_links(urls[:1])
    for here, there in itertools.pairwise(urls):
        come(guard, here, " ".join(drawn(here, 20)))
        guard.note_links([there], here)
    assert guard.judge(urls[MAX_CHAIN - 1]) is None
    assert guard.judge(urls[MAX_CHAIN]) is not None
    guard.note_links([urls[MAX_CHAIN]])
    assert guard.judge(urls[MAX_CHAIN]) is None


def test_what_spreads_without_meeting_ends() -> None:
    walked = walk(page, [f"{SITE}/tree/"])
    assert walked.requests["tree"] <= MAX_FAN + 1
    assert "each still links to others" in walked.stops[0].reason


@given(url=st.text(max_size=40))
def test_no_address_is_too_much(url: str) -> None:
    guard = TrapGuard()
    address = "https://a.example/" + url.replace("[", "").replace("]", "")
    guard.note_links([address])
    come(guard, address, url)
    guard.judge(address)


def test_pages_that_lead_to_new_ones_of_another_form_do_not_spread() -> None:
    guard, items = TrapGuard(), [f"{SITE}/item/{n}" for n in range(MAX_FAN + 10)]
    guard.note_links([f"{SITE}/list"])
    guard.note_links(items, f"{SITE}/list")
    for n, item in enumerate(items[:-1]):
        come(guard, item, f"text {chr(0x4E00 + n) * 20}")
        guard.note_links([f"{SITE}/picture/{n}"], item)
    assert guard.judge(items[-1]) is None
