"""The log of a run: commands, stages and errors, to be sent along with a bug report."""

from __future__ import annotations

import os
import platform
import shlex
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from diglot import engines
from diglot.disk.atomic import replacing
from diglot.errors import DiglotError, without_user
from diglot.progress import Progress
from diglot.version import __version__

LOG = "diglot.log"
MAX_BYTES = 512 << 10
"""A larger log is cut to its last half of this size before a command writes to it."""
MAX_LINE_CHARS = 2_000
MAX_TRACE_LINES = 40
_NAMED_ELSEWHERE = ("--url", "--host", "--proxy")
"""Options whose values stay out of the log: addresses to forget, and proxies, which may carry a password."""


@dataclass
class LoggedProgress:
    """Passes all progress on to another listener, and writes a line to the log at the end of every stage."""

    log: Path
    other: Progress
    _stage: str = ""
    _started: float = field(default_factory=time.monotonic)

    def start(self, stage: str, total: int | None, unit: str) -> None:
        """A stage begins."""
        self._stage, self._started = stage, time.monotonic()
        self.other.start(stage, total, unit)

    def advance(self, done: int) -> None:
        """``done`` more items."""
        self.other.advance(done)

    def step(self, text: str, total: int | None = None, unit: str = "") -> None:
        """The stage enters another step."""
        self.other.step(text, total, unit)

    def show_state(self, text: str, total: int | None = None, *, at_once: bool = False) -> None:
        """The state of the step."""
        self.other.show_state(text, total, at_once=at_once)

    def finish(self, text: str) -> None:
        """The stage is finished."""
        write_line(self.log, f"{self._stage:<9} {text}, {time.monotonic() - self._started:.1f} s")
        self.other.finish(text)

    def reuse(self, stage: str, text: str) -> None:
        """The earlier output of the stage is up to date."""
        write_line(self.log, f"{stage:<9} {text}, as before")
        self.other.reuse(stage, text)


@contextmanager
def open_log(run: Path, progress: Progress, lines: Sequence[str] = ()) -> Iterator[LoggedProgress]:
    """A listener that writes into the log of an owned run folder: the command, the ``lines`` given, the stages, and how
    the block ends. A log that cannot be written stops nothing."""
    log = run / LOG
    if isinstance(progress, LoggedProgress) and progress.log == log:
        yield progress  # a command within a command
        return
    started = time.monotonic()
    with suppress(DiglotError, OSError):
        _shorten(log)
    system = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    write_line(log, f"command   {command_line()} (Diglot {__version__}, {system})")
    for line in lines:
        write_line(log, line)
    try:
        yield LoggedProgress(log, progress)
    except BaseException as error:
        _write_error(log, error)
        raise
    write_line(log, f"done      {time.monotonic() - started:.1f} s")


def write_line(log: Path, text: str) -> None:
    """Append a line with the time (UTC). Symbolic links, pipes and devices in the place of the log stay untouched."""
    line = without_user(" ".join(text[:MAX_LINE_CHARS].splitlines()))
    # No link is followed, and opening a pipe must not block.
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with suppress(OSError):
        descriptor = os.open(log, flags, 0o666)
        try:
            moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            # A single write, so that lines of several processes do not mix. Names of files may be no UTF-8.
            os.write(descriptor, f"{moment} {line}\n".encode("utf-8", "backslashreplace"))
        finally:
            os.close(descriptor)


def command_line(words: Sequence[str] | None = None) -> str:
    """The command as typed (``words``, by default this program's own), without values that stay out of the log."""
    if words is None:
        words = ["diglot", *sys.argv[1:]] if engines.is_own_program else ["Python"]
    shown, hidden = [], False
    for word in words:
        name, is_joined, _ = word.partition("=")
        shown.append("..." if hidden else f"{name}=..." if is_joined and name in _NAMED_ELSEWHERE else word)
        hidden = word in _NAMED_ELSEWHERE
    return shlex.join(shown).replace("'...'", "...")


def _write_error(log: Path, error: BaseException) -> None:
    interrupt = isinstance(error, KeyboardInterrupt) or isinstance(error.__cause__, KeyboardInterrupt)
    if interrupt or isinstance(error, DiglotError):
        write_line(log, "stopped   by an interrupt" if interrupt else f"error     {type(error).__name__}: {error}")
        return
    for line in traceback.format_exception(error)[-MAX_TRACE_LINES:]:
        for part in line.rstrip("\n").split("\n"):
            write_line(log, f"error     {part}")


def _shorten(log: Path) -> None:
    """Cut a log above :data:`MAX_BYTES` down to the last half of that size."""
    if log.is_file() and not log.is_symlink() and log.stat().st_size > MAX_BYTES:
        kept = log.read_bytes()[-MAX_BYTES // 2 :]
        # The cut may fall into the middle of a line.
        with replacing(log, revises=True) as handle:
            handle.write(kept[kept.find(b"\n") + 1 :])
