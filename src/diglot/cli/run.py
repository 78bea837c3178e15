"""Commands that make a run: all of it, or one stage."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from diglot.cli.options import (
    AS_USUAL,
    NO_CRAWL,
    Asked,
    BaseUrl,
    Config,
    Crawl,
    DropFlags,
    Engine,
    EvidenceKinds,
    Hosts,
    Jobs,
    Json,
    Keep,
    LangFrom,
    LangRules,
    Languages,
    Master,
    MinProb,
    MinScore,
    Offensive,
    Out,
    Overwrite,
    Pii,
    Quiet,
    RecipeChanges,
    RecipeName,
    RunDir,
    WarcPrefix,
    cleaning_options,
    flag_names,
    recipe_options,
    takes_crawl_options,
    takes_run_options,
)
from diglot.errors import UsageError

if TYPE_CHECKING:
    from diglot.cli.console import Lines
    from diglot.results.run import Run


@takes_crawl_options()
@takes_run_options
def harvest_command(
    source: Annotated[
        list[str],
        typer.Argument(help="addresses to crawl, WARC files, CDXJ indexes, folders of HTML, .lett files, @LISTS"),
    ],
    langs: Languages,
    out: Out,
    asked: Asked = AS_USUAL,
    crawl: Crawl = NO_CRAWL,
    jobs: Jobs = 0,
    engine: Engine = "local",
    master: Master = "",
    overwrite: Overwrite = False,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Everything: sources to translation memories. The same command goes on after a stop."""
    from diglot.cli.console import console_for
    from diglot.harvesting import harvest

    console = console_for(as_json=as_json, quiet=quiet)
    options = {**asked, "crawl": crawl, "jobs": jobs, "engine": engine, "master": master, "overwrite": overwrite}
    _tell_written(harvest(source, langs, out, progress=console, **options), console)


def _tell_written(run: Run, console: Lines) -> None:
    """The funnel of a finished run, and where it is."""
    from diglot.run.funnel import funnel_text

    summary = run.summary()
    console.result(summary, f"{funnel_text(summary)}\nwrote     {run.path / 'out'}")


def read_command(
    source: Annotated[list[str], typer.Argument(help="WARC files, CDXJ indexes, folders of HTML, .lett files, @LISTS")],
    langs: Languages,
    out: Out,
    base_url: BaseUrl = "",
    warc_prefix: WarcPrefix = "",
    hosts: Hosts = [],  # noqa: B006
    lang_from: LangFrom = "weighed",
    lang_rules: LangRules = [],  # noqa: B006
    jobs: Jobs = 0,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
) -> None:
    """Only read: sources to documents in a run folder."""
    from diglot.cli.console import console_for
    from diglot.harvesting import read_sources

    read_sources(
        source,
        langs,
        out,
        base_url=base_url,
        warc_prefix=warc_prefix,
        hosts=tuple(hosts),
        lang_from=lang_from,
        lang_rules=tuple(lang_rules),
        jobs=jobs,
        overwrite=overwrite,
        progress=console_for(quiet=quiet),
    )


def pair_command(
    run: RunDir,
    recipe: RecipeName = "",
    changes: RecipeChanges = [],  # noqa: B006
    config: Config = None,
    quiet: Quiet = False,
) -> None:
    """Only pair the documents of a run folder, with another recipe if one is given."""
    from diglot.cli.console import console_for
    from diglot.harvesting import pair_run
    from diglot.run.work import PAIRS, SEGMENTS

    console = console_for(quiet=quiet)
    finished = pair_run(run, recipe=recipe, options=recipe_options(changes, config), progress=console)
    notes = finished.folder.recall("notes", finished.folder.recall("run", PAIRS) or "") or []
    lines = [f"note      {note}" for note in notes]
    if finished.folder.recall("run", SEGMENTS) is None:
        lines.append(f"next      diglot align {run}: segments and outputs are not made yet, or were of other pairs")
    console.result({"notes": notes}, "\n".join([*lines, f"wrote     {run / PAIRS}"]))


