"""Tasks on a master and two workers with a secret, on the loopback: as on a cluster of several machines."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import toy_tasks
from clusters import EXECUTOR, SETTINGS, Standalone, command_of
from living import descendants_of, is_alive, wait_until
from toy_tasks import said, tasks

from diglot.engines.spark import Spark
from diglot.errors import DiglotError

pytestmark = pytest.mark.slow
SECRET = os.urandom(16).hex()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standalone]:
    standalone = Standalone(tmp_path_factory.mktemp("cluster"), SECRET)
    yield standalone
    standalone.end()


def test_tasks_are_done_by_both_workers_and_nothing_stays_of_the_session(cluster: Standalone, tmp_path: Path) -> None:
    orders = [*["wait"] * 10, "raise", "kill", "stage abort"]
    with Spark(cluster.master, toy_tasks.lost, {**SETTINGS, **cluster.settings}) as spark:
        found = said(spark.run(toy_tasks.obey, str(tmp_path), tasks(orders)))
        workers = cluster.pids[1:]
        executors = [pid for worker in workers for pid in descendants_of(worker) if EXECUTOR in command_of(pid)]
        started = {pid for worker in workers for pid in descendants_of(worker)}
    assert {number: said for number, said in found.items() if number < 11 or number == 12} == {
        **dict.fromkeys(range(10), "done"),
        10: "lost: ValueError: planted",
        12: "ok parser_crash ok",
    }
    assert found[11].startswith("lost: ")
    assert len(executors) == 2
    assert not [pid for pid in started if SECRET in command_of(pid)]
    assert wait_until(lambda: not any(map(is_alive, started)))
    assert all(map(is_alive, cluster.pids))


def test_the_port_that_asks_for_no_secret_is_closed(cluster: Standalone) -> None:
    assert "StandaloneRestServer" not in cluster.log("master")


def test_without_the_secret_nothing_is_done(cluster: Standalone, tmp_path: Path) -> None:
    with (
        Spark(cluster.master, toy_tasks.lost, SETTINGS, start_timeout_s=30.0) as spark,
        pytest.raises(DiglotError, match=r"Spark has not answered within 30 s|no Spark session"),
    ):
        list(spark.run(toy_tasks.obey, str(tmp_path), tasks(["ok"])))
    assert not list(tmp_path.iterdir())
