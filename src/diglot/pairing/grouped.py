"""Page pairs of a site in many languages, decided together: a page's partners must be each other's partners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy import sparse

from diglot.features.links import page_links
from diglot.pairing.fused_prior import GROUP_FEATURES
from diglot.pairing.neutral_evidence import Pages, neutral_evidence, pages_of
from diglot.pairing.page_groups import Groups, page_groups
from diglot.pairing.terms import site_terms
from diglot.site import Pairs, Rows, Site

Floats = npt.NDArray[np.float64]
Odds = Mapping[tuple[str, str], tuple[Pairs, Floats]]

MIN_LANGS = 6
"""With fewer languages a wrong page in a group finds no one to contradict it."""
MAX_PAGES = 5_000
"""The evidence is held for every two pages: 200 MB at this many."""
ODDS_CLIP = 4.0
NEUTRAL_WEIGHT = 0.5
STOP = -2.0
"""Two pages barely tied to each other are one group where no rival is nearer."""
OWN_CLIP = 6.0
"""Evidence of a pair itself counts to here: beyond it only the terms of neutral evidence differ."""
MIN_LINKED_GROUPS, MIN_LINKED_BLOCKS, MIN_LINK_OVERLAP = 6, 0.2, 0.7
"""Two pages that each link to six groups and more, from every fifth block at least, and hardly to the same ones, are
lists of different things. Running text that links elsewhere than its translation is an older version."""
MAX_LINKED_SHARE = 0.4
"""A page linked from more of its language's pages than this stands in the menu."""


def grouped(site: Site, langs: Sequence[str], odds: Odds, *, without: Rows | None = None) -> tuple[Pairs, Floats]:
    """All pairs of pages that stand in one group, and what speaks for each: rows (n, 2), columns (n, 3) of
    :data:`diglot.pairing.fused_prior.GROUP_FEATURES`, whose log odds are :meth:`Prior.group_log_odds`.

    ``odds``: candidates and their log odds for the pairs of languages that were compared; the others are
    told by neutral evidence alone. The page of the language that comes first in ``langs`` is the first.
    ``without``: pages that are in no group.
    """
    pages = pages_of(site, langs, without=without)
    evidence = _evidence(site, pages, langs, odds)
    groups = page_groups(evidence, pages.langs, stop=STOP)
    pairs = np.array([pair for group in groups for pair in combinations(group, 2)], np.int64).reshape(-1, 2)
    if not len(pairs):
        return pairs.astype(np.int32), np.zeros((0, len(GROUP_FEATURES)))
    kept = pairs[~_lists_of_others(site, pages, groups, pairs)]
    return pages.rows[kept].astype(np.int32), _support(evidence, groups, kept)


def _evidence(site: Site, pages: Pages, langs: Sequence[str], odds: Odds) -> Floats:
    evidence = neutral_evidence(site, pages)
    place = np.full(len(site), -1)
    place[pages.rows] = np.arange(len(pages.rows))
    for (src_lang, tgt_lang), (pairs, values) in odds.items():
        here, there = pages.of(langs.index(src_lang)), pages.of(langs.index(tgt_lang))
        block = np.full((here.stop - here.start, there.stop - there.start), -ODDS_CLIP)
        i, j = place[pairs].T
        block[i - here.start, j - there.start] = np.clip(values, -ODDS_CLIP, ODDS_CLIP)
        evidence[here, there] = block + NEUTRAL_WEIGHT * evidence[here, there]
        evidence[there, here] = evidence[here, there].T
    return evidence


def _support(evidence: Floats, groups: Groups, pairs: npt.NDArray[np.int64]) -> Floats:
    """For every pair: the mean evidence that ties the weaker of its pages to the other pages of its group (that of
    the pair itself where there are none), the evidence of the pair, and the logarithm of the size of the group."""
    sums, sizes = np.zeros(len(evidence)), np.ones(len(evidence))
    for group in groups:
        inside = evidence[np.ix_(group, group)].copy()
        np.fill_diagonal(inside, 0.0)
        sums[group], sizes[group] = inside.sum(axis=1), len(group)
    own, size = evidence[pairs[:, 0], pairs[:, 1]], sizes[pairs[:, 0]]
    ties = [(sums[pairs[:, side]] - own) / np.maximum(size - 2, 1) for side in (0, 1)]
    rest = np.where(size > 2, np.minimum(*ties), own)
    return np.stack([rest, np.clip(own, -OWN_CLIP, OWN_CLIP), np.log(size)], axis=1)


def _lists_of_others(site: Site, pages: Pages, groups: Groups, pairs: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Pairs of pages that link to other groups, among the groups that both their languages have."""
    links = _linked_groups(site, pages, groups)
    block_counts = np.diff(site_terms(site).block_offsets)[pages.rows]
    langs = len(pages.starts) - 1
    has = np.zeros((langs, links.shape[1]), bool)
    for number, group in enumerate(groups):
        has[pages.langs[group], number] = True
    found = np.zeros(len(pairs), bool)
    lang_pairs = pages.langs[pairs]
    for a, b in np.unique(lang_pairs, axis=0).tolist():
        mine = np.flatnonzero((lang_pairs == (a, b)).all(axis=1))
        common = np.flatnonzero(has[a] & has[b])
        src, tgt = links[pairs[mine, 0]][:, common], links[pairs[mine, 1]][:, common]
        both = np.asarray(src.multiply(tgt).sum(axis=1)).ravel()
        here, there = (np.asarray(side.sum(axis=1)).ravel() for side in (src, tgt))
        lists = np.minimum(here, there) >= MIN_LINKED_GROUPS
        for side, linked in enumerate((here, there)):
            lists &= linked >= MIN_LINKED_BLOCKS * block_counts[pairs[mine, side]]
        found[mine] = lists & (both < MIN_LINK_OVERLAP * (here + there - both))
    return found


def _linked_groups(site: Site, pages: Pages, groups: Groups) -> sparse.csr_array:
    """Which groups each page links to, menus left out: sparse 0 or 1 (pages, groups)."""
    group_of = np.zeros(len(pages.rows), np.int64)
    for number, group in enumerate(groups):
        group_of[group] = number
    place = np.full(len(site), -1)
    place[pages.rows] = np.arange(len(pages.rows))
    links = page_links(site)
    ends = np.stack([place[links[end].to_numpy()] for end in ("from", "to")], axis=1)
    within = (ends >= 0).all(axis=1) & (pages.langs[ends[:, 0]] == pages.langs[ends[:, 1]])
    here, there = np.unique(ends[within], axis=0).T
    share = np.bincount(there, minlength=len(pages.rows)) / np.maximum(np.diff(pages.starts), 1)[pages.langs]
    seldom = share[there] <= MAX_LINKED_SHARE
    places = (here[seldom], group_of[there[seldom]])
    linked = sparse.csr_array((np.ones(int(seldom.sum())), places), shape=(len(pages.rows), len(groups)))
    linked.sum_duplicates()
    linked.data[:] = 1.0
    return linked
