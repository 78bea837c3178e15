"""How fast WARC files are read, beside fastwarc on the same file in the same run.

    python benchmarks/warc_read.py FILE.warc.gz

Ours checks every CRC and length and gives out HTML pages; fastwarc reads the records' bytes and checks
nothing. Best of ``ROUNDS`` each, taken in turns; megabytes are of page bodies, uncompressed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from fastwarc import ArchiveIterator
from fastwarc.warc import WarcRecordType

from diglot.pages import open_sources, read
from diglot.records import Page

ROUNDS = 5


def bodies_by_diglot(path: str) -> int:
    """Bytes of all pages, by our reader."""
    [source] = open_sources([path])
    return sum(len(item.body) for item in read(source) if isinstance(item, Page))


def bodies_by_fastwarc(path: str) -> int:
    """Bytes of all response bodies, by fastwarc."""
    with open(path, "rb") as file:
        return sum(len(record.reader.read()) for record in ArchiveIterator(file, WarcRecordType.response))


def megabytes_per_second(count: Callable[[str], int], path: str) -> float:
    """Speed of one reading."""
    start = time.perf_counter()
    size_bytes = count(path)
    return size_bytes / 1e6 / (time.perf_counter() - start)


def main(path: str) -> None:
    """Print both speeds and their ratio."""
    readers = {"diglot": bodies_by_diglot, "fastwarc": bodies_by_fastwarc}
    best = dict.fromkeys(readers, 0.0)
    for _ in range(ROUNDS):
        for name, count in readers.items():
            best[name] = max(best[name], megabytes_per_second(count, path))
    for name, speed in best.items():
        print(f"{name:9} {speed:7.1f} MB/s")
    print(f"ratio     {best['diglot'] / best['fastwarc']:7.2f}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} FILE.warc.gz")
    main(sys.argv[1])
