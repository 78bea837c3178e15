"""Train one column of `fused` on what ships: the sample and made sites; all other numbers stay as they are.

    python benchmarks/train_column.py NAME [--write]

NAME is a column of COLUMNS in src/diglot/pairing/fused/evidence.py. Its anchors are the medians of what orphans take
and of sure pairs, sites counting alike; its weight comes from a logistic regression with gold in which every other
weight and the constant are those of prior.json. Little is learnt from few sites: a ridge draws the weight to 0, and
none is below it.
``--write`` puts the numbers into src/diglot/pairing/fused/prior.json.

The table tells strict F1 and calibration error of every site without the column and with it, the numbers being
trained on the other sites: what the column is worth where it was not trained.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from fused_sites import Case, decided, strict_f1, told
from gold_verdicts import calibration_error
from shipped_sites import shipped_cases
from train_fused_prior import MIN_CASES, SUPPORT_ANCHORS, Drawn, as_text, column_line, draw, examples, medians

from diglot.arrays import Floats
from diglot.errors import RecipeError
from diglot.pairing.fused.evidence import FEATURES, MARGIN, SUPPORT
from diglot.pairing.fused.orphans import FIXED_RIDGE, logistic_regression
from diglot.pairing.fused.prior import SHIPPED, UNTRAINED, Prior, read_prior

RIDGE = 10.0
"""Pull of the weight to 0, as in training all columns; each site counts as 100 pairs there and here."""
LEAST_APART = 0.02
"""Anchors nearer to each other than this share of the spread of both (5th to 95th percentile) say nothing."""

Sites = dict[str, list[Case]]
Draws = dict[str, list[Drawn]]


@dataclass(frozen=True)
class Trained:
    """Numbers of one column: anchors in its own unit, and weight in nats."""

    orphan: float
    pair: float
    weight: float


UNKNOWN = Trained(UNTRAINED["orphan"], UNTRAINED["pair"], UNTRAINED["weight"])


def main() -> None:
    arguments = parse_arguments()
    try:
        place, prior = place_of(arguments.name), read_prior()
        sites = shipped_cases()
        draws = {site: [draw(case) for case in cases] for site, cases in sites.items()}
        trained = train_column(sites, draws, prior, place)
    except RecipeError as error:
        sys.exit(str(error))
    known = (~np.isnan(np.concatenate(drawn_values(draws, place)))).mean()
    print(f"{arguments.name}: a value for {known:.0%} of sure pairs and of what orphans take")
    print(f"orphan {trained.orphan:.4g}, pair {trained.pair:.4g}, weight {trained.weight:.4f}\n")
    print_table(sites, draws, prior, place)
    if arguments.write:
        written = with_column(json.loads(SHIPPED.read_text(encoding="utf-8")), arguments.name, trained)
        SHIPPED.write_text(as_text(written), encoding="utf-8")
        print(f"\nwritten to {SHIPPED}")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="of a column in COLUMNS")
    parser.add_argument("--write", action="store_true", help="put the numbers into prior.json")
    return parser.parse_args()


def place_of(name: str) -> int:
    """Place of a column that can be trained alone; raises :class:`RecipeError` for any other name."""
    if name not in FEATURES[:MARGIN]:
        raise RecipeError(
            f"{name}: none of {', '.join(FEATURES[:MARGIN])}; add its line to COLUMNS in "
            "src/diglot/pairing/fused/evidence.py, before the margins"
        )
    return FEATURES.index(name)


def train_column(sites: Sites, draws: Draws, prior: Prior, place: int) -> Trained:
    """Anchors and weight of one column, learnt from the sites on which it has a value.

    Raises :class:`RecipeError` where its values tell no orphan from a pair.
    """
    orphan, pair = anchors_of(draws, place)
    fixed = with_numbers(prior, place, Trained(orphan, pair, 0.0))
    telling = [
        name for name, each in draws.items() if not np.isnan(np.concatenate(drawn_values({name: each}, place))).all()
    ]
    x, y, cost, _ = examples([sites[name] for name in telling], [draws[name] for name in telling], fixed)
    ridge = np.full(x.shape[1], FIXED_RIDGE)
    ridge[place] = RIDGE
    weights = logistic_regression(x, y, cost, centre=np.append(fixed.weights, fixed.bias), ridge=ridge)
    return Trained(orphan, pair, max(0.0, float(weights[place])))


def anchors_of(draws: Draws, place: int) -> tuple[float, float]:
    """Medians over sites of what orphans take and of sure pairs; 0 and 1 for what addresses and links say."""
    name, values = FEATURES[place], drawn_values(draws, place)
    found = [int((~np.isnan(part)).sum()) for part in values]
    if min(found) < MIN_CASES:
        raise RecipeError(
            f"{name}: {found[0]} sure pairs and {found[1]} orphans' pairs have a value; {MIN_CASES} of both are the "
            "least to train on. Give a value to more pages (NaN only where neither has anything to compare), or leave "
            "the column untrained: a site with more of them learns it by itself"
        )
    if place in SUPPORT:
        return SUPPORT_ANCHORS
    orphan, pair = np.nanmedian([[side[place] for side in medians(each)] for each in draws.values()], axis=0)
    spread = float(np.diff(np.nanquantile(np.concatenate(values), [0.05, 0.95]))[0])
    if not abs(pair - orphan) > max(1e-6, LEAST_APART * spread):
        raise RecipeError(
            f"{name}: sure pairs and what orphans take have the same median, {pair:.4g}, so the column tells nothing "
            "between them. Say NaN, not 0, where neither page has anything; leave out what stands on most pages of a "
            "site; or count on a finer scale"
        )
    return float(orphan), float(pair)


def drawn_values(draws: Draws, place: int) -> tuple[Floats, Floats]:
    """Values of one column, of all sure pairs and of all that orphans take."""
    all_drawn = [one for each in draws.values() for one in each]
    seeds, orphans = ([getattr(one, part)[:, place] for one in all_drawn] for part in ("seeds", "orphans"))
    return np.concatenate(seeds), np.concatenate(orphans)


def with_numbers(prior: Prior, place: int, trained: Trained) -> Prior:
    """The prior with other numbers of one column."""
    orphan, pair, weights = prior.orphan.copy(), prior.pair.copy(), prior.weights.copy()
    orphan[place], pair[place], weights[place] = trained.orphan, trained.pair, trained.weight
    untrained = prior.untrained | {place} if trained is UNKNOWN else prior.untrained - {place}
    return replace(prior, orphan=orphan, pair=pair, weights=weights, untrained=untrained)


def without_column(case: Case, place: int) -> Case:
    """The case with 0 throughout a column, which with the anchors of :data:`UNKNOWN` adds nothing and is not learnt."""
    columns = case.evidence.columns.copy()
    columns[:, place] = 0.0
    return replace(case, evidence=replace(case.evidence, columns=columns))


def print_table(sites: Sites, draws: Draws, prior: Prior, place: int) -> None:
    """Every site without the column and with it, its numbers trained on the other sites."""
    print("| site left out | weight | strict F1 without | with | calibration error without | with |")
    print("|---" * 6 + "|", flush=True)
    blank = with_numbers(prior, place, UNKNOWN)
    rows = []
    for name, cases in sites.items():
        others = {other: each for other, each in sites.items() if other != name}
        trained = _trained_if_any(others, {other: draws[other] for other in others}, prior, place)
        without = _figures([without_column(case, place) for case in cases], blank)
        rows.append((trained.weight, *_interleaved(without, _figures(cases, with_numbers(prior, place, trained)))))
        print(_line(name, rows[-1]), flush=True)
    print(_line("mean", np.mean(rows, axis=0)))


def _trained_if_any(sites: Sites, draws: Draws, prior: Prior, place: int) -> Trained:
    """Numbers of a column, or those of one untrained where the other sites tell nothing; its weight is then 0."""
    try:
        return train_column(sites, draws, prior, place)
    except RecipeError:
        return UNKNOWN


def _figures(cases: list[Case], prior: Prior) -> tuple[float, float]:
    """Strict F1 and calibration error of a site."""
    outcomes = [decided(case, prior) for case in cases]
    found = [np.where(outcome.matched, outcome.probability, np.nan) for outcome in outcomes]
    return strict_f1(cases, found), calibration_error(told(cases, found))


def _interleaved(without: tuple[float, float], having: tuple[float, float]) -> list[float]:
    return [figure for both in zip(without, having, strict=True) for figure in both]


def _line(name: str, figures: Sequence[float] | Floats) -> str:
    return f"| {name} | " + " | ".join(f"{figure:.3f}" for figure in figures) + " |"


def with_column(content: dict[str, Any], name: str, trained: Trained) -> dict[str, Any]:
    """What the file of numbers holds, with the line of one column new or put in, in the order of COLUMNS."""
    lines = {line["name"]: line for line in content["columns"]}
    lines[name] = column_line(name, trained.orphan, trained.pair, trained.weight)
    note = f"; {name} by benchmarks/train_column.py"
    about = content["about"].replace(note, "") + note
    return content | {"about": about, "columns": [lines[each] for each in FEATURES if each in lines]}


if __name__ == "__main__":
    main()
