"""Train the prior of `fused` on evaluation sites and test it on each site left out.

    python benchmarks/train_fused_prior.py SITES_DIR [--sites a,b] [--least-gold N] [--documents DIR] [--out prior.json]

SITES_DIR holds a folder a site with pages.warc.gz, gold.tsv, ignore.tsv and groups.tsv; variants of a site
(`name.variant`) are left out together. Examples are the pairs of the one-to-one matching of which gold says that they
are right or wrong; a site counts the same however many it has, and so do both classes. Evidence may count for a pair or
not at all: weights are not negative. Only numbers leave this script. The recipe's own are
src/diglot/pairing/fused/prior.json.

Two tables of left-out sites: strict F1 and, of pairs that gold judges, calibration error of the whole matching and of
what is accepted, estimated and true precision. `--numbers prior.json` takes the numbers of a file for all sites
instead of training.
"""

from __future__ import annotations

import argparse
import json
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from fused_group_rows import GroupRows, group_rows
from fused_sites import Case, cases, decided, strict_f1, told
from gold_verdicts import ACCEPTED, calibration_error

from diglot.arrays import Floats, Mask
from diglot.pairing.fused.evidence import FEATURES, SUPPORT
from diglot.pairing.fused.matching import one_to_one
from diglot.pairing.fused.orphans import (
    OrphanModel,
    anchors,
    best_pairs,
    logistic_regression,
    posterior,
    seeds_of,
    simulated_orphans,
)
from diglot.pairing.fused.prior import GROUP_FEATURES, Prior, read_prior

SITES = (
    "lilypond.ids,lilypond.idsmiss,lilypond.miss30,cc-legalcode,cc-legalcode.ids,cc-legalcode.idsmiss,news-slug.ids,"
    "news-slug.idsmiss,sfml,sfml.ids,sfml.idsmiss,gnu-philosophy.ids,gnu-philosophy.idsmiss,albatec,albatec.ids,"
    "albatec.idsmiss,aptitude,aptitude.idsmiss,apache-docs.idsmiss,haiku-guide.idsmiss"
)
MIN_CASES = 5
"""Seeds and orphans a language pair must have for its medians to count."""
RIDGE, GROUP_RIDGE = 10.0, 1.0
SUPPORT_ANCHORS = 0.0, 1.0
"""Anchors of what addresses and links say, which most sites do not have."""
SITE_WEIGHT = 100.0


def main() -> None:
    arguments = parse_arguments()
    gathered = {
        name: cases(arguments.folder / name, least_gold=arguments.least_gold, documents=arguments.documents)
        for name in arguments.sites.split(",")
    }
    drawn = {name: [draw(case) for case in each] for name, each in gathered.items()}
    report, in_groups = Report("two languages at a time"), {}
    for left_out in dict.fromkeys(map(site_of, gathered)):
        others = [name for name in gathered if site_of(name) != left_out]
        prior = arguments.numbers or train([gathered[name] for name in others], [drawn[name] for name in others])
        for name in (name for name in gathered if site_of(name) == left_out):
            outcomes = [decided(case, prior) for case in gathered[name]]
            found = [np.where(outcome.matched, outcome.probability, np.nan) for outcome in outcomes]
            report.add(name, strict_f1(gathered[name], found), told(gathered[name], found))
            in_groups[name] = group_rows(arguments.folder / name, gathered[name], outcomes, arguments.documents)
    groups = {name: rows for name, rows in in_groups.items() if rows is not None}
    about = "; ".join((report.summary(), test_groups(groups, arguments.numbers).summary()))
    if arguments.out:
        prior = train(list(gathered.values()), list(drawn.values()))
        prior = with_groups(prior, groups)
        about = f"written by benchmarks/train_fused_prior.py; of sites left out: {about}"
        arguments.out.write_text(as_text(content_of(prior, list(gathered), about)), encoding="utf-8")


