"""Addresses that are equal but for how they name their languages: ``/en/`` and ``/fr/``, ``lang=1`` and ``lang=2``.

Source: ILSP/ARC at WMT 2016, section 2.3; separators beyond / _ = and left-out markers as in ILSP-FC.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from urllib.parse import unquote, urlsplit

from diglot.features.language_markers import spellings

PRINTED_SEPARATORS = "/_="
"""What stands before a language in the patterns that the paper prints."""
_NUMBERED = re.compile(r"(?<=[?&;])(lang|langid|lingua)=[0-5](?=[&;]|$)")
"""Languages by number (section 2.3)."""
_PLACE = "\x00"


def pattern_keys(url: str, lang: str, *, separators: str = PRINTED_SEPARATORS) -> list[str]:
    """The address in lower case with one marker of ``lang``, or one numbered language, cut out: one key a place.

    Pages in two languages that share a key match one of the patterns.
    """
    text = _plain(url)
    keys = [text[: m.start()] + _PLACE + text[m.end() :] for m in _marker(lang, separators).finditer(text)]
    keys += [f"{text[: m.start()]}{m[1]}={_PLACE}{text[m.end() :]}" for m in _NUMBERED.finditer(text)]
    return keys


def shortened_keys(url: str, lang: str, *, separators: str = PRINTED_SEPARATORS) -> list[str]:
    """The address with one marker of ``lang`` left out, with the separator before it: what the page may be called
    in the language that the site does not mark. Markers of one letter do not count."""
    text = _plain(url)
    markers = [m for m in _marker(lang, separators).finditer(text) if len(m[0]) > 1]
    return [text[: m.start() - 1] + text[m.end() :] for m in markers if text[m.start() - 1] != "="]


def plain_key(url: str) -> str:
    """The address as :func:`shortened_keys` writes it, nothing left out."""
    return _plain(url)


def _plain(url: str) -> str:
    parts = urlsplit(url)
    return unquote(parts.netloc + parts.path + (f"?{parts.query}" if parts.query else "")).casefold()


@cache
def _marker(lang: str, separators: str) -> re.Pattern[str]:
    words = {form for word in spellings(lang) for form in (word, _without_accents(word))}
    codes = "|".join(sorted(word for word in words if len(word) == 2))
    plain = "|".join(sorted(map(re.escape, words), key=lambda word: (-len(word), word)))
    before, after = f"[{re.escape(separators)}]", r"(?=[/_.&;?=-]|$)"
    return re.compile(rf"(?<={before})(?:(?:{codes})[-_][a-z]{{2}}|{plain}){after}")


def _without_accents(word: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
