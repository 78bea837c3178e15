"""Tasks on Spark: two executors begun by the program. What is lost costs its task, and nothing outlives the program."""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import toy_tasks
from clusters import EXECUTOR, LOCAL_CLUSTER, SETTINGS, command_of, complaints, kill_when
from living import PATIENCE_S, descendants_of, is_alive, wait_until
from toy_tasks import said, tasks

from diglot.disk.store import Store
from diglot.engines.spark import Spark
from diglot.harvesting import harvest
from diglot.progress import Silent
from diglot.run.settings import make_settings
from diglot.tasks import Stage
from diglot.tasks.commands import finish_tasks, plan_tasks, stage_tasks
from diglot.tasks.execution import execute
from diglot.tasks.work import lost_outcome
from diglot.version import __version__
from two_sites import outputs, sites, write_mixed

SECRET = "not-for-others"


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("spark") / "events"
    folder.mkdir()
    return folder


@pytest.fixture(scope="module")
def spark(events: Path) -> Iterator[Spark]:
    """A session for the tests of this module. Its secret is in the file where Spark looks for one."""
    conf = events.with_name("conf")
    conf.mkdir()
    (conf / "spark-defaults.conf").write_text(f"spark.authenticate true\nspark.authenticate.secret {SECRET}\n")
    log = {"spark.eventLog.enabled": "true", "spark.eventLog.dir": events.as_uri(), "spark.eventLog.compress": "false"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_CONF_DIR", str(conf))
        with Spark(LOCAL_CLUSTER, toy_tasks.lost, {**SETTINGS, **log}) as session:
            yield session


@pytest.mark.slow
def test_every_task_has_its_outcome_and_both_executors_their_share(spark: Spark, tmp_path: Path) -> None:
    assert said(spark.run(toy_tasks.obey, str(tmp_path), [])) == {}
    assert said(spark.run(toy_tasks.obey, str(tmp_path), tasks(["wait"] * 12))) == dict.fromkeys(range(12), "done")
    assert len({path.read_text() for path in tmp_path.iterdir()}) >= 2


@pytest.mark.slow
def test_outcomes_come_when_they_are_there(spark: Spark, tmp_path: Path) -> None:
    outcomes = spark.run(toy_tasks.obey, str(tmp_path), tasks(["stage wait", "ok", "ok"]))
    assert json.loads(next(outcomes))["number"] != 0
    assert len(said(outcomes)) == 2


@pytest.mark.slow
def test_work_that_raises_is_lost_alone_and_tried_once(spark: Spark, tmp_path: Path) -> None:
    found = said(spark.run(toy_tasks.obey, str(tmp_path), tasks(["ok", "raise", "ok"])))
    assert found == {0: "done", 1: "lost: ValueError: planted", 2: "done"}
    assert len(list(tmp_path.glob("1.*"))) == 1


@pytest.mark.slow
def test_a_task_that_kills_its_process_is_lost_alone(spark: Spark, tmp_path: Path) -> None:
    found = said(spark.run(toy_tasks.obey, str(tmp_path), tasks(["ok", "kill", "ok", "kill once", "exit"])))
    assert {number: found[number] for number in (0, 2, 3)} == {0: "done", 2: "done", 3: "done"}
    for number in (1, 4):
        assert found[number].startswith("lost: Job aborted due to stage failure")
        assert "\n" not in found[number]
        assert len(list(tmp_path.glob(f"{number}.*"))) == 4


@pytest.mark.slow
def test_a_task_has_an_engine_of_its_own(spark: Spark, tmp_path: Path) -> None:
    orders = ["stage ok", "stage abort", "stage raise"]
    found = said(spark.run(toy_tasks.obey, str(tmp_path), tasks(orders)))
    assert found == {0: "ok ok ok", 1: "ok parser_crash ok", 2: "ok parser_crash ok"}


def test_an_executor_that_is_killed_costs_nothing(spark: Spark, tmp_path: Path) -> None:
    def executor_at_it() -> int | None:
        if not (tmp_path / "0.0").exists():
            return None
        at_it = int((tmp_path / "0.0").read_text() or 0)
        executors = [pid for pid in descendants_of(os.getpid()) if EXECUTOR in command_of(pid)]
        return next((pid for pid in executors if at_it in descendants_of(pid)), None)

    killer = threading.Thread(target=kill_when, args=(executor_at_it,))
    killer.start()
    found = said(spark.run(toy_tasks.obey, str(tmp_path), tasks(["hang once", "ok", "ok"])))
    killer.join(PATIENCE_S)
    assert found == dict.fromkeys(range(3), "done")
    begun = [int((tmp_path / f"0.{number}").read_text()) for number in range(2)]
    assert begun[0] != begun[1]
    assert wait_until(lambda: not is_alive(begun[0]))


@pytest.mark.slow
def test_a_run_left_half_way_stops_its_tasks(spark: Spark, tmp_path: Path) -> None:
    first = spark.run(toy_tasks.obey, str(tmp_path), tasks(["hang once", "ok"]))
    next(first)
    assert wait_until(lambda: (tmp_path / "0.0").exists() and bool((tmp_path / "0.0").read_text()))
    pid = int((tmp_path / "0.0").read_text())
    assert is_alive(pid)
    first.close()  # type: ignore[attr-defined]
    assert wait_until(lambda: not is_alive(pid))
    found = said(spark.run(toy_tasks.obey, str(tmp_path), [toy_tasks.task(number) for number in range(200, 205)]))
    assert found == dict.fromkeys(range(200, 205), "done")


@pytest.mark.slow
def test_the_secret_is_on_no_command_line_and_the_environment_is_as_it_was(spark: Spark, tmp_path: Path) -> None:
    assert said(spark.run(toy_tasks.obey, str(tmp_path), tasks(["ok"])))
    commands = [command_of(pid) for pid in descendants_of(os.getpid())]
    assert any("pyspark-shell" in command for command in commands)
    assert any(EXECUTOR in command for command in commands)
    assert not [command for command in commands if SECRET in command]
    assert "PYSPARK_PYTHON" not in os.environ


@pytest.mark.slow
def test_what_tasks_took_is_in_the_event_log(spark: Spark, events: Path, tmp_path: Path) -> None:
    assert said(spark.run(toy_tasks.obey, str(tmp_path), tasks(["wait"] * 3)))

    def all_there() -> bool:
        files = [path for path in events.rglob("[!.]*") if path.is_file()]
        lines = [line for path in files for line in path.read_text().split("\n")[:-1]]  # the last is being written
        ended = [event for line in lines if (event := json.loads(line))["Event"] == "SparkListenerTaskEnd"]
        # a task that was lost has no metrics
        return sum(event.get("Task Metrics", {}).get("Executor Run Time", 0) >= 200 for event in ended) >= 3

    assert wait_until(all_there)


@pytest.mark.slow
def test_a_session_that_is_there_is_taken_and_left(spark: Spark, tmp_path: Path) -> None:
    assert said(spark.run(toy_tasks.obey, str(tmp_path), tasks(["ok"])))
    with Spark(LOCAL_CLUSTER, toy_tasks.lost) as other:
        assert said(other.run(toy_tasks.obey, str(tmp_path), tasks(["ok"]))) == {0: "done"}
    assert said(spark.run(toy_tasks.obey, str(tmp_path), tasks(["ok"]))) == {0: "done"}


def test_a_run_of_several_sites_gives_what_it_gives_here(
    spark: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tasks of a run, in a session that tells the outcomes of lost ones as those of runs are told."""
    monkeypatch.setattr("diglot.tasks.in_run.BUNDLE_PAGES", 10)
    monkeypatch.setattr(spark, "lost", lost_outcome)
    archives = write_mixed(tmp_path / "mixed", sites(), files=3)
    plan_tasks([str(path) for path in archives], make_settings("en,fr"), str(tmp_path / "run"))
    store = Store.at(tmp_path / "run")
    for stage in Stage:
        execute(store, stage_tasks(store, stage), spark, Silent())
    finish_tasks(store, None)
    harvest(archives, "en,fr", tmp_path / "here", jobs=1)
    assert outputs(tmp_path / "run") == outputs(tmp_path / "here")


SCRIPT = """
import sys
from pathlib import Path
sys.path[:0] = {paths!r}
import toy_tasks
from diglot.engines.spark import Spark
from diglot.errors import DiglotError
settings = {settings!r}
for round in range({rounds}):
    try:
        with Spark({master!r}, toy_tasks.lost, settings, start_timeout_s={limit_s}) as spark:
            for outcome in spark.run(toy_tasks.obey, {place!r}, [toy_tasks.task(n, {order!r}) for n in range(2)]):
                print(outcome, flush=True)
    except DiglotError as error:
        print(error)
"""


def script(
    tmp_path: Path, order: str = "ok", *, rounds: int = 1, limit_s: float = PATIENCE_S, **settings: str
) -> list[str]:
    path = tmp_path / "script.py"
    text = SCRIPT.format(
        paths=[str(Path(toy_tasks.__file__).parent)],
        settings={**SETTINGS, **{f"spark.{name.replace('_', '.')}": value for name, value in settings.items()}},
        rounds=rounds,
        master=LOCAL_CLUSTER,
        limit_s=limit_s,
        place=str(tmp_path),
        order=order,
    )
    path.write_text(text)
    return [sys.executable, str(path)]


@pytest.mark.slow
def test_a_session_ends_and_another_begins_without_a_word(tmp_path: Path) -> None:
    done = subprocess.run(script(tmp_path, rounds=2), capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.stdout.count("done") == 4
    assert (done.returncode, complaints(done.stderr)) == (0, [])


@pytest.mark.slow
def test_an_executor_without_room_is_told_in_time(tmp_path: Path) -> None:
    """The workers have 512 MB; one that asks for more waits for ever."""
    command = script(tmp_path, limit_s=20.0, executor_memory="900m")
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S)
    assert "no executor has done a first task within 20 s" in done.stdout or "900" in done.stdout
    refused = "ERROR org.apache.spark.SparkContext: Error initializing SparkContext."
    assert complaints(done.stderr) in ([], [refused])


@pytest.mark.slow
def test_executors_with_another_python_are_told(tmp_path: Path) -> None:
    """Made by a site module that tells executors another version."""
    told = "from collections import namedtuple\nimport sys\n"
    told += "Version = namedtuple('Version', 'major minor micro releaselevel serial')\n"
    (tmp_path / "sitecustomize.py").write_text(told + "sys.version_info = Version(3, 99, 0, 'final', 0)\n")
    path = f"{tmp_path}:{SETTINGS['spark.executorEnv.PYTHONPATH']}"
    command = script(tmp_path, executorEnv_PYTHONPATH=path)
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.stdout.startswith("executors cannot do tasks (")
    told, _, here = done.stdout.partition("), here are ")
    assert "3.99" in told
    assert here.startswith(f"Python {platform.python_version()} and Diglot {__version__}; every machine needs")
    aborted = "ERROR org.apache.spark.scheduler.TaskSetManager: Task 0 in stage 0.0 failed 4 times; aborting job"
    assert complaints(done.stderr) in ([], [aborted])


@pytest.mark.slow
@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_of_a_program_that_was_ended(sent: signal.Signals, tmp_path: Path) -> None:
    """Neither Java nor Python, also where a process that a task has started holds its interpreter."""
    process = subprocess.Popen(
        script(tmp_path, "stage spin"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    descendants: set[int] = set()

    def all_at_it() -> bool:
        nonlocal descendants
        descendants = descendants_of(process.pid)
        begun = {int(path.read_text() or 0) for path in tmp_path.glob("*.0")} & descendants
        return len(begun) == 2 and all(len(descendants_of(pid)) >= 2 for pid in begun)

    assert wait_until(lambda: all_at_it() or process.poll() is not None)
    assert process.poll() is None
    os.kill(process.pid, sent)
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode != 0
    assert wait_until(lambda: not any(map(is_alive, descendants)))
