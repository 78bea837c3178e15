"""Texts in which a translating machine got stuck: a syllable or a phrase over and over."""

from __future__ import annotations

import re

LEAST_TIMES = 4
"""Least repetitions in a row: calls and songs repeat a syllable or a word three times (*ha ha ha*)."""
# A unit has two different characters: one letter is drawn out by people (*nooooo*), and "xxxx" is a blank to fill in.
_UNIT = r"[^\W\d_][^\s\d_.,;:!?\-]{1,3}?"
_SYLLABLE = re.compile(rf"(?=(.)(?!\1))({_UNIT})\2{{{LEAST_TIMES - 1},}}")
_MARKS = re.compile(r"[.,;:!?]")
_PHRASE = re.compile(rf"(?<!\S)(?=\S*[^\W\d_])(\S+(?: \S+){{0,3}}?)(?: \1){{{LEAST_TIMES - 1},}}(?!\S)")


def is_nonsense(src: str, tgt: str) -> bool:
    """Whether one side alone repeats a syllable, or up to four words, :data:`LEAST_TIMES` times in a row.

    >>> is_nonsense("Begin today", "आरईसीसीसीसी असफल"), is_nonsense("Ha ha ha ha!", "Hahahaha !")
    (True, False)
    """
    return _repeats(src) != _repeats(tgt)


def _repeats(text: str) -> bool:
    return bool(_SYLLABLE.search(text.casefold()) or _PHRASE.search(_MARKS.sub("", text.casefold())))
