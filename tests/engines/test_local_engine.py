"""The local engine: workers that die, hang, fail or run out of memory cost the run one row each."""

from __future__ import annotations

import multiprocessing as mp
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import product
from pathlib import Path

import failing_stages
import pyarrow as pa
import pytest
from living import PATIENCE_S, descendants_of, is_alive, wait_until

from diglot.engines import pool
from diglot.engines.pool import LocalEngine
from diglot.errors import DiglotError
from diglot.reasons import Reason
from slow_cases import slow_but

FAILED = "failed"
PRELOAD = ("diglot.run.preload",)


def tables(orders: Iterable[str], rows: int) -> Iterator[pa.Table]:
    batch = [{"number": number, "order": order} for number, order in enumerate(orders)]
    for start in range(0, len(batch), rows):
        yield pa.Table.from_pylist(batch[start : start + rows], schema=failing_stages.SCHEMA)


def name_failure(row: pa.Table, reason: Reason, detail: str) -> pa.Table:
    assert row.num_rows == 1
    return row.set_column(1, "order", pa.array([f"{FAILED} {reason.value} {detail}"]))


def run(
    engine: LocalEngine, orders: Iterable[str], *, rows: int = 4, timeout_s: float = PATIENCE_S
) -> list[tuple[int, str]]:
    done = list(engine.map(failing_stages.obey, tables(orders, rows), failed=name_failure, timeout_s=timeout_s))
    return [(row["number"], row["order"]) for table in done for row in table.to_pylist()]


def patiently(_table: pa.Table) -> float:
    return PATIENCE_S


@pytest.mark.parametrize("jobs", [1, 2, 3])
@pytest.mark.parametrize(("count", "rows"), [(0, 4), (1, 4), (37, 4), (37, 1), (5, 100)])
def test_every_row_comes_back_in_order(jobs: int, count: int, rows: int) -> None:
    with LocalEngine(jobs=jobs, preload=PRELOAD) as engine:
        found = run(engine, ["ok" if n % 5 else "wait" for n in range(count)], rows=rows)
    assert [number for number, _ in found] == list(range(count))


@pytest.mark.parametrize(
    ("order", "reason", "detail"),
    [
        ("abort", Reason.PARSER_CRASH, "killed by SIGABRT"),
        ("exit", Reason.PARSER_CRASH, "exit code 7"),
        ("raise", Reason.PARSER_CRASH, "ValueError: planted (failing_stages.py, line 116)"),
        ("recurse", Reason.PARSER_CRASH, "RecursionError"),
        ("allocate", Reason.PARSER_MEMORY, "memory limit reached"),
        ("hang", Reason.PARSER_TIMEOUT, "not done after 2 s"),
    ],
)
def test_a_failing_row_is_named_and_its_neighbours_delivered(order: str, reason: Reason, detail: str) -> None:
    orders = ["ok"] * 10
    orders[1] = orders[9] = order
    with LocalEngine(jobs=2, preload=PRELOAD) as engine:
        found = run(engine, orders, timeout_s=2.0 if order == "hang" else PATIENCE_S)
    assert [number for number, _ in found] == list(range(10))
    failed = [number for number, said in found if said != "ok"]
    assert failed == [1, 9]
    assert all(said.startswith(f"{FAILED} {reason.value} {detail}") for _, said in found if said != "ok")


@pytest.mark.parametrize(
    ("order", "reason", "detail"),
    [
        ("abort", Reason.PARSER_CRASH, "killed by SIGABRT"),
        ("raise", Reason.PARSER_CRASH, "ValueError: planted (failing_stages.py, line 116)"),
        ("hang", Reason.PARSER_TIMEOUT, "not done after 1 s"),
    ],
)
def test_a_table_that_is_whole_fails_as_a_whole(order: str, reason: Reason, detail: str) -> None:
    orders = ["ok"] * 12
    orders[5] = order
    failures = []

    def note(table: pa.Table, *why: object) -> pa.Table:
        failures.append((table["number"].to_pylist(), *why))
        return table.slice(0, 0)

    timeout_s = 1.0 if order == "hang" else PATIENCE_S
    with LocalEngine(jobs=2, preload=PRELOAD) as engine:
        done = list(
            engine.map_whole(failing_stages.obey, tables(orders, 4), failed=note, timeout_s=lambda _: timeout_s)
        )
    assert [table["number"].to_pylist() for table in done] == [[0, 1, 2, 3], [], [8, 9, 10, 11]]
    assert failures == [([4, 5, 6, 7], reason, detail)]


