"""Names and codes of languages as websites write them, by CLDR."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache, lru_cache

import langcodes

from diglot.words import LETTER_RUNS

_LETTERS = re.compile(r"[^\W\d_]+")
MOST_NAME_CHARS = 40
"""Characters of the longest text of a link that may be the name of a language."""
LEAST_NAMES = 0.75
"""Least share of the words of a menu of languages found in names of languages: no menu spells all names as CLDR does.
Codes are words of many languages, but *de*, *la* and *es* are no three quarters of a Spanish sentence."""
LEAST_NAME = 4
"""Least letters of a name of a language among other words: shorter ones are words of other languages, as *ido*."""
_KNOWN_TEXTS = 1 << 12
"""Texts in the cache, since pages of a site share menus."""


def language_name(tag: str) -> str:
    """English name of a language; the tag for an unknown language."""
    try:
        return str(langcodes.Language.get(tag).display_name())
    except ValueError:
        return tag


@cache
def spellings(lang: str) -> tuple[str, ...]:
    """Ways to write a language in an address, longest first.

    >>> spellings("en")
    ('english', 'eng', 'en', 'e')
    """
    tag = langcodes.Language.get(lang)
    base = langcodes.Language.get(tag.language or lang)
    names = {base.language, base.display_name("en"), base.autonym()}
    for variant in ("B", "T"):
        try:
            names.add(base.to_alpha3(variant=variant))
        # Not every language has a three-letter code of both kinds.
        except LookupError:
            continue
    words = {name.lower() for name in names if name and LETTER_RUNS.fullmatch(name)}
    words.add((base.language or lang)[0])
    return tuple(sorted(words, key=lambda word: (-len(word), word)))


@cache
def language_names(lang: str, shown_in: tuple[str, ...] = ()) -> frozenset[str]:
    """Ways to write a language for people, case folded: codes, its own name, its name in English and ``shown_in``.

    >>> sorted(language_names("fr", ("de",)))
    ['fr', 'fra', 'französisch', 'français', 'fre', 'french']
    """
    tag = langcodes.Language.get(lang)
    base = langcodes.Language.get(tag.language or lang)
    readers = ("en", *shown_in)
    names = {tag.autonym(), base.autonym(), *(x.display_name(reader) for x in (tag, base) for reader in readers)}
    codes = {lang, *(word for word in spellings(lang) if len(word) > 1)}
    return frozenset(" ".join(_words(name)) for name in names | codes if name)


def names_language(text: str, lang: str, shown_in: tuple[str, ...] = ()) -> bool:
    """Whether a link's text is only the name of ``lang``: ``Français``, ``[fr]``, ``FR - Français``; not ``fr 3``."""
    words = _words_of_name(text)
    names = language_names(lang, shown_in)
    return bool(words) and (" ".join(words) in names or all(word in names for word in words))


@cache
def known_languages() -> frozenset[str]:
    """Languages with a code of two letters."""
    return frozenset(langcodes.LANGUAGE_ALPHA3)


@lru_cache(_KNOWN_TEXTS)
def names_any_language(text: str) -> bool:
    """Whether a text is only the name or the code of a language with a code of two letters (:func:`names_language`).

    >>> [names_any_language(text) for text in ("Français", "中文", "Deutsch (German)", "Mai 2020")]
    [True, True, True, False]
    """
    langs, words = _langs_of_names(), _words_of_name(text)
    if " ".join(words) in langs:
        return True
    return bool(words) and bool(frozenset.intersection(*(langs.get(word, frozenset()) for word in words)))


@lru_cache(_KNOWN_TEXTS)
def lists_languages(text: str) -> bool:
    """Whether a text is the name of a language, or a menu of such names in one block.

    >>> [lists_languages(text) for text in ("Français", "English Français esti Deutsch", "English breakfast", "2020")]
    [True, True, False, False]
    """
    words = _words(text)
    return bool(words) and sum(word in _words_of_names() for word in words) >= LEAST_NAMES * len(words)


@lru_cache(_KNOWN_TEXTS)
def holds_language_name(text: str) -> bool:
    """Whether a text names a language, by itself or among other words; codes count only by themselves.

    >>> [holds_language_name(text) for text in ("EN | FR", "English version", "How to get there")]
    [True, True, False]
    """
    words = _words(text)
    return lists_languages(text) or any(len(word) >= LEAST_NAME and word in _words_of_names() for word in words)


@cache
def _words_of_names() -> frozenset[str]:
    return frozenset(word for name in _langs_of_names() for word in name.split())


@cache
def _langs_of_names() -> dict[str, frozenset[str]]:
    langs: defaultdict[str, set[str]] = defaultdict(set)
    for lang in known_languages():
        for name in language_names(lang):
            langs[name].add(lang)
    return {name: frozenset(found) for name, found in langs.items()}


def _words_of_name(text: str) -> list[str]:
    """Words of a text that may be a name; none with digits: "May 2020" is no Malay, "fr 3" may be any third page."""
    return [] if any(map(str.isdigit, text)) else _words(text)


def _words(text: str) -> list[str]:
    return _LETTERS.findall(text.casefold())
