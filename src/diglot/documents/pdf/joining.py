"""Joins the lines of a paragraph: hyphens taken out or kept, blanks between words, none between ideographs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from diglot.documents.pdf.letters import is_ideograph
from diglot.documents.pdf.lines import Line

HYPHENATES = 0.02
"""Share of lines that end with a hyphen in a document that divides words; compounds alone end less lines."""
_WORD = re.compile(r"\w+(?:[-‐]\w+)*")
_LAST_WORD = re.compile(r"\b(\w+)[-‐]$")
_FIRST_WORD = re.compile(r"\w+")
_SUSPENDED = re.compile(r"\b(\w+)- (\w+)")
_ADDRESS = re.compile(r"(?:https?://|ftp://|www\.)\S*$")
_MID_ADDRESS = re.compile(r"[/.\-_=&%?#~+,:@]")
_STOPS = "、。，．"
_AFTER_STOP = re.compile(rf"[{_STOPS}]( ?)[^ ]")
_WIDE = r"[\u3040-\u30ff\u4e00-\u9fff]"
_MIXED = re.compile(rf"{_WIDE}( ?)[A-Za-z0-9]|[A-Za-z0-9]( ?){_WIDE}")


@dataclass(frozen=True)
class Words:
    """What the lines of a document tell about its words.

    ``seen``: words inside of lines, in lower case, with their counts; ``suspended``: word and the word after a hyphen
    and a blank; ``divides``: whether the document divides words at line ends; ``soft``: whether it has a sign of its
    own for that, U+2010; ``spaced``: whether it has blanks between ideographs and Latin letters, ``spaced_stops``:
    after the commas and stops of ideographs.
    """

    seen: Counter[str]
    suspended: frozenset[tuple[str, str]]
    divides: bool
    soft: bool
    spaced: bool
    spaced_stops: bool


def words_of(lines: Iterable[Line]) -> Words:
    """Words of the lines; the first and last of each line are left out, where they may be halves."""
    seen: Counter[str] = Counter()
    suspended: set[tuple[str, str]] = set()
    ends = count = mixed = blanks = soft = inside = stops = after_stops = 0
    for line in lines:
        text = line.text
        count += 1
        ends += line.hyphen or _LAST_WORD.search(text) is not None
        soft += text.endswith("‐")
        inside += "‐" in text[:-1]
        inner = text if not line.hyphen else text[: text.rfind(" ") + 1]
        seen.update(word.lower() for word in _WORD.findall(inner))
        if "- " in text:
            suspended.update((a.lower(), b.lower()) for a, b in _SUSPENDED.findall(text))
        if not text.isascii():
            for before, after in _MIXED.findall(text):
                mixed += 1
                blanks += bool(before or after)
            stops += len(found := _AFTER_STOP.findall(text))
            after_stops += sum(map(bool, found))
    return Words(
        seen,
        frozenset(suspended),
        ends >= max(HYPHENATES * count, 3),
        soft > 2 * inside,
        2 * blanks > mixed,
        2 * after_stops > stops,
    )


def join_lines(lines: Sequence[Line], words: Words) -> str:
    """The lines as one text."""
    text = ""
    for line in lines:
        text = _join(text, line.text, words) if text else line.text
    return text


def _join(before: str, after: str, words: Words) -> str:
    if not after:
        return before
    divided = _LAST_WORD.search(before)
    following = _FIRST_WORD.match(after)
    if divided and following:
        return _at_hyphen(before, divided[1], after, following[0], words)
    if before[-1] in "-‐/" and before[-2:-1].strip():  # a line may be cut inside of "c->next" and "and/or"
        return before + after
    if before[-1] in _STOPS:
        return before + " " * words.spaced_stops + after
    wide = is_ideograph(before[-1]), is_ideograph(after[0])
    if all(wide) or (any(wide) and not words.spaced):
        return before + after
    if _ADDRESS.search(before) and (_MID_ADDRESS.match(after) or before[-1] in "/-_=&%?#~"):
        return before + after
    return f"{before} {after}"


def _at_hyphen(before: str, first: str, after: str, second: str, words: Words) -> str:
    if (first.lower(), second.lower()) in words.suspended:
        return f"{before} {after}"
    if not _divides(before, first, second, words):
        return before + after
    return before[:-1] + after


def _divides(before: str, first: str, second: str, words: Words) -> bool:
    """Whether the hyphen stands for a division of one word, and goes."""
    if words.soft:
        return before.endswith("‐")
    whole, compound = words.seen[(first + second).lower()], words.seen[f"{first}-{second}".lower()]
    if whole != compound:
        return whole > compound
    if not second[0].islower() or any(map(str.isdigit, first + second)) or not _same_script(first, second):
        return False
    if before[: -len(first) - 1].endswith(("-", "‐")):  # the second hyphen of a compound of three words
        return False
    return words.divides


def _same_script(first: str, second: str) -> bool:
    return (ord(first[-1]) < 0x370) == (ord(second[0]) < 0x370)
