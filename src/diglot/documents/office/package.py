"""The ZIP of a document and its XML, within limits: a small file may unpack to gigabytes, or name other files."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from typing import Any
from urllib.parse import unquote

from lxml import etree

from diglot.document_kinds import MAX_MEMBERS, ZIP_ERRORS
from diglot.errors import UnreadableDocument

MAX_MEMBER_BYTES = 64 << 20
"""Most bytes of a file in a document; the text of a book of a thousand pages takes 10 MB of XML."""
MAX_UNPACKED_BYTES = 128 << 20
"""Most bytes of all files that are read of a document."""
MAX_RATIO = 200
"""Unpacked bytes for each packed byte. XML of office programs packs 10 to 1, of tables up to 60 to 1."""
RATIO_FROM_BYTES = 1 << 20
"""Smaller files may have any ratio."""
PIECE_BYTES = 1 << 16

ENCRYPTED_BIT = 0x1
_DECLARATION = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_WIDE_DECLARATION = re.compile("<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_WIDE_STARTS = (b"\xff\xfe", b"\xfe\xff", b"<\0", b"\0<")


class Package:
    """The files of a document. Raises :class:`diglot.errors.UnreadableDocument` for a ZIP that no program writes."""

    def __init__(self, body: bytes) -> None:
        if body.rfind(b"PK\x05\x06") < 0:
            raise UnreadableDocument("truncated", "the ZIP has no directory at its end")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(body))
        except ZIP_ERRORS as error:
            raise UnreadableDocument("damaged", f"the directory of the ZIP cannot be read ({error})") from error
        self._members = {member.filename: member for member in self._zip.infolist()}
        self._left = MAX_UNPACKED_BYTES
        if len(self._zip.infolist()) > MAX_MEMBERS:
            raise UnreadableDocument("too_large", f"more than {MAX_MEMBERS} files in the document")

    @property
    def names(self) -> list[str]:
        """Names of all files, in the order of the ZIP."""
        return list(self._members)

    def read(self, name: str) -> bytes:
        """Content of a file; raises UnreadableDocument for a missing, damaged or encrypted one, and beyond a limit."""
        member = self._members.get(name)
        if member is None:
            raise UnreadableDocument("damaged", f"{name} is missing")
        if member.flag_bits & ENCRYPTED_BIT:
            raise UnreadableDocument("encrypted", f"{name} is encrypted")
        pieces, size = [], 0
        try:
            with self._zip.open(member) as packed:
                # The size that the directory states may be wrong: what comes out is counted.
                while piece := packed.read(PIECE_BYTES):
                    size += len(piece)
                    self._require_bounds(name, size, member.compress_size)
                    pieces.append(piece)
        except ZIP_ERRORS as error:
            raise UnreadableDocument("damaged", f"{name} cannot be unpacked ({error})") from error
        self._left -= size
        return b"".join(pieces)

    def _require_bounds(self, name: str, size: int, packed: int) -> None:
        if size > MAX_MEMBER_BYTES or size > self._left:
            raise UnreadableDocument(
                "too_large", f"{name} unpacks to more than {min(MAX_MEMBER_BYTES, self._left)} bytes"
            )
        if size > RATIO_FROM_BYTES and size > MAX_RATIO * packed:
            raise UnreadableDocument("too_large", f"{name} inflates more than {MAX_RATIO} to 1")

    def xml(self, name: str) -> Any:
        """Root element of a file of XML; raises UnreadableDocument, for a DOCTYPE too."""
        return parse_xml(self.read(name), name)

    def xml_or_none(self, name: str) -> Any:
        """Root element of a file of XML, None where the document has no such file."""
        return self.xml(name) if name in self._members else None


def parse_xml(content: bytes, name: str) -> Any:
    """Root element of XML without DOCTYPE; raises UnreadableDocument. No entity is expanded and no address opened."""
    is_wide = content[:2] in _WIDE_STARTS
    text = (
        content.decode("utf-16-le" if content[1:2] == b"\0" or content[:1] == b"\xff" else "utf-16-be", "replace")
        if is_wide
        else ""
    )
    if _DECLARATION.search(content) or (is_wide and _WIDE_DECLARATION.search(text)):
        raise UnreadableDocument("damaged", f"{name} declares entities or a DOCTYPE, which no office program writes")
    # Without huge_tree libxml2 refuses nesting and texts beyond any real document.
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True)
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise UnreadableDocument("damaged", f"{name} is no well-formed XML ({error})") from error
    return root


def local_name(element: Any) -> str:
    """Name of an element without namespace; "" for a processing instruction."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Any, name: str) -> str:
    """Value of an attribute by its name without namespace, "" for none."""
    # The strict variant of DOCX has namespaces of its own.
    return next((value for key, value in element.items() if key.rpartition("}")[2] == name), "")


def whole_number(text: str, default: int) -> int:
    """The number in a value of up to nine ASCII digits, ``default`` for any other: levels and counts are small.

    >>> whole_number("2", 1), whole_number("²", 1), whole_number("", 1)
    (2, 1, 1)
    """
    # str.isdigit takes signs that int refuses, and int refuses thousands of digits.
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else default


def child(element: Any, *path: str) -> Any:
    """The descendant along a path of names, taking the first child of each name; None if a name is missing."""
    for name in path:
        if element is None:
            return None
        element = next((each for each in element if local_name(each) == name), None)
    return element


def resolve_name(base: str, href: str) -> str:
    """Name in the ZIP of a file that another file at ``base`` refers to."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), unquote(href.partition("#")[0]))).lstrip("/")
