"""Speed of the read stage on one core against plain selectolax parsing of the same pages, in the same run.

    python benchmarks/parse.py PAGES.warc.gz

Prints MB of HTML a second of processor time for each, and their ratio; the pages are read and decoded beforehand for
the plain parser, and the read stage does everything: encoding, tokens, blocks, links, language.
"""

from __future__ import annotations

import sys
import time

from selectolax.lexbor import LexborHTMLParser

from diglot.documents.encoding import decode
from diglot.documents.language import identify
from diglot.documents.linearise import linearise
from diglot.documents.parse import parse_page
from diglot.pages import open_sources, read
from diglot.records import Page

ROUNDS = 3


def main(path: str) -> None:
    pages = [record for record in read(open_sources([path])[0]) if isinstance(record, Page)]
    texts = [(decoded[0], page.url) for page in pages if (decoded := decode(page.body, page.content_type))]
    megabytes = sum(len(page.body) for page in pages) / 1e6
    identify("The language identifier reads its model at the first call.")
    plain = best(lambda: [LexborHTMLParser(text) for text, _ in texts])
    linear = best(lambda: [linearise(text, url) for text, url in texts])
    whole = best(lambda: [parse_page(page) for page in pages])
    print(f"{len(pages)} pages, {megabytes:.1f} MB")
    for name, seconds in (("selectolax parse", plain), ("linearise", linear), ("read stage", whole)):
        print(f"{name:<17} {megabytes / seconds:7.1f} MB/s  {plain / seconds:5.2f} of plain parsing")


def best(work: object) -> float:
    """Least processor seconds of three runs."""
    seconds = []
    for _ in range(ROUNDS):
        started = time.process_time()
        work()  # type: ignore[operator]
        seconds.append(time.process_time() - started)
    return min(seconds)


if __name__ == "__main__":
    main(sys.argv[1])
