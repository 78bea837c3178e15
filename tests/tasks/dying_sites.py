"""Work on sites that dies on one, and a disk that is full; a module of its own, so that processes can import it."""

from __future__ import annotations

import errno
import os
import pickle
import time
from pathlib import Path
from typing import Any

import pyarrow as pa

from diglot.tasks.sites import SCHEMAS, SiteResults, work_and_pickle

POISON = "poison.example"


def work_or_die(site: pa.Table, *others: Any) -> None:
    """As the work on a site that is tried with care, but for one."""
    if site["site"][0].as_py() == POISON:
        os.abort()
    work_and_pickle(site, *others)


def full_disk(*_values: Any) -> None:
    """What writing meets where there is no room."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def tries(place: Path, site: str) -> list[str]:
    """Processes that have begun a site, as :func:`work_oddly` notes them."""
    return [path.read_text() for path in place.glob(f"{site}.try-*")]


def work_oddly(site: pa.Table, _names: Any, _settings: Any, _key: str, scratch: Path, answer: Path) -> None:
    """Say how many pages a site has. A file of its name beside the scratch folder says what to do before, and in how
    many tries: ``abort 1``."""
    name, place = site["site"][0].as_py(), scratch.parents[2]
    number = len(tries(place, name))
    (place / f"{name}.try-{number}").write_text(str(os.getpid()))
    way, _, times = (place / name).read_text().partition(" ") if (place / name).exists() else ("", "", "0")
    if number < int(times):
        if way == "abort":
            os.abort()
        if way == "exit":
            os._exit(3)
        time.sleep(600)
    empty = {stage: schema.empty_table() for stage, schema in SCHEMAS.items()}
    answer.write_bytes(pickle.dumps(SiteResults({}, empty, {"notes": {name: [f"{site.num_rows} pages of {name}"]}})))
