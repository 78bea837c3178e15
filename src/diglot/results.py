"""A finished run as Python sees it: its pairs, its segments, and why."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from diglot import __version__
from diglot.corpus.flags import clean
from diglot.errors import LanguageError
from diglot.outputs import export, of_languages, read_summary
from diglot.run import RunFolder
from diglot.settings import Settings
from diglot.stages import PAIRS, SEGMENTS, load_pairs, load_segments


@dataclass(frozen=True, slots=True)
class PagePair:
    """Two pages that translate each other."""

    src_url: str
    tgt_url: str
    src_lang: str
    tgt_lang: str
    probability: float
    method: str
    evidence: dict[str, float]


@dataclass(frozen=True)
class Segments:
    """Segments of one language pair of a run; ``table`` is of :data:`diglot.records.SEGMENT_SCHEMA`."""

    table: pa.Table
    src_lang: str
    tgt_lang: str
    signature: str

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for batch in self.table.to_batches(max_chunksize=10_000):
            yield from batch.to_pylist()

    def clean(self) -> Segments:
        """Those without a flag that excludes."""
        return Segments(clean(self.table), self.src_lang, self.tgt_lang, self.signature)

    def write(self, out: str | os.PathLike[str], *formats: str) -> list[Path]:
        """Write into a folder in ``formats`` (tmx, tsv, moses, jsonl, parquet); returns the paths."""
        return export(
            self.table,
            list(formats),
            Path(out),
            src_lang=self.src_lang,
            tgt_lang=self.tgt_lang,
            signature=self.signature,
        )


class Run:
    """A run folder opened for reading; :class:`diglot.errors.RunFolderError` where it is none."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.folder = RunFolder(path, create=False)
        self.settings = Settings.from_table(self.folder.settings().get("settings", {}))

    @property
    def path(self) -> Path:
        """Where the run lies."""
        return self.folder.path

    def summary(self) -> dict[str, Any]:
        """The funnel, as ``out/summary.json`` holds it."""
        return read_summary(self.folder)

    def pairs(self, *, min_prob: float = 0.0) -> list[PagePair]:
        """Accepted page pairs, most probable first."""
        table = load_pairs(self.folder, self.folder.recall("run", PAIRS) or "")
        table = table.filter(pc.greater_equal(table["probability"], min_prob))
        names = [name for name in table.column_names if name not in ("accepted", "refused_by")]
        return [PagePair(**{**row, "evidence": dict(row["evidence"])}) for row in table.select(names).to_pylist()]

    def segments(self, src_lang: str, tgt_lang: str, *, min_prob: float = 0.0) -> Segments:
        """Segments of a language pair, flagged ones included; :class:`LanguageError` where the run has none."""
        if (src_lang, tgt_lang) not in self.settings.language_pairs():
            known = ", ".join(f"{src}-{tgt}" for src, tgt in self.settings.language_pairs())
            raise LanguageError(f"{self.path} has no pair {src_lang}-{tgt_lang}; it has: {known}")
        table = load_segments(self.folder, self.folder.recall("run", SEGMENTS) or "")
        table = of_languages(table, src_lang, tgt_lang)
        table = table.filter(pc.greater_equal(table["score"], min_prob))
        return Segments(table, src_lang, tgt_lang, self.settings.resolved_recipe().signature(__version__))


def open_run(path: str | os.PathLike[str]) -> Run:
    """Open a run folder for reading."""
    return Run(path)
