"""Standard streams as they may be given: closed, on a full disk, or read by somebody who has gone."""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import textwrap
from typing import TextIO

STANDARD = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))
"""Name and mode of the stream on each of the descriptors 0, 1, 2."""


_WORDS_BEGIN = re.compile(r" *[\d,]+  |diglot: |.{9} (?=\S)(?<! {10})| *")
"""What stands before the words of a line: a count, the name of a stage or of a part of the funnel, blanks."""


def open_streams() -> None:
    """Open the null device on each closed standard descriptor, and let all that is printed be UTF-8 in any locale.

    Otherwise the next file opened would get the number of a closed one, and a program started by us, or a message
    of some library, would write into it.
    """
    for descriptor, (name, mode) in enumerate(STANDARD):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number, and those below are taken
            os.set_inheritable(descriptor, True)
        if getattr(sys, name) is None:
            setattr(sys, name, open(descriptor, mode, encoding="utf-8", closefd=False))  # noqa: SIM115  for as long as we run
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")


def give_up_streams() -> None:
    """Let what can no longer be written go to the null device, or Python would complain of it as it ends."""
    for stream in filter(None, (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__)):  # click wraps some
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def say(text: str) -> None:
    """A line on standard error, if anything can be written there: what it tells of goes on without it."""
    with contextlib.suppress(OSError):
        print(fitted(text, terminal_columns(sys.stderr)), file=sys.stderr)


def terminal_columns(stream: TextIO) -> int | None:
    """How wide the terminal is that a stream is written to; None where it is none, or does not say."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or None if stream.isatty() else None
    except (OSError, ValueError):
        return None


def fitted(text: str, columns: int | None) -> str:
    """Lines broken between words where they are wider than ``columns``, what is carried over below where their words
    begin; as they are without ``columns``."""
    if columns is None:
        return text
    return "\n".join(part for line in text.split("\n") for part in _fitted_line(line, columns))


def _fitted_line(line: str, columns: int) -> list[str]:
    begins = _WORDS_BEGIN.match(line)
    indent = min(begins.end() if begins else 0, columns // 2)
    if len(line) <= columns:
        return [line]
    return textwrap.wrap(line, columns, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)
