"""What an attack has found so far: counts that add up over its blocks, and the line that tells them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

MAX_FAILURES_TOLD = 20
"""Failures printed after the line; the journal holds all."""


@dataclass
class Tally:
    """Rounds done and what came of them.

    ``crashes``: rounds that ended in what nobody foresaw. ``over``: rounds past a limit of time or memory.
    ``wrong``: rounds whose result is not what it must be. ``slowest_s``: of one round. ``peak_mib``: resident
    memory of the process under attack. ``failures``: a line for each round that failed, from which it is repeated.
    """

    rounds: int = 0
    crashes: int = 0
    over: int = 0
    wrong: int = 0
    slowest_s: float = 0.0
    peak_mib: float = 0.0
    cpu_s: float = 0.0
    wall_s: float = 0.0
    counts: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.rounds + other.rounds,
            self.crashes + other.crashes,
            self.over + other.over,
            self.wrong + other.wrong,
            max(self.slowest_s, other.slowest_s),
            max(self.peak_mib, other.peak_mib),
            self.cpu_s + other.cpu_s,
            self.wall_s + other.wall_s,
            self.counts + other.counts,
            self.failures + other.failures,
        )

    @property
    def held(self) -> bool:
        """Whether no round failed."""
        return not (self.crashes or self.over or self.wrong)

    def fail(self, kind: str, what: str) -> None:
        """Count a failed round; ``kind``: ``crashes``, ``over`` or ``wrong``."""
        setattr(self, kind, getattr(self, kind) + 1)
        self.failures.append(f"{kind}: {' '.join(what.split())}")

    def as_table(self) -> dict[str, Any]:
        """As plain values for JSON."""
        return {**vars(self), "counts": dict(self.counts)}

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Tally:
        """Back from :meth:`as_table`."""
        return cls(**{**table, "counts": Counter(table["counts"])})

    def line(self, name: str, total: int, limits: str) -> str:
        """The one line that tells it; ``limits``: what counts as over, in words, "" for nothing."""
        done = f"{self.rounds:,}" if self.rounds >= total else f"{self.rounds:,} of {total:,}"
        over = f", {self.over} over {limits}" if limits else ""
        told = ", ".join(f"{what} {count:,}" for what, count in sorted(self.counts.items()))
        return (
            f"{name}: {done} rounds, {self.crashes} crashes, {self.wrong} wrong{over}; "
            f"slowest {self.slowest_s:.2f} s, peak {self.peak_mib:,.0f} MiB, "
            f"{self.wall_s:,.0f} s wall, {self.cpu_s:,.0f} s CPU{f'; {told}' if told else ''}"
        )