def test_a_table_that_is_whole_is_tried_twice(tmp_path: Path) -> None:
    """Memory may have been short, or somebody may have killed the worker."""
    stage = partial(failing_stages.die_once, marker=str(tmp_path / "marker"))
    with LocalEngine(jobs=2, preload=PRELOAD) as engine:
        done = list(engine.map_whole(stage, tables(["ok"] * 8, 4), failed=name_failure, timeout_s=patiently))
    assert [table["number"].to_pylist() for table in done] == [[0, 1, 2, 3], [4, 5, 6, 7]]


def abort_tenth(count: int) -> None:
    orders = ["abort" if n % 10 == 3 else "ok" for n in range(count)]
    with LocalEngine(jobs=2, preload=PRELOAD) as engine:
        found = run(engine, orders, rows=32)
    assert [number for number, _ in found] == list(range(count))
    assert [number for number, said in found if said != "ok"] == list(range(3, count, 10))


def test_20_of_200_pages_abort_and_180_are_delivered() -> None:
    abort_tenth(200)


@pytest.mark.slow
def test_200_of_2000_pages_abort_and_1800_are_delivered() -> None:
    abort_tenth(2_000)


def worker_ids(tables: Iterable[pa.Table]) -> set[int]:
    return {number for table in tables for number in table["number"].to_pylist()}


def test_workers_are_kept_between_runs_and_stages() -> None:
    with LocalEngine(jobs=1, preload=PRELOAD) as engine:
        pids = set()
        for _ in range(3):
            pids |= worker_ids(engine.map(failing_stages.process_id, tables(["ok"] * 8, 4), failed=name_failure))
        doubled = list(engine.map(failing_stages.double, tables(["ok"] * 3, 2), failed=name_failure))
        assert [n for table in doubled for n in table["number"].to_pylist()] == [0, 2, 4]
        [again] = engine.map(partial(failing_stages.double), tables(["ok"] * 2, 2), failed=name_failure)
        assert again["number"].to_pylist() == [0, 2]
        stage = partial(failing_stages.process_id)
        pids |= worker_ids(engine.map_whole(stage, tables(["ok"] * 8, 4), failed=name_failure, timeout_s=patiently))
        assert len(pids) == 1
        assert os.getpid() not in pids


MIB = 1 << 20


def whole(engine: LocalEngine, stage: pool.Stage, memory_bytes: int) -> list[tuple[int, str]]:
    done = engine.map_whole(
        stage, tables(["ok"], 1), failed=name_failure, timeout_s=patiently, memory_bytes=memory_bytes
    )
    return [(row["number"], row["order"]) for table in done for row in table.to_pylist()]


def test_each_stage_has_its_own_memory_limit_beyond_what_its_worker_has() -> None:
    large = partial(failing_stages.allocate, size=600 * MIB)
    with LocalEngine(jobs=1, preload=PRELOAD) as engine:
        [(pid, _)] = whole(engine, failing_stages.Kept(400 * MIB), 1000 * MIB)
        assert whole(engine, large, 300 * MIB) == [(0, f"{FAILED} parser_memory memory limit reached")]
        assert whole(engine, large, 800 * MIB) == [(pid, "ok")]
        assert whole(engine, failing_stages.process_id, MIB * 300) == [(pid, "ok")]


@pytest.mark.parametrize(("size", "kept"), [(200 * MIB, True), (1100 * MIB, False)])
def test_a_worker_that_holds_much_does_not_go_on_to_another_stage(size: int, kept: bool) -> None:
    with LocalEngine(jobs=1, preload=PRELOAD) as engine:
        stage = failing_stages.Kept(size)
        [(pid, _)] = whole(engine, stage, 2000 * MIB)
        assert whole(engine, stage, 2000 * MIB) == [(pid, "ok")]
        [(later, _)] = whole(engine, failing_stages.process_id, 2000 * MIB)
        assert (later == pid) == kept
        assert is_alive(pid) == kept


def test_time_to_load_a_later_stage_is_not_its_tables() -> None:
    with LocalEngine(jobs=1, preload=PRELOAD) as engine:
        assert run(engine, ["ok"]) == [(0, "ok")]
        [done] = engine.map(failing_stages.SlowToStart(1.5), tables(["ok"], 1), failed=name_failure, timeout_s=1.0)
        assert done["order"].to_pylist() == ["ok"]


