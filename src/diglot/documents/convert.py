"""A document, such as a PDF, -> HTML with an element for each block: later steps read HTML only."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from itertools import groupby
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from diglot.document_kinds import Medium
from diglot.documents.blocks import Block, ReadDocument
from diglot.errors import UnreadableDocument
from diglot.pages.media import MAX_DOCUMENT_BYTES

_FRAMES = {"li": ("<ul>", "</ul>"), "td": ("<table><tr>", "</tr></table>"), "caption": ("<figure>", "</figure>")}
"""Elements around blocks of a kind that stand in a row: HTML has no cell outside of a table."""
_ELEMENTS = {"caption": "figcaption"}
_WITHOUT_UNSAFE = dict.fromkeys({*range(0x20), 0x7F, 0xFFFE, 0xFFFF} - {0x9, 0xA, 0xD})
"""Table of :meth:`str.translate` that removes the characters that HTML does not have."""
_FILE_NAME = re.compile(
    r"(?:microsoft word|microsoft powerpoint|microsoft excel|powerpoint presentation)\b.*"
    r"|(?:untitled|layout|print|document|dokument|documento|ohne titel|sans titre)\W*\d*"
    r"|.*\.(?:docx?|dotx?|odt|ott|rtf|pdf|indd|qxd|tex|dvi|e?ps|pub|pages|xlsx?|pptx?|html?)",
    re.IGNORECASE | re.DOTALL,
)
"""Titles that a program wrote, not an author."""
MAX_TITLE_CHARS = 1_000
"""Longer titles are cut; nobody wrote them."""


class Converted(NamedTuple):
    """A document as HTML in UTF-8, with the text and the page number of each of its blocks.

    ``pages``: () for a format without pages; ``tagged``: see :class:`diglot.documents.blocks.ReadDocument`.
    """

    html: bytes
    texts: Sequence[str]
    pages: Sequence[int]
    tagged: bool


def read_document(body: bytes, medium: Medium) -> ReadDocument:
    """The blocks of a document. Raises :class:`diglot.errors.UnreadableDocument`, with ``no_reader`` where the package
    for its kind is not installed."""
    if len(body) > MAX_DOCUMENT_BYTES:
        raise UnreadableDocument("too_large", f"{len(body)} bytes, more than {MAX_DOCUMENT_BYTES}")
    module, _, function = medium.reader.partition(":")
    try:
        reader = getattr(import_module(module), function)
    except ImportError as error:
        advice = f"pip install 'diglot[{medium.extra}]'" if medium.extra else "install Diglot again"
        raise UnreadableDocument("no_reader", advice) from error
    try:
        document: ReadDocument = reader(body)
    except RecursionError as error:
        raise UnreadableDocument("damaged", "elements are nested more deeply than in any real document") from error
    return document


def convert(document: ReadDocument, versions: Mapping[str, str] | None = None) -> Converted:
    """The document as HTML. ``versions``: addresses of the same document in other languages, by language tag."""
    title = document_title(document)
    lang = f" lang={quoteattr(document.lang)}" if document.lang else ""
    links = "".join(
        f'<link rel="alternate" hreflang={quoteattr(tag)} href={quoteattr(url)}>'
        for tag, url in (versions or {}).items()
    )
    body = "\n".join(_elements(document.blocks, document.lang))
    html = (
        f'<!DOCTYPE html>\n<html{lang}><head><meta charset="utf-8"><title>{_text(title)}</title>{links}</head>\n'
        f"<body>\n{body}\n</body></html>\n"
    )
    pages = [block.page for block in document.blocks] if document.pages else ()
    return Converted(html.encode("utf-8", "replace"), [block.text for block in document.blocks], pages, document.tagged)


def document_title(document: ReadDocument) -> str:
    """The first heading, else the stated title where it is no file name.

    >>> document_title(ReadDocument((), "Microsoft Word - contract_final2.doc", "", 1, False))
    ''
    """
    headings = (block.text for block in document.blocks if block.kind[0] == "h")
    title = " ".join(document.title.split())[:MAX_TITLE_CHARS]
    stated = "" if _FILE_NAME.fullmatch(title) else title
    return next(headings, stated)


def block_pages(texts: Sequence[str], converted: Converted) -> list[int]:
    """Page of each block of the linearised HTML, [] for a document without pages.

    ``texts``: of the linearised blocks, the title first. A block without visible text has been left out.
    """
    if not converted.pages:
        return []
    found, at = [converted.pages[0]], 0
    sources = list(map(_plain, converted.texts))
    for text in map(_plain, texts[1:]):
        place = next((place for place in range(at, len(sources)) if sources[place] == text), at)
        found.append(converted.pages[min(place, len(sources) - 1)])
        at = place + 1
    return found[: len(texts)]


def _plain(text: str) -> str:
    return "".join(text.split())


def _elements(blocks: Sequence[Block], lang: str) -> Iterator[str]:
    for kind, same in groupby(blocks, lambda block: block.kind):
        start, end = _FRAMES.get(kind, ("", ""))
        yield start + "\n".join(_element(block, lang) for block in same) + end


def _element(block: Block, page_lang: str) -> str:
    name = _ELEMENTS.get(block.kind, block.kind)
    lang = f" lang={quoteattr(block.lang)}" if block.lang not in ("", page_lang) else ""
    # Readers know the address of a link, not its words.
    links = "".join(f"<a href={quoteattr(address.translate(_WITHOUT_UNSAFE))}></a>" for address in block.links)
    # A parser takes away the first line end of a listing.
    start = "\n" if block.kind == "pre" else ""
    return f"<{name}{lang}>{start}{_text(block.text)}{links}</{name}>"


def _text(text: str) -> str:
    return escape(text.translate(_WITHOUT_UNSAFE))
