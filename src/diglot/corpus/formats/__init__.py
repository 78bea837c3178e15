"""The table of formats: how segments are written for other programs."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pyarrow as pa

from diglot.corpus.formats import writers
from diglot.corpus.formats.segments import Parts as Parts
from diglot.corpus.formats.segments import Segments as Segments
from diglot.corpus.formats.writers import tmx_parts as tmx_parts
from diglot.corpus.shown_segments import shown_segments
from diglot.errors import DiglotError, UsageError, describe_failure, no_such

CESALIGN, PARQUET, SQLITE, TMX_MULTI = "cesalign", "parquet", "sqlite", "tmx-multi"
"""Formats with a writer in another module, or with an additional file."""
PAIR_DOCUMENTS = ("documents", "documents-jsonl")
DOCUMENT_FORMATS = (*PAIR_DOCUMENTS, "pages", "pages-jsonl")
"""Formats of whole pages: page pairs, and the pages of each language."""
WITH_CARD = (PARQUET, "documents", "pages")
"""Formats with a dataset card beside the files."""
SPREADSHEET_FORMATS = ("csv", "tsv")
"""Formats that people open in a spreadsheet, which may take a text for a formula."""
VARIANT_FORMATS = ("tmx", "xliff", "xliff12", "tmx-multi")
"""Formats with a place for the region or script of a language."""
CARD, OTHER_CARD = "README.md", "dataset-card.md"
"""Names of the dataset card beside Parquet files; the second if a user's file has the first."""


@dataclass(frozen=True, kw_only=True)
class Format:
    """One way to write segments.

    ``files``: names of the files, with ``{src}`` and ``{tgt}`` for the languages. ``loads_in``: programs that read
    the files; ``keeps``: columns of a segment in the files; both in Markdown, for the how-to. ``write``: writes one
    language pair, as ``write(path, parts)``, and returns the paths of the files; ``path`` is the file, or
    ``SRC-TGT`` for several files. None for a format made from a whole run (``diglot.outputs.joint_exports``,
    :mod:`diglot.corpus.formats.ces`). ``joint``: one file holds all language pairs. ``whole``: the writer takes all
    segments as one part. ``text``: one text file, which can go to standard output.
    """

    name: str
    files: tuple[str, ...]
    loads_in: str
    keeps: str
    write: Callable[[Path, Parts], list[Path]] | None
    joint: bool = False
    whole: bool = False
    text: bool = False

    def file_names(self, src_lang: str, tgt_lang: str) -> list[str]:
        """Names of the files of a language pair; for cesalign the name of the folder."""
        return [name.format(src=src_lang, tgt=tgt_lang) for name in self.files]


