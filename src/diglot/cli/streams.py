"""Standard streams as they may be given: closed, on a full disk, or read by somebody who has gone."""

from __future__ import annotations

import contextlib
import io
import os
import sys

STANDARD = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))
"""Name and mode of the stream on each of the descriptors 0, 1, 2."""


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
        print(text, file=sys.stderr)
