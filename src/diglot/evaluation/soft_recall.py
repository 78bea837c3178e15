"""Soft recall: a page with nearly the same text as the gold page counts as the gold page."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Set

from rapidfuzz.distance import Levenshtein

SOFT_EDIT_SHARE = 0.05
"""Largest edit distance of near-equal pages, as a share of the longer text (Buck and Koehn 2016, WMT16 task)."""

Urls = frozenset[str]


def soft_found(wanted: Set[Urls], proposals: Iterable[Urls], texts: Mapping[str, str]) -> int:
    """Number of ``wanted`` pairs of addresses that are proposed, some with a near-equal page in place of one page.

    ``texts``: page texts by address, for the addresses of :func:`pages_to_read`; a page without text has no near-equal
    page.

    Source: Buck and Koehn 2016, as computed by later tools for the task.
    """
    proposals = list(proposals)
    exact = wanted & set(proposals)
    partners = _partners(proposals)
    soft = 0
    for urls in wanted - exact:
        one, other = urls
        soft += any(_are_near(texts, other, partner) for partner in partners[one]) or any(
            _are_near(texts, one, partner) for partner in partners[other]
        )
    return len(exact) + soft


def pages_to_read(wanted: Set[Urls], proposals: Iterable[Urls]) -> set[str]:
    """Addresses whose texts :func:`soft_found` compares.

    If a page of a missed pair was proposed with other pages, these are compared with the other page of the missed pair.
    """
    proposals = list(proposals)
    partners = _partners(proposals)
    needed: set[str] = set()
    for urls in wanted - set(proposals):
        one, other = urls
        if partners[one]:
            needed |= {other, *partners[one]}
        if partners[other]:
            needed |= {one, *partners[other]}
    return needed


def near(text: str, other: str) -> bool:
    """Whether the edit distance of two texts, in characters, is at most 5% of the longer (rounded down)."""
    allowed = int(SOFT_EDIT_SHARE * max(len(text), len(other)))
    return Levenshtein.distance(text, other, score_cutoff=allowed) <= allowed


def _are_near(texts: Mapping[str, str], url: str, other_url: str) -> bool:
    return url in texts and other_url in texts and near(texts[url], texts[other_url])


def _partners(proposals: Iterable[Urls]) -> defaultdict[str, list[str]]:
    partners: defaultdict[str, list[str]] = defaultdict(list)
    for urls in proposals:
        one, other = urls
        partners[one].append(other)
        partners[other].append(one)
    return partners
