"""What people take home: the files in a run's ``out`` folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from diglot import __version__
from diglot.atomic import replacing
from diglot.corpus.characters import one_line
from diglot.corpus.flags import clean
from diglot.corpus.tables import write_jsonl, write_moses, write_pairs_tsv, write_parquet, write_segments_tsv
from diglot.corpus.tmx import Header, units_of, write_tmx
from diglot.errors import RunFolderError, UsageError
from diglot.run import RunFolder
from diglot.settings import Settings

OUT = "out"


def write_outputs(folder: RunFolder, settings: Settings, pairs: pa.Table, segments: pa.Table, ledger: pa.Table) -> None:
    """Pairs and segments as TSV and clean segments as TMX for every language pair, and the fate of every page."""
    out = folder.path / OUT
    signature = settings.resolved_recipe().signature(__version__)
    written: set[str] = set()
    for src_lang, tgt_lang in settings.language_pairs():
        name = f"{src_lang}-{tgt_lang}"
        mine = of_languages(segments, src_lang, tgt_lang)
        write_pairs_tsv(out / f"pairs.{name}.tsv", of_languages(pairs, src_lang, tgt_lang))
        write_segments_tsv(out / f"segments.{name}.tsv", mine)
        _write_tmx(out / f"{name}.tmx", clean(mine), src_lang, tgt_lang, signature)
        written |= {f"pairs.{name}.tsv", f"segments.{name}.tsv", f"{name}.tmx"}
    _write_pages(out / "pages.tsv", ledger)
    for path in out.iterdir():
        stale = path.match("pairs.*.tsv") or path.match("segments.*.tsv") or path.match("*.tmx")
        if stale and path.name not in written and path.is_file():
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
        summary: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RunFolderError(f"{path}: no summary; the run is not finished, run `diglot harvest` again") from error
    return summary


def of_languages(table: pa.Table, src_lang: str, tgt_lang: str) -> pa.Table:
    """The rows of one language pair."""
    return table.filter(pc.and_(pc.equal(table["src_lang"], src_lang), pc.equal(table["tgt_lang"], tgt_lang)))


def _write_tmx(path: Path, segments: pa.Table, src_lang: str, tgt_lang: str, signature: str) -> None:
    created = pc.max(segments["fetched"]).as_py() or ""
    write_tmx(
        path,
        units_of(segments.to_batches()),
        src_lang=src_lang,
        tgt_lang=tgt_lang,
        header=Header(created=created, signature=signature),
    )


def export(
    segments: pa.Table, formats: list[str], out: Path, *, src_lang: str, tgt_lang: str, signature: str
) -> list[Path]:
    """Write segments of one language pair in the formats named; returns the paths. All but TSV leave flagged ones out.

    Raises :class:`UsageError` for a format that is not known, or where none is named.
    """
    name = f"{src_lang}-{tgt_lang}"
    kept = clean(segments)
    writers: dict[str, tuple[list[str], Callable[[], object]]] = {
        "tmx": ([f"{name}.tmx"], lambda: _write_tmx(out / f"{name}.tmx", kept, src_lang, tgt_lang, signature)),
        "tsv": ([f"segments.{name}.tsv"], lambda: write_segments_tsv(out / f"segments.{name}.tsv", segments)),
        "moses": (
            [f"{name}.{src_lang}", f"{name}.{tgt_lang}"],
            lambda: write_moses(out / name, kept, src_lang=src_lang, tgt_lang=tgt_lang),
        ),
        "jsonl": ([f"{name}.jsonl"], lambda: write_jsonl(out / f"{name}.jsonl", kept)),
        "parquet": ([f"{name}.parquet"], lambda: write_parquet(out / f"{name}.parquet", kept)),
    }
    unknown = [form for form in formats if form not in writers]
    if unknown or not formats:
        raise UsageError(f"no format {' '.join(unknown[:1])!r}; there are: {', '.join(writers)}")
    paths: list[Path] = []
    for form in formats:
        names, write = writers[form]
        write()
        paths += [out / file for file in names]
    return paths
