"""Aligned segments against gold: recall, exact or inside longer segments, and precision."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from diglot.errors import SourceError, UsageError
from diglot.evaluation.gold import fold_tag, tab_fields
from diglot.evaluation.pairs import harmonic, share

PREFIX_CHARS = 12
"""Least letters and digits of a gold source to be looked for inside longer ones: a shorter text is everywhere."""

_NOT_COMPARED = re.compile(r"[\W_]+")

TextPair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class SegmentScores:
    """Counts of distinct segments, compared by letters and digits only, and shares in [0, 1]."""

    gold: int
    predicted: int
    exact: int
    """Gold segments that are predicted."""
    contained: int
    """Gold segments that are predicted, alone or inside a longer predicted segment on both sides."""
    covered: int
    """Predicted segments with the source of a gold segment; precision is the share of them that are exact."""

    @property
    def exact_recall(self) -> float:
        """Share of gold segments that are predicted."""
        return share(self.exact, self.gold)

    @property
    def contained_recall(self) -> float:
        """Share of gold segments that are predicted, alone or inside a longer segment."""
        return share(self.contained, self.gold)

    @property
    def precision(self) -> float:
        """Share of the covered predictions that are exact."""
        return share(self.exact, self.covered)

    @property
    def f1(self) -> float:
        """Harmonic mean of exact recall and precision."""
        return harmonic(self.exact_recall, self.precision)

    def as_dict(self) -> dict[str, Any]:
        """Everything, shares rounded to four decimals, fit for JSON."""
        counts = {name: getattr(self, name) for name in ("gold", "predicted", "covered", "exact", "contained")}
        shares = ("exact_recall", "contained_recall", "precision", "f1")
        return counts | {name: round(getattr(self, name), 4) for name in shares}


def evaluate_segments(predicted: Iterable[TextPair], gold: Iterable[TextPair]) -> SegmentScores:
    """Score pairs of texts against gold; the order of the pairs does not matter.

    Texts with equal letters and digits, in any case, are equal. A pair with a side without letters and digits does not
    count. A repeated segment counts once.
    """
    wanted, given = _fold_pairs(gold), _fold_pairs(predicted)
    exact = wanted & given
    # Without an index by prefix every gold segment would be looked for in every prediction.
    by_part: defaultdict[str, list[TextPair]] = defaultdict(list)
    prefixes = {src[:PREFIX_CHARS] for src, _ in wanted - exact}
    for pair in given:
        for part in _parts(pair[0]) & prefixes:
            by_part[part].append(pair)
    inside = sum(
        any(src in longer and tgt in other for longer, other in by_part[src[:PREFIX_CHARS]])
        for src, tgt in wanted - exact
    )
    sources = {src for src, _ in wanted}
    return SegmentScores(
        gold=len(wanted),
        predicted=len(given),
        exact=len(exact),
        contained=len(exact) + inside,
        covered=sum(src in sources for src, _ in given),
    )


def read_segments(path: str | os.PathLike[str]) -> Iterator[TextPair]:
    """Source and target, the first two columns, of each row of a TSV (``.gz`` too); a header line is skipped.

    Reads ``out/segments.SRC-TGT.tsv``. Raises: SourceError, which names file and line.
    """
    for number, fields in tab_fields(path):
        if len(fields) < 2:
            raise SourceError(f"{path} line {number}: expected source and target divided by a tab")
        if number > 1 or [field.strip().lower() for field in fields[:2]] not in (["src", "tgt"], ["source", "target"]):
            yield fields[0], fields[1]


def read_pivot_segments(
    path: str | os.PathLike[str], src_lang: str, tgt_lang: str, *, pivot: str = "en"
) -> Iterator[TextPair]:
    """Pairs of one language pair from rows of document, language, text in the pivot language, its translation.

    The first translation of a text in a document counts. Two languages other than the pivot are joined by the pivot.

    Raises: SourceError, which names file and line; UsageError for a language without rows.
    """
    texts: defaultdict[str, dict[TextPair, str]] = defaultdict(dict)
    for number, fields in tab_fields(path):
        if len(fields) < 4:
            raise SourceError(f"{path} line {number}: expected document, language, {pivot} text, translation")
        texts[fold_tag(fields[1])].setdefault((fields[0], fields[2]), fields[3])
    for lang in {fold_tag(src_lang), fold_tag(tgt_lang)} - {fold_tag(pivot)} - texts.keys():
        raise UsageError(f"{path} has nothing in {lang}; it has: {pivot}, {', '.join(sorted(texts))}")
    keys = [key for lang in (src_lang, tgt_lang) for key in texts.get(fold_tag(lang), ())]
    for key in dict.fromkeys(keys):
        src, tgt = (
            key[1] if fold_tag(lang) == fold_tag(pivot) else texts[fold_tag(lang)].get(key)
            for lang in (src_lang, tgt_lang)
        )
        if src is not None and tgt is not None:
            yield src, tgt


def _fold_pairs(pairs: Iterable[TextPair]) -> set[TextPair]:
    folded = ((_fold(src), _fold(tgt)) for src, tgt in pairs)
    return {(src, tgt) for src, tgt in folded if src and tgt}


def _fold(text: str) -> str:
    return _NOT_COMPARED.sub("", text).lower()


def _parts(text: str) -> set[str]:
    return {text[start : start + PREFIX_CHARS] for start in range(max(1, len(text) - PREFIX_CHARS + 1))}
