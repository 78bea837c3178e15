"""Which language a link's text or a hreflang code names: codes and names of CLDR, through langcodes."""

from __future__ import annotations

import re
from functools import cache

import langcodes

from diglot.features.language_markers import spellings
from diglot.languages import wanted_language

_LETTERS = re.compile(r"[^\W\d_]+")


@cache
def language_names(lang: str, shown_in: tuple[str, ...] = ()) -> frozenset[str]:
    """Ways to write a language for people, case folded: codes, its own name, its name in English and ``shown_in``.

    >>> sorted(language_names("fr", ("de",)))
    ['fr', 'fra', 'français', 'fre', 'french', 'französisch']
    """
    tag = langcodes.Language.get(lang)
    base = langcodes.Language.get(tag.language or lang)
    readers = ("en", *shown_in)
    names = {tag.autonym(), base.autonym(), *(x.display_name(reader) for x in (tag, base) for reader in readers)}
    codes = {lang, *(word for word in spellings(lang) if len(word) > 1)}
    return frozenset(" ".join(_words(name)) for name in names | codes if name)


def names_language(text: str, lang: str, shown_in: tuple[str, ...] = ()) -> bool:
    """Whether a link's text is the name of ``lang`` and nothing else: ``Français``, ``[fr]``, ``FR - Français``."""
    words = _words(text)
    names = language_names(lang, shown_in)
    return bool(words) and (" ".join(words) in names or all(word in names for word in words))


def code_fits(code: str, lang: str) -> bool:
    """Whether a hreflang code, or what sites write for one (``fr_CA``, ``french``), says ``lang``."""
    try:
        if wanted_language(code.replace("_", "-"), "", (lang,)):
            return True
    except ValueError:  # not built as a tag is
        pass
    return code.casefold() in language_names(lang)


def _words(text: str) -> list[str]:
    return _LETTERS.findall(text.casefold())
