"""What a reader of documents returns: blocks of text in reading order."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Block:
    """One paragraph, heading, list item, table cell, caption or listing of a document."""

    kind: str
    """``p``, ``h1`` to ``h6``, ``li``, ``td``, ``pre`` or ``caption``."""
    text: str
    """Text of the block, with line breaks only in ``pre``."""
    page: int
    """Page of the document, from 1, where the block begins; 0 for a format without pages."""
    lang: str = ""
    """Language tag that the document states for this block, "" for none."""
    links: tuple[str, ...] = ()
    """Addresses of the links in the block, as written."""


@dataclass(frozen=True)
class ReadDocument:
    """A document as blocks. ``title``: as the document states it. ``pages``: number of pages, 0 for a format without.
    ``tagged``: whether the document itself says what is a heading, a list or a table; False where the reader guesses it
    from the layout."""

    blocks: tuple[Block, ...]
    title: str
    lang: str
    pages: int
    tagged: bool
