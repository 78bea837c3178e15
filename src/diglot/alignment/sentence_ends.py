"""Ends of sentences by the rules of yasbd: of its patterns, those run that may have a say about a text.

yasbd runs some fifteen patterns over every text. A text without a mark inside that may end a sentence needs none. Most
ends follow a word that none of the patterns about abbreviations, initials and numbers can match, and what one of them
matches before an end is seen by asking them there. Wherever that is not so, yasbd decides about the whole text: the
ends are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

_WITHOUT_MARK = frozenset(("my", "th"))
"""Languages whose sentences may end without a mark."""
_AFTER_PART = frozenset(("bn", "hi", "kk", "ml", "mr"))
"""Languages whose rules about full stops look at parts of words, or at words that no list holds."""
_UNICASE = "ªº\u01bb\u01c0-\u01c3\u0294-\U0010ffff"
"""All letters without case, and others: a mark behind one is an end whatever follows."""
_EAST_ASIAN_ENDS = "。！？।"
"""Marks that yasbd takes in any language."""
_TAG = r"(?:</?\w{0,6}>)?"
_NOT_CLOSING = r"\sA-Za-z0-9!.?,;:/\-_+*=<>&%#@~^|\\$(\[{"
"""Characters behind a mark beside it that are no reason to take it for an end."""
_LIST_MARK = re.compile(r"(?:^|\s)(?:[-*+]|(?:\d{1,2}|[a-eα-εа-е])[.．。။।॥·•∙⋅)]{1,2})(?=\s)", re.IGNORECASE)
"""What may be the mark of an item; a text with two may be a list without its line breaks, if it begins with one or a
colon announces them."""
_BULLETS = ("•", "◦")
_BEFORE_ENDS = (
    *("TITLE_ABBRVS", "DOTTED_GEOPOL_ABBRVS", "CORP_ENTITY_ABBRVS", "REFERENCE_ABBRVS", "DATE_ABBRVS"),
    *("INLINE_ONLY_ABBRVS", "STREET_ABBRVS"),
)
"""Names of yasbd's lists of what may stand before a full stop that is no end."""
_SECTIONS = "SECTION_MARKERS"
"""Such a list in Lithuanian; elsewhere of what stands before a number."""
_BETWEEN_WORDS = re.compile(r"[\W_]")
_LEAST_LETTERS = 2
"""Of a word that is no initial."""
_ROMAN = frozenset("IVXLCDM")
_SUFFIXES = ("No", "Nos", "Para")
"""Abbreviations that yasbd finds in Spanish at the end of any word."""
_TURKIC = frozenset("ıİ")
"""Letters that patterns take for an i and casefold does not."""
_CLOSING = frozenset(')]}»”"%>')


