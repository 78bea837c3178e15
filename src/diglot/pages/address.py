"""Web addresses in their normal form, which serves as a key, and a key common to the variants of an address."""

from __future__ import annotations

import re
from itertools import product
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

NOT_IN_ADDRESS = re.compile(r"[\x00-\x20\x7f-\xa0\u2028\u2029\ud800-\udfff]")
MAX_ADDRESS_CHARS = 1 << 16
"""Characters of an address that are read; the limit of a record's header. Servers take an eighth."""
MAX_HOST_CHARS = 253
"""Characters of the longest name of a host (RFC 1035, 2.3.4: 255 bytes, two of them no text)."""
DEFAULT_PORTS = {"http": 80, "https": 443}

# No percent sign, no port, no part of the path that begins with a dot: most addresses are of this form. Sets of
# characters have possessive quantifiers here and elsewhere, groups have not: in Python 3.11.2, that of Debian 12, a
# possessive group matches what it should not (gh-106052).
_NORMAL = re.compile(r"https?://[a-z0-9_.-]++(?:/(?!\.)[!\"$&-.0-~]*+)+(?<!\?)")
_LONE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_OTHER_ESCAPE = re.compile(r"%(?![0189A-F][0-9A-F]|2[0-9ABCF]|3[A-F]|40|5[B-E]|60|7[B-DF])[0-9A-Fa-f]{2}")
"""An escape that is not in normal form: with digits in lower case, or of an unreserved character."""
_ASCII = "".join(map(chr, range(0x80)))
_BLANKS_AND_CONTROLS = [*map(chr, (*range(0x21), *range(0x7F, 0xA1), 0x2028, 0x2029, *range(0xD800, 0xE000)))]
"""What :data:`NOT_IN_ADDRESS` matches."""
_ESCAPES = {char: quote(char.encode("utf-8", "replace"), safe="") for char in _BLANKS_AND_CONTROLS}
_HEX_DIGITS = "0123456789abcdefABCDEF"
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_NORMAL_ESCAPES = {
    f"%{digits}": char if (char := chr(int(digits, 16))) in _UNRESERVED else f"%{digits.upper()}"
    for digits in map("".join, product(_HEX_DIGITS, repeat=2))
}
_WITH_OWN_SPELLING = frozenset("@[%")
"""Characters of a host part that stays as written, for the address guard to judge: user name, IPv6, escapes."""

_VISITOR = re.compile(r"phpsessid|jsessionid|aspsessionid\w*|session_?id|sessid|cfid|cftoken|oscsid|zenid|xtcsid")
"""Parameters that identify the visitor, with any value."""
_PERHAPS_VISITOR = re.compile(r"sid|s|session|osid|token|csrf\w*|nonce|viewstate|hash|key")
"""Parameters that identify the visitor if the value looks random."""
_CAMPAIGN = re.compile(r"utm_\w+|fbclid|gclid|msclkid|yclid|igshid|mc_[ce]id|_ga")
"""Parameters that tell an advertising campaign, with any value."""
PATH_SESSION = re.compile(r";(?:jsessionid|phpsessid|sid|sessionid)=[^/?#;]*", re.IGNORECASE)
_PATH_TOKEN = re.compile(r"/\((?:[A-Z]\([^()/]*\))+\)|/S\([A-Za-z0-9]{20,}\)")
"""Session identifier of ASP.NET in a path."""
_RANDOM = re.compile(r"(?=[^0-9]*[0-9])[0-9A-Za-z_-]{16,}")
_VALUE = re.compile(r"[^&;=/]+")
_NOT_IN_RANDOM = re.compile(r"[^0-9A-Za-z_-]")
_HEX = re.compile(r"[0-9a-fA-F]{8,}(?:-[0-9a-fA-F]{4,}){0,4}")


def normalise_address(text: str) -> str:
    """The normal form of a web address: equal for addresses that are equal by RFC 3986, section 6.2.

    Scheme and host in lower case (IDNA), no default port and no fragment, at least ``/`` as path, no dot segments. A
    percent sign stands only before a character that needs it, with digits in upper case; a character outside of ASCII
    is percent-encoded as UTF-8 (RFC 3987, 3.1). An empty query is left out. Any other text is only tidied.

    >>> normalise_address("HTTP://WWW.Example.org:80/a/../%7eb%2ehtml?q=%c3%a9#top")
    'http://www.example.org/~b.html?q=%C3%A9'
    """
    address = tidy_address(text)
    if _NORMAL.fullmatch(address):
        return address
    try:
        parts = urlsplit(address)
        if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
            return address
        netloc = parts.netloc if _WITH_OWN_SPELLING & {*parts.netloc} else _host_and_port(parts.scheme, parts.netloc)
    except ValueError:  # an open bracket, or a port that is no number
        return address
    path = _without_dot_segments(_normal_escapes(parts.path)) if parts.path else "/"
    return parts._replace(netloc=netloc, path=path, query=_normal_escapes(parts.query)).geturl()


