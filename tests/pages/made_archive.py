"""An archive of WARC files of one record a gzip member, and its CDXJ index, as crawlers write both."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from made_warcs import http, made_site, member, record

HOSTS = ("a.example", "www.b.example", "c.example")


class Kept(NamedTuple):
    """A record as it lies in its file, with what an index says of it; ``told`` is empty where none is made of it."""

    file: str
    content: bytes
    told: dict[str, str]


def made_records(count: int = 24, *, packed: bool = True) -> list[Kept]:
    """Pages of three hosts in two files, with a redirect, a picture, a repetition and a request among them."""
    kept = []
    for number, body in enumerate(made_site(count).values()):
        url = f"http://{HOSTS[number % 3]}/{number}.html"
        file = f"{number % 2}.warc.gz" if packed else f"{number % 2}.warc"
        told = {"url": url, "mime": "text/html", "status": "200"}
        moved = record(http(b"", status="301 Moved", fields={"Location": "/"}), url=f"{url}?moved")
        image = record(http(b"GIF89a", fields={"Content-Type": "image/gif"}), url=f"{url}?image")
        same = record(b"", url=f"{url}?same", kind="revisit")
        kept += [
            Kept(file, record(b"GET / HTTP/1.1\r\n\r\n", url=url, kind="request"), {}),
            Kept(file, record(http(body), url=url), told),
            Kept(file, moved, {"url": f"{url}?moved", "mime": "text/html", "status": "301"}),
            Kept(file, image, {"url": f"{url}?image", "mime": "image/gif", "status": "200"}),
            Kept(file, same, {"url": f"{url}?same", "mime": "warc/revisit", "status": "-"}),
        ]
    return [each._replace(content=member(each.content)) for each in kept] if packed else kept


def files_of(kept: Iterable[Kept]) -> tuple[dict[str, bytes], bytes]:
    """The WARC files by name, and the index of them."""
    files: dict[str, bytes] = {}
    lines = []
    for file, content, told in kept:
        offset = len(files.setdefault(file, b""))
        files[file] += content
        if told:
            where = {"offset": str(offset), "length": str(len(content)), "filename": file}
            lines.append(line_of({**told, **where}))
    return files, b"".join(sorted(lines))


def line_of(told: dict[str, str]) -> bytes:
    """A line of an index; the key is not that of a real one, and is not looked at."""
    return f"example,a)/ 20240601120000 {json.dumps(told)}\n".encode()


def write_archive(folder: Path, kept: Iterable[Kept]) -> Path:
    """Write files and index into a folder; gives the index."""
    files, index = files_of(kept)
    for name, content in {**files, "index.cdxj": index}.items():
        (folder / name).write_bytes(content)
    return folder / "index.cdxj"
