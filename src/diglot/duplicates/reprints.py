"""Near duplicates in one language: versions, reprints, originals shown twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from diglot.document_kinds import media_rank
from diglot.duplicates.equal import link_figures
from diglot.site import Site

MIN_SHARED = 0.95
"""Share of the longer page's text, in characters, found on both near duplicates; from Bitextor and WMT16."""
OFTENER_TIMES, OFTENER_PAGES = 2, 2
"""A page is linked far more often than a second one from twice as many pages plus two."""


def find_reprints(site: Site, near: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """Row of the representative for every reprint among the near duplicates.

    Both pages would fit a translation equally well. The reprint is a document, such as the print version of an HTML
    page, or it is linked far less often from pages of its language. ``near``: near duplicates of a page, by row.
    """
    (links, _), ranks = link_figures(site), list(map(media_rank, site.strings("media")))

    def represents(row: int, page: int) -> bool:
        if ranks[row] != ranks[page]:
            return ranks[row] > ranks[page]
        return bool(links[row] >= OFTENER_TIMES * links[page] + OFTENER_PAGES)

    found = {
        page: max(originals, key=lambda row: (ranks[row], links[row], -row))
        for page, alike in near.items()
        if (originals := [row for row in alike if represents(row, page)])
    }
    return dict(sorted(found.items()))
