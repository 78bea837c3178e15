"""Ends of sentences by the rules of yasbd: of its patterns, those run that may have a say about a text.

yasbd runs some fifteen patterns over every text. A text without a mark inside that may end a sentence needs none, and
most ends follow a word that none of the patterns about abbreviations, initials and numbers can match. Wherever that is
not so, yasbd decides about the whole text: the ends are the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

_WITHOUT_MARK = frozenset(("my", "th"))
"""Languages whose sentences may end without a mark."""
_AFTER_PART = frozenset(("bn", "hi", "ml", "mr"))
"""Languages whose rules about full stops look at parts of words."""
_UNICASE = "ªº\u01bb\u01c0-\u01c3\u0294-\U0010ffff"
"""All letters without case, and others: a mark behind one is an end whatever follows."""
_EAST_ASIAN_ENDS = "。！？।"
"""Marks that yasbd takes in any language."""
_TAG = r"(?:</?\w{0,6}>)?"
_LIST_MARK = re.compile(r"(?:^|\s)(?:[-*+]|\w{1,2}[.．。।။॥·•∙⋅)]{1,2})(?=\s)")
"""What may be the mark of an item; a text with two may be a list without its line breaks."""
_DECIDED_LATER = frozenset(("TERMINATORS", "COMMON_SENT_STARTERS", "POST_QUOTATIVE_PARTICLES", "REPORTING_WORDS"))
"""Words that stand behind an end, not before it."""
_LAST_WORD = re.compile(r"[^\W_]*$")
_LEAST_LETTERS = 2
"""Of a word that is no initial."""
_ROMAN = frozenset("IVXLCDM")
_SUFFIXES = ("No", "Nos", "Para")
"""Abbreviations that yasbd finds in Spanish at the end of any word."""
_TURKIC = frozenset("ıİ")
"""Letters that patterns take for an i and casefold does not."""
_CLOSING = frozenset(')]}»”"%')


@dataclass(frozen=True)
class Rule:
    """The rules of a language: ``known`` is an object of yasbd's class for it."""

    lang: str
    known: Any

    def ends(self, text: str) -> list[int]:
        """Offsets at which sentences end, the ends of the text perhaps among them; ``text`` has blanks alone for white
        space."""
        if not self._may_end_inside(text):
            return []
        text = text.rstrip()
        ends = self._plain_ends(text)
        found: list[int] = self.known.apply(text, True) if ends is None else ends
        return found

    def _may_end_inside(self, text: str) -> bool:
        if self.lang in _WITHOUT_MARK:
            return True
        return bool(self._candidates.search(text)) or _has_marks(text)

    def _plain_ends(self, text: str) -> list[int] | None:
        """The ends where they are easily told, else None."""
        if (
            self.lang in _WITHOUT_MARK
            or _has_marks(text)
            or ("..." in text and self.known.TOC_LEADER_FINDER.search(text))
        ):
            return None
        ends = [match.end() for match in self.known.CANDIDATE_BOUNDARY_FINDER.finditer(text)]
        if not all(end == len(text) or self._is_plain(text, end) for end in ends):
            return None
        return self._without_quoted(text, ends)

    def _is_plain(self, text: str, end: int) -> bool:
        """Whether none of yasbd's patterns for what is no end can match before this one."""
        mark = text[end - 1]
        if mark != ".":
            return mark in self.known.TERMINATORS and mark not in "．!！‼"
        if self.lang in _AFTER_PART or text[end] != " " or text[end + 2 : end + 3] == ".":
            return False
        start = end - 1
        while start > 0 and text[start - 1].isalpha():
            start -= 1
        word, before = text[start : end - 1], text[start - 1 : start]
        if not word:
            return before in _CLOSING
        return (
            len(word) >= _LEAST_LETTERS
            and not before.isalnum()
            and not (len(word) == _LEAST_LETTERS and word.isupper())
            and not word.endswith(_SUFFIXES)
            and not _ROMAN.issuperset(word)
            and _TURKIC.isdisjoint(word)
            and word.casefold() not in self._abbreviations
        )

    def _without_quoted(self, text: str, ends: Sequence[int]) -> list[int]:
        """The ends without those inside quotations and brackets, and with those behind such."""
        spans = [match.span() for match in self.known.QUOTE_AND_PAREN_FINDER.finditer(text)]
        if not any(end > start + 1 for start, end in spans):
            return list(ends)
        behind = (match.end() for match in self.known.QUOTE_AND_PAREN_END_FINDER.finditer(text))
        return sorted({place for place in (*ends, *behind) if not any(start < place < end for start, end in spans)})

    @cached_property
    def _candidates(self) -> re.Pattern[str]:
        """What may be an end that is not the text's."""
        marks = self.known.TERMINATORS
        plain = re.escape("".join(sorted(mark for mark in marks if mark.isascii())))
        other = re.escape("".join(sorted({*_EAST_ASIAN_ENDS, *(mark for mark in marks if not mark.isascii())})))
        closing = r"[^\sA-Za-z0-9!.?,;:/\-_+*=<>&%#@~^|\\$(\[{]"
        return re.compile(
            rf"[{plain or '!'}]{_TAG}(?:\s+[^a-z\s]|{closing})|[{other}].|[{_UNICASE}]\s*[{plain}{other}]{_TAG}\s*\S"
        )

    @cached_property
    def _abbreviations(self) -> frozenset[str]:
        """Last words of all that yasbd says of a language what may stand before a mark that is no end."""
        sets = (
            words
            for kind in type(self.known).__mro__
            for name, words in vars(kind).items()
            if isinstance(words, set | frozenset) and name not in _DECIDED_LATER
        )
        return frozenset(_LAST_WORD.findall(entry.casefold())[0] for words in sets for entry in words)


def _has_marks(text: str) -> bool:
    """Whether the text may be a list without its line breaks."""
    first = _LIST_MARK.search(text)
    return first is not None and _LIST_MARK.search(text, first.end()) is not None
