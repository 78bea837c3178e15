"""Links as evidence: two blocks with links to the same place are likely translations.

The link of a sentence has a key, equal on both pages for the same place. Keys are units of the lexical aligner (see
:mod:`diglot.alignment.lexical.tokens`); two links to places known to differ lower a score.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import urlsplit

import numpy as np

from diglot.alignment.beads import Bead
from diglot.arrays import Ints, Ints32
from diglot.features.links import page_key
from diglot.language_names import holds_language_name

PAIRED, LONE = "=", "!"
"""Prefixes of a link to a page of an accepted pair, named by its source page, and of a link to another page in one of
the two languages; no URL begins with them. :data:`PAIRED` alone is a link of a page to itself."""
DIFFERENT_PLACES = 0.05
"""Highest score of two links to places known to differ. Our choice: a wrong link is rare."""
_INDEX = ("index", "default")
"""Names of files served for their folder."""

Links = tuple[list[str], list[str]]
"""Links of the sentences of both pages, "" for none."""

Partners = Mapping[str, str]
"""Key of every page of a language pair (:func:`diglot.features.links.page_key`) -> what links to the page become:
:data:`PAIRED` and the URL of the source page, or :data:`LONE` and its own URL."""


class PagePair(NamedTuple):
    """URLs of the two pages."""

    src: str
    tgt: str


def sentence_links(
    row: Mapping[str, Sequence[str] | Sequence[int]], block_ends: Ints | Ints32, counts: Sequence[int]
) -> tuple[list[str], list[int]]:
    """Link of every sentence, with fragment, and 1 if the link is the whole sentence, else 0.

    The link is "" for a sentence without a link, in a block of several sentences, or in a block with links to several
    places. ``row``: the link columns of a document. ``counts``: number of sentences of every block.
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
    for sentence, urls in targets.items():
        found[sentence] = next(iter(urls)) if len(urls) == 1 else ""
    return found, [int(bool(link) and is_link) for link, is_link in zip(found, whole, strict=True)]


def mark_own_links(links: Sequence[str], sentences: Sequence[str], url: str) -> list[str]:
    """Links of the sentences of the page at ``url``, with those to the page itself named alike on all pages.

    The entry of a menu that leads to the page itself is the same place on its translation. The entry of its language in
    a menu of languages is not: on the translation another entry leads to the page there.
    """
    own = page_key(url)
    return [
        f"{PAIRED}{link[len(_page(link)) :]}"
        if link and page_key(_page(link)) == own and not holds_language_name(sentence)
        else link
        for link, sentence in zip(links, sentences, strict=True)
    ]


def mark_paired_links(src: Sequence[str], tgt: Sequence[str], pages: PagePair, partners: Partners) -> Links:
    """Links of both pages, those to known pages named by ``partners``; a fragment stays.

    The two pages themselves stay two places if a link leads from page to page: they are two entries of a language menu.
    A link may spell the address of a page otherwise (``/fr/`` for ``/fr/index.html``).
    """
    page_of = {link: _page(link) for link in (*src, *tgt)}
    key_of = {link: page_key(page) for link, page in page_of.items()}
    here, there = page_key(pages.src), page_key(pages.tgt)
    # A menu of languages links to both pages; named by their pair, the two links would be one place.
    is_menu = there in map(key_of.get, src) or here in map(key_of.get, tgt)
    places = {here: f"{PAIRED}{pages.src}", there: f"{PAIRED}{pages.tgt}"} if is_menu else {here: PAIRED, there: PAIRED}
    mark_of = {link: places.get(key) or partners.get(key) for link, key in key_of.items()}
    marked = {link: f"{mark_of[link]}{link[len(page) :]}" for link, page in page_of.items() if mark_of[link]}
    return [marked.get(link, link) for link in src], [marked.get(link, link) for link in tgt]


def link_keys(src: Sequence[str], tgt: Sequence[str]) -> Links:
    """Key of the link of every sentence of two pages, equal for links to the same place; "" for no link.

    Links match if they are equal, or if :func:`link_name` is the same and unique on either page. Links to paired pages
    match by their pair alone, and those to other pages of the site by name, too: their pair may have been missed.
    """
    shared = set(src) & set(tgt)
    rest = [{link for link in set(links) - shared if not link.startswith(PAIRED)} for links in (src, tgt)]
    names = [{link: link_name(link.removeprefix(LONE)) for link in sorted(links)} for links in rest]
    # A name held by two links of a page (a "next" at the top and the bottom) says nothing.
    counts = [Counter(own.values()) for own in names]
    keys = {link: link for link in (*src, *tgt) if link in shared or link.startswith((PAIRED, LONE))}
    for own in names:
        keys |= {link: name for link, name in own.items() if counts[0][name] == counts[1][name] == 1}
    return [keys.get(link, "") for link in src], [keys.get(link, "") for link in tgt]


def link_name(link: str) -> str:
    """Last part of the path of a URL with query and fragment, the same in most language versions of a page.

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


def lead_elsewhere(src: str, tgt: str, on_src: Set[str], on_tgt: Set[str]) -> bool:
    """Whether two keys stand for places known to differ.

    Places differ if both pages have both keys, or if the keys are of pages of different pairs, or of a page of a pair
    and a page of none.
    """
    if not src or not tgt or src == tgt:
        return False
    if src in on_tgt and tgt in on_src:
        return True
    # Two pages of no pair may be a pair that was missed.
    if src.startswith(LONE) and tgt.startswith(LONE):
        return False
    are_pages = all(key.startswith((PAIRED, LONE)) or key in on_src & on_tgt for key in (src, tgt))
    return are_pages and _page(src) != _page(tgt)


def limit_link_scores(
    beads: Sequence[Bead],
    links: tuple[Sequence[str], Sequence[str]],
    whole_links: tuple[Sequence[int], Sequence[int]],
) -> list[Bead]:
    """The beads; a 1-1 bead of two links to different places scores :data:`DIFFERENT_PLACES` at most.

    ``links``: keys of both sides, from :func:`link_keys`. ``whole_links``: 1 for a sentence that is all link.
    """
    if not any(links[0]) or not any(links[1]):
        return list(beads)
    on_src, on_tgt = (frozenset(keys) for keys in links)

    def is_wrong(bead: Bead) -> bool:
        i, j = bead.src[0], bead.tgt[0]
        if bead.sizes != (1, 1) or not (whole_links[0][i] and whole_links[1][j]):
            return False
        return lead_elsewhere(links[0][i], links[1][j], on_src, on_tgt)

    return [replace(bead, score=min(bead.score, DIFFERENT_PLACES)) if is_wrong(bead) else bead for bead in beads]


def _page(link: str) -> str:
    return link.partition("#")[0]
