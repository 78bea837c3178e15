"""Clusters on this machine, and what their tests ask of them."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import toy_tasks
from living import is_alive, wait_until

pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed; see make spark-test")
if not shutil.which("java"):
    pytest.skip("there is no Java; see make spark-test", allow_module_level=True)

LOCAL_CLUSTER = "local-cluster[2,1,512]"
"""Two executors, each a Java process of its own with one core, begun by the program itself."""
LOGGING = Path(__file__).with_name("log4j2.properties")
QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Java compiles little and collects garbage in one thread: a session of a minute costs half of the processor time."""
SETTINGS = {
    "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile={LOGGING.as_uri()} {QUICK_START}",
    "spark.executor.extraJavaOptions": QUICK_START,
    "spark.executor.memory": "512m",
    "spark.executorEnv.PYTHONPATH": str(Path(toy_tasks.__file__).parent),
    "spark.ui.enabled": "false",
}
MASTER, WORKER = "org.apache.spark.deploy.master.Master", "org.apache.spark.deploy.worker.Worker"
EXECUTOR = "CoarseGrainedExecutorBackend"


JAVA_WARNS = "WARNING: Using incubator modules: jdk.incubator.vector"
"""Java says so before it reads any setting of a log: Spark 4 starts it with that module."""


def complaints(stderr: str) -> list[str]:
    """Lines of a program's standard error, but for the one that Java writes in any case."""
    return [line for line in stderr.splitlines() if line != JAVA_WARNS]


def command_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


class Standalone:
    """A master and two workers of one core each, told a secret in a file, their REST port closed."""

    def __init__(self, folder: Path, secret: str) -> None:
        self.folder, self.pids = folder, list[int]()
        self._processes: list[subprocess.Popen[bytes]] = []
        self.settings = {"spark.authenticate": "true", "spark.authenticate.secret": secret}
        told = {**self.settings, "spark.master.rest.enabled": "false", "spark.ui.enabled": "false"}
        self._properties = folder / "spark.properties"
        self._properties.touch(0o600)
        self._properties.write_text("".join(f"{key} {value}\n" for key, value in told.items()))
        self.master = self._start("master", MASTER, ["--port", "0"], r"Starting Spark master at (spark://\S+)")
        for name in ("first", "second"):
            there = ["--port", "0", "--cores", "1", "--memory", "600m", "--work-dir", str(folder / name), self.master]
            self._start(name, WORKER, there, "Successfully registered with (master)")

    def _start(self, name: str, kind: str, arguments: Sequence[str], ready: str) -> str:
        log = self.folder / f"{name}.log"
        spark_class = Path(pyspark.__file__).parent / "bin" / "spark-class"
        own = ["--host", "127.0.0.1", "--webui-port", "0", "--properties-file", str(self._properties)]
        with log.open("wb") as sink:
            process = subprocess.Popen(
                [str(spark_class), kind, *own, *arguments],
                stdout=sink,
                stderr=sink,
                env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"},
            )
        self._processes.append(process)
        self.pids.append(process.pid)
        assert wait_until(lambda: bool(re.search(ready, log.read_text())) or process.poll() is not None)
        found = re.search(ready, log.read_text())
        assert found, log.read_text()
        return found[1]

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text()

    def end(self) -> None:
        for process in reversed(self._processes):
            process.terminate()
        for process in self._processes:
            process.wait()


def kill_when(ready: Callable[[], int | None]) -> int:
    """Kill the process that ``ready`` names as soon as it names one; its id."""
    found: list[int] = []

    def look() -> bool:
        pid = ready()
        if pid is not None:
            found.append(pid)
        return bool(found)

    assert wait_until(look)
    os.kill(found[0], signal.SIGKILL)
    assert wait_until(lambda: not is_alive(found[0]))
    return found[0]
