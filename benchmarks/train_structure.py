"""Train the structure classifier of `ilsp` on evaluation sites and test it on each site left out.

    python benchmarks/train_structure.py SITES_DIR [--sites a:en-fr,b:en-de] [--out weights.json]

SITES_DIR holds a folder a site with pages.warc.gz, gold.tsv and ignore.tsv. Needs scikit-learn, which Diglot itself
does not. Examples are what the recipe's classifier gets to see: pairs of pages with enough paragraphs, alike in number
of paragraphs and length of fingerprint and at most 38% of edits apart. Gold pairs are positive, others negative but
for ignored ones. Only numbers leave this script. The recipe's own weights are src/diglot/recipes/ilsp_structure.json.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.svm import SVC

from diglot.disk.folder import RunFolder
from diglot.documents.language import readable
from diglot.features.ilsp_structure import Polynomial, structure_ratios
from diglot.features.paragraphs import fewer_paragraphs, paragraph_counts
from diglot.harvesting import read_sources
from diglot.pairing.candidates import collect, similar_count
from diglot.recipes.ilsp import RATIOS, Options
from diglot.run.resolve import load_documents
from diglot.run.settings import make_settings
from diglot.run.work import DOCUMENTS, stage_key
from diglot.site import Site, split_sites

SITES = (
    "albatec:en-de,apache-docs:en-fr,aptitude:en-fr,cc-legalcode:en-fr,debian-manuals:en-de,gnu-philosophy:en-fr,"
    "gnu-philosophy:en-de,haiku-guide:en-fr,lilypond:en-fr,news-slug:en-fr,sfml:en-fr"
)
MOST_POSITIVE = 100
"""Positive examples taken from a site at most, and three times as many negative ones: no site decides alone."""
NEGATIVES_A_POSITIVE = 3
SEED = 0


@dataclass(frozen=True)
class Examples:
    """Pairs of one site: ratios of shape (n, 3) and whether they are gold."""

    site: str
    ratios: npt.NDArray[np.float64]
    gold: npt.NDArray[np.bool_]


def main() -> None:
    arguments = parse_arguments()
    gathered = [gather(arguments, *name.split(":")) for name in arguments.sites.split(",")]
    print("site\tpairs\tgold\taccepted\tprecision\trecall\tprecision, edits <= .38 alone")
    names = list(dict.fromkeys(examples.site for examples in gathered))
    for left_out in names if len(names) > 1 else ():
        machine = train([e for e in gathered if e.site != left_out], arguments)
        for examples in (e for e in gathered if e.site == left_out):
            report(examples, machine.decision_function(examples.ratios) >= 0)
    machine = train(gathered, arguments)
    polynomial = as_polynomial(machine)
    everything = np.concatenate([examples.ratios for examples in gathered])
    if not np.allclose(polynomial(everything), machine.decision_function(everything), atol=1e-6):
        raise AssertionError("the polynomial is not the machine's decision function")
    print(f"{len(machine.support_)} support vectors, {len(polynomial.terms)} terms")
    if arguments.out:
        arguments.out.write_text(as_text(polynomial, arguments, gathered), encoding="utf-8")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sites", default=SITES, help="site:src-tgt, divided by commas")
    parser.add_argument("--runs", type=Path, help="folder of runs whose documents are read, in place of pages.warc.gz")
    parser.add_argument("--degree", type=int, default=2)
    parser.add_argument("--cost", type=float, default=1.0, help="C of the soft margin")
    parser.add_argument("--out", type=Path, help="file for the weights of a machine trained on all sites")
    return parser.parse_args()


def gather(arguments: argparse.Namespace, name: str, langs: str) -> Examples:
    """All pairs of a site that the classifier would see, with their gold."""
    folder = arguments.folder / name
    src_lang, tgt_lang = langs.split("-")
    site = read_site(folder, arguments.runs and arguments.runs / name, langs)
    options = Options()
    rule = partial(similar_count, count=paragraph_counts, max_difference=1 - options.min_structure_ratio)
    pairs = collect(rule(site, site.rows_of(src_lang), site.rows_of(tgt_lang)))
    ratios = structure_ratios(site, pairs, block_threshold=options.block_threshold, at_most=options.max_edit_share)
    seen = fewer_paragraphs(site, pairs) >= options.min_paragraphs
    seen &= (ratios[:, 0] >= options.min_structure_ratio) & np.isfinite(ratios[:, 2])
    gold = url_pairs(folder / "gold.tsv", (src_lang, tgt_lang))
    ignored = url_pairs(folder / "ignore.tsv", (src_lang, tgt_lang)) - gold
    urls = [(site.urls[i], site.urls[j]) for i, j in pairs.tolist()]
    seen &= np.array([pair not in ignored for pair in urls])
    return Examples(name, ratios[seen], np.array([pair in gold for pair in urls])[seen])


def read_site(folder: Path, run: Path | None, langs: str) -> Site:
    with tempfile.TemporaryDirectory() as temporary:
        where = run or Path(temporary) / "run"
        if run is None:
            read_sources(folder / "pages.warc.gz", langs.split("-"), where)
        with RunFolder(where) as opened:
            key = stage_key(opened, DOCUMENTS, "diglot read")
            documents = load_documents(opened, make_settings(langs.split("-")), key)
    return split_sites(readable(documents), together=True)[0]


def url_pairs(path: Path, langs: tuple[str, str]) -> set[tuple[str, str]]:
    """Address pairs of a file lang1 lang2 url1 url2, turned so that the source language comes first."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    straight = {(row[2], row[3]) for row in rows if (row[0], row[1]) == langs}
    return straight | {(row[3], row[2]) for row in rows if (row[1], row[0]) == langs}


