"""Bytes of a page -> text, and the source of the charset: byte-order mark, HTTP header, meta tag or detection."""

from __future__ import annotations

import codecs
import re

from resiliparse.parse.encoding import detect_encoding, map_encoding_to_html5

_PRESCAN_BYTES = 4096
"""Bytes searched for a declaration. The standard asks for 1024; real pages put it later."""
_DETECT_BYTES = 131_072
_TAG = re.compile("<[^<>]*+>")
MAX_REPLACED_SHARE = 0.01
"""Largest share of undecodable characters in a page."""

_META_CHARSET = re.compile(
    rb"""<(?:meta|\?xml)\b[^<>]*?(?:charset|encoding)\s*=\s*["']?\s*([\w.:+-]+)""", re.IGNORECASE
)
_HTTP_CHARSET = re.compile(r"""charset\s*=\s*["']?\s*([\w.:+-]+)""", re.IGNORECASE)

Trial = tuple[str, str]
"""Python's name of an encoding, and its source."""

_ISO_2022_JP_ESCAPES = (b"\x1b$B", b"\x1b$@")
# UTF-32 before UTF-16: the mark of UTF-32-LE begins with that of UTF-16-LE.
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SUPERSETS = {
    "big5": "big5hkscs",
    "euc_jp": "euc-jis-2004",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
    "gbk": "gb18030",
    "gb2312": "gb18030",
    "iso8859-11": "cp874",
    "iso8859-9": "cp1254",
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
}
"""Labels used on the web for a wider encoding (WHATWG Encoding Standard, 4.2)."""
_COMMON = (
    "utf-8 cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 cp866 cp874 iso8859-2 iso8859-5 iso8859-6 "
    "iso8859-7 iso8859-8 iso8859-13 koi8-r koi8-u gb18030 big5hkscs cp932 cp949 euc-jis-2004 iso2022-jp"
)
_GUESSED = frozenset(_COMMON.split())
"""Encodings in which the web was written without a declaration."""
FEW_ACCENTS = 50
"""Bytes beyond ASCII below which a guess outside of :data:`_GUESSED`, such as ISO 8859-3 or the code page 852 of DOS,
is chance: of 1,485 pages in 31 languages, without declaration, 146 were misread without this rule, 100 with it."""
_ASCII = bytes(range(128))
_PROBE, _PROBED = b"<\\u0041+AGE-\xff", "<\\u0041+AGE-"
"""Bytes that decode to this text, and one character more, in every encoding of pages, but not in Python's UTF-7, EBCDIC
and escape codecs."""
MIN_FITTING_SHARE = 0.8
"""Least share of decodable characters beyond ASCII, for a charset that does not fit the bytes exactly."""


def decode(body: bytes, content_type: str = "") -> tuple[str, str, str] | None:
    """Text of a page, Python's name of the encoding, and its source: ``(text, charset, by)``.

    ``by`` is ``bom``, ``http``, ``meta`` or ``detected``. None if no encoding fits, or more than 1% of all characters,
    and of those outside of tags, stay undecodable. Declarations contradicted by the bytes are ignored: valid multi-byte
    UTF-8 is always UTF-8. If header and page disagree and both fit, detection decides, or the header where detection
    finds neither.
    """
    for mark, charset in _BYTE_ORDER_MARKS:
        if body.startswith(mark):
            return _accept(body[len(mark) :], charset, "bom")
    wide = _wide_charset(body)
    if wide:
        return _accept(body, wide, "detected")
    declared = _declarations(body, content_type)
    # ASCII fits nearly every encoding: only a declaration or escape sequences can tell.
    if body.isascii():
        return _decode_ascii(body, declared)
    text = _decode_exactly(body, "utf-8")
    if text is not None or _fits_mostly(body, "utf-8"):
        by = next((by for charset, by in declared if charset == "utf-8"), "detected")
        return _accept(body, "utf-8", by) if text is None else _accept_text(text, "utf-8", by)
    fitting = [trial for trial in declared if _fits(body, trial[0])]
    if not fitting:
        trials = [*declared, (_detect_charset(body), "detected"), ("cp1252", "detected")]
        fitting = [trial for trial in trials if _fits_mostly(body, trial[0])]
    elif len(fitting) > 1:
        guess = _detect_charset(body)
        fitting.sort(key=lambda trial: trial[0] != guess)
    # A few bytes that fit nothing spoil no page: they are lost, and the segment with them has the flag for damage.
    return _accept(body, *(fitting or [*declared, ("cp1252", "detected")])[0])


