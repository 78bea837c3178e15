"""Tables of docs/results.md from rows that dev_sites.py printed, a row a site and a column a recipe.

    python benchmarks/results_tables.py ROWS.tsv... [--recipes x,y] [--seconds]

Rows of several files are put together; of two for the same site and recipe the later counts. A cell is pairs proposed /
strict precision / recall / F1, or with ``--seconds`` seconds of the pair stage.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable
from pathlib import Path

from diglot.recipes import RECIPES

Row = dict[str, str]


def main() -> None:
    arguments = parse_arguments()
    rows = {(row["site"], row["recipe"]): row for row in read(arguments.rows)}
    recipes = [name for name in arguments.recipes or RECIPES if any(recipe == name for _, recipe in rows)]
    print(seconds_table(rows, recipes) if arguments.seconds else quality_table(rows, recipes))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path, nargs="+")
    parser.add_argument("--recipes", type=lambda text: text.split(","))
    parser.add_argument("--seconds", action="store_true")
    return parser.parse_args()


def read(paths: Iterable[Path]) -> list[Row]:
    """Rows of all files; a file may hold its heading more than once."""
    found: list[Row] = []
    for path in paths:
        with path.open(newline="") as handle:
            found += [row for row in csv.DictReader(handle, delimiter="\t") if row["site"] != "site"]
    return found


def quality_table(rows: dict[tuple[str, str], Row], recipes: list[str]) -> str:
    lines = [["site", "gold", *recipes]]
    for site in sites(rows):
        gold = next(row["gold"] for (name, _), row in rows.items() if name == site)
        lines.append([site, gold, *(quality_cell(rows.get((site, recipe))) for recipe in recipes)])
    return markdown(lines)


def quality_cell(row: Row | None) -> str:
    if row is None:
        return ""
    return " / ".join([row["proposed"], *(f"{float(row[name]):.2f}" for name in ("strict_precision", "recall", "f1"))])


def seconds_table(rows: dict[tuple[str, str], Row], recipes: list[str]) -> str:
    lines = [["site", "read s", *(f"{recipe} s" for recipe in recipes), "peak MB"]]
    for site in sites(rows):
        own = {recipe: row for (name, recipe), row in rows.items() if name == site}
        read_s, peak_mb = (max(float(row[name]) for row in own.values()) for name in ("read_s", "peak_mb"))
        cells = (own[recipe]["pair_s"] if recipe in own else "" for recipe in recipes)
        lines.append([site, f"{read_s:.1f}", *cells, f"{peak_mb:.0f}"])
    return markdown(lines)


def sites(rows: dict[tuple[str, str], Row]) -> list[str]:
    return sorted({site for site, _ in rows})


def markdown(lines: list[list[str]]) -> str:
    heading, *body = (f"| {' | '.join(cells)} |" for cells in lines)
    return "\n".join([heading, "|---" * len(lines[0]) + "|", *body])


if __name__ == "__main__":
    main()
