"""Near-empty pages: cases worked by hand on both sides of the bound."""

from __future__ import annotations

import pytest

from diglot.pairing.fused.near_empty import near_empty_pages
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
