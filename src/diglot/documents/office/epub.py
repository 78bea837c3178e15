"""EPUB -> blocks: the chapters of the book in the order of its spine.

Source: W3C, EPUB 3.3, sections 4.2 (container), 5 (package document), 6 (content documents).
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import partial
from html.entities import html5
from typing import Any

from lxml import etree

from diglot.documents.blocks import Block, ReadDocument
from diglot.documents.office.flow import Flow, fold, main_language
from diglot.documents.office.package import Package, attribute, child, local_name, parse_xml, resolve_name
from diglot.errors import UnreadableDocument

CONTAINER = "META-INF/container.xml"
ENCRYPTION = "META-INF/encryption.xml"
XHTML_TYPES = frozenset({"application/xhtml+xml", "text/html", "text/x-oeb1-document"})

_KINDS = {
    **{f"h{level}": f"h{level}" for level in range(1, 7)},
    **dict.fromkeys(("li", "dt", "dd"), "li"),
    **dict.fromkeys(("td", "th"), "td"),
    **dict.fromkeys(("figcaption", "caption"), "caption"),
    "pre": "pre",
    "p": "p",
}
_CONTAINERS = frozenset(
    {"address", "article", "aside", "blockquote", "body", "center", "div", "dl", "fieldset", "figure", "footer", "form"}
    | {"header", "hgroup", "html", "main", "ol", "section", "table", "tbody", "tfoot", "thead", "tr", "ul"}
)
"""Elements that hold blocks and do not decide the kind of a block."""
_LEFT_OUT = frozenset(
    {"audio", "head", "iframe", "math", "nav", "noscript", "object", "rp", "rt", "script", "style", "svg", "template"}
    | {"video"}
)
_NOTE_MARKS = frozenset({"noteref", "backlink", "doc-noteref", "doc-backlink"})
"""Roles of the number that calls a note, and of the arrow back from it."""
_DOCTYPE = re.compile(rb"<!DOCTYPE[^<>\[]*>", re.IGNORECASE)
_ENCODING = re.compile(rb"<\?xml\s[^>]*?encoding=[\"']([A-Za-z0-9._-]+)")
_ENTITY = re.compile(rb"&([A-Za-z][A-Za-z0-9]*;)")
_XML_ENTITIES = frozenset({b"amp;", b"lt;", b"gt;", b"quot;", b"apos;"})


def read_epub(body: bytes) -> ReadDocument:
    """Blocks of an EPUB. Raises :class:`diglot.errors.UnreadableDocument`."""
    package = Package(body)
    rootfile = child(package.xml(CONTAINER), "rootfiles", "rootfile")
    if rootfile is None:
        raise UnreadableDocument("damaged", f"{CONTAINER} names no book")
    opf = resolve_name("", attribute(rootfile, "full-path"))
    root = package.xml(opf)
    chapters = _chapters(root, opf)
    locked = _encrypted_names(package)
    if locked.intersection(chapters):
        raise UnreadableDocument("encrypted", "the chapters are encrypted")
    metadata = child(root, "metadata")
    title, lang = (_text(child(metadata, name)) for name in ("title", "language"))
    blocks = [block for chapter in chapters for block in _read_chapter(package, chapter, lang)]
    return ReadDocument(tuple(blocks), title, main_language(blocks, lang), pages=0, tagged=True)


def _chapters(root: Any, opf: str) -> list[str]:
    """Names of the files of the chapters, in the order of the spine, without the navigation."""
    manifest, spine = child(root, "manifest"), child(root, "spine")
    items = {attribute(item, "id"): item for item in (manifest if manifest is not None else ())}
    found = []
    for reference in spine if spine is not None else ():
        item = items.get(attribute(reference, "idref"))
        if item is None or "nav" in attribute(item, "properties").split():
            continue
        if attribute(item, "media-type").lower() in XHTML_TYPES:
            found.append(resolve_name(opf, attribute(item, "href")))
    return list(dict.fromkeys(found))


def _encrypted_names(package: Package) -> set[str]:
    """Names of the encrypted files; fonts are obfuscated in books that open without a key."""
    root = package.xml_or_none(ENCRYPTION)
    references = (each for each in root.iter() if local_name(each) == "CipherReference") if root is not None else ()
    return {resolve_name("", attribute(each, "URI")) for each in references}


def _text(element: Any) -> str:
    return "" if element is None else fold(element.text or "")


def _read_chapter(package: Package, name: str, lang: str) -> list[Block]:
    if name not in package.names:
        raise UnreadableDocument("damaged", f"{name} is missing")
    root = _parse_xhtml(package.read(name), name)
    reader = _Reader()
    reader.read(root, "p", lang)
    reader.end("p")
    return reader.blocks


def _parse_xhtml(content: bytes, name: str) -> Any:
    """Root of a chapter. The names of characters in HTML are declared by its DOCTYPE, which is not read."""
    plain = _DOCTYPE.sub(b"", content, count=1)
    if b"\0" not in plain[:4]:
        plain = _ENTITY.sub(_reference, plain)
    try:
        return parse_xml(plain, name)
    except UnreadableDocument as error:
        # The refusal of declared entities stands: the HTML parser would resolve them.
        if b"<!ENTITY" in content.upper():
            raise
        # Chapters made by hand are HTML with an error or two.
        root = etree.fromstring(plain, _html_parser(content))
        if root is None:
            raise UnreadableDocument("damaged", f"{name} holds no markup") from error
        return root


def _html_parser(content: bytes) -> etree.HTMLParser:
    """A parser that knows the encoding of a chapter, as the XML declaration is nothing to HTML."""
    new_parser = partial(etree.HTMLParser, no_network=True, remove_comments=True)
    try:
        return new_parser(encoding=_encoding(content))
    except LookupError:  # no known encoding
        return new_parser()


def _encoding(content: bytes) -> str | None:
    """The encoding of a chapter, None where only its first bytes tell.

    UTF-8 tells itself, whatever the chapter declares: .NET writes ``utf-16`` into any text it makes in memory.
    """
    # ASCII in UTF-16 is valid UTF-8, too.
    if b"\0" not in content[:4]:
        with suppress(UnicodeDecodeError):
            content.decode()
            return "utf-8"
    declared = _ENCODING.match(content)
    return declared[1].decode() if declared else None


def _reference(entity: re.Match[bytes]) -> bytes:
    """The characters of a name by their numbers, which are the same in every encoding and make no markup."""
    if entity[1] in _XML_ENTITIES:
        return entity[0]
    return "".join(f"&#{ord(character)};" for character in html5.get(entity[1].decode(), "")).encode() or entity[0]


class _Reader:
    """Blocks of a chapter: text between the borders of block elements."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._flow = Flow()

    def end(self, kind: str) -> None:
        """End the block being read."""
        block = self._flow.block(kind)
        if block is not None:
            self.blocks.append(block)
        self._flow = Flow()

    def read(self, element: Any, kind: str, lang: str) -> None:
        """Read an element; ``kind``, ``lang``: of the text around it."""
        name = local_name(element)
        if name in _LEFT_OUT or "hidden" in element.attrib or _is_note_mark(element):
            return
        lang = attribute(element, "lang") or lang
        own = _KINDS.get(name, kind)
        # A paragraph in a list item or a cell is part of it.
        own = kind if name == "p" and kind in ("li", "td", "caption") else own
        is_block = name in _KINDS or name in _CONTAINERS
        if is_block:
            self.end(kind)
        if name == "a":
            self._flow.link(attribute(element, "href"))
        if name == "br":
            self._flow.add("\n")
        self._add(element.text, own, lang)
        for each in element:
            self.read(each, own, lang)
            self._add(each.tail, own, lang)
        if is_block:
            self.end(own)

    def _add(self, text: str | None, kind: str, lang: str) -> None:
        if text:
            self._flow.add(text if kind == "pre" else text.replace("\n", " "), lang)


def _is_note_mark(element: Any) -> bool:
    roles = f"{attribute(element, 'type')} {attribute(element, 'role')}".split() if local_name(element) == "a" else ()
    return not _NOTE_MARKS.isdisjoint(roles)
