"""Run an attack, or go on with it, and print its line.

    PYTHONPATH=benchmarks python -m attack NAME [--rounds N] [--seconds S] [--seed N] [--corpus PATH] [--only ROUND]

A round is made from the seed and its number alone. What is done is kept in ``build/attack``: the same command goes
on, also after a kill, until all rounds are done; ``--seconds`` ends it before, at the end of a block of rounds.
``--only`` repeats a single round, as a failure names it, and notes nothing. Exit code 1 where any round failed.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from pathlib import Path

from attack.journal import Journal, code_hash
from attack.tally import MAX_FAILURES_TOLD, Tally

ATTACKS = (
    "pages",
    "documents",
    "sites",
    "kills",
    "commands",
    "addresses",
    "rebinds",
    "warcs",
    "bombs",
    "report",
    "updates",
)
STATE = Path(__file__).resolve().parents[2] / "build" / "attack"


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=ATTACKS)
    parser.add_argument("--rounds", type=int, help="how many in all; without it the full figure")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end this call after about so many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--corpus", type=Path, help="a WARC file, or a folder of them, beside the sample")
    parser.add_argument("--only", type=int, help="repeat this round alone")
    parser.add_argument("--state", type=Path, default=STATE, help=argparse.SUPPRESS)
    given = parser.parse_args(words)
    attack = importlib.import_module(f"attack.{given.name}")
    if given.only is not None:
        with attack.opened(given.seed, given.corpus) as run:
            alone = run(range(given.only, given.only + 1))
        return _tell(f"attack-{given.name}", alone, 1, attack.LIMITS, [])
    total = attack.ROUNDS if given.rounds is None else given.rounds
    corpus = f"-{given.corpus.name}" if given.corpus else ""
    journal = Journal(given.state / f"{given.name}-{given.seed}{corpus}.jsonl")
    code_hash()
    began, done = time.monotonic(), journal.tally()
    if done.rounds < total:
        with attack.opened(given.seed, given.corpus) as run:
            while done.rounds < total and time.monotonic() - began < given.seconds:
                started = time.monotonic()
                block = run(range(done.rounds, min(total, done.rounds + attack.BLOCK)))
                block.wall_s = time.monotonic() - started
                journal.add(block)
                done += block
    return _tell(f"attack-{given.name}", done, total, attack.LIMITS, journal.versions())


def _tell(name: str, tally: Tally, total: int, limits: str, versions: list[str]) -> int:
    code = f"; code {', '.join(versions)}" if versions else ""
    print(tally.line(name, total, limits) + code, flush=True)
    for failure in tally.failures[:MAX_FAILURES_TOLD]:
        print(f"  {failure}", file=sys.stderr)
    return 0 if tally.held else 1


if __name__ == "__main__":
    sys.exit(main())
