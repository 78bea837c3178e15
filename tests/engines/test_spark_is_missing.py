"""What a user is told who has no pyspark, no Java, or no cluster; none of it needs any of them."""

from __future__ import annotations

import importlib.util
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import toy_tasks

from diglot.engines import spark
from diglot.engines.spark import Spark
from diglot.errors import DiglotError


def outcomes(master: str = "local-cluster[2,1,512]") -> list[str]:
    with Spark(master, toy_tasks.lost) as executor:
        return list(executor.run(toy_tasks.obey, "", [toy_tasks.task(0)]))


@pytest.fixture
def pyspark(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pyspark seems to be installed."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)


@pytest.fixture
def java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Java seems to be installed."""
    (tmp_path / "java").touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)


def test_pyspark_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(DiglotError, match=r"Spark needs pyspark: pip install 'diglot\[spark\]'"):
        outcomes()


@pytest.mark.usefixtures("pyspark")
def test_java_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(DiglotError, match=r"needs Java 17 or later and there is none .*default-jre-headless"):
        outcomes()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(DiglotError, match=f"JAVA_HOME={tmp_path} has none"):
        outcomes()


@pytest.mark.usefixtures("pyspark", "java")
def test_no_master_answers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        closed = server.getsockname()[1]
    with pytest.raises(DiglotError, match=rf"no Spark master answers \(127.0.0.1:{closed}: .*refused"):
        outcomes(f"spark://127.0.0.1:{closed}")
    with pytest.raises(DiglotError, match=r"no Spark master answers \(nowhere"):
        outcomes("spark://nowhere")


def test_one_of_several_masters_is_enough() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        gone = closed.getsockname()[1]
    with socket.create_server(("127.0.0.1", 0)) as server:
        spark._check_master_answers(f"spark://127.0.0.1:{gone},127.0.0.1:{server.getsockname()[1]}")


def test_pyspark_is_imported_by_who_uses_it_alone() -> None:
    code = "import sys, diglot.engines.spark; print(sorted({'pyspark', 'py4j'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


JAVA_TRACE = """An error occurred while calling z:org.apache.spark.api.python.PythonRDD.collectAndServe.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 8.0 failed 4 times:
org.apache.spark.api.python.PythonException: Traceback (most recent call last):
  File "worker.py", line 1, in <module>
ModuleNotFoundError: No module named 'somewhere'

\tat org.apache.spark.api.python.BasePythonRunner$ReaderIterator.handlePythonException(PythonRunner.scala:581)
\tat java.base/java.lang.Thread.run(Thread.java:840)
"""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (JAVA_TRACE, "ModuleNotFoundError: No module named 'somewhere'"),
        (JAVA_TRACE.replace("\n\n", "\n SQLSTATE: 38000\n\n"), "ModuleNotFoundError: No module named 'somewhere'"),
        ("Job aborted:\n  executor lost\n\tat a.B.c(D.scala:1)", "Job aborted: executor lost"),
        ("", "ValueError"),
        ("x" * 1000, "x" * 500),
    ],
)
def test_an_error_that_came_through_java_is_a_line(text: str, told: str) -> None:
    assert spark.describe_error(ValueError(text)) == told
