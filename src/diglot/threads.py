"""Kernels in threads: kernels release the lock of the interpreter."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

_Given = TypeVar("_Given")
_Made = TypeVar("_Made")


def in_threads(work: Callable[[slice], None], count: int, stretch: int) -> None:
    """Call ``work`` for slices of ``range(count)`` of length ``stretch``, in as many threads as cores.

    For kernels that fill arrays.
    """
    slices = [slice(start, min(start + stretch, count)) for start in range(0, count, stretch)]
    map_in_threads(work, slices, min(len(slices), cores()))


def map_in_threads(work: Callable[[_Given], _Made], given: Sequence[_Given], threads: int) -> list[_Made]:
    """Results of ``work`` for each item, in order, computed by this number of threads.

    Python code outside kernels waits for the lock: two threads cost a tenth more processor time.
    """
    if threads <= 1:
        return list(map(work, given))
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, given))


def cores() -> int:
    """Number of cores for this process: ``OMP_NUM_THREADS``, which schedulers set, else the CPU affinity.

    In containers and batch jobs the affinity is often smaller than the machine.
    """
    bound = os.environ.get("OMP_NUM_THREADS", "")
    # 0 is no number of threads, and means that nobody set one.
    if bound.isdecimal() and int(bound):
        return int(bound)
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS
        return os.cpu_count() or 1
