"""Texts in which a translating machine got stuck: a syllable, a phrase or a sentence over and over."""

from __future__ import annotations

import re

LEAST_TIMES = 4
"""Least repetitions in a row: calls and songs repeat a syllable or a word three times (*ha ha ha*)."""
# A unit has two different characters: one letter is drawn out by people (*nooooo*), and "xxxx" is a blank to fill in.
_UNIT = r"[^\W\d_][^\s\d_.,;:!?\-]{1,3}?"
_SYLLABLE = re.compile(rf"(?=(.)(?!\1))({_UNIT})\2{{{LEAST_TIMES - 1},}}")
_MARKS = re.compile(r"[.,;:!?]")
MOST_REPEATED, LEAST_REPEATED = 0.25, 0.45
"""Share of a text that repeats other parts of it: at most, and at least where a machine got stuck. A text of 21 letters
said twice has .45, a longer one nearly half, as the parts across the middle are new."""
LEAST_CHARS = 40
"""Least letters and blanks of a text with a share of repeated parts: names of functions say a word twice."""
_PART_CHARS = 4
"""Letters of a part: shorter ones repeat in any text (Welleck et al. 2020 count runs of four words)."""
_DRAWN_OUT = re.compile(r"(.)\1+")
_BETWEEN_WORDS = re.compile(r"[\W\d_]+")
_PHRASE = re.compile(rf"(?<!\S)(?=\S*[^\W\d_])(\S+(?: \S+){{0,3}}?)(?: \1){{{LEAST_TIMES - 1},}}(?!\S)")


def is_nonsense(src: str, tgt: str) -> bool:
    """Whether one side alone repeats a syllable, or up to four words, :data:`LEAST_TIMES` times in a row, or says half
    of its text twice.

    >>> is_nonsense("Begin today", "आरईसीसीसीसी असफल"), is_nonsense("Ha ha ha ha!", "Hahahaha !")
    (True, False)
    """
    if _repeats(src) != _repeats(tgt):
        return True
    less, more = sorted(map(repeated_share, (src, tgt)))
    return less <= MOST_REPEATED and more >= LEAST_REPEATED


def repeated_share(text: str) -> float:
    """Share of the parts of four letters that repeat an earlier part, in [0, 1); 0 for a short text."""
    # A letter drawn out is one letter, as in a blank to fill in.
    text = _DRAWN_OUT.sub(r"\1", _BETWEEN_WORDS.sub(" ", text.casefold()))
    if len(text) < LEAST_CHARS:
        return 0.0
    parts = list(zip(*(text[place:] for place in range(_PART_CHARS)), strict=False))
    return 1 - len(set(parts)) / len(parts)


def _repeats(text: str) -> bool:
    return bool(_SYLLABLE.search(text.casefold()) or _PHRASE.search(_MARKS.sub("", text.casefold())))
