"""The same text in two languages side by side: ``<span lang="en">Home</span> <span lang="cy">Hafan</span>``.

Sites for readers of two languages write their menus so, on the pages of either language. The text in the language of
the page is text of the page. The other is its translation, and stands in the other language version as well.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import NamedTuple

import numpy as np

from diglot.documents.html.link_rows import MOST_SEPARATOR_CHARS, SEPARATORS
from diglot.documents.html.page_text import PageText, elements_around, without_chunks
from diglot.documents.html.pieces import MAX_TAG_BYTES, Pieces
from diglot.records import BlockKind

LEAST_BLOCKS = 3
"""Least different texts with a translation beside them. Word processors state the language of each word, and a sentence
may begin in one language and end in another."""
LARGEST_RATIO = 3.0
"""Largest ratio of the lengths of a text and its translation. Titles and names are short."""
_LANGUAGE = re.compile(rb' lang="([A-Za-z]{2,3})["-]')
_PRIMARY = re.compile(r"[A-Za-z]{2,3}(?![A-Za-z])")


class _Sides(NamedTuple):
    """A block with a text in the language of the page, and its translation into another language."""

    language: str
    """The other language."""
    text: str
    """The text in the language of the page."""
    others: list[int]
    """Chunks of the translation and of separators."""


def without_other_sides(page: PageText, markup: bytes, pieces: Pieces) -> PageText:
    """The page without translations beside its texts; ``pieces``: all pieces of the page, before they became chunks.

    All text of such a block stands in elements that state a language, but for separators: first in one language, then
    in another, one of which is the language that the page declares.
    """
    declared = _PRIMARY.match(page.links.declared_lang)
    blocks, chunks = page.blocks, page.chunks
    counts = blocks.ends - np.append(0, blocks.ends[:-1])
    possible = (counts > 1) & (blocks.kinds != BlockKind.PREFORMATTED)
    if declared is None or possible.sum() < LEAST_BLOCKS:
        return page
    around = elements_around(chunks)
    may_be_side = (around != 0) | (chunks.tokens[chunks.tokens > 0] <= MOST_SEPARATOR_CHARS)
    # A block has a chunk at least.
    possible &= np.add.reduceat(may_be_side, blocks.ends - counts, dtype=np.int32) == counts
    if possible.sum() < LEAST_BLOCKS:
        return page
    texts = np.searchsorted(chunks.before, np.arange(len(around), dtype=np.int32), side="right") - 1
    found: defaultdict[str, list[_Sides]] = defaultdict(list)
    for end, count in zip(blocks.ends[possible].tolist(), counts[possible].tolist(), strict=True):
        # Few elements state a language: the first is read before all others.
        of_chunks = (_language(markup, pieces, int(texts[k]), int(around[k])) for k in range(end - count, end))
        if first := next(of_chunks):
            sides = _sides(page, end - count, [first, *of_chunks], declared[0].lower())
            if sides is not None:
                found[sides.language].append(sides)
    repeated = (sides for sides in found.values() if len({side.text for side in sides}) >= LEAST_BLOCKS)
    return without_chunks(page, [chunk for sides in repeated for side in sides for chunk in side.others])


def _sides(page: PageText, first: int, langs: list[str], own: str) -> _Sides | None:
    """The two sides of a block, None for any other block.

    ``first``: its first chunk; ``langs``: languages of its chunks, "" for none; ``own``: the language of the page.
    """
    chunks = page.chunks
    parts: dict[str, list[str]] = {}
    others = []
    before = ""
    for chunk, lang in enumerate(langs, first):
        text = chunks.beginning(chunk, chunk + 1, len(chunks.text))
        if (lang != before and lang in parts) or not (lang or SEPARATORS.issuperset(text.strip())):
            return None
        if lang:
            parts.setdefault(lang, []).append(text)
            before = lang
        if lang != own:
            others.append(chunk)
    if len(parts) != 2 or own not in parts:
        return None
    texts = {lang: "".join(of_language).strip() for lang, of_language in parts.items()}
    shorter, longer = sorted(map(len, texts.values()))
    (other,) = texts.keys() - {own}
    return _Sides(other, texts[own], others) if longer <= LARGEST_RATIO * shorter else None


def _language(markup: bytes, pieces: Pieces, text: int, code: int) -> str:
    """Primary subtag of the language that the element around a text states, "" for none.

    ``text``: number of the piece; ``code``: code of the element, 0 for none.
    """
    if not code:
        return ""
    tag = text
    # Pictures may stand before the text.
    while pieces.codes[tag] != code:
        tag -= 1
    start = int(pieces.starts[tag])
    found = _LANGUAGE.search(markup, start, min(int(pieces.ends[tag]), start + MAX_TAG_BYTES))
    return found[1].decode().lower() if found else ""
