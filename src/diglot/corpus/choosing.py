"""Segments as people pick them out of a table: typed rows, and the rows that some wishes choose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot import svg
from diglot.arrays import Mask
from diglot.corpus.flags import carries, check_flag
from diglot.errors import UsageError
from diglot.svg import Text

_BATCH_ROWS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A text and its translation; the fields are the columns of :data:`diglot.records.FLAGGED_SCHEMA`."""

    src: str
    tgt: str
    src_lang: str
    tgt_lang: str
    score: float
    """In [0, 1]."""
    bead: str
    kind: int
    flags: tuple[str, ...]
    src_url: str
    tgt_url: str
    position: int
    fetched: str
    other_src_urls: tuple[str, ...]
    other_tgt_urls: tuple[str, ...]
    src_variant: str
    tgt_variant: str


SHOWN_ROWS = 10
"""Segments that a notebook shows of many."""
WISHES = ("min_score", "max_score", "flag", "without", "src", "tgt", "page")
"""What :func:`chosen` chooses by."""
_NAMES = [each.name for each in fields(Segment)]
SORTED_BY = ("score", "src", "tgt", "src_url", "tgt_url", "position", "length")
"""What segments can be sorted by; ``length``: characters of both sides."""


def rows(table: pa.Table) -> Iterator[Segment]:
    """The rows of a table of segments, in order."""
    for batch in table.select(_NAMES).to_batches(max_chunksize=_BATCH_ROWS):
        for row in batch.to_pylist():
            values: Any = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
            yield Segment(**values)


def chosen(
    table: pa.Table,
    *,
    min_score: float = 0.0,
    max_score: float = 1.0,
    flag: str | Sequence[str] = (),
    without: str | Sequence[str] = (),
    src: str = "",
    tgt: str = "",
    page: str = "",
) -> Mask:
    """Which rows have a score from ``min_score`` to ``max_score``, one of the flags ``flag`` where some are named, none
    of ``without``, texts that match the regular expressions ``src`` and ``tgt`` (RE2), and ``page`` in the address of
    one of their pages; bool of shape (segments,).

    Raises: UsageError for a name that is no flag, and for an expression that is none.
    """
    score = table["score"].to_numpy()
    found = (score >= score.dtype.type(min_score)) & (score <= score.dtype.type(max_score))
    if wanted := _flags(flag):
        found &= np.logical_or.reduce([carries(table, each) for each in wanted])
    for each in _flags(without):
        found &= ~carries(table, each)
    for column, pattern in (("src", src), ("tgt", tgt)):
        if pattern:
            found &= _matching(table[column], pattern)
    if page:
        found &= np.logical_or(*(_as_mask(pc.match_substring(table[name], page)) for name in ("src_url", "tgt_url")))
    return np.asarray(found, dtype=bool)


def in_order(table: pa.Table, by: str, *, descending: bool = False) -> pa.Table:
    """The rows by one of :data:`SORTED_BY`, equal ones as they were; :class:`UsageError` for anything else."""
    if by not in SORTED_BY:
        raise UsageError(f"segments are sorted by one of {', '.join(SORTED_BY)}, not by {by!r}")
    keys = pc.add(pc.utf8_length(table["src"]), pc.utf8_length(table["tgt"])) if by == "length" else table[by]
    ranked = pa.table({"key": keys, "row": np.arange(table.num_rows)})
    order = [("key", "descending" if descending else "ascending"), ("row", "ascending")]
    return table.take(ranked.sort_by(order)["row"])


def drawn(table: pa.Table, size: int, seed: int) -> pa.Table:
    """``size`` rows drawn at random without replacement, all where there are fewer, in the order of the table."""
    if size < 0:
        raise UsageError(f"{size} segments cannot be drawn; give a number from 0 on")
    return table.take(pa.array(np.sort(np.random.default_rng(seed).permutation(table.num_rows)[:size])))


def joined(first: pa.Table, second: pa.Table, langs: Sequence[str]) -> pa.Table:
    """Texts of three languages by their common source: a table with a column a language (``langs``), a row for each
    translation in the second table of a source text of the first, in the order of the first."""
    source, one, other = langs
    left = pa.table({source: first["src"], one: first["tgt"], "row": np.arange(first.num_rows)})
    right = pa.table({source: second["src"], other: second["tgt"], "place": np.arange(second.num_rows)})
    both = left.join(right, source, join_type="inner", use_threads=False)
    return both.sort_by([("row", "ascending"), ("place", "ascending")]).select([source, one, other])


def shown(table: pa.Table, langs: Sequence[str]) -> str:
    """The first rows of a table of segments as HTML, with the languages of both sides."""
    first = [
        (f"{row.score:.2f}", Text(row.src, langs[0]), Text(row.tgt, langs[1]), ", ".join(row.flags))
        for row in rows(table.slice(0, SHOWN_ROWS))
    ]
    below = f"{len(first)} of {table.num_rows:,} segments" if len(first) < table.num_rows else f"{len(first)} segments"
    return svg.table(("score", *langs, "flags"), first, below=below)


def _flags(names: str | Sequence[str]) -> list[str]:
    return [check_flag(name) for name in ([names] if isinstance(names, str) else names)]


def _matching(texts: pa.ChunkedArray, pattern: str) -> Mask:
    try:
        return _as_mask(pc.match_substring_regex(texts, pattern))
    except pa.ArrowInvalid as error:
        raise UsageError(f"{pattern!r} is no regular expression of RE2: {error}") from error


def _as_mask(found: Any) -> Mask:
    return np.asarray(found.to_numpy(zero_copy_only=False) if isinstance(found, pa.Array) else found.to_numpy(), bool)
