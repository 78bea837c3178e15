"""Runs where nothing is left of what only Unix has: workers are started afresh, and outputs have the same bytes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import bare_system
import pytest
from living import PATIENCE_S, is_alive, wait_until

from made_website import as_lett


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """The environment of a program from which it is hidden. Without the lock of any system filelock warns."""
    return {**bare_system.environment(tmp_path), "PYTHONWARNINGS": "ignore:only soft file lock"}


def harvested(source: Path, out: Path, environment: dict[str, str]) -> tuple[dict[str, bytes], str]:
    """All outputs but the seconds, by name, and what was said."""
    command = [sys.executable, "-m", "diglot", "harvest", source, "-l", "en,fr", "-o", out, "--jobs", "1"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=PATIENCE_S)
    files = sorted(path for path in (out / "out").iterdir() if path.name != "summary.json")
    return {path.name: path.read_bytes() for path in files}, done.stderr


def test_a_harvest_has_the_same_bytes(bare: dict[str, str], tmp_path: Path) -> None:
    source = as_lett(tmp_path / "site.lett")
    here, said_here = harvested(source, tmp_path / "here", dict(os.environ))
    there, said_there = harvested(source, tmp_path / "there", bare)
    assert "en-fr.tmx" in here
    assert there == here
    assert "cannot limit their memory" not in said_here
    assert said_there.count("cannot limit their memory") == 1
    assert "Traceback" not in said_there


def program(bare: dict[str, str], tmp_path: Path, body: str) -> list[str]:
    """A command; in its program a worker's pipe is all that can be had, ``obeyed`` has an engine obey orders."""
    path = tmp_path / "program.py"
    path.write_text(
        f"""
import json, os, signal, sys
assert not any(hasattr(os, name) for name in ("fork", "killpg", "sysconf")) and not hasattr(signal, "alarm")
for name in {bare_system.MODULES!r}:
    try:
        __import__(name)
    except ImportError:
        continue
    sys.exit(f"{{name}} is there")
import failing_stages, pyarrow as pa, toy_tasks
from diglot.engines.pool import LocalEngine
from diglot.engines.executor import LocalExecutor
def named(row, reason, detail):
    return row.set_column(1, "order", pa.array([reason.value]))
def obeyed(engine, orders, timeout_s=60.0):
    rows = [dict(number=number, order=order) for number, order in enumerate(orders)]
    tables = [pa.Table.from_pylist(rows[place:place + 2], failing_stages.SCHEMA) for place in range(0, len(rows), 2)]
    done = engine.map(failing_stages.obey, tables, failed=named, timeout_s=timeout_s)
    return [row["order"] for table in done for row in table.to_pylist()]
{body}
""",
        encoding="utf-8",
    )
    return [sys.executable, str(path)]


def printed(bare: dict[str, str], tmp_path: Path, body: str) -> list[str]:
    command = program(bare, tmp_path, body)
    done = subprocess.run(command, env=bare, capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stderr
    told: list[str] = json.loads(done.stdout)
    return told


@pytest.mark.slow
def test_a_page_that_takes_its_worker_along_is_lost_alone(bare: dict[str, str], tmp_path: Path) -> None:
    body = """
with LocalEngine(jobs=2) as engine:
    ends = obeyed(engine, ["ok", "abort", "raise", "ok", "exit", "ok"])
    hangs = obeyed(engine, ["ok", "hang", "ok"], timeout_s=1.0)
print(json.dumps(ends + hangs))
"""
    crash = "parser_crash"
    assert printed(bare, tmp_path, body) == ["ok", crash, crash, "ok", crash, "ok", "ok", "parser_timeout", "ok"]


@pytest.mark.slow
def test_processes_with_workers_of_their_own_survive_kills(bare: dict[str, str], tmp_path: Path) -> None:
    body = f"""
with LocalExecutor(lost=toy_tasks.lost, jobs=2) as processes:
    lines = toy_tasks.tasks(["kill once", "stage abort", "kill", "ok"])
    said = toy_tasks.said(processes.run(toy_tasks.obey, {str(tmp_path)!r}, lines))
print(json.dumps([said[number] for number in range(4)]))
"""
    lost = "lost: the process at it died twice, last killed by SIGKILL"
    assert printed(bare, tmp_path, body) == ["done", "ok parser_crash ok", lost, "done"]


@pytest.mark.parametrize("killed", [True, False])
def test_no_worker_outlives_its_program(killed: bool, bare: dict[str, str], tmp_path: Path) -> None:
    """Whether it is killed while a worker is at a table, or ends without closing its engine."""
    body = f"""
from living import children_of
engine = LocalEngine(jobs=1)
results = engine.map(failing_stages.obey, [
    pa.Table.from_pylist([dict(number=0, order=order)], failing_stages.SCHEMA) for order in ("ok", "hang")
], failed=named)
next(results)
print(json.dumps(sorted(children_of(os.getpid()))), flush=True)
{"next(results)" if killed else ""}
"""
    started = subprocess.Popen(program(bare, tmp_path, body), env=bare, stdout=subprocess.PIPE, text=True)
    assert started.stdout is not None
    workers = json.loads(started.stdout.readline())
    assert workers
    if killed:
        started.kill()
    started.communicate(timeout=PATIENCE_S)
    assert (started.returncode == 0) != killed
    assert wait_until(lambda: not any(map(is_alive, workers)))
