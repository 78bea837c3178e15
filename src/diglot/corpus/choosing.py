"""Segments of a table as typed rows: chosen by their properties, sorted, sampled, joined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypedDict

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot import svg
from diglot.arrays import Mask
from diglot.checked_arguments import check_values
from diglot.corpus.flags import check_flag
from diglot.corpus.flags.keeping import carries
from diglot.corpus.shown_segments import shown_segments
from diglot.errors import UsageError, require_options
from diglot.svg import Text

_BATCH_ROWS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A text and its translation as written in files; the fields are the columns of a table of segments
    (:func:`diglot.corpus.shown_segments.shown_segments`)."""

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
    src_page: int
    """Page of a document where the text begins, from 1; 0 for HTML and for documents without pages."""
    tgt_page: int
    other_src_urls: tuple[str, ...]
    other_tgt_urls: tuple[str, ...]
    src_variant: str
    tgt_variant: str


SHOWN_ROWS = 10
"""Rows of a table in a notebook."""
_NAMES = [each.name for each in fields(Segment)]
SORTED_BY = ("score", "src", "tgt", "src_url", "tgt_url", "position", "length")
"""Keys to sort by; ``length``: characters of both sides."""


def rows(table: pa.Table) -> Iterator[Segment]:
    """The rows of a table of segments, in order."""
    for batch in shown_segments(table).select(_NAMES).to_batches(max_chunksize=_BATCH_ROWS):
        for row in batch.to_pylist():
            values: Any = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
            yield Segment(**values)


class Wishes(TypedDict, total=False):
    """Properties of chosen segments: a segment must have every property that is given."""

    min_score: float
    max_score: float
    flag: str | Sequence[str]
    """A chosen segment has at least one of these flags; an empty list chooses no segment."""
    without: str | Sequence[str]
    """A chosen segment has none of these flags."""
    src: str
    """Regular expression (RE2) for the source text."""
    tgt: str
    page: str
    """Part of the address of one of the two pages."""


def choose(table: pa.Table, wishes: Wishes) -> Mask:
    """Mask of the rows with these properties, bool of shape (segments,).

    Raises: UsageError for an unknown property or flag, a score outside [0, 1], a value of another kind, and an invalid
    expression.
    """
    require_options("property", wishes, Wishes.__annotations__)
    # None is no bound here; elsewhere it stands for the least score of the run.
    check_values(wishes, shares=("min_score",))
    for name in ("src", "tgt", "page"):
        text = wishes.get(name, "")
        if not isinstance(text, str) or _has_half_characters(text):
            raise UsageError(f"{name}={text!r:.60}: give a text")
    score = table["score"].to_numpy()
    least, most = (score.dtype.type(bound) for bound in (wishes.get("min_score", 0.0), wishes.get("max_score", 1.0)))
    found = (score >= least) & (score <= most)
    if "flag" in wishes:
        found &= carries(table, *_flags(wishes["flag"]))
    found &= ~carries(table, *_flags(wishes.get("without", ())))
    for column, pattern in (("src", wishes.get("src")), ("tgt", wishes.get("tgt"))):
        if pattern:
            found &= _match_pattern(table[column], pattern)
    if page := wishes.get("page"):
        found &= np.logical_or(*(_as_mask(pc.match_substring(table[name], page)) for name in ("src_url", "tgt_url")))
    return np.asarray(found, dtype=bool)


def in_order(table: pa.Table, by: str, *, descending: bool = False) -> pa.Table:
    """The rows sorted by a key of :data:`SORTED_BY`, ties in their old order; :class:`UsageError` for another key."""
    if by not in SORTED_BY:
        raise UsageError(f"segments are sorted by one of {', '.join(SORTED_BY)}, not by {by!r}")
    keys = pc.add(pc.utf8_length(table["src"]), pc.utf8_length(table["tgt"])) if by == "length" else table[by]
    ranked = pa.table({"key": keys, "row": np.arange(table.num_rows)})
    order = [("key", "descending" if descending else "ascending"), ("row", "ascending")]
    return table.take(ranked.sort_by(order)["row"])


def sample(table: pa.Table, size: int, seed: int) -> pa.Table:
    """A random sample of ``size`` rows without replacement, in the order of the table; all rows if there are fewer."""
    check_values({"size": size, "seed": seed})
    return table.take(pa.array(np.sort(np.random.default_rng(seed).permutation(table.num_rows)[:size])))


def join_by_source(first: pa.Table, second: pa.Table, langs: Sequence[str]) -> pa.Table:
    """Texts of three languages (``langs``, a column each) by their common source text, in the order of the first table.

    A row for each translation in the second table of a source text in the first; none for an empty source text, which
    a text without a partner has.
    """
    source, one, other = langs
    left = pa.table({source: first["src"], one: first["tgt"], "row": np.arange(first.num_rows)})
    right = pa.table({source: second["src"], other: second["tgt"], "place": np.arange(second.num_rows)})
    left = left.filter(pc.not_equal(left[source], ""))
    both = left.join(right, source, join_type="inner", use_threads=False)
    return both.sort_by([("row", "ascending"), ("place", "ascending")]).select([source, one, other])


def as_html(table: pa.Table, langs: Sequence[str]) -> str:
    """The first rows of a table of segments as HTML."""
    first = [
        (f"{row.score:.2f}", Text(row.src, langs[0]), Text(row.tgt, langs[1]), ", ".join(row.flags))
        for row in rows(table.slice(0, SHOWN_ROWS))
    ]
    below = f"{len(first)} of {table.num_rows:,} segments" if len(first) < table.num_rows else f"{len(first)} segments"
    return svg.table(("score", *langs, "flags"), first, below=below)


def _flags(names: str | Sequence[str]) -> list[str]:
    return [check_flag(name) for name in ([names] if isinstance(names, str) else names)]


def _has_half_characters(text: str) -> bool:
    """Whether a text has half of a surrogate pair, which no text in UTF-8 has."""
    return any("\ud800" <= each <= "\udfff" for each in text)


def _match_pattern(texts: pa.ChunkedArray, pattern: str) -> Mask:
    try:
        return _as_mask(pc.match_substring_regex(texts, pattern))
    except pa.ArrowInvalid as error:
        raise UsageError(f"{pattern!r} is no regular expression of RE2: {error}") from error


def _as_mask(found: Any) -> Mask:
    return np.asarray(found.to_numpy(zero_copy_only=False) if isinstance(found, pa.Array) else found.to_numpy(), bool)
