"""Figures of a report that are of the whole run however much of it is shown: counted of some sites, and added up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, fields

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Floats, Ints, Mask
from diglot.words import PRINTED_WORD

DECLARED_CHARS = 35
"""The longest language tag that RFC 5646 (4.4.1) asks readers to hold; a longer declaration is cut."""
THRESHOLDS = 100
"""Steps of the slider."""
_SCORE_UNITS = 1 << 32
"""Parts of one in which scores are added up: whole numbers have the same sum in any order."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What is counted of a run, or of some of its sites. Those of two groups of sites add up to those of both."""

    languages: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Readable pages by the language that they declare and the one they are in."""
    segments: Counter[str] = field(default_factory=Counter)
    """By site."""
    src_words: Counter[str] = field(default_factory=Counter)
    """Of the segments kept, by language pair (``en-fr``)."""
    tgt_words: Counter[str] = field(default_factory=Counter)
    steps: Counter[tuple[str, int]] = field(default_factory=Counter)
    """Segments without a flag that excludes, by language pair and hundredths of their score."""
    scores: Counter[tuple[str, int]] = field(default_factory=Counter)
    """Sums of their scores, in :data:`_SCORE_UNITS`."""
    days: frozenset[str] = frozenset()
    """First and last day on which pages of segments were fetched."""

    def __add__(self, other: Figures) -> Figures:
        days = sorted(self.days | other.days)
        names = [each.name for each in fields(Figures) if each.name != "days"]
        sums = {name: getattr(self, name) + getattr(other, name) for name in names}
        return Figures(**sums, days=frozenset([*days[:1], *days[-1:]]))

    def thresholds(self, lang_pair: str) -> tuple[list[int], list[float]]:
        """For every least score of 0, 0.01 ... 1: how many scores reach it, and their mean (0 where none does)."""
        keys = [(lang_pair, step) for step in range(THRESHOLDS + 1)]
        counts, sums = ([counter[key] for key in keys] for counter in (self.steps, self.scores))
        return _from_each_on(np.array(counts), np.array(sums) / _SCORE_UNITS)


def figures_of(documents: pa.Table, segments: pa.Table, kept: Mask, unflagged: Mask, score: Floats) -> Figures:
    """Count some sites. ``documents``: their records; ``segments``: with a column ``site``; ``kept``, ``unflagged``:
    bool of shape (segments,); ``score``: shape (segments,), in [0, 1]."""
    langs = pc.binary_join_element_wise(segments["src_lang"], segments["tgt_lang"], "-").to_pylist()
    names, lang_pair = np.unique(np.array(langs, np.str_), return_inverse=True)
    steps, scores = Counter[tuple[str, int]](), Counter[tuple[str, int]]()
    src_words, tgt_words = Counter[str](), Counter[str]()
    for number, name in enumerate(names.tolist()):
        mine = lang_pair == number
        counts, sums = _by_step(score[unflagged & mine])
        steps.update({(name, step): n for step, n in enumerate(counts.tolist()) if n})
        scores.update({(name, step): n for step, n in enumerate(sums.tolist()) if n})
        taken = segments.select(["src", "tgt"]).filter(pa.array(kept & mine))
        src_words[name], tgt_words[name] = count_words(taken["src"]), count_words(taken["tgt"])
    fetched = pc.unique(segments["fetched"].filter(pc.not_equal(segments["fetched"], ""))).to_pylist()
    days = sorted(time[:10] for time in fetched)
    sites = pc.value_counts(segments["site"])
    of_site = zip(sites.field("values").to_pylist(), sites.field("counts").to_pylist(), strict=True)
    of_run = Figures(_languages(documents), Counter(dict(of_site)), src_words, tgt_words, steps, scores)
    return of_run + Figures(days=frozenset([*days[:1], *days[-1:]]))


def _languages(documents: pa.Table) -> Counter[tuple[str, str]]:
    return Counter(declared_and_found(documents.filter(pc.not_equal(documents["lang"], ""))))


def declared_and_found(pages: pa.Table) -> Sequence[tuple[str, str]]:
    """Of every page the language that it declares and the one it is in."""
    declared = [tag[:DECLARED_CHARS] for tag in pages["declared_lang"].to_pylist()]
    return list(zip(declared, pages["lang"].to_pylist(), strict=True))


def thresholds(scores: Floats) -> tuple[list[int], list[float]]:
    """:meth:`Figures.thresholds` of these scores."""
    counts, sums = _by_step(scores)
    return _from_each_on(counts, sums / _SCORE_UNITS)


def _by_step(scores: Floats) -> tuple[Ints, Ints]:
    """How many scores are in each step, and their sums."""
    steps = np.clip(np.floor(scores * THRESHOLDS + 1e-6).astype(int), 0, THRESHOLDS)
    sums = np.zeros(THRESHOLDS + 1, np.int64)
    np.add.at(sums, steps, np.rint(scores * _SCORE_UNITS).astype(np.int64))
    return np.bincount(steps, minlength=THRESHOLDS + 1), sums


def _from_each_on(counts: Ints, sums: Floats) -> tuple[list[int], list[float]]:
    counts, sums = (values[::-1].cumsum()[::-1] for values in (counts, sums))
    means = np.divide(sums, counts, out=np.zeros(THRESHOLDS + 1), where=counts > 0)
    return counts.tolist(), np.round(means, 4).tolist()


def count_words(texts: pa.ChunkedArray) -> int:
    """Words of all texts; in scripts without blanks every character counts as one."""
    return int(pc.sum(pc.count_substring_regex(texts, PRINTED_WORD)).as_py() or 0)
