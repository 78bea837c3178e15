"""Rows of links: a menu, a footer or a list of tags whose links stand in one block, side by side.

Each link is an entry of its own, and the next language version may have more of them, or another order. The block is
therefore divided, as the markup of a list divides a menu. Separators between the entries are layout and no text.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress, islice, pairwise

import numpy as np

from diglot.arrays import Mask
from diglot.documents.html.page_text import PageText, divide_blocks, elements_around, without_chunks
from diglot.documents.html.pieces import Chunks
from diglot.words import has_no_case, is_small

_BARS = frozenset("|¦·•>›»→")
"""Separators that never stand between words of a sentence."""
SEPARATORS = _BARS | frozenset("/\\–—-*")
"""Marks between the entries of a row. A comma or a full stop may stand in a sentence whose words are all links."""
MOST_SEPARATOR_CHARS = 2
"""Most characters of a separator: ``||``."""
_LEAST_LETTERS = 2
"""Least letters of an entry in a script with capitals: numbers of pages and letters of an index stay in one block."""
_READ_CHARS = 40
"""Characters read of an entry, to see how it begins."""


Span = tuple[int, int]
"""First chunk and chunk behind."""


def divide_link_rows(page: PageText) -> PageText:
    """The page with a block for each entry of a row of links, without the separators of rows.

    A block is a row if all its text stands in links, apart from separators and at most one element: the entry of the
    page itself, which is often no link. In main text no entry begins with a small letter, unless bars or dots stand
    between all: a course may link each word of a sentence to a dictionary. Neighbours with one address are one entry
    unless the second begins with a capital, for editors cut links into pieces.
    """
    blocks, links = page.blocks, page.links.inside
    of_links = np.searchsorted(blocks.ends, links[:, 0], side="right")
    counts = np.bincount(of_links, minlength=len(blocks.ends))
    starts = np.append(0, blocks.ends)
    possible = np.flatnonzero((counts > 1) & (2 * blocks.link_chars >= blocks.chars))
    if not len(possible):
        return page
    targets = list(compress(zip(page.links.urls, page.links.fragments, strict=True), page.links.have_text.tolist()))
    is_element = elements_around(page.chunks) != 0
    new_ends, separators = [], []
    own = zip(np.searchsorted(of_links, possible).tolist(), counts[possible].tolist(), strict=True)
    for row, (first, count) in zip(possible.tolist(), own, strict=True):
        block = int(starts[row]), int(starts[row + 1])
        of_row = slice(first, first + count)
        entries = _linked_entries(links[of_row].tolist(), targets[of_row], page.chunks)
        entries += _entry_of_the_page(_gaps(entries, block), page.chunks, is_element)
        entries.sort()
        gaps = _gaps(entries, block)
        if _is_row(entries, gaps, page.chunks, may_be_small=bool(blocks.aside[row])):
            new_ends += [end for _, end in entries]
            separators += [chunk for gap in gaps for chunk in range(*gap)]
    if not new_ends:
        return page
    return without_chunks(divide_blocks(page, new_ends), separators)


def _linked_entries(links: Sequence[Sequence[int]], targets: Sequence[tuple[str, str]], chunks: Chunks) -> list[Span]:
    """The links of a block, with neighbours that go on as one; ``targets``: their addresses and fragments."""
    entries: list[Span] = []
    before = "", ""
    for (first, behind), target in zip(links, targets, strict=True):
        goes_on = target == before != ("", "") and not _beginning((first, behind), chunks)[0].isupper()
        if goes_on and entries[-1][1] == first:
            entries[-1] = entries[-1][0], behind
        else:
            entries.append((first, behind))
        before = target
    return entries


def _entry_of_the_page(gaps: Sequence[Span], chunks: Chunks, is_element: Mask) -> list[Span]:
    """The only text beside the links of a block, if it is all of an element: the entry of the page itself."""
    texts = ((chunk, chunk + 1) for gap in gaps for chunk in range(*gap))
    found = list(islice((span for span in texts if _has_word(_beginning(span, chunks))), 2))
    return found if len(found) == 1 and is_element[found[0][0]] else []


def _gaps(entries: Sequence[Span], block: Span) -> list[Span]:
    """The text before each entry of a block, and behind the last; reversed where a link goes on in the next block."""
    edges = [(block[0], block[0]), *entries, (block[1], block[1])]
    return [(first[1], second[0]) for first, second in pairwise(edges)]


def _is_row(entries: Sequence[Span], gaps: Sequence[Span], chunks: Chunks, *, may_be_small: bool) -> bool:
    """Whether the entries of a block make a row, by their texts and by the texts between them.

    ``may_be_small``: an entry may begin with a small letter.
    """
    if len(entries) < 2 or gaps[-1][0] > gaps[-1][1]:
        return False
    marks: list[str] = []
    for gap in gaps:
        marks.append("".join(_beginning(gap, chunks).split()))
        if len(marks[-1]) > MOST_SEPARATOR_CHARS or not SEPARATORS.issuperset(marks[-1]):
            return False
    texts = [_beginning(entry, chunks) for entry in entries]
    may_be_small |= all(mark and _BARS.issuperset(mark) for mark in marks[1:-1])
    return all(_has_word(text) and (may_be_small or not is_small(text[0])) for text in texts)


def _beginning(span: Span, chunks: Chunks) -> str:
    return chunks.beginning(*span, _READ_CHARS).strip()


def _has_word(text: str) -> bool:
    letters = list(filter(str.isalpha, text))
    return len(letters) >= _LEAST_LETTERS or any(map(has_no_case, letters))
