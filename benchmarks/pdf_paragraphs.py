"""Paragraphs of PDFs that are exactly right, against the text they were made from, and poppler's pdftotext beside.

    python benchmarks/pdf_paragraphs.py FOLDER [LAYOUT.LANG ...]

FOLDER is filled by ``pdf_sources.py``. A paragraph of the source counts from 40 letters on, 16 for ideographs; it is
right where it is one block, no more and no less, with blanks, quotes and case folded. ``furniture``: headers, footers
and page numbers, a page; ``words``: those of the source that are lost, joined or split; CPU of one process.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from diglot.documents.pdf import read_pdf

QUOTES = str.maketrans(
    {**dict.fromkeys("'‘’‚‛`´", "'"), **dict.fromkeys('"“”„‟«»', '"'), "–": "-", "—": "-", "\u200c": None}
)
ENOUGH, ENOUGH_WIDE = 40, 16
_WIDE = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")


def fold(text: str) -> str:
    """Text without what typesetting changes: quotes, dashes, case, more than one blank."""
    text = text.translate(QUOTES).replace("''", '"').replace("...", "…").replace("--", "-")
    return " ".join(text.casefold().split())


def paragraphs_of(folder: Path, name: str) -> list[str]:
    """Folded paragraphs of the source of a PDF."""
    own = folder / f"{name}.json"
    source = own if own.exists() else folder / f"{name.rsplit('.', 1)[1]}.json"
    return [fold(text) for _, text in json.loads(source.read_text(encoding="utf-8"))]


def counts(text: str) -> bool:
    """Whether a paragraph is long enough to be compared."""
    return len(text) >= ENOUGH or len(_WIDE.findall(text)) >= ENOUGH_WIDE


def right(gold: list[str], blocks: list[str]) -> float:
    """Share of the paragraphs of the source that are a block."""
    found, wanted = Counter(blocks), Counter(filter(counts, gold))
    return sum(min(found[text], count) for text, count in wanted.items()) / wanted.total()


def wrong_words(gold: list[str], blocks: list[str]) -> float:
    """Share of the words of the source that are lost, among them joined and split ones; not for ideographs."""
    wanted = Counter(word for text in gold for word in re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", text))
    found = Counter(word for text in blocks for word in re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", text))
    return (wanted - found).total() / max(wanted.total(), 1)


def furniture(gold: list[str], blocks: list[str]) -> int:
    """Blocks that are headers, footers or page numbers as the sources have them."""
    known = set(gold)
    return sum(re.fullmatch(r"(?:manual \(\w\w\))? ?\d*", text) is not None and text not in known for text in blocks)


def pdftotext(path: Path) -> tuple[list[str], float]:
    """Paragraphs of poppler's program, and its processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(["pdftotext", path, "-"], capture_output=True, check=True).stdout.decode("utf-8", "replace")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return [fold(re.sub(r"-\n", "", text)) for text in re.split(r"\n\s*\n|\f", out) if text.strip()], cpu


def main() -> None:
    """Print a line for each PDF."""
    given = argparse.ArgumentParser()
    given.add_argument("folder", type=Path)
    given.add_argument("names", nargs="*")
    given.add_argument("--show", type=int, default=0, help="print so many of the paragraphs that are not right")
    options = given.parse_args()
    print(f"{'layout':12} pages  right  furniture/page  words %  ms/page  pdftotext: right  ms/page")
    for path in sorted(options.folder.glob("*.pdf")):
        name = path.stem
        if options.names and not any(name.startswith(each) for each in options.names):
            continue
        gold = paragraphs_of(options.folder, name)
        body = path.read_bytes()
        started = time.process_time()
        document = read_pdf(body)
        spent = time.process_time() - started
        blocks = [fold(block.text) for block in document.blocks]
        poppler, poppler_s = pdftotext(path)
        print(
            f"{name:12} {document.pages:5}  {right(gold, blocks):5.1%}"
            f"  {furniture(gold, blocks) / document.pages:14.2f}"
            f"  {wrong_words(gold, blocks):7.2%}  {spent / document.pages * 1000:7.1f}"
            f"  {right(gold, poppler):16.1%}  {poppler_s / document.pages * 1000:7.1f}"
        )
        missed = Counter(filter(counts, gold)) - Counter(blocks)
        for text in list(missed)[: options.show]:
            near = [block for block in blocks if block[:25] == text[:25] or block[-20:] == text[-20:]]
            print("  GOLD ", text, *(f"\n  BLOCK {block}" for block in near[:2]))
    print(f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MB", file=sys.stderr)


if __name__ == "__main__":
    main()
