"""Copies and headings: cases worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from diglot.duplicates.reprints import find_reprints, near_duplicates
from diglot.records import BlockKind
from made_documents import made_page, made_site, rows

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
    return bool(near_duplicates(site, np.arange(2, dtype=np.int32)))


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


@pytest.mark.parametrize(
    ("more_here", "more_there", "reprint"), [("", "more", "a"), ("more", "", "b"), ("", "", None), ("one", "two", None)]
)
def test_the_page_with_more_text_stands_for_the_page_that_it_holds_whole(
    more_here: str, more_there: str, reprint: str | None
) -> None:
    pages = [[TEXT, *filter(None, [more])] for more in (more_here, more_there)]
    site = made_site(*(made_page(f"http://x/{name}", "en", blocks) for name, blocks in zip("ab", pages, strict=True)))
    found = find_reprints(site, near_duplicates(site, np.arange(2, dtype=np.int32)))
    assert found == ({} if reprint is None else dict([rows(site, *_from(reprint))]))


def _from(reprint: str) -> tuple[str, str]:
    """Addresses of the reprint and of the page that stands for it."""
    return (f"http://x/{reprint}", f"http://x/{'b' if reprint == 'a' else 'a'}")
