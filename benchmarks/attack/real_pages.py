"""Real pages to start from: those of the sample and, where a corpus is named, of its archives."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from diglot.pages import open_sources, read
from diglot.records import Page

SAMPLE = Path(__file__).resolve().parents[2] / "examples" / "sample" / "pages.warc.gz"
MAX_PAGES = 2_000
"""Taken of a corpus, for every worker holds them."""


@cache
def real_pages(corpus: Path | None = None) -> tuple[Page, ...]:
    """Pages in the order of their archives; of a large corpus so many of each archive."""
    archives = [SAMPLE]
    if corpus is not None:
        archives += sorted(corpus.rglob("*.warc.gz")) if corpus.is_dir() else [corpus]
    each = max(1, MAX_PAGES // len(archives))
    return tuple(page for archive in archives for page in _first(archive, each))


def _first(archive: Path, count: int) -> list[Page]:
    pages: list[Page] = []
    for item in read(open_sources([str(archive)])[0]):
        if isinstance(item, Page):
            pages.append(item)
            if len(pages) == count:
                break
    return pages
