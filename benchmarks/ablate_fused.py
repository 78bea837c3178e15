"""What each part of `fused` is worth: strict F1 and calibration error of evaluation sites with one part taken away.

    python benchmarks/ablate_fused.py SITES_DIR [--sites a,b] [--most 4] [--documents DIR]

SITES_DIR holds a folder a site with pages.warc.gz, gold.tsv and ignore.tsv. Tables in Markdown: a row a variant, a
column a site, strict F1; then calibration errors of the whole. Evidence is gathered once; the decision is made anew.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
from fused_sites import Case, cases, decided, strict_f1, told
from gold_verdicts import ACCEPTED, calibration_error

from diglot.arrays import Floats
from diglot.pairing.fused import decision, orphans
from diglot.pairing.fused.evidence import FEATURES, MATCHING, SUPPORT
from diglot.pairing.fused.matching_value import matching_value
from diglot.pairing.fused.prior import Prior, read_prior

SITES = (
    "lilypond.ids,lilypond.idsmiss,cc-legalcode,cc-legalcode.ids,cc-legalcode.idsmiss,haiku-guide.idsmiss,sfml.idsmiss"
)
PARTS = {
    "structure": ("structure",),
    "neutral tokens": ("neutral",),
    "lexicon": ("order", "cosine", "likelihood_scaled", "against", "title"),
    "order of blocks": ("order",),
    "likelihood ratios": ("likelihood_scaled", "against"),
    "numbers": ("numbers",),
    "addresses and links": tuple(FEATURES[place] for place in SUPPORT),
    "lengths": ("length",),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sites", default=SITES)
    parser.add_argument("--most", type=int, default=4, help="language pairs of a site, those with most gold; 0 for all")
    parser.add_argument("--documents", type=Path, help="folder that keeps parsed pages between runs")
    arguments = parser.parse_args()
    sites = {
        name: cases(arguments.folder / name, most=arguments.most, documents=arguments.documents)
        for name in arguments.sites.split(",")
    }
    print("| variant | " + " | ".join(sites) + " |\n" + "|---" * (len(sites) + 1) + "|")
    for label, decide in variants().items():
        found = [[decide(case) for case in each] for each in sites.values()]
        scores = [strict_f1(each, probabilities) for each, probabilities in zip(sites.values(), found, strict=True)]
        print(table_row(label, scores), flush=True)
        if label == "all":
            judged = [told(each, probabilities) for each, probabilities in zip(sites.values(), found, strict=True)]
    print(table_row("calibration error of all", map(calibration_error, judged)))
    accepted = [pairs[pairs[:, 0] >= ACCEPTED] for pairs in judged]
    print(table_row("of accepted pairs", map(calibration_error, accepted)))


def table_row(label: str, figures: Iterable[float]) -> str:
    return f"| {label} | " + " | ".join(f"{figure:.3f}" for figure in figures) + " |"


def variants() -> dict[str, Callable[[Case], Floats]]:
    """Ways to decide a case by name."""
    zero = replace(read_prior(), weights=np.full(len(FEATURES), 0.15), bias=0.0, share=0.5)
    found: dict[str, Callable[[Case], Floats]] = {"all": probabilities}
    for label, columns in PARTS.items():
        found[f"without {label}"] = lambda case, columns=columns: undoubted(without(case, columns))
    found["equal weights for prior"] = lambda case: probabilities(case, zero)
    found["prior alone"] = prior_alone
    found["ties decided"] = ties_decided
    found["fitted once"] = fitted_once
    return found


def probabilities(case: Case, prior: Prior | None = None) -> Floats:
    """Probability of every candidate in the matching, NaN for the others."""
    outcome = decided(case, prior)
    return np.where(outcome.matched, outcome.probability, np.nan)


def undoubted(case: Case) -> Floats:
    """The same without sanity checks, which take missing evidence for uninformative evidence."""
    with patch.object(decision, "failed_checks", lambda *_: ()):
        return probabilities(case)


def prior_alone(case: Case) -> Floats:
    with patch.object(orphans, "RIDGE", 1e9), patch.object(orphans, "BIAS_RIDGE", 1e9):
        return probabilities(case)


def ties_decided(case: Case) -> Floats:
    with patch.object(decision, "find_ties", lambda features, _: np.zeros(len(features), bool)):
        return probabilities(case)


def fitted_once(case: Case) -> Floats:
    with patch.object(decision, "REFITTED_BELOW", 0.0):
        return probabilities(case)


def without(case: Case, columns: tuple[str, ...]) -> Case:
    """The case without some evidence: blank in the model, and the value of the matching made anew."""
    table = case.evidence.columns.copy()
    places = [FEATURES.index(name) for name in columns]
    table[:, places] = 0.0 if set(places) <= set(SUPPORT) else np.nan
    scores = dict(zip(FEATURES, np.nan_to_num(table).T, strict=False))
    value = matching_value(scores, MATCHING, len(case.matching.training))
    return replace(case, evidence=replace(case.evidence, columns=table, value=value))


if __name__ == "__main__":
    main()
