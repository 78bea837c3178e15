"""The language of a tag, and how close two languages are by CLDR."""

from __future__ import annotations

from functools import cache

import langcodes
from langcodes.data_dicts import MACROLANGUAGES

CLOSE_DISTANCE = 20
"""CLDR language-matching distance within which the declared language is believed: Bokmål and Nynorsk (20), Danish (12),
Croatian and Bosnian (8)."""
FOREIGN_DISTANCE = 80
"""CLDR language-matching distance of two unrelated languages in one script."""


@cache
def language_of(tag: str) -> str:
    """Primary subtag of a language tag as people write it (``pt_BR``, ``FR-fr``); "" for no tag, or ``x-default``."""
    try:
        lang = langcodes.Language.get(tag.strip().replace("_", "-")).language or ""
    except ValueError:
        return ""
    # langcodes takes a private tag as a language of its own.
    return "" if lang.startswith("x-") else lang


@cache
def is_language(lang: str) -> bool:
    """Whether a primary subtag is registered."""
    return bool(lang) and langcodes.Language.get(lang).is_valid()


def are_of_one_macrolanguage(first: str, second: str) -> bool:
    """Whether two primary subtags belong to the same macrolanguage of ISO 639-3; a macrolanguage belongs to itself.

    >>> are_of_one_macrolanguage("ckb", "sdh"), are_of_one_macrolanguage("ckb", "fa")
    (True, False)
    """
    return MACROLANGUAGES.get(first, first) == MACROLANGUAGES.get(second, second)


@cache
def are_close(first: str, second: str, most: int = CLOSE_DISTANCE) -> bool:
    """Whether two languages are equal, or too close by CLDR for any identifier; ``most``: largest distance."""
    return max(_distances(first, second)) <= most


def is_near(first: str, second: str) -> bool:
    """Whether the identifier may take one of two languages for the other: by CLDR, readers of one understand the other.

    Regional languages written beside a national one, such as Galician beside Spanish, are not near.

    >>> is_near("ms", "id"), is_near("gl", "es")
    (True, False)
    """
    return first != second and min(_distances(first, second)) < CLOSE_DISTANCE


def are_related(first: str, second: str) -> bool:
    """Whether by CLDR readers of one of two languages read the other, too: a neighbour's (Czech and Slovak), or that of
    the country (Galician and Spanish).

    >>> are_related("gl", "es"), are_related("de", "fr")
    (True, False)
    """
    return min(_distances(first, second)) < FOREIGN_DISTANCE


def _distances(first: str, second: str) -> tuple[int, int]:
    """Distances of two languages by CLDR in both directions, as they may differ."""
    return langcodes.tag_distance(first, second), langcodes.tag_distance(second, first)
