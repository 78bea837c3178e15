"""Recipes on evaluation sites: pairs, precision, recall, F1, cost and calibration, one row a site and recipe.

    python benchmarks/dev_sites.py SITES_DIR SCORE.py [--sites a,b] [--recipes x,y] [--langs en-fr] [--set KEY=VALUE]
        [--out table.tsv]

SITES_DIR holds a folder a site with pages.warc.gz, gold.tsv, ignore.tsv and groups.tsv; SCORE.py is the scorer
that came with them. Page order is shuffled before reading. Calibration counts the pairs that gold judges
(gold_verdicts.py), and of the language pairs that have gold.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from gold_verdicts import Gold, calibration_error, lang_pair, only, read_gold

from diglot.documents.language_tags import language_of
from diglot.harvesting import pair_run, read_sources
from diglot.recipes import RECIPES
from diglot.run.stored_pairs import estimates, expected_pairs, load_pairs, pair_mass
from diglot.run.work import PAIRS

COLUMNS = ("site", "recipe", "gold", "proposed", "found", "precision", "strict_precision", "recall", "f1", "strict_f1")
MEASURED = (
    "read_s",
    "pair_s",
    "peak_mb",
    "judged",
    "estimated_precision",
    "share_right",
    "calibration_error",
    "estimated_recall",
)


def main() -> None:
    arguments = parse_arguments()
    scorer = load_scorer(arguments.scorer)
    options = dict(change.split("=", 1) for change in arguments.set)
    rows: list[dict[str, Any]] = []
    print("\t".join(COLUMNS + MEASURED))
    for name in arguments.sites or sorted(path.name for path in arguments.folder.iterdir() if path.is_dir()):
        # A site a process, so that peak memory is the site's own.
        if not arguments.here:
            command = [sys.executable, __file__, *sys.argv[1:], "--sites", name, "--here"]
            lines = subprocess.run(command, check=True, text=True, capture_output=True).stdout.splitlines()[1:]
            print("\n".join(lines), flush=True)
            rows += [dict(zip(COLUMNS + MEASURED, line.split("\t"), strict=True)) for line in lines]
            continue
        for row in score_site(arguments.folder / name, arguments.recipes, arguments.langs, scorer, options):
            print("\t".join(str(row[column]) for column in COLUMNS + MEASURED), flush=True)
    if arguments.out and not arguments.here:
        lines = ["\t".join(COLUMNS + MEASURED), *("\t".join(str(row[c]) for c in COLUMNS + MEASURED) for row in rows)]
        arguments.out.write_text("\n".join(lines) + "\n")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("scorer", type=Path)
    parser.add_argument("--sites", type=lambda text: text.split(","))
    parser.add_argument("--recipes", type=lambda text: text.split(","), default=list(RECIPES))
    parser.add_argument("--langs", default="", help="one language pair, such as en-fr; all gold pairs without it")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="option of the recipes, such as lexicon"
    )
    parser.add_argument("--out", type=Path)
    parser.add_argument("--here", action="store_true", help="score in this process")
    return parser.parse_args()


def load_scorer(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("scorer", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def score_site(
    site: Path, recipes: list[str], langs: str, scorer: ModuleType, options: dict[str, str]
) -> list[dict[str, Any]]:
    tags, pivot = wanted_languages(site, scorer, langs)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        shuffled = shuffle_warc(site / "pages.warc.gz", Path(folder) / "pages.warc.gz")
        started = time.perf_counter()
        read_sources(shuffled, tags, run, pivot=pivot)
        read_s = time.perf_counter() - started
        for recipe in recipes:
            started = time.perf_counter()
            finished = pair_run(run, recipe=recipe, options=options)
            pair_s = time.perf_counter() - started
            key = finished.folder.recall("run", PAIRS)
            pairs = load_pairs(finished.folder, key)
            proposed = sorted(pairs.to_pylist(), key=lambda row: -row["probability"])
            score = scored(proposed, site, scorer, langs)
            score |= {"site": site.name, "recipe": recipe, "proposed": score["pred"], "found": score["tp"]}
            peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            score |= calibration(proposed, only(read_gold(site), langs))
            expected = expected_pairs(finished.folder, key, finished.settings.language_pairs())
            score["estimated_recall"] = estimates(pair_mass(pairs), expected)["all"]["recall"]
            score |= {"read_s": round(read_s, 1), "pair_s": round(pair_s, 1)}
            found.append({**score, "peak_mb": peak_mb})
    return found


def wanted_languages(site: Path, scorer: ModuleType, langs: str = "") -> tuple[list[str], str]:
    """The languages that gold has, English first, and the one that all its pairs have of three and more, or ""."""
    gold = scorer.rows(str(site / "gold.tsv"), 4)
    lang_pairs = {tuple(langs.split("-"))} if langs else {tuple(row[:2]) for row in gold}
    tags = sorted({tag for pair in lang_pairs for tag in pair}, key=lambda tag: (language_of(tag) != "en", tag))
    pivots = [tag for tag in tags if all(tag in pair for pair in lang_pairs)]
    return tags, pivots[0] if pivots and len(tags) > 2 else ""


def scored(proposed: list[dict[str, Any]], site: Path, scorer: ModuleType, langs: str = "") -> dict[str, Any]:
    """What the scorer says of all proposed pairs together."""
    score: dict[str, Any] = scorer.score_pages(
        list(scorer.rows(str(site / "gold.tsv"), 4)),
        [[row["src_url"], row["tgt_url"]] for row in proposed],
        list(scorer.rows(str(site / "ignore.tsv"), 4)),
        langs=langs or None,
        groups=list(scorer.rows(str(site / "groups.tsv"), 3)),
    )["ALL"]
    return score


def calibration(proposed: list[dict[str, Any]], gold: Gold) -> dict[str, Any]:
    """Mean probability, share right and expected calibration error (ten bins) of the pairs of which gold says that they
    are right or wrong, in the language pairs that it has."""
    judged = [
        (row["probability"], right)
        for row in proposed
        if lang_pair(row["src_lang"], row["tgt_lang"]) in gold.pairs
        and (right := gold.right((row["src_lang"], row["tgt_lang"]), row["src_url"], row["tgt_url"])) is not None
    ]
    if not judged:
        return dict.fromkeys(("judged", "estimated_precision", "share_right", "calibration_error"), "")
    pairs = np.array(judged, float)
    estimated, right = pairs.mean(axis=0)
    return {
        "judged": len(judged),
        "estimated_precision": round(float(estimated), 4),
        "share_right": round(float(right), 4),
        "calibration_error": round(calibration_error(pairs), 4),
    }


def shuffle_warc(source: Path, target: Path, *, order: int = 0) -> Path:
    """The same records in another order; each is a gzip member of its own."""
    data = source.read_bytes()
    starts = [0]
    while (start := data.find(b"\x1f\x8b\x08", starts[-1] + 1)) > 0:
        starts.append(start)
    pieces = [data[start:end] for start, end in zip(starts, [*starts[1:], len(data)], strict=True)]
    members = join_members(pieces)
    random.Random(order).shuffle(members)
    target.write_bytes(b"".join(members))
    return target


def join_members(pieces: list[bytes]) -> list[bytes]:
    """Pieces cut at every gzip magic, joined again where the magic stood inside a member."""
    members: list[bytes] = []
    current = b""
    for piece in pieces:
        current += piece
        try:
            gzip.decompress(current)
        except (OSError, EOFError):
            continue
        members.append(current)
        current = b""
    return members


if __name__ == "__main__":
    main()
