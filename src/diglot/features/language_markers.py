"""Language markers in addresses: taken out, or matched by pattern (WMT16's baseline; ILSP/ARC at WMT 2016, 2.3)."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from urllib.parse import unquote, urlsplit

import numpy as np
from rapidfuzz.distance import Indel

from diglot.arrays import Column, Pairs
from diglot.language_names import spellings
from diglot.site import Site

QUERY_KEYS = ("lang", "clang", "language", "locale", "selectedlocale")
"""Beginnings and ends of query keys with a language as value (WMT16 baseline)."""
PRINTED_SEPARATORS = "/_="
"""Separators before a language in the patterns printed by ILSP/ARC."""
_REPEATED_SEPARATOR = re.compile(r"([/_.=-])\1+")
# A match begins only at the first of several separators: else the search takes quadratic time.
_SEPARATORS_AT_BORDER = re.compile(r"(?<![_.-])[_.-]++(?=[/?&]|$)|(?<=[/?&=])[_.-]+")
_SEPARATORS_BESIDE_DOT = re.compile(r"(?<![_-])[_-]++(?=\.)|(?<=\.)[_.-]+")
_NUMBERED = re.compile(r"(?<=[?&;])(lang|langid|lingua)=[0-5](?=[&;]|$)")
"""Languages by number (ILSP/ARC, section 2.3)."""
_PLACE = "\x00"
"""Placeholder of a marker that was cut out."""


@cache
def _marker(langs: frozenset[str]) -> re.Pattern[str]:
    words = {word for lang in langs for word in spellings(lang)}
    if not words:
        # An alternation of no words would match everywhere.
        return re.compile(r"(?!)")
    codes = {word for word in words if len(word) == 2}
    regional = "|".join(sorted(codes))
    plain = "|".join(sorted(map(re.escape, words), key=lambda word: (-len(word), word)))
    return re.compile(rf"(?<![a-z0-9])(?:(?:{regional})[-_][a-z]{{2,4}}|{plain})(?![a-z0-9])", re.IGNORECASE)


def stripped_url(url: str, langs: frozenset[str], *, query_keys: bool = False) -> str:
    """Address without markers of ``langs``, separators around them folded; scheme and fragment left out.

    ``query_keys``: leave out query parameters that state a language, with any value.
    """
    parts = urlsplit(url)
    marker = _marker(langs)
    query = [pair for pair in parts.query.split("&") if pair and not _is_marker_pair(pair, marker, query_keys)]
    text = parts.netloc.lower() + parts.path + ("?" + "&".join(query) if query else "")
    text = marker.sub("", text)
    text = _REPEATED_SEPARATOR.sub(r"\1", text)
    text = _SEPARATORS_AT_BORDER.sub("", text)
    text = _SEPARATORS_BESIDE_DOT.sub("", text)
    return text.lstrip("._-")


def _is_marker_pair(pair: str, marker: re.Pattern[str], query_keys: bool) -> bool:
    key, _, value = pair.partition("=")
    if query_keys and any(key.lower().startswith(k) or key.lower().endswith(k) for k in QUERY_KEYS):
        return True
    return bool(marker.fullmatch(key) or marker.fullmatch(value))


def marked_similarity(site: Site, pairs: Pairs) -> Column:
    """Indel similarity of two addresses, in [0, 1]: twice the longest common subsequence over the sum of the lengths.

    A ranking, not a probability.
    """
    urls = site.urls
    return np.array([Indel.normalized_similarity(urls[i], urls[j]) for i, j in pairs.tolist()], dtype=np.float32)


def pattern_keys(url: str, lang: str, *, separators: str = PRINTED_SEPARATORS) -> list[str]:
    """Keys of an address, case folded: a marker of ``lang`` or a numbered language cut out, a key for every place.

    Pages in two languages with a common key match a pattern.
    """
    text = plain_key(url)
    keys = [text[: m.start()] + _PLACE + text[m.end() :] for m in _pattern_marker(lang, separators).finditer(text)]
    keys += [f"{text[: m.start()]}{m[1]}={_PLACE}{text[m.end() :]}" for m in _NUMBERED.finditer(text)]
    return keys


def shortened_keys(url: str, lang: str, *, separators: str = PRINTED_SEPARATORS) -> list[str]:
    """The key of an address with a marker of ``lang`` and the separator before it cut out, a key for every marker.

    The keys are possible addresses in a language without markers. Markers of a single letter do not count.
    """
    text = plain_key(url)
    markers = [m for m in _pattern_marker(lang, separators).finditer(text) if len(m[0]) > 1]
    return [text[: m.start() - 1] + text[m.end() :] for m in markers if text[m.start() - 1] != "="]


def plain_key(url: str) -> str:
    """Host, path and query, unquoted and case folded: the key before any marker is cut out."""
    parts = urlsplit(url)
    return unquote(parts.netloc + parts.path + (f"?{parts.query}" if parts.query else "")).casefold()


@cache
def _pattern_marker(lang: str, separators: str) -> re.Pattern[str]:
    words = {form for word in spellings(lang) for form in (word, _without_accents(word))}
    codes = "|".join(sorted(word for word in words if len(word) == 2))
    plain = "|".join(sorted(map(re.escape, words), key=lambda word: (-len(word), word)))
    before, after = f"[{re.escape(separators)}]", r"(?=[/_.&;?=-]|$)"
    return re.compile(rf"(?<={before})(?:(?:{codes})[-_][a-z]{{2}}|{plain}){after}")


def _without_accents(word: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
