"""Processes that do tasks: what dies costs its task at most, and nothing outlives the program."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import toy_tasks
from living import PATIENCE_S, descendants_of, is_alive, wait_until
from toy_tasks import said, tasks

from diglot.engines.children import can_fork, hide_main
from diglot.engines.executor import LocalExecutor
from diglot.errors import DiglotError
from slow_cases import slow_but

PRELOAD = ("diglot.run.preload",)


@pytest.fixture
def two() -> Iterator[LocalExecutor]:
    with LocalExecutor(lost=toy_tasks.lost, jobs=2, preload=PRELOAD) as processes:
        yield processes


def pids_of(place: Path, number: int) -> list[int]:
    """Processes that began a task, in order, once their line is whole: a file is empty before it is written."""
    texts = [path.read_text() for path in sorted(place.glob(f"{number}.*"))]
    return [int(text) for text in texts if text.endswith("\n")]


def test_a_process_whose_line_is_not_whole_is_waited_for(tmp_path: Path) -> None:
    for name, text in (("0.0", "17\n"), ("0.1", "1"), ("0.2", ""), ("1.0", "18\n")):
        (tmp_path / name).write_text(text)
    assert pids_of(tmp_path, 0) == [17]


@pytest.mark.parametrize("count", [0, 1, 20])
def test_every_task_has_its_outcome(count: int, two: LocalExecutor, tmp_path: Path) -> None:
    assert said(two.run(toy_tasks.obey, str(tmp_path), tasks(["ok"] * count))) == dict.fromkeys(range(count), "done")


def test_tasks_are_begun_in_the_order_given_and_outcomes_come_when_they_are_there(
    two: LocalExecutor, tmp_path: Path
) -> None:
    orders = ["wait for another", *["ok"] * 4]
    found = [json.loads(line)["number"] for line in two.run(toy_tasks.obey, str(tmp_path), tasks(orders))]
    assert found[0] != 0
    with LocalExecutor(lost=toy_tasks.lost, jobs=1, preload=PRELOAD) as one:
        alone = [json.loads(line)["number"] for line in one.run(toy_tasks.obey, str(tmp_path), tasks(orders))]
    assert alone == [0, 1, 2, 3, 4]


def test_processes_stay_for_later_runs(two: LocalExecutor, tmp_path: Path) -> None:
    pids = set()
    for _ in range(3):
        pids |= set(said(two.run(toy_tasks.obey, str(tmp_path), tasks(["pid"] * 5))).values())
    assert len(pids) <= 2
    assert str(os.getpid()) not in pids


def test_work_that_raises_is_lost_and_its_process_goes_on(tmp_path: Path) -> None:
    with LocalExecutor(lost=toy_tasks.lost, jobs=1, preload=PRELOAD) as one:
        found = said(one.run(toy_tasks.obey, str(tmp_path), tasks(["pid", "raise", "pid"])))
    assert found[1] == "lost: ValueError: planted"
    assert found[0] == found[2]
    assert len(pids_of(tmp_path, 1)) == 1


@pytest.mark.parametrize(("order", "cause"), [("kill", "killed by SIGKILL"), ("exit", "exit code 7")])
def test_a_task_that_kills_its_process_twice_is_lost_alone(
    order: str, cause: str, two: LocalExecutor, tmp_path: Path
) -> None:
    found = said(two.run(toy_tasks.obey, str(tmp_path), tasks(["ok", order, "ok", order, "ok"])))
    detail = f"lost: the process at it died twice, last {cause}"
    assert found == {0: "done", 1: detail, 2: "done", 3: detail, 4: "done"}
    first, second = pids_of(tmp_path, 1)
    assert first != second


def test_a_task_whose_process_was_killed_is_done_by_another(two: LocalExecutor, tmp_path: Path) -> None:
    found = said(two.run(toy_tasks.obey, str(tmp_path), tasks(["ok", "kill once", "ok"])))
    assert found == dict.fromkeys(range(3), "done")
    first, second = pids_of(tmp_path, 1)
    assert first != second


def test_a_process_killed_while_idle_costs_nothing(two: LocalExecutor, tmp_path: Path) -> None:
    pids = [int(pid) for pid in said(two.run(toy_tasks.obey, str(tmp_path), tasks(["pid"] * 5))).values()]
    for pid in set(pids):
        os.kill(pid, signal.SIGKILL)
    assert wait_until(lambda: not any(map(is_alive, pids)))
    assert said(two.run(toy_tasks.obey, str(tmp_path), tasks(["kill once"]))) == {0: "done"}


def test_a_task_has_an_engine_of_its_own(two: LocalExecutor, tmp_path: Path) -> None:
    orders = ["stage ok", "stage abort", "stage raise"]
    found = said(two.run(toy_tasks.obey, str(tmp_path), tasks(orders)))
    assert found == {0: "ok ok ok", 1: "ok parser_crash ok", 2: "ok parser_crash ok"}


def test_what_a_killed_process_has_started_ends_with_it(two: LocalExecutor, tmp_path: Path) -> None:
    """In the middle of a task, of which a worker that spins is left; it comes of the server of all."""
    list(two.run(toy_tasks.obey, str(tmp_path), tasks(["pid"] * 5)))
    known = descendants_of(os.getpid())
    for path in tmp_path.iterdir():
        path.unlink()
    begun: list[set[int]] = []

    def kill_it() -> None:
        assert wait_until(lambda: bool(pids_of(tmp_path, 0)) and bool(descendants_of(os.getpid()) - known))
        (pid,) = pids_of(tmp_path, 0)
        begun.append({pid, *descendants_of(os.getpid()) - known})
        assert len(begun[0]) >= 2
        os.kill(pid, signal.SIGKILL)
        assert wait_until(lambda: len(pids_of(tmp_path, 0)) == 2)
        os.kill(pids_of(tmp_path, 0)[1], signal.SIGKILL)

    killer = threading.Thread(target=kill_it)
    killer.start()
    found = said(two.run(toy_tasks.obey, str(tmp_path), tasks(["stage spin"])))
    killer.join(PATIENCE_S)
    assert found == {0: "lost: the process at it died twice, last killed by SIGKILL"}
    assert begun
    assert wait_until(lambda: not any(map(is_alive, begun[0])))


@pytest.mark.parametrize("left", ["closed", "forgotten", "held"])
def test_outcomes_of_a_run_left_half_way_never_come_to_a_later_one(
    left: str, two: LocalExecutor, tmp_path: Path
) -> None:
    first = two.run(toy_tasks.obey, str(tmp_path), [toy_tasks.task(100), *tasks(["wait"] * 20)])
    assert next(first)  # of either worker: the other is at work
    if left == "closed":
        first.close()  # type: ignore[attr-defined]
        assert two._workers == []
    second = two.run(toy_tasks.obey, str(tmp_path), [toy_tasks.task(number) for number in range(200, 210)])
    found = {json.loads(next(second))["number"]}
    if left == "forgotten":
        del first
    assert found | set(said(second)) == set(range(200, 210))
    if left == "held":
        with pytest.raises(RuntimeError, match="another run of this pool has begun"):
            list(first)


def test_processes_that_cannot_start_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diglot.engines.pool.START_TIMEOUT_S", 0.0)
    with (
        LocalExecutor(lost=toy_tasks.lost, jobs=1) as one,
        pytest.raises(DiglotError, match="no worker process started within 0 s"),
    ):
        list(one.run(toy_tasks.obey, str(tmp_path), tasks(["ok"])))


SCRIPT = """
import sys
sys.path.insert(0, {folder!r})
from diglot.engines.children import can_fork, hide_main
from diglot.engines.executor import LocalExecutor
import toy_tasks
processes = LocalExecutor(lost=toy_tasks.lost, jobs=2, preload=("diglot.run.preload",))
outcomes = processes.run(toy_tasks.obey, {place!r}, [toy_tasks.task(n, {order!r}) for n in range({count})])
print("working", flush=True)
for outcome in outcomes:
    print(outcome, flush=True)
    {then}
