"""Addresses of mail that Cloudflare hides from programs, as ``[email protected]``.

A script shows the address from an attribute: ``<span data-cfemail="543514363a">``. Its bytes are two hexadecimal digits
each. The first is a key, and the others are the bytes of the address, each by exclusive or with the key.
"""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser

_ATTRIBUTE = "data-cfemail"
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}){4,400}")
_ADDRESS = re.compile(r"[^\s@<>]+@[^\s@<>]+")


def restore_addresses(tree: LexborHTMLParser, html: bytes) -> None:
    """Write the hidden addresses of mail into ``tree``, parsed from ``html``; what hides no address stays."""
    if _ATTRIBUTE.encode() not in html:
        return
    for node in tree.css(f"[{_ATTRIBUTE}]"):
        address = _address(node.attributes.get(_ATTRIBUTE) or "")
        if address:
            node.inner_html = address.replace("&", "&amp;")


def _address(hidden: str) -> str:
    """The address in the value of an attribute, "" for none."""
    if not _HEX.fullmatch(hidden):
        return ""
    key, *codes = bytes.fromhex(hidden)
    try:
        address = bytes(code ^ key for code in codes).decode()
    except UnicodeDecodeError:
        return ""
    return address if address.isprintable() and _ADDRESS.fullmatch(address) else ""
