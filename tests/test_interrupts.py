"""Ctrl-C on a terminal, whatever the program is at: one line, the cursor back, nothing left at work."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from diglot.harvesting import harvest
from made_website import as_lett
from slow_cases import slow_but

HIDDEN, SEEN = "\x1b[?25l", "\x1b[?25h"
CONTROL_C = b"\x03"
SOON_S = 6.0
"""More than the program gives itself, on a busy machine."""
WATCHED = """
import json, os, sys
from diglot.cli import entry
from diglot.disk import folder
place, sys.argv[1:] = sys.argv[1], sys.argv[2:]
def at(name):
    if name.startswith(place):
        place_file = os.environ["REACHED"]
        if not os.path.exists(place_file):
            open(place_file, "w").close()
sys.addaudithook(lambda event, given: at(str(given[0])) if event in ("import", "open") else None)
entry()
"""

INTERRUPTED_AT_THE_END_OF_A_BAR = """
import os, signal
import rich.live
from diglot.cli import entry
stop = rich.live.Live.stop
def interrupted_stop(self):
    self._started = False
    self.console._enter_buffer()
    rich.live.Live.stop = stop
    os.kill(os.getpid(), signal.SIGINT)
rich.live.Live.stop = interrupted_stop
entry()
"""
"""An interrupt within rich's own end of a bar, after which rich keeps what is written to standard error."""


@dataclass
class Shown:
    text: str
    code: int
    took_s: float
    pid: int

    def lines(self) -> list[str]:
        plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.text)
        return [line.rpartition("\r")[2] for line in plain.replace("\r\n", "\n").splitlines()]


def on_terminal(words: list[str], environment: dict[str, str], interrupt_at: Path) -> Shown:
    """What a program shows on a terminal of its own, which gets Ctrl-C once that file is there."""
    pid, terminal = pty.fork()
    if pid == 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        # Ctrl-C lets a terminal forget what it has not shown yet: on a busy machine, the last line of the program.
        settings = termios.tcgetattr(0)
        settings[3] |= termios.NOFLSH
        termios.tcsetattr(0, termios.TCSANOW, settings)
        os.execve(words[0], words, {**os.environ, "TERM": "xterm", **environment})
    shown, sent = b"", 0.0
    while True:
        if not sent and interrupt_at.exists():
            os.write(terminal, CONTROL_C)
            sent = time.monotonic()
        if select.select([terminal], [], [], 0.005)[0]:
            try:
                data = os.read(terminal, 1 << 16)
            except OSError:
                break
            if not data:
                break
            shown += data
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    return Shown(shown.decode(), os.waitstatus_to_exitcode(status), time.monotonic() - sent, pid)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("interrupts")
    as_lett(folder / "site.lett")
    harvest(folder / "site.lett", "en,fr", folder / "run", jobs=1)
    return folder


@pytest.mark.parametrize(
    "moment",
    slow_but(
        ["typer", "RUN/documents", "RUN/out/.segments"],
        [
            "typer",  # modules of the program
            "diglot.harvesting",  # modules of the command
            "RUN/run.lock",  # from here on files
            "RUN/documents",
            "RUN/pairs",
            "RUN/segments",
            "RUN/out/.segments",
            "RUN/.report.html",
        ],
    ),
)
def test_an_interrupt_at_any_moment(moment: str, finished: Path, tmp_path: Path) -> None:
    run, reached = tmp_path / "run", tmp_path / "reached"
    moment = moment.replace("RUN", str(run))
    words = ["harvest", str(finished / "site.lett"), "-l", "en,fr", "-o", str(run), "--jobs", "1"]
    shown = on_terminal([sys.executable, "-c", WATCHED, moment, *words], {"REACHED": str(reached)}, reached)
    assert reached.exists()
    assert "Traceback" not in shown.text
    assert "ignored in" not in shown.text
    assert shown.text.rfind(HIDDEN) <= shown.text.rfind(SEEN)
    assert shown.code in (130, 0)  # what is reached last may be the end
    if shown.code == 130:
        assert shown.took_s < SOON_S
        assert shown.lines()[-1].startswith("diglot: stopped; the same command goes on from")
        assert sum("diglot:" in line for line in shown.lines()) == 1
    harvest(finished / "site.lett", "en,fr", run, jobs=1)
    for path in (finished / "run" / "out").iterdir():
        if path.name != "summary.json":  # which tells seconds
            assert (run / "out" / path.name).read_bytes() == path.read_bytes()
    ours, theirs = (json.loads((each / "out" / "summary.json").read_bytes()) for each in (run, finished / "run"))
    assert {**ours, "seconds": 0} == {**theirs, "seconds": 0}


def test_an_interrupt_while_a_bar_ends(finished: Path, tmp_path: Path) -> None:
    words = ["harvest", str(finished / "site.lett"), "-l", "en,fr", "-o", str(tmp_path / "run"), "--jobs", "1"]
    shown = on_terminal([sys.executable, "-c", INTERRUPTED_AT_THE_END_OF_A_BAR, *words], {}, tmp_path / "never")
    assert shown.code == 130
    assert shown.text.rfind(HIDDEN) < shown.text.rfind(SEEN)
    assert shown.lines()[-1].startswith("diglot: stopped; the same command goes on from")


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize(
    ("moment", "as_json"),
    [("typer", False), ("RUN/pairs", False), pytest.param("RUN/pairs", True, marks=pytest.mark.slow)],
)
def test_another_program_ends_it_with_the_same_last_line(
    moment: str, as_json: bool, sent: signal.Signals, code: int, finished: Path, tmp_path: Path
) -> None:
    run, reached = tmp_path / "run", tmp_path / "reached"
    words = ["harvest", str(finished / "site.lett"), "-l", "en,fr", "-o", str(run), "--jobs", "1"]
    words += ["--json"] * as_json
    command = [sys.executable, "-c", WATCHED, moment.replace("RUN", str(run)), *words]
    environment = {**os.environ, "REACHED": str(reached)}
    pipes = {"stderr": subprocess.PIPE, "stdout": subprocess.DEVNULL}
    with subprocess.Popen(command, text=True, env=environment, **pipes) as begun:
        while not reached.exists() and begun.poll() is None:
            time.sleep(0.005)
        begun.send_signal(sent)
        _, said = begun.communicate(timeout=60)
    assert begun.returncode == code
    if as_json:
        last = [json.loads(line) for line in said.splitlines()][-1]
        assert last["message"].startswith("stopped; the same command goes on from what is in ")
        assert (last["code"], last["kind"]) == (code, "Stopped")
        return
    assert said.splitlines()[-1].startswith("diglot: stopped; the same command goes on from")
    assert sum("diglot:" in line for line in said.splitlines()) == 1
