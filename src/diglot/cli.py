"""The command line: one function a command; each parses, calls and prints."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from diglot.errors import DiglotError, UsageError

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=__doc__)
evaluate_app = typer.Typer(no_args_is_help=True, help="Compare a run with gold.")
app.add_typer(evaluate_app, name="evaluate")

Langs = Annotated[str, typer.Option("-l", "--langs", help="languages, as BCP 47 tags: en,fr,pt-BR")]
Out = Annotated[Path, typer.Option("-o", "--out", help="the run folder")]
RunDir = Annotated[Path, typer.Argument(metavar="RUN", help="a run folder")]
RecipeName = Annotated[str, typer.Option("--recipe", help="a recipe; `diglot recipes` lists them")]
Changes = Annotated[
    list[str], typer.Option("--set", metavar="KEY=VALUE", help="an option of the recipe; may be repeated")
]
Config = Annotated[Path | None, typer.Option("--config", metavar="FILE.toml", help="recipe options from a file")]
Jobs = Annotated[int, typer.Option("--jobs", min=0, help="processes; 0: one a core")]
Json = Annotated[bool, typer.Option("--json", help="machine-readable progress and summary")]
Quiet = Annotated[bool, typer.Option("--quiet", help="print nothing but errors")]
Pivot = Annotated[str, typer.Option("--pivot", help="only pairs with this language")]
MinProb = Annotated[float, typer.Option("--min-prob", min=0.0, max=1.0, help="least score of a pair")]
BaseUrl = Annotated[str, typer.Option("--base-url", help="address that a folder of pages stands for")]
OneSite = Annotated[bool, typer.Option("--one-site", help="pair pages across all hosts, whatever their domain")]


@app.command()
def harvest(
    source: Annotated[list[str], typer.Argument(help="WARC files, folders of HTML, .lett files")],
    langs: Langs,
    out: Out,
    recipe: RecipeName = "",
    changes: Changes = [],  # noqa: B006  typer reads the default, nobody changes it
    config: Config = None,
    pivot: Pivot = "",
    min_prob: MinProb = 0.0,
    base_url: BaseUrl = "",
    one_site: OneSite = False,
    jobs: Jobs = 0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Everything: sources to translation memories. The same command goes on after a stop."""
    from diglot.console import console_for
    from diglot.funnel import funnel_text
    from diglot.harvest import harvest as run_harvest

    console = console_for(as_json=as_json, quiet=quiet)
    run = run_harvest(
        source,
        langs,
        out,
        recipe=recipe,
        options=recipe_options(changes, config),
        pivot=pivot,
        min_prob=min_prob,
        base_url=base_url,
        one_site=one_site,
        jobs=jobs,
        progress=console,
    )
    summary = run.summary()
    console.result(summary, funnel_text(summary) + f"\nwrote     {run.path / 'out'}")


@app.command()
def read(
    source: Annotated[list[str], typer.Argument(help="WARC files, folders of HTML, .lett files")],
    langs: Langs,
    out: Out,
    base_url: BaseUrl = "",
    jobs: Jobs = 0,
    quiet: Quiet = False,
) -> None:
    """Only read: sources to documents in a run folder."""
    from diglot.console import console_for
    from diglot.harvest import read_sources

    read_sources(source, langs, out, base_url=base_url, jobs=jobs, progress=console_for(quiet=quiet))


@app.command()
def pair(
    run: RunDir,
    recipe: RecipeName = "",
    changes: Changes = [],  # noqa: B006
    config: Config = None,
    quiet: Quiet = False,
) -> None:
    """Only pair the documents of a run folder, with another recipe if one is given."""
    from diglot.console import console_for
    from diglot.harvest import pair_run

    pair_run(run, recipe=recipe, options=recipe_options(changes, config), progress=console_for(quiet=quiet))


@app.command()
def align(
    first: Annotated[Path, typer.Argument(metavar="RUN|SRC.txt", help="a run folder, or a text")],
    second: Annotated[Path | None, typer.Argument(metavar="TGT.txt", help="its translation")] = None,
    langs: Annotated[str, typer.Option("-l", "--langs", help="languages of the two texts")] = "",
    split: Annotated[bool, typer.Option("--split", help="a line is a paragraph: cut it into sentences")] = False,
    to: Annotated[str, typer.Option("--to", help="beads, tsv or tmx")] = "beads",
    out: Annotated[Path | None, typer.Option("-o", "--out", help="file to write; standard output without it")] = None,
    jobs: Jobs = 0,
    quiet: Quiet = False,
) -> None:
    """Align the pairs of a run folder, or two plain texts, one unit a line."""
    from diglot.console import console_for

    if second is None:
        from diglot.harvest import align_run

        align_run(first, jobs=jobs, progress=console_for(quiet=quiet))
        return
    from diglot.texts import align_files

    align_files(first, second, langs, split=split, to=to, out=out)


