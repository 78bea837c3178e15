"""Which processes live, as Linux tells it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

PATIENCE_S = 300.0
"""Limit of what ends in a moment, or on a busy machine later: one that is reached says that something hangs."""


def is_alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def children_of(pid: int) -> set[int]:
    found = set()
    # A glob asks whether each file is there, and fails for a process that ends at this moment.
    for folder in filter(lambda path: path.name.isdigit(), Path("/proc").iterdir()):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.add(int(folder.name))
    return found


def wait_until(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def descendants_of(pid: int) -> set[int]:
    found = children_of(pid)
    return found.union(*map(descendants_of, found))
