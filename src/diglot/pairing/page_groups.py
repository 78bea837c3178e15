"""Groups of pages that say the same in many languages: average linkage, at most one page a language."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Groups = list[list[int]]

_NEVER = -1e9


def page_groups(evidence: Floats, langs: npt.NDArray[Any], *, stop: float) -> Groups:
    """Partition pages into groups, the best supported merge first.

    ``evidence``: symmetric (n, n), how far two pages look like translations, 0 for undecided; ``langs``:
    language number of each page (n,). Two groups merge by the mean evidence over all pairs of their
    pages, unless both hold a page of one language; merging ends where the best mean is below ``stop``.
    Every page is in one group, alone if need be. Needs memory and, usually, time quadratic in n.
    """
    linkage = _Linkage(evidence, langs)
    while linkage.merge_best(stop):
        pass
    return sorted(sorted(group) for group in linkage.members.values())


class _Linkage:
    """Groups being merged: sums of evidence between them, and the best partner of each."""

    def __init__(self, evidence: Floats, langs: npt.NDArray[Any]) -> None:
        pages = len(langs)
        self.members: dict[int, list[int]] = {page: [page] for page in range(pages)}
        self._sums = np.array(evidence, np.float32)
        self._sizes = np.ones(pages, np.float32)
        self._holds = np.zeros((pages, int(langs.max(initial=-1)) + 1), bool)
        self._holds[np.arange(pages), langs] = True
        self._means = np.where(langs[:, None] == langs[None, :], np.float32(_NEVER), self._sums)
        self._best = self._means.argmax(axis=1) if pages else np.zeros(0, np.int64)
        self._value = self._means.max(axis=1) if pages else np.zeros(0, np.float32)

    def merge_best(self, stop: float) -> bool:
        """Merge the two groups of highest mean; False where none reaches ``stop``."""
        if not len(self._value):
            return False
        into = int(self._value.argmax())
        if not self._value[into] >= stop:
            return False
        gone = int(self._best[into])
        self.members[into] += self.members.pop(gone)
        self._sums[into] += self._sums[gone]
        self._sums[:, into] = self._sums[into]
        self._sizes[into] += self._sizes[gone]
        self._holds[into] |= self._holds[gone]
        self._means[gone] = self._means[:, gone] = _NEVER
        self._value[gone] = _NEVER
        self._renew(into, gone)
        return True

    def _renew(self, into: int, gone: int) -> None:
        """The means of the group that grew, and the best partners of all that it touches."""
        open_to = self._means[into] > _NEVER
        clash = (self._holds & self._holds[into]).any(axis=1)
        row = np.where(open_to & ~clash, self._sums[into] / (self._sizes[into] * self._sizes), _NEVER)
        row = row.astype(np.float32)
        self._means[into] = self._means[:, into] = row
        for group in np.flatnonzero((self._best == into) | (self._best == gone)).tolist():
            self._best[group] = self._means[group].argmax()
            self._value[group] = self._means[group].max()
        self._best[into], self._value[into] = row.argmax(), row.max()
        nearer = row > self._value
        self._best[nearer], self._value[nearer] = into, row[nearer]


def support(evidence: Floats, groups: Groups) -> Floats:
    """For every page the mean evidence that ties it to its group, itself counted as 0; 0 for a page alone."""
    found = np.zeros(len(evidence))
    for group in groups:
        if len(group) > 1:
            inside = evidence[np.ix_(group, group)].astype(np.float64)
            np.fill_diagonal(inside, 0.0)
            found[group] = inside.sum(axis=1) / len(group)
    return found
