"""Every regular expression of the program on lines of 1 MB made to cost it the most.

    python benchmarks/regex_attack.py [--length N] [NAME ...]

A line a rule: milliseconds of CPU for its dearest line, by which method, and how that line begins. The dearest lines
are found at 10,000 characters and then made long. Exit code 1 where a rule's time grows faster than the line.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "trust"))

from pattern_attacks import Rule, dearest_lines, rules, run

LENGTHS = (30, 300, 3000, 10_000)
ALLOWED_S_A_CHAR = 1.5e-6
LEAST_S = 0.005
ENOUGH_MS = 50.0
"""What a line of 1 MB may cost without more being asked; above it, half the line must cost half as much."""
LINEAR = 3.0
"""Twice the line may cost so many times as much: 2 in proportion, 4 for the square."""


def attack(rule: Rule, length: int) -> tuple[float, str, bool]:
    """Milliseconds at ``length``, what cost them, and whether that is in proportion to the line."""
    for short in LENGTHS:
        places = dearest_lines(rule, short, 3)
        taken_s, method, place = places[0]
        if taken_s > max(LEAST_S, ALLOWED_S_A_CHAR * short):
            return taken_s * 1000, f"{method} at {short} characters, line {place}", False
    dearest = (0.0, "", True)
    for _, method, place in places:
        whole, half = (
            min(run(rule, method, rule.line(place, size)) for _ in range(2)) for size in (length, length // 2)
        )
        line = rule.line(place, 30)
        proportionate = whole * 1000 <= ENOUGH_MS or whole <= LINEAR * half
        dearest = max(dearest, (whole * 1000, f"{method} {line[:30]!r}", proportionate))
    return dearest


def main() -> int:
    """Print a line a rule and one for all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--length", type=int, default=1_000_000)
    parser.add_argument("names", nargs="*", help="only rules whose names hold one of these")
    asked = parser.parse_args()
    chosen = [rule for rule in rules() if not asked.names or any(name in rule.name for name in asked.names)]
    bad, slow = [], 0
    for rule in chosen:
        milliseconds, what, proportionate = attack(rule, min(asked.length, rule.longest or asked.length))
        slow += milliseconds > ENOUGH_MS
        print(
            f"{milliseconds:9.1f} ms  {rule.name}  {what}{'' if proportionate else '  NOT IN PROPORTION'}", flush=True
        )
        bad += [] if proportionate else [rule.name]
    print(
        f"{len(chosen)} rules, {slow} above {ENOUGH_MS:g} ms, not in proportion to the line: {', '.join(bad) or 'none'}"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
