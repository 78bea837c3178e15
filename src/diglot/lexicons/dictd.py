"""dictd databases, as FreeDict makes them: an index of headwords into a text of articles.

A line of the index is ``headword<TAB>offset<TAB>length`` (numbers in base 64, digits A-Z a-z 0-9 + /). An article
begins with a line for the headword itself; the lines after it hold translations, deeper ones remarks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from diglot.lexicons.lexicon import Entry, split_gloss

_DIGITS = {
    digit: value for value, digit in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
}
_LINE = re.compile(r"[^\t]*\t[A-Za-z0-9+/]{1,10}\t[A-Za-z0-9+/]{1,10}(\t.*)?")
_ABOUT_ITSELF = re.compile(r"00-?database")


def is_index_line(line: str) -> bool:
    """Whether a line may stand in an index."""
    return _LINE.fullmatch(line) is not None


def entries(index: Iterable[str], articles: bytes) -> Iterator[Entry | None]:
    """Entries of a database; None for each line of the index that leads to no text.

    Articles about the database itself, and articles that hold no translation, give nothing.
    """
    known: dict[tuple[int, int], tuple[str, ...]] = {}  # several headwords lead to one article
    for line in index:
        if not line.strip():
            continue
        fields = line.split("\t")
        span = _span(fields, len(articles))
        if span is None:
            yield None
        elif not _ABOUT_ITSELF.match(fields[0]):
            headword = (fields[3] if len(fields) > 3 and fields[3] else fields[0]).strip()
            if span not in known:
                known[span] = _translations(articles[slice(*span)].decode("utf-8", "replace"))
            for translation in known[span] if headword else ():
                yield headword, translation


def _span(fields: list[str], size: int) -> tuple[int, int] | None:
    if not 3 <= len(fields) <= 4 or not all(fields[1:3]):
        return None
    try:
        start, length = _number(fields[1]), _number(fields[2].rstrip())
    except KeyError:
        return None
    return (start, start + length) if start + length <= size else None


def _number(text: str) -> int:
    value = 0
    for digit in text:
        value = value * 64 + _DIGITS[digit]
    return value


def _translations(article: str) -> tuple[str, ...]:
    body = [line for line in article.split("\n")[1:] if line.strip()]
    deepest = _indent(body[0]) + 1 if body else 0
    lines = (line for line in body if _indent(line) <= deepest)
    return tuple(dict.fromkeys(translation for line in lines for translation in split_gloss(line)))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
