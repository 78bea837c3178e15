"""Tables of a finished run for its report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa

from diglot.arrays import Floats, Ints, Mask
from diglot.corpus.flags.keeping import reaches
from diglot.records import numbers_of, zip_columns
from diglot.report.figures import Figures


@dataclass(frozen=True)
class RunTables:
    """A finished run.

    ``settings``: ``diglot.toml`` as a table. ``summary``: as in ``out/summary.json``. ``documents``: records with
    language and reason. ``pairs``: accepted page pairs. ``segments``: segments of ``pairs``, with flags.
    ``not_excluded``: mask of ``segments`` without an excluding flag. ``ledger``: reason of each record. ``aligner``:
    name of the aligner. ``figures``: of the whole run. ``sites_shown``: number of sites in these tables, None for all
    sites. ``evidence_groups``: kinds of evidence with their columns, for methods with evidence in bits.
    ``least_option``: the recipe's option for the least probability of a page pair, "" for none.
    """

    settings: Mapping[str, Any]
    summary: Mapping[str, Any]
    documents: pa.Table
    pairs: pa.Table
    segments: pa.Table
    not_excluded: Mask
    ledger: pa.Table
    aligner: str
    figures: Figures
    sites_shown: int | None = None
    evidence_groups: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    least_option: str = ""

    @property
    def segments_of_run(self) -> int:
        """Number of segments of the whole run."""
        return sum(self.summary["segments"].values())

    @property
    def pairs_of_run(self) -> int:
        """Number of page pairs of the whole run."""
        return sum(self.summary["pairs"].values())

    @cached_property
    def lang_pairs(self) -> list[tuple[str, str]]:
        """Language pairs of the run, in its order."""
        named = {f"{src}-{tgt}": (src, tgt) for src, tgt in product(self.settings["settings"]["langs"], repeat=2)}
        return [named[name] for name in self.summary["pairs"]]

    @cached_property
    def lang_pair_of(self) -> Ints:
        """Place of every segment's language pair in ``lang_pairs``, int64 of shape (segments,)."""
        return np.asarray(numbers_of(self.segments, self.lang_pairs, "src_lang", "tgt_lang").to_numpy(), np.int64)

    @cached_property
    def page_pair_of(self) -> Ints:
        """Row in ``pairs`` of every segment's page pair, int64 of shape (segments,)."""
        urls = zip_columns(self.pairs, "src_url", "tgt_url")
        return np.asarray(numbers_of(self.segments, list(urls), "src_url", "tgt_url").to_numpy(), np.int64)

    @cached_property
    def is_kept(self) -> Mask:
        """Mask of segments kept, bool of shape (segments,)."""
        return self.not_excluded & reaches(self.segments, self.min_score)

    @property
    def min_score(self) -> float:
        """Least score of a segment kept."""
        return float(self.summary["min_score"])

    @cached_property
    def score(self) -> Floats:
        """Score of every segment, float64 of shape (segments,), in [0, 1]."""
        return score_of(self.segments)


def score_of(segments: pa.Table) -> Floats:
    """Score of every segment, float64 of shape (segments,), in [0, 1]."""
    scores = np.asarray(segments["score"].to_numpy(), np.float64)
    return np.clip(np.nan_to_num(scores), 0, 1)
