"""``diglot open``, ``recipes``, ``why`` and ``check``: the report, recipes, explanations, TMX files."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from diglot.cli.console import waiting
from diglot.cli.options import Json, RunDir
from diglot.cli.streams import say
from diglot.errors import RecipeError, SourceError, UsageError

if TYPE_CHECKING:
    from diglot.corpus.formats.check import CheckReport
    from diglot.recipes.recipe import Recipe


def open_command(
    run: RunDir,
    path_only: Annotated[bool, typer.Option("--path", help="print the path of the report, do not open it")] = False,
    explained: Annotated[
        int,
        typer.Option(
            "--why",
            metavar="N",
            min=0,
            help="rewrite the report with the evidence of the N least probable page pairs",
        ),
    ] = 0,
    terms: Annotated[bool, typer.Option("--terms", help="rewrite the report with the terms of the site")] = False,
) -> None:
    """Open the report of a run in a browser; write it first if it is missing."""
    import webbrowser

    from diglot.disk.folder import RunFolder
    from diglot.report import REPORT

    with RunFolder(run, create=False) as folder:
        path = folder.path / REPORT
    if explained or terms or not path.is_file():
        from diglot.results.run_report import report_run

        with waiting("report", "writing it"):
            path = report_run(run, explained=explained, terms=terms)
    # Without a browser, as on a server, the path is the answer.
    if path_only or not webbrowser.open(path.resolve().as_uri()):
        typer.echo(path)


def recipes_command(name: Annotated[str, typer.Argument(help="a recipe")] = "") -> None:
    """List the recipes, or print the source and options of one."""
    from diglot.recipes import RECIPES, get_recipe

    if name:
        typer.echo(_recipe_text(get_recipe(name)))
        return
    width = max(map(len, RECIPES))
    for known in RECIPES:
        try:
            summary = RECIPES[known].summary
        except RecipeError as error:
            # A broken recipe module of the user must not hide the other recipes.
            summary = f"cannot be used: {error}"
        typer.echo(f"{known:<{width}}  {summary}")


def _recipe_text(recipe: Recipe) -> str:
    """Source, options with default, meaning and source, and the signature."""
    from diglot.recipes.recipe import EVIDENCE_MEANING, plain_value
    from diglot.version import __version__

    lines = [f"{recipe.name}: {recipe.summary}", f"source: {recipe.source}", "", "options (--set KEY=VALUE):"]
    for option in dataclasses.fields(recipe.options):
        value = plain_value(getattr(recipe.options, option.name))
        lines.append(f"  {option.name}={value}\n      {option.metadata['meaning']} [{recipe.default_source(option)}]")
    lines.append(f"  aligner={recipe.aligner}\n      aligner of the segments of a page pair")
    lines.append(f"  aligner_evidence={recipe.aligner_evidence}\n      {EVIDENCE_MEANING}")
    return "\n".join([*lines, "", f"signature: {recipe.signature(__version__)}"])


def why_command(
    run: RunDir,
    url: Annotated[str, typer.Argument(help="address of a page")],
    other: Annotated[str, typer.Argument(metavar="[URL]", help="address of another page")] = "",
) -> None:
    """Explain why two pages are a pair or not, or what became of one page."""
    from diglot.results.run import open_run

    with waiting("why", "reading the run"):
        text = str(open_run(run).why(url, other or None))
    typer.echo(text)


def check_command(
    files: Annotated[list[Path], typer.Argument(metavar="FILE.tmx...", help="one memory or several")],
    as_json: Json = False,
) -> None:
    """Check that TMX files are well-formed, valid, and have their languages in order. Exit code 2 for a bad file."""
    from diglot.corpus.formats.check import check_tmx

    worst = 0
    for file in files:
        try:
            report = check_tmx(file)
        except SourceError as error:
            say(f"diglot: {error}")
            worst = max(worst, error.exit_code)
            continue
        named = {"file": str(file)} if len(files) > 1 else {}
        typer.echo(json.dumps({**named, **dataclasses.asdict(report)}) if as_json else _check_text(file, report))
        worst = max(worst, 0 if report.ok else UsageError.exit_code)
    if worst:
        raise typer.Exit(worst)


def _check_text(path: Path, report: CheckReport) -> str:
    """Result for a TMX file, with its first problems."""
    languages = ", ".join(report.languages) or "none"
    if report.ok:
        return f"{path}: ok, {report.units:,} units, languages {languages}"
    counts = ", ".join(f"{n:,} {kind}" for kind, n in report.counts.items())
    return "\n".join([f"{path}: not ok, {report.units:,} units, languages {languages}: {counts}", *report.problems])