FORMATS = (
    Format(
        name="tmx",
        files=("{src}-{tgt}.tmx",),
        loads_in="translation tools; TMX 1.4b, valid by its DTD",
        keeps="score, bead, flags, both addresses, position, addresses of copies, fetch time, variant",
        write=writers.write_tmx_files,
        text=True,
    ),
    Format(
        name="tsv",
        files=("segments.{src}-{tgt}.tsv",),
        loads_in="anything; all segments, flagged segments included",
        keeps="score, bead, flags, both addresses",
        write=writers.write_tsv_file,
        text=True,
    ),
    Format(
        name="moses",
        files=("{src}-{tgt}.{src}", "{src}-{tgt}.{tgt}"),
        loads_in="machine translation training",
        keeps="the two texts",
        write=writers.write_moses_files,
    ),
    Format(
        name="csv",
        files=("{src}-{tgt}.csv",),
        loads_in="anything that knows quoted fields",
        keeps="everything, with title, fetch time and licence of both pages",
        write=writers.write_csv_file,
        text=True,
    ),
    Format(
        name="jsonl",
        files=("{src}-{tgt}.jsonl",),
        loads_in="`jq`, `datasets`, DuckDB",
        keeps="everything, as `csv`",
        write=writers.write_jsonl_file,
        text=True,
    ),
    Format(
        name=PARQUET,
        files=("{src}-{tgt}.parquet",),
        loads_in="pandas, polars, DuckDB, `datasets`; with a dataset card, `README.md`",
        keeps="everything, as `csv`",
        write=writers.write_parquet_file,
    ),
    Format(
        name="xliff",
        files=("{src}-{tgt}.xlf",),
        loads_in="translation tools; XLIFF 2.0, one file element for each page pair",
        keeps="everything, in notes",
        write=writers.write_xliff_file,
        whole=True,
        text=True,
    ),
    Format(
        name="xliff12",
        files=("{src}-{tgt}.1.2.xlf",),
        loads_in="OmegaT, translate-toolkit and other tools without XLIFF 2.0; XLIFF 1.2",
        keeps="everything, in notes",
        write=writers.write_xliff12_file,
        whole=True,
        text=True,
    ),
    Format(
        name="xlsx",
        files=("{src}-{tgt}.xlsx",),
        loads_in="Excel, LibreOffice; text cells, a leading `=` is no formula",
        keeps="score, bead, flags, both addresses, position, fetch time, an id; room for a verdict and corrections",
        write=writers.write_xlsx_file,
        whole=True,
    ),
    Format(
        name="vertical",
        files=("{src}-{tgt}.{src}.vert", "{src}-{tgt}.{tgt}.vert", "{src}-{tgt}.map"),
        loads_in="corpus managers such as NoSketch Engine",
        keeps="score, bead, flags, address, page of a PDF, fetch time",
        write=writers.write_vertical_files,
        whole=True,
    ),
    Format(
        name=CESALIGN,
        files=("cesalign.{src}-{tgt}",),
        loads_in="tools for cesDoc and cesAlign; whole pages with their paragraphs, in a folder",
        keeps="addresses, language, fetch time",
        write=None,
    ),
    Format(
        name="documents",
        files=("documents.{src}-{tgt}.parquet",),
        loads_in="pandas, polars, DuckDB, `datasets`; a row is a page pair",
        keeps="all blocks of both pages, segments and blocks aligned, what has no counterpart; see below",
        write=None,
    ),
    Format(
        name="documents-jsonl",
        files=("documents.{src}-{tgt}.jsonl",),
        loads_in="`jq`, `datasets`, DuckDB; a line is a page pair",
        keeps="as `documents`",
        write=None,
    ),
    Format(
        name="pages",
        files=("pages.{src}.parquet", "pages.{tgt}.parquet"),
        loads_in="pandas, polars, DuckDB, `datasets`; a row is a page, paired or not",
        keeps="main text, all blocks, fate, title, address, fetch time, licence, group of versions",
        write=None,
    ),
    Format(
        name="pages-jsonl",
        files=("pages.{src}.jsonl", "pages.{tgt}.jsonl"),
        loads_in="`jq`, `datasets`, DuckDB; a line is a page",
        keeps="as `pages`",
        write=None,
    ),
    Format(
        name=SQLITE,
        files=("segments.db", "segments.metadata.json"),
        loads_in="`sqlite3`, sqlite-utils, datasette (with metadata); all languages in one file, with an index of "
        "words and, for languages without blanks, one of characters",
        keeps="everything; pages with their fate, page pairs and copies have tables of their own",
        write=None,
        joint=True,
    ),
    Format(
        name=TMX_MULTI,
        files=("multilingual.tmx",),
        loads_in="translation tools; one memory of all languages",
        keeps="text, address, score, bead, flags and variant of each language, fetch time",
        write=None,
        joint=True,
        text=True,
    ),
)
"""All formats. A new format is one entry with a writer."""