def train(gathered: list[Examples], arguments: argparse.Namespace) -> SVC:
    """A soft-margin machine with kernel ``(x . y + 1) ** degree``; both classes weigh the same on every site."""
    chosen = np.random.default_rng(SEED)
    ratios, gold, weights = [], [], []
    for examples in gathered:
        positive = limited(chosen, np.flatnonzero(examples.gold), MOST_POSITIVE)
        negative = limited(chosen, np.flatnonzero(~examples.gold), NEGATIVES_A_POSITIVE * max(len(positive), 1))
        for rows in (positive, negative):
            ratios.append(examples.ratios[rows])
            gold.append(examples.gold[rows])
            weights.append(np.full(len(rows), 1 / max(len(rows), 1)))
    weight = np.concatenate(weights)
    machine = SVC(kernel="poly", degree=arguments.degree, gamma=1.0, coef0=1.0, C=arguments.cost)
    machine.fit(np.concatenate(ratios), np.concatenate(gold), sample_weight=weight * len(weight) / weight.sum())
    return machine


def limited(chosen: np.random.Generator, rows: npt.NDArray[np.int64], most: int) -> npt.NDArray[np.int64]:
    return rows if len(rows) <= most else np.sort(chosen.choice(rows, most, replace=False))


def report(examples: Examples, accepted: npt.NDArray[np.bool_]) -> None:
    found = int((accepted & examples.gold).sum())
    precision, recall = found / max(accepted.sum(), 1), found / max(examples.gold.sum(), 1)
    figures = (len(accepted), examples.gold.sum(), accepted.sum(), f"{precision:.2f}", f"{recall:.2f}")
    print(examples.site, *figures, f"{examples.gold.mean():.2f}", sep="\t")


def as_polynomial(machine: SVC) -> Polynomial:
    """The decision function multiplied out: a kernel of degree d in three numbers has (d+3 over 3) monomials."""
    degree, alphas, vectors = machine.degree, machine.dual_coef_[0], machine.support_vectors_
    terms = []
    for i, j, k in monomials(degree):
        rest = degree - i - j - k
        ways = math.factorial(degree) // math.prod(map(math.factorial, (i, j, k, rest)))
        weight = ways * float(alphas @ np.prod(vectors ** np.array((i, j, k)), axis=1))
        terms.append(((i, j, k), weight + (float(machine.intercept_[0]) if rest == degree else 0.0)))
    return Polynomial(tuple(terms))


def monomials(degree: int) -> Iterator[tuple[int, int, int]]:
    return (powers for powers in product(range(degree + 1), repeat=3) if sum(powers) <= degree)


def as_text(polynomial: Polynomial, arguments: argparse.Namespace, gathered: list[Examples]) -> str:
    """The file of weights, a term a line."""
    head = {
        "about": "decision function of the structure classifier of ilsp; benchmarks/train_structure.py writes it",
        "kernel": f"(x . y + 1) ** {arguments.degree}, soft margin C = {arguments.cost:g}, multiplied out",
        "trained_on": sorted({examples.site for examples in gathered}),
        "ratios": list(RATIOS),
    }
    terms = [json.dumps({"powers": powers, "weight": round(weight, 9)}) for powers, weight in polynomial.terms]
    lines = [f'"{key}": {json.dumps(value)}' for key, value in head.items()]
    return "{" + ",\n ".join([*lines, '"terms": [\n  ' + ",\n  ".join(terms) + "\n ]"]) + "\n}\n"


if __name__ == "__main__":
    main()
