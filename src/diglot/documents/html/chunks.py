"""Pieces of a page -> chunks of text with white space folded, and blocks of chunks."""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa

from diglot.arrays import Bytes, Ints8, Ints32, Mask
from diglot.documents.html.chunks_kernels import block_chars, blocks, fold
from diglot.documents.html.pieces import Pieces
from diglot.documents.html.tags import TAG_FLAGS, TAG_KINDS

_MAX_CHAR_BYTES = 4
"""Most bytes of a character in UTF-8."""


class Chunks(NamedTuple):
    """Text of a page in chunks.

    A chunk keeps one space at either end if the page has white space there: joined chunks read like the page. Lengths
    in the token stream do not count these spaces.
    """

    tokens: Ints32
    """Token stream: tags, and the length of every chunk in characters."""
    before: Ints32
    """Number of chunks before every piece of the page."""
    text: Bytes
    """All chunks on end, in UTF-8."""
    offsets: Ints32
    """Start of each chunk in ``text``, and end of the last; shape (chunks + 1,)."""

    def texts(self) -> pa.StringArray:
        """Text of each chunk."""
        buffers = pa.py_buffer(self.offsets), pa.py_buffer(self.text)
        return pa.StringArray.from_buffers(len(self.offsets) - 1, *buffers)

    def beginning(self, first: int, behind: int, most_chars: int) -> str:
        """Text of the chunks from ``first`` up to ``behind``, exclusive, cut to ``most_chars`` characters."""
        start, end = self.offsets[[first, behind]].tolist()
        text = self.text[start : min(end, start + _MAX_CHAR_BYTES * most_chars)]
        return text.tobytes().decode(errors="ignore")[:most_chars]


class TextBlocks(NamedTuple):
    """Blocks of a page; arrays of one length."""

    ends: Ints32
    """Number of chunks up to the end of each block."""
    kinds: Ints8
    aside: Mask
    """Whether a block stands in a container of navigation or furniture."""
    chars: Ints32
    link_chars: Ints32
    """Characters of a block inside links."""


def fold_chunks(markup: Bytes, pieces: Pieces, gaps: Mask) -> Chunks:
    """Fold white space and resolve entities; a piece of white space belongs to the chunk before it.

    ``gaps``: mask of pieces with white space shown before them and none in the markup.
    """
    return Chunks(*fold(markup, pieces.codes, pieces.starts, pieces.ends, gaps))


def find_blocks(tokens: Ints32, linked: Ints32) -> TextBlocks:
    """Blocks of a token stream; ``linked``: first chunk inside and first chunk behind each link, shape (n, 2)."""
    ends, kinds, aside = blocks(tokens, TAG_FLAGS, TAG_KINDS)
    return TextBlocks(ends, kinds, aside, *block_chars(tokens, ends, linked))
