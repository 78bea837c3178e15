"""A site of two languages cut into many small ones, as an archive with their pages mixed: for cost, not for quality.

    python benchmarks/cut_sites.py SITE OUT [--sites 2000] [--files 16]

SITE: a folder with pages.warc.gz and gold.tsv (benchmarks/help_sites.py makes such ones). The pages of a pair stay on
one site; pages without a pair are left out. OUT/part-00.warc.gz and so on hold the pages in an order drawn at random.
"""

from __future__ import annotations

import argparse
import csv
import random
from pathlib import Path
from urllib.parse import urlsplit

from warcio.archiveiterator import ArchiveIterator
from warcio.warcwriter import WARCWriter

SEED = 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--sites", type=int, default=2_000)
    parser.add_argument("--files", type=int, default=16)
    options = parser.parse_args()
    site_of = sites_of_pages(options.site / "gold.tsv", options.sites)
    options.out.mkdir(parents=True, exist_ok=True)
    handles = [(options.out / f"part-{number:02d}.warc.gz").open("wb") for number in range(options.files)]
    writers = [WARCWriter(handle, gzip=True) for handle in handles]
    rng, count = random.Random(SEED), 0
    with (options.site / "pages.warc.gz").open("rb") as archive:
        for record in ArchiveIterator(archive):
            url = record.rec_headers.get_header("WARC-Target-URI")
            if url in site_of:
                moved = f"https://site{site_of[url]:05d}.example{urlsplit(url).path}"
                record.rec_headers.replace_header("WARC-Target-URI", moved)
                rng.choice(writers).write_record(record)
                count += 1
    for handle in handles:
        handle.close()
    print(f"{count} pages of {len(set(site_of.values()))} sites in {options.files} files")


def sites_of_pages(gold: Path, sites: int) -> dict[str, int]:
    """The number of the site of every page of a gold pair; pairs that share a page are on one."""
    found: dict[str, int] = {}
    with gold.open(encoding="utf-8", newline="") as handle:
        for number, row in enumerate(csv.reader(handle, delimiter="\t")):
            site = next((found[url] for url in row[2:4] if url in found), number % sites)
            found |= dict.fromkeys(row[2:4], site)
    return found


if __name__ == "__main__":
    main()
