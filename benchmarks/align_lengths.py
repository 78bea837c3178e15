"""Speed of length alignment against another Gale-Church, both in this run: ``python benchmarks/align_lengths.py [N]``.

The other is the PyPI package ``galechurch`` where it is installed, else a full matrix filled by numpy, one
anti-diagonal at a time. Prints seconds (best of three) and the ratio; N is the number of sentences, 2000 if not given.
"""

from __future__ import annotations

import importlib.util
import math
import sys
import time
from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import log_ndtr

from diglot.alignment.gale_church import PRIORS, VARIANCE, align_lengths


def numpy_full_matrix(src: Sequence[int], tgt: Sequence[int]) -> float:
    """Least cost over the full matrix; the cells of an anti-diagonal do not depend on each other."""
    sums = [np.concatenate(([0.0], np.cumsum(lengths))) for lengths in (src, tgt)]
    n, m = len(src), len(tgt)
    cost = np.full((n + 1, m + 1), np.inf)
    cost[0, 0] = 0.0
    for diagonal in range(1, n + m + 1):
        i = np.arange(max(0, diagonal - m), min(n, diagonal) + 1)
        j = diagonal - i
        best = np.full(len(i), np.inf)
        for (a, b), prior in PRIORS.items():
            inside = (i >= a) & (j >= b)
            k, low_k = i[inside], j[inside]
            l1, l2 = sums[0][k] - sums[0][k - a], sums[1][low_k] - sums[1][low_k - b]
            delta = np.abs(l2 - l1) / np.sqrt(VARIANCE * np.maximum((l1 + l2) / 2, 1e-9))
            bead = -math.log(2 * prior) - log_ndtr(-delta)
            best[inside] = np.minimum(best[inside], cost[k - a, low_k - b] + bead)
        cost[i, j] = best
    return float(cost[n, m])


def other_aligner() -> tuple[str, Callable[[list[int], list[int]], object]]:
    if importlib.util.find_spec("galechurch") is None:
        return "numpy, full matrix", numpy_full_matrix
    import galechurch

    def by_package(src: list[int], tgt: list[int]) -> object:
        return galechurch.align(["x" * length for length in src], ["x" * length for length in tgt])

    return "galechurch", by_package


def best_of_three(align: Callable[[list[int], list[int]], object], src: list[int], tgt: list[int]) -> float:
    seconds = []
    for _ in range(3):
        started = time.perf_counter()
        align(src, tgt)
        seconds.append(time.perf_counter() - started)
    return min(seconds)


def main() -> None:
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    rng = np.random.default_rng(0)
    lengths = rng.integers(10, 300, size)
    noise = rng.normal(0, 1, size) * np.sqrt(VARIANCE * lengths)
    src, tgt = lengths.tolist(), np.maximum(1, lengths + noise).astype(int).tolist()
    align_lengths([1], [1])  # compiles
    ours = best_of_three(align_lengths, src, tgt)
    name, other = other_aligner()
    theirs = best_of_three(other, src, tgt)
    print(f"{size} sentences a side: diglot {ours:.3f} s, {name} {theirs:.3f} s, ratio {theirs / ours:.1f}")


if __name__ == "__main__":
    main()
