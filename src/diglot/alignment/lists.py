"""Lists of a page: which sentences make up each item, and what each sentence links to.

A list is what HTML calls so, a table (its items are rows), a menu of options, or a run of blocks that lead elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from diglot.arrays import Ints, Ints32
from diglot.documents.html.tags import end_code, start_code

LEAST_ITEMS = 3
"""Items of a run of links that is taken for a list: two may be any two neighbours."""

_ITEMS = {"li": ("ul", "ol", "menu", "dir"), "dt": ("dl",), "tr": ("table",), "option": ("select",)}
"""Elements that open an item, and the lists they are items of; a definition belongs to the term before it."""
_LISTS_OF = {start_code(item): frozenset(map(start_code, lists)) for item, lists in _ITEMS.items()}
_LISTS = frozenset().union(*_LISTS_OF.values())
_END_OF = {code: end_code(name) for names in _ITEMS.values() for name in names for code in (start_code(name),)}
_CODES = np.array(sorted([*_LISTS_OF, *_LISTS, *_END_OF.values()]))


class ListItems(NamedTuple):
    """Items of all lists of a page, parallel sequences: the number of its list, its first sentence, and the first one
    behind it. A list's items stand in the order of the page, without a gap; a list inside has a higher number."""

    lists: Sequence[int] = ()
    starts: Sequence[int] = ()
    ends: Sequence[int] = ()

    def by_list(self) -> dict[int, list[tuple[int, int]]]:
        """First sentence and end of each item, by list."""
        found: dict[int, list[tuple[int, int]]] = {}
        for place, start, end in zip(self.lists, self.starts, self.ends, strict=True):
            found.setdefault(place, []).append((start, end))
        return found


class Item(NamedTuple):
    """An item in the making."""

    list: int
    start: int
    end: int


class _Open(NamedTuple):
    """A list that is not closed yet: its start tag, its number, and the first sentence of its last item (-1: none)."""

    code: int
    number: int
    item: int


def page_lists(tokens: Ints | Ints32, sentence_of: Ints, links: Sequence[str], opens: Sequence[int]) -> ListItems:
    """The items of a page's lists that hold a sentence.

    Parameters: ``tokens`` as in :data:`diglot.records.DOCUMENT_SCHEMA`; ``sentence_of``, for each chunk and the end
    the first sentence of its block; of each sentence, what it ``links`` to and whether it ``opens`` a block.
    """
    found = _marked_items(tokens, sentence_of)
    covered = {sentence for item in found for sentence in range(item.start, item.end)}
    number = 1 + max((item.list for item in found), default=-1)
    for start, end in _link_runs(links, opens, covered):
        found += [Item(number, sentence, sentence + 1) for sentence in range(start, end)]
        number += 1
    return ListItems(*(list(column) for column in zip(*found, strict=True))) if found else ListItems()


def sentence_links(
    row: Mapping[str, Sequence[str] | Sequence[int]], block_ends: Ints | Ints32, counts: Sequence[int]
) -> tuple[list[str], list[int]]:
    """What each sentence links to, with fragment, and 1 where it is nothing but a link, else 0.

    "" for nothing, for sentences of a block that has several, and for blocks that lead to several places.
    ``row``: the link columns of a document. ``counts``: sentences of each block.
    """
    first = np.cumsum([0, *counts])
    begins = np.concatenate(([0], block_ends))
    targets: dict[int, set[str]] = {}
    whole = [0] * int(first[-1])
    columns = ("link_urls", "link_fragments", "link_firsts", "link_ends")
    links = [each for each in zip(*(row[name] for name in columns), strict=True) if each[2] < each[3]]
    blocks = np.searchsorted(block_ends, [each[2] for each in links], side="right").tolist()
    for (url, fragment, begin, end), block in zip(links, blocks, strict=True):
        if counts[block] == 1:
            sentence = int(first[block])
            targets.setdefault(sentence, set()).add(f"{url}#{fragment}" if fragment else str(url))
            whole[sentence] = int(begin == begins[block] and end == begins[block + 1])
    found = [""] * len(whole)
    for sentence, addresses in targets.items():
        found[sentence] = next(iter(addresses)) if len(addresses) == 1 else ""
    return found, [int(bool(link) and is_link) for link, is_link in zip(found, whole, strict=True)]


def _marked_items(tokens: Ints | Ints32, sentence_of: Ints) -> list[Item]:
    """Items of the lists that the markup names."""
    places = np.flatnonzero(np.isin(tokens, _CODES))
    sentences = sentence_of[np.cumsum(tokens >= 0)[places]].tolist()
    opened: list[_Open] = []
    found: list[Item] = []
    number = 0
    for code, sentence in zip(tokens[places].tolist(), sentences, strict=True):
        if code in _LISTS:
            opened.append(_Open(code, number, -1))
            number += 1
        elif opened and code == _END_OF[opened[-1].code]:
            found += _closed(opened.pop(), sentence)
        elif opened and opened[-1].code in _LISTS_OF.get(code, ()):
            found += _closed(opened[-1], sentence)
            opened[-1] = opened[-1]._replace(item=sentence)
    for last in reversed(opened):
        found += _closed(last, int(sentence_of[-1]))
    return found


def _closed(last: _Open, sentence: int) -> list[Item]:
    return [Item(last.number, last.item, sentence)] if 0 <= last.item < sentence else []


def _link_runs(links: Sequence[str], opens: Sequence[int], covered: set[int]) -> list[tuple[int, int]]:
    """Runs of blocks in no list that are one sentence with a link each, first and end."""
    runs, start = [], 0
    for sentence in range(len(links) + 1):
        if sentence < len(links) and links[sentence] and opens[sentence] and sentence not in covered:
            continue
        if sentence - start >= LEAST_ITEMS:
            runs.append((start, sentence))
        start = sentence + 1
    return runs
