"""What the last update of a run found, from the files of the run: any command may have written them since."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from diglot.disk.safe_read import read_whole
from diglot.errors import DiglotError
from diglot.workbench.run_state import RunState

MAX_BYTES = 256 << 20
"""Size limit of a file; a larger one counts as missing."""
_COUNTS = re.compile(rb"^([A-Za-z0-9-]+)\t(\d{1,12})\t(\d{1,12})\t", re.MULTILINE)
"""Language pair, new segments and those kept no longer, at the beginning of each line but the first of
``out/delta/counts.tsv``. The file may come from a stranger."""
_KIND = re.compile(rb"\t([a-z]+)$", re.MULTILINE)
"""Kind of the change, at the end of each line of ``out/changes.tsv`` but the first."""


@dataclass(frozen=True, slots=True)
class LastUpdate:
    """Numbers of the last update. ``pages``: pages by kind of change; ``new``: new segments kept, by language pair
    (``en-fr``); ``gone``: segments kept before and no longer, by language pair."""

    pages: dict[str, int]
    new: dict[str, int]
    gone: dict[str, int]

    def lines(self, run: RunState) -> list[str]:
        """Numbers of changed pages, and of new, gone and kept segments."""
        pages = _counts_text(self.pages) or "no changes"
        return [
            f"pages {pages}",
            f"new segments {_counts_text(self.new) or 'none'}",
            f"gone {_counts_text(self.gone) or 'none'}",
            f"now {_counts_text(run.segments) or 'none'}",
        ]


def last_update(folder: Path) -> LastUpdate | None:
    """The last update of the run in this folder; None for a run without one."""
    changes = _content(folder / "out" / "changes.tsv")
    if changes is None:
        return None
    kinds = Counter(kind.decode() for kind in _KIND.findall(changes.partition(b"\n")[2]))
    found = _COUNTS.findall(_content(folder / "out" / "delta" / "counts.tsv") or b"")
    new, gone = ({pair.decode(): int(each[place]) for pair, *each in found if int(each[place])} for place in (0, 1))
    return LastUpdate(dict(sorted(kinds.items())), new, gone)


def delta_of(folder: Path, pair: str) -> Path:
    """File of the new segments of a language pair (``en-fr``)."""
    return folder / "out" / "delta" / f"{pair}.tmx"


def _content(path: Path) -> bytes | None:
    """Content of a file; None for a file that is missing, too large or a link."""
    try:
        return None if path.is_symlink() else read_whole(path, max_bytes=MAX_BYTES)
    except (OSError, DiglotError):
        return None


def _counts_text(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
