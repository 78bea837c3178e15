"""Queues the links of archived pages again, after another choice of languages; makes no request.

Under the earlier choice, links on pages in other languages were not followed, and links to versions in other languages
were refused or, on other hosts, not seen as part of the site. The pages themselves are not fetched again.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from diglot.crawl.crawl_state import CrawlState
from diglot.crawl.page_reading import Parse, parse_content
from diglot.crawl.queue.frontier import Entry
from diglot.crawl.response_handling import queue_links
from diglot.pages import open_source, read
from diglot.records import Page


def follow_archived_pages(state: CrawlState, folder: Path, parse: Parse) -> None:
    """Queue the links of all pages in the archive whose links were followed before. May be repeated after a kill."""
    with state.frontier.transaction():
        state.frontier.reopen_languages()
    for name in state.frontier.archives():
        for entry, page in _followed_pages(state, folder / name):
            contents = parse_content(page, parse).contents
            if contents is not None:
                with state.frontier.transaction():
                    queue_links(state, entry, contents)
    with state.frontier.transaction():
        state.frontier.close_languages()


def _followed_pages(state: CrawlState, path: Path) -> Iterator[tuple[Entry, Page]]:
    """Pages of an archive file with their entries; of a page that was rendered, the rendering."""
    waiting = iter(state.frontier.followed_pages(path.name))
    entry, start, length = next(waiting, (None, 0, 0))
    found: Page | None = None
    for page in read(open_source(str(path)), max_page_bytes=state.options.max_page_bytes):
        while entry is not None and page.offset >= start + length:
            if found is not None:
                yield entry, found
            found = None
            entry, start, length = next(waiting, (None, 0, 0))
        if entry is not None and page.offset >= start and isinstance(page, Page):
            # The rendering comes behind the page as sent.
            found = page
    if entry is not None and found is not None:
        yield entry, found
