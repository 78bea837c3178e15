"""What the gold of an evaluation site says of a pair of pages: right, wrong, or nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
LangPair = tuple[str, str]
Pair = frozenset[str]

BINS = 10
ACCEPTED = 0.5


@dataclass(frozen=True)
class Gold:
    """Gold of a site by language pair (tags in lower case, sorted), and what is known of its pages.

    ``ignored``: neither right nor wrong; ``groups``: which pages say the same, gold or not; ``lists``: pages that list
    others. Lists of two languages and pages of one group that are no gold pair may be translations or not.
    """

    pairs: dict[LangPair, set[Pair]]
    ignored: set[Pair]
    groups: dict[str, str]
    lists: set[str]

    def right(self, langs: LangPair, first: str, second: str) -> bool | None:
        """Whether two pages are a pair; None where gold says nothing."""
        pair = frozenset((first, second))
        if pair in self.pairs.get(lang_pair(*langs), ()):
            return True
        groups = [self.groups.get(url) for url in (first, second)]
        if pair in self.ignored or None in groups or groups[0] == groups[1] or pair <= self.lists:
            return None
        return False


def read_gold(folder: Path) -> Gold:
    """The gold of a site's folder: gold.tsv, ignore.tsv and groups.tsv."""
    pairs: dict[LangPair, set[Pair]] = {}
    for first, second, *urls in _rows(folder / "gold.tsv"):
        pairs.setdefault(lang_pair(first, second), set()).add(frozenset(urls[:2]))
    ignored = {frozenset(row[2:4]) for row in _rows(folder / "ignore.tsv")}
    head, *pages = _rows(folder / "groups.tsv")
    url, group, kind = (head.index(name) for name in ("url", "group", "kind"))
    lists = {page[url] for page in pages if page[kind] == "list"}
    return Gold(pairs, ignored.difference(*pairs.values()), {page[url]: page[group] for page in pages}, lists)


def only(gold: Gold, langs: str) -> Gold:
    """The gold of one language pair, such as en-fr; all of it for an empty text."""
    pairs = {lang_pair(*langs.split("-", 1)): gold.pairs[lang_pair(*langs.split("-", 1))]} if langs else gold.pairs
    return replace(gold, pairs=pairs)


def lang_pair(first: str, second: str) -> LangPair:
    """Two language tags as :class:`Gold` writes them."""
    first, second = sorted((first.lower(), second.lower()))
    return first, second


def calibration_error(told: Floats) -> float:
    """Mean gap of probability and share right over ten bins, weighted by their size; rows (probability, right)."""
    bins = np.minimum((told[:, 0] * BINS).astype(int), BINS - 1)
    gaps = [abs(told[bins == k, 0].sum() - told[bins == k, 1].sum()) for k in range(BINS)]
    return float(sum(gaps) / max(len(told), 1))


def _rows(path: Path) -> list[list[str]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line.strip()]
