"""Terms of one language pair for Python users: typed rows, chosen and written."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import pyarrow as pa
import pyarrow.compute as pc

from diglot import svg
from diglot.checked_arguments import check_arguments, check_values
from diglot.frames import as_pandas, as_polars, rows_at
from diglot.svg import Text
from diglot.terms.decisions import (
    as_edited,
    decisions_on_no_term,
    is_of_workbench,
    read_decisions,
    require_one_decision_each,
    with_decisions,
)
from diglot.terms.table import TERM_SCHEMA
from diglot.terms.writing import write_terms

if TYPE_CHECKING:
    import pandas
    import polars


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A word or phrase and its translation; the fields are the columns of :data:`diglot.terms.table.TERM_SCHEMA`."""

    src: str
    tgt: str
    src_lang: str
    tgt_lang: str
    source: int
    """Number of the source side, common to all its translations."""
    probability: float
    """Of a right pair, in [0, 1]."""
    termhood: float
    """In [0, 1): how much the term belongs to this site's subject."""
    linked: int
    """Segments with a link between both sides."""
    src_count: int
    tgt_count: int
    both_count: int
    pages: int
    """Source pages of the linked segments, pages of copies included."""
    units: int
    """Linked segments with nothing else in them."""
    association: float
    """Log-likelihood ratio (Dunning 1993)."""
    inconsistent: bool
    """Whether the source side has another translation, too."""
    rivals: tuple[str, ...]
    src_forms: tuple[str, ...]
    """Forms of the source side on the site, without the base form ``src``."""
    tgt_forms: tuple[str, ...]
    example_srcs: tuple[str, ...]
    example_tgts: tuple[str, ...]
    example_src_urls: tuple[str, ...]
    example_tgt_urls: tuple[str, ...]


SHOWN_TERMS = 10
"""Rows of a table in a notebook."""


def _rows(table: pa.Table) -> Iterator[Term]:
    for row in table.to_pylist():
        values: Any = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
        yield Term(**values)


@dataclass(frozen=True, slots=True, repr=False)
class Terms:
    """Terms of one language pair, the most telling first; ``found``: :data:`diglot.terms.table.TERM_SCHEMA`, rejected
    terms too."""

    found: pa.Table
    src_lang: str
    tgt_lang: str
    decisions: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By :func:`diglot.terms.decisions.key_of`."""

    @property
    def decisions_on_others(self) -> list[Mapping[str, str]]:
        """Decisions of this language pair on terms that are not in this list: an update removed the term, or
        :meth:`choose` left it out."""
        return decisions_on_no_term(self.found, self.decisions, (self.src_lang, self.tgt_lang))

    @property
    def table(self) -> pa.Table:
        """The terms as edited, without rejected ones, :data:`diglot.terms.table.TERM_SCHEMA`."""
        if not self.decisions:
            return self.found
        return as_edited(with_decisions(self.found, self.decisions)).select(TERM_SCHEMA.names)

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __iter__(self) -> Iterator[Term]:
        return _rows(self.table)

    @overload
    def __getitem__(self, place: int) -> Term: ...

    @overload
    def __getitem__(self, place: slice) -> list[Term]: ...

    def __getitem__(self, place: int | slice) -> Term | list[Term]:
        found = list(_rows(rows_at(self.table, place, "term")))
        return found if isinstance(place, slice) else found[0]

    def __repr__(self) -> str:
        return f"<{len(self):,} terms {self.src_lang}-{self.tgt_lang}>"

    def _repr_html_(self) -> str:
        first = [
            (
                f"{term.probability:.2f}",
                f"{term.termhood:.2f}",
                Text(term.src, self.src_lang),
                Text(term.tgt, self.tgt_lang),
            )
            for term in self[:SHOWN_TERMS]
        ]
        below = f"{len(first)} of {len(self):,} terms" if len(first) < len(self) else f"{len(first)} terms"
        return svg.table(("probability", "termhood", self.src_lang, self.tgt_lang), first, below=below)

    @check_arguments
    def choose(self, *, termhood: float = 0.0, inconsistent: bool = False) -> Terms:
        """Terms of at least this termhood. ``inconsistent``: only source sides with several translations, with all of
        them if one has this termhood."""
        found = self.found
        is_telling = pc.greater_equal(found["termhood"], termhood)
        if not inconsistent:
            return replace(self, found=found.filter(is_telling))
        sources = found.filter(pc.and_(is_telling, found["inconsistent"]))["source"]
        chosen = pc.and_(found["inconsistent"], pc.is_in(found["source"], sources.combine_chunks()))
        return replace(self, found=found.filter(chosen))

    @check_arguments
    def decide(self, path: str | os.PathLike[str]) -> Terms:
        """The terms with the decisions in a file: a sheet of :meth:`write` (``xlsx``, ``tsv``) or a file of the
        workbench (.json). A sheet has filled columns ``verdict`` (``accepted`` or ``rejected``), ``edited_src`` and
        ``edited_tgt``.

        Rejected terms are left out; a sheet written again lists them as rejected. The sheet also keeps decisions on
        terms that are not in this list (:attr:`decisions_on_others`). Raises: SourceError, which names file and row,
        for a file of another kind, an unknown verdict, and a sheet with two different decisions on one term or on two
        forms of a term. In a file of the workbench, the later of two decisions on forms of a term counts.
        """
        given = read_decisions(path)
        if not is_of_workbench(path):
            require_one_decision_each(self.found, given, path)
        return replace(self, decisions={**self.decisions, **given})

    def write(self, out: str | os.PathLike[str], *names: str) -> list[Path]:
        """Write into a folder in these formats (``tsv``, ``tbx``, ``tbx2``, ``omegat``, ``xlsx``); returns the paths.

        A folder in a run is refused, for `diglot forget` deletes no terms. Raises: UsageError for such a folder, an
        unknown format, no format, and if a file cannot be written.
        """
        from diglot.disk.folder import require_outside_of_runs

        check_values({"out": out})
        require_outside_of_runs(out)
        terms = with_decisions(self.found, self.decisions)
        return write_terms(terms, out, names, self.decisions_on_others, src_lang=self.src_lang, tgt_lang=self.tgt_lang)

    def to_polars(self) -> polars.DataFrame:
        """All rows as a polars data frame; :class:`UsageError` if polars is not installed."""
        return as_polars(self.table)

    def to_pandas(self) -> pandas.DataFrame:
        """All rows as a pandas data frame; :class:`UsageError` if pandas is not installed."""
        return as_pandas(self.table)
