"""Whether a body is HTML: by the declared media type, or by the first bytes if the type is vague."""

from __future__ import annotations

import re

SNIFFED_BYTES = 1024

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
VAGUE_TYPES = frozenset(
    {"", "text/plain", "text/xml", "application/xml", "application/octet-stream", "unknown/unknown", "*/*"}
)

TYPE_END = re.compile("[;,]")

# Signatures that no text begins with (WHATWG MIME Sniffing, section 6, and the file formats themselves).
BINARY_STARTS = (
    b"\xff\xd8\xff", b"\x89PNG", b"GIF87a", b"GIF89a", b"RIFF", b"\x00\x00\x01\x00", b"%PDF-", b"%!PS-",
    b"PK\x03\x04", b"\x1f\x8b\x08", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a", b"(\xb5/\xfd",
    b"\xd0\xcf\x11\xe0", b"OggS", b"ID3", b"fLaC", b"FWS", b"CWS", b"wOFF", b"wOF2", b"\x7fELF",
)  # fmt: skip

MARKUP_ANYWHERE = re.compile(rb"<!doctype\s+html|<(?:html|head|body|title)[\s>]", re.IGNORECASE)
MARKUP_START = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?>(?:<!--.*?-->\s*)*)"
    rb"<(?:!doctype\s+html|(?:html|head|body|title|meta|link|script|style|div|table|p|h[1-6]|a|b|br|font|iframe)[\s/>])",
    re.IGNORECASE | re.DOTALL,
)
DATA_START = re.compile(
    rb"\s*(?>(?:<[?!][^>]*>\s*)*)<(?P<root>rss|feed|rdf:rdf|opml|urlset|sitemapindex|tmx|xliff|martif|tbx)[\s>]"
    rb"|\s*(?>\[?\s*)\{\s*\"[^\"]{1,100}\"\s*:",
    re.IGNORECASE,
)
"""Start of a feed, a sitemap, a memory, a termbase or JSON, which only programs read. A mirror keeps the feeds of a
blog as ``feed/index.html``, and its data as ``wp-json/index.html``. Memories and termbases have a <body>, too."""
UTF8_BOM = b"\xef\xbb\xbf"
UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")

_ALIGNED = {
    "tmx": "a translation memory",
    "xliff": "an XLIFF file",
    "martif": "a termbase",
    "tbx": "a termbase",
}
"""Files of segments or terms with their translations, by their root element."""


def is_html(body: bytes, content_type: str) -> bool:
    """Whether ``body``, sent as ``content_type`` ("" for unknown), is HTML or XHTML.

    Images and other binary files are refused under any type: by signature, or by a NUL in the first
    ``SNIFFED_BYTES``, unless the text is UTF-16 or begins with markup. What :data:`DATA_START` names is refused, too.
    """
    stated = media_type(content_type)
    if stated not in HTML_TYPES and stated not in VAGUE_TYPES:
        return False
    start = _as_ascii(body[:SNIFFED_BYTES])
    if start.startswith(BINARY_STARTS) or DATA_START.match(start):
        return False
    if b"\0" in start and MARKUP_START.match(start) is None:
        return False
    return stated in HTML_TYPES or looks_like_markup(start)


def data_root(body: bytes) -> str:
    """Name of the root element of a feed, sitemap, memory or termbase in XML, in lower case; "" for any other body."""
    found = DATA_START.match(_as_ascii(body[:SNIFFED_BYTES]))
    return (found["root"] or b"").decode().lower() if found else ""


def aligned_kind(body: bytes) -> str:
    """What a file of segments or terms with their translations is, such as "an XLIFF file"; "" for any other body."""
    return _ALIGNED.get(data_root(body), "")


def may_be_html(content_type: str) -> bool:
    """Whether a body of the declared type may be HTML."""
    stated = media_type(content_type)
    return stated in HTML_TYPES or stated in VAGUE_TYPES


def media_type(content_type: str) -> str:
    """Media type of a Content-Type in lower case, without parameters; of several types joined by commas the first."""
    return TYPE_END.split(content_type, maxsplit=1)[0].strip().lower()


def looks_like_markup(start: bytes) -> bool:
    """Whether the beginning of a file is HTML, by its first tag or by a tag found in HTML only."""
    return MARKUP_START.match(start) is not None or MARKUP_ANYWHERE.search(start) is not None


def _as_ascii(start: bytes) -> bytes:
    """The beginning of a text with one byte per character, from UTF-16 too."""
    if start.startswith(UTF16_BOMS):
        return _narrow(start[2:], big_endian=start.startswith(UTF16_BOMS[1]))
    if b"\0" in start:
        for big_endian in (False, True):
            narrow = _narrow(start, big_endian=big_endian)
            if MARKUP_START.match(narrow):
                return narrow
    return start.removeprefix(UTF8_BOM)


def _narrow(start: bytes, *, big_endian: bool) -> bytes:
    text = start[: len(start) // 2 * 2].decode("utf-16-be" if big_endian else "utf-16-le", "replace")
    return text.encode("ascii", "replace")
