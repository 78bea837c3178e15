"""Processor time and memory of a command and of every process that comes of it, orphans too.

    python benchmarks/measured.py COMMAND ...

A shell's ``time`` misses workers whose parent is gone: here they become ours, and are waited for. Memory is the largest
sum of proportional shares (PSS) of all processes seen at one time, and that of the process begun first. Linux only.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
LOOK_S = 0.5


@dataclass(frozen=True)
class Measured:
    """What a command took: seconds, and the largest memory in MB of all its processes together and of its first."""

    exit_code: int
    wall_s: float
    cpu_s: float
    all_mb: int
    first_mb: int


def measure(command: Sequence[str], **options: object) -> Measured:
    """Run a command to its end and that of all its children; this process must have no other children."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    before = _cpu_s()
    started = time.monotonic()
    process = subprocess.Popen(command, **options)  # type: ignore[call-overload]
    most = {"all": 0, "first": 0}
    done = threading.Event()
    # A daemon ends with the main thread, so that a failure there is no hang.
    watcher = threading.Thread(target=_watch, args=(process.pid, most, done), daemon=True)
    watcher.start()
    code = process.wait()
    wall_s = time.monotonic() - started
    with suppress(ChildProcessError):
        while True:
            os.wait()
    done.set()
    watcher.join()
    return Measured(code, round(wall_s, 1), round(_cpu_s() - before, 1), most["all"] >> 10, most["first"] >> 10)


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _watch(first: int, most: dict[str, int], done: threading.Event) -> None:
    while not done.wait(LOOK_S):
        shares = {pid: pss_kb(pid) for pid in descendants(os.getpid())}
        most["all"] = max(most["all"], sum(shares.values()))
        most["first"] = max(most["first"], shares.get(first, 0))


def descendants(root: int) -> list[int]:
    """Processes that come of one, itself not among them."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with suppress(OSError):
                stat = (entry / "stat").read_text()
                parents.setdefault(int(stat.rpartition(")")[2].split()[1]), []).append(int(entry.name))
    found, waiting = [], [root]
    while waiting:
        children = parents.get(waiting.pop(), [])
        found += children
        waiting += children
    return found


def pss_kb(pid: int) -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    return 0


if __name__ == "__main__":
    found = measure(sys.argv[1:])
    print(json.dumps(asdict(found)), file=sys.stderr)
    sys.exit(found.exit_code)
