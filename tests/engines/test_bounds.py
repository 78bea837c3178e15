"""The bounds of the pool, worked by hand: tables read ahead, tries of a table, order of results."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import failing_stages
import pyarrow as pa
import pytest

from diglot.engines import children, pool
from diglot.engines.children import cause_of_death
from diglot.engines.executor import attempt
from diglot.engines.pool import LocalEngine
from diglot.engines.reorder_buffer import ReorderBuffer
from diglot.reasons import Reason

PRELOAD = ("diglot.run.preload",)


def number(value: int) -> pa.Table:
    return pa.table({"number": [value]})


def numbers(results: Iterator[pa.Table]) -> list[list[int]]:
    return [table["number"].to_pylist() for table in results]


def test_results_come_out_as_far_as_none_before_them_is_missing() -> None:
    results = ReorderBuffer()
    assert numbers(results.take()) == []
    assert [results.reserve() for _ in range(4)] == [0, 1, 2, 3]
    assert results.pending == 4
    results.put((2,), number(2))
    results.put((1,), number(1))
    assert numbers(results.take()) == []
    assert results.pending == 4
    results.put((0,), number(0))
    assert numbers(results.take()) == [[0], [1], [2]]
    assert results.pending == 1
    results.put((3,), number(3))
    assert numbers(results.take()) == [[3]]
    assert (results.pending, results.reserve()) == (0, 4)


def test_rows_of_a_table_that_was_cut_come_out_as_one_table_in_their_order() -> None:
    results = ReorderBuffer()
    for _ in range(2):
        results.reserve()
    results.split((0,), 12)
    results.put((1,), number(100))
    for row in reversed(range(12)):
        assert numbers(results.take()) == []
        results.put((0, row), number(row))
    assert numbers(results.take()) == [list(range(12)), [100]]


def test_a_table_of_no_rows_is_expected_no_more() -> None:
    results = ReorderBuffer()
    results.reserve()
    results.split((0,), 1)
    assert results.pending == 1
    results.put((0,), number(7))
    assert numbers(results.take()) == [[7]]


@pytest.mark.parametrize("jobs", [1, 2])
def test_four_tables_a_worker_are_read_ahead(jobs: int) -> None:
    """The first result comes when as many have been asked for, and each later one lets one more be asked for."""
    asked = [0]

    def tables() -> Iterator[pa.Table]:
        while True:
            asked[0] += 1
            yield pa.Table.from_pylist([{"number": 0, "order": "ok"}], schema=failing_stages.SCHEMA)

    with LocalEngine(jobs=jobs, preload=PRELOAD) as engine:
        results = engine.map(failing_stages.obey, tables(), failed=unwanted)
        next(results)
        assert asked == [4 * jobs]
        for _ in range(10):
            next(results)
        assert asked[0] <= 4 * jobs + 10


def unwanted(table: pa.Table, reason: Reason, detail: str) -> pa.Table:
    raise AssertionError(f"{reason}: {detail}")


def as_failed(table: pa.Table, _reason: Reason, _detail: str) -> pa.Table:
    return table.set_column(1, "order", pa.array(["failed"] * table.num_rows))


@pytest.mark.parametrize(
    ("rows", "deaths", "ends", "tried"),
    [
        (1, 1, ["failed"], 1),  # a row alone is tried once
        (3, 1, ["die"] * 3, 4),  # the table, then each row, none of which dies
        (3, 2, ["failed", "die", "die"], 4),
        (3, 4, ["failed"] * 3, 4),
    ],
)
def test_a_table_is_cut_at_its_first_death_and_a_row_lost_at_its_second(
    rows: int, deaths: int, ends: list[str], tried: int, tmp_path: Path
) -> None:
    table = pa.Table.from_pylist([{"number": row, "order": "die"} for row in range(rows)], schema=failing_stages.SCHEMA)
    stage = partial(failing_stages.die_so_often, folder=str(tmp_path), deaths=deaths)
    with LocalEngine(jobs=1, preload=PRELOAD) as engine:
        [done] = engine.map(stage, [table], failed=as_failed)
    assert done["number"].to_pylist() == list(range(rows))
    assert done["order"].to_pylist() == ends
    assert len(list(tmp_path.iterdir())) == tried


@pytest.mark.parametrize(("deaths", "end"), [(0, "die"), (1, "die"), (2, "failed")])
def test_a_table_that_is_whole_is_tried_twice_and_never_cut(deaths: int, end: str, tmp_path: Path) -> None:
    table = pa.Table.from_pylist([{"number": 0, "order": "die"}] * 3, schema=failing_stages.SCHEMA)
    stage = partial(failing_stages.die_so_often, folder=str(tmp_path), deaths=deaths)
    with LocalEngine(jobs=1, preload=PRELOAD) as engine:
        [done] = engine.map_whole(stage, [table], failed=as_failed, timeout_s=lambda _: 60.0)
    assert done["order"].to_pylist() == [end] * 3
    assert len(list(tmp_path.iterdir())) == min(deaths + 1, 2)


def test_a_table_may_take_its_own_time() -> None:
    """The time of a whole table is that of its pages: of two that sleep as long one is late."""
    tables = [pa.Table.from_pylist([{"number": 0, "order": "wait"}] * rows, failing_stages.SCHEMA) for rows in (2, 20)]
    with LocalEngine(jobs=1, preload=PRELOAD) as engine:
        done = engine.map_whole(
            failing_stages.obey, tables, failed=as_failed, timeout_s=lambda table: 60.0 if table.num_rows < 10 else 0.3
        )
        assert [table["order"][0].as_py() for table in done] == ["wait", "failed"]


@pytest.mark.parametrize(
    ("a_look_s", "end"),
    [
        (0.0, "not done after 0.3 s"),
        (0.04, "wait"),
        (0.2, "not done after 0.3 s of processor time"),
    ],
    ids=["hangs", "waits for others", "works too long"],
)
def test_the_time_of_a_table_is_the_processor_time_of_its_worker(
    a_look_s: float, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table takes a second by the clock. With .04 s of processor time more at each look, looks come .3, .26, .22
    and .18 s after each other."""
    looks = count()
    monkeypatch.setattr(pool, "processor_seconds", lambda _: 5 + a_look_s * next(looks))
    table = pa.Table.from_pylist([{"number": 0, "order": "wait"}] * 20, failing_stages.SCHEMA)
    with LocalEngine(jobs=1, preload=PRELOAD) as engine:
        [done] = engine.map_whole(
            failing_stages.obey,
            [table],
            failed=lambda table, _, detail: table.set_column(1, "order", pa.array([detail] * table.num_rows)),
            timeout_s=lambda _: 0.3,
        )
    assert set(done["order"].to_pylist()) == {end}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems do not tell")
