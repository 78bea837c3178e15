"""Addresses with their language markers taken out (the baseline of WMT16's document alignment task).

A marker is a code or name of a language standing alone between non-alphanumerics: ``/fr/``,
``_eng``, ``lang=en-us``. Codes and names come from CLDR through langcodes.
"""

from __future__ import annotations

import re
from functools import cache
from urllib.parse import urlsplit

import langcodes
import numpy as np
from rapidfuzz.distance import Indel

from diglot.site import Column, Pairs, Site

QUERY_KEYS = ("lang", "clang", "language", "locale", "selectedlocale")
"""A query key that begins or ends with one of these states the language (WMT16 baseline)."""


@cache
def spellings(lang: str) -> tuple[str, ...]:
    """Ways to write a language in an address, longest first: en, eng, english, e, and the like."""
    tag = langcodes.Language.get(lang)
    base = langcodes.Language.get(tag.language or lang)
    names = {base.language, base.display_name("en"), base.autonym()}
    for variant in ("B", "T"):
        try:
            names.add(base.to_alpha3(variant=variant))
        except LookupError:
            continue
    words = {name.lower() for name in names if name and re.fullmatch(r"[^\W\d_]+", name)}
    words.add((base.language or lang)[0])
    return tuple(sorted(words, key=lambda word: (-len(word), word)))


@cache
def _marker(langs: frozenset[str]) -> re.Pattern[str]:
    words = {word for lang in langs for word in spellings(lang)}
    if not words:
        return re.compile(r"(?!)")
    codes = {word for word in words if len(word) == 2}
    regional = "|".join(sorted(codes))
    plain = "|".join(sorted(map(re.escape, words), key=lambda word: (-len(word), word)))
    return re.compile(rf"(?<![a-z0-9])(?:(?:{regional})[-_][a-z]{{2,4}}|{plain})(?![a-z0-9])", re.IGNORECASE)


def stripped_url(url: str, langs: frozenset[str], *, query_keys: bool = False) -> str:
    """Address without markers of ``langs``, separators around them folded; scheme and fragment left out.

    ``query_keys``: leave out query parameters that state a language, whatever their value.
    """
    parts = urlsplit(url)
    marker = _marker(langs)
    query = [pair for pair in parts.query.split("&") if pair and not _is_marker_pair(pair, marker, query_keys)]
    text = parts.netloc.lower() + parts.path + ("?" + "&".join(query) if query else "")
    text = marker.sub("", text)
    text = re.sub(r"([/_.=-])\1+", r"\1", text)
    text = re.sub(r"[_.-]+(?=[/?&]|$)|(?<=[/?&=])[_.-]+|(?<=/)[_.-]+", "", text)
    text = re.sub(r"[_-]+(?=\.)|(?<=\.)[_.-]+", "", text)
    return re.sub(r"^[._-]+", "", text)


def _is_marker_pair(pair: str, marker: re.Pattern[str], query_keys: bool) -> bool:
    key, _, value = pair.partition("=")
    if query_keys and any(key.lower().startswith(k) or key.lower().endswith(k) for k in QUERY_KEYS):
        return True
    return bool(marker.fullmatch(key) or marker.fullmatch(value))


def marked_similarity(site: Site, pairs: Pairs) -> Column:
    """Share of the longer address that both addresses have, in [0, 1]; orders the baseline's pairs, no probability."""
    urls = site.urls
    return np.array([Indel.normalized_similarity(urls[i], urls[j]) for i, j in pairs.tolist()], dtype=np.float32)