@app.command()
def export(
    run: RunDir,
    to: Annotated[str, typer.Option("--to", help="formats: tmx,tsv,moses,jsonl,parquet")] = "tmx",
    min_prob: MinProb = 0.0,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="folder to write to; RUN/out without it")] = None,
) -> None:
    """Write the segments of a run in other formats."""
    from diglot.results import open_run

    opened = open_run(run)
    formats = [form.strip() for form in to.split(",") if form.strip()]
    for src_lang, tgt_lang in opened.settings.language_pairs():
        segments = opened.segments(src_lang, tgt_lang, min_prob=min_prob)
        for path in segments.write(out or run / "out", *formats):
            typer.echo(f"wrote {path}")


@app.command()
def recipes(name: Annotated[str, typer.Argument(help="a recipe")] = "") -> None:
    """The recipes, or the source and options of one."""
    from diglot.recipes import RECIPES, get_recipe
    from diglot.wording import recipe_text

    if name:
        typer.echo(recipe_text(get_recipe(name)))
        return
    width = max(map(len, RECIPES))
    for recipe in RECIPES.values():
        typer.echo(f"{recipe.name:<{width}}  {recipe.summary}")


@app.command()
def why(
    run: RunDir,
    url: Annotated[str, typer.Argument(help="address of a page")],
    other: Annotated[str, typer.Argument(metavar="[URL]", help="address of another page")] = "",
) -> None:
    """Why two pages are a pair or not, or what became of one page."""
    from diglot.explain import Explainer
    from diglot.results import open_run
    from diglot.wording import verdict_text

    explainer = Explainer(open_run(run))
    typer.echo(verdict_text(explainer.pair(url, other) if other else explainer.page(url)))


@app.command()
def check(file: Annotated[Path, typer.Argument(metavar="FILE.tmx")], as_json: Json = False) -> None:
    """Whether a TMX file is well-formed, valid and has languages in order."""
    from diglot.corpus.check import check_tmx
    from diglot.wording import check_text

    report = check_tmx(file)
    typer.echo(json.dumps(dataclasses.asdict(report)) if as_json else check_text(file, report))
    if not report.ok:
        raise typer.Exit(UsageError.exit_code)


Gold = Annotated[Path, typer.Argument(metavar="GOLD.tsv")]
Ignore = Annotated[Path | None, typer.Option("--ignore", help="pairs that are neither right nor wrong")]


@evaluate_app.command("pairs")
def evaluate_pairs_command(
    found: Annotated[Path, typer.Argument(metavar="RUN|PAIRS.tsv")],
    gold: Gold,
    ignore: Ignore = None,
    langs: Annotated[str, typer.Option("-l", "--langs", help="only pairs of these languages")] = "",
    min_prob: MinProb = 0.0,
    reliability: Annotated[bool, typer.Option("--reliability", help="how many are right at each probability")] = False,
    as_json: Json = False,
) -> None:
    """Precision, recall and F1 of page pairs against gold, with calibration and intervals."""
    from diglot.evaluation.gold_set import read_gold_set
    from diglot.judging import judge_pairs
    from diglot.wording import scores_text

    judgement = judge_pairs(found, read_gold_set(gold, ignore), langs=langs, min_prob=min_prob)
    _result(judgement, scores_text(judgement, reliability=reliability), as_json=as_json)


@evaluate_app.command("segments")
def evaluate_segments_command(
    aligned: Annotated[Path, typer.Argument(metavar="ALIGNED.tsv", help="source, target; a run's out/segments.*.tsv")],
    gold: Annotated[Path, typer.Argument(metavar="GOLD.tsv", help="source, target")],
    langs: Annotated[
        str, typer.Option("-l", "--langs", help="GOLD holds document, language, pivot text, translation; this pair")
    ] = "",
    pivot: Annotated[str, typer.Option("--pivot", help="with -l: language of GOLD's third column")] = "en",
    beads: Annotated[bool, typer.Option("--beads", help='both files hold beads, "[0, 1]:[2]" a line')] = False,
    as_json: Json = False,
) -> None:
    """How many gold segment pairs, or beads, an alignment has."""
    from diglot.judging import judge_beads, judge_segments
    from diglot.wording import bead_scores_text, segment_scores_text

    if beads:
        bead_scores = judge_beads(aligned, gold)
        _result(bead_scores, bead_scores_text(bead_scores), as_json=as_json)
        return
    scores = judge_segments(aligned, gold, langs=langs, pivot=pivot)
    _result(scores, segment_scores_text(scores), as_json=as_json)


