"""What a harvest costs by stage, as multiples of ten plain parses of the same pages, and how that grows.

    python benchmarks/stage_costs.py LANGS ARCHIVE... [--jobs 1] [--against SRC [--python PYTHON]]

The yardstick is what selectolax takes to parse all pages ten times, measured before and after each harvest: any machine
has it, and what else the machine does slows both. Processor time is of all processes. ``start`` is what comes before
the first page is read, ``finish`` all that follows aligning: cleaning, writing, the report. Memory is the largest sum
of proportional shares (PSS), of all processes and of the main one. ``--against``: the ``src`` folder of another
version, which takes its turn with this one, with an interpreter of its own if one is named. With several archives the
last rows say how each stage grows with the pages: the exponent from one archive to the next. Each version harvests the
first archive once before, unmeasured, so that nothing is compiled within. Linux only.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import math
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from measured import PR_SET_CHILD_SUBREAPER, descendants, pss_kb
from selectolax.lexbor import LexborHTMLParser

from diglot.documents.encoding import decode
from diglot.pages import open_sources, read
from diglot.records import Page

PARSES = 10
LOOK_S = 0.25
TICKS = os.sysconf("SC_CLK_TCK")
STAGES = ("start", "read", "resolve", "pair", "align", "finish")
AFTER = ("clean", "write", "report")
HERE = Path(__file__).parents[1] / "src"


@dataclass
class Cost:
    """Of one harvest: processor seconds and megabytes by stage."""

    yardstick_s: float = 0.0
    cpu_s: dict[str, float] = field(default_factory=dict)
    all_mb: dict[str, int] = field(default_factory=dict)
    main_mb: dict[str, int] = field(default_factory=dict)
    wall_s: float = 0.0

    @property
    def whole_s(self) -> float:
        """Processor seconds of the whole harvest."""
        return sum(self.cpu_s.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("langs")
    parser.add_argument("archives", nargs="+", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--python", default=sys.executable)
    asked = parser.parse_args()
    versions = {"here": (sys.executable, HERE)}
    if asked.against:
        versions["against"] = (asked.python, asked.against.resolve())
    for version in versions.values():
        harvest(version, asked.archives[0], asked.langs, asked.jobs)
    print("archive\tpages\tversion\twhat\t" + "\t".join(STAGES) + "\tall")
    before: dict[str, tuple[int, Cost]] = {}
    for archive in asked.archives:
        for name, version in versions.items():
            pages, first_s = yardstick(archive)
            cost = harvest(version, archive, asked.langs, asked.jobs)
            cost.yardstick_s = (first_s + yardstick(archive)[1]) / 2
            head = f"{archive.parent.name}/{archive.name}\t{pages}\t{name}"
            tell(head, cost)
            if name in before:
                tell_growth(head, before[name], (pages, cost))
            before[name] = (pages, cost)
        if "against" in versions:
            ratio = before["here"][1].whole_s / before["here"][1].yardstick_s
            ratio /= before["against"][1].whole_s / before["against"][1].yardstick_s
            print(
                "\t".join(
                    [f"{archive.parent.name}/{archive.name}\t{pages}\there/against\tratio", *[""] * 6, f"{ratio:.2f}"]
                )
            )


def yardstick(archive: Path) -> tuple[int, float]:
    """Pages of an archive, and the processor seconds of parsing all of them ten times; reading them is not counted."""
    pages, seconds = 0, 0.0
    for record in read(open_sources([str(archive)])[0]):
        text = decode(record.body, record.content_type) if isinstance(record, Page) else None
        if text:
            started = time.process_time()
            for _ in range(PARSES):
                assert LexborHTMLParser(text[0]).root is not None
            pages, seconds = pages + 1, seconds + time.process_time() - started
    return pages, seconds


def harvest(version: tuple[str, Path], archive: Path, langs: str, jobs: int) -> Cost:
    """Harvest with an interpreter and the ``src`` of a version, in processes that become ours should their parents
    end."""
    python, source = version
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    cost, stage = Cost(), [STAGES[0]]
    done = threading.Event()
    with tempfile.TemporaryDirectory() as out:
        command = [python, "-m", "diglot", "harvest", str(archive), "-l", langs, "-o", f"{out}/run", "--json"]
        started, used_s = time.monotonic(), tree_cpu_s()
        process = subprocess.Popen(
            [*command, "--jobs", str(jobs)],
            env={**os.environ, "PYTHONPATH": str(source)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        # A daemon ends with the main thread, so that a failure there is no hang.
        watcher = threading.Thread(target=watch, args=(process.pid, stage, cost, done), daemon=True)
        watcher.start()
        assert process.stderr is not None
        for line in process.stderr:
            with suppress(json.JSONDecodeError):
                told = json.loads(line)
                if "stage" not in told:  # the summary of a harvest without pairs, and its error: the exit code says so
                    continue
                now_s = tree_cpu_s()
                cost.cpu_s[stage[0]] = cost.cpu_s.get(stage[0], 0.0) + now_s - used_s
                used_s = now_s
                if told["stage"] in AFTER or (told["stage"] == "align" and "done" in told):
                    stage[0] = "finish"
                elif told["stage"] in STAGES:
                    stage[0] = told["stage"]
        code = process.wait()
        with suppress(ChildProcessError):
            while True:
                os.wait()
        done.set()
        watcher.join()
    if code:
        sys.exit(f"{' '.join(command)}: exit code {code}")
    cost.wall_s = time.monotonic() - started
    cost.cpu_s[stage[0]] = cost.cpu_s.get(stage[0], 0.0) + tree_cpu_s() - used_s
    return cost


def tree_cpu_s() -> float:
    """Processor seconds of all that came of this process, ended or not, but not of itself."""
    own = own_and_ended_s(os.getpid())[1]
    return own + sum(sum(own_and_ended_s(pid)) for pid in descendants(os.getpid()))


def own_and_ended_s(pid: int) -> tuple[float, float]:
    """Processor seconds of a process, and of those children of it that have ended."""
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:13])) / TICKS, sum(map(int, fields[13:15])) / TICKS
    return 0.0, 0.0


def watch(first: int, stage: Sequence[str], cost: Cost, done: threading.Event) -> None:
    """Keep the largest memory of each stage until the harvest is done."""
    while not done.wait(LOOK_S):
        shares = {pid: pss_kb(pid) >> 10 for pid in descendants(os.getpid())}
        name = stage[0]
        cost.all_mb[name] = max(cost.all_mb.get(name, 0), sum(shares.values()))
        cost.main_mb[name] = max(cost.main_mb.get(name, 0), shares.get(first, 0))


def tell(head: str, cost: Cost) -> None:
    """Print what a harvest cost."""
    ratios = [cost.cpu_s.get(stage, 0.0) / cost.yardstick_s for stage in STAGES]
    rows = {
        "CPU s": [f"{cost.cpu_s.get(stage, 0.0):.1f}" for stage in STAGES] + [f"{cost.whole_s:.1f}"],
        "of ten parses": [f"{ratio:.2f}" for ratio in ratios] + [f"{cost.whole_s / cost.yardstick_s:.2f}"],
        "MB, all": [f"{cost.all_mb.get(stage, 0)}" for stage in STAGES] + [f"{max(cost.all_mb.values())}"],
        "MB, main": [f"{cost.main_mb.get(stage, 0)}" for stage in STAGES] + [f"{max(cost.main_mb.values())}"],
        "wall s": [""] * len(STAGES) + [f"{cost.wall_s:.1f}"],
    }
    for what, values in rows.items():
        print("\t".join([head, what, *values]), flush=True)


def tell_growth(head: str, before: tuple[int, Cost], now: tuple[int, Cost]) -> None:
    """Print the exponents of growth from one archive to a larger one."""
    steps = math.log(now[0] / before[0])

    def exponent(was: float, is_: float) -> str:
        return f"{math.log(is_ / was) / steps:.2f}" if was > 0 and is_ > 0 else ""

    values = [exponent(before[1].cpu_s.get(stage, 0.0), now[1].cpu_s.get(stage, 0.0)) for stage in STAGES]
    print("\t".join([head, "exponent", *values, exponent(before[1].whole_s, now[1].whole_s)]), flush=True)


if __name__ == "__main__":
    main()
