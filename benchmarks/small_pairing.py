"""Pairing on made sites of few pages, from sites with gold pairs: translations found, and other pages paired wrongly.

    python benchmarks/small_pairing.py SITE... [--pages 1,2] [--draws 4] [--cache FOLDER] [--missed]

SITE: a folder with pages.warc.gz and gold.tsv. A made site has one or two pages in each of two languages: translations
of one another (found, missed), or none of which has its translation (wrong). Prints a row a number of pages.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from early import paired, read_records

from diglot.evaluation.gold import GoldPair, read_gold_set
from diglot.run.settings import make_settings

SEED = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sites", type=Path, nargs="+")
    parser.add_argument("--pages", type=lambda text: list(map(int, text.split(","))), default=[1, 2])
    parser.add_argument("--draws", type=int, default=4, help="made sites of each kind a site")
    parser.add_argument("--cache", type=Path, help="folder in which parsed pages are kept between runs")
    parser.add_argument("--missed", action="store_true", help="name every pair that was missed or is wrong")
    arguments = parser.parse_args()
    rng, counts = random.Random(SEED), Counter[tuple[int, str]]()
    for folder in arguments.sites:
        gold = [pair for pair in read_gold_set(folder / "gold.tsv", None).pairs if pair.lang1 != pair.lang2]
        records = read_records(folder, arguments.cache, sorted({tag for pair in gold for tag in pair[:2]}))
        for first in rng.sample(gold, min(arguments.draws, len(gold))):
            alike = [pair for pair in gold if pair[:2] == first[:2] and pair != first]
            for pages in arguments.pages:
                if len(alike) < 2 * pages - 1:
                    continue
                drawn = [first, *rng.sample(alike, 2 * pages - 1)]
                own, others = drawn[:pages], drawn[pages:]
                mixed = [one._replace(url2=other.url2) for one, other in zip(own, others, strict=True)]
                found, wrong = found_pairs(records, own), found_pairs(records, mixed)
                wanted = {frozenset(pair[2:4]) for pair in own}
                counts.update({(pages, "of"): pages, (pages, "found"): len(found & wanted)})
                counts.update({(pages, "wrong"): len(found - wanted), (pages, "wrong of others"): len(wrong)})
                if arguments.missed and (found != wanted or wrong):
                    print(folder.name, *map(sorted, (wanted - found) | (found - wanted) | wrong))
    print("\t".join(["pages", *(names := ["of", "found", "wrong", "wrong of others"])]))
    for pages in arguments.pages:
        print("\t".join(map(str, [pages, *(counts[pages, name] for name in names)])))


def found_pairs(records: pa.Table, pairs: list[GoldPair]) -> set[frozenset[str]]:
    """Addresses of the pairs that a site of these pages alone gives."""
    urls = pa.array(sorted({url for pair in pairs for url in pair[2:4]}))
    site = records.filter(pc.is_in(records["url"], urls))
    accepted = paired(site, make_settings(list(pairs[0][:2]))).pairs
    return {
        frozenset(each) for each in zip(accepted["src_url"].to_pylist(), accepted["tgt_url"].to_pylist(), strict=True)
    }


if __name__ == "__main__":
    main()
