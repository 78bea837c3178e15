"""The command line: one function a command; each parses, calls and prints."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from diglot import __version__, cli_report
from diglot.cli_evaluate import app as evaluate_app
from diglot.cli_evaluate import compare_recipes
from diglot.cli_options import (
    NO_CRAWL,
    Agent,
    BaseUrl,
    Browser,
    Changes,
    Config,
    Crawl,
    CrawlLangs,
    DropFlags,
    Evidence,
    Jobs,
    Json,
    Keep,
    Langs,
    MaxPages,
    MinProb,
    Offensive,
    OneSite,
    Out,
    Pii,
    Pivot,
    Quiet,
    RecipeName,
    RunDir,
    flag_names,
    recipe_options,
    split_languages,
    takes_crawl_options,
)
from diglot.errors import DiglotError, Stopped, UsageError

_WRONG_USE: Any = typer.BadParameter.__mro__[2]
"""Click's ClickException, or that of the copy of click inside newer versions of typer."""


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"diglot {__version__}")
        raise typer.Exit


app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=__doc__)


@app.command()
@takes_crawl_options()
def harvest(
    source: Annotated[list[str], typer.Argument(help="addresses to crawl, WARC files, folders of HTML, .lett files")],
    langs: Langs,
    out: Out,
    recipe: RecipeName = "",
    changes: Changes = [],  # noqa: B006  typer reads the default, nobody changes it
    config: Config = None,
    pivot: Pivot = "",
    min_prob: MinProb = 0.0,
    keep: Keep = "",
    drop: DropFlags = "",
    pii: Pii = "flag",
    offensive: Offensive = None,
    base_url: BaseUrl = "",
    one_site: OneSite = False,
    crawl: Crawl = NO_CRAWL,
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
        crawl=crawl,
        pivot=pivot,
        min_prob=min_prob,
        keep=flag_names(keep),
        drop=flag_names(drop),
        pii=pii,
        offensive=str(offensive or ""),
        base_url=base_url,
        one_site=one_site,
        jobs=jobs,
        progress=console,
    )
    summary = run.summary()
    console.result(summary, funnel_text(summary) + f"\nwrote     {run.path / 'out'}")


@app.command()
@takes_crawl_options()
def crawl(
    address: Annotated[list[str], typer.Argument(metavar="URL...", help="where to begin")],
    out: Out,
    langs: CrawlLangs = "",
    crawl: Crawl = NO_CRAWL,
    quiet: Quiet = False,
) -> None:
    """Only crawl: a site into the WARC files of a run folder. The same command goes on after a stop."""
    from diglot.console import console_for
    from diglot.crawl.stage import crawl_into

    crawled = crawl_into(out, address, split_languages(langs), console_for(quiet=quiet), crawl)
    lines = [f"note      {notice}" for notice in crawled.notices] + [f"wrote     {path}" for path in crawled.files]
    if not quiet:
        typer.echo("\n".join(lines))


@app.command()
@takes_crawl_options("delay", "proxy", "agent", "allow_host", "browser")
def plan(
    address: Annotated[str, typer.Argument(metavar="URL", help="where a crawl would begin")],
    langs: CrawlLangs = "",
    crawl: Crawl = NO_CRAWL,
    as_json: Json = False,
) -> None:
    """What a crawl would meet, from at most 20 pages: robots.txt, sitemap, languages, size, time. Writes nothing."""
    from diglot.crawl.plan import plan_crawl, plan_text

    planned = plan_crawl(address, split_languages(langs), crawl)
    typer.echo(json.dumps(dataclasses.asdict(planned)) if as_json else plan_text(planned))


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
    aligner: Annotated[str, typer.Option("--aligner", help="of two texts: lexical or gale_church")] = "lexical",
    evidence: Evidence = [],  # noqa: B006
    out: Annotated[Path | None, typer.Option("-o", "--out", help="file to write; standard output without it")] = None,
    jobs: Jobs = 0,
    quiet: Quiet = False,
) -> None:
    """Align the pairs of a run folder, or two plain texts, one unit a line."""
    from diglot.console import console_for

    if second is None:
        from diglot.harvest import align_run

        if evidence:
            raise UsageError("--evidence is for two plain texts, not for a run folder; leave it out")
        align_run(first, jobs=jobs, progress=console_for(quiet=quiet))
        return
    from diglot.texts import align_files

    align_files(first, second, langs, split=split, to=to, out=out, aligner=aligner, evidence=evidence)


