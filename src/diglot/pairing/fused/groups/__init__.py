"""The fused decision over all languages of a site at once: a page's partners must be each other's partners."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain, combinations

import numpy as np
import numpy.typing as npt

from diglot.arrays import Floats, Mask, Pairs
from diglot.features.links import page_links
from diglot.features.sparse_rows import products
from diglot.pairing.fused.decision import Outcome, bits_gained, with_candidates
from diglot.pairing.fused.groups.linkage import Groups, page_groups, sums_and_sizes
from diglot.pairing.fused.groups.neutral import Pages, neutral_evidence, pages_of
from diglot.pairing.fused.orphans import log_odds, posterior
from diglot.pairing.fused.prior import GROUP_FEATURES, read_prior
from diglot.pairing.fused.words import site_words
from diglot.site import Site
from diglot.sparse import SparseMatrix, matrix_of_ones

Outcomes = Mapping[tuple[str, str], Outcome]
"""Outcome of each source and target language."""
Odds = Mapping[tuple[str, str], tuple[Pairs, Floats]]
"""Candidates of each source and target language, with their log odds in nats."""

EVEN = 0.5
"""Prior share of true pairs within groups; the trained bias of their log odds already holds the true share."""
OUTSIDE = 0.02
"""Highest probability of a pair outside of groups: of 120 such pairs that were accepted without a look at other
languages, 1 was right by the gold of three evaluation sites."""
MIN_LANGS = 6
"""Least number of languages; with fewer, no page contradicts a wrong page in a group."""
MAX_PAGES = 5_000
"""Most pages of all languages: evidence for every two takes 200 MB at this many."""
# Calibrated together with the weights of the prior for groups.
ODDS_CLIP = 4.0
"""Bound of the log odds of two languages by themselves: no single pair may tie two groups together."""
NEUTRAL_WEIGHT = 0.5
"""Weight of neutral evidence beside the log odds of compared languages."""
STOP = -2.0
"""Least mean evidence of a merge, below even odds: barely tied pages still join their nearest."""
OWN_CLIP = 6.0
"""Bound of a pair's own evidence: beyond it only the unit of neutral evidence differs."""
MIN_LINKED_GROUPS, MIN_LINKED_BLOCKS, MIN_LINK_OVERLAP = 6, 0.2, 0.7
"""Two pages with links to six groups and more, from every fifth block at least, and hardly to the same groups, are
lists of different things. In running text, different links mean an older version."""
MAX_LINKED_SHARE = 0.4
"""Links from a larger share of a language's pages lead to a page of the menu."""


def join_languages(site: Site, langs: Sequence[str], alone: Outcomes) -> Outcomes:
    """Outcomes of pairs of languages, revised by the pages of all languages.

    ``alone``: outcomes of two languages by themselves. If the outcome of two languages failed its sanity checks, its
    log odds are not used, and of its pairs in groups only those are taken whose pages are both paired with one page of
    a third language.
    """
    sure = {pair: outcome for pair, outcome in alone.items() if not outcome.notes}
    odds = {pair: (outcome.pairs, log_odds(outcome.probability)) for pair, outcome in sure.items()}
    pairs, features = pairs_in_groups(site, langs, odds)
    values = read_prior().group_log_odds(features)
    tags = np.array(site.strings("lang"), dtype=object)[pairs]
    of_langs = {pair: (tags == pair).all(axis=1) for pair in alone}
    of_sure = sum((of_langs[pair] for pair in sure), np.zeros(len(pairs), bool))
    confirmed = _have_common_partner(pairs, (values > 0) & of_sure)
    outcomes = {}
    for pair, outcome in alone.items():
        mine, outside = (of_langs[pair], OUTSIDE) if pair in sure else (of_langs[pair] & confirmed, 1.0)
        outcomes[pair] = _with_groups(outcome, pairs[mine], values[mine], site, outside=outside)
    return outcomes


def languages_in_groups(site: Site) -> list[str]:
    """The wanted languages with pages; none if they are too few or their pages too many."""
    langs = [lang for lang in dict.fromkeys(chain(*zip(*site.lang_pairs, strict=True))) if len(site.rows_of(lang))]
    few = len(langs) < MIN_LANGS
    return [] if few or sum(len(site.rows_of(lang)) for lang in langs) > MAX_PAGES else langs


def _have_common_partner(pairs: Pairs, sure: Mask) -> Mask:
    """Mask of pairs whose two pages are both in a sure pair with one third page; ``sure``: mask of pairs."""
    partners: defaultdict[int, set[int]] = defaultdict(set)
    for i, j in pairs[sure].tolist():
        partners[i].add(j)
        partners[j].add(i)
    return np.array([bool(partners[i] & partners[j]) for i, j in pairs.tolist()], bool)


def _with_groups(outcome: Outcome, pairs: Pairs, odds: Floats, site: Site, *, outside: float) -> Outcome:
    """The outcome with the groups' probability for ``pairs``, and at most ``outside`` for all others."""
    widened, together = with_candidates(site, outcome, pairs)
    probability, matched = np.minimum(widened.probability, outside), np.zeros(len(widened.pairs), bool)
    probability[together], matched[together] = posterior(odds, EVEN), True
    group_bits = bits_gained(widened, probability)
    return dataclasses.replace(widened, matched=matched, probability=probability, group_bits=group_bits, missed=0.0)