def _declarations(body: bytes, content_type: str) -> list[Trial]:
    header, meta = _HTTP_CHARSET.search(content_type), _META_CHARSET.search(body[:_PRESCAN_BYTES])
    by_header = python_charset(header[1]) if header else ""
    by_meta = python_charset(meta[1].decode("ascii")) if meta else ""
    # UTF-16 would not let "charset=" be found in ASCII.
    if meta and by_header.startswith(("utf-16", "utf-32")):
        by_header = ""
    # A page that can spell "charset=utf-16" in ASCII is not UTF-16 (WHATWG HTML, 13.2.3.2).
    if by_meta.startswith(("utf-16", "utf-32")):
        by_meta = "utf-8"
    return [(name, by) for name, by in ((by_header, "http"), (by_meta, "meta")) if name]


def python_charset(label: str) -> str:
    """Python's name of the encoding meant by a label on the web; "" for an unknown label."""
    label = label.strip().lower()
    name = map_encoding_to_html5(label, False) or label.removeprefix("x-")
    try:
        name = codecs.lookup(name).name.replace("_", "-")
        if not name.startswith(("utf-16", "utf-32")) and _PROBE.decode(name, "replace")[:-1] != _PROBED:
            return ""
    except (LookupError, UnicodeError):
        return ""
    return _SUPERSETS.get(name.replace("-", "_"), _SUPERSETS.get(name, name))


def _decode_exactly(body: bytes, charset: str) -> str | None:
    try:
        return body.decode(charset)
    except UnicodeError:
        return None


def _fits(body: bytes, charset: str) -> bool:
    return _decode_exactly(body, charset) is not None


def _fits_mostly(body: bytes, charset: str) -> bool:
    """Whether most characters beyond ASCII decode."""
    # Losses alone would not do: a one-byte encoding fits nearly any bytes better than damaged UTF-8 fits UTF-8.
    text = body.decode(charset, "replace") if charset else ""
    beyond_ascii = len(text) - len(text.encode("ascii", "ignore"))
    return text.count("\ufffd") < (1 - MIN_FITTING_SHARE) * beyond_ascii


def _accept(body: bytes, charset: str, by: str) -> tuple[str, str, str] | None:
    return _accept_text(body.decode(charset, "replace"), charset, by)


def _accept_text(text: str, charset: str, by: str) -> tuple[str, str, str] | None:
    """The result of :func:`decode`; None for a text with too many undecodable characters."""
    # In a tag they harm nobody: nearly all attributes are for scripts.
    is_lost = _has_many_replaced(text) and _has_many_replaced(_TAG.sub("", text))
    return None if is_lost else (text, charset, by)


def _has_many_replaced(text: str) -> bool:
    return text.count("\ufffd") > MAX_REPLACED_SHARE * max(len(text), 1)


def _wide_charset(body: bytes) -> str:
    """UTF-16 without a byte-order mark, found by a zero in every second byte of the markup; "" for anything else."""
    head = body[:512]
    if len(head) < 8:
        return ""
    odd, even = head[1::2].count(0), head[0::2].count(0)
    if odd > 0.4 * len(head) / 2 and even < 0.05 * len(head) / 2:
        return "utf-16-le"
    if even > 0.4 * len(head) / 2 and odd < 0.05 * len(head) / 2:
        return "utf-16-be"
    return ""


def _decode_ascii(body: bytes, declared: list[Trial]) -> tuple[str, str, str] | None:
    """Decode bytes below 128: ASCII by any name, or ISO-2022-JP, known by its escape sequences."""
    if any(escape in body for escape in _ISO_2022_JP_ESCAPES):
        by = next((by for charset, by in declared if charset.startswith("iso2022-jp")), "detected")
        escaped = _accept(body, "iso2022-jp", by)
        if escaped is not None:
            return escaped
    trials = [*declared, ("utf-8", "detected")]
    return _accept(body, *next(trial for trial in trials if _fits(body, trial[0])))


def _detect_charset(body: bytes) -> str:
    """The likeliest encoding; "" where only an unlikely one is found, by few accents."""
    found = python_charset(detect_encoding(body[:_DETECT_BYTES], html5_compatible=False) or "")
    return found if found in _GUESSED or len(body.translate(None, _ASCII)) >= FEW_ACCENTS else ""
