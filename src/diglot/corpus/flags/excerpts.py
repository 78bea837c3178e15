"""The flag ``excerpt``: one side is cut short, and the site has the whole text elsewhere.

Lists of articles show how titles and texts begin, up to a number of letters or words: "How to grow roses in your...".
Each language is cut at another place, so that two excerpts hardly ever say the same.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Mask
from diglot.corpus.flags.codes import rows_by_code
from diglot.corpus.flags.context import Context

LEAST_BEGINNING = 20
"""Least characters of a beginning that is no chance: *Search...* and *Search results* share one."""
MOST_ALIKE = 100
"""Most texts with the same beginning to look at, so that no site takes time quadratic in its texts."""
_CUT = r"(?:\.\.\.|…)[\])]?\s*$"
"""Mark of a cut text, at its end (RE2)."""
_SENTENCE_END = re.compile(r"[.!?。！？؟।]\s+")


def has_excerpt(context: Context) -> Mask:
    """Mask of rows with a side that is the beginning of a longer text of its site and language, shape (rows,)."""
    texts, found = context.texts.values, np.zeros(context.segments.num_rows, bool)
    is_cut = pc.match_substring_regex(texts, _CUT).to_numpy(zero_copy_only=False)
    if not is_cut.any():
        return found
    for rows in rows_by_code(context.peers):
        for side in context.texts.sides[:, rows]:
            if is_cut[side].any():
                # Texts are numbered in ascending order.
                here, place = np.unique(side, return_inverse=True)
                found[rows] |= _are_excerpts(texts.take(pa.array(here)).to_pylist(), is_cut[here])[place]
    return found


def _are_excerpts(texts: Sequence[str], is_cut: Mask) -> Mask:
    """Mask of the cut texts with a longer text among ``texts``, which are sorted; shape (texts,)."""
    return np.array([cut and _has_longer(texts, text) for text, cut in zip(texts, is_cut.tolist(), strict=True)], bool)


def _has_longer(texts: Sequence[str], cut: str) -> bool:
    """Whether one of the texts, which are sorted, begins as a cut text does and goes on with letters or digits."""
    return any(
        _goes_on(texts[place], beginning)
        for beginning in beginnings_of(cut)
        for place in _places_from(texts, beginning)
    )


def _places_from(texts: Sequence[str], beginning: str) -> range:
    """Places of the sorted texts from a beginning on: those that begin so come first."""
    start = bisect_left(texts, beginning)
    return range(start, min(start + MOST_ALIKE, len(texts)))


def _goes_on(text: str, beginning: str) -> bool:
    return text.startswith(beginning) and any(map(str.isalnum, text[len(beginning) :]))


def beginnings_of(text: str) -> list[str]:
    """Possible beginnings of the whole text: the cut text without its mark, and its last sentence alone.

    Both only if they have :data:`LEAST_BEGINNING` characters.

    >>> beginnings_of("Spring is here. How to grow roses in your [...]")
    ['Spring is here. How to grow roses in your', 'How to grow roses in your']
    """
    whole = text.rstrip(" ])").rstrip(".…").rstrip(" [(")
    return [each for each in dict.fromkeys((whole, _SENTENCE_END.split(whole)[-1])) if len(each) >= LEAST_BEGINNING]