def _by_name(formats: Sequence[Format]) -> dict[str, Format]:
    """The formats by name; :class:`UsageError` for a name or a file that another format has, and for ``files`` that are
    no tuple of names in which the two languages can be put."""
    owners: dict[str, str] = {}
    for form in formats:
        try:
            is_right = isinstance(form.files, tuple) and bool(form.file_names("aa", "bb"))
        except (KeyError, IndexError, ValueError, AttributeError):
            is_right = False
        if not is_right:
            raise UsageError(f"format {form.name}: files is {form.files!r}; give ('{{src}}-{{tgt}}.txt',)")
        # One format would take the place of the other, or write over its files.
        for each in (f"name {form.name}", *(f"file {name}" for name in form.files)):
            if each in owners:
                raise UsageError(f"format {form.name}: the {each} is taken by format {owners[each]}; choose another")
            owners[each] = form.name
    return {form.name: form for form in formats}


_BY_NAME = _by_name(FORMATS)
ALL_FORMATS = tuple(_BY_NAME)
"""Names of all formats."""
JOINT = {form.name: form.files[0] for form in FORMATS if form.joint}
"""File names of the formats that write all language pairs into a single file."""
OTHER_NAMES = {"xliff2": "xliff", "xliff20": "xliff", "xliff2.0": "xliff", "excel": "xlsx", "xls": "xlsx"}
"""Further names of formats that people type."""
TEXT_FILES = tuple(form.name for form in FORMATS if form.text)
"""Formats that can go to standard output."""


def write_parts(out: str | os.PathLike[str], parts: Parts, form: str) -> list[Path]:
    """Write a language pair into a folder in a format of :data:`FORMATS`; returns the paths.

    Memory holds one part at a time, for a ``whole`` format all parts. Raises: UsageError for a format made from a whole
    run, and if a file cannot be written; DiglotError for a writer that fails or returns no paths.
    """
    chosen, first = _BY_NAME[form], next(parts())
    if chosen.write is None:
        raise UsageError(f"{form} is written from a whole run: use Run.export, or `diglot export`")
    files = chosen.file_names(first.src_lang, first.tgt_lang)
    path = Path(out) / (files[0] if len(files) == 1 else first.name)
    shown = partial(_shown_parts, parts)
    try:
        written = chosen.write(path, _join(shown) if chosen.whole else shown)
    except (DiglotError, OSError, MemoryError):
        raise
    except Exception as error:  # the code of a format may be its user's own
        raise DiglotError(f"format {form}: its writer failed: {describe_failure(error)}") from error
    if not isinstance(written, list) or not all(isinstance(each, Path) and each.exists() for each in written):
        raise DiglotError(f"format {form}: its writer gives {written!r:.200}; a list of paths that it wrote is needed")
    return written


def _shown_parts(parts: Parts) -> Iterator[Segments]:
    return (replace(part, table=shown_segments(part.table)) for part in parts())


def _join(parts: Parts) -> Parts:
    each = list(parts())
    whole = replace(each[0], table=pa.concat_tables([part.table for part in each]))
    return lambda: iter([whole])


def files_of(form: str, lang_pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Names of the files of language pairs in a format; for cesalign the names of the folders."""
    names = [name for pair in lang_pairs for name in _BY_NAME[form].file_names(*pair)]
    return list(dict.fromkeys(names))  # a joint format has one file for all


def check_formats(formats: Sequence[str], known: Collection[str] = ALL_FORMATS) -> None:
    """Raise :class:`UsageError` for an unknown format, or for none."""
    if not formats:
        raise UsageError(f"no format is named; there are: {', '.join(known)}")
    if strange := [form for form in formats if not isinstance(form, str)]:
        raise UsageError(f"{strange[0]!r:.60} is no name of a format; name formats one by one, as in 'tmx', 'tsv'")
    unknown = [form for form in formats if form not in known]
    if "tbx" in unknown:
        raise UsageError("tbx holds terms, not segments; `diglot terms RUN --to tbx -o DIR` writes it")
    if unknown:
        name = unknown[0]
        raise UsageError(no_such("format", name, known, OTHER_NAMES.get(name.casefold(), "")))
