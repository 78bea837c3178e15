"""Figures of a report: counted for some sites at a time, and added up over the whole run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, fields

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Floats, Ints, Mask, rows_by_number
from diglot.words import PRINTED_WORD

DECLARED_CHARS = 35
"""Longest language tag that readers must accept (RFC 5646, 4.4.1); a longer declaration is cut."""
THRESHOLDS = 100
"""Steps of the slider for the least score."""
_SCORE_UNITS = 1 << 32
"""Units in a score of 1. Scores are added up as integers, because an integer sum does not depend on the order."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Counts of a run, or of some of its sites; counts of two groups of sites can be added."""

    languages: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Readable pages by declared language and language of the text."""
    segments: Counter[str] = field(default_factory=Counter)
    """Segments by site."""
    src_words: Counter[str] = field(default_factory=Counter)
    """Words of segments kept, by language pair (``en-fr``)."""
    tgt_words: Counter[str] = field(default_factory=Counter)
    steps: Counter[tuple[str, int]] = field(default_factory=Counter)
    """Segments without an excluding flag, by language pair and hundredths of score."""
    scores: Counter[tuple[str, int]] = field(default_factory=Counter)
    """Sums of the scores of ``steps``, in :data:`_SCORE_UNITS`."""
    days: frozenset[str] = frozenset()
    """First and last day of fetching, over the pages of segments."""

    def __add__(self, other: Figures) -> Figures:
        days = sorted(self.days | other.days)
        names = [each.name for each in fields(Figures) if each.name != "days"]
        sums = {name: getattr(self, name) + getattr(other, name) for name in names}
        return Figures(**sums, days=frozenset([*days[:1], *days[-1:]]))

    def thresholds(self, lang_pair: str) -> tuple[list[int], list[float]]:
        """For each least score of 0, 0.01 ... 1: number of scores from there on, and their mean (0 for none)."""
        keys = [(lang_pair, step) for step in range(THRESHOLDS + 1)]
        counts, sums = ([counter[key] for key in keys] for counter in (self.steps, self.scores))
        return _from_each_on(np.array(counts), np.array(sums) / _SCORE_UNITS)


def figures_of(documents: pa.Table, segments: pa.Table, kept: Mask, not_excluded: Mask, score: Floats) -> Figures:
    """Count some sites. ``documents``: their records; ``segments``: with a column ``site``; ``kept``, ``not_excluded``:
    bool of shape (segments,); ``score``: shape (segments,), in [0, 1]."""
    langs = pc.binary_join_element_wise(segments["src_lang"], segments["tgt_lang"], "-").to_pylist()
    names, lang_pair = np.unique(np.array(langs, np.str_), return_inverse=True)
    steps, scores = Counter[tuple[str, int]](), Counter[tuple[str, int]]()
    for name, rows in zip(names.tolist(), rows_by_number(lang_pair, len(names)), strict=True):
        counts, sums = _by_step(score[rows[not_excluded[rows]]])
        steps.update({(name, step): n for step, n in enumerate(counts.tolist()) if n})
        scores.update({(name, step): n for step, n in enumerate(sums.tolist()) if n})
    texts = segments.select(["src", "tgt"]).filter(pa.array(kept))
    words = (np.bincount(lang_pair[kept], count_words(texts[side]), len(names)) for side in texts.column_names)
    src_words, tgt_words = (Counter(dict(zip(names.tolist(), map(int, each), strict=True))) for each in words)
    fetched = pc.unique(segments["fetched"].filter(pc.not_equal(segments["fetched"], ""))).to_pylist()
    days = sorted(time[:10] for time in fetched)
    sites = pc.value_counts(segments["site"])
    of_site = zip(sites.field("values").to_pylist(), sites.field("counts").to_pylist(), strict=True)
    languages = Counter(declared_and_found(documents.filter(pc.not_equal(documents["lang"], ""))))
    of_run = Figures(languages, Counter(dict(of_site)), src_words, tgt_words, steps, scores)
    return of_run + Figures(days=frozenset([*days[:1], *days[-1:]]))


def declared_and_found(pages: pa.Table) -> Sequence[tuple[str, str]]:
    """Declared language, and language of the text, of each page."""
    declared = [tag[:DECLARED_CHARS] for tag in pages["declared_lang"].to_pylist()]
    return list(zip(declared, pages["lang"].to_pylist(), strict=True))


def _by_step(scores: Floats) -> tuple[Ints, Ints]:
    """Number and sum of the scores by step."""
    steps = score_steps(scores, THRESHOLDS)
    sums = np.zeros(THRESHOLDS + 1, np.int64)
    np.add.at(sums, steps, np.rint(scores * _SCORE_UNITS).astype(np.int64))
    return np.bincount(steps, minlength=THRESHOLDS + 1), sums


def score_steps(scores: Floats, steps: int) -> Ints:
    """Scores in [0, 1] in whole parts of 1 / ``steps``, rounded down; int64 of the same shape.

    A score reaches a step exactly where :func:`diglot.corpus.flags.keeping.reaches` says so.
    """
    # Scores are stored as float32, in which 0.7 is a little less than 0.7: the steps are rounded in the same way.
    grid = (np.arange(1, steps + 1) / steps).astype(np.float32)
    return np.searchsorted(grid, scores.astype(np.float32), side="right").astype(np.int64)


def _from_each_on(counts: Ints, sums: Floats) -> tuple[list[int], list[float]]:
    # Summed from the end: a least score keeps its own step and all steps above.
    counts, sums = (values[::-1].cumsum()[::-1] for values in (counts, sums))
    means = np.divide(sums, counts, out=np.zeros(THRESHOLDS + 1), where=counts > 0)
    return counts.tolist(), np.round(means, 4).tolist()


def count_words(texts: pa.ChunkedArray) -> Ints:
    """Number of words in each text, int64; each character of a script without blanks is a word."""
    return np.asarray(pc.count_substring_regex(texts, PRINTED_WORD).to_numpy(), np.int64)