@evaluate_app.command("wmt16")
def evaluate_wmt16(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="*.lett.gz, one a webdomain, and a *.pairs file")],
    pairs: Annotated[Path | None, typer.Option("--pairs", help="the reference, where DIR holds several")] = None,
    langs: Langs = "en,fr",
    recipe: RecipeName = "",
    changes: Changes = [],  # noqa: B006
    config: Config = None,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="keep a run folder a webdomain here")] = None,
    jobs: Jobs = 0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run a recipe on the data of the WMT 2016 document alignment task and print the task's figures."""
    from diglot.console import console_for
    from diglot.settings import make_settings
    from diglot.shared_task import open_task, run_task
    from diglot.wording import shared_task_text

    named = {"recipe": recipe} if recipe else {}
    settings = make_settings(langs, options=recipe_options(changes, config), one_site=True, **named)
    console = console_for(as_json=as_json, quiet=quiet)
    result = run_task(open_task(folder, pairs), settings, out=out, jobs=jobs, progress=console)
    _result(result, shared_task_text(result), as_json=as_json)


@app.command("compare")
def compare_recipes(
    source: Annotated[list[str], typer.Argument(help="WARC files, folders of HTML, .lett files")],
    langs: Langs,
    recipes: Annotated[str, typer.Option("--recipes", help="names between commas, or all")] = "all",
    changes: Changes = [],  # noqa: B006
    config: Config = None,
    gold: Annotated[Path | None, typer.Option("--gold", help="pairs known to be right, for P, R and F1")] = None,
    ignore: Ignore = None,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="keep the run folder here")] = None,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="write a page with a plot")] = None,
    pivot: Pivot = "",
    base_url: BaseUrl = "",
    one_site: OneSite = False,
    jobs: Jobs = 0,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Read a site once, pair it by every recipe, and put the results side by side."""
    from diglot.comparing import compare, contenders, require_pairs
    from diglot.console import console_for
    from diglot.evaluation.comparison_page import write_page
    from diglot.evaluation.gold_set import read_gold_set
    from diglot.settings import make_settings
    from diglot.wording import comparison_text

    if ignore and not gold:
        raise UsageError("--ignore needs --gold: it says which pairs the gold leaves open")
    common = make_settings(langs, pivot=pivot, base_url=base_url, one_site=one_site)
    comparison = compare(
        source,
        contenders(common, recipes, recipe_options(changes, config)),
        gold=read_gold_set(gold, ignore) if gold else None,
        out=out,
        jobs=jobs,
        progress=console_for(as_json=as_json, quiet=quiet),
    )
    _result(comparison, comparison_text(comparison), as_json=as_json)
    if html:
        write_page(comparison, html)
    require_pairs(comparison)


def _result(result: Any, text: str, *, as_json: bool) -> None:
    typer.echo(json.dumps(result.as_dict(), ensure_ascii=False) if as_json else text)


def recipe_options(changes: list[str], config: Path | None) -> dict[str, str]:
    """Recipe options from a TOML file and from ``KEY=VALUE`` words, the words winning."""
    from diglot.settings import read_options

    options = read_options(config) if config else {}
    for change in changes:
        key, separator, value = change.partition("=")
        if not separator:
            raise UsageError(f"--set {change}: write KEY=VALUE, as in --set max_edits=10")
        options[key.strip()] = value.strip()
    return options


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit code: 0 done, 2 bad usage or input, 3 nothing found, 4 stopped."""
    try:
        result: Any = app(args=arguments, standalone_mode=False)
    except DiglotError as error:
        typer.echo(f"diglot: {error}", err=True)
        return error.exit_code
    except typer.Abort:
        return 4
    except typer.Exit as stop:
        return stop.exit_code
    except Exception as error:
        import click

        if isinstance(error, click.ClickException):
            error.show()
            return 2
        raise
    return result if isinstance(result, int) else 0


def entry() -> None:
    """What the ``diglot`` script runs."""
    sys.exit(main())
