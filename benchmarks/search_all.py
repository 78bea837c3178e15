"""What a search over all sites of the workbench costs, in a folder of made indexes.

    python benchmarks/search_all.py FOLDER --segments 1000000 --sites 20

Words are drawn by Zipf's law, queries of one to three words at random from the segments. Prints percentiles of the time
of a search, the size of the indexes, and the processor time of making them.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator
from pathlib import Path

from diglot.workbench.concordance import Concordance, make_index

WORDS = 50_000
SIGNS = 3_000
QUERIES = 500
ROW = tuple[str, str, str, str, str, str]


def made_rows(count: int, seed: int) -> Iterator[ROW]:
    """Segments of English and Japanese: words and characters drawn by their ranks."""
    draw = random.Random(seed)
    weights = [1 / (rank + 2) for rank in range(WORDS)]
    totals = [sum(weights[:1])]
    for weight in weights[1:]:
        totals.append(totals[-1] + weight)
    names = [_name(number) for number in range(WORDS)]
    for number in range(count):
        src = " ".join(draw.choices(names, cum_weights=totals, k=draw.randrange(3, 25)))
        signs = (min(SIGNS - 1, int(draw.paretovariate(0.6))) for _ in range(draw.randrange(4, 40)))
        url = f"https://site{seed}.example/{number // 30}"
        yield "en", "ja", src, "".join(chr(0x4E00 + sign) for sign in signs), f"{url}/en", f"{url}/ja"


def _name(number: int) -> str:
    letters = ""
    while number or not letters:
        number, rest = divmod(number, 26)
        letters += chr(97 + rest)
    return letters + "e"


def queries(seed: int) -> Iterator[str]:
    """One to three words or characters that follow each other in a segment."""
    draw = random.Random(seed)
    for _, _, src, tgt, _, _ in made_rows(QUERIES, seed + 1_000):
        size = draw.randrange(1, 4)
        parts: list[str] = src.split() if draw.random() < 0.5 else list(tgt)
        first = draw.randrange(max(1, len(parts) - size))
        yield ("" if parts == list(tgt) else " ").join(parts[first : first + size])


def main() -> None:
    """Make the indexes that are missing, search, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--segments", type=int, default=1_000_000)
    parser.add_argument("--sites", type=int, default=20)
    asked = parser.parse_args()
    concordance = Concordance(asked.folder)
    names = [f"site{number}" for number in range(asked.sites)]
    began = time.process_time()
    for number, name in enumerate(names):
        if not concordance.path_of(name).is_file():
            make_index(concordance.path_of(name), "", made_rows(asked.segments // asked.sites, number))
    print(f"made in {time.process_time() - began:.0f} s of processor time")
    print(f"size {sum(concordance.path_of(name).stat().st_size for name in names) / 1e6:.0f} MB")
    times = []
    for query in queries(1):
        start, cost = time.perf_counter(), time.process_time()
        found = len(concordance.search(query, names))
        times.append((time.perf_counter() - start, time.process_time() - cost, found))
    for column, what in ((0, "wall"), (1, "processor")):
        ordered = sorted(each[column] * 1000 for each in times)
        shown = ", ".join(
            f"{share:.0%} {ordered[int(share * (len(ordered) - 1))]:.1f} ms" for share in (0.5, 0.95, 1.0)
        )
        print(f"{len(ordered)} searches, {what}: {shown}")
    print(f"{sum(found == 0 for _, _, found in times)} searches without a hit")


if __name__ == "__main__":
    main()
