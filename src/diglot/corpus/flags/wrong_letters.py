"""The flag ``wrong_letters``: the text of a PDF is not what its page shows.

A PDF shows pictures of letters, and its fonts say which letters these are. Some fonts say it wrongly, for a few letters
or for all: *u=liza* where the page shows *utiliza*. Every reader of the file gets the same wrong text. It gives itself
away by signs that no writer sets; a font that is wrong gives many of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import pyarrow.compute as pc

from diglot.arrays import Mask
from diglot.corpus.flags.codes import codes_of
from diglot.corpus.flags.context import Context

LEAST_TEXTS = 3
"""Least number of texts of a document with a sign: one alone is a slip, or a text about signs."""
LEAST_SHARE = 0.2
"""Least share of long texts with a sign in a document whose text is not believed at all: a letter that turned into
another leaves no sign, and such a font has both kinds."""
LONG = 20
"""Least characters of a long text: a short one has room for few signs."""

_IDEOGRAPHS = "\u3040-\u30ff\u3400-\u9fff"
_STRANGE = re.compile(f"[{_IDEOGRAPHS}][\u0530-\u10ff\u1200-\u1eff\ue000-\uf8ff]{{1,2}}[{_IDEOGRAPHS}]")
"""Letters of the scripts from Armenian to Vietnamese, or of none, glued between ideographs: numbers of glyphs taken for
letters."""
_SIGN_IN_WORD = re.compile(r"[^\W\d_][=|^][^\W\d_]")
"""The number of a ligature in the font (*ti*, *fi*), read as the sign with the same number."""
_ENDING_INSIDE = re.compile(
    "[\u0629\u0649][\u0621-\u064a]|[\u064b-\u064d](?![\u0627\u0649](?![\u0621-\u064a]))[\u0621-\u064a]"
)
"""Teh marbuta or alef maksura before another letter: in Arabic both only end words. So does tanwin, which some fonts
name where the page has a blank; only a last alef may follow it."""
_LIST_MARK = re.compile(r"^\s*\w{1,3}\)|[:;]-?\)")


class Sign(NamedTuple):
    """A sign of wrong letters: ``has(text, other)`` is asked for a text and the text on the other side.

    ``lang``: language in which it is a sign, "" for all. ``alone``: hardly ever anything but wrong letters: each text
    with such a sign is flagged, if at least :data:`LEAST_TEXTS` texts of the document have one. Besides, signs of both
    kinds flag the whole document by their share (:data:`LEAST_SHARE`).
    """

    has: Callable[[str, str], bool]
    alone: bool = False
    lang: str = ""


@cache
def _rare_syllables() -> frozenset[str]:
    """Korean syllables that KS X 1001 does not have: modern Korean is written with the 2,350 of that standard."""
    syllables = map(chr, range(0xAC00, 0xD7A4))
    return frozenset(syllable for syllable in syllables if len(syllable.encode("euc_kr")) > 2)


def _has_unmatched_bracket(text: str, other: str) -> bool:
    return _closes_unopened(text) and not _closes_unopened(other)


def _closes_unopened(text: str) -> bool:
    text = _LIST_MARK.sub("", text)
    return text.count(")") > text.count("(")


SIGNS = (
    Sign(lambda text, other: _STRANGE.search(text) is not None, alone=True),
    Sign(lambda text, other: not _rare_syllables().isdisjoint(text), alone=True, lang="ko"),
    # Formulas and code stand on both sides.
    Sign(lambda text, other: bool(_SIGN_IN_WORD.search(text)) and not _SIGN_IN_WORD.search(other), alone=True),
    Sign(lambda text, other: _ENDING_INSIDE.search(text) is not None, lang="ar"),
    # A comma taken for a bracket; sentences torn out of brackets are torn on both sides.
    Sign(_has_unmatched_bracket),
)
"""All signs of wrong letters; a further sign is a further entry."""


def has_wrong_letters(context: Context) -> Mask:
    """Mask of rows with a side from a PDF whose letters are wrong, shape (rows,)."""
    found = np.zeros(context.segments.num_rows, bool)
    for side, other in (("src", "tgt"), ("tgt", "src")):
        of_pdf = pc.greater(context.segments[f"{side}_page"], 0).to_numpy()
        rows = np.flatnonzero(of_pdf & ~context.is_empty)
        if rows.size:
            found[rows] |= _are_wrong(context, rows, side, other)
    return found


def _are_wrong(context: Context, rows: np.ndarray, side: str, other: str) -> Mask:
    columns = (context.segments[name].take(rows).to_pylist() for name in (side, other, f"{side}_lang"))
    signs = np.array([_signs_of(*values) for values in zip(*columns, strict=True)], bool).reshape(-1, 2)
    has_any, has_sure = signs.T
    document = codes_of(context.segments[f"{side}_url"].take(rows))
    is_long = pc.greater_equal(pc.utf8_length(context.segments[side].take(rows)), LONG).to_numpy()
    long, signed = (np.bincount(document, mask) for mask in (is_long, is_long & has_any))
    is_lost = (signed >= LEAST_TEXTS) & (signed >= LEAST_SHARE * long)
    return np.asarray(is_lost[document] | has_sure & (np.bincount(document, has_sure) >= LEAST_TEXTS)[document], bool)


def _signs_of(text: str, other: str, lang: str) -> tuple[bool, bool]:
    """Whether a text has a sign, and whether it has a sign that is enough alone."""
    had = [sign.alone for sign in SIGNS if sign.lang in ("", lang) and sign.has(text, other)]
    return bool(had), any(had)
