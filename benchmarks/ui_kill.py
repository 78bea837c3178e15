"""Kill the server of the workbench at random moments during harvests, and compare the bytes that the harvests write.

    python benchmarks/ui_kill.py [--kills 40] [--pages 60] [--seed 1] [--folder DIR]

A made-up site is dropped on the workbench and harvested, again and again, until the kills are spent. A kill is SIGKILL,
of the server alone, or, once in four, of the harvest as well. The next server must find the harvest. Exit code 1 if a
harvest does not end, if an output has other bytes than those of `diglot harvest`, or if anything of a job is left.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.request import HTTPCookieProcessor, Request, build_opener

from made_sites import lett_site

KILLS_A_HARVEST = 5
WAIT_S = 300.0
LANGS = {"pairs": [["en", "fr"]], "order": ["en", "fr"]}


class Server:
    """A workbench in a process, and a browser that was let in."""

    def __init__(self, home: Path) -> None:
        command = [sys.executable, "-m", "diglot", "ui", str(home), "--no-browser"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        address = self.process.stdout.readline().split()[1]
        self.origin = address.split("/enter")[0]
        self._opener = build_opener(HTTPCookieProcessor(CookieJar()))
        self._opener.open(address).read()

    def ask(self, path: str, value: Any = None, body: bytes | None = None) -> Any:
        """The answer to a question, as JSON."""
        content = json.dumps(value).encode() if value is not None else body
        headers = {"Origin": self.origin, "Content-Type": "application/json"}
        with self._opener.open(Request(f"{self.origin}{path}", content, headers), timeout=WAIT_S) as answer:
            return json.loads(answer.read())

    def kill(self) -> None:
        """End at once, with nothing tidied up."""
        self.process.kill()
        self.process.wait()


def outputs(run: Path) -> dict[str, bytes]:
    """Content of the outputs of a run by name; its summary holds times."""
    return {path.name: path.read_bytes() for path in sorted((run / "out").iterdir()) if path.name != "summary.json"}


def process_of(home: Path, name: str) -> int:
    """Process id of the job of a run; 0 for none."""
    try:
        return int(json.loads((home / ".workbench" / "jobs" / f"{name}.json").read_text())["process"])
    except (OSError, ValueError, KeyError):
        return 0


def harvest_with_kills(home: Path, content: bytes, rng: random.Random, kills: int) -> tuple[str, int]:
    """Drop and harvest the site; returns the name of the run and the number of kills while it was at work."""
    server = Server(home)
    name = server.ask("/drop?file=site.lett", body=content)["name"]
    server.ask("/begin", {"files": name, **LANGS})
    spent, end = 0, time.monotonic() + WAIT_S
    while process_of(home, name) and time.monotonic() < end:
        if spent < kills:
            time.sleep(rng.random() * 1.5)
            at_work = process_of(home, name)
            server.kill()
            spent += bool(at_work)
            if at_work and rng.random() < 0.25:
                kill_group(at_work)
            server = Server(home)
        else:
            time.sleep(0.2)
        job = server.ask(f"/sites/{name}/verdicts") and json.loads(job_text(home, name))
        if job.get("error"):
            server.ask(f"/sites/{name}/go-on", {})
    server.kill()
    return name, spent


def job_text(home: Path, name: str) -> str:
    """The file of a job; an empty table when it has ended."""
    try:
        return (home / ".workbench" / "jobs" / f"{name}.json").read_text() or "{}"
    except OSError:
        return "{}"


def kill_group(process: int) -> None:
    """Kill a harvest with its workers."""
    try:
        os.killpg(process, signal.SIGKILL)
    except ProcessLookupError:
        return


def main() -> int:
    """Kill until the kills are spent; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--pages", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    rng = random.Random(asked.seed)
    content = lett_site("killed.example", range(asked.pages))
    with tempfile.TemporaryDirectory() as made:
        folder = asked.folder or Path(made)
        (folder / "site.lett").write_bytes(content)
        words = ["harvest", str(folder / "site.lett"), "-l", "en,fr", "-o", str(folder / "plain"), "--quiet"]
        subprocess.run([sys.executable, "-m", "diglot", *words], check=True)
        right, spent, wrong = outputs(folder / "plain"), 0, 0
        while spent < asked.kills:
            name, kills = harvest_with_kills(folder / "home", content, rng, min(KILLS_A_HARVEST, asked.kills - spent))
            spent += kills
            found = outputs(folder / "home" / name)
            left = sorted(path.name for path in (folder / "home" / ".workbench" / "jobs").iterdir())
            differing = sorted(each for each in right.keys() | found.keys() if right.get(each) != found.get(each))
            wrong += bool(differing or left)
            print(f"{name:10} {kills} kills, {spent} so far; other bytes: {differing}; left: {left}", flush=True)
    print(f"{spent} kills, {wrong} runs that differ")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
