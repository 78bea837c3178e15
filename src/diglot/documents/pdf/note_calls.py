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
_BEFORE_EXPONENT = re.compile(r"(?<![^\W\d_])[^\W\d_]{1,2}[)\]]*$|[(\[][^\W\d_]{1,4}$")
"""What may stand before an exponent: a word of one or two letters, as "x" and "km", or a short one behind a bracket."""


def leave_out_calls(lines: Sequence[Line]) -> None:
    """Take the calls of notes out of the lines of a page; a note stands lower, in smaller letters, and has one call.

    A number above figures may be the call, too: it stays, and so does each other number like it.
    """
    if not any(line.calls for line in lines):
        return
    raised = Counter(number for line in lines for number in line.raised)
    notes = [(found[1], line) for line in lines if (found := _NOTE.match(line.text)) and not line.calls]
    for line in lines:
        if line.calls and all(
            raised[number] == 1 and not _BEFORE_EXPONENT.search(before) and _has_note(line, number, notes)
            for number, before in line.calls
        ):
            line.text = line.without_calls


def _has_note(line: Line, number: str, notes: Sequence[tuple[str, Line]]) -> bool:
    return any(
        number == of and note.baseline < line.baseline and note.size <= SMALLER * line.size for of, note in notes
    )
