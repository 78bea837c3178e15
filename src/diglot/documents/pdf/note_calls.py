"""Calls of notes are left out of the text: "as amended in 2012.³" is the sentence without the number above the line.

A segment has no note, office documents are read without these numbers, and a number behind a full stop hides the end
of the sentence. Exponents and units (m²) look alike: a number is a call only where its note is on the page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from diglot.documents.pdf.lines import Line

SMALLER = 0.95
"""Largest size of a note, as a multiple of the size of the line with its call."""
_NOTE = re.compile(r"\(?(\d{1,3})[.)]?\s*[^\W\d_]")
"""The beginning of a note: its number, and a letter."""
_UNIT = re.compile(r"(?:\d\s?|/)[a-z\u00b5]{1,2}$")
"""What stands before an exponent of a unit."""


def leave_out_calls(lines: Sequence[Line]) -> None:
    """Take the calls of notes out of the lines of a page; a note stands lower, in smaller letters, and has one call."""
    calls = Counter(number for line in lines for number in line.calls)
    if not calls:
        return
    notes = [(found[1], line) for line in lines if (found := _NOTE.match(line.text)) and not line.calls]
    for line in lines:
        if line.calls and all(calls[number] == 1 and _has_note(line, number, notes) for number in line.calls):
            line.text = line.without_calls


def _has_note(line: Line, number: str, notes: Sequence[tuple[str, Line]]) -> bool:
    before = line.text[: line.text.rfind(number)].rstrip()
    return not _UNIT.search(before) and any(
        number == of and note.baseline < line.baseline and note.size <= SMALLER * line.size for of, note in notes
    )
