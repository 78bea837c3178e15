"""Kills of a harvest within each stage, in chains; the same command then ends with the bytes of an undisturbed run.

Half of the kills come at a random moment of the stage, half right before one of its operations on the disk (a file
opened to be written, renamed or removed), where a run that is not whole would be left. Every attempt is a fork of this
process, which has loaded all modules, and so are its workers: a kill costs the stage and not the start. A chain ends
with the command line once more: in the first of ten chains in a new interpreter, else in a fork, too.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from attack.tally import Tally
from attack.warm import type_line, warm_up
from made_website import as_lett

STAGES = {
    "read": ("diglot.harvesting", "read_stage"),
    "resolve": ("diglot.harvesting", "resolve_stage"),
    "pair": ("diglot.harvesting", "pair_stage"),
    "align": ("diglot.harvesting", "align_stage"),
    "clean": ("diglot.harvesting", "clean_stage"),
    "write": ("diglot.outputs.finish", "write_outputs"),
    "report": ("diglot.outputs.finish", "write_report"),
}
"""Stages by name, and the function that is each, where it is called from; settling takes in languages and copies."""

KILLS_A_STAGE = 2
ROUNDS, BLOCK = 1_000, KILLS_A_STAGE * len(STAGES)
LIMITS = ""
FRESH_EVERY = 10
"""Of so many chains one ends in a new interpreter."""
MAX_TRIES = 20
"""Attempts at one kill; a run that is done before its moment is begun anew."""

LANGS = "en,fr,de"
NOT_COMPARED = ("journal.db", "journal.db-wal", "journal.db-shm", "run.lock", "diglot.log")
_WRITING = os.O_WRONLY | os.O_RDWR


@dataclass
class Stages:
    """The stages of an undisturbed run: seconds, and operations on the disk."""

    seconds: dict[str, float] = field(default_factory=dict)
    operations: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Kill:
    """When to kill: so many seconds into a stage or, with -1, right before this operation on the disk (from 0)."""

    stage: str
    after_s: float = -1.0
    before_operation: int = -1


class Attempt:
    """A harvest in a fork of this process, in a process group of its own, that says where it is."""

    def __init__(self, source: Path, run: Path, kill: Kill | None = None) -> None:
        read_end, write_end = os.pipe()
        self.pid = os.fork()
        if not self.pid:
            _be_attempt(source, run, kill, write_end)
        os.close(write_end)
        self.said = os.fdopen(read_end)
        self.stage = ""
        self.seconds: dict[str, float] = {}
        self.operations: dict[str, int] = {}

    def follow(self, until: str = "") -> bool:
        """Listen until this stage begins, or to the end; whether it began."""
        for line in self.said:
            what, stage, number = line.split()
            if what == "begin":
                self.stage = stage
                if stage == until:
                    return True
            else:
                self.stage, self.seconds[stage] = "", float(number)
                self.operations[stage] = int(what)
        return False

    def kill(self) -> None:
        """Kill it with all its workers."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)

    def ended(self) -> int:
        """Exit code of the run, negative for a signal; what it said until then is heard."""
        self.follow()
        self.said.close()
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def words(source: Path, run: Path) -> list[str]:
    """Command line of the harvest."""
    return ["harvest", str(source), "-l", LANGS, "-o", str(run), "--jobs", "1", "--quiet"]


def _be_attempt(source: Path, run: Path, kill: Kill | None, tell: int) -> None:
    """Body of the fork; never returns."""
    code = 70
    try:
        os.setsid()
        _tell_stages(kill, tell)
        code = type_line(words(source, run))
    finally:
        os._exit(code)


