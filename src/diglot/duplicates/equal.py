"""Pages with the same text: classes of duplicates, and the representative of each class."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import xxhash

from diglot.arrays import Mask, distinct
from diglot.documents.language import language_of

Classes = npt.NDArray[np.int32]
"""Row of the first member of each page's class, shape (n,); a page alone is a class."""


class Versions(NamedTuple):
    """Addresses and languages of some pages; lists of one length."""

    urls: Sequence[str]
    langs: Sequence[str]
    """BCP 47 tags of the pages' text."""
    versions: Sequence[str]
    """Primary subtag of each page's language version, "" where unknown."""


def text_hash(text: str) -> str:
    """Hash of a text with white space folded."""
    return xxhash.xxh3_128_hexdigest(" ".join(text.split()).encode())


def exact_classes(texts: Iterable[str], langs: Sequence[str]) -> Classes:
    """Classes of pages with the same text and language."""
    first: dict[tuple[str, str], int] = {}
    keys = [(lang, text_hash(text)) for text, lang in zip(texts, langs, strict=True)]
    return np.array([first.setdefault(key, row) for row, key in enumerate(keys)], np.int32)


def representatives(pages: Versions, classes: Classes, links: pa.ListArray) -> Mask:
    """Mask of the pages that represent their class, shape (n,); ``links``: addresses on each page.

    Criteria in order: the page's language version (own, unknown, foreign), two figures of links
    (:func:`_link_figures`), the shorter address, the first address.
    """
    chosen = np.ones(len(pages.urls), bool)
    groups = _members(classes)
    ranks = _link_figures(pages, links) if groups else ()
    urls = pages.urls
    for rows in groups:
        # An English copy under /da/ gives way to the page under /en/. The figures of links give a page shown twice the
        # same representative in all language versions.
        fits = _version_fits(pages, rows)
        best = min(rows, key=lambda row: (-fits[row], *(-figure[row] for figure in ranks), len(urls[row]), urls[row]))
        chosen[[row for row in rows if row != best]] = False
    return chosen


def _members(classes: Classes) -> list[list[int]]:
    """Rows of each class of more than one page."""
    members: defaultdict[int, list[int]] = defaultdict(list)
    for row, leader in enumerate(classes.tolist()):
        members[leader].append(row)
    return [rows for rows in members.values() if len(rows) > 1]


def _version_fits(pages: Versions, rows: Iterable[int]) -> dict[int, int]:
    """1 for a page in its own language version, -1 in a foreign language version, 0 where unknown."""
    versions, langs = pages.versions, pages.langs
    return {row: (1 if versions[row] == language_of(langs[row]) else -1) if versions[row] else 0 for row in rows}


def _link_figures(pages: Versions, links: pa.ListArray) -> tuple[list[int], list[float]]:
    """Two figures for each page, from the links within the site.

    Number of linking pages of the same language; number of links on these pages.
    """
    count = len(pages.urls)
    targets = pc.index_in(links.flatten(), value_set=pa.array(pages.urls, pa.string()))
    known = pc.is_valid(targets)
    here, there = (
        places.filter(known).to_numpy().astype(np.int64) for places in (pc.list_parent_indices(links), targets)
    )
    # A page often links to a second one many times, from menu and text: that is one link.
    here, there = np.divmod(distinct((here * count + there)[here != there]), count)
    codes = np.unique(np.array(pages.langs, dtype=object), return_inverse=True)[1]
    alike = codes[here] == codes[there]
    on_page = np.bincount(here, minlength=count)
    linking = np.bincount(there[alike], minlength=count)
    onward = np.bincount(there[alike], weights=on_page[here[alike]], minlength=count)
    return linking.tolist(), onward.tolist()
