"""What a pair of addresses differs in, as a rule, and how often the rule recurs among the pairs given."""

from __future__ import annotations

from collections import Counter

import numpy as np
from rapidfuzz.distance import Levenshtein

from diglot.features.url_difference import UrlParts, url_parts
from diglot.site import Column, Pairs, Site

Rule = tuple[tuple[str, str, str], ...]
"""Differences of a pair: (kind of part, text on the source side, text on the target side)."""


def rule_support(site: Site, pairs: Pairs) -> Column:
    """How many of ``pairs`` share each pair's URL rule, its own included.

    Source: Bitextor's code of January 2010, which kept the pairs whose rule occurred three times on
    the site.
    """
    rules = [url_rule(url_parts(site.urls[i]), url_parts(site.urls[j])) for i, j in pairs.tolist()]
    counts = Counter(rules)
    return np.array([counts[rule] for rule in rules], dtype=np.float32)


def url_rule(src: UrlParts, tgt: UrlParts) -> Rule:
    """The differing parts of two addresses; of file names only what differs between their common ends."""
    rule = [
        (
            "directory",
            "/".join(src.directories[op.src_start : op.src_end]),
            "/".join(tgt.directories[op.dest_start : op.dest_end]),
        )
        for op in Levenshtein.opcodes(src.directories, tgt.directories)
        if op.tag != "equal"
    ]
    if src.filename != tgt.filename:
        rule.append(("filename", *_differing_middle(src.filename, tgt.filename)))
    ours, theirs = Counter(src.variables), Counter(tgt.variables)
    if ours != theirs:
        rule.append(("variable", "&".join((ours - theirs).elements()), "&".join((theirs - ours).elements())))
    return tuple(rule)


def _differing_middle(first: str, second: str) -> tuple[str, str]:
    start = 0
    while start < min(len(first), len(second)) and first[start] == second[start]:
        start += 1
    end = 0
    while end < min(len(first), len(second)) - start and first[-1 - end] == second[-1 - end]:
        end += 1
    return first[start : len(first) - end], second[start : len(second) - end]
