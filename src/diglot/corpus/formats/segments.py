"""Segments of one language pair for Python users: select, sort, join, write; and the tags of languages in files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, overload

import pyarrow as pa
import pyarrow.compute as pc

from diglot.checked_arguments import check_arguments, check_values
from diglot.corpus.choosing import (
    Segment,
    Wishes,
    as_html,
    choose,
    in_order,
    join_by_source,
    rows,
    sample,
)
from diglot.corpus.flags import EXCLUDED, check_flag
from diglot.corpus.flags.keeping import clean
from diglot.corpus.shown_segments import shown_segments
from diglot.errors import UsageError
from diglot.frames import as_pandas, as_polars, as_table, rows_at
from diglot.records import FLAGGED_SCHEMA, PAGE_FACTS_SCHEMA, with_columns, zip_columns

if TYPE_CHECKING:
    import pandas
    import polars


@dataclass(frozen=True, repr=False)
class Segments:
    """Segments of one language pair, flagged segments included; ``table``: :data:`diglot.records.FLAGGED_SCHEMA`.

    Formats other than TSV write only the kept segments: no flag of ``excluded``, a score of at least ``min_score``.
    ``signature``: of the recipe, for formats with a place for it. ``pages``: title, fetch time and licence of the pages
    (:data:`diglot.records.PAGE_FACTS_SCHEMA`), for CSV, JSON Lines and Parquet. ``variants``: for each language of the
    run the tag in TMX and XLIFF, or :data:`diglot.corpus.formats.segments.DECLARED`; by default the language itself.
    ``spreadsheet``: no cell of CSV and TSV can be taken for a formula.
    """

    table: pa.Table
    src_lang: str
    tgt_lang: str
    signature: str = ""
    excluded: frozenset[str] = EXCLUDED
    min_score: float = 0.0
    pages: pa.Table = field(default_factory=PAGE_FACTS_SCHEMA.empty_table)
    variants: Mapping[str, str] = field(default_factory=dict)
    spreadsheet: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.table, pa.Table):
            raise UsageError(
                f"table={self.table!r:.60}: give a pyarrow.Table with the columns of diglot.records.FLAGGED_SCHEMA; "
                "with_rows of the segments of a run takes data frames"
            )

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __iter__(self) -> Iterator[Segment]:
        return rows(self.table)

    @overload
    def __getitem__(self, place: int) -> Segment: ...

    @overload
    def __getitem__(self, place: slice) -> Segments: ...

    def __getitem__(self, place: int | slice) -> Segment | Segments:
        found = rows_at(self.table, place, "segment")
        return replace(self, table=found) if isinstance(place, slice) else next(rows(found))

    @property
    def name(self) -> str:
        """``SRC-TGT``."""
        return f"{self.src_lang}-{self.tgt_lang}"

    def kept_rows(self) -> pa.Table:
        """The kept rows: no excluding flag, and the least score."""
        return clean(self.table, self.excluded, self.min_score)

    def clean(self) -> Segments:
        """The kept segments."""
        return replace(self, table=self.kept_rows())

    def filter(self, **wishes: Unpack[Wishes]) -> Segments:
        """The segments with all of these properties.

        ``min_score``, ``max_score``: bounds of the score, both included. ``flag``: a flag, or several; a segment
        has at least one of them. ``without``: flags that a segment lacks. ``src``, ``tgt``: regular expressions (RE2)
        for the texts. ``page``: part of the address of one of the two pages. Raises: UsageError for another property,
        an unknown flag and an invalid expression.
        """
        return replace(self, table=self.table.filter(pa.array(choose(self.table, wishes))))

    @check_arguments
    def sort(self, by: str = "score", *, descending: bool = False) -> Segments:
        """Sorted by a key of :data:`diglot.corpus.choosing.SORTED_BY`."""
        return replace(self, table=in_order(self.table, by, descending=descending))

    def sample(self, size: int, *, seed: int = 0) -> Segments:
        """A random sample in the order of the table; the same seed gives the same sample."""
        return replace(self, table=sample(self.table, size, seed))

    def with_rows(self, rows: Any) -> Segments:
        """These segments with the rows of a pyarrow.Table, or of a data frame of pandas or polars, in place of theirs.

        Use it to write rows that were chosen or changed in a data frame. Columns outside of
        :data:`diglot.records.FLAGGED_SCHEMA` are left out. A changed text loses its no-break blanks (``src_blanks``,
        ``tgt_blanks``). Raises: UsageError for a column that is missing or of another kind, for a cell without a value,
        for rows in other languages, for an unknown flag, and for a score outside of [0, 1].
        """
        table = as_table(rows, FLAGGED_SCHEMA)
        for flag in pc.unique(pc.list_flatten(table["flags"])).to_pylist():
            check_flag(flag)
        _refuse_other_scores(table)
        _refuse_other_languages(table, self.table, (self.src_lang, self.tgt_lang))
        return replace(self, table=_with_known_blanks(table, self.table))

    def join(self, other: Segments) -> pa.Table:
        """Texts of three languages joined by their common source text, a column for each language.

        Raises: UsageError for different source languages, or equal target languages.
        """
        if not isinstance(other, Segments):
            raise UsageError(f"{other!r:.60} is no Segments; join takes those of another pair of languages")
        langs = (self.src_lang, self.tgt_lang, other.tgt_lang)
        if other.src_lang != self.src_lang or len(set(langs)) < len(langs):
            raise UsageError(f"{self.name} and {other.name}: give pairs of one source language and two other languages")
        return join_by_source(self.table, other.table, langs)

    def __repr__(self) -> str:
        return f"<{len(self):,} segments {self.name}>"

    def _repr_html_(self) -> str:
        return as_html(self.table, (self.src_lang, self.tgt_lang))

    def write(self, out: str | os.PathLike[str], *names: str) -> list[Path]:
        """Write into a folder in these formats (:data:`diglot.corpus.formats.FORMATS`); returns the paths.

        A folder in a run is refused, for `diglot forget` would delete nothing there; :meth:`diglot.Run.export` writes
        into the run. Raises: UsageError for such a folder, an unknown format, no format, and if a file cannot be
        written.
        """
        from diglot.corpus.formats import check_formats, write_parts
        from diglot.disk.folder import require_outside_of_runs

        check_formats(names)
        check_values({"out": out})
        require_outside_of_runs(out)
        return [path for name in names for path in write_parts(out, lambda: iter([self]), name)]

    def to_polars(self) -> polars.DataFrame:
        """All rows as a polars data frame; :class:`UsageError` if polars is not installed."""
        return as_polars(shown_segments(self.table))

    def to_pandas(self) -> pandas.DataFrame:
        """All rows as a pandas data frame; :class:`UsageError` if pandas is not installed."""
        return as_pandas(shown_segments(self.table))


def _refuse_other_scores(table: pa.Table) -> None:
    """Raise :class:`UsageError` for a score outside of [0, 1]: every ``min_score`` would exclude NaN and keep 2."""
    scores = table["score"]
    row = pc.and_(pc.greater_equal(scores, 0), pc.less_equal(scores, 1)).index(False).as_py()
    if row >= 0:
        raise UsageError(f"column score: row {row} has {scores[row].as_py():g}; give a number between 0 and 1")


def _refuse_other_languages(table: pa.Table, known: pa.Table, own: tuple[str, str]) -> None:
    """Raise :class:`UsageError` for rows in other languages than ours: files state the languages once for all rows."""
    others = _language_pairs(table) - _language_pairs(known) - {own}
    if others:
        names = ", ".join(sorted(map("-".join, others)))
        raise UsageError(f"rows of {names} among segments {'-'.join(own)}: choose by src_lang and tgt_lang")


def _language_pairs(table: pa.Table) -> set[tuple[str, str]]:
    langs = table.select(["src_lang", "tgt_lang"])
    distinct = langs.group_by(langs.column_names).aggregate([])
    return {(row["src_lang"], row["tgt_lang"]) for row in distinct.to_pylist()}


def _with_known_blanks(rows: pa.Table, known: pa.Table) -> pa.Table:
    """Rows with blanks only beside texts of ``known``: beside a changed text, blanks would stand in wrong places."""
    for side in ("src", "tgt"):
        name = f"{side}_blanks"
        if rows[name].null_count == len(rows):
            continue
        of_known = known[name] if name in known.column_names else pa.nulls(len(known))
        own = set(zip(known[side].to_pylist(), of_known.to_pylist(), strict=True))
        both = zip_columns(rows, side, name)
        rows = with_columns(rows, **{name: [each[1] if each in own else None for each in both]})
    return rows


Parts = Callable[[], Iterator[Segments]]
"""The segments of one language pair, part by part, at least one part; each call begins anew. Parts differ in their
table alone."""


DECLARED = "declared"
"""In place of a tag: the variant that all texts of a language have, if they agree on one."""


class SeenVariants:
    """Known variants of the texts of each language."""

    def __init__(self) -> None:
        self._of: dict[str, set[str]] = {}

    def add(self, segments: pa.Table, src_lang: str, tgt_lang: str) -> None:
        """Add the variants on both sides of segments; "" is an unknown variant."""
        for lang, column in ((src_lang, "src_variant"), (tgt_lang, "tgt_variant")):
            self._of.setdefault(lang, set()).update(pc.unique(segments[column]).to_pylist())

    def tag(self, lang: str, asked: Mapping[str, str]) -> str:
        """The tag for a language: the requested variant, for :data:`DECLARED` that of all its texts, else the
        language."""
        seen = self._of.get(lang, set())
        agreed = next(iter(seen)) if len(seen) == 1 else ""
        variant = asked.get(lang, "")
        return (agreed if variant == DECLARED else variant) or lang
