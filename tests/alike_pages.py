"""Pages of a site that share text, by row, as ``mark_duplicates`` asks for them."""

from __future__ import annotations

from diglot.duplicates.reprints import MIN_SHARED
from diglot.duplicates.shared_text import MIN_CONTAINED, MIN_LIKE, shared_text
from diglot.duplicates.untranslated import (
    MIN_CONFIDENCE,
    BlockTexts,
    pages_abroad,
    pages_in_foreign_frames,
    pages_left_untranslated,
)
from diglot.site import Site


def near_duplicates(site: Site, least: float = MIN_SHARED) -> dict[int, list[int]]:
    """Near duplicates of each page."""
    shared = shared_text(site)
    return shared.others(shared.of_longer >= least)


def containing_pages(site: Site) -> dict[int, list[int]]:
    """Pages that hold half of the text of each page."""
    shared = shared_text(site)
    return shared.others(shared.of_page >= MIN_CONTAINED)


def in_foreign_frames(site: Site) -> dict[int, int]:
    """Copies surely in a foreign frame."""
    return pages_in_foreign_frames(BlockTexts(site), containing_pages(site), MIN_CONFIDENCE)


def abroad(site: Site) -> dict[int, int]:
    """Copies in another language version."""
    return pages_abroad(BlockTexts(site), near_duplicates(site, MIN_LIKE))


def left_untranslated(site: Site) -> dict[int, int]:
    """Pages left untranslated."""
    return pages_left_untranslated(BlockTexts(site))
