"""Count what hostile behaviours of one host draw from a crawl in ten virtual minutes, and print a table.

    python benchmarks/crawl_counting.py [BEHAVIOUR ...]

Each is crawled once undisturbed, and for two minutes once more, killed after every seven requests. Exit code 1 where
an address is asked for more than three times, two requests are nearer than the delay, or a behaviour draws more than it
may.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "crawl"))

from counting_server import BEHAVIOURS, crawl_hostile

from diglot.crawl.queue.frontier import MAX_TRIES

DELAY_S = 1.0
KILL_EVERY, KILLED_S = 7, 120.0


def main() -> int:
    names = sys.argv[1:] or list(BEHAVIOURS)
    failed, began = 0, time.perf_counter()
    print(f"{'behaviour':<56} {'requests':>8} {'most to one address':>20} {'least gap':>10}   ended")
    print(f"{'':<56} {'':>8} {'also killed often':>20}")
    for name in names:
        behaviour, bound = BEHAVIOURS[name]
        with tempfile.TemporaryDirectory() as whole, tempfile.TemporaryDirectory() as killed:
            counts = crawl_hostile(behaviour, Path(whole), delay_s=DELAY_S)
            often = crawl_hostile(behaviour, Path(killed), delay_s=DELAY_S, seconds=KILLED_S, kill_every=KILL_EVERY)
        most, gap_s = max(counts.most, often.most), min(counts.least_gap_s, often.least_gap_s)
        kept = counts.requests <= bound and most <= MAX_TRIES and gap_s >= DELAY_S
        failed += not kept
        told = f"{counts.most} / {often.most}"
        gap = f"{gap_s:.2f} s" if gap_s < float("inf") else "-"
        print(f"{name:<56} {counts.requests:>8} {told:>20} {gap:>10} {counts.ended_s:>5.0f} s{'' if kept else '  NO'}")
    print(f"{len(names)} behaviours, {failed} missed, {time.perf_counter() - began:.0f} s")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
