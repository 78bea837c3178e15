"""Speed of the read stage on one core against plain selectolax parsing of the same pages, in the same run.

    python benchmarks/parse.py PAGES.warc.gz

Prints MB of HTML a second of processor time for each, and their ratio. The plain parser is given pages already
decoded; the read stage does all that a worker does: encoding, tokens, blocks, links, language, Arrow table.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from selectolax.lexbor import LexborHTMLParser

from diglot.documents.encoding import decode
from diglot.documents.html.linearise import linearise_all
from diglot.documents.parse import pages_table, parse_page, parse_table
from diglot.pages import open_sources, read
from diglot.records import Page

ROUNDS = 5
TABLE_PAGES = 32
"""As the read stage cuts them."""


def main(path: str) -> None:
    pages = [record for record in read(open_sources([path])[0]) if isinstance(record, Page)]
    megabytes = sum(len(page.body) for page in pages) / 1e6
    parse_page(pages[0])  # compiles, and reads the language model
    seconds: dict[str, float] = {}
    for start in range(0, len(pages), TABLE_PAGES):
        for name, spent in least_seconds(pages[start : start + TABLE_PAGES]).items():
            seconds[name] = seconds.get(name, 0.0) + spent
    print(f"{len(pages)} pages, {megabytes:.1f} MB")
    for name, spent in seconds.items():
        share = seconds["selectolax parse"] / spent
        print(f"{name:<17} {megabytes / spent:7.1f} MB/s  {share:5.2f} of plain parsing")


def least_seconds(pages: list[Page]) -> dict[str, float]:
    """Least processor seconds of five runs of each work over some pages, the works in turn.

    The least of a short stretch is little disturbed by what else the machine does.
    """
    decoded = [(text[0], page.url) for page in pages if (text := decode(page.body, page.content_type))]
    markups, urls = [text.encode("utf-8", "replace") for text, _ in decoded], [url for _, url in decoded]
    table = pages_table(pages)
    works: dict[str, Callable[[], object]] = {
        "selectolax parse": lambda: sum(LexborHTMLParser(text).root is not None for text, _ in decoded),
        "decode": lambda: sum(decode(page.body, page.content_type) is not None for page in pages),
        "linearise": lambda: len(linearise_all(markups, urls)),
        "read stage": lambda: parse_table(table),
    }
    seconds = dict.fromkeys(works, float("inf"))
    for _ in range(ROUNDS):
        for name, work in works.items():
            started = time.process_time()
            work()
            seconds[name] = min(seconds[name], time.process_time() - started)
    return seconds


if __name__ == "__main__":
    main(sys.argv[1])