def align_command(
    first: Annotated[Path, typer.Argument(metavar="RUN|SRC.txt", help="a run folder, or a text")],
    second: Annotated[Path | None, typer.Argument(metavar="TGT.txt", help="its translation")] = None,
    langs: Annotated[str, typer.Option("-l", "--langs", help="languages of the two texts")] = "",
    split: Annotated[bool, typer.Option("--split", help="a line is a paragraph: cut it into sentences")] = False,
    to: Annotated[str, typer.Option("--to", help="beads, tsv or tmx")] = "beads",
    aligner: Annotated[str, typer.Option("--aligner", help="of two texts: lexical or gale_church")] = "lexical",
    evidence: EvidenceKinds = [],  # noqa: B006
    pool: Annotated[str | None, typer.Option("--pool", help="of a run: a file of `diglot pool`, '' for none")] = None,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="file to write; standard output without it")] = None,
    jobs: Jobs = 0,
    quiet: Quiet = False,
) -> None:
    """Align the pairs of a run folder, with other evidence or pool if given, or two plain texts, one unit a line."""
    from diglot.cli.console import console_for

    console = console_for(quiet=quiet)
    if second is None:
        from diglot.harvesting import align_run

        chosen = list(filter(None, evidence)) if evidence else None
        _tell_written(align_run(first, evidence=chosen, pool=pool, jobs=jobs, progress=console), console)
        return
    if pool is not None:
        raise UsageError("--pool is for the pages of a run; name a run folder, or leave it out")
    from diglot.texts import TextOptions, align_files

    options = TextOptions(langs=langs, split=split, to=to, aligner=aligner, evidence=evidence)
    align_files(first, second, options, out=out)


def pool_command(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="finished run folders")],
    out: Annotated[Path, typer.Option("-o", "--out", help="file to write")],
    quiet: Quiet = False,
) -> None:
    """Learn words from the page pairs of runs, for the aligner to use on sites too small to teach them."""
    from diglot.cli.console import console_for
    from diglot.results.pooling import pool_runs

    console = console_for(quiet=quiet)
    learnt = pool_runs(runs, out, progress=console)
    lines = [
        f"{each.langs}  {each.sites:,} sites, {each.page_pairs:,} page pairs, {each.sentences:,} sentences: "
        f"{each.words:,} words"
        for each in learnt
    ]
    console.result(
        {"pool": str(out), "languages": [each._asdict() for each in learnt]}, "\n".join([*lines, f"wrote {out}"])
    )


def clean_command(
    run: RunDir,
    min_score: MinScore = None,
    keep: Keep = None,
    drop: DropFlags = None,
    pii: Pii = None,
    offensive: Offensive = None,
    quiet: Quiet = False,
) -> None:
    """Only clean the segments of a run folder again and write its outputs; what is not typed stays as it was."""
    from diglot.cli.console import console_for
    from diglot.harvesting import clean_run

    console = console_for(quiet=quiet)
    options = cleaning_options(min_score, keep, drop, pii, offensive)
    _tell_written(clean_run(run, progress=console, **options), console)


def export_command(
    run: RunDir,
    to: Annotated[str, typer.Option("--to", help="formats, comma between: see how-to/formats")] = "tmx",
    langs: Annotated[str, typer.Option("-l", "--langs", help="only pairs of these languages, as in en,fr")] = "",
    variant: Annotated[
        str, typer.Option("--variant", metavar="TAGS", help="what TMX and XLIFF call the languages: en-US,fr-CA")
    ] = "",
    pivot: Annotated[str, typer.Option("--pivot", help="language that tmx-multi joins units by")] = "",
    min_prob: MinProb = 0.0,
    min_score: MinScore = None,
    keep: Keep = None,
    drop: DropFlags = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="folder to write to, - for standard output; RUN/out without it")
    ] = None,
) -> None:
    """Write segments as tmx, tsv, csv, moses, jsonl, parquet, xliff, xliff12, xlsx or vertical text, pages as cesalign,
    all languages in one file as sqlite or tmx-multi."""
    from diglot.corpus.flags import excluded_flags
    from diglot.results.asked_pairs import left_unjoined
    from diglot.results.run import open_run

    excluded = excluded_flags(flag_names(keep or ""), flag_names(drop or "")) if keep or drop else None
    opened, names = open_run(run), list(flag_names(to))
    options: dict[str, Any] = {"min_prob": min_prob, "min_score": min_score, "excluded": excluded}
    options |= {"langs": langs, "variants": variant, "pivot": pivot}
    if out == Path("-"):
        opened.export_text(names, sys.stdout.buffer, **options)
        return
    for path in opened.export(names, out, **options):
        typer.echo(f"wrote {path}")
    if "tmx-multi" in names:
        by, without = left_unjoined(opened.settings, langs, pivot)
        typer.echo(f"tmx-multi joins units by {by}" + (f"; not in it: {without}" if without else ""))


def merge_command(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="finished run folders")],
    out: Out,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Put finished runs together into one; what several of them have is kept once."""
    from diglot.cli.console import console_for
    from diglot.merging import merge

    console = console_for(as_json=as_json, quiet=quiet)
    _tell_written(merge(runs, out, progress=console), console)
