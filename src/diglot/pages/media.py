"""Kinds of page: HTML, and documents, known by their bytes whatever type a server states; limits of each kind."""

from __future__ import annotations

from diglot.document_kinds import MEDIA, SIGNATURE_BYTES, drop_detail, medium_of
from diglot.html_sniff import HTML_TYPES, VAGUE_TYPES, is_html, media_type
from diglot.reasons import Reason
from diglot.records import Refused

HTML = "html"
MAX_DOCUMENT_BYTES = 32 << 20
"""Larger documents are dropped. PDFs of more than 20 MB are 2% of all PDFs on the web, and half of their bytes."""
CRAWLER_CUTS_BYTES = frozenset({1 << 20, 5 << 20})
"""Common Crawl cuts pages at one mebibyte, since 2025 at five; not every cut record has WARC-Truncated."""

DOWNLOAD_TYPES = frozenset(
    {"application/zip", "application/x-zip-compressed", "application/x-download", "application/download"}
    | {"application/force-download", "application/x-force-download", "binary/octet-stream"}
)
"""Types that servers send for any file to be saved."""

DOCUMENT_TYPES = frozenset(media_type for medium in MEDIA for media_type in medium.types)


def media_of(body: bytes, content_type: str) -> str:
    """Kind of a page: ``html``, a name in :data:`MEDIA`, or "" for anything else.

    ``content_type``: as stated by a server, "" where unknown. A document is known by its bytes alone.
    """
    medium = medium_of(body)
    if medium is not None:
        return medium.name
    return HTML if is_html(body, content_type) else ""


def may_be_page(content_type: str) -> bool:
    """Whether a body of the stated type may be HTML or a document."""
    stated = media_type(content_type)
    return any(stated in types for types in (HTML_TYPES, VAGUE_TYPES, DOCUMENT_TYPES, DOWNLOAD_TYPES))


def is_document_type(content_type: str) -> bool:
    """Whether the stated type is that of a document."""
    return media_type(content_type) in DOCUMENT_TYPES


def limit_bytes(content_type: str, max_page_bytes: int) -> int:
    """Most bytes of a body of the stated type; ``max_page_bytes``: of HTML."""
    return max_page_bytes if media_type(content_type) in HTML_TYPES else most_bytes(max_page_bytes)


def most_bytes(max_page_bytes: int) -> int:
    """Most bytes of a body of any type; ``max_page_bytes``: of HTML."""
    return max(max_page_bytes, MAX_DOCUMENT_BYTES)


def require_page(body: bytes, content_type: str, max_page_bytes: int) -> str:
    """Kind of a page. Raises Refused for an empty body, for anything but HTML and documents, and beyond a limit.

    ``max_page_bytes``: limit of HTML; that of documents is :data:`MAX_DOCUMENT_BYTES`.
    """
    if not body:
        raise Refused(Reason.NO_TEXT, "the body is empty")
    media = media_of(body, content_type)
    if not media:
        raise Refused(Reason.NOT_HTML, _what_it_is(body, content_type))
    limit = max_page_bytes if media == HTML else MAX_DOCUMENT_BYTES
    if len(body) > limit:
        raise Refused(Reason.TOO_LARGE, f"{len(body)} bytes, more than {limit}")
    return media


def _what_it_is(body: bytes, content_type: str) -> str:
    """Description of a body that is neither HTML nor a document."""
    if detail := drop_detail(body):
        return detail
    return f"not HTML, though sent as {content_type}" if content_type else "no markup, and no kind that Diglot knows"


def looks_cut(body: bytes, sent_bytes: int) -> bool:
    """Whether a crawler cut a page: ``sent_bytes`` is a limit of crawlers, and the end of the page is missing."""
    if sent_bytes not in CRAWLER_CUTS_BYTES:
        return False
    medium = medium_of(body)
    return b"</html" not in body[-SIGNATURE_BYTES:].lower() if medium is None else not medium.is_whole(body)
