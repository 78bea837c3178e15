"""What a report is made of: the tables of a finished run, and which segments of them are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Floats, Ints, Mask
from diglot.corpus.flags import reaches
from diglot.report.figures import Figures


@dataclass(frozen=True)
class RunTables:
    """A finished run.

    ``settings``: ``diglot.toml`` as a table. ``summary``: the funnel. ``documents``: records with their
    language and reason. ``pairs``: accepted ones. ``segments``: all of those pairs, with flags. ``unflagged``: the
    rows of ``segments`` without a flag that excludes. ``ledger``: the fate of records. ``aligner``: its name.
    ``figures``: of the whole run. ``sites_shown``: None where all sites of the run are here, else how many of them.
    ``evidence_groups``: for methods that weigh evidence in bits, the kinds of evidence with the names of each.
    ``least_option``: name of the recipe's option for the least probability of a page pair, "" where it has none.
    """

    settings: Mapping[str, Any]
    summary: Mapping[str, Any]
    documents: pa.Table
    pairs: pa.Table
    segments: pa.Table
    unflagged: Mask
    ledger: pa.Table
    aligner: str
    figures: Figures
    sites_shown: int | None = None
    evidence_groups: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    least_option: str = ""

    @property
    def segments_of_run(self) -> int:
        """How many segments the whole run has."""
        return sum(self.summary["segments"].values())

    @property
    def pairs_of_run(self) -> int:
        """How many page pairs the whole run has."""
        return sum(self.summary["pairs"].values())

    @property
    def lang_pairs(self) -> list[tuple[str, str]]:
        """Language pairs of the run, in its order."""
        return [_split(name, self.settings["settings"]["langs"]) for name in self.summary["pairs"]]

    @cached_property
    def lang_pair_of(self) -> Ints:
        """Number of the language pair of every segment, int64 of shape (segments,)."""
        return _numbers(self.segments, self.lang_pairs, "src_lang", "tgt_lang")

    @cached_property
    def page_pair_of(self) -> Ints:
        """Row of ``pairs`` of every segment, int64 of shape (segments,)."""
        urls = zip(self.pairs["src_url"].to_pylist(), self.pairs["tgt_url"].to_pylist(), strict=True)
        return _numbers(self.segments, list(urls), "src_url", "tgt_url")

    @cached_property
    def kept(self) -> Mask:
        """Rows of ``segments`` that a translation memory takes, bool of shape (segments,)."""
        return self.unflagged & reaches(self.segments, self.min_score)

    @property
    def min_score(self) -> float:
        """Least score of a segment that is kept."""
        return float(self.summary["min_score"])

    @cached_property
    def score(self) -> Floats:
        """Score of every segment, float64 of shape (segments,), in [0, 1]."""
        return score_of(self.segments)


def score_of(segments: pa.Table) -> Floats:
    """Score of every segment, float64 of shape (segments,), in [0, 1]."""
    scores = np.asarray(segments["score"].to_numpy(), np.float64)
    return np.clip(np.nan_to_num(scores), 0, 1)


def _split(name: str, langs: list[str]) -> tuple[str, str]:
    return next((src, tgt) for src in langs for tgt in langs if f"{src}-{tgt}" == name)


def _numbers(table: pa.Table, keys: list[tuple[str, str]], first: str, second: str) -> Ints:
    """Place in ``keys`` of the two columns of every row."""
    joined = pa.array(["\x1f".join(key) for key in keys], pa.string())
    rows = pc.binary_join_element_wise(table[first], table[second], "\x1f")
    return np.asarray(pc.index_in(rows, value_set=joined).to_numpy(), np.int64)
