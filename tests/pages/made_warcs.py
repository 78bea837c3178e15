"""WARC files written with the standard library alone, record by record, for the tests of the reader."""

from __future__ import annotations

import base64
import gzip
import hashlib
import random
from collections.abc import Iterable, Mapping
from pathlib import Path

from diglot.pages import open_sources, read
from diglot.records import Drop, Page

DATE = "2024-06-01T12:00:00Z"


def http(body: bytes, *, status: str = "200 OK", fields: Mapping[str, str] | None = None, html: bool = True) -> bytes:
    lines = {"Content-Type": "text/html", "Content-Length": str(len(body))} if html else {}
    lines.update(fields or {})
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value)
    return f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + body


def record(
    block: bytes,
    *,
    url: str = "http://a.example/",
    kind: str = "response",
    fields: Mapping[str, str] | None = None,
) -> bytes:
    lines = {
        "WARC-Type": kind,
        "WARC-Target-URI": url,
        "WARC-Date": DATE,
        "WARC-Record-ID": "<urn:uuid:0c0e7614-6e23-537f-82a5-3507dbed109a>",
        "Content-Type": "application/http; msgtype=response",
        "Content-Length": str(len(block)),
    }
    lines.update(fields or {})
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value)
    return f"WARC/1.0\r\n{head}\r\n".encode() + block + b"\r\n\r\n"


def sha1(content: bytes) -> str:
    return "sha1:" + base64.b32encode(hashlib.sha1(content).digest()).decode()


def member(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


def made_site(count: int = 24, seed: int = 7) -> dict[str, bytes]:
    """Pages of 2 to 20 kB by address, with text that no page shares."""
    rng = random.Random(seed)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 9))) for _ in range(3000)]
    pages = {}
    for number in range(count):
        text = " ".join(rng.choices(words, k=rng.randint(300, 3000)))
        pages[f"http://a.example/{number}.html"] = f"<html><body><p>{text}</p></body></html>\n".encode()
    return pages


def read_bytes(folder: Path, content: bytes, *, name: str = "made.warc", **options: int) -> list[Page | Drop]:
    path = folder / name
    path.write_bytes(content)
    [source] = open_sources([str(path)])
    return list(read(source, **options))


def pages_of(found: Iterable[Page | Drop]) -> dict[str, bytes]:
    pages = [item for item in found if isinstance(item, Page)]
    by_url = {page.url: page.body for page in pages}
    assert len(by_url) == len(pages)
    return by_url


def drops_of(found: Iterable[Page | Drop]) -> list[Drop]:
    return [item for item in found if isinstance(item, Drop)]