class Report:
    """A table of sites, printed a row at a time: strict F1, and how far pairs that gold judges are calibrated."""

    def __init__(self, title: str) -> None:
        self.title, self.scores, self.told = title, list[float](), list[Floats]()
        print(f"| {title} | strict F1 | error, matching | error, accepted | estimated | true precision |")
        print("|---" * 6 + "|", flush=True)

    def add(self, name: str, score: float, pairs: Floats) -> None:
        """A site's strict F1 and its rows (probability, right)."""
        self.scores.append(score)
        self.told.append(pairs)
        print(f"| {name} | {score:.3f} | {cells(pairs)}", flush=True)

    def summary(self) -> str:
        """Figures of all sites in words; prints the last row."""
        pooled, mean = np.concatenate(self.told), np.mean(self.scores)
        print(f"| all together | {mean:.3f} | {cells(pooled)}\n", flush=True)
        error, accepted = calibration_error(pooled), calibration_error(pooled[pooled[:, 0] >= ACCEPTED])
        return f"{self.title}: mean strict F1 {mean:.3f}, calibration error {error:.3f}, of accepted {accepted:.3f}"


def test_groups(groups: dict[str, GroupRows], numbers: Prior | None) -> Report:
    """Groups over all languages of each site, with numbers of the others."""
    report = Report("all languages in groups")
    for name, rows in groups.items():
        others = {other: them for other, them in groups.items() if site_of(other) != site_of(name)}
        prior = numbers or with_groups(read_prior(), others)
        found = posterior(prior.group_log_odds(rows.features), 0.5)
        accepted = (found >= ACCEPTED) & ~rows.ignored
        score = 2 * (accepted & rows.right).sum() / max(accepted.sum() + rows.gold_pairs, 1)
        report.add(name, float(score), np.stack([found, rows.right], axis=1)[~rows.unclear])
    return report


def with_groups(prior: Prior, groups: dict[str, GroupRows]) -> Prior:
    """The prior with the log odds of pairs in groups, sites counting alike: a logistic regression with gold."""
    known = [(rows.features[~rows.unclear], rows.right[~rows.unclear].astype(float)) for rows in groups.values()]
    x, y = (np.concatenate(part) for part in zip(*known, strict=True))
    cost = np.concatenate([np.full(len(right), SITE_WEIGHT / len(right)) for _, right in known])
    x = np.hstack([x, np.ones((len(x), 1))])
    beta = logistic_regression(x, y, cost, centre=np.zeros(x.shape[1]), ridge=np.full(x.shape[1], GROUP_RIDGE))
    return replace(prior, group_weights=beta[:-1], group_bias=float(beta[-1]))


def site_of(name: str) -> str:
    """The site of which this is a variant."""
    return name.partition(".")[0]


def cells(pairs: Floats) -> str:
    """Cells of a table: calibration error of all and of the accepted, their mean probability and share right."""
    accepted = pairs[pairs[:, 0] >= ACCEPTED]
    figures = [calibration_error(pairs), calibration_error(accepted), *(accepted.mean(axis=0) if len(accepted) else ())]
    return " | ".join(f"{figure:.3f}" for figure in figures) + " |"


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sites", default=SITES)
    parser.add_argument(
        "--least-gold", type=int, default=0, help="language pairs with most gold, until they have so many pairs; 0: all"
    )
    parser.add_argument("--documents", type=Path, help="folder that keeps parsed pages between runs")
    parser.add_argument("--numbers", type=read_prior, help="test these numbers and train none")
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


@dataclass(frozen=True)
class Drawn:
    """Features of the seeds, of simulated orphans, of all candidates, and which candidates are matched."""

    seeds: Floats
    orphans: Floats
    features: Floats
    matched: Mask


def train(sites: list[list[Case]], drawn: list[list[Drawn]]) -> Prior:
    """Anchors from the medians of language pairs, weights from gold and other pairs of the matching."""
    orphan, pair = map(np.nan_to_num, medians([one for each in drawn for one in each]))
    orphan[list(SUPPORT)], pair[list(SUPPORT)] = SUPPORT_ANCHORS
    pair = np.where(np.abs(pair - orphan) < 1e-6, orphan + 1, pair)
    x, y, cost, share = examples(sites, drawn, Prior(orphan, pair, np.zeros(len(FEATURES)), 0.0, 0.5))
    weights = not_negative(x, y, cost)
    return Prior(orphan, pair, weights[:-1], float(weights[-1]), share)


def medians(drawn: list[Drawn]) -> tuple[Floats, Floats]:
    """Medians over language pairs of the median simulated orphan and seed of each column, (k,) each; NaN for none."""
    usable = [one for one in drawn if min(len(one.seeds), len(one.orphans)) >= MIN_CASES]
    if not usable:
        return np.full(len(FEATURES), np.nan), np.full(len(FEATURES), np.nan)
    with warnings.catch_warnings(action="ignore", category=RuntimeWarning):  # a column that is empty throughout
        orphan = np.nanmedian([np.nanmedian(one.orphans, axis=0) for one in usable], axis=0)
        pair = np.nanmedian([np.nanmedian(one.seeds, axis=0) for one in usable], axis=0)
    return orphan, pair