def test_a_worker_that_dies_loading_a_later_stage_is_replaced_once(tmp_path: Path) -> None:
    """Somebody may have killed it, or memory may have been short; one that is new says that the stage does it."""
    with LocalEngine(jobs=1, preload=PRELOAD) as engine:
        assert run(engine, ["ok"]) == [(0, "ok")]
        done = engine.map(failing_stages.DeadlyToLoad(str(tmp_path), 1), tables(["ok"] * 2, 1), failed=name_failure)
        assert [table["number"].to_pylist() for table in done] == [[0], [1]]
        (tmp_path / "other").mkdir()
        deadly = failing_stages.DeadlyToLoad(str(tmp_path / "other"), 2)
        with pytest.raises(DiglotError, match=r"a worker process died as it started \(killed by SIGKILL\)"):
            list(engine.map(deadly, tables(["ok"], 1), failed=name_failure))


def test_a_stage_that_cannot_be_sent_is_an_error_and_the_next_is_done() -> None:
    with LocalEngine(jobs=1, preload=PRELOAD) as engine:
        assert run(engine, ["ok"]) == [(0, "ok")]
        with pytest.raises((AttributeError, pickle.PicklingError)):
            list(engine.map(lambda table: table, tables(["ok"], 1), failed=name_failure))
        assert run(engine, ["ok"]) == [(0, "ok")]


@pytest.mark.parametrize("same", [True, False])
@pytest.mark.parametrize("dropped", [True, False])
def test_tables_of_a_run_left_half_way_never_come_to_a_later_one(same: bool, dropped: bool) -> None:
    """Whether the first was forgotten or is only not asked any more, and also where the stage is the same."""
    with LocalEngine(jobs=2, preload=PRELOAD) as engine:
        first = engine.map(failing_stages.obey, tables(["ok"] + ["wait"] * 40, 1), failed=name_failure)
        assert next(first)["number"].to_pylist() == [0]
        stage = failing_stages.obey if same else failing_stages.double
        second = engine.map(stage, tables(["ok"] * 50, 5), failed=name_failure)
        found = next(second)["number"].to_pylist()
        if dropped:
            del first
        found += [number for table in second for number in table["number"].to_pylist()]
        assert found == [number if same else 2 * number for number in range(50)]
        if not dropped:
            with pytest.raises(RuntimeError, match="another run of this pool has begun"):
                list(first)


def test_runs_asked_for_together_and_consumed_in_turn_have_their_own_stages() -> None:
    with LocalEngine(jobs=2, preload=PRELOAD) as engine:
        plain = engine.map(failing_stages.obey, tables(["ok"] * 5, 1), failed=name_failure)
        doubled = engine.map(failing_stages.double, tables(["ok"] * 5, 1), failed=name_failure)
        assert [table["number"].to_pylist() for table in plain] == [[n] for n in range(5)]
        assert [table["number"].to_pylist() for table in doubled] == [[2 * n] for n in range(5)]


def test_no_worker_outlives_its_engine() -> None:
    with LocalEngine(jobs=2, preload=PRELOAD) as engine:
        pids: set[int] = set()
        for table in engine.map(failing_stages.process_id, tables(["ok"] * 40, 2), failed=name_failure):
            pids |= set(table["number"].to_pylist())
        assert any(map(is_alive, pids))
    assert wait_until(lambda: not any(map(is_alive, pids)))


def test_a_run_left_half_way_leaves_no_worker() -> None:
    engine = LocalEngine(jobs=2, preload=PRELOAD)
    results = engine.map(failing_stages.process_id, tables(["ok"] * 40, 2), failed=name_failure)
    pid = next(results)["number"][0].as_py()
    results.close()  # type: ignore[attr-defined]
    assert wait_until(lambda: not is_alive(pid))
    assert [number for number, _ in run(engine, ["ok"] * 3)] == [0, 1, 2]
    engine.close()


def test_an_interrupt_passes_through_and_leaves_no_worker() -> None:
    def interrupted() -> Iterator[pa.Table]:
        yield from tables(["ok"] * 8, 2)
        raise KeyboardInterrupt

    with LocalEngine(jobs=2, preload=PRELOAD) as engine:
        pids: set[int] = set()
        results = engine.map(failing_stages.process_id, interrupted(), failed=name_failure)
        with pytest.raises(KeyboardInterrupt):
            pids.update(number for table in results for number in table["number"].to_pylist())
        assert wait_until(lambda: not any(map(is_alive, pids)))
        assert len(run(engine, ["ok"] * 3)) == 3


