"""How much of the text of gold segments the format `documents` holds, in the right place and order.

    python benchmarks/documents_format.py RUN SITE -l en,fr

RUN: a finished run; SITE: a folder with segments.tsv.gz (group, language of the target, source, target, in the order of
the pages) and groups.tsv (group, language, address ...). For the page pairs of both: the share of the text of the gold
segments that is in the blocks of its page (`src`, `tgt`), the share of segments whose source is in the block of the one
before or behind it (`ordered`), and the share of those whose target is in a block linked with a block of the source
(`linked`). Then size and processor time of the export.
"""

from __future__ import annotations

import argparse
import gzip
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from diglot.results.run import open_run

Gold = dict[str, list[tuple[str, str]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("site", type=Path)
    parser.add_argument("-l", "--langs", required=True)
    options = parser.parse_args()
    src_lang, tgt_lang = options.langs.split(",")
    gold = gold_segments(options.site, tgt_lang)
    group_of = {row[2]: row[0] for row in rows_of(options.site / "groups.tsv") if row[1] == src_lang}
    with tempfile.TemporaryDirectory() as folder:
        began = time.process_time()
        (path,) = (
            path
            for path in open_run(options.run).export(["documents"], folder, langs=options.langs)
            if path.suffix == ".parquet"
        )
        pages = pq.read_table(path).to_pylist()
        print(f"{len(pages):,} page pairs, {path.stat().st_size / 1e6:.1f} MB, {time.process_time() - began:.1f} s")
    figures: dict[str, int] = defaultdict(int)
    for page in pages:
        for segments in filter(None, [gold.get(group_of.get(page["src_url"], ""))]):
            figures["pages"] += 1
            for name, count in page_figures(page, segments).items():
                figures[name] += count
    print(f"{figures['pages']:,} page pairs with gold, {figures['segments']:,} segments")
    for name, of in (("src", "src_all"), ("tgt", "tgt_all"), ("ordered", "steps"), ("linked", "both")):
        print(f"{name}: {figures[name]:,} of {figures[of]:,}, {figures[name] / max(1, figures[of]):.4f}")


def rows_of(path: Path) -> Iterator[list[str]]:
    """Fields of the lines of a file, packed or not."""
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    for line in content.decode().split("\n"):
        if line:
            yield line.split("\t")


def gold_segments(site: Path, tgt_lang: str) -> Gold:
    """Source and target of the gold segments of one target language, by group."""
    found: Gold = defaultdict(list)
    for group, lang, src, tgt in rows_of(site / "segments.tsv.gz"):
        if lang == tgt_lang:
            found[group].append((letters(src), letters(tgt)))
    return found


def letters(text: str) -> str:
    """The letters and digits of a text: blanks and signs are written in many ways."""
    return "".join(filter(str.isalnum, text.casefold()))


def page_figures(page: dict[str, Any], segments: list[tuple[str, str]]) -> dict[str, int]:
    """Counts for one page pair: characters of the sources and targets, and those found; steps in order; links."""
    figures: dict[str, int] = defaultdict(int, segments=len(segments))
    here = 0
    blocks = [[letters(block["text"]) for block in page[f"{side}_blocks"]] for side in ("src", "tgt")]
    linked = {(src, tgt) for link in page["links"] for src in link["src"] for tgt in link["tgt"]}
    for texts in segments:
        held = [blocks_with(text, own) for text, own in zip(texts, blocks, strict=True)]
        for side, text, found in zip(("src", "tgt"), texts, held, strict=True):
            figures[f"{side}_all"] += len(text)
            figures[side] += len(text) if found else 0
        if held[0]:
            later = [place for place in held[0] if place >= here]
            here = min(later, default=here)
            figures["steps"] += 1
            figures["ordered"] += bool(later)
        if held[0] and held[1]:
            figures["both"] += 1
            figures["linked"] += any((src, tgt) in linked for src in held[0] for tgt in held[1])
    return figures


def blocks_with(text: str, blocks: list[str]) -> list[int]:
    """Numbers of the blocks that hold a text, or of those that hold it together, one after the other."""
    found = [number for number, block in enumerate(blocks) if text in block]
    if found or not text:
        return found
    for first in range(len(blocks)):
        joined, last = "", first
        while last < len(blocks) and len(joined) < 2 * len(text):
            joined, last = joined + blocks[last], last + 1
            if text in joined and blocks[first] and text not in joined[len(blocks[first]) :]:
                return list(range(first, last))
    return []


if __name__ == "__main__":
    main()
