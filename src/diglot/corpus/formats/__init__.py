"""Segments of one language pair, and every format that they are written in, by name."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import pyarrow as pa
import pyarrow.compute as pc

from diglot.corpus.choosing import WISHES, Segment, chosen, drawn, in_order, joined, rows, shown
from diglot.corpus.flags import EXCLUDED, clean
from diglot.corpus.formats.tables import (
    with_page_facts,
    write_csv,
    write_jsonl,
    write_moses,
    write_parquet,
    write_segments_tsv,
)
from diglot.corpus.formats.tmx import Header, units_of, write_tmx
from diglot.corpus.formats.variants import SeenVariants
from diglot.corpus.formats.vertical import write_vertical
from diglot.corpus.formats.xliff import write_xliff, write_xliff12
from diglot.errors import UsageError, no_such, require_options
from diglot.records import PAGE_FACTS_SCHEMA

if TYPE_CHECKING:
    import pandas
    import polars

CESALIGN = "cesalign"
"""Written from whole pages, not from segments: :func:`diglot.corpus.formats.ces.write_ces_pairs`."""

SQLITE = "sqlite"
TMX_MULTI = "tmx-multi"
JOINT = {SQLITE: "segments.db", TMX_MULTI: "multilingual.tmx"}
"""Formats that put all language pairs into one file, and its name; written from a run as a whole."""
PARQUET = "parquet"
CARD, OTHER_CARD = "README.md", "dataset-card.md"
"""Names of the dataset card beside Parquet files; the second where the first is somebody else's."""

TMX_UNITS = 1_000_000
"""Units of a TMX file at most: what tools still open."""


@dataclass(frozen=True, repr=False)
class Segments:
    """Segments of one language pair; ``table`` is of :data:`diglot.records.FLAGGED_SCHEMA`.

    All of them, flagged ones included; what is written leaves out those with a flag of ``excluded`` and those whose
    score is below ``min_score`` (TSV does not). ``signature``: of the recipe that made them, stated by formats that
    have a place for it. ``pages``: what is told of their pages, :data:`diglot.records.PAGE_FACTS_SCHEMA`; CSV, JSON
    Lines and Parquet have room for it. ``variants``: language of the run -> what TMX and XLIFF write for it, a tag or
    :data:`diglot.corpus.formats.variants.DECLARED`; the language itself where none is named.
    """

    table: pa.Table
    src_lang: str
    tgt_lang: str
    signature: str = ""
    excluded: frozenset[str] = EXCLUDED
    min_score: float = 0.0
    pages: pa.Table = field(default_factory=PAGE_FACTS_SCHEMA.empty_table)
    variants: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __iter__(self) -> Iterator[Segment]:
        return rows(self.table)

    @overload
    def __getitem__(self, place: int) -> Segment: ...

    @overload
    def __getitem__(self, place: slice) -> Segments: ...

    def __getitem__(self, place: int | slice) -> Segment | Segments:
        if isinstance(place, slice):
            return replace(self, table=self.table.take(pa.array(range(len(self))[place], pa.int64())))
        row = range(len(self))[place]
        return next(rows(self.table.slice(row, 1)))

    @property
    def name(self) -> str:
        """``SRC-TGT``."""
        return f"{self.src_lang}-{self.tgt_lang}"

    def kept(self) -> pa.Table:
        """The rows without a flag that excludes that reach the least score."""
        return clean(self.table, self.excluded, self.min_score)

    def clean(self) -> Segments:
        """Those without a flag that excludes that reach the least score."""
        return replace(self, table=self.kept())

    def filter(self, **wishes: Any) -> Segments:
        """Those that :func:`diglot.corpus.choosing.chosen` chooses by ``min_score``, ``max_score``, ``flag``,
        ``without``, ``src``, ``tgt`` and ``page``."""
        require_options("wish", wishes, WISHES)
        return replace(self, table=self.table.filter(pa.array(chosen(self.table, **wishes))))

    def sort(self, by: str = "score", *, descending: bool = False) -> Segments:
        """In the order of one of :data:`diglot.corpus.choosing.SORTED_BY`."""
        return replace(self, table=in_order(self.table, by, descending=descending))

    def sample(self, size: int, *, seed: int = 0) -> Segments:
        """Some drawn at random, in the order that they have; the same for the same seed."""
        return replace(self, table=drawn(self.table, size, seed))

    def join(self, other: Segments) -> pa.Table:
        """Texts of three languages by their common source, a column a language; :class:`UsageError` where the source
        languages differ or the others do not."""
        langs = (self.src_lang, self.tgt_lang, other.tgt_lang)
        if other.src_lang != self.src_lang or len(set(langs)) < len(langs):
            raise UsageError(f"{self.name} and {other.name}: joined are pairs of one source language and two others")
        return joined(self.table, other.table, langs)

    def __repr__(self) -> str:
        return f"<{len(self):,} segments {self.name}>"

    def _repr_html_(self) -> str:
        return shown(self.table, (self.src_lang, self.tgt_lang))

    def write(self, out: str | os.PathLike[str], *names: str) -> list[Path]:
        """Write into a folder in formats of :data:`FORMATS`, each under its own name; returns the paths.

        Raises: UsageError for a format that is not known, for none, and where a file cannot be written.
        """
        check_formats(names)
        for name in (CESALIGN, *JOINT):
            if name in names:
                raise UsageError(f"{name} is written from a whole run: use Run.export, or `diglot export`")
        return [path for name in names for path in write_parts(out, lambda: iter([self]), name)]

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