def _tell_stages(kill: Kill | None, tell: int) -> None:
    """Wrap every stage so that it says when it begins and ends, and count operations on the disk."""
    now = Counter[str]()
    stage = [""]

    def noted(event: str, arguments: tuple[Any, ...]) -> None:
        if not stage[0] or not (event in ("os.rename", "os.remove") or (event == "open" and arguments[2] & _WRITING)):
            return
        if kill and kill.stage == stage[0] and kill.before_operation == now[stage[0]]:
            os.killpg(0, signal.SIGKILL)
        now[stage[0]] += 1

    def wrapped(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def inner(*args: Any, **kwargs: Any) -> Any:
            began = time.monotonic()
            os.write(tell, f"begin {name} 0\n".encode())
            stage[0] = name
            result = function(*args, **kwargs)
            stage[0] = ""
            os.write(tell, f"{now[name]} {name} {time.monotonic() - began}\n".encode())
            return result

        return inner

    for name, (module, function) in STAGES.items():
        home = importlib.import_module(module)
        setattr(home, function, wrapped(name, getattr(home, function)))
    sys.addaudithook(noted)


def killed(source: Path, run: Path, kill: Kill) -> str:
    """Harvest and kill; the stage that was at work then, "between" two of them, "" where the run was done before."""
    attempt = Attempt(source, run, kill)
    if kill.after_s >= 0 and attempt.follow(kill.stage):
        time.sleep(kill.after_s)
        attempt.kill()
    if attempt.ended() != -signal.SIGKILL:
        return ""
    return attempt.stage or "between"


def undisturbed(source: Path, run: Path) -> Stages:
    """Harvest into ``run`` to the end."""
    attempt = Attempt(source, run)
    if code := attempt.ended():
        raise SystemExit(f"the undisturbed run ended with exit code {code}")
    return Stages(attempt.seconds, attempt.operations)


def digests(run: Path) -> dict[str, str]:
    """Hash of every file of a run by its path, but for its journal and lock; seconds told in it do not count."""
    paths = sorted(path for path in run.rglob("*") if path.is_file() and path.name not in NOT_COMPARED)
    return {str(path.relative_to(run)): hashlib.sha256(_content(path)).hexdigest() for path in paths}


def _content(path: Path) -> bytes:
    content = path.read_bytes()
    if path.name == "summary.json":
        return json.dumps({**json.loads(content), "seconds": {}}).encode()
    return content


def drawn_kill(number: int, seed: int, stages: Stages, attempt: int) -> Kill:
    """The kill of a round: two in each stage, one after the other; each attempt has a moment of its own."""
    draw = random.Random(f"{seed} {number} {attempt}")
    stage = list(STAGES)[number % BLOCK // KILLS_A_STAGE]
    if stages.operations[stage] and draw.random() < 0.5:
        return Kill(stage, before_operation=draw.randrange(stages.operations[stage]))
    return Kill(stage, after_s=draw.random() * stages.seconds[stage])


@contextmanager
def opened(seed: int, corpus: Path | None) -> Iterator[Callable[[range], Tally]]:
    """Give the function that runs a chain of kills; ``corpus``: a file to harvest instead of the made site."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = corpus or as_lett(folder / "site.lett")
        warm_up(lambda: type_line(words(source, folder / "cold")))  # which also fills caches on the disk
        stages = undisturbed(source, folder / "expected")
        expected = digests(folder / "expected")

        def chain(rounds: range) -> Tally:
            return _chain(rounds, seed, source, folder / "run", stages, expected)

        yield chain


def _chain(rounds: range, seed: int, source: Path, run: Path, stages: Stages, expected: dict[str, str]) -> Tally:
    tally = Tally(rounds=len(rounds))
    before = _children_cpu_s()
    for number in rounds:
        for attempt in range(MAX_TRIES):
            stage = killed(source, run, drawn_kill(number, seed, stages, attempt))
            if stage:
                break
            _compare(tally, run, expected, f"{rounds.start} to {number}")
            shutil.rmtree(run)
        else:
            tally.fail("crashes", f"{number}: no kill came in time, or the run fails")
        tally.counts[stage or "none"] += 1
    started = time.monotonic()
    fresh = rounds.start // BLOCK % FRESH_EVERY == 0
    code = _in_a_new_interpreter(words(source, run)) if fresh else Attempt(source, run).ended()
    tally.slowest_s = time.monotonic() - started
    tally.counts["new interpreters"] += fresh
    if code:
        tally.fail("crashes", f"{rounds.start} to {rounds.stop - 1}: exit code {code}")
    _compare(tally, run, expected, f"{rounds.start} to {rounds.stop - 1}")
    shutil.rmtree(run)
    tally.cpu_s = _children_cpu_s() - before
    tally.peak_mib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return tally


def _in_a_new_interpreter(command: Sequence[str]) -> int:
    return subprocess.run([sys.executable, "-m", "diglot", *command], check=False).returncode


def _compare(tally: Tally, run: Path, expected: dict[str, str], what: str) -> None:
    found = digests(run)
    differing = sorted(path for path in {*found, *expected} if found.get(path) != expected.get(path))
    if differing:
        tally.fail("wrong", f"{what}: {', '.join(differing[:5])}")


def _children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
