"""The flag ``contained``: one side is all of the other side, and goes on.

An entry left untranslated in a version, *rakonti – to tell* and *rakonti –*; an original with its translation
behind it; an option with the type of its value on one side alone. A word in front is no sign: languages differ in
articles.
"""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Mask
from diglot.corpus.flags.context import confirm

_FIRST = 3
"""First letters of both sides, the same where one side begins with the other."""
_WORDS = re.compile(r"[^\W_]+(?:['’\-‑][^\W_]+)*")
"""Words with all joined endings: *Google'da*."""


def are_contained(pairs: pa.Table) -> Mask:
    """Mask of pairs of texts, ``src`` and ``tgt``, in which one text begins with all words of the other and goes on."""
    begins = [
        pc.utf8_slice_codeunits(pc.utf8_lower(pc.replace_substring_regex(pairs[side], r"^[^\pL\pN]+", "")), 0, _FIRST)
        for side in ("src", "tgt")
    ]
    return confirm(np.asarray(pc.equal(*begins).to_numpy(), bool), pairs, is_contained)


def is_contained(src: str, tgt: str) -> bool:
    """Whether one text begins with all words of the other and has more.

    >>> is_contained("rakonti – to tell", "rakonti –"), is_contained("Sockets", "Les sockets")
    (True, False)
    """
    shorter, longer = sorted((_WORDS.findall(side.casefold()) for side in (src, tgt)), key=len)
    return 0 < len(shorter) < len(longer) and longer[: len(shorter)] == shorter
