"""Writers of one language pair, a function for each format: takes a path and parts, returns the written files.

What writes XML or workbooks is loaded with the first such file: whoever reads a run has no use for it.
"""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from diglot.corpus.formats.meanings import SEGMENT_MEANING
from diglot.corpus.formats.page_fragments import with_page_fragments
from diglot.corpus.formats.segments import Parts, SeenVariants
from diglot.corpus.formats.tables import (
    with_kind_names,
    with_page_facts,
    write_csv,
    write_jsonl,
    write_moses,
    write_parquet,
    write_segments_tsv,
)
from diglot.disk.atomic import remove_file

TMX_UNITS = 1_000_000
"""Most segments of a TMX file; translation tools fail on larger files."""


def write_tmx_files(path: Path, parts: Parts) -> list[Path]:
    """TMX 1.4b; several files for more than :data:`TMX_UNITS` segments."""
    from diglot.corpus.formats.tmx import Header, units_of, write_tmx

    # A first pass for the header, which comes before the units.
    first, count, created, seen = next(parts()), 0, "", SeenVariants()
    for kept in (part.kept_rows() for part in parts()):
        count += kept.num_rows
        created = max(created, pc.max(kept["fetched"]).as_py() or "")
        seen.add(kept, first.src_lang, first.tgt_lang)
    src_tag, tgt_tag = (seen.tag(lang, first.variants) for lang in (first.src_lang, first.tgt_lang))
    units = (unit for part in parts() for unit in units_of(part.kept_rows().to_batches()))
    paths = [path]
    if count > TMX_UNITS:
        paths = [path.with_name(f"{path.stem}.{number + 1:05d}.tmx") for number in range(-(-count // TMX_UNITS))]
    header = Header(created=created, signature=first.signature)
    for each in paths:
        mine = islice(units, TMX_UNITS)
        write_tmx(each, mine, src_lang=src_tag, tgt_lang=tgt_tag, header=header)
    # Files of an earlier export with more or fewer segments.
    for other in sorted({path, *tmx_parts(path)} - set(paths)):
        remove_file(other)
    return paths


def tmx_parts(path: Path) -> list[Path]:
    """Existing parts of a TMX file that was split at :data:`TMX_UNITS` segments."""
    return sorted(path.parent.glob(f"{glob.escape(path.stem)}.[0-9][0-9][0-9][0-9][0-9].tmx"))


def write_tsv_file(path: Path, parts: Parts) -> list[Path]:
    """TSV with a header line and all rows, flagged rows included."""
    write_segments_tsv(
        path, (with_page_fragments(part.table) for part in parts()), spreadsheet=next(parts()).spreadsheet
    )
    return [path]


def write_moses_files(path: Path, parts: Parts) -> list[Path]:
    """Two plain texts, ``PATH.SRC`` and ``PATH.TGT``."""
    first = next(parts())
    write_moses(path, _kept_rows(parts), src_lang=first.src_lang, tgt_lang=first.tgt_lang)
    return [Path(f"{path}.{lang}") for lang in (first.src_lang, first.tgt_lang)]


def write_jsonl_file(path: Path, parts: Parts) -> list[Path]:
    """One JSON object a line."""
    write_jsonl(path, _rows_with_pages(parts))
    return [path]


def write_csv_file(path: Path, parts: Parts) -> list[Path]:
    """CSV with a header line."""
    write_csv(path, _rows_with_pages(parts), spreadsheet=next(parts()).spreadsheet)
    return [path]


def write_parquet_file(path: Path, parts: Parts) -> list[Path]:
    """Parquet."""
    write_parquet(path, _rows_with_pages(parts), SEGMENT_MEANING)
    return [path]


def write_xliff_file(path: Path, parts: Parts) -> list[Path]:
    """XLIFF 2.0; no file without segments."""
    from diglot.corpus.formats.xliff import write_xliff

    return _any_xliff(path, parts, write_xliff)


def write_xliff12_file(path: Path, parts: Parts) -> list[Path]:
    """XLIFF 1.2; no file without segments."""
    from diglot.corpus.formats.xliff import write_xliff12

    return _any_xliff(path, parts, write_xliff12)


def _any_xliff(path: Path, parts: Parts, write: Callable[..., int]) -> list[Path]:
    from diglot.corpus.formats.tmx import units_of

    (whole,) = parts()
    kept, seen = whole.kept_rows(), SeenVariants()
    seen.add(kept, whole.src_lang, whole.tgt_lang)
    src_tag, tgt_tag = (seen.tag(lang, whole.variants) for lang in (whole.src_lang, whole.tgt_lang))
    return [path] if write(path, units_of(kept.to_batches()), src_lang=src_tag, tgt_lang=tgt_tag) else []


def write_xlsx_file(path: Path, parts: Parts) -> list[Path]:
    """A workbook of text cells."""
    from diglot.corpus.formats.sheets import write_xlsx

    (whole,) = parts()
    write_xlsx(path, whole.kept_rows(), name=whole.name)
    return [path]


def write_vertical_files(path: Path, parts: Parts) -> list[Path]:
    """Vertical text with an alignment map: ``PATH.SRC.vert``, ``PATH.TGT.vert``, ``PATH.map``."""
    from diglot.corpus.formats.vertical import write_vertical

    (whole,) = parts()
    return [*map(Path, write_vertical(path, whole.kept_rows(), src_lang=whole.src_lang, tgt_lang=whole.tgt_lang))]


def _kept_rows(parts: Parts) -> Iterator[pa.Table]:
    return (part.kept_rows() for part in parts())


def _rows_with_pages(parts: Parts) -> Iterator[pa.Table]:
    for part in parts():
        yield with_kind_names(with_page_fragments(with_page_facts(part.kept_rows(), part.pages)))
