"""Commands for all stages of a run, or for a single stage."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from diglot.arguments import ExportKeywords, path_list
from diglot.cli.console import tell_finished, waiting
from diglot.cli.lines import Lines
from diglot.cli.options import (
    ANY_FILES,
    AS_USUAL,
    FILES,
    NO_CRAWL,
    PLAIN,
    Asked,
    Config,
    Crawl,
    DropFlags,
    Engine,
    EvidenceKinds,
    Jobs,
    Keep,
    LangFrom,
    LangRules,
    LanguagesOrAll,
    Master,
    MinProb,
    MinScore,
    NewMinScore,
    Offensive,
    OfFiles,
    Out,
    OutOrHost,
    Overwrite,
    PairsOf,
    Pii,
    RecipeChanges,
    RecipeName,
    RunDir,
    cleaning_options,
    flag_names,
    least_score,
    out_or_host,
    recipe_options,
    takes_console_options,
    takes_crawl_options,
    takes_json_options,
    takes_run_options,
    takes_source_options,
    typed_options,
)
from diglot.errors import UsageError
from diglot.layout import count_text, largest_first


@takes_crawl_options()
@takes_run_options
@takes_json_options
def harvest_command(
    context: typer.Context,
    out: OutOrHost = None,
    source: Annotated[list[str] | None, typer.Argument(help=f"addresses to crawl, {FILES}")] = None,
    langs: LanguagesOrAll = "",
    asked: Asked = AS_USUAL,
    crawl: Crawl = NO_CRAWL,
    jobs: Jobs = 0,
    engine: Engine = "local",
    master: Master = "",
    overwrite: Overwrite = False,
    console: Lines = PLAIN,
) -> None:
    """Make translation memories from sources, in one go. After a stop, the same command goes on."""
    from diglot.harvesting import harvest

    sources: Sequence[str] = path_list(source or ())
    wanted: str | Sequence[str] = langs
    options = dict(asked)
    if config := options.pop("config", None):
        from diglot.run.run_config import read_run_config, with_typed

        before = read_run_config(config, sources=bool(sources), langs=bool(langs))
        sources, wanted = sources or before.sources, langs or before.langs
        options, changed = with_typed(before, options, typed_options(context), crawl)
        crawl = cast(Crawl, changed)
    if not sources:
        raise UsageError("no SOURCE given: name an address to crawl, a file or a folder, or --config RUN/diglot.toml")
    if not wanted:
        raise UsageError(
            "Missing option '-l' / '--langs': give the languages, as in -l en,fr; -l all takes those found"
        )
    options |= {"crawl": crawl, "jobs": jobs, "engine": engine, "master": master, "overwrite": overwrite}
    folder = out_or_host(out, sources)
    run = harvest(sources, wanted, folder, progress=console, **options)
    tell_finished(run, console)


@takes_source_options
@takes_console_options
def read_command(
    source: Annotated[list[str], typer.Argument(help=FILES)],
    langs: LanguagesOrAll,
    out: Out,
    of_files: OfFiles = ANY_FILES,
    lang_from: LangFrom = "weighed",
    lang_rules: LangRules = [],  # noqa: B006
    jobs: Jobs = 0,
    overwrite: Overwrite = False,
    console: Lines = PLAIN,
) -> None:
    """Read sources into documents of a run folder: one stage."""
    from diglot.harvesting import read_sources

    read_sources(
        source,
        langs,
        out,
        **of_files,
        lang_from=cast(Any, lang_from),  # checked there
        lang_rules=tuple(lang_rules),
        jobs=jobs,
        overwrite=overwrite,
        progress=console,
    )


@takes_console_options
def pair_command(
    run: RunDir,
    recipe: RecipeName = "",
    changes: RecipeChanges = [],  # noqa: B006
    config: Config = None,
    console: Lines = PLAIN,
) -> None:
    """Pair the documents of a run folder, by another recipe if you name one."""
    from diglot.harvesting import pair_run
    from diglot.run.work import PAIRS, SEGMENTS

    finished = pair_run(run, recipe=recipe, options=recipe_options(changes, config), progress=console)
    notes = finished.folder.recall("notes", finished.folder.recall("run", PAIRS) or "") or []
    lines = [f"note      {note}" for note in notes]
    if finished.folder.recall("run", SEGMENTS) is None:
        lines.append(f"next      diglot align {run}: segments and outputs are missing, or belong to other pairs")
    console.result({"notes": notes}, "\n".join([*lines, f"wrote     {run / PAIRS}"]))


@takes_console_options
def align_command(
    first: Annotated[Path, typer.Argument(metavar="RUN|SRC", help="a run folder, a text or a document")],
    second: Annotated[Path | None, typer.Argument(metavar="TGT", help="its translation")] = None,
    langs: Annotated[str, typer.Option("-l", "--langs", help="languages of the two texts")] = "",
    split: Annotated[bool, typer.Option("--split", help="lines are paragraphs: split them into sentences")] = False,
    to: Annotated[str, typer.Option("--to", help="beads (of texts), tsv, tmx or memory (of documents)")] = "",
    aligner: Annotated[str, typer.Option("--aligner", help="for two texts: lexical or gale_church")] = "lexical",
    evidence: EvidenceKinds = [],  # noqa: B006
    out: Annotated[Path | None, typer.Option("-o", "--out", help="file to write; folder of a memory")] = None,
    jobs: Jobs = 0,
    console: Lines = PLAIN,
) -> None:
    """Align the page pairs of a run folder, with other evidence if you name it, or two files.

    A text has a segment a line. HTML and documents, such as PDF, are split into sentences: a memory in TMX, and a page.
    """
    if second is None and first.is_file():
        again = shlex.join(["diglot", "align", str(first), "TRANSLATION", "-l", langs or "LANG,LANG"])
        raise UsageError(f"{first}: one file; name its translation beside it: {again}")
    if second is None:
        from diglot.harvesting import align_run

        chosen = list(filter(None, evidence)) if evidence else None
        tell_finished(align_run(first, evidence=chosen, jobs=jobs, progress=console), console)
        return
    from diglot.texts import TextOptions, align_files

    options = TextOptions(langs=langs, split=split, to=to, aligner=aligner, evidence=evidence)
    written = align_files(first, second, options, out=out)
    if written:
        paths = [str(path) for path in written.paths]
        counts = {"kept": written.kept, "segments": written.found}
        told = f"segments  {written.found:,}: {written.kept:,} kept"
        console.result({"wrote": paths, **counts}, f"{told}\nwrote     {', '.join(paths)}")
    elif out is not None:
        console.result({"wrote": [str(out)]}, f"wrote     {out}")


@takes_console_options
def clean_command(
    run: RunDir,
    min_score: NewMinScore = "",
    keep: Keep = None,
    drop: DropFlags = None,
    pii: Pii = None,
    offensive: Offensive = None,
    console: Lines = PLAIN,
) -> None:
    """Flag the segments of a run again and write its outputs; options that you leave out keep their values."""
    from diglot.harvesting import clean_run

    options = cleaning_options(None, keep, drop, pii, offensive)
    if min_score:
        options["min_score"] = least_score(min_score)
    tell_finished(clean_run(run, progress=console, **options), console)


def export_command(
    run: RunDir,
    to: Annotated[
        str, typer.Option("--to", help="formats, with commas between: tmx, xlsx, xliff, csv, jsonl, parquet, moses ...")
    ] = "tmx",
    langs: PairsOf = "",
    variant: Annotated[
        str,
        typer.Option(
            "--variant",
            metavar="TAGS",
            help="language tags in TMX and XLIFF: en-US,fr-CA; declared: those of the pages",
        ),
    ] = "",
    pivot: Annotated[str, typer.Option("--pivot", help="language by which tmx-multi joins segments")] = "",
    min_prob: MinProb = 0.0,
    min_score: MinScore = None,
    keep: Keep = None,
    drop: DropFlags = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="folder to write to, - for standard output; default: RUN/out")
    ] = None,
    spreadsheet: Annotated[
        bool,
        typer.Option(
            "--spreadsheet",
            help="csv and tsv: an apostrophe before texts that look like formulas; csv: a byte order mark",
        ),
    ] = False,
) -> None:
    """Write the segments of a finished run for other programs, in one format or several."""
    from diglot.corpus.flags import excluded_flags
    from diglot.results.run import open_run
    from diglot.results.user_choices import asked_pairs, left_unjoined

    excluded = excluded_flags(flag_names(keep or ""), flag_names(drop or "")) if keep or drop else None
    opened, names = open_run(run), list(flag_names(to))
    options: ExportKeywords = {
        "min_prob": min_prob,
        "min_score": min_score,
        "excluded": excluded,
        "langs": langs,
        "variants": variant,
        "pivot": pivot,
        "spreadsheet": spreadsheet,
    }
    if out == Path("-"):
        opened.export_text(names, sys.stdout.buffer, **options)
        return
    with waiting("export", f"writing {to}"):
        paths = opened.export(names, out, **options)
    for path in paths:
        typer.echo(f"wrote {path}")
    if min_score is None and excluded is None and not min_prob:
        kept = opened.summary()["kept"]
    else:
        kept = opened.count_kept(langs, min_prob=min_prob, min_score=min_score, excluded=excluded)
    typer.echo(_kept_text(kept, asked_pairs(opened.settings, langs)))
    if "tmx-multi" in names:
        by, without = left_unjoined(opened.settings, langs, pivot)
        typer.echo(f"tmx-multi joins segments by {by}" + (f"; left out: {without}" if without else ""))


def _kept_text(kept: Mapping[str, int], pairs: Sequence[tuple[str, str]]) -> str:
    """Number of segments kept of some language pairs; the largest pairs by name."""
    from diglot.outputs.run_text import PAIRS_SHOWN

    counts = {"-".join(pair): kept["-".join(pair)] for pair in pairs}
    named = [f"{n:,} {name}" for name, n in largest_first(counts)[:PAIRS_SHOWN] if n]
    more = ["others"] if len(counts) > PAIRS_SHOWN else []
    whole = count_text(sum(counts.values()), "segment")
    return f"{whole} kept: {', '.join([*named, *more])}" if named else f"{whole} kept"


@takes_json_options
def merge_command(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="finished run folders")],
    out: Out,
    console: Lines = PLAIN,
) -> None:
    """Merge finished runs into one; segments of several runs are kept once."""
    from diglot.merging import merge

    tell_finished(merge(runs, out, progress=console), console)
