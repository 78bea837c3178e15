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
        fields = line.split("\t")
        if len(fields) == 1 and not line.strip():
            continue
        span = _span(fields, len(articles))
        if span is None:
            yield None
        elif not _ABOUT_ITSELF.match(fields[0]):
            headword = (fields[3] if len(fields) > 3 and fields[3] else fields[0]).strip()
            translations = known.get(span)
            if translations is None:
                translations = known[span] = _translations(articles[span[0] : span[1]].decode("utf-8", "replace"))
            if headword:
                for translation in translations:
                    yield headword, translation


def _span(fields: list[str], size: int) -> tuple[int, int] | None:
    if not 3 <= len(fields) <= 4 or not all(fields[1:3]):
        return None
    try:
        start, length = _NUMBERS[fields[1]], _NUMBERS[fields[2].rstrip()]
    except KeyError:
        return None
    return (start, start + length) if start + length <= size else None


class _Numbers(dict[str, int]):
    """Numbers in base 64 by their digits; the fewer than 300,000 of up to three digits are worked out once."""

    def __missing__(self, digits: str) -> int:
        if len(digits) > 3:
            return self[digits[:-2]] * 4096 + self[digits[-2:]]
        if len(digits) < 2:
            raise KeyError(digits)
        self[digits] = value = self[digits[:-1]] * 64 + self[digits[-1]]
        return value


_NUMBERS = _Numbers(_DIGITS)


def _translations(article: str) -> tuple[str, ...]:
    """Translations on the lines after the first that are no deeper than one step below the first of them."""
    found: dict[str, None] = {}
    deepest = -1
    for line in article.split("\n")[1:]:
        text = line.lstrip()
        if text:
            indent = len(line) - len(text)
            if deepest < 0:
                deepest = indent + 1
            if indent <= deepest:
                for translation in split_gloss(text):
                    found[translation] = None
    return tuple(found)
