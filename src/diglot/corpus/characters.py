"""Which characters and language tags may stand in an output file, and text made to hold only those."""

from __future__ import annotations

import re
from functools import lru_cache

import langcodes

SEPARATORS = "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f\x85"
"""Control characters that separate words or lines: a segment has a space in their place."""

LINE_BREAKS = "\u2028\u2029"
"""Characters that XML allows but that some readers of plain text take for the end of a line."""

_MEANINGLESS = ((0x00, 0x08), (0x0E, 0x1B), (0x7F, 0x84), (0x86, 0x9F), (0xD800, 0xDFFF), (0xFFFE, 0xFFFF))
"""First and last code points: control characters that separate nothing, surrogates, noncharacters."""
_CODES = [code for first, last in _MEANINGLESS for code in range(first, last + 1)]
# Ranges, not all their characters: the pattern is compiled at the start of every process.
_REMOVED = f"[{''.join(f'{chr(first)}-{chr(last)}' for first, last in _MEANINGLESS)}]+"
_ALONE = re.compile(f"(^| ){_REMOVED}(?: {_REMOVED})*( |$)")
"""Removed characters between two blanks, or between a blank and an end: one blank stays."""
_TO_CLEAN: dict[int, str | None] = dict.fromkeys(_CODES) | dict.fromkeys(map(ord, SEPARATORS), " ")
_TO_ONE_LINE: dict[int, str | None] = _TO_CLEAN | dict.fromkeys(map(ord, LINE_BREAKS), " ")

# Nearly every text is clean. Text that Python calls printable holds none of these (they are Cc, Cs, Cn, Zl, Zp). This
# test takes a tenth of the time of a search, and a search a tenth of that of a translation.
_UNCLEAN = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_UNCLEAN_LINE = re.compile(f"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff{LINE_BREAKS}]")


def clean_text(text: str) -> str:
    """``text`` as it may stand in XML.

    Separators become one space each. Other control characters, surrogates, U+FFFE and U+FFFF are removed; between two
    blanks, one of the blanks goes with them. Everything else stays as it is, without normalisation: astral characters,
    direction marks and joiners, too.

    >>> clean_text("a\\tb\\x02c")
    'a bc'
    """
    if text.isprintable() or not _UNCLEAN.search(text):
        return text
    return _without_gaps(text).translate(_TO_CLEAN)


def one_line(text: str) -> str:
    """``text`` cleaned as by :func:`clean_text` and without any character a reader takes for a line end.

    The result is one line to ``wc``, to ``str.splitlines`` and to every reader of TSV, and holds no tab.

    >>> one_line("first\\u2028second\\r\\nthird")
    'first second  third'
    """
    if text.isprintable() or not _UNCLEAN_LINE.search(text):
        return text
    return _without_gaps(text).translate(_TO_ONE_LINE)


def _without_gaps(text: str) -> str:
    return _ALONE.sub(lambda gap: " " if gap[1] and gap[2] else "", text)


_FORMULA = re.compile(r"'*[=+\-@\t\r]")


def spreadsheet_cell(text: str) -> str:
    """A text that no spreadsheet takes for a formula: an apostrophe before =, +, -, @, a tab or a carriage return.

    Only the beginning counts. Apostrophes there get one more, so that :func:`text_of_cell` takes back one alone.

    >>> spreadsheet_cell("=1+1"), spreadsheet_cell("1-1")
    ("'=1+1", '1-1')
    """
    return f"'{text}" if _FORMULA.match(text) else text


def text_of_cell(cell: str) -> str:
    """Inverse of :func:`spreadsheet_cell`.

    >>> text_of_cell("'=1+1"), text_of_cell("'tis")
    ('=1+1', "'tis")
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


_WELL_FORMED = re.compile(r"[A-Za-z0-9]{1,8}+(?:-[A-Za-z0-9]{1,8}+)*")
MAX_TAG_CHARS = 100
"""A tag with all subtags of the registry at once has fewer."""


@lru_cache(maxsize=4096)
def is_valid_tag(tag: str) -> bool:
    """True for a valid BCP 47 tag: well-formed, and every subtag in the IANA registry.

    ``zh_CN`` is refused: the underscore is a habit of locales, and tools drop such units silently.

    >>> is_valid_tag("sr-Latn"), is_valid_tag("hbs_cyrillic"), is_valid_tag("zh_CN")
    (True, False, False)
    """
    return len(tag) <= MAX_TAG_CHARS and _WELL_FORMED.fullmatch(tag) is not None and langcodes.tag_is_valid(tag)
