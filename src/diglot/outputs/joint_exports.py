"""Exports of all language pairs together: SQLite, multilingual TMX, and the dataset card for Parquet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from diglot.corpus.flags.keeping import BELOW_MIN_SCORE, clean
from diglot.corpus.formats import CARD, OTHER_CARD, SQLITE, WITH_CARD, files_of
from diglot.corpus.formats.card import Dataset, is_card, write_card
from diglot.corpus.formats.segments import SeenVariants
from diglot.corpus.shown_segments import shown_segments
from diglot.outputs.exports import Export
from diglot.records import of_languages
from diglot.run.bundles import Bundles
from diglot.run.settings import Settings


def write_joint(folder: Path, export: Export, settings: Settings, bundles: Bundles) -> list[Path]:
    """Write a format of :data:`diglot.corpus.formats.JOINT` into a folder; returns the paths."""
    paths = [folder / name for name in files_of(export.form, export.pairs)]
    if export.form == SQLITE:
        _write_sqlite(paths, export, settings, bundles)
    else:
        _write_multilingual(paths[0], export, settings, bundles)
    return paths


def _write_sqlite(paths: Sequence[Path], export: Export, settings: Settings, bundles: Bundles) -> None:
    from diglot.corpus.formats.sqlite import SiteTables, write_metadata, write_sqlite

    langs = sorted({lang for pair in export.pairs for lang in pair}, key=settings.langs.index)
    is_part = set(export.pairs) != set(settings.language_pairs())

    def sites() -> Iterator[SiteTables]:
        for bundle in bundles:
            ledger = bundle.ledger
            # Pages without a language are listed only in an export of the whole run.
            pages = ledger.filter(pc.is_in(ledger["lang"], pa.array(langs))) if is_part else ledger
            segments = shown_segments(clean(bundle.segments, *export.limits(settings)))
            yield SiteTables(pages, _of_pairs(bundle.pairs, export), _of_pairs(segments, export))

    base, metadata = paths
    write_sqlite(base, sites(), langs)
    write_metadata(metadata, langs)


def _write_multilingual(path: Path, export: Export, settings: Settings, bundles: Bundles) -> None:
    from diglot.corpus.formats.multilingual import joined_units, with_tags
    from diglot.corpus.formats.tmx import Header, write_multilingual_tmx

    pivot, seen, created, tables = pivot_of(settings, export.pairs, export.pivot), SeenVariants(), "", []
    pairs = [pair for pair in export.pairs if pivot in pair]
    for bundle in bundles:
        kept = clean(bundle.segments, *export.limits(settings))
        for src, tgt in pairs:
            table = of_languages(kept, src, tgt)
            seen.add(table, src, tgt)
            created = max(created, pc.max(table["fetched"]).as_py() or "")
            tables.append(table)
    tags = {lang: seen.tag(lang, dict(export.variants)) for lang in settings.langs}
    units = (with_tags(unit, tags) for unit in joined_units(tables, pivot, settings.langs))
    signature = "|".join([bundles.signature, *export.option_texts()])
    write_multilingual_tmx(path, units, src_lang=tags[pivot], header=Header(created=created, signature=signature))


def pivot_of(settings: Settings, pairs: Sequence[tuple[str, str]], asked: str) -> str:
    """Language joining the segments of a multilingual TMX: the requested one, the run's pivot, or the first
    language."""
    langs = [lang for lang in settings.langs if any(lang in pair for pair in pairs)]
    return asked or (settings.pivot if settings.pivot in langs else langs[0])


def _of_pairs(table: pa.Table, export: Export) -> pa.Table:
    return pa.concat_tables([table.slice(0, 0), *(of_languages(table, *pair) for pair in export.pairs)])


def write_card_of(
    folder: Path, name: str, settings: Settings, written: Mapping[str, Any], summary: Mapping[str, Any]
) -> Path:
    """Write the dataset card for the Parquet files of a folder; returns the path: :data:`OTHER_CARD` if the folder
    has a ``README.md`` that Diglot did not write.

    ``name``: name of the run; ``written``: content of ``diglot.toml``; ``summary``: summary of the run.
    """
    names = [each for form in WITH_CARD for each in files_of(form, settings.language_pairs())]
    files = {each.removesuffix(".parquet"): folder / each for each in names if (folder / each).is_file()}
    path = folder / CARD
    if path.exists() and not is_card(path):
        path = folder / OTHER_CARD
    starts: Sequence[str] = written.get("crawl", {}).get("starts", ())
    sources: Sequence[Mapping[str, Any]] = written.get("sources", ())
    dataset = Dataset(
        name=name,
        langs=settings.langs,
        files=files,
        signature=written.get("signature", ""),
        sources=starts or [str(source.get("name", "")) for source in sources],
        aligned=sum(summary["segments"].values()),
        left_out={**summary["left_out"], BELOW_MIN_SCORE: summary["below_min_score"]},
        min_score=summary["min_score"],
    )
    write_card(path, dataset)
    return path
