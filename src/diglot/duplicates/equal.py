"""Pages with the same text: classes of exact and near duplicates, and which member stands for its class."""

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

from diglot.arrays import distinct
from diglot.documents.language import language_of

Classes = npt.NDArray[np.int32]
"""For every page the row of its class's first member, shape (n,); a page alone is its own class."""

NEAR_DISTANCE = 0.05
"""Edit distance, as a share of the longer text, within which two pages are near duplicates: the measure of
soft recall in WMT16's task."""
_PERMUTATIONS, _BANDS = 64, 16
_SHINGLE_WORDS = 4
"""Of MinHash, which proposes pages that share word 4-grams: 16 bands of 4 find nearly all that are 70% alike."""


def text_hash(text: str) -> str:
    """Hash of a page's text with white space folded."""
    return xxhash.xxh3_128_hexdigest(" ".join(text.split()).encode())


def exact_classes(texts: Iterable[str], langs: Sequence[str]) -> Classes:
    """Classes of pages in one language with the same text."""
    first: dict[tuple[str, str], int] = {}
    keys = [(lang, text_hash(text)) for text, lang in zip(texts, langs, strict=True)]
    return np.array([first.setdefault(key, row) for row, key in enumerate(keys)], np.int32)


def near_classes(texts: Sequence[str], langs: Sequence[str]) -> Classes:
    """Classes of pages in one language whose texts are within 5% edit distance, directly or through others.

    Candidates by MinHash over word 4-grams (64 permutations, 16 bands), each checked by edit distance.
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
        signature.update(list(map(" ".join, runs)) or [" ".join(words)])
        for other in sorted(index.query(signature)):
            if find(other) != find(row) and langs[other] == langs[row] and _is_near(texts[other], text):
                leader[max(find(other), find(row))] = min(find(other), find(row))
        index.insert(row, signature)
    return np.array([find(row) for row in range(len(texts))], np.int32)


def _is_near(first: str, second: str) -> bool:
    most = int(NEAR_DISTANCE * max(len(first), len(second)))
    return bool(Levenshtein.distance(first, second, score_cutoff=most) <= most)


def representatives(
    classes: Classes,
    urls: Sequence[str],
    langs: Sequence[str],
    editions: Sequence[str],
    links: pa.ListArray,
) -> npt.NDArray[np.bool_]:
    """Which page stands for its class, bool (n,).

    ``editions``: primary subtag of the language of the edition that each page stands in, "" where that is not known;
    ``links``: the addresses each page links to.

    An English copy under ``/da/`` gives way to the page under ``/en/``: first counts whether a page's edition is of
    its language, of another, or neither is known; then which share of the pages that it links to and is linked from
    are in its language; then how many links the pages have that link to it, which is alike in all editions of a page
    that stands twice in each; then the shorter and the first address.
    """
    chosen = np.ones(len(urls), bool)
    groups = _members(classes)
    company = _company(urls, langs, links) if groups else _Company.of_none()
    for rows in groups:
        claims = _claims(rows, langs, editions)
        best = min(
            rows, key=lambda row: (-claims[row], *(-figure[row] for figure in company), len(urls[row]), urls[row])
        )
        chosen[[row for row in rows if row != best]] = False
    return chosen


def untranslated_copies(
    classes: Classes,
    urls: Sequence[str],
    langs: Sequence[str],
    editions: Sequence[str],
) -> dict[int, int]:
    """Pages that are another page left untranslated: row -> row of the page they repeat.

    In a class of near duplicates a page gives way when it stands in the edition of another language than that of its
    text, and some other page of the class does not. Near-equal pages of one language, such as versions of a licence,
    all stay.
    """
    copies: dict[int, int] = {}
    for rows in _members(classes):
        claims = _claims(rows, langs, editions)
        originals = [row for row in rows if claims[row] >= 0]
        if originals:
            best = min(originals, key=lambda row: (-claims[row], len(urls[row]), urls[row]))
            copies |= {row: best for row in rows if claims[row] < 0}
    return copies


def in_languages_of_untranslated(keys: Sequence[str], langs: Sequence[str], editions: Sequence[str]) -> list[int]:
    """Rows of the pages that share their key, as a language of a domain, with one that stands in the edition of another
    language: no others can be or have untranslated copies (:func:`untranslated_copies`)."""
    claims = _claims(range(len(keys)), langs, editions)
    asked = {key for row, key in enumerate(keys) if claims[row] < 0}
    return [row for row, key in enumerate(keys) if key in asked]


def _members(classes: Classes) -> list[list[int]]:
    """The rows of each class of more than one page."""
    members: defaultdict[int, list[int]] = defaultdict(list)
    for row, leader in enumerate(classes.tolist()):
        members[leader].append(row)
    return [rows for rows in members.values() if len(rows) > 1]


def _claims(rows: Iterable[int], langs: Sequence[str], editions: Sequence[str]) -> dict[int, int]:
    """Whether each page stands in the edition of its language, 1, of another, -1, or of none that is known, 0."""
    return {row: (1 if editions[row] == language_of(langs[row]) else -1) if editions[row] else 0 for row in rows}


class _Company(NamedTuple):
    """For every page: how many pages of its language link to it, the share of its language among the pages it links
    to and is linked from, and how many links of the site the linking pages of its language have."""

    welcome: list[int]
    same: list[float]
    onward: list[int]

    @classmethod
    def of_none(cls) -> _Company:
        """Where no page need be known."""
        return cls([], [], [])


def _company(urls: Sequence[str], langs: Sequence[str], links: pa.ListArray) -> _Company:
    targets, pages = pc.index_in(links.flatten(), value_set=pa.array(urls, pa.string())), len(urls)
    known = pc.is_valid(targets)
    here, there = (
        places.filter(known).to_numpy().astype(np.int64) for places in (pc.list_parent_indices(links), targets)
    )
    here, there = np.divmod(distinct((here * pages + there)[here != there]), pages)
    codes = np.unique(np.array(langs, dtype=object), return_inverse=True)[1]
    alike, ends = codes[here] == codes[there], np.concatenate([here, there])
    same = np.bincount(ends[np.tile(alike, 2)], minlength=pages)
    total = np.bincount(ends, minlength=pages)
    others = np.bincount(here, minlength=pages)
    welcome = np.bincount(there[alike], minlength=pages)
    onward = np.bincount(there[alike], weights=others[here[alike]], minlength=pages)
    return _Company(welcome.tolist(), ((same + 0.5) / (total + 1)).tolist(), onward.tolist())
