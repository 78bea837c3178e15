"""Copies across sites: one copy is kept, with the addresses of the others.

A small table (:data:`CANDIDATE_SCHEMA`) has a row for each segment without an excluding flag. It is split by keys, so
that copies in any number of runs are resolved a bucket at a time, in bounded memory.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import xxhash

from diglot.arrays import Ints
from diglot.corpus.flags import DUPLICATE, NEAR_DUPLICATE
from diglot.corpus.flags.codes import codes_of
from diglot.corpus.flags.keeping import kept_mask
from diglot.corpus.flags.repeats import best_rows, near_text_keys, same_text_key
from diglot.records import with_columns

_STRINGS = pa.list_(pa.string())
CANDIDATE_SCHEMA = pa.schema(
    [
        pa.field("part", pa.int32(), nullable=False),  # number of the table that the segment stands in
        pa.field("row", pa.int64(), nullable=False),  # its row there
        pa.field("same", pa.binary(16), nullable=False),  # equal where both languages and texts are the same
        pa.field("near", pa.binary(16), nullable=False),  # equal where the texts are nearly the same
        pa.field("score", pa.float32(), nullable=False),
        pa.field("position", pa.int32(), nullable=False),
        *(pa.field(f"{side}_url", pa.string(), nullable=False) for side in ("src", "tgt")),
        *(pa.field(f"other_{side}_urls", _STRINGS, nullable=False) for side in ("src", "tgt")),
    ]
)
_CANDIDATE_COLUMNS = [*CANDIDATE_SCHEMA.names[4:], *(f"{side}{of}" for side in ("src", "tgt") for of in ("", "_lang"))]
VERDICT_SCHEMA = pa.schema(
    [
        pa.field("part", pa.int32(), nullable=False),
        pa.field("row", pa.int64(), nullable=False),
        pa.field("flag", pa.string(), nullable=False),  # "" for the copy that is kept
        *(pa.field(f"other_{side}_urls", _STRINGS, nullable=False) for side in ("src", "tgt")),
    ]
)


def candidates(flagged: pa.Table, part: int) -> pa.Table:
    """Segments of a flagged table, the ``part``-th, without an excluding flag: :data:`CANDIDATE_SCHEMA`."""
    rows = np.flatnonzero(kept_mask(flagged))
    taken = flagged.select(_CANDIDATE_COLUMNS).take(pa.array(rows))
    langs = [taken[f"{side}_lang"].to_pylist() for side in ("src", "tgt")]
    texts = [taken[side].to_pylist() for side in ("src", "tgt")]
    columns = {
        "part": pa.array(np.full(len(rows), part, np.int32)),
        "row": pa.array(rows),
        "same": _hashes(*langs, *(list(map(same_text_key, side)) for side in texts)),
        "near": _hashes(*langs, *map(near_text_keys, texts)),
    }
    others = {name: taken[name] for name in CANDIDATE_SCHEMA.names if name not in columns}
    return pa.table({**columns, **others}, schema=CANDIDATE_SCHEMA)


def verdicts(rivals: pa.Table) -> pa.Table:
    """Verdicts on candidates with a copy or near copy among them (:data:`VERDICT_SCHEMA`), by part and row.

    Exact copies are judged first: the best one is kept (:func:`diglot.corpus.flags.repeats.best_rows`). Among near
    copies again the best one is kept, with the addresses of all others.
    """
    # Copies are near copies, too.
    near_codes = codes_of(rivals["near"])
    rivals = rivals.filter(pa.array(np.bincount(near_codes)[near_codes] > 1, pa.bool_()))
    if not rivals.num_rows:
        return VERDICT_SCHEMA.empty_table()
    rows = np.arange(rivals.num_rows)
    same = best_rows(rivals, codes_of(rivals["same"]))
    near = best_rows(rivals, codes_of(rivals["near"]))
    flags = np.where(same != rows, DUPLICATE, np.where(near != rows, NEAR_DUPLICATE, ""))
    changed = np.flatnonzero((flags != "") | (np.bincount(near, minlength=len(rows)) > 1))
    addresses = _addresses(rivals, near)
    table = {
        "part": rivals["part"].take(pa.array(changed)),
        "row": rivals["row"].take(pa.array(changed)),
        "flag": pa.array(flags[changed].tolist(), pa.string()),
        "other_src_urls": pa.array([[src for src, _ in addresses.get(row, ())] for row in changed.tolist()], _STRINGS),
        "other_tgt_urls": pa.array([[tgt for _, tgt in addresses.get(row, ())] for row in changed.tolist()], _STRINGS),
    }
    return pa.table(table, schema=VERDICT_SCHEMA).sort_by([("part", "ascending"), ("row", "ascending")])


def with_verdicts(flagged: pa.Table, found: pa.Table) -> pa.Table:
    """A flagged table with the verdicts on its rows; ``found``: :data:`VERDICT_SCHEMA`, rows of one part."""
    if not found.num_rows:
        return flagged
    before = flagged["flags"].take(found["row"]).to_pylist()
    marks = zip(before, found["flag"].to_pylist(), strict=True)
    flags = pa.array([sorted({*old, flag} - {""}) for old, flag in marks], _STRINGS)
    others = {name: found[name].combine_chunks() for name in ("other_src_urls", "other_tgt_urls")}
    return with_cells(flagged, found["row"].to_numpy(), {"flags": flags, **others})


def with_cells(table: pa.Table, rows: Ints, columns: Mapping[str, pa.Array]) -> pa.Table:
    """A table with new values in some rows; ``columns``: by name, a value for each of ``rows``."""
    source = np.arange(table.num_rows)
    source[rows] = table.num_rows + np.arange(len(rows))
    for name, column in columns.items():
        changed = pa.concat_arrays([table[name].combine_chunks(), column]).take(pa.array(source))
        table = with_columns(table, **{name: changed})
    return table


def _hashes(*columns: list[str]) -> pa.Array:
    return pa.array(
        [xxhash.xxh3_128_digest("\x1f".join(texts).encode()) for texts in zip(*columns, strict=True)], pa.binary(16)
    )


def _addresses(rivals: pa.Table, kept: Ints) -> dict[int, list[tuple[str, str]]]:
    """Addresses of the copies of each kept row, sorted; the row's own addresses are not among them."""
    own = list(zip(*(rivals[f"{side}_url"].to_pylist() for side in ("src", "tgt")), strict=True))
    others = zip(*(rivals[f"other_{side}_urls"].to_pylist() for side in ("src", "tgt")), strict=True)
    found: dict[int, set[tuple[str, str]]] = {}
    for best, urls, more in zip(kept.tolist(), own, others, strict=True):
        found.setdefault(best, set()).update([urls, *zip(*more, strict=True)])
    return {best: sorted(pairs - {own[best]}) for best, pairs in found.items()}
