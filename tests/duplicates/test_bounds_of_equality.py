"""Equal pages and reprints: cases worked by hand on both sides of each bound."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from diglot.duplicates.equal import Versions, _link_figures, representatives
from diglot.duplicates.reprints import find_reprints, near_duplicates
from made_documents import made_page, made_site


def test_what_surrounds_a_page_is_counted_once_a_link() -> None:
    """``a`` links to b, c, x, itself and b again; ``b`` to a; ``x``, French, to a; ``c`` to an address of no page."""
    urls, langs = ["a", "b", "c", "x"], ["en", "en", "en", "fr"]
    links = [["b", "c", "x", "a", "b"], ["a"], ["nowhere", ""], ["a"]]
    linking, onward = _link_figures(Versions(urls, langs, [""] * 4), pa.array(links, pa.list_(pa.string())))
    assert linking == [1, 1, 1, 0]  # pages of their language that link to them
    assert onward == [1, 3, 3, 0]


def links_to(*targets: tuple[str, ...]) -> pa.ListArray:
    return pa.array(list(targets), pa.list_(pa.string()))


@pytest.mark.parametrize(
    ("urls", "versions", "links", "best"),
    [
        (["http://a/x", "http://a/longer"], ["", "en"], [(), (), ()], 1),
        (["http://a/x", "http://a/longer"], ["it", ""], [(), (), ()], 1),
        (["http://a/xx", "http://a/y"], ["", ""], [(), (), ()], 1),
        (["http://a/y", "http://a/x"], ["", ""], [(), (), ()], 1),
        (["http://a/x", "http://a/longer"], ["", ""], [(), (), ("http://a/longer",)], 1),  # linked more
        # Linked as much, by the page with more links.
        (["http://a/x", "http://a/longer"], ["", ""], [("http://a/longer", "http://c"), ("http://a/x",), ()], 1),
    ],
)
def test_the_representative_of_equal_pages(
    urls: list[str], versions: list[str], links: list[tuple[str, ...]], best: int
) -> None:
    chosen = representatives(
        Versions([*urls, "http://c"], ["en"] * 3, [*versions, ""]), np.array([0, 0, 2], np.int32), links_to(*links)
    )
    assert chosen.tolist() == [best == 0, best == 1, True]


def test_pages_alone_represent_themselves() -> None:
    assert representatives(
        Versions(["a", "b"], ["en"] * 2, [""] * 2), np.arange(2, dtype=np.int32), links_to((), ())
    ).all()


@pytest.mark.parametrize(("other", "near"), [(5, True), (6, False)])
def test_near_duplicates_share_95_of_100_characters(other: int, near: bool) -> None:
    pages = [made_page(f"http://a/{n}", "en", ["s" * (100 - other), sign * other]) for n, sign in enumerate("ab")]
    site = made_site(*pages)
    assert near_duplicates(site, np.arange(2, dtype=np.int32)) == ({0: (1,), 1: (0,)} if near else {})


def test_near_duplicates_share_95_of_100_characters_of_the_longer_page() -> None:
    site = made_site(made_page("http://a/1", "en", ["s" * 94]), made_page("http://a/2", "en", ["s" * 94, "b" * 6]))
    assert near_duplicates(site, np.arange(2, dtype=np.int32)) == {}


@pytest.mark.parametrize(("pages", "found"), [(50, 50), (51, 0)])
def test_blocks_on_more_than_fifty_pages_bring_none_together(pages: int, found: int) -> None:
    alike = [made_page(f"http://a/{n:03}", "en", ["the same text on all of these"]) for n in range(pages)]
    others = [made_page(f"http://b/{n}", "en", [f"other {n}"]) for n in range(150)]
    site = made_site(*alike, *others)
    assert len(near_duplicates(site, np.arange(len(site), dtype=np.int32))) == found


@pytest.mark.parametrize(
    ("links", "than", "far"), [(2, 0, True), (1, 0, False), (4, 1, True), (3, 1, False), (6, 2, True), (5, 2, False)]
)
def test_far_oftener_is_twice_and_two_more(links: int, than: int, far: bool) -> None:
    text = ["the same text on both pages"]
    pair = [made_page("http://x/a", "en", text), made_page("http://x/b", "en", text)]
    linking = [
        made_linking(f"http://x/{n}", ["http://x/a"] * (n < links) + ["http://x/b"] * (n < than)) for n in range(links)
    ]
    site = made_site(*pair, *linking)
    oftener, seldom = (site.urls.index(page["url"]) for page in pair)
    assert find_reprints(site, {oftener: (seldom,), seldom: (oftener,)}) == ({seldom: oftener} if far else {})


def made_linking(url: str, links: list[str]) -> dict[str, Any]:
    fields = {name: [""] * len(links) for name in ("link_anchors", "link_hreflangs", "link_fragments")}
    return made_page(url, "en", [url], link_urls=links, link_alternate=[False] * len(links), **fields)


def test_nothing_is_shown_again_where_no_pages_are_alike() -> None:
    assert find_reprints(made_site(), {}) == {}
