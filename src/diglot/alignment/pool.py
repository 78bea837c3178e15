"""A pool: the words of language pairs, learnt from several sites and kept in a file, for sites too small to teach them.

A Parquet table, a row a language pair: ``src_lang``, ``tgt_lang`` and :func:`lexicon_columns`. It holds units of words,
see :mod:`diglot.alignment.lexical.units`, and no text. Whoever reads one trusts nothing in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import xxhash

from diglot.alignment.lexical.units import FOLD_SENTENCES, FOLDS, UnitClass
from diglot.disk.atomic import replacing
from diglot.disk.safe_read import MAX_TEXT_BYTES, read_whole, too_large
from diglot.errors import SourceError

SMALL_SENTENCES = 320
"""Source sentences of a site's page pairs below which its words are taken from a pool. Of as many, a site's own words
are as good (docs/theory/small-sites.md); of fewer, the folds of its lexicon are shorter (:data:`FOLD_SENTENCES`)."""

LanguageTags = tuple[str, str]
"""BCP 47 tags of source and target."""

_TYPES = {
    "units": pa.string(),
    "classes": pa.int64(),
    "share": pa.float64(),
    "offsets": pa.int64(),
    "ids": pa.uint32(),
    "values": pa.float32(),
    "sentences": pa.int64(),
}
LEXICON_SCHEMA = pa.schema(
    [
        pa.field(name, pa.list_(_TYPES[name.rpartition("_")[2]]))
        for name in (
            *("src_units", "src_classes", "tgt_units", "tgt_classes", "src_share", "tgt_share"),
            *("forward_offsets", "forward_ids", "forward_values"),
            *("backward_offsets", "backward_ids", "backward_values", "fold_sentences"),
        )
    ]
)
POOL_SCHEMA = pa.schema([("src_lang", pa.string()), ("tgt_lang", pa.string()), *LEXICON_SCHEMA])


@dataclass(frozen=True, slots=True)
class Pool:
    """Lexicons by language pair, each a table of one row (:data:`LEXICON_SCHEMA`); ``digest`` is of the file."""

    path: str = ""
    digest: str = ""
    lexicons: Mapping[LanguageTags, pa.Table] = field(default_factory=dict)


NO_POOL = Pool()


def write_pool(path: Path, lexicons: Mapping[LanguageTags, pa.Table]) -> None:
    """Write the lexicons of language pairs, in the order of their tags."""
    rows = [
        pa.table({"src_lang": [src], "tgt_lang": [tgt], **{name: row[name] for name in LEXICON_SCHEMA.names}})
        for (src, tgt), row in sorted(lexicons.items())
    ]
    table = pa.concat_tables([POOL_SCHEMA.empty_table(), *(row.cast(POOL_SCHEMA) for row in rows)])
    with replacing(path) as handle:
        pq.write_table(table, handle, compression="zstd")


def read_pool(path: str) -> Pool:
    """The pool in a file; SourceError where it cannot be read or is none."""
    try:
        content = read_whole(Path(path).expanduser())
        table = _table(path, content)
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror or error}; name a file that `diglot pool` wrote") from error
    except (pa.ArrowException, ValueError) as error:
        why = " ".join(str(error).split())
        raise SourceError(f"{path}: no pool of words ({why}); name a file that `diglot pool` wrote") from error
    langs = zip(table["src_lang"].to_pylist(), table["tgt_lang"].to_pylist(), strict=True)
    rows = {key: table.select(LEXICON_SCHEMA.names).slice(number, 1) for number, key in enumerate(langs)}
    return Pool(path, xxhash.xxh3_128_hexdigest(content), rows)


def _table(path: str, content: bytes) -> pa.Table:
    """What the file holds; ValueError where a lexicon would lead its reader astray."""
    file = pq.ParquetFile(pa.BufferReader(content))
    groups = file.metadata.num_row_groups
    if sum(file.metadata.row_group(number).total_byte_size for number in range(groups)) > MAX_TEXT_BYTES:
        raise too_large(path, MAX_TEXT_BYTES)
    if not file.schema_arrow.equals(POOL_SCHEMA):
        raise ValueError("its columns are others")
    table = file.read()
    table.validate(full=True)
    for number in range(table.num_rows):
        _check_row(table.slice(number, 1))
    return table


def _check_row(row: pa.Table) -> None:
    if any(row[name].null_count or pc.list_flatten(row[name]).null_count for name in LEXICON_SCHEMA.names):
        raise ValueError("a value is missing")
    if row["src_lang"].null_count or row["tgt_lang"].null_count:
        raise ValueError("a language is missing")
    lists = {name: pc.list_flatten(row[name]).combine_chunks() for name in LEXICON_SCHEMA.names}
    counts = {side: len(lists[f"{side}_units"]) for side in ("src", "tgt")}
    for side, count in counts.items():
        classes, share = (lists[f"{side}_{name}"].to_numpy() for name in ("classes", "share"))
        _require(len(lists[f"{side}_units"].unique()) == count, f"{side}_units")
        _require(len(classes) == count and np.isin(classes, list(UnitClass)).all(), f"{side}_classes")
        _require(len(share) == count and np.all((share >= 0) & (share <= 1)), f"{side}_share")
    for way, rows, columns in (("forward", "src", "tgt"), ("backward", "tgt", "src")):
        offsets, ids, values = (lists[f"{way}_{name}"].to_numpy() for name in ("offsets", "ids", "values"))
        ends = len(offsets) == counts[rows] + 1 and offsets[0] == 0 and offsets[-1] == len(ids)
        _require(ends and np.all(np.diff(offsets) >= 0), f"{way}_offsets")
        _require(np.all(ids < counts[columns]), f"{way}_ids")
        _require(len(values) == len(ids) * FOLDS and np.all(np.isfinite(values) & (values >= 0)), f"{way}_values")
    folds, (least, most) = lists["fold_sentences"].to_pylist(), FOLD_SENTENCES
    _require(len(folds) == 1 and least <= folds[0] <= most, "fold_sentences")


def _require(holds: object, column: str) -> None:
    if not holds:
        raise ValueError(f"{column} does not fit the other columns")
