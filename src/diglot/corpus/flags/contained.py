"""The flag ``contained``: one side is all of the other side, and goes on, or has a language in brackets before it; or
both sides are one label in two languages.

An entry left untranslated in a version, *rakonti – to tell* and *rakonti –*; an original with its translation
behind it; an option with the type of its value on one side alone; a title that a plug-in shows untranslated, with the
name of its language in front: *(Русский) Для прессы*. A word in front is no sign, for languages differ in articles,
unless it is in another script: *關於我們 About* and *About*. A label that is shown in both languages stands in another
order on the two pages: *Window poster Poster ffenestr* and *Poster ffenestr Window poster*.
"""

from __future__ import annotations

import re
from unicodedata import name

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Mask
from diglot.corpus.flags.codes import codes_of, encode, stack
from diglot.corpus.flags.context import confirm
from diglot.corpus.flags.repeats import without_marks_and_blanks

_EDGE = 2
"""Number of first or last letters. They are equal if one side begins or ends with the other."""
_IN_FRONT = r"^\s*[(\[（【][^()\[\]（）【】]{1,30}[)\]）】]"
"""Brackets in front of a text (RE2 and Python)."""
_BRACKETS = re.compile(_IN_FRONT)
_LEAST_WORDS = 4
"""Least words of a label in two languages. *LoadFile Directive* and *Directive LoadFile* are translations."""
_WORDS = re.compile(r"[^\W_]+(?:['’\-‑][^\W_]+)*")
"""Words with all joined endings: *Google'da*."""


def are_contained(pairs: pa.Table) -> Mask:
    """:func:`is_contained` of pairs of texts, ``src`` and ``tgt``, as a mask."""
    # The texts of a page stand beside those of several languages, and are looked at once.
    texts, places = encode(stack(pairs["src"], pairs["tgt"]))
    src, tgt = places.reshape(2, -1)
    lower = pc.utf8_lower(texts)
    letters = without_marks_and_blanks(lower)
    is_fronted = pc.match_substring_regex(lower, _IN_FRONT)
    rest = pc.replace_substring_regex(lower.filter(is_fronted), _IN_FRONT, "")
    behind = pc.replace_with_mask(letters, is_fronted, without_marks_and_blanks(rest))
    begin, begin_behind = np.split(
        codes_of(pa.chunked_array([_slice(each, 0, _EDGE) for each in (letters, behind)])), 2
    )
    end = codes_of(pa.chunked_array([_slice(letters, -_EDGE, None)]))
    size, size_behind = (pc.utf8_length(each).to_numpy() for each in (letters, behind))
    may_be = (
        (size[src] == size[tgt])
        | (end[src] == end[tgt])
        | (begin[src] == begin[tgt])
        | (begin_behind[src] == begin[tgt])
        | (begin[src] == begin_behind[tgt])
        # A text of one letter may share any.
        | (np.minimum(size[src], size[tgt]) == 1)
        | (np.minimum(size_behind[src], size[tgt]) == 1)
        | (np.minimum(size[src], size_behind[tgt]) == 1)
    )
    return confirm(np.asarray(may_be, bool), pairs, is_contained)


def _slice(texts: pa.Array, start: int, stop: int | None) -> pa.Array:
    return pc.utf8_slice_codeunits(texts, start, stop)


def is_contained(src: str, tgt: str) -> bool:
    """Whether one text begins with all words of the other and has more, or is the other behind brackets or behind words
    in another script; or both are two equal parts in another order.

    >>> is_contained("rakonti – to tell", "rakonti –"), is_contained("Sockets", "Les sockets")
    (True, False)
    >>> is_contained("Для прессы", "(Русский) Для прессы"), is_contained("(a) Yes", "(b) Yes")
    (True, False)
    >>> is_contained("關於我們 About", "About"), is_contained("LoadFile Directive", "Directive LoadFile")
    (True, False)
    """
    shorter, longer = sorted((_words(src), _words(tgt)), key=len)
    if 0 < len(shorter) < len(longer):
        rest = longer[: -len(shorter)]
        if longer[: len(shorter)] == shorter or (longer == rest + shorter and _are_other_scripts(rest, shorter)):
            return True
    half = len(longer) // 2
    if len(shorter) == len(longer) == 2 * half >= _LEAST_WORDS and shorter[half:] + shorter[:half] == longer != shorter:
        return all(any(map(str.isalpha, "".join(part))) for part in (longer[:half], longer[half:]))
    return any(
        (brackets := _BRACKETS.match(text)) and _words(text[brackets.end() :]) == _words(other) != []
        for text, other in ((src, tgt), (tgt, src))
    )


def _are_other_scripts(words: list[str], others: list[str]) -> bool:
    """Whether all letters of the words are Latin and none of the others, or the other way round."""
    latin, other_latin = (
        {"LATIN" in name(char, "") for char in "".join(side) if char.isalpha()} for side in (words, others)
    )
    return len(latin) == len(other_latin) == 1 and latin != other_latin


def _words(text: str) -> list[str]:
    return _WORDS.findall(text.casefold())
