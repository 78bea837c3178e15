"""Every format that segments are written in, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from diglot.corpus.flags import EXCLUDED, clean
from diglot.corpus.formats.tables import write_jsonl, write_moses, write_parquet, write_segments_tsv
from diglot.corpus.formats.tmx import Header, units_of, write_tmx
from diglot.corpus.formats.vertical import write_vertical
from diglot.corpus.formats.xliff import write_xliff
from diglot.corpus.formats.xlsx import write_xlsx
from diglot.errors import UsageError

CESALIGN = "cesalign"
"""Written from whole pages, not from segments: :func:`diglot.corpus.formats.ces.write_ces_pairs`."""


@dataclass(frozen=True, slots=True)
class Bitext:
    """Segments of one language pair, :data:`diglot.records.FLAGGED_SCHEMA`, with all that a format may state."""

    segments: pa.Table
    src_lang: str
    tgt_lang: str
    signature: str = ""
    excluded: frozenset[str] = EXCLUDED

    @property
    def name(self) -> str:
        """``SRC-TGT``."""
        return f"{self.src_lang}-{self.tgt_lang}"

    def kept(self) -> pa.Table:
        """The rows without a flag that excludes."""
        return clean(self.segments, self.excluded)


def tmx(path: Path, bitext: Bitext) -> list[Path]:
    """TMX 1.4b."""
    kept = bitext.kept()
    header = Header(created=pc.max(kept["fetched"]).as_py() or "", signature=bitext.signature)
    units = units_of(kept.to_batches())
    write_tmx(path, units, src_lang=bitext.src_lang, tgt_lang=bitext.tgt_lang, header=header)
    return [path]


def tsv(path: Path, bitext: Bitext) -> list[Path]:
    """TSV with a header line; the one format that holds the flagged rows, too."""
    write_segments_tsv(path, bitext.segments)
    return [path]


def moses(path: Path, bitext: Bitext) -> list[Path]:
    """Two plain texts, ``PATH.SRC`` and ``PATH.TGT``."""
    write_moses(path, bitext.kept(), src_lang=bitext.src_lang, tgt_lang=bitext.tgt_lang)
    return [Path(f"{path}.{lang}") for lang in (bitext.src_lang, bitext.tgt_lang)]


def jsonl(path: Path, bitext: Bitext) -> list[Path]:
    """One JSON object a line."""
    write_jsonl(path, bitext.kept())
    return [path]


def parquet(path: Path, bitext: Bitext) -> list[Path]:
    """Parquet."""
    write_parquet(path, bitext.kept())
    return [path]


def xliff(path: Path, bitext: Bitext) -> list[Path]:
    """XLIFF 2.0; no file where there is no segment."""
    units = units_of(bitext.kept().to_batches())
    written = write_xliff(path, units, src_lang=bitext.src_lang, tgt_lang=bitext.tgt_lang)
    return [path] if written else []


def xlsx(path: Path, bitext: Bitext) -> list[Path]:
    """A workbook of text cells."""
    write_xlsx(path, bitext.kept())
    return [path]


def vertical(path: Path, bitext: Bitext) -> list[Path]:
    """Vertical text with an alignment map: ``PATH.SRC.vert``, ``PATH.TGT.vert``, ``PATH.map``."""
    return [*map(Path, write_vertical(path, bitext.kept(), src_lang=bitext.src_lang, tgt_lang=bitext.tgt_lang))]


FORMATS: Mapping[str, tuple[str, Callable[[Path, Bitext], list[Path]]]] = {
    "tmx": ("{name}.tmx", tmx),
    "tsv": ("segments.{name}.tsv", tsv),
    "moses": ("{name}", moses),
    "jsonl": ("{name}.jsonl", jsonl),
    "parquet": ("{name}.parquet", parquet),
    "xliff": ("{name}.xlf", xliff),
    "xlsx": ("{name}.xlsx", xlsx),
    "vertical": ("{name}", vertical),
}
"""Name of a format -> the name of its file (a stem where it has several) and its writer."""


def check_formats(formats: Sequence[str]) -> None:
    """Raise :class:`UsageError` for a format that is not known, or where none is named."""
    known = [*FORMATS, CESALIGN]
    unknown = [form for form in formats if form not in known]
    if unknown or not formats:
        raise UsageError(f"no format {' '.join(unknown[:1])!r}; there are: {', '.join(known)}")


def write_format(form: str, out: Path, bitext: Bitext) -> list[Path]:
    """Write a bitext into a folder in a format of ``FORMATS``, under the format's own name; returns the paths."""
    name, write = FORMATS[form]
    return write(out / name.format(name=bitext.name), bitext)
