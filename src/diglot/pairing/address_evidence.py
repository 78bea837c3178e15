"""What addresses and links say of two pages, learnt on the site itself: no list of languages, no pattern by hand."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np

from diglot.features.url_difference import UrlParts, url_parts
from diglot.features.url_rules import Rule, url_rule
from diglot.site import Column, Pairs, Rows, Site

MIN_SUPPORT = 3
"""A difference of addresses seen fewer times is no rule (Bitextor's code of January 2010)."""
MIN_RELIABILITY = 0.2
"""Share of the pairs a rule could make that the content must agree with."""
MAX_RULES = 30
MIN_DISTINCT_TARGETS = 0.7
"""Share of pages whose link under one anchor leads to a page of its own: what makes it a language switch."""
MAX_TARGETS_A_PAGE = 1.2
_NO_PAIRS = np.zeros((0, 2), np.int32)


class AddressRules:
    """Rules that turn a source address into a target address, each with how far the content bears it out."""

    def __init__(self, site: Site, src: Rows, tgt: Rows, matched: Pairs) -> None:
        """Learn the rules from pages matched by content; wrong matches have rules of their own, seldom the same."""
        parts = {row: url_parts(site.urls[row]) for row in [*src.tolist(), *tgt.tolist()]}
        row_of = {parts[row]: row for row in tgt.tolist()}
        support = Counter(url_rule(parts[i], parts[j]) for i, j in matched.tolist())
        agreed = {tuple(pair) for pair in matched.tolist()}
        self._strength: dict[tuple[int, int], float] = {}
        best: defaultdict[int, float] = defaultdict(float)
        for rule, count in support.most_common(MAX_RULES):
            if count < MIN_SUPPORT or not rule:
                continue
            made = {(i, row_of[new]) for i in src.tolist() for new in apply_rule(rule, parts[i]) if new in row_of}
            agreeing = len(made & agreed)
            if agreeing < max(MIN_SUPPORT, MIN_RELIABILITY * len(made)):
                continue
            for pair in made:
                self._strength[pair] = max(self._strength.get(pair, 0.0), float(agreeing))
        for (i, j), strength in self._strength.items():
            best[i], best[-1 - j] = max(best[i], strength), max(best[-1 - j], strength)
        self._best = best

    def candidates(self) -> Pairs:
        """Pairs that some rule makes, sorted."""
        return np.array(sorted(self._strength), np.int32).reshape(-1, 2)

    def evidence(self, pairs: Pairs) -> Column:
        """1 where the rule of the pair is the best borne out of all that apply to its pages, less where a better
        one makes another pair, 0 without a rule."""
        values = []
        for i, j in pairs.tolist():
            strength = self._strength.get((i, j), 0.0)
            values.append(strength / max(self._best[i], self._best[-1 - j], 1.0) if strength else 0.0)
        return np.array(values, np.float32)


def apply_rule(rule: Rule, parts: UrlParts) -> Iterator[UrlParts]:
    """Addresses that differ from one by a rule; several where its text stands more than once."""
    found = {parts}
    for kind, old, new in rule:
        found = {changed for each in found for changed in _apply(kind, old, new, each)}
    yield from sorted(found - {parts})


def _apply(kind: str, old: str, new: str, parts: UrlParts) -> Iterator[UrlParts]:
    directories, filename, variables = parts
    if kind == "filename":
        for start in range(len(filename) - len(old) + 1):
            if filename.startswith(old, start):
                yield parts._replace(filename=filename[:start] + new + filename[start + len(old) :])
    elif kind == "directory":
        before, after = tuple(filter(None, old.split("/"))), tuple(filter(None, new.split("/")))
        for start in range(len(directories) - len(before) + 1):
            if directories[start : start + len(before)] == before:
                yield parts._replace(directories=directories[:start] + after + directories[start + len(before) :])
    else:
        before, after = tuple(filter(None, old.split("&"))), tuple(filter(None, new.split("&")))
        if set(before) <= set(variables):
            rest = [variable for variable in variables if variable not in before]
            yield parts._replace(variables=tuple(sorted([*rest, *after])))


def switch_links(site: Site, src: Rows, tgt: Rows, matched: Pairs) -> dict[tuple[int, int], float]:
    """Pairs of pages that a language switch links, and how far: 1 both ways, .6 one way, less for a target that
    many pages share.

    A switch is an anchor text (or hreflang) under which pages of one language link to pages of the
    other, each to a page of its own: found by that, whatever it is called, and believed as far as pages
    ``matched`` by content agree.
    """
    forward, back = _switched(site, src, tgt, matched), _switched(site, tgt, src, matched[:, ::-1])
    back = {(i, j): value for (j, i), value in back.items()}
    both = forward.keys() | back.keys()
    return {
        pair: (max(forward.get(pair, 0.0), back.get(pair, 0.0)) * (1.0 if pair in forward and pair in back else 0.6))
        for pair in both
    }


def _switched(site: Site, src: Rows, tgt: Rows, matched: Pairs) -> dict[tuple[int, int], float]:
    row_of = {site.urls[row]: row for row in tgt.tolist()}
    urls, anchors, hreflangs = (site.ragged_strings(name) for name in ("link_urls", "link_anchors", "link_hreflangs"))
    linked: defaultdict[str, set[tuple[int, int]]] = defaultdict(set)
    for row in src.tolist():
        for url, anchor, hreflang in zip(urls[row], anchors[row], hreflangs[row], strict=True):
            if url in row_of:
                linked[f"hreflang {hreflang.lower()}" if hreflang else f"anchor {anchor}"].add((row, row_of[url]))
    found: dict[tuple[int, int], float] = {}
    partner = dict(matched.tolist())
    for pairs in linked.values():
        pages, targets = {i for i, _ in pairs}, Counter(j for _, j in pairs)
        is_switch = len(targets) >= MIN_DISTINCT_TARGETS * len(pages) and len(pairs) <= MAX_TARGETS_A_PAGE * len(pages)
        agreeing = [partner[i] == j for i, j in pairs if i in partner]
        reliability = (sum(agreeing) + 0.5) / (len(agreeing) + 1)
        if len(pages) >= MIN_SUPPORT and is_switch and reliability >= MIN_RELIABILITY:
            for i, j in pairs:
                found[i, j] = max(found.get((i, j), 0.0), min(1.0, 2 * reliability) / targets[j])
    return found
