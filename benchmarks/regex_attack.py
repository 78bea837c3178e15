"""Every regular expression of the program on lines of 1 MB made to cost it the most.

    python benchmarks/regex_attack.py [--length N] [NAME ...]

A line a rule: milliseconds of CPU for its dearest line, by which method, and how that line begins. The dearest lines
are found at 10,000 characters and then made long: 1 MB, or as long as the rule sees them where they are cut before, by
the table BOUNDED of tests/trust/pattern_attacks.py. Exit code 1 where a rule takes longer than twice what a match at
each character of 1 MB takes on this machine, or more than in proportion to the line.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "trust"))

from pattern_attacks import Rule, dearest_lines, rules, run

LENGTHS = (30, 300, 3000, 10_000)
ALLOWED_S_A_CHAR = 1.5e-6
LEAST_S = 0.005
ENOUGH = 2.0
"""Most that a line may cost, as a multiple of a match at each character of 1 MB, which a busy machine slows, too."""
PLAIN = Rule("plain", re.compile("a"), ("finditer",))
RUNS = 5
"""The quickest counts: other work of the machine only adds to the time."""
TRIES = 4
"""Other work of the machine makes a line dear in some of them, a rule in all."""
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
        for _ in range(TRIES):
            whole, half = (
                min(run(rule, method, rule.line(place, size)) for _ in range(RUNS)) for size in (length, length // 2)
            )
            if proportionate := whole <= max(LINEAR * half, LEAST_S):
                break
        dearest = max(dearest, (whole * 1000, f"{method} {rule.line(place, 30)[:30]!r}", proportionate))
    return dearest


def main() -> int:
    """Print a line a rule and one for all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--length", type=int, default=1_000_000)
    parser.add_argument("names", nargs="*", help="only rules whose names hold one of these")
    asked = parser.parse_args()
    chosen = [rule for rule in rules() if not asked.names or any(name in rule.name for name in asked.names)]
    enough_ms = ENOUGH * 1000 * min(run(PLAIN, "finditer", "a" * 1_000_000) for _ in range(RUNS))
    disproportionate: list[str] = []
    slow: list[str] = []
    cut = 0
    for rule in chosen:
        length = min(asked.length, rule.longest or asked.length)
        milliseconds, what, proportionate = attack(rule, length)
        cut += length < asked.length
        slow += [rule.name] if milliseconds > enough_ms else []
        disproportionate += [] if proportionate else [rule.name]
        told = "" if length == asked.length else f"  cut at {length:,} in {rule.cut_in or 'a name'}"
        print(
            f"{milliseconds:9.1f} ms  {rule.name}  {what}{told}{'' if proportionate else '  NOT IN PROPORTION'}",
            flush=True,
        )
    print(
        f"{len(chosen)} rules, {cut} on lines that are cut before; "
        f"above {enough_ms:.0f} ms: {', '.join(slow) or 'none'}; "
        f"not in proportion to the line: {', '.join(disproportionate) or 'none'}"
    )
    return 1 if slow or disproportionate else 0


if __name__ == "__main__":
    sys.exit(main())
