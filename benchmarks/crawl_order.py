"""Of the pages that a crawl cut short has fetched, how many have their version in another language beside them.

    python benchmarks/crawl_order.py PAGES.warc.gz GOLD.tsv START [--share 0.3] [-l en,fr]

Replays an archived site to the crawl's own decisions, without network or waiting, and to a spider that takes
links in the order it meets them. A page counts where a page that GOLD.tsv pairs it with was fetched too.
Addresses are compared without http or https.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import defaultdict, deque
from pathlib import Path

from diglot.crawl.archive import Archive
from diglot.crawl.options import make_crawl_options
from diglot.crawl.page_reading import Answer, ReadPage, read_answer, read_page
from diglot.crawl.queue.frontier import DONE, Frontier
from diglot.crawl.scheduler import Scheduler
from diglot.languages import parse_languages
from diglot.pages import open_sources, read
from diglot.pages.source import MAX_PAGE_BYTES
from diglot.records import Page

FETCHED = "2026-01-01T00:00:00Z"


def bare(url: str) -> str:
    """An address without its scheme."""
    return url.partition("://")[2]


def answer(page: Page | None) -> Answer:
    """What a server would say."""
    if page is None:
        return Answer(404, [(b"Content-Type", b"text/html")], b"", FETCHED)
    fields = [(b"Content-Type", page.content_type.encode("latin-1", "replace"))]
    return Answer(200, fields, page.body, FETCHED, request_line="GET / HTTP/1.1")


def conducted(pages: dict[str, Page], start: str, langs: tuple[str, ...], limit: int) -> set[str]:
    """Pages that the crawl fetches."""
    options = make_crawl_options([start], langs, {"max_pages": limit, "delay_s": 0, "proxy": "http://127.0.0.1:1"})
    with tempfile.TemporaryDirectory() as name:
        frontier = Frontier(Path(name) / "journal.db")
        archive = Archive(Path(name) / "warc", frontier, software="benchmark")
        scheduler = Scheduler(options, frontier, archive, clock=lambda: 0.0)
        scheduler.begin()
        while job := scheduler.next_job():
            told = answer(pages.get(bare(job.url)))
            scheduler.handle_response(job, told, read_answer(job, told, max_bytes=MAX_PAGE_BYTES))
        fetched = {bare(page.url) for page in frontier.page_outcomes() if page.state == DONE}
        frontier.close()
    return fetched


def breadth_first(pages: dict[str, Page], start: str, limit: int) -> set[str]:
    """Pages that a spider without aim fetches."""
    waiting, seen, fetched = deque([bare(start)]), {bare(start)}, set[str]()
    while waiting and len(fetched) < limit:
        page = pages.get(waiting.popleft())
        contents = read_page(page.url, answer(page), max_bytes=MAX_PAGE_BYTES) if page else None
        if page is None or not isinstance(contents, ReadPage):
            continue
        fetched.add(bare(page.url))
        for link in contents.contents.links if contents.contents else ():
            if bare(link.url) not in seen:
                seen.add(bare(link.url))
                waiting.append(bare(link.url))
    return fetched


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warc")
    parser.add_argument("gold", type=Path)
    parser.add_argument("start")
    parser.add_argument("--share", type=float, default=0.3)
    parser.add_argument("-l", "--langs", default="")
    options = parser.parse_args()
    (source,) = open_sources([options.warc])
    pages = {bare(page.url): page for page in read(source) if isinstance(page, Page)}
    if bare(options.start) not in pages:
        parser.error(f"{options.start} is none of the {len(pages)} pages of {options.warc}")
    langs = parse_languages(options.langs) if options.langs else ()
    partners: defaultdict[str, set[str]] = defaultdict(set)
    for line in options.gold.read_text(encoding="utf-8").splitlines():
        src_lang, tgt_lang, src, tgt = line.split("\t")[:4]
        if not langs or {src_lang, tgt_lang} <= set(langs):
            partners[bare(src)].add(bare(tgt))
            partners[bare(tgt)].add(bare(src))
    limit = round(options.share * len(pages))
    for name, fetched in (
        ("diglot", conducted(pages, options.start, langs, limit)),
        ("breadth first", breadth_first(pages, options.start, limit)),
    ):
        together = sum(bool(partners[url] & fetched) for url in fetched)
        print(f"{name:<14} {len(fetched)} pages, {together} with a version fetched too: {together / len(fetched):.1%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
