"""Shards of a stage: mapped without a pause, made when they are asked for."""

from collections import deque
from collections.abc import Iterable, Iterator

import pyarrow as pa

from diglot.run.shards import regroup


def test_shards_are_mapped_without_a_pause_and_made_when_asked_for() -> None:
    made, mapped, done = [], [], []

    def shards() -> Iterator[tuple[int, pa.Table]]:
        for number, size in ((3, 5), (4, 2)):
            made.append(number)
            yield number, pa.table({"a": list(range(size))})

    def one_ahead(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
        """As an engine does: a table is asked for before the one before is given back."""
        waiting = deque[pa.Table]()
        for table in tables:
            waiting.append(table)
            mapped.append((list(made), table.num_rows))
            if len(waiting) > 1:
                yield waiting.popleft()
        yield from waiting

    found = [(number, table["a"].to_pylist()) for number, table in regroup(one_ahead, shards(), 2, done=done.append)]
    assert found == [(3, [0, 1, 2, 3, 4]), (4, [0, 1])]
    assert mapped == [([3], 2), ([3], 2), ([3], 1), ([3, 4], 2)]
    assert done == [2, 2, 1, 2]
