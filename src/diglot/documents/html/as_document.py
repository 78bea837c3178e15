"""A linearised HTML page -> its main text as a document: blocks with their kinds and links."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from diglot.arrays import Mask
from diglot.documents.blocks import Block, ReadDocument
from diglot.documents.html.linearise import Linear
from diglot.records import BlockKind

_ELEMENTS = {
    BlockKind.PARAGRAPH: "p",
    BlockKind.HEADING: "h2",
    BlockKind.LIST_ITEM: "li",
    BlockKind.TABLE_CELL: "td",
    BlockKind.CAPTION: "caption",
    BlockKind.PREFORMATTED: "pre",
}
"""Kinds of :class:`diglot.documents.blocks.Block`; titles and controls are no text of a document."""


def as_document(linear: Linear, main: Mask) -> ReadDocument:
    """The blocks of a page in ``main``, shape (blocks,), without its title."""
    ends, links = linear.blocks.ends, linear.links
    texts, kinds = linear.chunks.texts().to_pylist(), linear.blocks.kinds.tolist()
    block_of_link = np.searchsorted(ends, links.spans[:, 0], side="right").tolist()
    addresses: dict[int, list[str]] = {}
    for block, url, is_alternate in zip(block_of_link, links.urls, links.alternate, strict=True):
        if url and not is_alternate:
            addresses.setdefault(block, []).append(url)
    blocks = (
        Block(_ELEMENTS[kinds[row]], "".join(texts[start:end]), 0, links=tuple(addresses.get(row, ())))
        for row, (start, end) in enumerate(pairwise([0, *ends.tolist()]))
        if main[row] and kinds[row] in _ELEMENTS
    )
    return ReadDocument(tuple(blocks), "", links.declared_lang, 0, tagged=True)
