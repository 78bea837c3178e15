"""Groups of pages of the same content in many languages, at most one page in each: linkage, moves, and leaving."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from diglot.arrays import Floats

Groups = list[list[int]]

LEAVE = -1.5
"""Least mean evidence between a page and the rest of its group; a page with less leaves the group."""

_NEVER = -1e9
"""Evidence that forbids a merge, below any real evidence."""


def page_groups(evidence: Floats, langs: npt.NDArray[Any], *, stop: float) -> Groups:
    """Partition pages into groups with at most one page in each language.

    ``evidence``: symmetric (n, n), how far two pages look like translations, 0 for undecided; ``langs``: language
    number of each page (n,). Groups are merged (:func:`average_linkage`); pages that an early merge put in the wrong
    group move (:func:`move_pages`); pages against the evidence of their group leave (:func:`drop_opposed`). Memory and,
    usually, time are quadratic in n.
    """
    groups = move_pages(evidence, langs, average_linkage(evidence, langs, stop=stop))
    return sorted(sorted(group) for group in drop_opposed(evidence, groups))


def average_linkage(evidence: Floats, langs: npt.NDArray[Any], *, stop: float) -> Groups:
    """Average linkage, the best supported merge first.

    Two groups merge by the mean evidence over all pairs of their pages, unless both hold a page of one language;
    merging ends at a best mean below ``stop``.
    """
    linkage = _Linkage(evidence, langs)
    while linkage.merge_best(stop):
        pass
    return sorted(sorted(group) for group in linkage.members.values())


def move_pages(evidence: Floats, langs: npt.NDArray[Any], groups: Groups) -> Groups:
    """The groups after pages have moved to groups without their language and with more evidence for them.

    Both the mean and the sum of a page's evidence must rise: the mean alone favours small groups, the sum large groups.
    The largest gain in the mean moves first. The sum over all groups rises with each move, so the loop ends.
    """
    if not groups:
        return groups
    pages = np.arange(len(langs))
    group_of = np.zeros(len(langs), np.int64)
    for number, group in enumerate(groups):
        group_of[group] = number
    sums = np.stack([evidence[:, group].sum(axis=1) for group in groups], axis=1).astype(np.float64)
    sizes = np.bincount(group_of, minlength=len(groups))
    holds = np.zeros((int(langs.max()) + 1, len(groups)), bool)
    holds[langs, group_of] = True
    while True:
        own_sum = sums[pages, group_of] - np.diagonal(evidence)
        own_mean = own_sum / np.maximum(sizes[group_of] - 1, 1)
        gain = sums / np.maximum(sizes, 1) - own_mean[:, None]
        # No move to a group with a page of the same language, without more evidence, or emptied by earlier moves.
        gain[holds[langs] | (sums <= own_sum[:, None]) | (sizes == 0)] = -np.inf
        page, into = map(int, np.unravel_index(int(gain.argmax()), gain.shape))
        if not gain[page, into] > 0:
            return [pages[group_of == number].tolist() for number in np.flatnonzero(sizes).tolist()]
        left = int(group_of[page])
        sums[:, left] -= evidence[:, page]
        sums[:, into] += evidence[:, page]
        sizes[left], sizes[into] = sizes[left] - 1, sizes[into] + 1
        holds[langs[page], left], holds[langs[page], into] = False, True
        group_of[page] = into


def drop_opposed(evidence: Floats, groups: Groups) -> Groups:
    """The groups without pages of mean evidence below :data:`LEAVE`, which leave worst first and stand alone.

    Only groups of three or more pages lose pages, and only if the evidence among the rest is above 0.
    """
    found: Groups = []
    for group in groups:
        kept = list(group)
        while len(kept) > 2:
            inside = evidence[np.ix_(kept, kept)] * (1 - np.eye(len(kept)))
            ties = inside.sum(axis=1)
            worst = int(ties.argmin())
            if ties[worst] >= LEAVE * (len(kept) - 1) or ties.sum() <= 2 * ties[worst]:
                break
            # Each alone: in a group, the size of the group would speak for the page.
            found.append([kept.pop(worst)])
        found.append(kept)
    return found


class _Linkage:
    """Groups during merging: sums of evidence between them, and the best partner of each."""

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
        """Merge the two groups of highest mean; False if no mean reaches ``stop``."""
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
        """Update the means of the merged group, and the best partners of its neighbours."""
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


def sums_and_sizes(evidence: Floats, groups: Groups) -> tuple[Floats, Floats]:
    """Sum of the evidence between every page and the others of its group, and size of the group, (pages,)."""
    sums, sizes = np.zeros(len(evidence)), np.ones(len(evidence))
    for group in groups:
        inside = evidence[np.ix_(group, group)].astype(np.float64)
        np.fill_diagonal(inside, 0.0)
        sums[group], sizes[group] = inside.sum(axis=1), len(group)
    return sums, sizes
