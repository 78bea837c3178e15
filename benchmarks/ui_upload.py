"""Send large files to the workbench: one within its limit, one above it with its length, one above it without.

    python benchmarks/ui_upload.py [--megabytes 1024] [--folder DIR]

The bytes come from a generator, and no file is made on the side of the sender. Prints, for each: the answer, the most
memory of the server, the most bytes that it had on disk, what it left there, and its processor time. Exit code 1 if a
file within the limit is not stored whole, if one above it is not refused with a sentence, if anything is left of it, or
if the server needs more memory than 200 MB.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from urllib.parse import urlsplit

from diglot.workbench.uploads import MAX_UPLOAD_BYTES

PART = bytes(1 << 20)
MOST_MEMORY = 200
LOOK_EVERY_S = 0.05


class Server:
    """A workbench in a process, and the cookie that it gives."""

    def __init__(self, home: Path) -> None:
        self.home = home
        command = [sys.executable, "-m", "diglot", "ui", str(home), "--no-browser"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        address = urlsplit(self.process.stdout.readline().split()[1])
        self.host = address.netloc
        self.cookie = self.get(f"{address.path}?{address.query}").getheader("set-cookie", "").split(";")[0]

    def get(self, path: str) -> http.client.HTTPResponse:
        """The answer to a question."""
        connection = http.client.HTTPConnection(self.host)
        connection.request("GET", path)
        return connection.getresponse()

    def send(self, name: str, parts: Iterator[bytes], length: int | None) -> tuple[int, str]:
        """Send a file; returns the status and the sentence of the answer, 0 where the connection ends without one."""
        connection = http.client.HTTPConnection(self.host, timeout=600)
        headers = {"Cookie": self.cookie, "Origin": f"http://{self.host}"}
        headers |= {"Transfer-Encoding": "chunked"} if length is None else {"Content-Length": str(length)}
        # The server may answer before the end, and read no more.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.request("POST", f"/drop?file={name}", parts, headers, encode_chunked=length is None)
        try:
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read()).get("error", "stored")
        except (OSError, http.client.HTTPException) as error:
            return 0, type(error).__name__

    def cpu_seconds(self) -> float:
        """User and system time of the process so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak_megabytes(self) -> float:
        """Most resident memory of the process so far."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024

    def stored_bytes(self) -> int:
        """Size of the dropped files on disk."""
        paths = list((self.home / ".workbench" / "files").rglob("*"))
        return sum(path.stat().st_size for path in paths if path.is_file())


def parts_of(size: int) -> Iterator[bytes]:
    """So many bytes, a part after the other."""
    while size > 0:
        yield PART[:size]
        size -= len(PART)


def watch(server: Server, end: Event, seen: list[int]) -> None:
    """Note the bytes on disk until the end."""
    while not end.wait(LOOK_EVERY_S):
        try:
            seen.append(server.stored_bytes())
        except OSError:  # deleted between two looks
            continue


def measure(server: Server, name: str, size: int, *, says_length: bool) -> tuple[int, int]:
    """Send a file and print the figures; returns the status and the bytes left on disk."""
    before, cpu, began = server.stored_bytes(), server.cpu_seconds(), time.monotonic()
    end, seen = Event(), [0]
    watcher = Thread(target=watch, args=(server, end, seen), daemon=True)
    watcher.start()
    status, said = server.send(name, parts_of(size), size if says_length else None)
    end.set()
    watcher.join()
    left = server.stored_bytes() - before
    print(
        f"{size >> 20:,} MB, {'with' if says_length else 'without'} its length: {status} {said}\n"
        f"    memory at most {server.peak_megabytes():.0f} MB, on disk at most {max(seen) - before >> 20:,} MB, "
        f"left {left >> 20:,} MB, {server.cpu_seconds() - cpu:.1f} s of processor, {time.monotonic() - began:.1f} s"
    )
    return status, left


def main() -> int:
    """Send the files; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=1024)
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    within, above = asked.megabytes << 20, MAX_UPLOAD_BYTES + len(PART)
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        server = Server(Path(folder) / "home")
        try:
            outcomes = [
                measure(server, "within.warc", within, says_length=True) == (200, within),
                measure(server, "told.warc", above, says_length=True) == (400, 0),
                measure(server, "untold.warc", above, says_length=False) == (400, 0),
                server.peak_megabytes() < MOST_MEMORY,
            ]
        finally:
            server.process.terminate()
            server.process.wait()
    return not all(outcomes)


if __name__ == "__main__":
    sys.exit(main())
