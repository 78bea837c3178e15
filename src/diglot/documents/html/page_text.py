"""The text of a page as chunks, blocks and links, and the same without chunks that are layout."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from diglot.arrays import Ints32
from diglot.documents.html.chunks_kernels import block_chars
from diglot.documents.html.links import PageLinks
from diglot.documents.html.pieces import Chunks, TextBlocks
from diglot.records import BlockKind

IS_WHOLE = np.zeros(len(BlockKind), np.bool_)
IS_WHOLE[[BlockKind.HEADING, BlockKind.PREFORMATTED]] = True
"""Kinds of blocks whose words are in elements for other reasons: headings that show word by word or in two colours,
code in colours."""


class PageText(NamedTuple):
    """The text of a page."""

    chunks: Chunks
    blocks: TextBlocks
    links: PageLinks


def divide_blocks(page: PageText, new_ends: Iterable[int]) -> PageText:
    """The page with further ends of blocks: numbers of chunks up to each."""
    blocks = page.blocks
    ends = np.array(sorted({*blocks.ends.tolist(), *new_ends}), np.int32)
    of_blocks = np.searchsorted(blocks.ends, ends)
    chars = block_chars(page.chunks.tokens, ends, page.links.inside)
    return page._replace(blocks=TextBlocks(ends, blocks.kinds[of_blocks], blocks.aside[of_blocks], *chars))


def without_chunks(page: PageText, places: Sequence[int]) -> PageText:
    """The page without some chunks. A block without any other chunk is gone, and characters are counted anew."""
    if not places:
        return page
    chunks, taken_out = _take_out(page.chunks, places)
    links = replace(page.links, spans=page.links.spans - taken_out[page.links.spans])
    ends, first = np.unique(page.blocks.ends - taken_out[page.blocks.ends], return_index=True)
    first, ends = first[ends > 0], ends[ends > 0]
    chars = block_chars(chunks.tokens, ends, links.inside)
    return PageText(chunks, TextBlocks(ends, page.blocks.kinds[first], page.blocks.aside[first], *chars), links)


def elements_around(chunks: Chunks) -> Ints32:
    """Token of the start tag of the element that holds a chunk and no other text, 0 for none; shape (chunks,)."""
    at = np.flatnonzero(chunks.tokens > 0)
    tokens = np.concatenate([[0], chunks.tokens, [0]])
    before, after = tokens[at], tokens[at + 2]
    # The token of an end tag is one less than that of its start tag, which is negative and odd.
    return np.where((before < 0) & (before & 1 == 1) & (after == before - 1), before, 0).astype(np.int32)


def _take_out(chunks: Chunks, places: Sequence[int]) -> tuple[Chunks, Ints32]:
    """The chunks without some, and the number of chunks taken out before each chunk and in all; shape (chunks + 1,)."""
    sizes = np.diff(chunks.offsets)
    is_kept = np.ones(len(sizes), np.bool_)
    is_kept[places] = False
    taken_out = np.cumsum(np.append(0, ~is_kept), dtype=np.int32)
    is_kept_byte = np.repeat(is_kept, sizes)
    stays = np.ones(len(chunks.tokens), np.bool_)
    stays[chunks.tokens > 0] = is_kept
    at = np.abs(chunks.no_breaks)
    moved = at - np.cumsum(np.append(0, ~is_kept_byte))[at]
    kept = Chunks(
        tokens=chunks.tokens[stays],
        before=chunks.before - taken_out[chunks.before],
        text=chunks.text[is_kept_byte],
        offsets=np.cumsum(np.append(0, sizes[is_kept]), dtype=np.int32),
        no_breaks=(np.sign(chunks.no_breaks) * moved)[is_kept_byte[at]],
    )
    return kept, taken_out
