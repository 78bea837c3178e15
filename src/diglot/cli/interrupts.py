"""Interrupts: after Ctrl+C the program ends soon, with a line and no traceback."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from types import FrameType

INTERRUPTED = 130
"""Exit code of an interrupted program, as in shells: 128 plus the number of SIGINT."""
PATIENCE_S = 3.0
"""Time for clean-up after an interrupt; a second interrupt ends the program at once. The files of a run are valid
whenever the program ends."""
STOPPED = "diglot: stopped; the same command goes on from where it was"
_program = os.getpid()
_asked = 0


def obey_interrupts() -> None:
    """Let an interrupt end the program with :data:`INTERRUPTED`, unless interrupts are ignored, as under ``nohup``."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _on_interrupt)


def ignore_interrupts() -> None:
    """Ignore interrupts from now on: the work is done."""
    if signal.getsignal(signal.SIGINT) is _on_interrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def is_interrupted() -> bool:
    """Whether the program was interrupted; later errors are consequences."""
    return _asked > 0


def _on_interrupt(_number: int, _frame: FrameType | None) -> None:
    global _asked
    if os.getpid() != _program:
        os._exit(INTERRUPTED)  # a worker that was forked a moment ago
    _asked += 1
    if _asked > 1:
        _leave()
    for place, name in ((sys, "unraisablehook"), (threading, "excepthook")):
        setattr(place, name, lambda *_: None)  # no tracebacks from threads and imports
    timer = threading.Timer(PATIENCE_S, _leave)
    # A daemon: a program that ends in time must not wait for its timer.
    timer.daemon = True
    timer.start()
    raise KeyboardInterrupt


def _leave() -> None:
    say_stopped()
    os._exit(INTERRUPTED)


def say_stopped(text: str = STOPPED) -> None:
    """Print the last line directly to the descriptor: another thread may hold the stream, or the bar that was drawn
    when the interrupt came. On a terminal the line takes the place of ``^C`` and of half a bar."""
    before = "\r\x1b[K\x1b[?25h" if os.isatty(2) else ""
    with contextlib.suppress(OSError):  # standard error may be closed
        os.write(2, f"{before}{text}\n".encode())
