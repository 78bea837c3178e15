"""The time of an update, on a clock of the run that nobody can set.

An outage is believed after a day. A system clock that jumps ahead within the outage must not make a day of an hour.
While the machine stays up, the time between two updates is that of its boot clock, which also counts sleep and cannot
be set. Across a restart, or on another machine, only the system clock is left: the time is its gain on the latest
time ever noted, so a clock that is behind gains nothing.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
MIN_STEP_S = 1.0
"""Least time between two updates, so that the second is the later one on any clock."""


class Clocks(NamedTuple):
    """Clocks of this machine. ``unix``: Unix time; ``boot``: id of the time since the machine was started, "" where the
    system has none; ``up_s``: seconds since then."""

    unix: float
    boot: str
    up_s: float


class Moment(NamedTuple):
    """An update on the clock of its run. ``run_s``: seconds, at the first update the Unix time; ``unix``: latest Unix
    time noted so far; ``boot`` and ``up_s``: as in :class:`Clocks`."""

    run_s: float
    unix: float
    boot: str
    up_s: float


def read_clocks() -> Clocks:
    """The clocks now."""
    try:
        boot, clock = BOOT_ID.read_text(encoding="ascii").strip(), time.CLOCK_BOOTTIME
    except (OSError, AttributeError):  # not on Linux
        return Clocks(time.time(), "", 0.0)
    return Clocks(time.time(), boot, time.clock_gettime(clock))


def next_moment(before: Moment | None, now: Clocks) -> Moment:
    """The moment of an update; ``before``: that of the last one, None for the first."""
    if before is None:
        return Moment(now.unix, *now)
    is_up = bool(now.boot) and now.boot == before.boot and now.up_s >= before.up_s
    passed_s = now.up_s - before.up_s if is_up else now.unix - before.unix
    return Moment(before.run_s + max(MIN_STEP_S, passed_s), max(before.unix, now.unix), now.boot, now.up_s)
