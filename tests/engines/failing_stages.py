"""Stages that die, hang or fail on the rows that tell them to; a module of its own, so that workers can import it."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from typing import Any, ClassVar

import pyarrow as pa

SCHEMA = pa.schema([("number", pa.int64()), ("order", pa.string())])


def obey(table: pa.Table) -> pa.Table:
    """The table as it is, once every row's order is carried out."""
    for order in table["order"].to_pylist():
        _carry_out(order)
    return table


class SlowToStart:
    """A stage that gives the table as it is, and takes its time to arrive in a worker."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __setstate__(self, state: dict[str, float]) -> None:
        self.__dict__ |= state
        time.sleep(self.seconds)

    def __call__(self, table: pa.Table) -> pa.Table:
        return table


def double(table: pa.Table) -> pa.Table:
    """Numbers times two."""
    return table.set_column(0, "number", pa.array([2 * n for n in table["number"].to_pylist()], pa.int64()))


def process_id(table: pa.Table) -> pa.Table:
    """The worker's process id in place of every number."""
    return table.set_column(0, "number", pa.array([os.getpid()] * table.num_rows, pa.int64()))


class Kept:
    """A stage that has its worker hold so many bytes from its first table on; gives the process id for every number."""

    held: ClassVar[list[bytes]] = []

    def __init__(self, size: int) -> None:
        self.size = size

    def __call__(self, table: pa.Table) -> pa.Table:
        if not self.held:
            self.held.append(b"x" * self.size)
        return process_id(table)


class DeadlyToLoad:
    """A stage that kills the worker that loads it, but no more than ``deaths`` of them, counted in ``folder``."""

    def __init__(self, folder: str, deaths: int) -> None:
        self.folder, self.deaths = folder, deaths

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state
        for number in range(self.deaths):
            with contextlib.suppress(FileExistsError), open(f"{self.folder}/{number}", "x"):
                os.kill(os.getpid(), signal.SIGKILL)

    def __call__(self, table: pa.Table) -> pa.Table:
        return table


def allocate(table: pa.Table, *, size: int) -> pa.Table:
    """The process id for every number, once so many bytes have been had."""
    bytearray(size)
    return process_id(table)


def die_once(table: pa.Table, *, marker: str) -> pa.Table:
    """The table as it is, but the first call ever aborts; ``marker``: a file that says that it did."""
    try:
        with open(marker, "x"):
            pass
    except FileExistsError:
        return table
    os.abort()


def die_so_often(table: pa.Table, *, folder: str, deaths: int) -> pa.Table:
    """The table as it is, but so many calls abort; ``folder``: has a file for each call."""
    number = len(os.listdir(folder))
    with open(f"{folder}/{number}", "x"):
        pass
    if number < deaths:
        os.abort()
    return table


def _carry_out(order: str) -> None:
    if order == "abort":
        os.abort()
    elif order == "exit":
        sys.exit(7)
    elif order == "hang":
        time.sleep(600)
    elif order == "spin":
        pow(3, 1 << 4_000_000, (1 << 20_000) - 1)  # holds the interpreter in one operation, as a library's loop does
    elif order == "wait":
        time.sleep(0.05)
    elif order == "raise":
        raise ValueError("planted")
    elif order == "recurse":
        _carry_out_deeper(0)
    elif order == "allocate":
        bytearray(1 << 40)


def _carry_out_deeper(depth: int) -> int:
    return _carry_out_deeper(depth + 1) + 1
