"""Language versions in the Link header of an answer (RFC 8288), the third place of hreflang."""

from __future__ import annotations

import re
from urllib.parse import urljoin
from xml.sax.saxutils import quoteattr

# Possessive: a header is a stranger's text, and may be long.
_VALUE = r"(?:\"[^\"]*+\"|[^\s;,\"]*+)"
_LINK = re.compile(rf"<([^<>]*+)>((?:\s*+;\s*+[^\s=;,<>\"]++(?:\s*+=\s*+{_VALUE})?+)*+)\s*+(?:,|$)")
_PARAMETER = re.compile(rf";\s*+([^\s=;,\"]++)\s*+=\s*+({_VALUE})")


def alternates_markup(header: str, url: str) -> str:
    """The alternates with hreflang in the Link header of the page at ``url``, as elements of HTML; "" for none."""
    return "".join(_element(link, url) for link in _LINK.finditer(header))


def _element(link: re.Match[str], url: str) -> str:
    given = {name.lower(): value.strip('"') for name, value in _PARAMETER.findall(link[2])}
    if not given.get("hreflang") or "alternate" not in given.get("rel", "").lower().split():
        return ""
    try:
        href = urljoin(url, link[1].strip())
    except ValueError:  # the bracket of an IPv6 host left open
        return ""
    values = {"href": href, **{name: given.get(name, "") for name in ("hreflang", "rel", "type")}}
    return f"<link {' '.join(f'{name}={quoteattr(value)}' for name, value in values.items())}>"
