"""Pages of a run with the text of some others: print views, copies, and pages that repeat a part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

MIN_BLOCK_CHARS = 20
"""Shorter blocks are not even headings."""
MIN_SHARE = 0.5
"""Least share of the shorter of two texts that both must have."""
MENU_PAGES, MENU_SHARE = 5, 0.1
"""A block on more pages than both, the number and the share of all pages, is a menu or footer."""

PageTexts = Callable[[], Iterable[tuple[str, Sequence[str]]]]


def pages_with_text_of(pages: PageTexts, gone: Callable[[str], bool]) -> dict[str, float]:
    """Addresses of pages that share text with the pages ``gone``, and the share, in [0.5, 1], largest first.

    ``pages``: address and block texts of every page, read twice. The share is of the characters in blocks of at least
    :data:`MIN_BLOCK_CHARS`, menus left out, of the shorter of both sides. Cost: linear in the blocks of a run.
    """
    own: set[str] = set()
    on_pages: Counter[int] = Counter()
    count = 0
    for url, texts in pages():
        blocks = _blocks(texts)
        own |= blocks if gone(url) else set()
        on_pages.update([hash(block) for block in blocks])
        count += 1
    most = max(MENU_PAGES, count * MENU_SHARE)

    def chars(blocks: Iterable[str]) -> int:
        return sum(len(block) for block in blocks if on_pages[hash(block)] <= most)

    of_gone = chars(own)
    found: dict[str, float] = {}
    for url, texts in pages():
        if gone(url):
            continue
        blocks = _blocks(texts)
        shorter = min(of_gone, chars(blocks))
        share = chars(blocks & own) / shorter if shorter else 0.0
        if share >= MIN_SHARE:
            found[url] = max(share, found.get(url, 0.0))
    return dict(sorted(found.items(), key=lambda each: (-each[1], each[0])))


def _blocks(texts: Iterable[str]) -> set[str]:
    """Blocks of a page without blanks at the ends and in lower case, long enough to say something."""
    blocks = {" ".join(text.casefold().split()) for text in texts}
    return {block for block in blocks if len(block) >= MIN_BLOCK_CHARS}
