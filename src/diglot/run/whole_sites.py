"""Sites given whole to workers: a site that kills its worker, hangs or takes all memory is lost, and no other."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from multiprocessing.reduction import ForkingPickler

import pyarrow as pa

from diglot.engines.local import WORKER_MEMORY_BYTES, Failure, LocalEngine, Stage

SITE_TIMEOUT_S, PAGE_TIMEOUT_S = 120.0, 0.2
"""Time that a site may take in a worker, and more for each of its pages: twenty times what a common page takes."""
PAGE_MEMORY_BYTES = 256 << 10
"""Memory that each page of a site adds to what a worker may have; a common page takes a third of it."""


def each_site(engine: LocalEngine, stage: Stage, sites: Sequence[pa.Table], *, failed: Failure) -> Iterator[pa.Table]:
    """The stage's answer to the pages of each site, in order; ``failed`` is asked for what stands for a lost one.

    A stage that cannot be sent to a worker, such as a recipe of functions made on the fly, runs here.
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
    """Memory that a worker may have for a site of so many pages, beside what it has when it starts."""
    return WORKER_MEMORY_BYTES + PAGE_MEMORY_BYTES * pages


def site_timeout_s(site: pa.Table) -> float:
    """Seconds that a site's pages may take in a worker."""
    return SITE_TIMEOUT_S + PAGE_TIMEOUT_S * int(site.num_rows)
