"""Joins the lines of a paragraph: hyphens taken out or kept, blanks between words, none between ideographs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from diglot.documents.pdf.letters import is_ideograph
from diglot.documents.pdf.lines import Line

HYPHENATES = 0.02
"""Least share of lines that end with a hyphen in a document that divides words; compounds alone end fewer lines."""
SURE = 2
"""Least ratio of compounds to divided words for keeping a hyphen between two words without other evidence."""
WORD_BEFORE, WORD_AFTER = 3, 5
"""Least letters of these two words."""
TAIL = 300
"""Last letters of a text that decide how the next line is joined: a long address."""
_WORD = re.compile(r"\w+(?:[-‐]\w+)*")
_LAST_WORD = re.compile(r"\b(\w+)[-‐]$")
_FIRST_WORD = re.compile(r"\w+")
_FIRST_COMPOUND = re.compile(r"[\w-]*\w")
_SUSPENDED = re.compile(r"\b(\w+)- (\w+)")
_ADDRESS = re.compile(r"(?:https?://|ftp://|www\.)\S*$")
_FOLDER_START = re.compile(r"(?:^|[(\"'])(?:\w+://|www\.|/)")
_LONE_SLASH = re.compile(r"(?:^|\s)/$")
_WORD_ALONE = re.compile(r"([a-zà-ɏ]+)[.,;:)]*(?:\s|$)")
_MID_ADDRESS = re.compile(r"[/.\-_=&%?#~+,:@]")
_STOPS = "、。，．"
_AFTER_STOP = re.compile(rf"[{_STOPS}]( ?)[^ ]")
_FIRST_WIDE = "\u3000"
_WIDE = r"[\u3040-\u30ff\u4e00-\u9fff]"
_MIXED = re.compile(rf"{_WIDE}( ?)[A-Za-z0-9]|[A-Za-z0-9]( ?){_WIDE}")


@dataclass(frozen=True)
class Words:
    """Words of a document, by its lines.

    ``seen``: words inside of lines, in lower case, with their counts; ``written``: words and parts of compounds as they
    are written; ``compounds``: whether a hyphen at the end of a line between two such words mostly belongs to a
    compound; ``suspended``: pairs of a word before a hyphen and blank, and the word behind; ``divides``: whether the
    document divides words at line ends; ``soft``: whether it does so with U+2010; ``spaced``: whether it has blanks
    between ideographs and Latin letters; ``spaced_stops``: whether it has them after commas and stops of ideographs.
    """

    seen: Counter[str]
    written: frozenset[str]
    compounds: bool
    suspended: frozenset[tuple[str, str]]
    divides: bool
    soft: bool
    spaced: bool
    spaced_stops: bool


def words_of(lines: Iterable[Line]) -> Words:
    """Words of the lines, without a first or last word of a line that may be half a word."""
    seen: Counter[str] = Counter()
    divided: list[tuple[str, str]] = []
    last = ""
    suspended: set[tuple[str, str]] = set()
    ends = count = mixed = blanks = soft = inside = stops = after_stops = 0
    for line in lines:
        text = line.text
        count += 1
        ends += line.hyphen or (text.endswith(("-", "‐")) and _LAST_WORD.search(text) is not None)
        soft += text.endswith("‐")
        inside += "‐" in text[:-1]
        inner = text[text.find(" ") :] if last else text
        if last:
            divided.append((last, text))
        last = text if line.hyphen or text.endswith(("-", "‐")) else ""
        seen.update(_WORD.findall(inner[: inner.rfind(" ") + 1] if last else inner))
        if "- " in text:
            suspended.update((a.lower(), b.lower()) for a, b in _SUSPENDED.findall(text))
        if max(text, default="") >= _FIRST_WIDE:
            for before, after in _MIXED.findall(text):
                mixed += 1
                blanks += bool(before or after)
            stops += len(found := _AFTER_STOP.findall(text))
            after_stops += sum(map(bool, found))
    written = frozenset(part for word in seen for part in (word.split("-") if "-" in word else (word,)))
    lower: Counter[str] = Counter()
    for word, times in seen.items():
        lower[word.lower()] += times
    return Words(
        lower,
        written,
        _keeps_hyphens(divided, lower, written),
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
        text = text[:-TAIL] + _join(text[-TAIL:], line.text, words) if text else line.text
    return text


def _keeps_hyphens(divided: Iterable[tuple[str, str]], seen: Counter[str], written: frozenset[str]) -> bool:
    """Whether two words of a document, divided by a hyphen at the end of a line, are mostly a compound."""
    compounds = wholes = 0
    for before, after in divided:
        first, second = _LAST_WORD.search(before), _FIRST_WORD.match(after)
        if first and second and _are_words(first[1], second[0], written):
            whole, compound = seen[(first[1] + second[0]).lower()], seen[f"{first[1]}-{second[0]}".lower()]
            compounds += compound > whole
            wholes += whole > compound
    return compounds > SURE * wholes


def _are_words(first: str, second: str, written: frozenset[str]) -> bool:
    """Whether both sides of a hyphen are words by themselves, and no short ones: "in-form" and "con-text" are one."""
    return len(first) >= WORD_BEFORE and len(second) >= WORD_AFTER and first in written and second in written


def _join(before: str, after: str, words: Words) -> str:
    if not after:
        return before
    divided = _LAST_WORD.search(before) if before.endswith(("-", "‐")) else None
    following = _FIRST_WORD.match(after)
    if divided and following:
        return _at_hyphen(before, divided[1], after, following[0], words)
    wide = is_ideograph(before[-1]), is_ideograph(after[0])
    if before[-1] in "-‐/" and not wide[1]:
        return before + " " * _is_apart(before, after, words) + after
    if before[-1] in _STOPS:
        return before + " " * words.spaced_stops + after
    if all(wide) or (any(wide) and not words.spaced):
        return before + after
    if _ADDRESS.search(before) and (_MID_ADDRESS.match(after) or before[-1] in "_=&%?#~"):
        return before + after
    return f"{before} {after}"


def _is_apart(before: str, after: str, words: Words) -> bool:
    """Whether a blank follows a hyphen or slash that ends a line; it may be cut inside of "c->next" and "and/or"."""
    if _ends_in_folder(before):
        word = _WORD_ALONE.match(after)
        return word is not None and words.seen[word[1]] > 1
    if _LONE_SLASH.search(before):
        return "/" not in after.split(maxsplit=1)[0]
    return not before[-2:-1].strip()


def _ends_in_folder(line: str) -> bool:
    """Whether the last word of a line is an address or a path that ends in a slash."""
    # Looked for in the last word alone: a pattern over the whole line takes time in its square.
    return line.endswith("/") and _FOLDER_START.search(line.split()[-1][:-1]) is not None


def _last_compound(line: str) -> str:
    """The letters, digits and hyphens at the end of a line, without the hyphen that ends it; "" for another end."""
    if not line.endswith(("-", "‐")):
        return ""
    start = len(line) - 1
    while start and (line[start - 1].isalnum() or line[start - 1] in "_-"):
        start -= 1
    return line[start:-1]


def _at_hyphen(before: str, first: str, after: str, second: str, words: Words) -> str:
    if (first.lower(), second.lower()) in words.suspended:
        return f"{before} {after}"
    if not _divides(before, first, after, second, words):
        return before + after
    return before[:-1] + after


def _divides(before: str, first: str, after: str, second: str, words: Words) -> bool:
    """Whether the hyphen stands for a division of one word, and goes."""
    if words.soft:
        return before.endswith("‐")
    if _ADDRESS.search(before):
        return False
    two = _FIRST_COMPOUND.match(after)
    for left, right in ((_last_compound(before) or first, two[0] if two else second), (first, second)):
        whole, compound = words.seen[(left + right).lower()], words.seen[f"{left}-{right}".lower()]
        if whole != compound:
            return whole > compound
    if not second[0].islower() or any(map(str.isdigit, first + second)) or not _same_script(first, second):
        return False
    if before[: -len(first) - 1].endswith(("-", "‐")):  # the second hyphen of a compound of three words
        return False
    if len(first) == 1 or len(second) == 1:  # "t-il": no program leaves one letter alone
        return False
    if words.compounds and _are_words(first, second, words.written):
        return False
    return words.divides


def _same_script(first: str, second: str) -> bool:
    return (ord(first[-1]) < 0x370) == (ord(second[0]) < 0x370)
