"""Beads against gold beads: strict and lax precision, recall and F1."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from diglot.errors import SourceError
from diglot.evaluation.pairs import harmonic, share

_LINE = re.compile(r"\s*\[([\d,\s]*)\]\s*:\s*\[([\d,\s]*)\]\s*(?::.*)?$", re.ASCII)

BeadUnits = tuple[tuple[int, ...], tuple[int, ...]]
"""Numbers, from 0, of the source units and of the target units; () for an empty side."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of ``total`` beads with another list of beads.

    ``strict``: number of beads in both lists; ``lax``: number of beads in both lists or with a link in common.
    """

    strict: int
    lax: int
    total: int

    def __add__(self, other: Agreement) -> Agreement:
        return Agreement(self.strict + other.strict, self.lax + other.lax, self.total + other.total)


@dataclass(frozen=True, slots=True)
class BeadScores:
    """Counts, which add up over documents, and shares in [0, 1]."""

    proposed: Agreement
    """All test beads against gold."""
    gold: Agreement
    """Gold beads with two sides against test beads with two sides."""

    def __add__(self, other: BeadScores) -> BeadScores:
        return BeadScores(self.proposed + other.proposed, self.gold + other.gold)

    def shares(self, kind: str) -> tuple[float, float, float]:
        """Precision, recall and F1; ``kind`` is ``strict`` or ``lax``."""
        precision = share(getattr(self.proposed, kind), self.proposed.total)
        recall = share(getattr(self.gold, kind), self.gold.total)
        return precision, recall, harmonic(precision, recall)

    def as_dict(self) -> dict[str, Any]:
        """Shares rounded to four decimals and the numbers of beads, fit for JSON."""
        names = ("precision", "recall", "f1")
        table: dict[str, Any] = {
            kind: {name: round(value, 4) for name, value in zip(names, self.shares(kind), strict=True)}
            for kind in ("strict", "lax")
        }
        return table | {"gold": self.gold.total, "proposed": self.proposed.total}


def score_beads(gold_beads: Iterable[BeadUnits], test_beads: Iterable[BeadUnits]) -> BeadScores:
    """Score the beads of one document against gold.

    Strict: the bead is in the other list. Lax: it has a link of a source to a target unit in common with one there.
    Beads with an empty side count for precision only. A repeated bead counts once.

    Source: Sennrich and Volk 2011, Iterative, MT-based Sentence Alignment of Parallel Texts, section 4, as implemented
    by vecalign (Thompson and Koehn 2019).
    """
    gold, test = set(gold_beads), set(test_beads)
    return BeadScores(_agreement(test, gold), _agreement(_two_sided(gold), _two_sided(test)))


def read_beads(lines: Iterable[str], name: str) -> list[BeadUnits]:
    """Read beads such as ``[0, 1]:[2]`` in order; blank lines and beads without units are skipped.

    Raises: SourceError, which names the list (``name``) and the line of an invalid bead.
    """
    beads = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        found = _LINE.match(line)
        try:
            bead = (_units(found[1]), _units(found[2])) if found else None
        except ValueError:  # more digits than Python reads as a number
            bead = None
        if bead is None:
            raise SourceError(f'{name} line {number}: {line.strip()[:60]!r} is no bead; write "[0, 1]:[2]"')
        if bead != ((), ()):
            beads.append(bead)
    return beads


def _units(listed: str) -> tuple[int, ...]:
    return tuple(int(unit) for unit in listed.replace(",", " ").split())


def _two_sided(beads: set[BeadUnits]) -> set[BeadUnits]:
    return {(src, tgt) for src, tgt in beads if src and tgt}


def _agreement(beads: set[BeadUnits], reference: set[BeadUnits]) -> Agreement:
    linked: defaultdict[int, set[int]] = defaultdict(set)
    for src, tgt in reference:
        for unit in src:
            linked[unit].update(tgt)
    strict = beads & reference
    shares_link = sum(any(not linked[unit].isdisjoint(tgt) for unit in src) for src, tgt in beads - strict)
    return Agreement(len(strict), len(strict) + shares_link, len(beads))
