"""Near-empty pages: cases worked by hand on both sides of the bound."""

from __future__ import annotations

from typing import Any

import pytest

from diglot.pairing.fused.near_empty import full_pages, near_empty_pages
from diglot.records import BlockKind
from made_documents import made_page, made_site


@pytest.mark.parametrize(
    ("text", "is_empty"), [("a" * 59, True), ("a" * 60, False), ("日" * 14, True), ("日" * 15, False)]
)
def test_sixty_letters_tell_what_a_page_translates(text: str, is_empty: bool) -> None:
    site = made_site(made_page("http://x/a", "en", [text]))
    assert near_empty_pages(site).tolist() == [is_empty]


def test_a_title_is_no_further_text() -> None:
    kinds = [int(BlockKind.TITLE), int(BlockKind.PARAGRAPH)]
    site = made_site(made_page("http://x/a", "en", ["t" * 100, "a" * 59], block_kinds=kinds))
    assert near_empty_pages(site).tolist() == [True]


def test_a_menu_is_no_own_text() -> None:
    menu = "m" * 100
    pages = [made_page(f"http://x/{n}", "en", [menu, str(n) * 60 if n else "legal"]) for n in range(6)]
    assert near_empty_pages(made_site(*pages)).tolist() == [True, *[False] * 5]


NOTICE = "n" * 40


def noticed(number: int, heading: int, more: int = 0) -> dict[str, Any]:
    """A page with the notice, below a heading and above ``more`` letters of text."""
    kinds = [int(BlockKind.HEADING), int(BlockKind.PARAGRAPH), int(BlockKind.PARAGRAPH)]
    texts = [f"{number}" * heading, NOTICE, f"{number}" * more]
    return made_page(f"http://x/a{number}", "en", texts, block_kinds=kinds)


def are_empty(*pages: dict[str, Any]) -> list[bool]:
    """Whether these pages are near-empty, beside thirty others: so that a text on a few is no menu."""
    others = (made_page(f"http://x/z{n:02}", "en", [f"{n:02}" * 60]) for n in range(30))
    return near_empty_pages(made_site(*pages, *others)).tolist()[: len(pages)]


@pytest.mark.parametrize(("holding", "is_empty"), [(5, False), (6, True)])
def test_a_text_on_six_pages_that_hold_no_other_is_a_notice(holding: int, is_empty: bool) -> None:
    assert are_empty(*(noticed(n, heading=59) for n in range(holding))) == [is_empty] * holding


def test_a_heading_above_a_notice_is_own_text() -> None:
    assert not any(are_empty(*(noticed(n, heading=60) for n in range(6))))


@pytest.mark.parametrize(("more", "is_empty"), [(40, True), (41, False)])
def test_a_notice_is_half_of_the_text_below_the_heading(more: int, is_empty: bool) -> None:
    assert are_empty(*(noticed(n, heading=19, more=more) for n in range(6))) == [is_empty] * 6


@pytest.mark.parametrize(("lists", "is_empty"), [(5, True), (6, False)])
def test_an_article_that_stands_in_as_many_lists_is_no_notice(lists: int, is_empty: bool) -> None:
    listed = (made_page(f"http://x/b{n}", "en", [NOTICE, f"{n}" * 41]) for n in range(lists))
    assert are_empty(*(noticed(n, heading=59) for n in range(6)), *listed)[:6] == [is_empty] * 6


@pytest.mark.parametrize(("letters", "is_full"), [(119, False), (120, True)])
def test_a_page_of_twice_as_many_letters_is_full(letters: int, is_full: bool) -> None:
    assert full_pages(made_site(made_page("http://x/a", "en", ["a" * letters]))).tolist() == [is_full]


def test_text_on_two_pages_makes_neither_full() -> None:
    """In another language the same text may be on six pages, and then it is a menu."""
    pages = [made_page(f"http://x/{n}", "en", ["a" * 120, f"{n}" * 119]) for n in range(2)]
    assert full_pages(made_site(*pages)).tolist() == [False, False]
    assert full_pages(made_site(*pages[:1])).tolist() == [True]
