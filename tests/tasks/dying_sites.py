"""Work on sites that dies on one, and a disk that is full; a module of its own, so that processes can import it."""

from __future__ import annotations

import errno
import os
from typing import Any

import pyarrow as pa

from diglot.tasks.careful import work_and_keep

POISON = "poison.example"


def work_or_die(site: pa.Table, *others: Any) -> None:
    """As the work on a site that is tried with care, but for one."""
    if site["site"][0].as_py() == POISON:
        os.abort()
    work_and_keep(site, *others)


def full_disk(*_values: Any) -> None:
    """What writing meets where there is no room."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
