"""Scores of the WMT 2016 bilingual document alignment task: recall under the one-to-one rule, by method."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from diglot.errors import SourceError
from diglot.evaluation.gold import tab_fields
from diglot.evaluation.pairs import share
from diglot.evaluation.soft_recall import Urls, pages_to_read, soft_found
from diglot.pages.address import is_web_address, normalise_address


class Proposal(NamedTuple):
    """A pair of pages, and the method behind the proposal."""

    src_url: str
    tgt_url: str
    method: str

    @property
    def urls(self) -> Urls:
        """The two addresses, without order."""
        return frozenset((self.src_url, self.tgt_url))


class MethodCounts(NamedTuple):
    """Numbers of pairs of one method."""

    method: str
    proposed: int
    kept: int
    """Left by the one-to-one rule."""
    found: int


@dataclass(frozen=True, slots=True)
class Wmt16Scores:
    """Counts of the task, and recall in [0, 1]; the reference is a sample, so the task has no precision."""

    reference: int
    by_method: tuple[MethodCounts, ...]
    """In the order of the methods' first proposals."""
    soft_found: int | None = None
    """Reference pairs found if near-equal pages count as equal; None without texts."""

    @property
    def proposal_count(self) -> int:
        """Number of proposals."""
        return sum(each.proposed for each in self.by_method)

    @property
    def kept_count(self) -> int:
        """Proposals left by the one-to-one rule."""
        return sum(each.kept for each in self.by_method)

    @property
    def found_count(self) -> int:
        """Proposals left that are reference pairs."""
        return sum(each.found for each in self.by_method)

    @property
    def recall(self) -> float:
        """Share of reference pairs found."""
        return share(self.found_count, self.reference)

    @property
    def soft_recall(self) -> float | None:
        """Recall if a page within 5% edit distance counts as the reference page."""
        return None if self.soft_found is None else share(self.soft_found, self.reference)

    def as_dict(self) -> dict[str, Any]:
        """Everything, recalls rounded to four decimals, fit for JSON."""
        soft = None if self.soft_recall is None else round(self.soft_recall, 4)
        return {
            "reference": self.reference,
            "proposed": self.proposal_count,
            "after_one_to_one": self.kept_count,
            "found": self.found_count,
            "soft_found": self.soft_found,
            "recall": round(self.recall, 4),
            "soft_recall": soft,
            "by_method": [each._asdict() for each in self.by_method],
        }


def score_wmt16(
    proposals: Sequence[Proposal], reference: Iterable[Urls], texts: Mapping[str, str] | None = None
) -> Wmt16Scores:
    """Score proposals, best first. ``texts``: see :func:`texts_needed`; None for no soft recall.

    Source: Buck and Koehn 2016, Findings of the WMT 2016 Bilingual Document Alignment Shared Task, section 4;
    the table by method is that of Papavassiliou et al. 2016, section 3.
    """
    wanted = set(reference)
    kept = first_of_each_page(proposals)
    proposed_by = Counter(each.method for each in proposals)
    kept_by = Counter(each.method for each in kept)
    found_by = Counter(each.method for each in kept if each.urls in wanted)
    return Wmt16Scores(
        reference=len(wanted),
        by_method=tuple(MethodCounts(m, n, kept_by[m], found_by[m]) for m, n in proposed_by.items()),
        soft_found=None if texts is None else soft_found(wanted, [each.urls for each in kept], texts),
    )


def first_of_each_page(proposals: Iterable[Proposal]) -> list[Proposal]:
    """Apply the one-to-one rule: drop a proposal with an address, on either side, of an earlier kept proposal.

    A page paired with itself is dropped as well.
    """
    seen: set[str] = set()
    kept = []
    for each in proposals:
        if len(each.urls) == 2 and seen.isdisjoint(each.urls):
            seen |= each.urls
            kept.append(each)
    return kept


def texts_needed(proposals: Iterable[Proposal], reference: Iterable[Urls]) -> set[str]:
    """Addresses of the pages that soft recall compares."""
    return pages_to_read(set(reference), [each.urls for each in first_of_each_page(proposals)])


def read_reference(path: str | os.PathLike[str]) -> list[Urls]:
    """Read pairs of addresses, one a line, divided by a tab, in either order; further columns are not read.

    Addresses are normalised as those of ``.lett`` files. Raises: SourceError, which names file and line.
    """
    pairs = []
    for number, fields in tab_fields(path):
        urls = frozenset(normalise_address(field) for field in fields[:2])
        if len(urls) != 2 or not all(map(is_web_address, urls)):
            raise SourceError(f"{path} line {number}: expected two web addresses divided by a tab")
        pairs.append(urls)
    if not pairs:
        raise SourceError(f"{path}: holds no pair of addresses")
    # A pair that is listed twice, perhaps in the other order, counts once in recall.
    return list(dict.fromkeys(pairs))


def webdomain_host(url: str) -> str:
    """Host of an address; "" for none."""
    return (urlsplit(url).hostname or "") if is_web_address(url) else ""
