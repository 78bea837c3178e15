"""How far an attack is, a line of JSON a block of rounds, so that the same command goes on where it was stopped."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import xxhash

import diglot
from attack.tally import Tally


@dataclass(frozen=True)
class Journal:
    """Blocks of rounds that are done; a line that was cut by a kill counts as not written."""

    path: Path

    def tally(self) -> Tally:
        """The sum of all blocks."""
        return sum((Tally.from_table(line["tally"]) for line in self._lines()), Tally())

    def versions(self) -> list[str]:
        """Hashes of the code that the blocks were run with, in order of their first block."""
        return list(dict.fromkeys(line["code"] for line in self._lines()))

    def add(self, tally: Tally) -> None:
        """Note a block that is done."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab") as file:
            file.write(json.dumps({"code": code_hash(), "tally": tally.as_table()}).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def _lines(self) -> Iterator[dict[str, Any]]:
        if not self.path.is_file():
            return
        for line in self.path.read_bytes().splitlines():
            try:
                yield json.loads(line)
            except ValueError:
                continue


@cache
def code_hash() -> str:
    """Short hash of the program's own source as this process began, which says whether two blocks tried the same code."""
    content = xxhash.xxh3_64()
    root = Path(diglot.__file__).parent
    for path in sorted(root.rglob("*.py")):
        content.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return content.hexdigest()