@app.command()
def clean(
    run: RunDir,
    keep: Keep = "",
    drop: DropFlags = "",
    pii: Pii = "flag",
    offensive: Offensive = None,
    quiet: Quiet = False,
) -> None:
    """Only clean the segments of a run folder again, by other options, and write its outputs."""
    from diglot.console import console_for
    from diglot.harvest import clean_run

    options = {"keep": flag_names(keep), "drop": flag_names(drop), "pii": pii, "offensive": str(offensive or "")}
    clean_run(run, progress=console_for(quiet=quiet), **options)


@app.command()
def update(
    run: RunDir,
    max_pages: MaxPages = 0,
    agent: Agent = "",
    browser: Browser = [],  # noqa: B006
    jobs: Jobs = 0,
    quiet: Quiet = False,
) -> None:
    """Ask a crawled site what has changed and make the outputs again; out/delta has what is new."""
    from diglot.console import console_for
    from diglot.upkeep import update as update_run

    typed = {"max_pages": max_pages, "agent": agent, "browser": browser}
    crawl = {name: value for name, value in typed.items() if value}
    changes = update_run(run, crawl=crawl, jobs=jobs, progress=console_for(quiet=quiet))
    if not quiet:
        typer.echo("pages     " + ", ".join(f"{count:,} {kind}" for kind, count in sorted(changes.pages.items())))
        typer.echo("\n".join(f"wrote     {path}" for path in changes.files))


@app.command()
def forget(
    run: RunDir,
    url: Annotated[str, typer.Option("--url", help="an address to take out")] = "",
    host: Annotated[str, typer.Option("--host", help="take out all of this host")] = "",
    jobs: Jobs = 0,
    quiet: Quiet = False,
) -> None:
    """Take an address or a host out of a crawled run and make its outputs again without it."""
    from diglot.console import console_for
    from diglot.upkeep import forget as forget_in

    count = forget_in(run, url=url, host=host, jobs=jobs, progress=console_for(quiet=quiet))
    if not quiet:
        typer.echo(f"forgot    {count:,} addresses")


@app.command()
def export(
    run: RunDir,
    to: Annotated[str, typer.Option("--to", help="formats, comma between: see how-to/formats")] = "tmx",
    min_prob: MinProb = 0.0,
    keep: Keep = "",
    drop: DropFlags = "",
    out: Annotated[Path | None, typer.Option("-o", "--out", help="folder to write to; RUN/out without it")] = None,
) -> None:
    """Write segments as tmx, tsv, moses, jsonl, parquet, xliff, xlsx or vertical text, pages as cesalign."""
    from diglot.corpus.flags import excluded_flags
    from diglot.results import open_run

    excluded = excluded_flags(flag_names(keep), flag_names(drop)) if keep or drop else None
    for path in open_run(run).export(list(flag_names(to)), out, min_prob=min_prob, excluded=excluded):
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


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="the version")
    ] = False,
) -> None:
    """A multilingual website in, parallel text out."""


app.command("compare")(compare_recipes)
app.command("open")(cli_report.open_report)
app.command()(cli_report.sample)
app.command()(cli_report.judge)
app.add_typer(evaluate_app, name="evaluate")


_INTERRUPTED = 130
"""What typer makes of Ctrl-C before a run has begun."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit code: 0 done, 2 bad usage or input, 3 nothing found, 4 stopped."""
    try:
        result: Any = app(args=arguments, standalone_mode=False)
    except DiglotError as error:
        typer.echo(f"diglot: {error}", err=True)
        return error.exit_code
    except (typer.Abort, KeyboardInterrupt):
        result = _INTERRUPTED
    except typer.Exit as stop:
        result = stop.exit_code
    except _WRONG_USE as error:
        error.show()
        return UsageError.exit_code
    if result == _INTERRUPTED:
        typer.echo("diglot: stopped; the same command goes on from where it was", err=True)
        return Stopped.exit_code
    return result if isinstance(result, int) else 0


def entry() -> None:
    """What the ``diglot`` script runs."""
    sys.exit(main())