def pairs_in_groups(site: Site, langs: Sequence[str], odds: Odds) -> tuple[Pairs, Floats]:
    """All pairs of pages in one group, and their evidence: rows (n, 2), columns (n, 3) of
    :data:`diglot.pairing.fused.prior.GROUP_FEATURES`, whose log odds are :meth:`Prior.group_log_odds`.

    ``odds``: candidates and their log odds for the compared pairs of languages; other pairs have neutral evidence
    alone. The first page is of the language that comes first in ``langs``.
    """
    pages = pages_of(site, langs)
    evidence = _evidence(site, pages, langs, odds)
    groups = page_groups(evidence, pages.langs, stop=STOP)
    pairs = np.array([pair for group in groups for pair in combinations(group, 2)], np.int64).reshape(-1, 2)
    if not len(pairs):
        return pairs.astype(np.int32), np.zeros((0, len(GROUP_FEATURES)))
    kept = pairs[~_are_different_lists(site, pages, groups, pairs)]
    return pages.rows[kept].astype(np.int32), _support(evidence, groups, kept)


def _evidence(site: Site, pages: Pages, langs: Sequence[str], odds: Odds) -> Floats:
    """Evidence of every two pages, (pages, pages): for compared languages, log odds plus weighed neutral evidence; for
    all others, neutral evidence alone."""
    evidence, place = neutral_evidence(site, pages), pages.places(len(site))
    for (src_lang, tgt_lang), (pairs, values) in odds.items():
        here, there = pages.of(langs.index(src_lang)), pages.of(langs.index(tgt_lang))
        block = np.full((here.stop - here.start, there.stop - there.start), -ODDS_CLIP)
        i, j = place[pairs].T
        block[i - here.start, j - there.start] = np.clip(values, -ODDS_CLIP, ODDS_CLIP)
        evidence[here, there] = block + NEUTRAL_WEIGHT * evidence[here, there]
        evidence[there, here] = evidence[here, there].T
    return evidence


def _support(evidence: Floats, groups: Groups, pairs: npt.NDArray[np.int64]) -> Floats:
    """Three columns for every pair: mean evidence between the weaker page and the rest of its group (of the pair itself
    if there is no rest), evidence of the pair, and logarithm of the group's size."""
    sums, sizes = sums_and_sizes(evidence, groups)
    own, size = evidence[pairs[:, 0], pairs[:, 1]], sizes[pairs[:, 0]]
    ties = [(sums[pairs[:, side]] - own) / np.maximum(size - 2, 1) for side in (0, 1)]
    rest = np.where(size > 2, np.minimum(*ties), own)
    return np.stack([rest, np.clip(own, -OWN_CLIP, OWN_CLIP), np.log(size)], axis=1)


def _are_different_lists(
    site: Site, pages: Pages, groups: Groups, pairs: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """Mask of pairs of lists that link to different groups, among the groups present in both languages."""
    links = _linked_groups(site, pages, groups)
    block_counts = np.diff(site_words(site).block_offsets)[pages.rows]
    langs = len(pages.starts) - 1
    has = np.zeros((langs, links.shape[1]), bool)
    for number, group in enumerate(groups):
        has[pages.langs[group], number] = True
    found = np.zeros(len(pairs), bool)
    lang_pairs = pages.langs[pairs]
    for a, b in np.unique(lang_pairs, axis=0).tolist():
        mine = np.flatnonzero((lang_pairs == (a, b)).all(axis=1))
        common = links.keep_columns(has[a] & has[b])
        both = products(common, common, pairs[mine].astype(np.int32))
        here, there = common.row_sizes()[pairs[mine].T]
        lists = np.minimum(here, there) >= MIN_LINKED_GROUPS
        for side, linked in enumerate((here, there)):
            lists &= linked >= MIN_LINKED_BLOCKS * block_counts[pairs[mine, side]]
        found[mine] = lists & (both < MIN_LINK_OVERLAP * (here + there - both))
    return found


def _linked_groups(site: Site, pages: Pages, groups: Groups) -> SparseMatrix:
    """Links from pages to groups, menus left out: sparse 0 or 1 (pages, groups)."""
    group_of = np.zeros(len(pages.rows), np.int64)
    for number, group in enumerate(groups):
        group_of[group] = number
    links, place = page_links(site), pages.places(len(site))
    ends = np.stack([place[links[end].to_numpy()] for end in ("from", "to")], axis=1)
    within = (ends >= 0).all(axis=1) & (pages.langs[ends[:, 0]] == pages.langs[ends[:, 1]])
    here, there = np.unique(ends[within], axis=0).T
    share = np.bincount(there, minlength=len(pages.rows)) / np.maximum(np.diff(pages.starts), 1)[pages.langs]
    seldom = share[there] <= MAX_LINKED_SHARE
    return matrix_of_ones(here[seldom], group_of[there[seldom]], (len(pages.rows), len(groups)))
