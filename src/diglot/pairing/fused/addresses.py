"""Evidence of addresses and links, learnt on the site itself: no list of languages, no hand-written pattern."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pyarrow.compute as pc

from diglot.arrays import Column, Floats, Ints, Pairs, Rows, distinct
from diglot.features.url_difference import UrlParts, UrlRule, apply_rule, url_parts, url_rule
from diglot.site import Site

MIN_SUPPORT = 3
"""Least count of an address difference to be a rule (Bitextor's code of January 2010)."""
MIN_RELIABILITY = 0.3
"""Least share of pairs confirmed by content, for a rule or a switch."""
NEARLY = 0.7
"""Similarity of about the best candidate, as a share of the best."""
MAX_RULES = 30
MIN_DISTINCT_TARGETS = 0.7
"""Least number of distinct targets over the number of linking pages, for a language switch."""
MAX_TARGETS_A_PAGE = 1.2
"""Most links a page on average under the anchor of a language switch."""


class LearntRules:
    """Rules from source to target addresses, and how far content confirms them."""

    def __init__(self, site: Site, matched: Pairs, known: Pairs, similarity: Floats) -> None:
        """Learn rules from the pages ``matched`` by content, rows (n, 2).

        A rule is the difference of two addresses, whole or in one part: where siblings are confused, the part with the
        language still recurs. Content confirms a pair of a rule that is about as similar as the best candidates of its
        pages, among ``known`` with their ``similarity``.
        """
        self._strength: dict[tuple[int, int], float] = {}
        self._best: defaultdict[int, float] = defaultdict(float)
        parts = {row: url_parts(site.urls[row]) for row in distinct(known.ravel()).tolist()}
        sources, targets = (distinct(known[:, side]).tolist() for side in (0, 1))
        row_of = {parts[row]: row for row in targets}
        scores = dict(zip(map(tuple, known.tolist()), similarity.tolist(), strict=True))
        best = _best_of_pages(known, similarity)
        for rule, support in _rule_counts(parts, matched):
            made = {(i, row_of[new]) for i in sources for new in apply_rule(rule, parts[i]) if new in row_of}
            if len(made) < MIN_SUPPORT:
                continue
            # A pair that is no candidate counts as wrong.
            near = [scores.get((i, j), 0.0) >= NEARLY * max(best[i], best[-1 - j]) for i, j in made]
            # Shrunk to one half, because few pairs prove little.
            borne_out = (sum(near) + 0.5) / (len(near) + 1)
            if borne_out >= MIN_RELIABILITY:
                for i, j in made:
                    self._note(i, j, support * borne_out)

    def _note(self, i: int, j: int, strength: float) -> None:
        self._strength[i, j] = max(self._strength.get((i, j), 0.0), strength)
        self._best[i] = max(self._best[i], strength)
        self._best[-1 - j] = max(self._best[-1 - j], strength)

    def candidates(self) -> Pairs:
        """Pairs of all rules, sorted."""
        return np.array(sorted(self._strength), np.int32).reshape(-1, 2)

    def evidence(self, pairs: Pairs) -> Column:
        """Evidence of pairs: 1 for the best confirmed rule of both pages, less for a weaker rule, 0 without a rule."""
        values = []
        for i, j in pairs.tolist():
            strength = self._strength.get((i, j), 0.0)
            values.append(strength / max(self._best[i], self._best[-1 - j], 1.0) if strength else 0.0)
        return np.array(values, np.float32)


def _rule_counts(parts: dict[int, UrlParts], matched: Pairs) -> list[tuple[UrlRule, int]]:
    """The commonest rules with their number of matched pairs, whole differences and single parts."""
    counts: Counter[UrlRule] = Counter()
    for i, j in matched.tolist():
        rule = url_rule(parts[i], parts[j])
        counts.update({rule, *((part,) for part in rule)})
    return [(rule, count) for rule, count in counts.most_common(MAX_RULES) if rule and count >= MIN_SUPPORT]


def _best_of_pages(pairs: Pairs, similarity: Floats) -> defaultdict[int, float]:
    """Best similarity by page: source pages under their row, target pages under -1 - row."""
    best: defaultdict[int, float] = defaultdict(float)
    for (i, j), value in zip(pairs.tolist(), similarity.tolist(), strict=True):
        best[i], best[-1 - j] = max(best[i], value), max(best[-1 - j], value)
    return best


def switch_links(site: Site, src: Rows, tgt: Rows, matched: Pairs) -> dict[tuple[int, int], float]:
    """Pairs of pages linked by a language switch, and their strength: 1 both ways, .6 one way, less for a target of
    many pages.

    A switch is an anchor text (or hreflang): under a switch, pages of a language link to pages of the second language,
    all to different pages. The name does not matter; the reliability is the agreement with pages ``matched`` by
    content.
    """
    forward, back = _switch_strengths(site, src, tgt, matched), _switch_strengths(site, tgt, src, matched[:, ::-1])
    back = {(i, j): value for (j, i), value in back.items()}
    both = forward.keys() | back.keys()
    return {
        pair: (max(forward.get(pair, 0.0), back.get(pair, 0.0)) * (1.0 if pair in forward and pair in back else 0.6))
        for pair in both
    }


def _switch_strengths(site: Site, src: Rows, tgt: Rows, matched: Pairs) -> dict[tuple[int, int], float]:
    links = site.cached("links by what names them", lambda: _named_links(site))
    is_src, is_tgt = np.zeros((2, len(site)), bool)
    is_src[src], is_tgt[tgt] = True, True
    name, here, there = links[:, is_src[links[1]] & is_tgt[links[2]]]
    partner = np.full(len(site), -1)
    partner[matched[:, 0]] = matched[:, 1]
    pairs = np.bincount(name)
    pages, targets = (np.bincount(distinct(name * len(site) + end) // max(len(site), 1)) for end in (here, there))
    known = partner[here] >= 0
    agreeing = np.bincount(name[partner[here] == there], minlength=len(pairs))
    reliability = (agreeing + 0.5) / (np.bincount(name[known], minlength=len(pairs)) + 1)
    is_switch = (targets >= MIN_DISTINCT_TARGETS * pages) & (pairs <= MAX_TARGETS_A_PAGE * pages)
    kept = (is_switch & (pages >= MIN_SUPPORT) & (reliability >= MIN_RELIABILITY))[name]
    name, here, there = name[kept], here[kept], there[kept]
    # A target that many pages share is worth less for each of them.
    _, place, times = np.unique(name * len(site) + there, return_inverse=True, return_counts=True)
    found: dict[tuple[int, int], float] = {}
    values = np.minimum(1.0, 2 * reliability[name]) / times[place]
    for i, j, value in zip(here.tolist(), there.tolist(), values.tolist(), strict=True):
        found[i, j] = max(found.get((i, j), 0.0), value)
    return found


def _named_links(site: Site) -> Ints:
    """Links between pages of the site, each once, sorted: int64 (3, n), rows number of the hreflang or anchor, page,
    linked page."""
    to = pc.index_in(site.flat_strings("link_urls"), value_set=site.documents["url"].combine_chunks())
    led = pc.is_valid(to)
    hreflang, anchor = (site.flat_strings(column).filter(led) for column in ("link_hreflangs", "link_anchors"))
    by_hreflang = pc.binary_join_element_wise("hreflang", pc.utf8_lower(hreflang), " ")
    by_anchor = pc.binary_join_element_wise("anchor", anchor, " ")
    name = pc.if_else(pc.equal(hreflang, ""), by_anchor, by_hreflang).dictionary_encode().indices
    here = site.row_of_each("link_urls")[led.to_numpy(zero_copy_only=False)]
    pages = max(len(site), 1)
    keys = distinct((name.to_numpy().astype(np.int64) * pages + here) * pages + to.filter(led).to_numpy())
    rest, there = np.divmod(keys, pages)
    return np.stack([*np.divmod(rest, pages), there])
