"""The numbers a text names, written one way."""

import re
import sys
import unicodedata
from functools import cache

# 1,234,567 or 1.234.567 or 1 234 567 or 1'234'567: three digits a group, no digit beside the whole, and not
# the end of a version such as 1.2.345.
_GROUPED = re.compile(r"(?<!\d)(?<!\d\.)\d{1,3}(?:[., '’٬]\d{3})+(?!\d)", re.ASCII)
_SEPARATOR = re.compile(r"[., '’٬]")
_DIGITS = re.compile(r"\d+", re.ASCII)


@cache
def _to_ascii() -> dict[int, str]:
    """Every decimal digit of Unicode to its ASCII form."""
    every = map(chr, range(0x80, sys.maxunicode + 1))
    return {ord(char): str(unicodedata.decimal(char)) for char in every if char.isdecimal()}


def numbers_in(text: str) -> tuple[str, ...]:
    """The digit groups of ``text``, sorted: ASCII digits, no thousands separators, no leading zeros.

    A decimal sign divides a number in two groups on either side of a translation, whether it is a point
    or a comma; numbers spelt in letters are not seen.

    >>> numbers_in("1.234.567 Euro, 3,5 %"), numbers_in("٣ of ２０")
    (('1234567', '3', '5'), ('20', '3'))
    """
    plain = unicodedata.normalize("NFKC", text)
    if not plain.isascii():
        plain = plain.translate(_to_ascii())
    joined = _GROUPED.sub(lambda number: _SEPARATOR.sub("", number[0]), plain)
    return tuple(sorted(group.lstrip("0") or "0" for group in _DIGITS.findall(joined)))