"""


def script(tmp_path: Path, order: str, count: int, then: str = "pass") -> list[str]:
    path = tmp_path / "script.py"
    folder = str(Path(__file__).parent)
    path.write_text(SCRIPT.format(folder=folder, place=str(tmp_path), order=order, count=count, then=then))
    return [sys.executable, str(path)]


ENDINGS = ["break", "raise SystemExit(0)", "raise ValueError('planted')"]


@pytest.mark.parametrize("then", slow_but([ENDINGS[2]], ENDINGS))
def test_a_program_that_ends_before_its_tasks_does_not_wait_for_them(then: str, tmp_path: Path) -> None:
    command = script(tmp_path, "wait", 2_000, then)
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.stdout.count("done") == 1
    assert ("planted" in done.stderr) == (done.returncode == 1)
    begun = {int(path.read_text()) for path in tmp_path.glob("*.0")}
    assert 1 <= len(begun) <= 2
    assert wait_until(lambda: not any(map(is_alive, begun)))


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(
    ("tell", "sent", "order"),
    slow_but(
        [
            (os.killpg, signal.SIGINT, "stage hang"),
            (os.kill, signal.SIGINT, "stage spin"),
            (os.kill, signal.SIGKILL, "stage spin"),
            (os.kill, signal.SIGTERM, "wait"),
        ],
        [
            # By every signal where a worker of a worker obeys nobody; by the one that stops sleep, and by the one that
            # leaves the program no time for anything, where they sleep or there are none.
            *[
                (tell, sent, "stage spin")
                for tell, sent in [
                    (os.killpg, signal.SIGINT),
                    (os.kill, signal.SIGINT),
                    (os.kill, signal.SIGKILL),
                    (os.kill, signal.SIGTERM),
                ]
            ],
            (os.killpg, signal.SIGINT, "stage hang"),
            (os.kill, signal.SIGKILL, "stage hang"),
            (os.kill, signal.SIGTERM, "wait"),
            (os.kill, signal.SIGKILL, "wait"),
        ],
    ),
)
def test_nothing_is_left_of_a_program_that_was_ended(
    tell: Callable[[int, int], None], sent: signal.Signals, order: str, tmp_path: Path
) -> None:
    """By Ctrl-C all of its processes are told, by another program only the first."""
    process = subprocess.Popen(
        script(tmp_path, order, 10_000),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    descendants: set[int] = set()

    def all_started() -> bool:
        nonlocal descendants
        descendants = descendants_of(process.pid)
        begun = {int(path.read_text() or 0) for path in tmp_path.glob("*.0")} & descendants
        return len(begun) == 2 and len(descendants) >= (3 if order == "wait" else 5)

    assert wait_until(all_started)
    tell(process.pid, sent)
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode != 0
    assert wait_until(lambda: not any(map(is_alive, descendants)))


def test_main_is_back_after_processes_were_started_in_threads() -> None:
    main, is_hidden = sys.modules["__main__"], threading.Event()

    def start_first() -> None:
        with hide_main():
            is_hidden.set()
            time.sleep(0.1)

    def start_second() -> None:
        is_hidden.wait()
        with hide_main():
            time.sleep(0.2)

    threads = [threading.Thread(target=each) for each in (start_first, start_second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sys.modules["__main__"] is main


@pytest.mark.skipif(not can_fork(), reason="a spawned process looks for __main__")
def test_main_stays_while_processes_are_forked(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(
        f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import failing_stages, pyarrow as pa
from diglot.engines.pool import LocalEngine
class Main(dict):
    def __setitem__(self, name, module):
        if name == "__main__":
            print("another", name)
        super().__setitem__(name, module)
sys.modules = Main(sys.modules)
table = pa.Table.from_pylist([{{"number": 1, "order": "ok"}}], schema=failing_stages.SCHEMA)
with LocalEngine(jobs=1) as engine:
    print(next(engine.map(failing_stages.double, [table], failed=None))["number"].to_pylist())
""",
        encoding="utf-8",
    )
    strict = [sys.executable, "-X", "dev", "-W", "error"]
    done = subprocess.run([*strict, str(path)], capture_output=True, text=True, timeout=PATIENCE_S)
    # Nothing is left open at the end, which Python would warn of.
    assert (done.stdout, done.stderr) == ("[2]\n", "")
