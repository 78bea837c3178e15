"""Standard streams that may be closed, on a full disk, or a pipe without a reader."""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import textwrap
from typing import TextIO

STANDARD = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))
"""Names and modes of the streams on descriptors 0, 1 and 2."""


_CONTROLS = {code: "\ufffd" for code in (*range(0x20), *range(0x7F, 0xA0)) if code not in b"\t\n"}
_WORDS_BEGIN = re.compile(r" *[\d,]+  |diglot: |.{9} (?=\S)(?<! {10})| *")
"""Beginning of a printed line, before its words: a count, a label of nine columns, ``diglot: ``, or blanks."""


def open_streams() -> None:
    """Open the null device on each closed standard descriptor, and print UTF-8 in any locale.

    The next file opened would otherwise get the number of a closed descriptor, and a child process or a library would
    write its messages into the file.
    """
    for descriptor, (name, mode) in enumerate(STANDARD):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number: this descriptor
            os.set_inheritable(descriptor, True)
        if getattr(sys, name) is None:
            setattr(sys, name, open(descriptor, mode, encoding="utf-8", closefd=False))  # noqa: SIM115  for as long as we run
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Names of files found in a folder may be no UTF-8.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def give_up_streams() -> None:
    """Send unwritable output to the null device: Python would otherwise print an error at exit."""
    for stream in filter(None, (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__)):  # click wraps some
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def say(text: str) -> None:
    """Print a line to standard error, or nothing where standard error cannot be written."""
    with contextlib.suppress(OSError):
        print(wrap_lines(text, terminal_columns(sys.stderr)), file=sys.stderr)


def terminal_columns(stream: TextIO) -> int | None:
    """Width of the terminal of a stream; None for no terminal, or an unknown width."""
    # Some terminals, as under a debugger or over a serial line, report 0 columns.
    try:
        return os.get_terminal_size(stream.fileno()).columns or None if stream.isatty() else None
    except (OSError, ValueError):
        return None


def wrap_lines(text: str, columns: int | None) -> str:
    """Break lines wider than ``columns`` between words and indent the rest below their words; None breaks no line.

    Names of files and addresses may hold control characters, which a terminal would obey: they become U+FFFD.
    """
    text = text.translate(_CONTROLS)
    if columns is None:
        return text
    return "\n".join(part for line in text.split("\n") for part in _wrap_line(line, columns))


def _wrap_line(line: str, columns: int) -> list[str]:
    begins = _WORDS_BEGIN.match(line)
    indent = min(begins.end() if begins else 0, columns // 2)
    if len(line) <= columns:
        return [line]
    # Addresses and paths stay whole, so that they can be copied.
    return textwrap.wrap(line, columns, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)
