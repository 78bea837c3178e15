"""Whole sites given to workers: a site may fail, and all other sites are done."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from multiprocessing.reduction import ForkingPickler

import pyarrow as pa

from diglot.engines.local import WORKER_MEMORY_BYTES, Failure, LocalEngine, Stage

SITE_TIMEOUT_S, PAGE_TIMEOUT_S = 120.0, 0.2
"""Seconds allowed for a site in a worker, and for every page more: twenty times the time of a common page."""
PAGE_MEMORY_BYTES = 256 << 10
"""Memory allowed for every page of a site; a common page takes a third."""


def each_site(engine: LocalEngine, stage: Stage, sites: Sequence[pa.Table], *, failed: Failure) -> Iterator[pa.Table]:
    """Result of the stage for the pages of every site, in order. A site may kill a worker, hang or exhaust the memory:
    ``failed`` gives the result in its place.

    A stage that cannot be pickled, such as a recipe of functions made on the fly, runs in this process.
    """
    if not _can_be_sent(stage):
        return map(stage, sites)
    largest = max((site.num_rows for site in sites), default=0)
    return engine.whole(stage, sites, failed=failed, timeout_s=site_timeout_s, memory_bytes=site_memory_bytes(largest))


def _can_be_sent(stage: Stage) -> bool:
    try:
        ForkingPickler.dumps(stage)
    except (AttributeError, TypeError, pickle.PicklingError):
        return False
    return True


def site_memory_bytes(pages: int) -> int:
    """Memory allowed for a site of so many pages, beyond the memory of a worker at the start."""
    return WORKER_MEMORY_BYTES + PAGE_MEMORY_BYTES * pages


def site_timeout_s(site: pa.Table) -> float:
    """Seconds allowed for the pages of a site in a worker."""
    return SITE_TIMEOUT_S + PAGE_TIMEOUT_S * int(site.num_rows)
