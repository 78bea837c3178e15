"""Pages of one host out of an archive of many, by its CDXJ index and by reading all: bytes and seconds.

    python benchmarks/cdxj_read.py examples/sample/pages.warc.gz

Makes the archive of the pages of a WARC file in a temporary folder: 100 hosts with 100 records each.
"""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
import time
from pathlib import Path

from diglot.pages import open_sources, read
from diglot.records import Page

HOSTS = 100
RECORDS_A_HOST = 100


def make_archive(sample: Path, folder: Path) -> None:
    """Write ``all.warc.gz``, the hosts' records taking turns, and ``all.cdxj``."""
    (source,) = open_sources([str(sample)])
    bodies = [page.body for page in read(source) if isinstance(page, Page)]
    lines = []
    with (folder / "all.warc.gz").open("wb") as file:
        for number in range(HOSTS * RECORDS_A_HOST):
            url = f"http://{number % HOSTS}.example/{number}.html"
            body = bodies[number % len(bodies)]
            http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
            head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Length: {len(http)}\r\n\r\n"
            member = gzip.compress(head.encode() + http + b"\r\n\r\n", 6, mtime=0)
            told = {"url": url, "mime": "text/html", "status": "200", "filename": file.name.rpartition("/")[2]}
            told |= {"offset": str(file.tell()), "length": str(len(member))}
            lines.append(f"example,{number % HOSTS})/{number}.html 20240601120000 {json.dumps(told)}\n")
            file.write(member)
    (folder / "all.cdxj").write_text("".join(sorted(lines)))


def bytes_asked() -> int:
    """Bytes that this process has asked the system for so far, files that are mapped left out."""
    return int(Path("/proc/self/io").read_text().split()[1])


def measure(name: str, path: Path, *, hosts: tuple[str, ...] = ()) -> None:
    """Read a source and print what that took; the file itself is mapped, and counts as a whole."""
    before, start = bytes_asked(), time.perf_counter()
    (source,) = open_sources([str(path)], hosts=hosts)
    pages = sum(isinstance(found, Page) for found in read(source))
    seconds, asked = time.perf_counter() - start, bytes_asked() - before
    print(f"{name:24} {pages:6} pages {(asked + path.stat().st_size) / 1e6:8.2f} MB {seconds:7.2f} s")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_archive(Path(sys.argv[1]), folder)
        index, archive = folder / "all.cdxj", folder / "all.warc.gz"
        measure("all of the archive", archive)
        measure("all by the index", index)
        measure("one host by the index", index, hosts=("7.example",))


if __name__ == "__main__":
    main()
