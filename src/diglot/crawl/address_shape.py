"""The form of an address: what stays of it without numbers, which are one and the same, and which are a fault."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

MAX_URL_CHARS = 2000
"""Longer ones break servers and browsers; Heritrix stops at 2,083."""
MAX_PARTS = 20
"""Path parts; Heritrix's TooManyPathSegments stops at the same number."""
MAX_PARAMETERS = 20
MAX_IN_A_ROW = 2
"""Times that a part or a run of parts may stand in a row; Heritrix's PathologicalPath takes 3 for a fault."""
MAX_TIMES = 4
"""Times that one word may stand anywhere in a path."""
LONGEST_RUN = 5

_VISITOR = re.compile(r"phpsessid|jsessionid|aspsessionid\w*|session_?id|sessid|cfid|cftoken|oscsid|zenid|xtcsid")
"""Parameters that name the visitor whatever their value is."""
_PERHAPS_VISITOR = re.compile(r"sid|s|session|osid|token|csrf\w*|nonce|viewstate|hash|key")
"""Parameters that name the visitor if their value looks drawn by lot."""
_CAMPAIGN = re.compile(r"utm_\w+|fbclid|gclid|msclkid|yclid|igshid|mc_[ce]id|_ga")
_PATH_SESSION = re.compile(r";(?:jsessionid|phpsessid|sid|sessionid)=[^/?#;]*", re.IGNORECASE)
_PATH_TOKEN = re.compile(r"/\((?:[A-Z]\([^()/]*\))+\)|/S\([A-Za-z0-9]{20,}\)")
_DRAWN = re.compile(r"(?=[^0-9]*[0-9])[0-9A-Za-z_-]{16,}")
_HEX = re.compile(r"[0-9a-fA-F]{8,}(?:-[0-9a-fA-F]{4,}){0,4}")
_DIGITS = re.compile(r"[0-9]+")


def address_shape(url: str) -> str:
    """An address with its numbers, dates, hex and drawn tokens replaced by ``#`` and its parameters by their names.

    ``https://a.example/2024/05/item-17.html?id=5&lang=fr`` gives ``a.example/#/#/item-#.html?id&lang``.
    """
    parts = urlsplit(url)
    path = "/".join(_general(part) for part in _PATH_SESSION.sub("", parts.path).split("/"))
    keys = sorted({_general(key) for key, _ in parse_qsl(parts.query, keep_blank_values=True)})
    return f"{parts.netloc.lower()}{path}" + ("?" + "&".join(keys) if keys else "")


def address_key(url: str) -> str:
    """The same for addresses that are one but for visitor, campaign, order or repetition of parameters."""
    parts = urlsplit(url)
    path = _PATH_TOKEN.sub("", _PATH_SESSION.sub("", parts.path))
    kept = sorted({(key, value) for key, value in parse_qsl(parts.query, keep_blank_values=True) if _says(key, value)})
    return f"{parts.netloc.lower()}{path or '/'}" + ("?" + urlencode(kept) if kept else "")


def why_odd(url: str) -> str:
    """Say in words what is wrong with the form of an address itself; "" where nothing is."""
    if len(url) > MAX_URL_CHARS:
        return f"the address has {len(url)} characters, more than {MAX_URL_CHARS}"
    split = urlsplit(url)
    parts = [unquote(part) for part in split.path.split("/") if part]
    if len(parts) > MAX_PARTS:
        return f"the path has {len(parts)} parts, more than {MAX_PARTS}"
    if split.query.count("&") >= MAX_PARAMETERS:
        return f"the address has more than {MAX_PARAMETERS} parameters"
    return _repetition([part for part in parts if not _DIGITS.fullmatch(part)])


def _repetition(parts: list[str]) -> str:
    for size in range(1, LONGEST_RUN + 1):
        for start in range(len(parts) - (MAX_IN_A_ROW + 1) * size + 1):
            run = parts[start : start + size]
            if run * (MAX_IN_A_ROW + 1) == parts[start : start + (MAX_IN_A_ROW + 1) * size]:
                return f"the path repeats {_shown('/'.join(run))} more than {MAX_IN_A_ROW} times in a row"
    for part in set(parts):
        if parts.count(part) > MAX_TIMES:
            return f"the path holds {_shown(part)} {parts.count(part)} times"
    return ""


def _general(text: str) -> str:
    if _HEX.fullmatch(text) or _DRAWN.fullmatch(text):
        return "#"
    return _DIGITS.sub("#", text)


def _says(key: str, value: str) -> bool:
    """Whether a parameter may change what is shown."""
    name = key.lower()
    if _VISITOR.fullmatch(name) or _CAMPAIGN.fullmatch(name):
        return False
    return not (_PERHAPS_VISITOR.fullmatch(name) and (_DRAWN.fullmatch(value) or _HEX.fullmatch(value)))


def _shown(text: str) -> str:
    return ascii(text[:60])
