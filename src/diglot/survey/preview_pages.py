"""What the pages of a preview show of themselves: the hosts that they link to, and whether scripts make their text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from diglot.crawl.page_reading import PageParser, parse_content
from diglot.crawl.queue.site_scope import host_of
from diglot.pages import open_source, read
from diglot.records import Page

HOSTS_NAMED = 10
LEAST_TEXT_CHARS = 200
"""Length of a short paragraph: a page with scripts and less text than this waits for its scripts."""


@dataclass(frozen=True, slots=True)
class Shown:
    """``other_hosts``: links to hosts outside of the site, most linked first; ``script_pages``: pages with scripts and
    next to no text."""

    other_hosts: dict[str, int] = field(default_factory=dict)
    script_pages: int = 0


def look_at_pages(archives: Sequence[Path], own_hosts: Collection[str]) -> Shown:
    """Look at all pages of the archives of a preview."""
    hosts: Counter[str] = Counter()
    script_pages = 0
    with PageParser() as parse:
        for path in archives:
            for page in read(open_source(str(path))):
                if not isinstance(page, Page):
                    continue
                contents = parse_content(page, parse).contents
                links = {link.url for link in contents.links} if contents else set()
                hosts.update(host for url in links if (host := _web_host(url)) and host not in own_hosts)
                text = contents.length_chars if contents else 0
                script_pages += text < LEAST_TEXT_CHARS and b"<script" in page.body.lower()
    return Shown(dict(hosts.most_common(HOSTS_NAMED)), script_pages)


def _web_host(url: str) -> str:
    """Host of a web address; "" for another."""
    try:
        return host_of(url) if url.startswith(("http://", "https://")) else ""
    except ValueError:
        return ""