Parts = Callable[[], Iterator[Segments]]
"""Gives the segments of one language pair a part at a time, at least one, as often as it is called; what the parts say
beside their table is the same."""


def write_parts(out: str | os.PathLike[str], parts: Parts, form: str) -> list[Path]:
    """Write segments into a folder in a format of :data:`FORMATS`; returns the paths.

    In memory is one part at a time, of :data:`WHOLE` formats all. Raises: UsageError where a file cannot be written.
    """
    file_name, write = FORMATS[form]
    name = next(parts()).name
    return write(Path(out) / file_name.format(name=name), _joined(parts) if form in WHOLE else parts)


def _joined(parts: Parts) -> Parts:
    each = list(parts())
    whole = replace(each[0], table=pa.concat_tables([part.table for part in each]))
    return lambda: iter([whole])


def _tmx(path: Path, parts: Parts) -> list[Path]:
    """TMX 1.4b; more than :data:`TMX_UNITS` in files of so many each."""
    first, count, created, seen = next(parts()), 0, "", SeenVariants()
    for kept in (part.kept() for part in parts()):
        count += kept.num_rows
        created = max(created, pc.max(kept["fetched"]).as_py() or "")
        seen.add(kept, first.src_lang, first.tgt_lang)
    src_tag, tgt_tag = (seen.tag(lang, first.variants) for lang in (first.src_lang, first.tgt_lang))
    units = (unit for part in parts() for unit in units_of(part.kept().to_batches()))
    paths = [path]
    if count > TMX_UNITS:
        paths = [path.with_name(f"{path.stem}.{number + 1:05d}.tmx") for number in range(-(-count // TMX_UNITS))]
    header = Header(created=created, signature=first.signature)
    for each in paths:
        mine = islice(units, TMX_UNITS)
        write_tmx(each, mine, src_lang=src_tag, tgt_lang=tgt_tag, header=header)
    for other in {path, *tmx_parts(path)} - set(paths):
        other.unlink(missing_ok=True)
    return paths


def tmx_parts(path: Path) -> list[Path]:
    """The files there are instead of a TMX file that would be too large."""
    return sorted(path.parent.glob(f"{glob.escape(path.stem)}.[0-9][0-9][0-9][0-9][0-9].tmx"))


def _tsv(path: Path, parts: Parts) -> list[Path]:
    """TSV with a header line; the one format that holds the flagged rows, too."""
    write_segments_tsv(path, (part.table for part in parts()))
    return [path]


def _moses(path: Path, parts: Parts) -> list[Path]:
    """Two plain texts, ``PATH.SRC`` and ``PATH.TGT``."""
    first = next(parts())
    write_moses(path, _kept(parts), src_lang=first.src_lang, tgt_lang=first.tgt_lang)
    return [Path(f"{path}.{lang}") for lang in (first.src_lang, first.tgt_lang)]


def _jsonl(path: Path, parts: Parts) -> list[Path]:
    """One JSON object a line."""
    write_jsonl(path, _kept_with_pages(parts))
    return [path]


def _csv(path: Path, parts: Parts) -> list[Path]:
    """CSV with a header line."""
    write_csv(path, _kept_with_pages(parts))
    return [path]


def _parquet(path: Path, parts: Parts) -> list[Path]:
    """Parquet."""
    write_parquet(path, _kept_with_pages(parts))
    return [path]


def _xliff(path: Path, parts: Parts) -> list[Path]:
    """XLIFF 2.0; no file where there is no segment."""
    return _any_xliff(path, parts, write_xliff)


def _xliff12(path: Path, parts: Parts) -> list[Path]:
    """XLIFF 1.2; no file where there is no segment."""
    return _any_xliff(path, parts, write_xliff12)


def _any_xliff(path: Path, parts: Parts, write: Callable[..., int]) -> list[Path]:
    (whole,) = parts()
    kept, seen = whole.kept(), SeenVariants()
    seen.add(kept, whole.src_lang, whole.tgt_lang)
    src_tag, tgt_tag = (seen.tag(lang, whole.variants) for lang in (whole.src_lang, whole.tgt_lang))
    return [path] if write(path, units_of(kept.to_batches()), src_lang=src_tag, tgt_lang=tgt_tag) else []


def _xlsx(path: Path, parts: Parts) -> list[Path]:
    """A workbook of text cells."""
    from diglot.corpus.formats.xlsx import write_xlsx

    (whole,) = parts()
    write_xlsx(path, whole.kept(), name=whole.name)
    return [path]


def _vertical(path: Path, parts: Parts) -> list[Path]:
    """Vertical text with an alignment map: ``PATH.SRC.vert``, ``PATH.TGT.vert``, ``PATH.map``."""
    (whole,) = parts()
    return [*map(Path, write_vertical(path, whole.kept(), src_lang=whole.src_lang, tgt_lang=whole.tgt_lang))]


def _kept(parts: Parts) -> Iterator[pa.Table]:
    return (part.kept() for part in parts())


def _kept_with_pages(parts: Parts) -> Iterator[pa.Table]:
    return (with_page_facts(part.kept(), part.pages) for part in parts())


FORMATS: Mapping[str, tuple[str, Callable[[Path, Parts], list[Path]]]] = {
    "tmx": ("{name}.tmx", _tmx),
    "tsv": ("segments.{name}.tsv", _tsv),
    "moses": ("{name}", _moses),
    "csv": ("{name}.csv", _csv),
    "jsonl": ("{name}.jsonl", _jsonl),
    PARQUET: ("{name}.parquet", _parquet),
    "xliff": ("{name}.xlf", _xliff),
    "xliff12": ("{name}.1.2.xlf", _xliff12),
    "xlsx": ("{name}.xlsx", _xlsx),
    "vertical": ("{name}", _vertical),
}
"""Name of a format -> the name of its file (a stem where it has several) and its writer."""
WHOLE = ("xliff", "xliff12", "xlsx", "vertical")
"""Formats that are written from all segments at once."""
TEXT_FILES = ("tmx", "tsv", "csv", "jsonl", "xliff", "xliff12", TMX_MULTI)
"""Formats that are one file of text, which a pipe can take."""
ALL_FORMATS = (*FORMATS, CESALIGN, *JOINT)
"""Every name that may be asked for."""


def files_of(form: str, lang_pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Names of the files that language pairs have in a format; of :data:`CESALIGN` those of the folders."""
    if form in JOINT:
        return [JOINT[form]] if lang_pairs else []
    return [name for pair in lang_pairs for name in _files_of_pair(form, *pair)]


def _files_of_pair(form: str, src_lang: str, tgt_lang: str) -> list[str]:
    name = f"{src_lang}-{tgt_lang}"
    if form == CESALIGN:
        return [f"{CESALIGN}.{name}"]
    if form == "moses":
        return [f"{name}.{src_lang}", f"{name}.{tgt_lang}"]
    if form == "vertical":
        return [f"{name}.{src_lang}.vert", f"{name}.{tgt_lang}.vert", f"{name}.map"]
    return [FORMATS[form][0].format(name=name)]


def check_formats(formats: Sequence[str], known: Collection[str] = ALL_FORMATS) -> None:
    """Raise :class:`UsageError` for a format that is not ``known``, or where none is named."""
    unknown = [form for form in formats if form not in known]
    if "tbx" in unknown:
        raise UsageError("tbx holds terms, not segments; `diglot terms RUN --to tbx -o DIR` writes it")
    if unknown or not formats:
        raise UsageError(no_such("format", " ".join(unknown[:1]), known))
