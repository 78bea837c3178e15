"""Mutated documents of all kinds through the reader in a worker of its own: what became of each, deaths and hangs.

    python benchmarks/document_mutations.py FOLDER [--rounds 3000] [--seconds 280] [--seed 1]

FOLDER holds documents to mutate: PDF, DOCX, ODT, EPUB. The worker has a limit of memory and each document one of time,
as in a harvest. A worker that dies is begun anew, and the seed of its document is printed.
"""

from __future__ import annotations

import argparse
import io
import random
import re
import resource
import time
import zipfile
import zlib
from collections import Counter
from collections.abc import Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

KINDS = (".pdf", ".docx", ".odt", ".epub")
LIMIT_S = 20
MEMORY = 3 << 30
PARTS = (b"/Kids", b"/Count", b"/Length", b"/MCID", b"/K", b"/Contents", b"/Filter", b"endobj", b"stream", b"<<", b"]")
NUMBERS = (b"0", b"1", b"-1", b"7", b"43", b"2147483648", b"99999999999")
MARKUP = (
    b"<",
    b">",
    b"</w:p>",
    b"<w:p>",
    b"<table:table-cell>",
    b"&a;",
    b"<![CDATA[",
    b"\xff\xfe",
    b"\0",
    b"<p><p><p>",
    b"]]>",
)
SIGNS = b"0123456789 .-[]()<>/TjBETQqDoMC"


def mutate(body: bytes, random_: random.Random) -> bytes:
    """The document with some bytes, numbers, names or streams changed, or cut; of a ZIP mostly those of a member."""
    if body.startswith(b"PK") and random_.random() < 0.8:
        return _change_member(body, random_)
    out = bytearray(body)
    for _ in range(random_.randint(1, 12)):
        kind = random_.randrange(7)
        place = random_.randrange(max(len(out), 1))
        if kind == 0 and out:
            out[place] = random_.randrange(256)
        elif kind == 1:
            del out[place : place + random_.randint(1, 400)]
        elif kind == 2:
            start = random_.randrange(max(len(out), 1))
            out[place:place] = out[start : start + random_.randint(1, 400)]
        elif kind == 3:
            _change_number(out, random_)
        elif kind == 4:
            out[place:place] = random_.choice(PARTS)
        elif kind == 5:
            _change_stream(out, random_)
        elif random_.random() < 0.15:
            del out[place:]
    return bytes(out)


def _change_member(body: bytes, random_: random.Random) -> bytes:
    """The ZIP with a member mutated, mostly one with text, so that readers see its markup and not only its damage."""
    with zipfile.ZipFile(io.BytesIO(body)) as package:
        members = {name: package.read(name) for name in package.namelist()}
    texts = [name for name in members if name.endswith((".xml", ".xhtml", ".html", ".rels", ".opf"))] or [*members]
    chosen = random_.choice(texts)
    content = bytearray(members[chosen])
    for _ in range(random_.randint(1, 8)):
        place = random_.randrange(max(len(content), 1))
        end = place + random_.randint(0, 60)
        start = random_.randrange(max(len(content), 1))
        content[place:end] = random_.choice((*MARKUP, bytes(content[start : start + 200]), b""))
    members[chosen] = bytes(content)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in members.items():
            package.writestr(name, data)
    return out.getvalue()


def _change_number(out: bytearray, random_: random.Random) -> None:
    numbers = [*re.finditer(rb"\d+", out[: 1 << 20])]
    if numbers:
        found = random_.choice(numbers)
        out[found.start() : found.end()] = random_.choice(NUMBERS)


def _change_stream(out: bytearray, random_: random.Random) -> None:
    """Mutate what a stream inflates to, so that PDFium reads its content and not only its damage."""
    streams = [*re.finditer(rb"stream\r?\n", out)]
    if not streams:
        return
    start = random_.choice(streams).end()
    end = out.find(b"endstream", start)
    try:
        content = bytearray(zlib.decompress(bytes(out[start:end])))
    except zlib.error:
        return
    for _ in range(random_.randint(1, 20)):
        if content:
            place = random_.randrange(len(content))
            content[place : place + random_.randint(0, 3)] = bytes(random_.choices(SIGNS, k=random_.randint(0, 4)))
    out[start:end] = zlib.compress(bytes(content), 1) + b"\n"


def serve(channel: Connection) -> None:
    """Read the documents that come, and say what each gave."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    from diglot.documents.parse import parse_pages
    from diglot.pages.media import require_page
    from diglot.records import Drop, Page, Refused

    while (body := channel.recv_bytes()) != b"end":
        try:
            require_page(body, "", 16 << 20)
            row = parse_pages([Page("https://a.example/x", body)])[0]
            said = str(row.reason) if isinstance(row, Drop) else f"read {row['media']}"
        except Refused as refused:
            said = str(refused.reason)
        except MemoryError:
            said = "MemoryError"
        except Exception as error:  # noqa: BLE001 - what is counted here must be none
            said = f"DEFECT {type(error).__name__}: {error}"
        channel.send(said)


def run(bodies: Sequence[bytes], rounds: int, seed: int, *, seconds: float = 1e9) -> Counter[str]:
    """Count what became of the mutated documents."""
    context = get_context("spawn")
    counts: Counter[str] = Counter()
    worker = channel = None
    begun = time.monotonic()
    for number in range(rounds):
        if time.monotonic() - begun > seconds:
            break
        random_ = random.Random(seed * 1_000_003 + number)
        body = mutate(random_.choice(bodies), random_)
        if worker is None:
            channel, other = context.Pipe()
            worker = context.Process(target=serve, args=(other,), daemon=True)
            worker.start()
            other.close()
        started = time.monotonic()
        try:
            channel.send_bytes(body)
            said = channel.recv() if channel.poll(LIMIT_S) else "over the time limit"
        except (EOFError, ConnectionError):
            said = "worker died"
        counts[said] += 1
        if said in ("over the time limit", "worker died") or said.startswith("DEFECT"):
            print(f"{seed}:{number} {said} after {time.monotonic() - started:.1f} s", flush=True)
        if said in ("over the time limit", "worker died"):
            worker.kill()
            worker.join()
            worker = None
    return counts


if __name__ == "__main__":
    given = argparse.ArgumentParser()
    given.add_argument("folder", type=Path)
    given.add_argument("--rounds", type=int, default=3_000)
    given.add_argument("--seconds", type=float, default=1e9, help="stop after so many")
    given.add_argument("--seed", type=int, default=1)
    options = given.parse_args()
    sources = [path.read_bytes() for path in sorted(options.folder.iterdir()) if path.suffix in KINDS]
    for name, count in run(sources, options.rounds, options.seed, seconds=options.seconds).most_common():
        print(f"{count:7} {name}")
