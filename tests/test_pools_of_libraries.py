"""The command line's tables live in the system's memory pool and its matrices have one thread, unless a person says
otherwise."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = """
import os
from diglot import cli
from diglot.cli import commands
commands.main = lambda: 0
try:
    cli.entry()
except SystemExit:
    import pyarrow
    print(pyarrow.default_memory_pool().backend_name, os.environ["OPENBLAS_NUM_THREADS"])
"""


def run_with(**asked: str) -> str:
    names = ("ARROW_DEFAULT_MEMORY_POOL", "OPENBLAS_NUM_THREADS")
    environment = {name: value for name, value in os.environ.items() if name not in names} | asked
    return subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True
    ).stdout.strip()


@pytest.mark.parametrize(("asked", "used"), [({}, "system"), ({"ARROW_DEFAULT_MEMORY_POOL": "mimalloc"}, "mimalloc")])
def test_the_pool_is_the_system_s_unless_another_is_asked_for(asked: dict[str, str], used: str) -> None:
    assert run_with(**asked).split()[0] == used


def test_matrices_have_one_thread_unless_more_are_asked_for() -> None:
    assert run_with().split()[1] == "1"
    assert run_with(OPENBLAS_NUM_THREADS="2").split()[1] == "2"