def tidy_address(text: str) -> str:
    """An address without fragment, surrounding blanks and angle brackets (written by wget and WARC 1.0).

    Blanks, control characters and line separators inside are percent-encoded; further characters stay. Of a longer text
    only :data:`MAX_ADDRESS_CHARS` are read.
    """
    bare = text.strip()[:MAX_ADDRESS_CHARS]
    if bare.startswith("<") and bare.endswith(">"):
        bare = bare[1:-1].strip()
    address = bare.partition("#")[0]
    if NOT_IN_ADDRESS.search(address) is None:
        return address
    # One pass: a page may have millions of blanks in its addresses, and a call for each takes seconds.
    return "".join([_ESCAPES.get(char, char) for char in address])


def path_and_query(url: str) -> str:
    """Path and query of an address, as a request asks for them."""
    parts = urlsplit(url)
    # Not by urlunsplit: newer versions of Python put two slashes before a path that begins with two.
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def with_scheme(text: str) -> str:
    """An address as it is typed or noted, with ``http://`` before it where it has no scheme.

    >>> with_scheme("a.example/share?of=http://b.example/x")
    'http://a.example/share?of=http://b.example/x'
    """
    return text if "://" in text.partition("?")[0] else f"http://{text}"


def address_key(url: str) -> str:
    """Key of an address: no scheme, no parameter of a visitor or campaign, the other parameters sorted, each once."""
    parts = urlsplit(url)
    path = _PATH_TOKEN.sub("", PATH_SESSION.sub("", parts.path))
    parameters = set(parse_qsl(parts.query, keep_blank_values=True))
    kept = sorted((key, value) for key, value in parameters if _can_change_page(key, value))
    return f"{parts.netloc.lower()}{path or '/'}" + ("?" + urlencode(kept) if kept else "")


def looks_random(text: str) -> bool:
    """Whether a value looks like a random identifier: hexadecimal digits, or many letters with a digit among them."""
    return bool(_HEX.fullmatch(text) or _RANDOM.fullmatch(text))


def without_random(address: str) -> str:
    """An address, or the fragment of one, without random identifiers and times in its query and fragment.

    >>> without_random("https://a.example/print?id=7&token=5f3ab2c19d&t=1718000000")
    'https://a.example/print?id=7&token=&t='
    """
    path, mark, rest = address.partition("?") if "://" in address else ("", "", address)
    return f"{PATH_SESSION.sub('', path)}{mark}{_VALUE.sub(_kept_value, rest)}"


def _kept_value(match: re.Match[str]) -> str:
    # The characters between are those of Base64 and of dates.
    return "" if looks_random(_NOT_IN_RANDOM.sub("", unquote(match[0]))) else match[0]


def is_web_address(address: str) -> bool:
    """Whether ``address`` is an absolute http or https address with a host."""
    try:
        parts = urlsplit(address)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:  # the bracket of an IPv6 host left open
        return False


def _host_and_port(scheme: str, netloc: str) -> str:
    """The host in lower case and ASCII, with a port that is not the default; ValueError for a port out of range."""
    parts = urlsplit(f"//{netloc}")
    host = parts.hostname or ""
    if not host.isascii():
        try:
            if len(host) > MAX_HOST_CHARS:  # IDNA would take seconds
                raise UnicodeError(host)
            host = host.encode("idna").decode()
        except UnicodeError:  # no name of a host by IDNA
            host = _ascii(host)
    return host if parts.port in (None, DEFAULT_PORTS[scheme]) else f"{host}:{parts.port}"


def _normal_escapes(text: str) -> str:
    """A path or query with the escapes of RFC 3986, 6.2.2.1 and 6.2.2.2."""
    if "%" in text:
        # A percent sign alone must not become an escape with what follows.
        text = _OTHER_ESCAPE.sub(_normal_escape, _LONE_PERCENT.sub("%25", text))
    return _ascii(text)


def _normal_escape(match: re.Match[str]) -> str:
    return _NORMAL_ESCAPES[match[0]]


def _ascii(text: str) -> str:
    """The text in ASCII; all other characters are percent-encoded, as UTF-8."""
    return text if text.isascii() else quote(text.encode("utf-8", "replace"), safe=_ASCII)


def _without_dot_segments(path: str) -> str:
    """A path without ``.`` and ``..`` (RFC 3986, 5.2.4)."""
    if "/." not in path:
        return path
    parts = path.split("/")[1:]
    kept: list[str] = []
    for part in parts:
        if part == "..":
            del kept[-1:]
        elif part != ".":
            kept.append(part)
    if parts[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


def _can_change_page(key: str, value: str) -> bool:
    """Whether a parameter can change the page: it tells neither visitor nor campaign."""
    name = key.lower()
    if _VISITOR.fullmatch(name) or _CAMPAIGN.fullmatch(name):
        return False
    return not (_PERHAPS_VISITOR.fullmatch(name) and looks_random(value))
