"""A recipe and a check of a TMX file as text for a terminal."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from diglot.corpus.formats.check import CheckReport
from diglot.recipes.recipe import EVIDENCE_MEANING, Recipe, plain_value
from diglot.version import __version__


def recipe_text(recipe: Recipe) -> str:
    """Source, options with their defaults and where those come from, and the signature."""
    lines = [f"{recipe.name}: {recipe.summary}", f"source: {recipe.source}", "", "options (--set KEY=VALUE):"]
    for option in dataclasses.fields(recipe.options):
        value = plain_value(getattr(recipe.options, option.name))
        lines.append(f"  {option.name}={value}\n      {option.metadata['meaning']} [{option.metadata['source']}]")
    lines.append(f"  aligner={recipe.aligner}\n      how the segments of a pair are aligned")
    lines.append(f"  aligner_evidence={recipe.aligner_evidence}\n      {EVIDENCE_MEANING}")
    return "\n".join([*lines, "", f"signature: {recipe.signature(__version__)}"])


def check_text(path: Path, report: CheckReport) -> str:
    """Whether a TMX file is fine, and the first problems where it is not."""
    languages = ", ".join(report.languages) or "none"
    if report.ok:
        return f"{path}: ok, {report.units:,} units, languages {languages}"
    counts = ", ".join(f"{n:,} {kind}" for kind, n in report.counts.items())
    return "\n".join([f"{path}: not ok, {report.units:,} units, languages {languages}: {counts}", *report.problems])
