"""How far pairs depend on chance: strict F1 of evaluation sites with other seeds, and whether page order matters.

    python benchmarks/spread.py SITES_DIR SCORE.py --sites a,b [--times 5] [--recipe fused]

Each site is read from as many shuffles of its pages, which must give the same pairs, and paired with as many seeds.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from dev_sites import load_scorer, scored, shuffle_warc, wanted_languages

from diglot.harvesting import pair_run, read_sources
from diglot.run.stored_pairs import load_pairs
from diglot.run.work import PAIRS

Rows = list[dict[str, Any]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("scorer", type=Path)
    parser.add_argument("--sites", required=True)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--recipe", default="fused")
    arguments = parser.parse_args()
    scorer = load_scorer(arguments.scorer)
    print("site\torders\tdifferent_pairs\tseeds\tleast\tmean\tmost\tsd", flush=True)
    for name in arguments.sites.split(","):
        site = arguments.folder / name
        tags, pivot = wanted_languages(site, scorer)
        with tempfile.TemporaryDirectory() as folder:
            runs = [
                read_in_order(site, tags, pivot, Path(folder) / str(order), order) for order in range(arguments.times)
            ]
            found = [paired(run, arguments.recipe, 0) for run in runs]
            scores = [
                scored(paired(runs[0], arguments.recipe, seed), site, scorer)["strict_f1"]
                for seed in range(arguments.times)
            ]
        different = sum(rows != found[0] for rows in found[1:])
        spread = [np.min(scores), np.mean(scores), np.max(scores), np.std(scores)]
        figures = "\t".join(f"{figure:.4f}" for figure in spread)
        print(f"{name}\t{len(found)}\t{different}\t{len(scores)}\t{figures}", flush=True)


def read_in_order(site: Path, tags: list[str], pivot: str, folder: Path, order: int) -> Path:
    """A run of a site's pages in another order."""
    folder.mkdir()
    read_sources(
        shuffle_warc(site / "pages.warc.gz", folder / "pages.warc.gz", order=order), tags, folder / "run", pivot=pivot
    )
    return folder / "run"


def paired(run: Path, recipe: str, seed: int) -> Rows:
    """The pairs proposed, in order of their addresses."""
    finished = pair_run(run, recipe=recipe, options={"seed": str(seed)})
    rows: Rows = load_pairs(finished.folder, finished.folder.recall("run", PAIRS)).to_pylist()
    return sorted(rows, key=lambda row: (row["src_url"], row["tgt_url"]))


if __name__ == "__main__":
    main()
