"""Hides what only Unix has, as far as a program can be kept from it: for a system that cannot be tried here."""

from __future__ import annotations

import os
import signal
import socket
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

MODULES = ("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty")
NAMES = {
    os: ("chown", "fork", "forkpty", "getloadavg", "getpgid", "getuid", "killpg", "mkfifo", "nice", "sched_getaffinity",
         "setsid", "statvfs", "sysconf"),
    signal: ("SIGALRM", "SIGCHLD", "SIGHUP", "SIGIO", "SIGUSR1", "alarm", "setitimer"),
    socket: ("recv_fds", "send_fds"),
}  # fmt: skip
"""What Python itself uses to start a process here (``os.waitpid``), or numpy on Linux (``os.uname``), has to stay."""


class _Hidden:
    """A finder that knows of none of the modules."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


def hide() -> None:
    """Hide all of it from this process."""
    for name in MODULES:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, _Hidden())  # type: ignore[arg-type]
    for module, names in NAMES.items():
        for name in names:
            delattr(module, name)


def environment(folder: Path) -> dict[str, str]:
    """Variables for a program from which, and from all programs that it starts, it is hidden; ``folder``: to write."""
    here = Path(__file__).parent
    (folder / "sitecustomize.py").write_text("import bare_system\n\nbare_system.hide()\n", encoding="utf-8")
    path = [str(folder), str(here), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, path))}
