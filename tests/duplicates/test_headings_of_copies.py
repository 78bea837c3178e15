"""Copies and headings: cases worked by hand."""

from __future__ import annotations

import pytest

from alike_pages import near_duplicates
from diglot.duplicates.reprints import find_reprints
from diglot.records import BlockKind
from made_documents import made_page, made_site

TEXT = "t" * 400
PARAGRAPH, HEADING = int(BlockKind.PARAGRAPH), int(BlockKind.HEADING)


def near(one: list[str], other: list[str], kinds: tuple[list[int], list[int]]) -> bool:
    """Whether two pages of these blocks and kinds of block are near duplicates."""
    site = made_site(
        *(
            made_page(f"http://x/{name}", "en", blocks, block_kinds=kind)
            for name, blocks, kind in zip("ab", (one, other), kinds, strict=True)
        )
    )
    return bool(near_duplicates(site))


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        (["stop one"], ["stop one"], True),
        (["stop one"], ["stop two"], False),
        (["stop one", "images"], ["stop two", "images"], True),
        (["stop one"], [], True),
    ],
)
def test_pages_under_other_headings_are_no_copies(one: list[str], other: list[str], found: bool) -> None:
    kinds = [HEADING] * len(one) + [PARAGRAPH], [HEADING] * len(other) + [PARAGRAPH]
    assert near([*one, TEXT], [*other, TEXT], kinds) is found


def test_a_page_that_another_holds_whole_may_be_its_older_version() -> None:
    site = made_site(made_page("http://x/a", "en", [TEXT]), made_page("http://x/b", "en", [TEXT, "more"]))
    alike = near_duplicates(site)
    assert alike == {0: [1], 1: [0]}
    assert find_reprints(site, alike) == {}
