"""Pages with the same text: classes of exact and near duplicates, and the representative of each class."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import xxhash
from rapidfuzz.distance import Levenshtein
from rensa import RMinHash, RMinHashLSH

from diglot.arrays import Mask, distinct
from diglot.documents.language import language_of

Classes = npt.NDArray[np.int32]
"""Row of the first member of each page's class, shape (n,); a page alone is a class."""

NEAR_DISTANCE = 0.05
"""Largest edit distance of near duplicates, as a share of the longer text: the measure of soft recall in WMT16."""
_PERMUTATIONS, _BANDS = 64, 16
_SHINGLE_WORDS = 4
"""MinHash over word 4-grams proposes pairs: 16 bands of 4 find nearly all pairs with 70% of their 4-grams in common."""


class Versions(NamedTuple):
    """Addresses and languages of some pages; lists of one length."""

    urls: Sequence[str]
    langs: Sequence[str]
    """BCP 47 tags of the pages' text."""
    versions: Sequence[str]
    """Primary subtag of each page's language version, "" where unknown."""

    def take(self, rows: Iterable[int]) -> Versions:
        """The pages in these rows."""
        kept = list(rows)
        return Versions(*([column[row] for row in kept] for column in self))


def text_hash(text: str) -> str:
    """Hash of a text with white space folded."""
    return xxhash.xxh3_128_hexdigest(" ".join(text.split()).encode())


def exact_classes(texts: Iterable[str], langs: Sequence[str]) -> Classes:
    """Classes of pages with the same text and language."""
    first: dict[tuple[str, str], int] = {}
    keys = [(lang, text_hash(text)) for text, lang in zip(texts, langs, strict=True)]
    return np.array([first.setdefault(key, row) for row, key in enumerate(keys)], np.int32)


def near_classes(texts: Sequence[str], langs: Sequence[str]) -> Classes:
    """Classes of pages of one language within 5% edit distance, directly or through further pages.

    MinHash over word 4-grams (64 permutations, 16 bands) proposes pairs; edit distance decides.
    """
    index = RMinHashLSH(threshold=0.5, num_perm=_PERMUTATIONS, num_bands=_BANDS)
    leader = np.arange(len(texts), dtype=np.int32)

    def find(row: int) -> int:
        while leader[row] != row:
            row = int(leader[row])
        return row

    for row, text in enumerate(texts):
        signature = RMinHash(num_perm=_PERMUTATIONS, seed=1)
        words = text.split()
        runs = zip(*(words[start:] for start in range(_SHINGLE_WORDS)), strict=False)
        # Fewer than four words make no shingle: then the whole text is one.
        signature.update(list(map(" ".join, runs)) or [" ".join(words)])
        # Sorted, since the index promises no order.
        for other in sorted(index.query(signature)):
            if find(other) != find(row) and langs[other] == langs[row] and _is_near(texts[other], text):
                # The first member leads, so that classes do not depend on the order of comparison.
                leader[max(find(other), find(row))] = min(find(other), find(row))
        index.insert(row, signature)
    return np.array([find(row) for row in range(len(texts))], np.int32)


def _is_near(first: str, second: str) -> bool:
    most = int(NEAR_DISTANCE * max(len(first), len(second)))
    # Near pages are mostly far nearer than they have to be: that is looked at first, and costs less.
    return bool(Levenshtein.distance(first, second, score_cutoff=most, score_hint=most // 4) <= most)


def representatives(pages: Versions, classes: Classes, links: pa.ListArray) -> Mask:
    """Mask of the pages that represent their class, shape (n,); ``links``: addresses on each page.

    Criteria in order: the page's language version (own, unknown, foreign), three figures of links
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


def untranslated_duplicates(pages: Versions, classes: Classes) -> dict[int, int]:
    """Row of the representative for every page that repeats a near duplicate untranslated.

    A page gives way if it stands in a foreign language version and some member of its class does not. Near-equal pages
    of one language, such as versions of a licence, all stay.
    """
    duplicates: dict[int, int] = {}
    urls = pages.urls
    for rows in _members(classes):
        fits = _version_fits(pages, rows)
        originals = [row for row in rows if fits[row] >= 0]
        if originals:
            best = min(originals, key=lambda row: (-fits[row], len(urls[row]), urls[row]))
            duplicates |= {row: best for row in rows if fits[row] < 0}
    return duplicates


def rows_near_untranslated(pages: Versions, keys: Sequence[str]) -> list[int]:
    """Rows with the key of a page in the language version of another language; keys: language and domain, say.

    Only these can be, or have, untranslated duplicates (:func:`untranslated_duplicates`).
    """
    fits = _version_fits(pages, range(len(keys)))
    with_untranslated = {key for row, key in enumerate(keys) if fits[row] < 0}
    return [row for row, key in enumerate(keys) if key in with_untranslated]


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


def _link_figures(pages: Versions, links: pa.ListArray) -> tuple[list[int], list[float], list[int]]:
    """Three figures for each page, from the links within the site.

    Number of linking pages of the same language; share of the same language among pages linked in either direction,
    smoothed by half a page; number of links on the linking pages of the same language.
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
    alike, ends = codes[here] == codes[there], np.concatenate([here, there])
    same = np.bincount(ends[np.tile(alike, 2)], minlength=count)
    total = np.bincount(ends, minlength=count)
    on_page = np.bincount(here, minlength=count)
    linking = np.bincount(there[alike], minlength=count)
    onward = np.bincount(there[alike], weights=on_page[here[alike]], minlength=count)
    return linking.tolist(), ((same + 0.5) / (total + 1)).tolist(), onward.tolist()
