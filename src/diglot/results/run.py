"""A finished run as Python sees it: its pairs, its segments, and why."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from diglot.corpus import formats
from diglot.corpus.flags import EXCLUDED
from diglot.corpus.formats import CESALIGN, Bitext, check_formats, write_format
from diglot.corpus.formats.ces import write_ces_pairs
from diglot.disk.folder import RunFolder
from diglot.documents.language import readable
from diglot.errors import LanguageError, UsageError
from diglot.results.explain import Explainer, Verdict
from diglot.run.clean import load_segments
from diglot.run.outputs import OUT, of_languages, read_summary
from diglot.run.pair import load_pairs
from diglot.run.read import load_documents
from diglot.run.settings import Settings
from diglot.run.work import DOCUMENTS, PAIRS, SEGMENTS
from diglot.site import Site
from diglot.version import __version__

if TYPE_CHECKING:
    import pandas
    import polars


@dataclass(frozen=True, slots=True)
class PageSide:
    """One page of a pair."""

    url: str
    lang: str


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
    _run: Path | None = field(default=None, repr=False, compare=False)

    @property
    def src(self) -> PageSide:
        """The source page."""
        return PageSide(self.src_url, self.src_lang)

    @property
    def tgt(self) -> PageSide:
        """The target page."""
        return PageSide(self.tgt_url, self.tgt_lang)

    def why(self) -> str:
        """What the recipe sees in the pair, as ``diglot why`` prints it; reads the run again."""
        if self._run is None:
            raise UsageError("this pair was not read from a run: take it from Run.pairs()")
        return str(open_run(self._run).why(self.src_url, self.tgt_url))


@dataclass(frozen=True)
class Segments:
    """Segments of one language pair of a run; ``table`` is of :data:`diglot.records.FLAGGED_SCHEMA`.

    All of them, flagged ones included; what is written leaves out those with a flag of ``excluded`` (TSV does not).
    """

    table: pa.Table
    src_lang: str
    tgt_lang: str
    signature: str
    excluded: frozenset[str] = EXCLUDED

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for batch in self.table.to_batches(max_chunksize=10_000):
            yield from batch.to_pylist()

    def clean(self) -> Segments:
        """Those without a flag that excludes."""
        return Segments(self._bitext().kept(), self.src_lang, self.tgt_lang, self.signature, self.excluded)

    def write(self, out: str | os.PathLike[str], *names: str) -> list[Path]:
        """Write into a folder in formats of :data:`diglot.corpus.formats.FORMATS`; returns the paths."""
        check_formats(names)
        if CESALIGN in names:
            raise UsageError("cesalign is written from whole pages: use Run.export, or `diglot export`")
        return [path for name in names for path in write_format(name, Path(out), self._bitext())]

    def to_tmx(self, path: str | os.PathLike[str]) -> Path:
        """TMX 1.4b."""
        return formats.tmx(Path(path), self._bitext())[0]

    def to_tsv(self, path: str | os.PathLike[str]) -> Path:
        """TSV, flagged rows included."""
        return formats.tsv(Path(path), self._bitext())[0]

    def to_moses(self, stem: str | os.PathLike[str]) -> list[Path]:
        """Two plain texts, ``STEM.SRC`` and ``STEM.TGT``."""
        return formats.moses(Path(stem), self._bitext())

    def to_jsonl(self, path: str | os.PathLike[str]) -> Path:
        """One JSON object a line."""
        return formats.jsonl(Path(path), self._bitext())[0]

    def to_parquet(self, path: str | os.PathLike[str]) -> Path:
        """Parquet."""
        return formats.parquet(Path(path), self._bitext())[0]

    def to_xliff(self, path: str | os.PathLike[str]) -> Path | None:
        """XLIFF 2.0; None where there is no segment to write."""
        return next(iter(formats.xliff(Path(path), self._bitext())), None)

    def to_xlsx(self, path: str | os.PathLike[str]) -> Path:
        """A workbook of text cells."""
        return formats.xlsx(Path(path), self._bitext())[0]

    def to_vertical(self, stem: str | os.PathLike[str]) -> list[Path]:
        """Vertical text and an alignment map."""
        return formats.vertical(Path(stem), self._bitext())

    def to_polars(self) -> polars.DataFrame:
        """All rows as a polars data frame; :class:`UsageError` where polars is not installed."""
        try:
            import polars
        except ImportError as error:
            raise UsageError("polars is not installed: pip install polars, or use .table, a pyarrow.Table") from error
        return polars.from_arrow(self.table)

    def to_pandas(self) -> pandas.DataFrame:
        """All rows as a pandas data frame; :class:`UsageError` where pandas is not installed."""
        try:
            import pandas  # noqa: F401
        except ImportError as error:
            raise UsageError("pandas is not installed: pip install pandas, or use .table, a pyarrow.Table") from error
        return self.table.to_pandas()

    def _bitext(self) -> Bitext:
        return Bitext(self.table, self.src_lang, self.tgt_lang, self.signature, self.excluded)


class Run:
    """A run folder opened for reading; :class:`diglot.errors.RunFolderError` where it is none."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.folder = RunFolder(path, create=False)
        self.settings = Settings.from_table(self.folder.settings().get("settings", {}))

    @property
    def path(self) -> Path:
        """Where the run lies."""
        return self.folder.path

    @cached_property
    def explainer(self) -> Explainer:
        """Answers why a page or a pair is what it is; reads the run's tables at the first question."""
        return Explainer(self.folder, self.settings)

    def why(self, url: str, other: str | None = None) -> Verdict:
        """What the run says of a page, or of two pages, as ``diglot why`` prints it; ``str()`` of it is that text."""
        return self.explainer.page(url) if other is None else self.explainer.pair(url, other)

    def summary(self) -> dict[str, Any]:
        """The funnel, as ``out/summary.json`` holds it."""
        return read_summary(self.folder)

    def pairs(self, *, min_prob: float = 0.0) -> list[PagePair]:
        """Accepted page pairs, most probable first."""
        table = self._pair_table(min_prob)
        names = [name for name in table.column_names if name not in ("accepted", "refused_by")]
        rows = table.select(names).to_pylist()
        return [PagePair(**{**row, "evidence": dict(row["evidence"])}, _run=self.path) for row in rows]

    def segments(self, src_lang: str, tgt_lang: str, *, min_prob: float = 0.0) -> Segments:
        """Segments of a language pair, flagged ones included; :class:`LanguageError` where the run has none."""
        if (src_lang, tgt_lang) not in self.settings.language_pairs():
            known = ", ".join(f"{src}-{tgt}" for src, tgt in self.settings.language_pairs())
            raise LanguageError(f"{self.path} has no pair {src_lang}-{tgt_lang}; it has: {known}")
        table = load_segments(self.folder, self.folder.recall("run", SEGMENTS) or "")
        table = of_languages(table, src_lang, tgt_lang)
        table = table.filter(pc.greater_equal(table["score"], min_prob))
        signature = self.settings.resolved_recipe().signature(__version__)
        return Segments(table, src_lang, tgt_lang, signature, self.settings.excluded())

    def export(
        self,
        names: list[str],
        out: str | os.PathLike[str] | None = None,
        *,
        min_prob: float = 0.0,
        excluded: frozenset[str] | None = None,
    ) -> list[Path]:
        """Write every language pair in the formats named; returns the paths.

        ``min_prob``: least score of a segment, of a page pair in cesalign. ``excluded``: flags that leave a
        segment out, those of the run's settings by default. Raises :class:`UsageError` for an unknown format.
        """
        check_formats(names)
        folder = self.path / OUT if out is None else Path(out)
        excluded = self.settings.excluded() if excluded is None else excluded
        paths: list[Path] = []
        for src_lang, tgt_lang in self.settings.language_pairs():
            found = self.segments(src_lang, tgt_lang, min_prob=min_prob)
            bitext = Bitext(found.table, src_lang, tgt_lang, found.signature, excluded)
            for name in names:
                if name == CESALIGN:
                    pairs = of_languages(self._pair_table(min_prob), src_lang, tgt_lang)
                    paths += write_ces_pairs(folder / f"{CESALIGN}.{bitext.name}", self._pages(), pairs)
                else:
                    paths += write_format(name, folder, bitext)
        return paths

    def _pair_table(self, min_prob: float) -> pa.Table:
        table = load_pairs(self.folder, self.folder.recall("run", PAIRS) or "")
        return table.filter(pc.greater_equal(table["probability"], min_prob))

    def _pages(self) -> Site:
        """All pages of the run that were read, as one site."""
        documents = load_documents(self.folder, self.settings, self.folder.recall("run", DOCUMENTS) or "")
        return Site(self.path.name, readable(documents).sort_by("url"))


def open_run(path: str | os.PathLike[str]) -> Run:
    """Open a run folder for reading."""
    return Run(path)
