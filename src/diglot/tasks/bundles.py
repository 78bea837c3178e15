"""Which sites a task works on: large ones alone, small ones together, every site in one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import pyarrow as pa

from diglot.site import SITE_NUMBERS, SiteNames, site_number

BUNDLE_PAGES = 2_000
"""Pages from which sites are work enough for a task: half a minute's, against a second or two that it costs to begin
one."""


class Bundle(NamedTuple):
    """Sites of the numbers ``first`` to ``last``, and how many pages they have."""

    first: int
    last: int
    pages: int


def bundles(pages_of: Mapping[str, int], *, bundle_pages: int = BUNDLE_PAGES) -> list[Bundle]:
    """All numbers that a site can have cut into ranges, in order; a large site is in one of its own.

    ``pages_of``: pages by site.
    """
    by_number = Counter[int]()
    for site, pages in pages_of.items():
        by_number[site_number(site)] += pages
    groups: list[list[tuple[int, int]]] = []
    open_pages = bundle_pages
    for number, pages in sorted(by_number.items()):
        if open_pages + pages > bundle_pages:
            groups.append([])
            open_pages = 0
        groups[-1].append((number, pages))
        open_pages += pages
    firsts = [0, *(group[0][0] for group in groups[1:])]
    ends = [*firsts[1:], SITE_NUMBERS]
    sizes = [sum(pages for _, pages in group) for group in groups] or [0]
    return [Bundle(first, end - 1, pages) for first, end, pages in zip(firsts, ends, sizes, strict=True)]


def pages_by_site(domains: pa.Table, names: SiteNames) -> Counter[str]:
    """How many pages every site has; ``domains``: :data:`diglot.site.DOMAIN_SCHEMA`."""
    counts = Counter[str]()
    for domain, pages in zip(domains["domain"].to_pylist(), domains["pages"].to_pylist(), strict=True):
        counts[names.of_domain(domain)] += pages
    return counts
