"""The small website on two hosts, in part with other words: a run of several sites that takes seconds."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from pathlib import Path

from made_sites import lett_line
from made_website import website

HOSTS = ("garden.example", "harbour.example")


def lines_of(host: str, change: tuple[bytes, bytes] = (b"", b"")) -> list[bytes]:
    """The small website on a host, with one text replaced by another."""
    pages = website().items()
    return [lett_line(name[:2], f"http://{host}/{name}", body.replace(*change)) for name, body in pages if body]


def sites() -> dict[str, list[bytes]]:
    """Two sites that say the same in part; of the second the translations lack some words and it has fewer pages."""
    return {HOSTS[0]: lines_of(HOSTS[0]), HOSTS[1]: lines_of(HOSTS[1], (b"Chapitre", b"Bassin"))[:-9]}


def write_mixed(folder: Path, pages: Mapping[str, list[bytes]], *, files: int = 1, order: int = 0) -> list[Path]:
    """Files with the pages of all these sites, mixed."""
    folder.mkdir()
    lines = [line for own in pages.values() for line in own]
    random.Random(order).shuffle(lines)
    paths = [folder / f"pages{number}.lett" for number in range(files)]
    for number, path in enumerate(paths):
        path.write_bytes(b"".join(lines[number::files]))
    return paths


def outputs(run: Path) -> dict[str, bytes]:
    """All that a run writes for people, but for the seconds it took."""
    files = {path.name: path.read_bytes() for path in [*(run / "out").iterdir(), run / "report.html"]}
    summary = json.loads(files["summary.json"])
    del summary["seconds"]
    return {**files, "summary.json": json.dumps(summary).encode()}
