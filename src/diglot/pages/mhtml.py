"""Pages that a browser saved as one file (MHTML, RFC 2557) -> HTML with a browser's comment on where it is from."""

from __future__ import annotations

import re
from email import message_from_bytes
from email.message import Message
from email.parser import BytesHeaderParser

_SAVED_BY = re.compile(rb"From:\s{1,9}[<\"]?Saved by\b", re.IGNORECASE)
"""The first line of Chrome, Edge (Blink), Internet Explorer and add-ons of Firefox."""
_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
MAX_PARTS = 9
"""Parts in which the page is looked for. Browsers write it as the first, before its frames, styles and images."""


def is_mhtml(start: bytes) -> bool:
    """Whether a file begins like MHTML of a browser."""
    return _SAVED_BY.match(start) is not None


def html_of(message: bytes) -> bytes:
    """The page in a file of MHTML, or in its beginning, under the comment that a browser writes into a page saved as
    HTML; b"" without a page.

    >>> html_of(b"Content-Type: multipart/related; boundary=B\\n\\n--B\\nContent-Type: text/html\\n"
    ...         b"Content-Location: https://a.example/\\nContent-Transfer-Encoding: quoted-printable\\n\\n<p id=3Da>")
    b'<!-- saved from url=(0018)https://a.example/ -->\\n<p id=a>'
    """
    head = _head(message)
    boundary = head.get_boundary()
    # One part at a time: a parser of whole messages follows parts within parts, and keeps all images.
    parts = message.split(f"\n--{boundary}".encode("latin-1", "replace"), MAX_PARTS)[1:] if boundary else []
    for part in (part.partition(b"\n")[2] for part in parts):
        if _head(part).get_content_type() == "text/html":
            page = message_from_bytes(part)
            address = str(page["Content-Location"] or head["Snapshot-Content-Location"] or "").strip()
            body = page.get_payload(decode=True)
            # Two hyphens would end the comment.
            said = f"<!-- saved from url=({len(address):04}){address.replace('--', '-%2D')} -->\n"
            return said.encode("utf-8", "replace") + (body if isinstance(body, bytes) else b"")
    return b""


def _head(message: bytes) -> Message:
    end = _BLANK_LINE.search(message)
    return BytesHeaderParser().parsebytes(message[: end.start()] if end else message)
