"""Checking by hand: segments drawn for a person to judge, and what the verdicts say of a run."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from diglot.corpus.characters import one_line
from diglot.corpus.judged import PARTLY, RIGHT, UNSURE, WRONG
from diglot.corpus.judged import segment_id as segment_id
from diglot.disk.atomic import replacing
from diglot.errors import UsageError
from diglot.evaluation.calibration import wilson_interval
from diglot.report.headline import language_name
from diglot.report.one_file import json_block, one_file
from diglot.scripts import is_right_to_left

SHEET_SCRIPTS = ("dom.js", "saving.js", "check.js")
PAGE_ENDS, LINE_ENDS = (".html", ".htm"), (".tsv", ".txt")
"""How the names of sheets end that are pages, and of those that are lines."""
SHEET_COLUMNS = ("id", "verdict", "src", "tgt", "src_lang", "tgt_lang", "src_url", "tgt_url")
"""Columns of a sheet."""
_SHEET_DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>')
VERDICTS = {
    **{verdict: verdict for verdict in (RIGHT, PARTLY, WRONG, UNSURE)},
    **dict(zip("ypn?10", (RIGHT, PARTLY, WRONG, UNSURE, RIGHT, WRONG), strict=True)),
    "accept": RIGHT,
    "accepted": RIGHT,
    "reject": WRONG,
    "rejected": WRONG,
    "u": UNSURE,
}
"""What may stand in the column ``verdict``, in any case; empty: not judged."""
PARTLY_WRONG = 0.5
"""What a partly right segment counts for among the wrong ones: some of it translates, some has to go."""
BANDS = (0.0, 0.5, 0.8, 0.9, 0.95, 1.0)
"""Limits of the bands of scores; narrow where most segments are."""


@dataclass(frozen=True, slots=True)
class ScoreBand:
    """Verdicts on segments with a score in [low, high), the last band including 1; ``partly`` and ``wrong`` are parts
    of ``judged``."""

    low: float
    high: float
    judged: int
    partly: int
    wrong: int

    @property
    def wrong_share(self) -> float:
        """Share that is wrong, in [0, 1], a partly right segment counting :data:`PARTLY_WRONG`."""
        return (self.wrong + PARTLY_WRONG * self.partly) / self.judged

    @property
    def interval(self) -> tuple[float, float]:
        """95% interval of the share that is wrong (Wilson 1927)."""
        return wilson_interval(self.wrong_share * self.judged, self.judged)


@dataclass(frozen=True, slots=True)
class HandCheck:
    """What the verdicts of a sheet say. ``foreign``: verdicts on segments that the run does not keep (any more)."""

    bands: tuple[ScoreBand, ...]
    unsure: int
    open: int
    foreign: int

    @property
    def whole(self) -> ScoreBand:
        """All bands as one."""
        counts = (sum(getattr(band, name) for band in self.bands) for name in ("judged", "partly", "wrong"))
        return ScoreBand(BANDS[0], BANDS[-1], *counts)


def draw_sample(kept: pa.Table, size: int, *, seed: int = 0) -> pa.Table:
    """``size`` rows drawn at random without replacement, all where there are fewer; the same for the same seed.

    ``kept``: clean segments, :data:`diglot.records.SEGMENT_SCHEMA`. Raises :class:`UsageError` where there are none.
    """
    if size < 1:
        raise UsageError(f"-n {size}: give the number of segments to judge, at least 1")
    if not kept.num_rows:
        raise UsageError("the run keeps no segment of these languages; there is nothing to judge")
    return kept.take(pa.array(np.random.default_rng(seed).permutation(kept.num_rows)[:size]))


def write_sheet(sample: pa.Table, path: str | os.PathLike[str], *, title: str) -> None:
    """Write a sheet to judge: a page with keys for a name that ends in ``.html``, tab-separated lines for ``.tsv``.

    Scores are not shown: who sees them judges by them. Raises: UsageError for a name that ends otherwise.
    """
    if Path(path).suffix.lower() not in (*PAGE_ENDS, *LINE_ENDS):
        raise UsageError(f"{path}: a sheet is a page or lines; name it .html or .tsv")
    rows = [{**row, "id": segment_id(row), "verdict": ""} for row in sample.to_pylist()]
    is_page = Path(path).suffix.lower() in PAGE_ENDS
    text = _page(rows, title) if is_page else _lines(rows)
    with replacing(path) as handle:
        handle.write(text.encode())


def _page(rows: Sequence[Mapping[str, Any]], title: str) -> str:
    names = {lang: language_name(lang) for row in rows for lang in (row["src_lang"], row["tgt_lang"])}
    shown = [{name: row[name] for name in SHEET_COLUMNS} for row in rows]
    from_right = list(filter(is_right_to_left, names))
    data = json_block(
        {"title": title, "columns": SHEET_COLUMNS, "rows": shown, "names": names, "right_to_left": from_right}
    )
    return one_file("check.html", style="report.css", scripts=SHEET_SCRIPTS, title=f"Judge {title}", data=data)


def _lines(rows: Sequence[Mapping[str, Any]]) -> str:
    lines = ["\t".join(SHEET_COLUMNS), *("\t".join(one_line(row[name]) for name in SHEET_COLUMNS) for row in rows)]
    return "\n".join(lines) + "\n"


def strike_from_sheet(path: Path, gone: Callable[[str], bool]) -> bool:
    """Take the segments whose addresses are ``gone`` out of a sheet; the others keep their verdicts.

    False where the file is no sheet that :func:`write_sheet` wrote, and is left as it is.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return False
    left = _page_without(text, gone) if path.suffix.lower() in (".html", ".htm") else _lines_without(text, gone)
    if left is not None and left != text:
        with replacing(path) as handle:
            handle.write(left.encode())
    return left is not None


