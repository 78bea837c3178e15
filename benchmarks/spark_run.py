"""A run of many sites with its tasks on Spark, and how well the cluster was used.

    .venv-spark/bin/python benchmarks/spark_run.py MASTER ARCHIVE... -l en,fr -o RUN [--pivot en] [--set NAME=VALUE]

MASTER: ``local-cluster[2,1,1024]`` for two executors of this machine, or a cluster's address. Settings of Spark are
given with ``--set``. Prints a line a stage: tasks, the sum of the times they took, the time by the clock from the first
that began to the last that ended, and one by the other: how many executors were at work at a time, as Spark's event log
has it. What else the machine does makes both times longer and leaves that as it is.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from diglot.disk.store import Store
from diglot.engines.spark import Spark
from diglot.progress import Silent
from diglot.run.settings import make_settings
from diglot.tasks import Stage
from diglot.tasks.commands import finish_tasks, plan_tasks, stage_tasks
from diglot.tasks.execution import execute
from diglot.tasks.work import lost_outcome


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("master")
    parser.add_argument("archives", nargs="+")
    parser.add_argument("-l", "--langs", required=True)
    parser.add_argument("-o", "--out", required=True)
    parser.add_argument("--pivot", default="")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    asked = parser.parse_args()
    settings = make_settings(asked.langs, **({"pivot": asked.pivot} if asked.pivot else {}))
    plan_tasks(asked.archives, settings, asked.out)
    store = Store.at(asked.out)
    told = dict(each.split("=", 1) for each in asked.set)
    for stage in Stage:
        with tempfile.TemporaryDirectory() as events:
            log = {"spark.eventLog.enabled": "true", "spark.eventLog.dir": Path(events).as_uri()}
            with Spark(asked.master, lost_outcome, {**told, **log, "spark.eventLog.compress": "false"}) as spark:
                tasks = stage_tasks(store, stage)
                execute(store, tasks, spark, Silent())
            print(f"{stage:<5} {len(tasks):>4} tasks, {usage(Path(events))}", flush=True)
    finish_tasks(store, None)


def usage(events: Path) -> str:
    """What the tasks of a session took, but for the first, which tries whether there is an executor."""
    times = sorted(task_times(events))[1:]
    busy_s = sum(end - start for start, end in times) / 1000
    wall_s = (max(end for _, end in times) - min(start for start, _ in times)) / 1000
    return f"{busy_s:.1f} s in tasks, {wall_s:.1f} s by the clock, {busy_s / wall_s:.2f} at a time"


def task_times(events: Path) -> Iterator[tuple[int, int]]:
    """Beginning and end of every task, in milliseconds."""
    for path in events.rglob("[!.]*"):
        for line in path.read_text().splitlines() if path.is_file() else ():
            event = json.loads(line)
            if event["Event"] == "SparkListenerTaskEnd":
                yield event["Task Info"]["Launch Time"], event["Task Info"]["Finish Time"]


if __name__ == "__main__":
    main()
