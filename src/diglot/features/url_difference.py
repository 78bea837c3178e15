"""Parts in which two addresses differ, and the difference as a recurring rule (Bitextor 2010, 3.3 and 4.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit

import numpy as np
from rapidfuzz.distance import Levenshtein

from diglot.arrays import Column, Pairs
from diglot.site import Site

UrlRule = tuple[tuple[str, str, str], ...]
"""Differences of a pair: (kind of part, text on the source side, text on the target side)."""


class UrlParts(NamedTuple):
    """An address in three parts that are compared separately; the host counts as the first directory."""

    directories: tuple[str, ...]
    filename: str
    variables: tuple[str, ...]


@lru_cache(maxsize=200_000)
def url_parts(url: str) -> UrlParts:
    """Cut an address; a variable is a whole ``key=value``."""
    parts = urlsplit(url)
    *directories, filename = parts.path.split("/")
    units = (parts.netloc.lower(), *(unit for unit in directories if unit))
    # Sorted, because the order of parameters means nothing.
    variables = tuple(sorted(filter(None, parts.query.replace(";", "&").split("&"))))
    return UrlParts(units, filename, variables)


def rule_support(site: Site, pairs: Pairs) -> Column:
    """Number of ``pairs`` with the same URL rule as each pair, the pair included.

    Source: Bitextor's code of January 2010, which kept the pairs whose rule occurred three times on the site.
    """
    rules = [url_rule(url_parts(site.urls[i]), url_parts(site.urls[j])) for i, j in pairs.tolist()]
    counts = Counter(rules)
    return np.array([counts[rule] for rule in rules], dtype=np.float32)


def url_rule(src: UrlParts, tgt: UrlParts) -> UrlRule:
    """The differing parts of two addresses; of file names only the difference between their common ends."""
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


def apply_rule(rule: UrlRule, parts: UrlParts) -> Iterator[UrlParts]:
    """The address changed by a rule; several addresses where the rule's text occurs more than once."""
    found = {parts}
    for kind, old, new in rule:
        found = {changed for each in found for changed in _apply(kind, old, new, each)}
    # Sorted, because sets have no order of their own.
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


def _differing_middle(first: str, second: str) -> tuple[str, str]:
    start = 0
    while start < min(len(first), len(second)) and first[start] == second[start]:
        start += 1
    end = 0
    while end < min(len(first), len(second)) - start and first[-1 - end] == second[-1 - end]:
        end += 1
    return first[start : len(first) - end], second[start : len(second) - end]