def examples(sites: list[list[Case]], drawn: list[list[Drawn]], prior: Prior) -> tuple[Floats, Floats, Floats, float]:
    """Anchored evidence and a constant (n, k + 1), whether right, what each counts, and the share of right pairs.

    Sites count alike however many pairs they have, and so do right and wrong.
    """
    rows, labels, costs = [], [], []
    for site, draws in zip(sites, drawn, strict=True):
        found = [example(case, one, prior) for case, one in zip(site, draws, strict=True)]
        x, y = (np.concatenate(part) for part in zip(*found, strict=True))
        rows.append(x)
        labels.append(y)
        costs.append(np.full(len(y), SITE_WEIGHT / len(y)))
    x, y, cost = np.concatenate(rows), np.concatenate(labels), np.concatenate(costs)
    share = float((cost * y).sum() / cost.sum())
    balanced = cost * np.where(y == 1, 0.5 / share, 0.5 / (1 - share))
    return np.hstack([x, np.ones((len(x), 1))]), y, balanced, share


def draw(case: Case) -> Drawn:
    evidence = case.evidence
    matched, features = one_to_one(evidence.pairs, evidence.value), evidence.features
    orphans = simulated_orphans(evidence, best_pairs(evidence, matched), np.random.default_rng(0))
    return Drawn(features[seeds_of(evidence, matched)], orphans, features, matched)


def example(case: Case, drawn: Drawn, blank: Prior) -> tuple[Floats, Floats]:
    low, width = anchors(drawn.seeds, drawn.orphans, blank)
    kept = drawn.matched & ~case.unclear
    anchored = OrphanModel(low, width, blank.weights, 0.0).anchor(drawn.features[kept])
    return anchored, case.gold[kept].astype(float)


def not_negative(x: Floats, y: Floats, cost: Floats) -> Floats:
    """Logistic coefficients of which all but the last, the constant, are at least 0: an active-set search."""
    ridge = np.full(x.shape[1], RIDGE)
    ridge[-1] = 1e-3
    out = np.zeros(x.shape[1], bool)
    while True:
        beta = logistic_regression(x, y, cost, centre=np.zeros(x.shape[1]), ridge=np.where(out, 1e9, ridge))
        below = (beta < -1e-6) & ~out
        below[-1] = False
        if not below.any():
            return np.where(out, 0.0, np.append(np.maximum(beta[:-1], 0), beta[-1]))
        out |= below


def content_of(prior: Prior, trained_on: list[str], about: str) -> dict[str, Any]:
    """What the file of numbers holds."""
    table = zip(FEATURES, prior.orphan, prior.pair, prior.weights, strict=True)
    in_groups = zip(GROUP_FEATURES, prior.group_weights, strict=True)
    return {
        "about": about,
        "trained_on": trained_on,
        "bias": round(prior.bias, 4),
        "share": round(prior.share, 4),
        "columns": [column_line(*row) for row in table],
        "group": {
            "bias": round(prior.group_bias, 4),
            "columns": [{"name": name, "weight": round(float(weight), 4)} for name, weight in in_groups],
        },
    }


def column_line(name: str, orphan: float, pair: float, weight: float) -> dict[str, Any]:
    """The numbers of one column."""
    return {"name": name} | {
        key: round(float(value), 4) for key, value in (("orphan", orphan), ("pair", pair), ("weight", weight))
    }


def as_text(content: dict[str, Any]) -> str:
    """The file of numbers, a column a line."""
    columns, in_groups = content["columns"], content["group"]["columns"]
    lines = [f"  {json.dumps(key)}: {json.dumps(content[key])}," for key in ("about", "trained_on", "bias", "share")]
    lines += ['  "columns": [', ",\n".join(f"    {json.dumps(column)}" for column in columns), "  ],"]
    lines += ['  "group": {', f'    "bias": {json.dumps(content["group"]["bias"])},', '    "columns": [']
    lines += [",\n".join(f"      {json.dumps(column)}" for column in in_groups), "    ]", "  }"]
    return "{\n" + "\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    main()
