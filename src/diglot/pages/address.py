"""Web addresses as sources write them, made fit to be a key: one line, without fragment or brackets."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

NOT_IN_ADDRESS = re.compile(r"[\x00-\x20\x7f-\xa0\u2028\u2029\ud800-\udfff]")


def tidy_address(text: str) -> str:
    """Return an address without its fragment and the blanks and angle brackets round it.

    wget and WARC 1.0 write the brackets. Blanks, control characters and line separators inside are
    percent-encoded, other characters stay as they are.
    """
    bare = text.strip()
    if bare.startswith("<") and bare.endswith(">"):
        bare = bare[1:-1].strip()
    return NOT_IN_ADDRESS.sub(_percent_encode, bare.partition("#")[0])


def is_web_address(address: str) -> bool:
    """Whether this is an absolute http or https address with a host."""
    try:
        parts = urlsplit(address)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:  # the bracket of an IPv6 host left open
        return False


def _percent_encode(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "replace"))
