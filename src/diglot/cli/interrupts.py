"""Interrupts: a program ends soon after one, with one line, whatever it is at."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from types import FrameType

INTERRUPTED = 130
"""Exit code of a program that was interrupted, as shells have it: 128 and the number of SIGINT."""
PATIENCE_S = 3.0
"""Time to put things in order after an interrupt; one that is interrupted again ends at once. A run is whole on disk
whenever it ends."""
STOPPED = "diglot: stopped; the same command goes on from where it was"
_program = os.getpid()
_asked = 0


def obey_interrupts() -> None:
    """From here on an interrupt ends this program with :data:`INTERRUPTED`. Who ignores it, as with ``nohup``, goes on
    doing so."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupted)


def ignore_interrupts() -> None:
    """All is done, and said."""
    if signal.getsignal(signal.SIGINT) is _interrupted:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def is_interrupted() -> bool:
    """Whether an interrupt has reached this program: errors that follow are of its doing."""
    return _asked > 0


def _interrupted(_number: int, _frame: FrameType | None) -> None:
    global _asked
    if os.getpid() != _program:
        os._exit(INTERRUPTED)  # forked from here a moment ago, to become a worker
    _asked += 1
    if _asked > 1:
        _leave()
    for place, name in ((sys, "unraisablehook"), (threading, "excepthook")):
        setattr(place, name, lambda *_: None)  # what is in the middle of an import or a thread would complain
    timer = threading.Timer(PATIENCE_S, _leave)
    timer.daemon = True
    timer.start()
    raise KeyboardInterrupt


def _leave() -> None:
    say_stopped()
    os._exit(INTERRUPTED)


def say_stopped() -> None:
    """Past streams that may be in the middle of a line, or held by another thread."""
    with contextlib.suppress(OSError):  # there may be nobody to say it to
        os.write(2, f"{terminal_as_it_was()}{STOPPED}\n".encode())


def terminal_as_it_was() -> str:
    """What to write to a terminal before the last line: an interrupt left ``^C`` on it, and maybe half a bar."""
    return "\r\x1b[K\x1b[?25h" if os.isatty(2) and is_interrupted() else ""
