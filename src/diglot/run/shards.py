"""Work cut for the engine: shards of a table, and whole sites."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing.reduction import ForkingPickler
from typing import NamedTuple

import pyarrow as pa

from diglot.engines.pool import WORKER_MEMORY_BYTES, Failure, LocalEngine, Stage
from diglot.run.work import Work

SITE_TIMEOUT_S, PAGE_TIMEOUT_S = 120.0, 0.2
"""Seconds of processor time allowed for a site in a worker, and for every page more: twenty times the time of a common
page."""
PAGE_MEMORY_BYTES = 256 << 10
"""Memory allowed for every page of a site; a common page takes a third."""

Mapped = Callable[[Iterable[pa.Table]], Iterable[pa.Table]]
"""A function that gives the engine's result for each table, in the same order."""


class ShardPlan(NamedTuple):
    """Output of a stage in shards, and how its input is cut."""

    kind: str
    key: str
    starts: range
    """First input row of every shard."""
    shard_at: Callable[[int], pa.Table]
    """Makes the input of a shard from its first row."""
    rows: int
    """Rows of a table for a worker."""


def write_shards(work: Work, plan: ShardPlan, mapped: Mapped) -> None:
    """Compute and write the missing shards. The progress step must have begun, counting rows."""
    missing = []
    for number, start in enumerate(plan.starts):
        if work.folder.has_shard(plan.kind, plan.key, number):
            work.progress.advance(len(range(start, min(start + plan.starts.step, plan.starts.stop))))
        else:
            missing.append((number, start))
    shards = ((number, plan.shard_at(start)) for number, start in missing)
    for number, done in regroup(mapped, shards, plan.rows, done=work.progress.advance):
        work.folder.write_shard(plan.kind, plan.key, number, done)


def regroup(
    mapped: Mapped,
    shards: Iterable[tuple[int, pa.Table]],
    rows: int,
    *,
    done: Callable[[int], object],
) -> Iterator[tuple[int, pa.Table]]:
    """Cut numbered shards into tables of ``rows`` each for the engine, and join the results to shards again.

    The next shard is taken only when the engine asks for more, so workers stay busy meanwhile. ``done`` receives the
    number of rows of every finished table.
    """
    given: deque[tuple[int, list[int]]] = deque()

    def tables() -> Iterator[pa.Table]:
        for number, shard in shards:
            cut = [shard.slice(start, rows) for start in range(0, shard.num_rows, rows)]
            given.append((number, [table.num_rows for table in cut]))
            yield from cut

    results: list[pa.Table] = []
    for result in mapped(tables()):
        number, sizes = given[0]
        done(sizes[len(results)])
        # Results come in the order of the tables, so they belong to the oldest open shard.
        results.append(result)
        if len(results) == len(sizes):
            given.popleft()
            yield number, pa.concat_tables(results).combine_chunks()
            results = []


def map_sites(engine: LocalEngine, stage: Stage, sites: Sequence[pa.Table], *, failed: Failure) -> Iterator[pa.Table]:
    """Result of the stage for the pages of every site, in order. A site may kill a worker, hang or exhaust the memory:
    ``failed`` gives the result in its place.

    A stage that cannot be pickled, such as a recipe of functions made on the fly, runs in this process.
    """
    if not _can_be_sent(stage):
        return map(stage, sites)
    largest = max((site.num_rows for site in sites), default=0)
    return engine.map_whole(
        stage, sites, failed=failed, timeout_s=site_timeout_s, memory_bytes=site_memory_bytes(largest)
    )


def _can_be_sent(stage: Stage) -> bool:
    try:
        ForkingPickler.dumps(stage)
    # Functions made on the fly raise any of the three.
    except (AttributeError, TypeError, pickle.PicklingError):
        return False
    return True


def site_memory_bytes(pages: int) -> int:
    """Memory allowed for a site, by its number of pages, beyond the memory of a worker at the start."""
    return WORKER_MEMORY_BYTES + PAGE_MEMORY_BYTES * pages


def site_timeout_s(site: pa.Table) -> float:
    """Seconds of processor time allowed for the pages of a site in a worker."""
    return SITE_TIMEOUT_S + PAGE_TIMEOUT_S * int(site.num_rows)
