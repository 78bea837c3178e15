"""Real tagged PDFs read as if they had no tags, against the paragraphs of their own tags.

    python benchmarks/pdf_tags_ignored.py FOLDER [--show 5]

A tagged paragraph counts from 40 letters on, 16 ideographs; it is right where it is one block, with blanks, quotes and
case folded. Tags are no perfect gold: some slides have a heading and a text in one element. ``torn``: a block is the
beginning of the paragraph; ``joined``: it stands inside a longer block.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from unittest import mock

import numpy as np
from pdf_paragraphs import counts, fold

from diglot.documents.pdf import read_pdf, reading
from diglot.documents.pdf.lines import TagRows
from diglot.documents.pdf.pages import PageContent
from diglot.errors import UnreadableDocument

ENOUGH = 3
"""Tagged paragraphs of a document that is counted."""
MAX_PAGES = 130


def no_tags(page: PageContent) -> TagRows:
    """Rows of a page without tags."""
    count = page.characters.codes.size
    return TagRows(np.full(count, -1, np.int64), np.zeros(count, np.int64))


def compare(path: Path, show: int) -> Counter[str]:
    """Counts of the paragraphs of one document by what became of them; empty if it has no tags."""
    body = path.read_bytes()
    try:
        tagged = read_pdf(body)
    except UnreadableDocument:
        return Counter()
    wanted = Counter(filter(counts, (fold(block.text) for block in tagged.blocks)))
    if not tagged.tagged or tagged.pages > MAX_PAGES or wanted.total() < ENOUGH:
        return Counter()
    with mock.patch.object(reading, "tag_rows", no_tags):
        blocks = [fold(block.text) for block in read_pdf(body).blocks]
    missed = wanted - Counter(blocks)
    found = Counter(paragraphs=wanted.total(), right=wanted.total() - missed.total())
    everything = "\n".join(blocks)
    for text, times in missed.items():
        begins = any(len(block) >= 12 and text.startswith(block) for block in blocks)
        found["joined" if text in everything else "torn" if begins else "other"] += times
    for text in list(missed)[:show]:
        print("  ", text)
    return found


def main() -> None:
    """Print a line for each document, and the sum."""
    given = argparse.ArgumentParser()
    given.add_argument("folder", type=Path)
    given.add_argument("--show", type=int, default=0, help="print so many of the paragraphs that are not right")
    options = given.parse_args()
    total: Counter[str] = Counter()
    for path in sorted(options.folder.rglob("*.pdf")):
        found = compare(path, options.show)
        if found:
            total += found
            print(f"{found['right'] / found['paragraphs']:6.1%}  {dict(found)}  {path.name}")
    print(f"{total['right'] / max(total['paragraphs'], 1):6.1%}  {dict(total)}")


if __name__ == "__main__":
    main()
