"""What people take home: the files in a run's ``out`` folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from diglot.corpus.characters import one_line
from diglot.corpus.formats import Segments
from diglot.corpus.formats.conflicts import write_conflicts
from diglot.corpus.formats.tables import write_pairs_tsv
from diglot.disk.atomic import replacing
from diglot.disk.folder import RunFolder
from diglot.disk.whole import read_text
from diglot.errors import RunFolderError
from diglot.run.settings import Settings
from diglot.version import __version__

OUT = "out"


def write_outputs(folder: RunFolder, settings: Settings, pairs: pa.Table, segments: pa.Table, ledger: pa.Table) -> None:
    """Pairs, segments and conflicts as TSV and clean segments as TMX by language pair, and the fate of every page."""
    out = folder.path / OUT
    signature = settings.resolved_recipe().signature(__version__)
    least = settings.least_score()
    written: set[str] = set()
    for src_lang, tgt_lang in settings.language_pairs():
        name = f"{src_lang}-{tgt_lang}"
        mine = of_languages(segments, src_lang, tgt_lang)
        write_pairs_tsv(out / f"pairs.{name}.tsv", of_languages(pairs, src_lang, tgt_lang))
        files = Segments(mine, src_lang, tgt_lang, signature, settings.excluded(), least).write(out, "tsv", "tmx")
        write_conflicts(out / f"conflicts.{name}.tsv", mine, least)
        written |= {f"pairs.{name}.tsv", f"conflicts.{name}.tsv", *(path.name for path in files)}
    _write_pages(out / "pages.tsv", ledger)
    for path in out.iterdir():
        ours = any(map(path.match, ("pairs.*.tsv", "segments.*.tsv", "conflicts.*.tsv", "*.tmx")))
        if ours and path.name not in written and path.is_file():
            path.unlink()


def _write_pages(path: Path, ledger: pa.Table) -> None:
    """A header line, then a line a record, as they are in the ledger."""
    columns = [ledger[name].to_pylist() for name in ledger.column_names]
    with replacing(path) as handle:
        for row in [ledger.column_names, *zip(*columns, strict=True)]:
            handle.write(("\t".join(map(one_line, row)) + "\n").encode())


def write_summary(folder: RunFolder, summary: dict[str, Any]) -> None:
    """Write ``out/summary.json``."""
    text = json.dumps(summary, indent=2, ensure_ascii=False) + "\n"
    with replacing(folder.path / OUT / "summary.json") as handle:
        handle.write(text.encode())


def read_summary(folder: RunFolder) -> dict[str, Any]:
    """What ``out/summary.json`` says; :class:`RunFolderError` where the run is not finished."""
    path = folder.path / OUT / "summary.json"
    try:
        summary: dict[str, Any] = json.loads(read_text(path))
        if not isinstance(summary, dict):
            raise ValueError("no table")
    except (OSError, ValueError) as error:
        raise RunFolderError(f"{path}: no summary; the run is not finished, run `diglot harvest` again") from error
    return summary


def of_languages(table: pa.Table, src_lang: str, tgt_lang: str) -> pa.Table:
    """The rows of one language pair."""
    return table.filter(pc.and_(pc.equal(table["src_lang"], src_lang), pc.equal(table["tgt_lang"], tgt_lang)))


def of_page_pairs(segments: pa.Table, pairs: pa.Table) -> pa.Table:
    """The segments whose two addresses are a row of ``pairs``, in order."""
    known = set(_addresses(pairs))
    return segments.filter(pa.array([urls in known for urls in _addresses(segments)], pa.bool_()))


def _addresses(table: pa.Table) -> Iterator[tuple[str, str]]:
    return zip(table["src_url"].to_pylist(), table["tgt_url"].to_pylist(), strict=True)
