"""Train the prior of `fused` on evaluation sites and test it on each site left out.

    python benchmarks/train_fused_prior.py SITES_DIR [--sites a,b] [--most 4] [--documents DIR] [--out prior.json]

SITES_DIR holds a folder a site with pages.warc.gz, gold.tsv and ignore.tsv; variants of a site (`name.variant`) are
left out together. Examples are the pairs of the one-to-one matching, gold or not; a site counts the same however many
it has, and so do both classes. Evidence may count for a pair or not at all: weights are not negative. Only numbers
leave this script. The recipe's own are src/diglot/pairing/fused_prior.json.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
from fused_sites import Case, cases, strict_f1

from diglot.pairing import deciding
from diglot.pairing.fused_prior import FEATURES, Prior
from diglot.pairing.orphans import OrphanModel, anchors, logistic, margins, match, seeds_of, simulated_orphans

Floats = npt.NDArray[np.float64]

SITES = (
    "lilypond.ids,lilypond.idsmiss,lilypond.miss30,cc-legalcode,cc-legalcode.ids,cc-legalcode.idsmiss,news-slug.ids,"
    "news-slug.idsmiss,sfml.ids,sfml.idsmiss,gnu-philosophy.ids,gnu-philosophy.idsmiss,albatec,albatec.ids,"
    "albatec.idsmiss,aptitude.idsmiss,apache-docs.idsmiss,haiku-guide.idsmiss"
)
MIN_CASES = 5
"""Seeds and orphans a language pair must have for its medians to count."""
RIDGE = 1.0
GIVEN = {"address": (0.0, 1.0), "link": (0.0, 1.0)}
"""Anchors of columns that most sites do not have."""
SITE_WEIGHT = 100.0


def main() -> None:
    arguments = parse_arguments()
    gathered = {
        name: cases(arguments.folder / name, most=arguments.most, documents=arguments.documents)
        for name in arguments.sites.split(",")
    }
    print("site\tstrict precision\trecall\tstrict F1\tcalibration error")
    for left_out in dict.fromkeys(name.partition(".")[0] for name in gathered):
        prior = train([each for name, each in gathered.items() if name.partition(".")[0] != left_out])
        for name, each in gathered.items():
            if name.partition(".")[0] == left_out:
                print(
                    name, *(f"{figure:.3f}" for figure in strict_f1(each, decided(each, prior))), sep="\t", flush=True
                )
    if arguments.out:
        arguments.out.write_text(as_text(train(list(gathered.values())), list(gathered)), encoding="utf-8")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sites", default=SITES)
    parser.add_argument("--most", type=int, default=6, help="language pairs of a site, those with most gold; 0 for all")
    parser.add_argument("--documents", type=Path, help="folder that keeps parsed pages between runs")
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def decided(site: list[Case], prior: Prior) -> list[Floats]:
    """Probability of every candidate that is in the matching, NaN for the others."""
    found = []
    with patch.object(deciding, "read_prior", lambda: prior):
        for case in site:
            rng = np.random.default_rng(0)
            outcome = deciding.decide(case.evidence, case.terms, rng, training=case.training, copies=case.copies)
            found.append(np.where(outcome.matched, outcome.probability, np.nan))
    return found


def train(sites: list[list[Case]]) -> Prior:
    """Anchors from the medians of language pairs, weights from gold and other pairs of the matching."""
    drawn = {id(case): draw(case) for site in sites for case in site}
    usable = [(s, o) for s, o, *_ in drawn.values() if min(len(s), len(o)) >= MIN_CASES]
    orphan = np.nan_to_num(np.nanmedian([np.nanmedian(o, axis=0) for _, o in usable], axis=0))
    pair = np.nan_to_num(np.nanmedian([np.nanmedian(s, axis=0) for s, _ in usable], axis=0))
    for name, (low, high) in GIVEN.items():
        orphan[FEATURES.index(name)], pair[FEATURES.index(name)] = low, high
    pair = np.where(np.abs(pair - orphan) < 1e-6, orphan + 1, pair)
    blank = Prior(orphan, pair, np.zeros(len(FEATURES)), 0.0, 0.5)
    rows, labels, costs = [], [], []
    for site in sites:
        examples = [example(case, *drawn[id(case)], blank) for case in site]
        x, y = (np.concatenate(part) for part in zip(*examples, strict=True))
        rows.append(x)
        labels.append(y)
        costs.append(np.full(len(y), SITE_WEIGHT / len(y)))
    x, y, cost = np.concatenate(rows), np.concatenate(labels), np.concatenate(costs)
    share = float((cost * y).sum() / cost.sum())
    weights = not_negative(
        np.hstack([x, np.ones((len(x), 1))]), y, cost * np.where(y == 1, 0.5 / share, 0.5 / (1 - share))
    )
    return Prior(orphan, pair, weights[:-1], float(weights[-1]), share)


def draw(case: Case) -> tuple[Floats, Floats, Floats, npt.NDArray[np.bool_]]:
    """Features of the seeds, of simulated orphans, of all candidates, and which candidates are matched."""
    evidence = case.evidence
    matched = match(evidence.pairs, evidence.value)
    features = np.hstack([evidence.columns, margins(evidence.pairs, evidence.value, evidence.scaled)])
    seeds = seeds_of(evidence, matched)
    orphans = simulated_orphans(evidence, seeds, np.random.default_rng(0), copies=case.copies)
    return features[seeds], orphans, features, matched


def example(
    case: Case, seeds: Floats, orphans: Floats, features: Floats, matched: npt.NDArray[np.bool_], blank: Prior
) -> tuple[Floats, Floats]:
    low, width = anchors(seeds, orphans, blank)
    kept = matched & ~case.ignored
    return OrphanModel(low, width, blank.weights, 0.0).anchored(features[kept]), case.gold[kept].astype(float)


def not_negative(x: Floats, y: Floats, cost: Floats) -> Floats:
    """Logistic coefficients of which all but the last, the constant, are at least 0: an active-set search."""
    ridge = np.full(x.shape[1], RIDGE)
    ridge[-1] = 1e-3
    out = np.zeros(x.shape[1], bool)
    while True:
        beta = logistic(x, y, cost, centre=np.zeros(x.shape[1]), ridge=np.where(out, 1e9, ridge))
        below = (beta < -1e-6) & ~out
        below[-1] = False
        if not below.any():
            return np.where(out, 0.0, np.append(np.maximum(beta[:-1], 0), beta[-1]))
        out |= below


def as_text(prior: Prior, trained_on: list[str]) -> str:
    """The file of numbers, a column a line."""
    head = {
        "about": "what evidence is worth on a small site; benchmarks/train_fused_prior.py writes it",
        "trained_on": trained_on,
        "bias": round(prior.bias, 4),
        "share": round(prior.share, 4),
    }
    table = zip(FEATURES, prior.orphan, prior.pair, prior.weights, strict=True)
    columns = [
        json.dumps({"name": n, "orphan": round(float(o), 4), "pair": round(float(p), 4), "weight": round(float(w), 4)})
        for n, o, p, w in table
    ]
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
    return "{\n" + "\n".join(lines) + '\n  "columns": [\n    ' + ",\n    ".join(columns) + "\n  ]\n}\n"


if __name__ == "__main__":
    main()
