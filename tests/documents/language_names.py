"""Text in any language without a corpus: names of languages as CLDR has them, and sentences of our own."""

from __future__ import annotations

import contextlib
import re
import unicodedata
from functools import cache

import langcodes

_CODES = """
en de fr es it pt nl sv da fi hu cs sk pl ro bg ru uk sr el tr he ar fa hi bn ta th vi id ja ko zh ka hy az kk
sq hr sl lv lt et is ga cy mt eu ca gl af sw eo la yi ur mk be bs mn
"""
NAMED = _CODES.split()
"""Primary subtags whose names make the text."""


@cache
def names(lang: str) -> tuple[str, ...]:
    """The names of some sixty languages in ``lang``."""
    return tuple(langcodes.Language.get(code).display_name(lang) for code in NAMED)


def encodable_names(lang: str, charset: str, *, apart: str = "") -> list[str]:
    """Those of :func:`names` that a charset can write, with the combining marks ``apart`` not composed."""
    found = []
    for name in names(lang):
        if apart:
            pieces = re.split(f"([{apart}])", unicodedata.normalize("NFD", name))
            name = "".join(unicodedata.normalize("NFC", piece) for piece in pieces)
        with contextlib.suppress(UnicodeEncodeError):
            name.encode(charset)
            found.append(name)
    return found
