"""Work of kernels in threads: they let go of the interpreter's lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

_Given = TypeVar("_Given")
_Made = TypeVar("_Made")


def in_threads(work: Callable[[slice], None], count: int, stretch: int) -> None:
    """Call ``work`` with every slice of ``range(count)``, ``stretch`` long, as many at a time as there are cores.

    For kernels that fill arrays.
    """
    slices = [slice(start, min(start + stretch, count)) for start in range(0, count, stretch)]
    map_in_threads(work, slices, min(len(slices), cores()))


def map_in_threads(work: Callable[[_Given], _Made], given: Sequence[_Given], threads: int) -> list[_Made]:
    """What ``work`` makes of each, in their order, so many at a time.

    What is not in kernels waits for the lock, which costs a tenth more processor time with two threads.
    """
    if threads <= 1:
        return list(map(work, given))
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, given))


def cores() -> int:
    """Cores that this process may use: as many as ``OMP_NUM_THREADS`` says, by which schedulers bound other libraries,
    too; without it those it may run on, fewer than the machine has in many containers and batch jobs."""
    if (bound := os.environ.get("OMP_NUM_THREADS", "")).isdecimal():
        return int(bound)
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS
        return os.cpu_count() or 1
