"""A harvest from files talks to nobody: nothing is looked up, connected to or sent, by the program or its workers.

Worker processes are started through sockets of the file system (AF_UNIX), which reach no other machine.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from made_website import as_lett

HOOK = """
import os, sys
def heard(event, arguments):
    if event.startswith("socket."):
        with open(os.environ["HEARD"], "a") as file:
            print(event, repr(arguments[1:2]), file=file)
sys.addaudithook(heard)
"""


def harvest(folder: Path, *prefix: str, **environment: str) -> None:
    as_lett(folder / "site.lett")
    command = [*prefix, sys.executable, "-m", "diglot", "harvest", str(folder / "site.lett"), "-l", "en,fr", "-o"]
    subprocess.run(
        [*command, str(folder / "run"), "--jobs", "2", "--quiet"], check=True, env={**os.environ, **environment}
    )


def test_python_is_asked_for_no_socket_of_the_internet(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(HOOK)
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    harvest(tmp_path, HEARD=str(tmp_path / "heard"), PYTHONPATH=path)
    heard = (tmp_path / "heard").read_text().splitlines()
    assert any(line.startswith("socket.__new__") for line in heard)  # workers are started, so the hook was at work
    looked_up = [line for line in heard if line.startswith(("socket.get", "socket.send")) and "(None,)" not in line]
    addressed = [line for line in heard if "((" in line]
    assert looked_up == addressed == []


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed: the system is not asked")
def test_the_system_is_asked_for_no_socket_of_the_internet(tmp_path: Path) -> None:
    log = tmp_path / "calls"
    harvest(tmp_path, "strace", "-f", "-qq", "-e", "trace=network", "-o", str(log))
    calls = log.read_text().splitlines()
    assert any("AF_UNIX" in line for line in calls)
    internet = [line for line in calls if "AF_INET" in line and not re.search(r"\b(socket|getsockname)\(", line)]
    assert internet == []
