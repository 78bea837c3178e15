"""Shards of a stage that works on parts of a table: mapped without a pause between them, written as they are done."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator

import pyarrow as pa

from diglot.run.work import Work

Mapped = Callable[[Iterable[pa.Table]], Iterable[pa.Table]]
"""What becomes of tables, in their order."""


def write_shards(
    work: Work,
    kind: str,
    key: str,
    starts: range,
    shard_at: Callable[[int], pa.Table],
    mapped: Mapped,
    *,
    rows: int,
) -> None:
    """Map the shards that are not there yet, a table of ``rows`` at a time, and write them.

    ``starts``: the first row of each shard; ``shard_at`` makes one of its first row. The step of the progress, which
    counts rows, has begun.
    """
    missing = []
    for number, start in enumerate(starts):
        if work.folder.has_shard(kind, key, number):
            work.progress.advance(len(range(start, min(start + starts.step, starts.stop))))
        else:
            missing.append((number, start))
    shards = ((number, shard_at(start)) for number, start in missing)
    for number, done in by_shard(mapped, shards, rows, done=work.progress.advance):
        work.folder.write_shard(kind, key, number, done)


def by_shard(
    mapped: Mapped,
    shards: Iterable[tuple[int, pa.Table]],
    rows: int,
    *,
    done: Callable[[int], object],
) -> Iterator[tuple[int, pa.Table]]:
    """What shards of some rows each become, cut into tables of ``rows``, with the number of each.

    A shard is asked for when those before it are given away, so that it is made while workers are busy. ``done`` is
    told the rows of every table that is.
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
        results.append(result)
        if len(results) == len(sizes):
            given.popleft()
            yield number, pa.concat_tables(results).combine_chunks()
            results = []
