"""``diglot evaluate ...`` and ``diglot compare``: scores against gold, and recipes side by side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from diglot.cli.lines import Lines
from diglot.cli.option_groups import takes
from diglot.cli.options import (
    Asked,
    BaseUrl,
    Config,
    Gold,
    Ignore,
    Jobs,
    Json,
    Languages,
    MinProb,
    OneSite,
    Pivot,
    RecipeChanges,
    changed_options,
    json_console_options,
    recipe_options,
)
from diglot.errors import UsageError

evaluate_app = typer.Typer(no_args_is_help=True, help="Score page pairs, segments or beads against gold.")


@evaluate_app.command("pairs")
def evaluate_pairs_command(
    found: Annotated[
        Path, typer.Argument(metavar="RUN|PAIRS.tsv", help="a run folder, or a file like its out/pairs.en-fr.tsv")
    ],
    gold: Gold,
    ignore: Ignore = None,
    langs: Annotated[str, typer.Option("-l", "--langs", help="only pairs of these languages")] = "",
    min_prob: MinProb = 0.0,
    reliability: Annotated[
        bool, typer.Option("--reliability", help="print the share right at each probability")
    ] = False,
    as_json: Json = False,
) -> None:
    """Print precision, recall and F1 of page pairs against gold, with calibration and intervals."""
    from diglot.cli.wording import scores_text
    from diglot.evaluation.gold import read_gold_set
    from diglot.experiments.against_gold import score_pairs

    gold_scores = score_pairs(found, read_gold_set(gold, ignore), langs=langs, min_prob=min_prob)
    _result(gold_scores, scores_text(gold_scores, reliability=reliability), as_json=as_json)


@evaluate_app.command("segments")
def evaluate_segments_command(
    aligned: Annotated[Path, typer.Argument(metavar="ALIGNED.tsv", help="source, target; a run's out/segments.*.tsv")],
    gold: Annotated[Path, typer.Argument(metavar="GOLD.tsv", help="source, target")],
    langs: Annotated[
        str, typer.Option("-l", "--langs", help="pair to score; GOLD holds document, language, pivot text, translation")
    ] = "",
    pivot: Annotated[str, typer.Option("--pivot", help="with -l: language of GOLD's third column")] = "en",
    beads: Annotated[bool, typer.Option("--beads", help='both files hold beads, one a line: "[0, 1]:[2]"')] = False,
    as_json: Json = False,
) -> None:
    """Print precision and recall of aligned segments, or beads, against gold."""
    from diglot.cli.wording import bead_scores_text, segment_scores_text
    from diglot.experiments.against_gold import mistaken_columns, score_bead_files, score_segments

    if beads:
        bead_scores = score_bead_files(aligned, gold)
        _result(bead_scores, bead_scores_text(bead_scores), as_json=as_json)
        return
    scores = score_segments(aligned, gold, langs=langs, pivot=pivot)
    hint = mistaken_columns(aligned, gold, scores, langs=langs, pivot=pivot)
    _result(scores, "\n".join(filter(None, [segment_scores_text(scores), hint])), as_json=as_json)


@evaluate_app.command("wmt16")
@takes(asked=recipe_options, console=json_console_options)
def evaluate_wmt16_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="folder of *.lett.gz, one per webdomain, and *.pairs")],
    pairs: Annotated[Path | None, typer.Option("--pairs", help="the reference, if DIR holds several")] = None,
    langs: Languages = "en,fr",
    *,
    asked: Asked,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="keep the run folder of each webdomain here")] = None,
    jobs: Jobs = 0,
    console: Lines,
) -> None:
    """Run a recipe on the data of the WMT 2016 document alignment task and print the task's figures."""
    from diglot.cli.wording import shared_task_text
    from diglot.experiments.shared_task import open_task, run_task
    from diglot.run.settings import make_settings

    named = {name: value for name, value in asked.items() if value}
    settings = make_settings(langs, one_site=True, **named)
    result = run_task(open_task(folder, pairs), settings, out=out, jobs=jobs, progress=console)
    _result(result, shared_task_text(result), as_json=console.is_json)


def contender_options(
    *,
    recipes: Annotated[str, typer.Option("--recipes", help="names with commas between, or all")] = "all",
    changes: RecipeChanges = [],  # noqa: B006
    config: Config = None,
    gold: Annotated[Path | None, typer.Option("--gold", help="right pairs, for precision, recall and F1")] = None,
    ignore: Ignore = None,
) -> dict[str, Any]:
    """Typed options on what is compared, as arguments of :func:`diglot.experiments.comparing.compare`."""
    return {"recipes": recipes, "options": changed_options(changes, config), "gold": gold, "ignore": ignore}


def site_options(*, pivot: Pivot = "", base_url: BaseUrl = "", one_site: OneSite = False) -> dict[str, Any]:
    """Typed options on the site of a comparison, as arguments of :func:`diglot.experiments.comparing.compare`."""
    return {"pivot": pivot, "base_url": base_url, "one_site": one_site}


@takes(contenders=contender_options, site=site_options, console=json_console_options)
def compare_command(
    source: Annotated[list[str], typer.Argument(help="WARC files, folders of HTML, .lett files")],
    langs: Languages,
    *,
    contenders: Asked,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="keep the run folder here")] = None,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="write a page with a plot")] = None,
    site: Asked,
    jobs: Jobs = 0,
    console: Lines,
) -> None:
    """Read a site once, pair its pages by each recipe, and print the results side by side."""
    from diglot.cli.wording import comparison_text
    from diglot.experiments.comparing import compare, require_pairs
    from diglot.report.comparison_page import write_page

    if html and html.is_dir():  # told before the work
        raise UsageError(f"--html {html}: a folder; name a file to write")
    comparison = compare(source, langs, **contenders, **site, out=out, jobs=jobs, progress=console)
    _result(comparison, comparison_text(comparison), as_json=console.is_json)
    if html:
        write_page(comparison, html)
        if not console.is_json:
            typer.echo(f"wrote     {html}")
    # An error only now: the printed notes of the recipes say why none proposes a pair.
    require_pairs(comparison)


def _result(result: Any, text: str, *, as_json: bool) -> None:
    typer.echo(json.dumps(result.as_dict(), ensure_ascii=False) if as_json else text)
