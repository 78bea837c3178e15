"""Pages with the same text: the page that represents them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pyarrow as pa
import xxhash

from diglot.documents.language_tags import language_of
from diglot.features.links import linked_pages
from diglot.site import Site, join_strings, registered_domain


def page_texts(documents: pa.Table) -> Iterator[str]:
    """Text of each document, white space folded."""
    chunks = documents["chunks"].combine_chunks()
    for text in join_strings(chunks.values, pairwise(chunks.offsets.to_pylist())):
        yield " ".join(text.split())


def equal_pages(site: Site) -> dict[int, int]:
    """Row of the representative by row of each duplicate: pages of one registered domain, language and text.

    Pages with a reason are left out. Criteria for the representative, in order: the page's language version (own,
    unknown, foreign), two figures of links (:func:`link_figures`), the shorter address, the first address.
    """
    urls, langs, versions = site.urls, site.strings("lang"), site.strings("edition")
    classes: defaultdict[tuple[str, str, str], list[int]] = defaultdict(list)
    for row, (reason, text) in enumerate(zip(site.strings("reason"), page_texts(site.documents), strict=True)):
        if not reason:
            classes[registered_domain(urls[row]), langs[row], xxhash.xxh3_128_hexdigest(text.encode())].append(row)
    groups = [alike for alike in classes.values() if len(alike) > 1]
    if not groups:
        return {}
    linking, onward = link_figures(site)

    def rank(row: int) -> tuple[bool, bool, int, int, int, str]:
        # An English copy under /da/ gives way to the page under /en/. The figures of links give a page shown twice the
        # same representative in all language versions.
        is_at_home = versions[row] == language_of(langs[row])
        is_abroad = bool(versions[row]) and not is_at_home
        return not is_at_home, is_abroad, -linking[row], -onward[row], len(urls[row]), urls[row]

    found: dict[int, int] = {}
    for alike in groups:
        best = min(alike, key=rank)
        found.update((row, best) for row in alike if row != best)
    return found


def link_figures(site: Site) -> tuple[list[int], list[int]]:
    """Number of pages of the same language with a link to each page, and number of links on these pages.

    Links from and to pages with a reason do not count.
    """
    links, wanted = linked_pages(site), np.array(site.strings("reason"), dtype=object) == ""
    here, there = links[wanted[links].all(axis=1)].T
    langs = site.lang_numbers
    alike = langs[here] == langs[there]
    onward = np.zeros(len(site), np.int64)
    np.add.at(onward, there[alike], np.bincount(here, minlength=len(site))[here[alike]])
    return np.bincount(there[alike], minlength=len(site)).tolist(), onward.tolist()
