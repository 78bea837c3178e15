"""Pieces of a page -> chunks of text with white space folded, and the blocks that the chunks make up."""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa

from diglot.arrays import Bytes, Ints8, Ints32, Mask
from diglot.documents.html.chunks_kernels import block_chars, blocks, fold
from diglot.documents.html.pieces import Pieces
from diglot.documents.html.tags import TAG_FLAGS, TAG_KINDS

_MAX_CHAR_BYTES = 4
"""Of one character in UTF-8."""


class Chunks(NamedTuple):
    """Text of a page.

    A chunk keeps one space at an end where the page has white space there, so that chunks joined over an irrelevant
    tag read as the page does; its length in the token stream is that without them.
    """

    tokens: Ints32
    """Its token stream: tags, and the length of every chunk in characters."""
    before: Ints32
    """Number of chunks before every piece of the page."""
    text: Bytes
    """All chunks on end, in UTF-8."""
    offsets: Ints32
    """Where in ``text`` each chunk starts, and where the last one ends; shape (chunks + 1,)."""

    def texts(self) -> pa.StringArray:
        """Text of each chunk."""
        buffers = pa.py_buffer(self.offsets), pa.py_buffer(self.text)
        return pa.StringArray.from_buffers(len(self.offsets) - 1, *buffers)

    def beginning(self, first: int, behind: int, most_chars: int) -> str:
        """Text of the chunks from ``first`` up to ``behind``, at most so many characters of it."""
        start, end = self.offsets[[first, behind]].tolist()
        text = self.text[start : min(end, start + _MAX_CHAR_BYTES * most_chars)]
        return text.tobytes().decode(errors="ignore")[:most_chars]


class TextBlocks(NamedTuple):
    """TextBlocks of text; arrays of one length."""

    ends: Ints32
    """Number of chunks up to the end of each block."""
    kinds: Ints8
    aside: Mask
    """Whether a block stands in a container that is navigation or furniture."""
    chars: Ints32
    link_chars: Ints32
    """Characters of a block, and how many of them are inside links."""


def fold_chunks(markup: Bytes, pieces: Pieces, gaps: Mask) -> Chunks:
    """Fold white space and resolve entities; white space in a piece of its own belongs to the chunk before it.

    ``gaps``: before which pieces white space is shown though the page has none.
    """
    return Chunks(*fold(markup, pieces.codes, pieces.starts, pieces.ends, gaps))


def find_blocks(tokens: Ints32, linked: Ints32) -> TextBlocks:
    """TextBlocks of a token stream; ``linked``: first chunk inside each link and first one behind it, shape (n, 2)."""
    ends, kinds, aside = blocks(tokens, TAG_FLAGS, TAG_KINDS)
    return TextBlocks(ends, kinds, aside, *block_chars(tokens, ends, linked))