def test_processor_time_is_that_of_the_process() -> None:
    told = "import time; print(time.process_time(), flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", told], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        said = float(other.stdout.readline())
        assert said <= children.processor_seconds(other.pid) < said + 5
    assert children.processor_seconds(other.pid) == 0.0
    before = time.process_time()
    assert before <= children.processor_seconds(os.getpid()) <= time.process_time()


def test_work_that_ends_without_a_word_is_no_failure_of_the_next() -> None:
    """A worker that is buried is replaced: of three tables in flight only the deadly one fails."""
    orders = ["ok", "abort", "ok", "ok", "ok"]
    tables = [pa.Table.from_pylist([{"number": 0, "order": order}], failing_stages.SCHEMA) for order in orders]
    with LocalEngine(jobs=1, preload=PRELOAD) as engine:
        done = [table["order"][0].as_py() for table in engine.map(failing_stages.obey, tables, failed=as_failed)]
    assert done == ["ok", "failed", "ok", "ok", "ok"]


def lost(task: str, detail: str) -> str:
    return f"{task} lost: {detail}"


def test_an_attempt_is_the_outcome_of_its_work_or_that_of_a_lost_task() -> None:
    assert attempt(lambda place, task: f"{place} {task}", lost, "here", "task") == "here task"

    def fail(_place: str, _task: str) -> str:
        raise LookupError("planted")

    assert attempt(fail, lost, "here", "task") == "task lost: LookupError: planted"

    def interrupt(_place: str, _task: str) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        attempt(interrupt, lost, "here", "task")


@pytest.mark.parametrize(
    ("code", "cause"),
    [(0, "exit code 0"), (7, "exit code 7"), (-9, "killed by SIGKILL"), (-6, "killed by SIGABRT"),
     (-250, "exit code -250"), (None, "exit code None")],
)  # fmt: skip
def test_what_ended_a_process_is_named(code: int | None, cause: str) -> None:
    waited: list[Any] = []
    process: Any = SimpleNamespace(exitcode=code, join=waited.append)
    assert cause_of_death(process) == cause
    assert waited == [5]


LIMITED = """
import resource
from diglot.engines.children import can_limit_memory, limit_memory
MIB = 1 << 20
assert can_limit_memory()
limit_memory(200 * MIB)
bytearray(150 * MIB)
try:
    bytearray(250 * MIB)
except MemoryError:
    print("limited")
limit_memory(None)
bytearray(250 * MIB)
hard = resource.getrlimit(resource.RLIMIT_AS)[1]
assert resource.getrlimit(resource.RLIMIT_AS)[0] == hard
resource.setrlimit(resource.RLIMIT_AS, (100 << 30, 100 << 30))
limit_memory(200 << 30)
assert resource.getrlimit(resource.RLIMIT_AS) == (100 << 30, 100 << 30)
print("never above what the system lets it have")
"""


def test_memory_is_limited_beyond_what_a_process_has() -> None:
    done = subprocess.run([sys.executable, "-c", LIMITED], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("limited\nnever above what the system lets it have\n", "")
