"""Results as text for a terminal: a recipe, a verdict, a check, scores."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from diglot import __version__
from diglot.corpus.check import CheckReport
from diglot.evaluation.pairs import PairEvaluation, PairScores
from diglot.explain import Verdict
from diglot.recipes.recipe import Recipe, plain_value


def recipe_text(recipe: Recipe) -> str:
    """Source, options with their defaults and where those come from, and the signature."""
    lines = [f"{recipe.name}: {recipe.summary}", f"source: {recipe.source}", "", "options (--set KEY=VALUE):"]
    for option in dataclasses.fields(recipe.options):
        value = plain_value(getattr(recipe.options, option.name))
        lines.append(f"  {option.name}={value}\n      {option.metadata['meaning']} [{option.metadata['source']}]")
    lines.append(f"  aligner={recipe.aligner}\n      how the segments of a pair are aligned")
    return "\n".join([*lines, "", f"signature: {recipe.signature(__version__)}"])


def verdict_text(verdict: Verdict) -> str:
    """The line, and a row for each piece of evidence."""
    rows = [
        f"  {item.method:<16} {item.feature:<24} {item.value:>10.4g}  {item.asked:<14} "
        + ("ok" if item.passes else "REFUSED")
        for item in verdict.evidence
    ]
    return "\n".join([verdict.line, *rows])


def check_text(path: Path, report: CheckReport) -> str:
    """Whether a TMX file is fine, and the first problems where it is not."""
    languages = ", ".join(report.languages) or "none"
    if report.ok:
        return f"{path}: ok, {report.units:,} units, languages {languages}"
    counts = ", ".join(f"{n:,} {kind}" for kind, n in report.counts.items())
    return "\n".join([f"{path}: not ok, {report.units:,} units, languages {languages}: {counts}", *report.problems])


def scores_text(evaluation: PairEvaluation) -> str:
    """A table, one row a language pair and one for all."""
    heads = ("pair", "gold", "proposed", "P", "strict P", "R", "F1", "strict F1", "calib. error")
    rows = [heads, *(_score_row(name, scores) for name, scores in evaluation.by_lang_pair.items())]
    rows.append(_score_row("all", evaluation.pooled))
    widths = [max(len(row[k]) for row in rows) for k in range(len(heads))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)


def _score_row(name: str, scores: PairScores) -> tuple[str, ...]:
    shares = (scores.precision, scores.strict_precision, scores.recall, scores.f1, scores.strict_f1)
    error = scores.calibration_error
    last = "-" if error is None else f"{error:.3f}"
    return name, str(scores.gold), str(scores.proposed), *(f"{share:.3f}" for share in shares), last
