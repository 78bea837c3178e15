"""Lists whose items stand in another order on the other page, as those sorted by alphabet do: put into one order.

What items link to says which is which. An alignment keeps the order of both sides, so the items of the target list are
put into the order of the source list before it is made.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import NamedTuple, TypeVar
from urllib.parse import urlsplit

import numpy as np

from diglot.alignment.lexical.units import ParallelText
from diglot.alignment.lists import ListItems
from diglot.arrays import Ints
from diglot.layout import largest_first

LEAST_SHARED = 2
"""Links that two lists must share to be one and the same: with one there is no order to speak of."""
MAX_HOLDERS = 8
"""Lists of a page that may have a link for it to tell which list is which; more of them are alike."""
_INDEX = ("index", "default")
"""Names of files that stand for their folder."""

PAIRED = "="
"""Stands before a link to a page that is paired, told by its source page; no address begins with it."""

_Value = TypeVar("_Value")

Links = tuple[list[str], list[str]]
"""What the sentences of both pages link to."""

Partners = Mapping[str, str]
"""The source page of each paired page of a language pair: of a target page its partner, of a source page itself."""

Ranks = dict[str, int]
"""The items of a list that have a link of their own: key -> rank in the list."""


class PagePair(NamedTuple):
    """Addresses of the two pages."""

    src: str
    tgt: str


def as_paired(src: Sequence[str], tgt: Sequence[str], pages: PagePair, partners: Partners) -> Links:
    """The links of both pages, those to a page that is paired told by the pair: marked, and by its source page.

    Where a page leads to the other, as a menu of languages does, the two are two places of that menu and stay two.
    """
    led_to = {link: _page(link) for link in (*src, *tgt)}
    is_menu = pages.tgt in map(led_to.get, src) or pages.src in map(led_to.get, tgt)
    places = {pages.src: pages.src, pages.tgt: pages.tgt} if is_menu else {}
    told = {page: places.get(page) or partners.get(page) for page in led_to.values()}
    known = {link: f"{PAIRED}{told[page]}{link[len(page) :]}" for link, page in led_to.items() if told[page]}
    return [known.get(link, link) for link in src], [known.get(link, link) for link in tgt]


def link_keys(src: Sequence[str], tgt: Sequence[str]) -> Links:
    """For each sentence of two pages a key of what it links to, equal where both link to the same; "" for none.

    Links are the same if they are equal, or if each is the only one of its page whose address ends in that name; one
    to a page that is paired is never told by its name.
    """
    shared = set(src) & set(tgt)
    rest = [{link for link in set(links) - shared if not link.startswith(PAIRED)} for links in (src, tgt)]
    names = [{link: link_name(link) for link in sorted(links)} for links in rest]
    counts = [Counter(own.values()) for own in names]
    known = {link: link for link in (*src, *tgt) if link in shared or link.startswith(PAIRED)}
    for own in names:
        known |= {link: name for link, name in own.items() if counts[0][name] == counts[1][name] == 1}
    return [known.get(link, "") for link in src], [known.get(link, "") for link in tgt]


def lead_elsewhere(src: str, tgt: str, on_src: Set[str], on_tgt: Set[str]) -> bool:
    """Whether two keys are of two places that are known to be two.

    They are if each page has both, and if both are of pages that are paired, but not with each other.
    """
    if not src or not tgt or src == tgt:
        return False
    if src in on_tgt and tgt in on_src:
        return True
    are_pages = all(key.startswith(PAIRED) or key in on_src & on_tgt for key in (src, tgt))
    return are_pages and _page(src) != _page(tgt)


def _page(link: str) -> str:
    return link.partition("#")[0]


def link_name(link: str) -> str:
    """The last part of an address's path with its query and fragment: what editions of a page have in common.

    >>> link_name("https://a.org/fr/tools/blur.html#top"), link_name("https://a.org/fr/tools/index.html")
    ('blur.html#top', 'tools')
    """
    try:
        parts = urlsplit(link)
    except ValueError:
        return ""
    path = [part for part in parts.path.split("/") if part]
    if path and path[-1].partition(".")[0] in _INDEX:
        path.pop()
    name = path[-1] if path else ""
    query = f"?{parts.query}" if parts.query else ""
    return f"{name}{query}#{parts.fragment}" if parts.fragment else f"{name}{query}"


def in_one_order(pair: ParallelText) -> ParallelText:
    """The text with the items of its target lists in the order of the source lists that they share links with."""
    src, tgt = (ranked(items, keys) for items, keys in zip(pair.items, pair.links, strict=True))
    orders: dict[int, list[tuple[int, int]]] = {}
    extents = pair.items[1].by_list()
    for number, other in matching_lists(src, tgt):
        wanted = _wanted_order(extents[other], tgt[other], src[number])
        if wanted != extents[other]:
            orders[other] = wanted
    return _reordered(pair, _new_order(len(pair.tgt), extents, orders)) if orders else pair


def ranked(items: ListItems, keys: Sequence[str]) -> dict[int, Ranks]:
    """Of each list the items whose key no other item of it has. A nested list's keys are not those of the item round
    it."""
    found: dict[int, Ranks] = {}
    starts = sorted(set(items.starts))
    for number, extents in items.by_list().items():
        own = []
        for start, end in extents:
            inner = bisect_right(starts, start)
            stop = min(end, starts[inner]) if inner < len(starts) else end
            own.append(next(filter(None, keys[start:stop]), ""))
        counts = Counter(own)
        found[number] = {key: rank for rank, key in enumerate(own) if key and counts[key] == 1}
    return found


def matching_lists(src: dict[int, Ranks], tgt: dict[int, Ranks]) -> list[tuple[int, int]]:
    """Source and target lists that share more keys with each other than with any other list."""
    src_holders, tgt_holders = _holders(src), _holders(tgt)
    shared = Counter(
        (number, other)
        for key, numbers in src_holders.items()
        for number in numbers
        for other in tgt_holders.get(key, ())
        if max(len(numbers), len(tgt_holders[key])) <= MAX_HOLDERS
    )
    found, taken = [], (set[int](), set[int]())
    for (number, other), count in largest_first(shared):
        if count >= LEAST_SHARED and number not in taken[0] and other not in taken[1]:
            found.append((number, other))
            taken[0].add(number)
            taken[1].add(other)
    return found


def _holders(lists: dict[int, Ranks]) -> dict[str, list[int]]:
    """The lists that have an item of each key."""
    found: dict[str, list[int]] = {}
    for number, ranks in lists.items():
        for key in ranks:
            found.setdefault(key, []).append(number)
    return found


def _wanted_order(extents: list[tuple[int, int]], own: Ranks, other: Ranks) -> list[tuple[int, int]]:
    """Items in the order of the other list; one that it lacks follows the item that it follows now."""
    rank_of = {rank: other[key] for key, rank in own.items() if key in other}
    ranks, last = [], -1
    for rank in range(len(extents)):
        last = rank_of.get(rank, last)
        ranks.append(last)
    return [extents[rank] for rank in sorted(range(len(extents)), key=lambda rank: (ranks[rank], rank))]


def _new_order(
    count: int, extents: dict[int, list[tuple[int, int]]], orders: dict[int, list[tuple[int, int]]]
) -> list[int]:
    """Numbers of the sentences in their new order."""
    reordered = sorted((extents[number][0][0], number) for number in orders)
    behind = {number: max(end for _, end in extents[number]) for number in orders}

    def emit(start: int, end: int, begin: int) -> list[int]:
        """The sentences from ``start`` to ``end`` with the lists from ``begin`` on that lie within."""
        out: list[int] = []
        for place in range(begin, len(reordered)):
            first, number = reordered[place]
            if start <= first and behind[number] <= end:
                out += range(start, first)
                for item in orders[number]:
                    out += emit(*item, place + 1)
                start = behind[number]
        return [*out, *range(start, end)]

    return emit(0, count, 0)


def _reordered(pair: ParallelText, order: list[int]) -> ParallelText:
    place: Ints = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    items = pair.items[1]
    starts = place[np.array(items.starts, np.int64)].tolist()
    ends = [start + end - begin for start, begin, end in zip(starts, items.starts, items.ends, strict=True)]
    return replace(
        pair,
        tgt=_moved(pair.tgt, order),
        opens=(pair.opens[0], _moved(pair.opens[1], order)),
        kinds=(pair.kinds[0], _moved(pair.kinds[1], order)),
        links=(pair.links[0], _moved(pair.links[1], order)),
        whole_links=(pair.whole_links[0], _moved(pair.whole_links[1], order)),
        items=(pair.items[0], ListItems(items.lists, starts, ends)),
    )


def _moved(values: Sequence[_Value], order: list[int]) -> list[_Value]:
    return [values[old] for old in order] if values else []
