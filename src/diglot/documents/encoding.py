"""Bytes of a page -> text, and on whose word: byte-order mark, HTTP header, meta tag or detection."""

from __future__ import annotations

import codecs
import re

from resiliparse.parse.encoding import detect_encoding, map_encoding_to_html5

_PRESCAN_BYTES = 4096
"""How far a declaration is looked for. The standard asks for 1024; real pages put it later."""
_DETECT_BYTES = 131_072
MAX_REPLACED_SHARE = 0.01
"""Share of characters that may be undecodable before a page is refused."""

_META_CHARSET = re.compile(rb"""<(?:meta|\?xml)\b[^>]*?(?:charset|encoding)\s*=\s*["']?\s*([\w.:+-]+)""", re.IGNORECASE)
_HTTP_CHARSET = re.compile(r"""charset\s*=\s*["']?\s*([\w.:+-]+)""", re.IGNORECASE)

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SUPERSETS = {
    "euc_kr": "cp949",
    "shift_jis": "cp932",
    "gbk": "gb18030",
    "gb2312": "gb18030",
    "iso8859-11": "cp874",
    "iso8859-9": "cp1254",
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
}
"""Labels that the web uses for a wider encoding than they name (WHATWG Encoding Standard, 4.2)."""


def decode(body: bytes, content_type: str = "") -> tuple[str, str, str] | None:
    """Text of a page, the Python name of its encoding and who said so.

    Returns ``(text, charset, by)`` with ``by`` one of ``bom``, ``http``, ``meta``, ``detected``, or
    None where no encoding leaves fewer than 1% of the characters undecodable. A declaration that the
    bytes contradict is passed over: bytes that are valid multi-byte UTF-8 are UTF-8, whatever is said.
    """
    for mark, charset in _BYTE_ORDER_MARKS:
        if body.startswith(mark):
            return _accept(body[len(mark) :], charset, "bom")
    wide = _wide_charset(body)
    if wide:
        return _accept(body, wide, "detected")
    utf8 = _strict(body, "utf-8")
    declared = list(_declared(body, content_type))
    if utf8 is not None and (not body.isascii() or not declared):
        by = next((by for charset, by in declared if charset == "utf-8"), "detected")
        if not _escape_coded(body, declared):
            return utf8, "utf-8", by
    for charset, by in declared:
        text = _strict(body, charset)
        if text is not None:
            return text, charset, by
    return _detected(body, declared)


def _declared(body: bytes, content_type: str) -> list[tuple[str, str]]:
    labels = [(m.group(1), "http") for m in [_HTTP_CHARSET.search(content_type)] if m]
    labels += [(m.group(1).decode("ascii"), "meta") for m in [_META_CHARSET.search(body[:_PRESCAN_BYTES])] if m]
    known = [(python_charset(label), by) for label, by in labels]
    # A page that can spell "charset=utf-16" in ASCII is not UTF-16 (WHATWG HTML, 13.2.3.2).
    return [("utf-8" if name.startswith("utf-16") else name, by) for name, by in known if name]


def python_charset(label: str) -> str:
    """Python's name of the encoding that a label means on the web; "" for a label nobody knows."""
    label = label.strip().lower()
    name = map_encoding_to_html5(label, False) or label
    try:
        name = codecs.lookup(name).name.replace("_", "-")
    except LookupError:
        return ""
    return _SUPERSETS.get(name.replace("-", "_"), _SUPERSETS.get(name, name))


def _strict(body: bytes, charset: str) -> str | None:
    try:
        return body.decode(charset)
    except (UnicodeError, LookupError):
        return None


def _accept(body: bytes, charset: str, by: str) -> tuple[str, str, str] | None:
    text = body.decode(charset, "replace")
    if text.count("\ufffd") > MAX_REPLACED_SHARE * max(len(text), 1):
        return None
    return text, charset, by


def _wide_charset(body: bytes) -> str:
    """UTF-16 without a mark: markup then has a zero in every second byte."""
    head = body[:512]
    if len(head) < 8:
        return ""
    odd, even = head[1::2].count(0), head[0::2].count(0)
    if odd > 0.4 * len(head) / 2 and even == 0:
        return "utf-16-le"
    if even > 0.4 * len(head) / 2 and odd == 0:
        return "utf-16-be"
    return ""


def _escape_coded(body: bytes, declared: list[tuple[str, str]]) -> bool:
    """ISO-2022-JP and HZ look like ASCII; only their declaration tells."""
    return b"\x1b$" in body and any(charset.startswith("iso2022") for charset, _ in declared)


def _detected(body: bytes, declared: list[tuple[str, str]]) -> tuple[str, str, str] | None:
    """The detector's answer, then what was declared, the one with fewest losses first."""
    guess = detect_encoding(body[:_DETECT_BYTES], html5_compatible=False) or ""
    trials = [(python_charset(guess), "detected"), *declared, ("utf-8", "detected"), ("cp1252", "detected")]
    best: tuple[str, str, str] | None = None
    fewest = -1
    for charset, by in trials:
        text = body.decode(charset, "replace") if charset else ""
        lost = text.count("\ufffd")
        if text and lost <= MAX_REPLACED_SHARE * len(text) and (best is None or lost < fewest):
            best, fewest = (text, charset, by), lost
    return best
