"""Kill a harvest at random moments, run the same command again, and compare every file with an undisturbed run.

    python benchmarks/kill.py SITE.warc.gz -l en,fr [--kills 20] [--seed 1] [--folder DIR]

Each time a new run folder is begun, its whole process group killed with SIGKILL after a random share of
the time the undisturbed run took, and the command repeated. Exit code 1 if any output differs by a byte or
anything unfinished is left behind.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COMPARED = ("out/*.tmx", "out/*.tsv", "*/*.parquet")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("-l", "--langs", required=True)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where the run folders go; a temporary folder without it")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        return kill_often(options.source, options.langs, Path(name), kills=options.kills, seed=options.seed)


def kill_often(source: Path, langs: str, folder: Path, *, kills: int, seed: int) -> int:
    """Print a line a kill and the sum of them; 0 where every repeated run equals the undisturbed one."""
    expected, seconds = folder / "undisturbed", 0.0
    for _ in range(2):  # the first one compiles and caches
        shutil.rmtree(expected, ignore_errors=True)
        started = time.monotonic()
        harvest(source, langs, expected).wait()
        seconds = time.monotonic() - started
    print(f"undisturbed: {seconds:.1f} s, {len(digests(expected))} files")
    moments = random.Random(seed)
    equal = 0
    for number in range(kills):
        run = folder / f"killed{number}"
        after = moments.uniform(0, seconds)
        reached = killed_run(source, langs, run, after)
        code = harvest(source, langs, run).wait()
        same = code == 0 and digests(run) == digests(expected) and not list(run.rglob("*.part"))
        equal += same
        print(f"killed after {after:5.1f} s, with {reached}: {'the same' if same else f'DIFFERENT, exit code {code}'}")
        shutil.rmtree(run)
    print(f"{equal} of {kills} repeated runs are the same to the byte")
    return 0 if equal == kills else 1


def harvest(source: Path, langs: str, run: Path) -> subprocess.Popen[bytes]:
    """Start the command in a process group of its own."""
    command = [sys.executable, "-m", "diglot", "harvest", str(source), "-l", langs, "-o", str(run), "--quiet"]
    return subprocess.Popen(command, start_new_session=True)


def killed_run(source: Path, langs: str, run: Path, after_seconds: float) -> str:
    """Start, wait, kill with all its workers; what was on disk then, in words."""
    process = harvest(source, langs, run)
    try:
        process.wait(after_seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    counts = {stage: len(list((run / stage).glob("*.parquet"))) for stage in ("documents", "pairs", "segments")}
    outputs = len(list((run / "out").glob("[!.]*")))
    return ", ".join(f"{n} {stage}" for stage, n in counts.items()) + f", {outputs} outputs"


def digests(run: Path) -> dict[str, str]:
    """Hash of every file that is compared, by its path in the run folder."""
    paths = sorted(path for pattern in COMPARED for path in run.glob(pattern))
    return {str(path.relative_to(run)): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


if __name__ == "__main__":
    sys.exit(main())