@dataclass(frozen=True)
class Rule:
    """The rules of a language: ``known`` is an object of yasbd's class for it."""

    lang: str
    known: Any

    def ends(self, text: str) -> list[int]:
        """Offsets at which sentences end, the ends of the text perhaps among them; ``text`` has single blanks alone for
        white space."""
        text = text.rstrip()
        if self.lang in _WITHOUT_MARK:
            found: list[int] = self.known.apply(text, True)
            return found
        starts = [match.start() for match in self._candidates.finditer(text)]
        is_list = _has_marks(text)
        if not starts and not is_list:
            return []
        ends = None if is_list or self._has_leaders(text) else self._told_ends(text, starts)
        found = self.known.apply(text, True) if ends is None else ends
        return found

    def _has_leaders(self, text: str) -> bool:
        """Whether the text may be a line of a table of contents."""
        return "..." in text and self.known.TOC_LEADER_FINDER.search(text) is not None

    def _told_ends(self, text: str, starts: Iterable[int]) -> list[int] | None:
        """The ends where they are easily told, else None. ``starts``: places of what may be an end."""
        finder = self.known.CANDIDATE_BOUNDARY_FINDER
        matches = finder.finditer(text) if self._other.search(text) else (finder.match(text, place) for place in starts)
        ends = []
        for match in matches:
            end = match.end() if match else len(text)
            if end == len(text) or not (is_end := self._is_end(text, end)):
                if end < len(text) and is_end is None:
                    return None
                continue
            ends.append(end)
        return self._without_quoted(text, ends)

    def _is_end(self, text: str, end: int) -> bool | None:
        """Whether a mark before this place is an end by yasbd's patterns for what is none; None where all have to run.

        Where no abbreviation has a full stop and a blank inside, two matches of a pattern do not overlap before a
        blank: one that begins with the word before the mark is found wherever the search begins.
        """
        mark = text[end - 1]
        if mark != ".":
            return True if mark in self.known.TERMINATORS and mark not in "．!！‼" else None
        if self.lang in _AFTER_PART or text[end] != " " or text[end + 2 : end + 3] == ".":
            return None
        start = end - 1
        while start > 0 and text[start - 1].isalpha():
            start -= 1
        word, before = text[start : end - 1], text[start - 1 : start]
        if not word:
            return True if before in _CLOSING else None
        if self._is_plain(word, before):
            return True
        if self._has_compounds or word.casefold() in self._streets or before not in ("", " "):
            return None
        is_matched = any(
            (match := pattern.match(text, start)) and match.end() == end
            for pattern in self.known.MID_SENTENCE_FINDER_LST
        )
        return False if is_matched else None

    def _is_plain(self, word: str, before: str) -> bool:
        """Whether none of the patterns can match a full stop behind a word; ``before``: the character before it."""
        return (
            len(word) >= _LEAST_LETTERS
            and not before.isalnum()
            and not (len(word) == _LEAST_LETTERS and word.isupper())
            and not word.endswith(_SUFFIXES)
            and not _ROMAN.issuperset(word)
            and _TURKIC.isdisjoint(word)
            and word.casefold() not in self._abbreviations
        )

    def _without_quoted(self, text: str, ends: list[int]) -> list[int]:
        """The ends without those inside quotations and brackets, and with those behind such."""
        spans = [match.span() for match in self.known.QUOTE_AND_PAREN_FINDER.finditer(text)]
        if not any(end > start + 1 for start, end in spans):
            return ends
        if self._closed.search(text):
            ends = ends + [match.end() for match in self.known.QUOTE_AND_PAREN_END_FINDER.finditer(text)]
        return sorted({place for place in ends if not any(start < place < end for start, end in spans)})

    @cached_property
    def _marks(self) -> tuple[str, str]:
        """The marks that end sentences, of ASCII and others, for a character class of :mod:`re`."""
        marks = {*self.known.TERMINATORS, *_EAST_ASIAN_ENDS}
        plain, other = ("".join(sorted(mark for mark in marks if mark.isascii() == ascii)) for ascii in (True, False))
        return re.escape(plain or "!"), re.escape(other)

    @cached_property
    def _candidates(self) -> re.Pattern[str]:
        """What may be an end that is not the text's."""
        plain, other = self._marks
        followed = rf"[{plain}](?={_TAG}(?: [^a-z ]|[^{_NOT_CLOSING}]))"
        return re.compile(rf"{followed}|[{other}](?=.)|[{_UNICASE}] ?[{plain}{other}]{_TAG} ?(?=[^ ])")

    @cached_property
    def _other(self) -> re.Pattern[str]:
        """Characters by which yasbd finds an end from before its mark."""
        return re.compile(f"[{_UNICASE}] ?[{''.join(self._marks)}]|[{self._marks[1]}]")

    @cached_property
    def _closed(self) -> re.Pattern[str]:
        """A mark with what may close a quotation behind it."""
        return re.compile(rf"[{''.join(self._marks)}]{_TAG}(?: ?[^\w{_NOT_CLOSING}]|['\"`])")

    @cached_property
    def _abbreviations(self) -> frozenset[str]:
        """Last words of what may stand before a full stop that is no end."""
        return self._last_words((*_BEFORE_ENDS, _SECTIONS) if self.lang == "lt" else _BEFORE_ENDS)

    @cached_property
    def _streets(self) -> frozenset[str]:
        """Abbreviations that are an end nevertheless where a sentence seems to begin behind them."""
        return self._last_words(("STREET_ABBRVS",))

    @cached_property
    def _has_compounds(self) -> bool:
        return any(". " in entry for name in _BEFORE_ENDS for entry in getattr(self.known, name, ()))

    def _last_words(self, names: Iterable[str]) -> frozenset[str]:
        lists = (getattr(self.known, name, ()) for name in names)
        return frozenset(_BETWEEN_WORDS.split(entry.casefold())[-1] for entries in lists for entry in entries)


def _has_marks(text: str) -> bool:
    """Whether the text may be a list without its line breaks."""
    first = _LIST_MARK.search(text)
    if first is None or not (":" in text or first.start() == 0 or text.startswith(_BULLETS)):
        return False
    return _LIST_MARK.search(text, first.end()) is not None
