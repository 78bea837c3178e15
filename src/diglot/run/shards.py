"""Work cut for the engine: shards of a table, and whole sites."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator

import pyarrow as pa

from diglot.run.work import Work

Mapped = Callable[[Iterable[pa.Table]], Iterable[pa.Table]]
"""Result of the engine for tables, in the same order."""


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
    """Compute and write the missing shards. The progress step must have begun, counting rows."""
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
        results.append(result)
        if len(results) == len(sizes):
            given.popleft()
            yield number, pa.concat_tables(results).combine_chunks()
            results = []
