"""Interrupts: after Ctrl+C, or SIGTERM of another program, this one ends soon, with a line and no traceback."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
from types import FrameType

from diglot.cli.typed_words import asks_for_json

INTERRUPTED = 130
"""Exit code of an interrupted command; the exit code of the program names the signal."""
PATIENCE_S = 3.0
"""Time for clean-up after an interrupt; a second interrupt ends the program at once. The files of a run are valid
whenever the program ends."""
STOPPED = "diglot: stopped; the same command goes on from what is finished"
_USUAL = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
"""Signals that interrupt, with their handlers in a new program. A shell sends SIGINT, a service or `timeout` sends
SIGTERM."""
_program = os.getpid()
_asked = 0
_asked_by = signal.SIGINT


def obey_interrupts() -> None:
    """Let an interrupt end the program with :func:`exit_code`, unless interrupts are ignored, as under ``nohup``."""
    for number, usual in _USUAL.items():
        if signal.getsignal(number) is usual:
            signal.signal(number, _on_interrupt)


def ignore_interrupts() -> None:
    """Ignore interrupts from now on: the work is done."""
    for number in _USUAL:
        if signal.getsignal(number) is _on_interrupt:
            signal.signal(number, signal.SIG_IGN)


def exit_code() -> int:
    """Exit code of the interrupted program, as in shells: 128 plus the number of the signal."""
    return 128 + _asked_by


def is_interrupted() -> bool:
    """Whether the program was interrupted; later errors are consequences."""
    return _asked > 0


def _on_interrupt(number: int, _frame: FrameType | None) -> None:
    global _asked, _asked_by
    if os.getpid() != _program:
        os._exit(128 + number)  # a worker that was forked a moment ago
    _asked += 1
    _asked_by = signal.Signals(number)
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
    os._exit(exit_code())


def say_stopped(text: str = STOPPED) -> None:
    """Print the last line directly to the descriptor: another thread may hold the stream, or the bar that was drawn
    when the interrupt came. On a terminal the line takes the place of ``^C`` and of half a bar. With ``--json`` it is
    an object, as of an error."""
    before = "\r\x1b[K\x1b[?25h" if os.isatty(2) else ""
    if asks_for_json(sys.argv):
        message = " ".join(text.removeprefix("diglot: ").split())
        before, text = "", json.dumps({"code": exit_code(), "kind": "Stopped", "message": message})
    with contextlib.suppress(OSError):  # standard error may be closed
        os.write(2, f"{before}{text}\n".encode())
