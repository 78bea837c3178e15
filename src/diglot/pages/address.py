"""Web addresses from sources, normalised to serve as keys: one line, no fragment, no brackets."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

NOT_IN_ADDRESS = re.compile(r"[\x00-\x20\x7f-\xa0\u2028\u2029\ud800-\udfff]")


def tidy_address(text: str) -> str:
    """An address without fragment, surrounding blanks and angle brackets (written by wget and WARC 1.0).

    Blanks, control characters and line separators inside are percent-encoded; further characters stay.
    """
    bare = text.strip()
    if bare.startswith("<") and bare.endswith(">"):
        bare = bare[1:-1].strip()
    return NOT_IN_ADDRESS.sub(_percent_encode, bare.partition("#")[0])


def is_web_address(address: str) -> bool:
    """Whether ``address`` is an absolute http or https address with a host."""
    try:
        parts = urlsplit(address)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:  # the bracket of an IPv6 host left open
        return False


def _percent_encode(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "replace"))
