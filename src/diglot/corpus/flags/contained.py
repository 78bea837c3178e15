"""The flag ``contained``: one side is all of the other side, and goes on, or has a language in brackets before it.

An entry left untranslated in a version, *rakonti – to tell* and *rakonti –*; an original with its translation
behind it; an option with the type of its value on one side alone; a title that a plug-in shows untranslated, with the
name of its language in front: *(Русский) Для прессы*. A word in front is no sign: languages differ in articles.
"""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Mask
from diglot.corpus.flags.context import confirm

_FIRST = 3
"""Number of first letters. They are equal if one side begins with the other."""
_IN_FRONT = r"^\s*[(\[（【][^()\[\]（）【】]{1,30}[)\]）】]"
"""Brackets in front of a text (RE2 and Python)."""
_BRACKETS = re.compile(_IN_FRONT)
_WORDS = re.compile(r"[^\W_]+(?:['’\-‑][^\W_]+)*")
"""Words with all joined endings: *Google'da*."""


def are_contained(pairs: pa.Table) -> Mask:
    """:func:`is_contained` of pairs of texts, ``src`` and ``tgt``, as a mask."""
    src, tgt = (_beginnings(pairs[side]) for side in ("src", "tgt"))
    later_src, later_tgt = (
        _beginnings(pc.replace_substring_regex(pairs[side], _IN_FRONT, "")) for side in ("src", "tgt")
    )
    same = pc.or_(pc.equal(src, tgt), pc.or_(pc.equal(later_src, tgt), pc.equal(src, later_tgt)))
    return confirm(np.asarray(same.to_numpy(), bool), pairs, is_contained)


def _beginnings(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """The first letters of every text, in lower case."""
    return pc.utf8_slice_codeunits(pc.utf8_lower(pc.replace_substring_regex(texts, r"^[^\pL\pN]+", "")), 0, _FIRST)


def is_contained(src: str, tgt: str) -> bool:
    """Whether one text begins with all words of the other and has more, or is the other behind brackets.

    >>> is_contained("rakonti – to tell", "rakonti –"), is_contained("Sockets", "Les sockets")
    (True, False)
    >>> is_contained("Для прессы", "(Русский) Для прессы"), is_contained("(a) Yes", "(b) Yes")
    (True, False)
    """
    shorter, longer = sorted((_words(src), _words(tgt)), key=len)
    if 0 < len(shorter) < len(longer) and longer[: len(shorter)] == shorter:
        return True
    return any(
        (brackets := _BRACKETS.match(text)) and _words(text[brackets.end() :]) == _words(other) != []
        for text, other in ((src, tgt), (tgt, src))
    )


def _words(text: str) -> list[str]:
    return _WORDS.findall(text.casefold())