def test_a_worker_whose_program_is_gone_ends_without_a_word(capfd: pytest.CaptureFixture[str]) -> None:
    context = mp.get_context("spawn")
    ours, theirs = context.Pipe()
    ours.close()
    worker = context.Process(target=pool._work, args=(theirs,))
    worker.start()
    theirs.close()
    worker.join(PATIENCE_S)
    assert worker.exitcode == 0
    assert capfd.readouterr().err == ""


def test_a_worker_killed_from_outside_costs_nothing() -> None:
    with LocalEngine(jobs=1, preload=PRELOAD) as engine:
        [table] = engine.map(failing_stages.process_id, tables(["ok"], 1), failed=name_failure)
        pid = table["number"][0].as_py()
        os.kill(pid, signal.SIGKILL)
        assert wait_until(lambda: not is_alive(pid))
        [table] = engine.map(failing_stages.process_id, tables(["ok"], 1), failed=name_failure)
        assert table["order"].to_pylist() == ["ok"]


@pytest.mark.parametrize("size", [1, 300_000])
def test_workers_that_cannot_start_are_an_error_not_a_loop(size: int, tmp_path: Path) -> None:
    """The module of the stage is gone by the time a worker looks for it, as in a broken installation."""
    (tmp_path / "vanishing_stage.py").write_text("def stage(table):\n    return table\n")
    script = tmp_path / "script.py"
    script.write_text(
        f"""
import os, pyarrow, vanishing_stage
from diglot.engines import pool
from diglot.engines.pool import LocalEngine
from diglot.errors import DiglotError
os.remove(vanishing_stage.__file__)
tables = [pyarrow.table({{"text": ["x" * {size}] * 3}})] * 3
try:
    with LocalEngine(jobs=2) as engine:
        list(engine.map(vanishing_stage.stage, tables, failed=lambda row, reason, detail: row))
except DiglotError as error:
    print(error)
"""
    )
    done = subprocess.run([sys.executable, "-B", script], capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.stdout == "a worker process died as it started (exit code 1); free memory or try jobs=1\n", done.stderr


def test_the_time_limit_is_that_of_the_table_not_of_the_start() -> None:
    limit_s = 1.0
    stage = failing_stages.SlowToStart(1.5 * limit_s)
    with LocalEngine(jobs=2, preload=PRELOAD) as engine:
        done = list(engine.map(stage, tables(["ok"] * 4, 1), failed=name_failure, timeout_s=limit_s))
    assert [table["order"].to_pylist() for table in done] == [["ok"]] * 4


SCRIPT = """
import sys
sys.path.insert(0, {folder!r})
print("started")
from failing_stages import SCHEMA, obey
import pyarrow as pa
from diglot.engines import pool
from diglot.engines.pool import LocalEngine
table = pa.Table.from_pylist([{{"number": n, "order": {order!r}}} for n in range(6)], schema=SCHEMA)
with LocalEngine(jobs=2, preload=("diglot.run.preload",)) as engine:
    print("working", flush=True)
    done = list(engine.map(obey, [table] * {count}, failed=lambda row, reason, detail: row))
print(sum(t.num_rows for t in done))
"""


def test_a_script_without_a_main_guard_runs_once(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(folder=str(Path(__file__).parent), order="ok", count=2))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=PATIENCE_S)
    assert (done.returncode, done.stdout, done.stderr) == (0, "started\nworking\n12\n", "")


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(
    ("sent", "order"),
    slow_but(
        [(signal.SIGINT, "spin"), (signal.SIGKILL, "hang"), (signal.SIGTERM, "wait")],
        product([signal.SIGINT, signal.SIGKILL, signal.SIGTERM], ["wait", "hang", "spin"]),
    ),
)
def test_nothing_is_left_of_a_killed_program(sent: signal.Signals, order: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(folder=str(Path(__file__).parent), order=order, count=10_000))
    process = subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout is not None
    assert "working\n" in process.stdout
    descendants: set[int] = set()

    def workers_started() -> bool:
        nonlocal descendants
        descendants = descendants_of(process.pid)
        return len(descendants) >= 3

    assert wait_until(workers_started)
    os.kill(process.pid, sent)
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode != 0
    assert wait_until(lambda: not any(map(is_alive, descendants)))


def test_a_worker_that_starts_too_late_is_not_the_fault_of_its_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diglot.engines.pool.START_TIMEOUT_S", 0.0)
    with LocalEngine(jobs=1) as engine, pytest.raises(DiglotError, match="no worker process started within 0 s"):
        run(engine, ["ok"])
