"""The state of a run at a glance: languages, pages, segments and dates, from its small files, with a cache."""

from __future__ import annotations

import json
import os
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from diglot.disk.safe_read import read_whole
from diglot.errors import DiglotError

MAX_SUMMARY_BYTES = 64 << 20
_LANGS = re.compile(r"[^\[]*\[settings\]\s*langs = \[[^\[\]]*\]\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunState:
    """A run by its outputs. ``segments``: segments kept by language pair (``en-fr``); ``changed``: Unix time of the
    last outputs, of the folder for a run without any; ``is_crawled``: whether its pages came from the web."""

    name: str
    is_finished: bool = False
    is_crawled: bool = False
    pages: int = 0
    used: int = 0
    languages: tuple[str, ...] = ()
    segments: dict[str, int] = field(default_factory=dict)
    min_score: float = 0.0
    changed: float = 0.0

    @property
    def kept_segments(self) -> int:
        """Segments kept, of all language pairs."""
        return sum(self.segments.values())

    @property
    def stamp(self) -> str:
        """A text that changes with the outputs."""
        return f"{self.changed} {self.kept_segments}"

    @property
    def lang_pairs(self) -> list[tuple[str, str]]:
        """Language pairs of the outputs, most segments first."""
        names = sorted(self.segments, key=lambda name: -self.segments[name])
        return [pair for name in names if (pair := _split(name, self.languages))]


class RunStates:
    """States of runs, read again only when a file of the run has changed."""

    def __init__(self) -> None:
        self._known: dict[Path, tuple[tuple[int, ...], RunState]] = {}

    def of(self, run: Path) -> RunState:
        """The state of a run folder."""
        stamp = _stamp(run)
        known = self._known.get(run)
        if known is None or known[0] != stamp:
            known = self._known[run] = stamp, read_state(run)
        return known[1]


def _stamp(run: Path) -> tuple[int, ...]:
    found: list[int] = []
    # Every look at the list of sites asks for every run: paths are joined as text, which is faster.
    for path in ("out/summary.json", "diglot.toml", "warc"):
        try:
            status = os.stat(f"{run}/{path}")
        except OSError:
            found += (0, 0)
        else:
            found += (status.st_mtime_ns, status.st_size)
    return tuple(found)


def read_state(run: Path) -> RunState:
    """The state of a run folder, read from its files; damaged files count as missing."""
    summary = _summary(run)
    own: dict[str, Any] = {"name": run.name, "languages": _languages(run), "is_crawled": (run / "warc").is_dir()}
    if not summary:
        return RunState(**own, changed=_time(run))
    return RunState(
        **own,
        is_finished=True,
        pages=_number(summary.get("pages")),
        used=_number(summary.get("used")),
        segments=_counts(summary.get("kept")),
        min_score=float(_number(summary.get("min_score"))),
        changed=_time(run / "out" / "summary.json"),
    )


def _summary(run: Path) -> dict[str, Any]:
    try:
        found = json.loads(read_whole(run / "out" / "summary.json", max_bytes=MAX_SUMMARY_BYTES))
    except (OSError, ValueError, DiglotError):
        return {}
    return found if isinstance(found, dict) else {}


def _languages(run: Path) -> tuple[str, ...]:
    """Languages of a run, in order, by its ``diglot.toml``."""
    # The list is the first entry of the first table: to parse the whole file takes twenty times as long.
    settings = _config(run, _LANGS).get("settings")
    langs = settings.get("langs") if isinstance(settings, dict) else None
    return tuple(text for text in langs if isinstance(text, str)) if isinstance(langs, list) else ()


def merged_names(run: Path) -> list[str]:
    """Names of the runs that were merged into a run, by its ``diglot.toml``; empty for another run."""
    names = _config(run).get("merged")
    return list(map(str, names)) if isinstance(names, list) else []


def _config(run: Path, beginning: re.Pattern[str] | None = None) -> dict[str, Any]:
    """``diglot.toml`` of a run, or its ``beginning`` alone if found; empty for a damaged or missing file."""
    try:
        text = read_whole(run / "diglot.toml", max_bytes=MAX_SUMMARY_BYTES).decode()
        found = beginning.match(text) if beginning else None
        return tomllib.loads(found[0] if found else text)
    except (OSError, ValueError, DiglotError):
        return {}


def _number(value: Any) -> Any:
    return value if isinstance(value, int | float) else 0


def _counts(value: Any) -> dict[str, int]:
    return {str(name): int(_number(count)) for name, count in value.items()} if isinstance(value, dict) else {}


def _time(path: Path) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


def _split(name: str, langs: tuple[str, ...]) -> tuple[str, str] | None:
    """The two languages of ``en-fr`` or ``pt-BR-zh-Hant``."""
    return next(((src, tgt) for src in langs for tgt in langs if f"{src}-{tgt}" == name), None)
