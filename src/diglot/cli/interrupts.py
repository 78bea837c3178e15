"""Interrupts: a program ends soon after one, with one line, whatever it is at."""

from __future__ import annotations

import os
import signal
import sys
import threading
from types import FrameType

INTERRUPTED = 130
"""Exit code of a program that was interrupted, as shells have it: 128 and the number of SIGINT."""
PATIENCE_S = 5.0
"""Time to put things in order after an interrupt; one that is interrupted again ends at once. A run is whole on disk
whenever it ends."""
STOPPED = "diglot: stopped; the same command goes on from where it was"
_AS_IT_WAS = "\r\x1b[K\x1b[?25h"
"""For a terminal: an empty line, and the cursor to be seen."""

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
    start = _AS_IT_WAS if os.isatty(2) else ""
    try:
        os.write(2, f"{start}{STOPPED}\n".encode())
    except OSError:
        return  # nobody to say it to