def _page_without(text: str, gone: Callable[[str], bool]) -> str | None:
    found = _SHEET_DATA.search(text)
    data = json.loads(found[1]) if found else {}
    if found is None or data.get("columns") != list(SHEET_COLUMNS):
        return None
    rows = [row for row in data["rows"] if not (gone(row["src_url"]) or gone(row["tgt_url"]))]
    return text[: found.start(1)] + json_block({**data, "rows": rows}) + text[found.end(1) :]


def _lines_without(text: str, gone: Callable[[str], bool]) -> str | None:
    lines = text.splitlines(keepends=True)
    if not lines or lines[0].rstrip("\r\n").split("\t")[: len(SHEET_COLUMNS)] != list(SHEET_COLUMNS):
        return None
    return "".join(line for line in lines if not any(map(gone, line.rstrip("\r\n").split("\t"))))


def check_by_hand(kept: pa.Table, verdicts: Mapping[str, str]) -> HandCheck:
    """Errors by band of score; the scores are those of the run. ``kept``: clean segments.

    Raises :class:`UsageError` where no verdict is on a segment of the run.
    """
    columns = kept.select(["src_url", "tgt_url", "src", "tgt", "score"]).to_pylist()
    score_of = {segment_id(row): row["score"] for row in columns}
    known = {name: verdict for name, verdict in verdicts.items() if name in score_of}
    given = Counter(known.values())
    if not any(given[verdict] for verdict in (RIGHT, PARTLY, WRONG)):
        raise UsageError(
            "no line judges a segment that this run keeps; write right, partly or wrong beside some, or draw anew"
        )
    of_band = Counter((_band(score_of[name]), verdict) for name, verdict in known.items())
    bands = []
    for number, (low, high) in enumerate(pairwise(BANDS)):
        right, partly, wrong = (of_band[number, verdict] for verdict in (RIGHT, PARTLY, WRONG))
        bands.append(ScoreBand(low, high, right + partly + wrong, partly, wrong))
    return HandCheck(tuple(bands), unsure=given[UNSURE], open=given[""], foreign=len(verdicts) - len(known))


def _band(score: float) -> int:
    return min(int(np.searchsorted(BANDS, score, side="right")) - 1, len(BANDS) - 2)
