"""Equal pages and reprints: cases worked by hand on both sides of each bound."""

from __future__ import annotations

from typing import Any

import pytest

from alike_pages import near_duplicates
from diglot.duplicates.equal import equal_pages, link_figures
from diglot.duplicates.reprints import find_reprints
from made_documents import made_page, made_site


def test_what_surrounds_a_page_is_counted_once_a_link() -> None:
    """``a`` links to b, c, x, itself and b again; ``b`` to a; ``x``, French, to a; ``c`` to an address of no page.

    ``z``, in a language that nobody wants, links to ``a`` and is linked from ``b``.
    """
    links = {"a": ["b", "c", "x", "a", "b"], "b": ["a", "z"], "c": ["nowhere", ""], "x": ["a"], "z": ["a"]}
    pages = [
        made_linking(name, targets, lang={"x": "fr"}.get(name, "en"), reason="other_language" if name == "z" else "")
        for name, targets in links.items()
    ]
    linking, onward = link_figures(made_site(*pages))
    assert linking == [1, 1, 1, 0, 0]  # pages of their language that link to them
    assert onward == [1, 3, 3, 0, 0]


@pytest.mark.parametrize(
    ("names", "editions", "links", "best"),
    [
        (["x", "longer"], ["", "en"], [(), (), ()], 1),
        (["x", "longer"], ["it", ""], [(), (), ()], 1),
        (["xx", "y"], ["", ""], [(), (), ()], 1),
        (["y", "x"], ["", ""], [(), (), ()], 1),
        (["x", "longer"], ["", ""], [(), (), ("longer",)], 1),  # linked more
        (["x", "longer"], ["", ""], [("longer", "c"), ("x",), ()], 1),  # linked as much, by the page with more links
    ],
)
def test_the_representative_of_equal_pages(
    names: list[str], editions: list[str], links: list[tuple[str, ...]], best: int
) -> None:
    pages = [
        made_linking(f"http://a/{name}", [f"http://a/{target}" for target in targets], edition=edition, text=text)
        for name, edition, targets, text in zip(
            [*names, "c"], [*editions, ""], links, ["a text", "a  text ", "c"], strict=True
        )
    ]
    site = made_site(*pages)
    first, second = (f"http://a/{name}" for name in (names[best], names[1 - best]))
    assert {site.urls[page]: site.urls[other] for page, other in equal_pages(site).items()} == {second: first}


@pytest.mark.parametrize("other", ["http://b/y", "http://a/y"])
def test_equal_pages_are_of_one_domain_language_and_text(other: str) -> None:
    pages = [made_linking("http://a/x", [], text="a text"), made_linking(other, [], text="a text")]
    assert bool(equal_pages(made_site(*pages))) == (other == "http://a/y")
    assert not equal_pages(made_site(pages[0], made_linking("http://a/y", [], text="a text", lang="fr")))
    assert not equal_pages(made_site(pages[0], made_linking("http://a/y", [], text="another text")))


@pytest.mark.parametrize(("other", "near"), [(5, True), (6, False)])
def test_near_duplicates_share_95_of_100_characters(other: int, near: bool) -> None:
    pages = [made_page(f"http://a/{n}", "en", ["s" * (100 - other), sign * other]) for n, sign in enumerate("ab")]
    site = made_site(*pages)
    assert near_duplicates(site) == ({0: [1], 1: [0]} if near else {})


def test_near_duplicates_share_95_of_100_characters_of_the_longer_page() -> None:
    site = made_site(made_page("http://a/1", "en", ["s" * 94]), made_page("http://a/2", "en", ["s" * 94, "b" * 6]))
    assert near_duplicates(site) == {}


@pytest.mark.parametrize(("pages", "found"), [(50, 50), (51, 0)])
def test_blocks_on_more_than_fifty_pages_bring_none_together(pages: int, found: int) -> None:
    alike = [made_page(f"http://a/{n:03}", "en", ["the same text on all of these"]) for n in range(pages)]
    others = [made_page(f"http://b/{n}", "en", [f"other {n}"]) for n in range(150)]
    site = made_site(*alike, *others)
    assert len(near_duplicates(site)) == found


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


def made_linking(url: str, links: list[str], *, lang: str = "en", text: str = "", **columns: str) -> dict[str, Any]:
    fields = {name: [""] * len(links) for name in ("link_anchors", "link_hreflangs", "link_fragments")}
    return made_page(
        url, lang, [text or url], link_urls=links, link_alternate=[False] * len(links), **fields, **columns
    )


def test_nothing_is_shown_again_where_no_pages_are_alike() -> None:
    assert find_reprints(made_site(), {}) == {}
