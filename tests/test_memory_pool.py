"""The command line's tables live in the system's memory pool, unless a person says otherwise."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = """
import sys
from diglot import cli
from diglot.cli import commands
commands.main = lambda: 0
try:
    cli.entry()
except SystemExit:
    import pyarrow
    print(pyarrow.default_memory_pool().backend_name)
"""


@pytest.mark.parametrize(("asked", "used"), [(None, "system"), ("mimalloc", "mimalloc")])
def test_the_pool_is_the_system_s_unless_another_is_asked_for(asked: str | None, used: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "ARROW_DEFAULT_MEMORY_POOL"}
    environment |= {"ARROW_DEFAULT_MEMORY_POOL": asked} if asked else {}
    command = [sys.executable, "-c", PROGRAM]
    assert subprocess.run(command, env=environment, capture_output=True, text=True).stdout.strip() == used
