"""Commands for all stages of a run, or for a single stage."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from diglot.arguments import ChoiceKeywords, CrawlKeywords, ExportKeywords, ReadKeywords, path_list
from diglot.cli.console import tell_finished, waiting
from diglot.cli.lines import Lines
from diglot.cli.option_groups import takes
from diglot.cli.options import (
    FILES,
    Asked,
    DropFlags,
    EvidenceKinds,
    Jobs,
    Keep,
    LanguagesOrAll,
    MinProb,
    MinScore,
    NewMinScore,
    Out,
    OutOrHost,
    Overwrite,
    PairsOf,
    Quiet,
    RunDir,
    cleaning_options,
    console_options,
    crawl_options,
    json_console_options,
    least_score,
    out_or_host,
    read_options,
    recipe_options,
    run_options,
    split_names,
    typed_options,
    work_options,
)
from diglot.cli.streams import say
from diglot.errors import NothingFound, UsageError
from diglot.layout import count_text, largest_first, names_text


@takes(crawl=crawl_options, asked=run_options, work=work_options, console=json_console_options)
def harvest_command(
    context: typer.Context,
    out: OutOrHost = None,
    source: Annotated[list[str] | None, typer.Argument(help=f"addresses to crawl, {FILES}")] = None,
    langs: LanguagesOrAll = "",
    *,
    asked: Asked,
    crawl: CrawlKeywords,
    work: Asked,
    console: Lines,
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
        crawl = cast(CrawlKeywords, changed)
    if not sources:
        raise UsageError("no SOURCE given: name an address to crawl, a file or a folder, or --config RUN/diglot.toml")
    if not wanted:
        confused = "; --lang is about the language of single pages" if options.get("lang_rules") else ""
        raise UsageError(
            "Missing option '-l' / '--langs': give the languages, as in -l en,fr; -l all takes those found" + confused
        )
    run = harvest(sources, wanted, out_or_host(out, sources), crawl=crawl, progress=console, **options, **work)
    tell_finished(run, console)


@takes(reading=read_options, console=console_options)
def read_command(
    source: Annotated[list[str], typer.Argument(help=FILES)],
    langs: LanguagesOrAll,
    out: Out,
    *,
    reading: ReadKeywords,
    jobs: Jobs = 0,
    overwrite: Overwrite = False,
    console: Lines,
) -> None:
    """Read sources into documents of a run folder: the first step of `harvest`; `pair` is next."""
    from diglot.harvesting import read_sources

    read_sources(source, langs, out, jobs=jobs, overwrite=overwrite, progress=console, **reading)


@takes(asked=recipe_options, console=console_options)
def pair_command(run: RunDir, *, asked: Asked, console: Lines) -> None:
    """Pair the documents of a run folder, by another recipe if you name one; `align` is next."""
    from diglot.harvesting import pair_run
    from diglot.run.work import PAIRS, SEGMENTS

    finished = pair_run(run, progress=console, **asked)
    notes = finished.folder.recall("notes", finished.folder.recall("run", PAIRS) or "") or []
    lines = [f"note      {note}" for note in notes]
    if finished.folder.recall("run", SEGMENTS) is None:
        command = shlex.join(["diglot", "align", str(run)])
        lines.append(f"next      {command}  # segments and outputs are missing, or belong to other pairs")
    console.result({"notes": notes}, "\n".join([*lines, f"wrote     {run / PAIRS}"]))


def text_options(
    *,
    langs: Annotated[str, typer.Option("-l", "--langs", help="languages of the two texts")] = "",
    split: Annotated[bool, typer.Option("--split", help="lines are paragraphs: split them into sentences")] = False,
    to: Annotated[str, typer.Option("--to", help="beads, tsv, tmx or memory; else by the ending of -o")] = "",
    aligner: Annotated[str, typer.Option("--aligner", help="for two texts: lexical or gale_church")] = "lexical",
    evidence: EvidenceKinds = [],  # noqa: B006
) -> dict[str, Any]:
    """Typed options as fields of :class:`diglot.texts.TextOptions`."""
    return {"langs": langs, "split": split, "to": to, "aligner": aligner, "evidence": evidence}


@takes(asked=text_options, console=console_options)
def align_command(
    first: Annotated[Path, typer.Argument(metavar="RUN|SRC", help="a run folder, a text or a document")],
    second: Annotated[Path | None, typer.Argument(metavar="TGT", help="its translation")] = None,
    *,
    asked: Asked,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="file to write, - for standard output; folder of a memory")
    ] = None,
    jobs: Jobs = 0,
    console: Lines,
) -> None:
    """Align the page pairs of a run folder and write its outputs, the last step of `harvest`; or align two files.

    A text has a segment a line. HTML and documents, such as PDF, are split into sentences; they give a TMX and a page
    to read.
    """
    if second is None and first.is_file():
        again = shlex.join(["diglot", "align", str(first), "TRANSLATION", "-l", asked["langs"] or "LANG,LANG"])
        raise UsageError(f"{first}: one file; name its translation beside it: {again}")
    if second is None:
        _refuse_options_of_files(first, asked, out)
        from diglot.harvesting import align_run

        chosen = list(filter(None, asked["evidence"])) if asked["evidence"] else None
        tell_finished(align_run(first, evidence=chosen, jobs=jobs, progress=console), console)
        return
    from diglot.texts import TextOptions, align_files

    out = None if out == Path("-") else out
    written = align_files(first, second, TextOptions(**asked), out=out, tell=lambda note: say(f"note      {note}"))
    if written:
        paths = [str(path) for path in written.paths]
        counts = {"kept": written.kept, "segments": written.found}
        line = f"segments  {written.found:,}: {written.kept:,} kept"
        console.result({"wrote": paths, **counts}, f"{line}\nwrote     {', '.join(paths)}")
    elif out is not None:
        console.result({"wrote": [str(out)]}, f"wrote     {out}")


def _refuse_options_of_files(run: Path, asked: Mapping[str, Any], out: Path | None) -> None:
    """Raise :class:`UsageError` for an option that would change nothing in a run folder."""
    left = {name: value for name, value in text_options().items() if name != "evidence"}
    if out is not None or any(asked[name] != value for name, value in left.items()):
        raise UsageError(
            f"{run}: without a second file, align takes a run folder, and no -l, --split, --to, --aligner or -o; "
            f"`diglot pair {shlex.quote(str(run))} --set aligner=NAME` sets the aligner of a run"
        )


@takes(cleaning=cleaning_options, console=json_console_options)
def clean_command(run: RunDir, min_score: NewMinScore = "", *, cleaning: Asked, console: Lines) -> None:
    """Flag the segments of a run again and write its outputs; options that you leave out keep their values."""
    from diglot.harvesting import clean_run

    score: dict[str, Any] = {"min_score": least_score(min_score)} if min_score else {}
    tell_finished(clean_run(run, progress=console, **score, **cleaning), console)


def choice_options(
    *,
    langs: PairsOf = "",
    min_prob: MinProb = 0.0,
    min_score: MinScore = None,
    keep: Keep = None,
    drop: DropFlags = None,
) -> ChoiceKeywords:
    """Typed options on the segments to export."""
    from diglot.corpus.flags import excluded_flags

    excluded = excluded_flags(split_names(keep or ""), split_names(drop or "")) if keep or drop else None
    return {"langs": langs, "min_prob": min_prob, "min_score": min_score, "excluded": excluded}


def form_options(
    *,
    variant: Annotated[
        str,
        typer.Option(
            "--variant",
            metavar="TAGS",
            help="language tags in TMX and XLIFF: en-US,fr-CA; declared: those of the pages",
        ),
    ] = "",
    pivot: Annotated[str, typer.Option("--pivot", help="language by which tmx-multi joins segments")] = "",
    spreadsheet: Annotated[
        bool,
        typer.Option(
            "--spreadsheet",
            help="csv and tsv: an apostrophe before texts that look like formulas; csv: a byte order mark",
        ),
    ] = False,
) -> ExportKeywords:
    """Typed options on how segments are written."""
    return {"variants": variant, "pivot": pivot, "spreadsheet": spreadsheet}


@takes(chosen=choice_options, form=form_options)
def export_command(
    run: RunDir,
    to: Annotated[
        str, typer.Option("--to", help="formats, with commas between: tmx, xlsx, xliff, csv, jsonl, parquet, moses ...")
    ] = "tmx",
    *,
    chosen: ChoiceKeywords,
    form: ExportKeywords,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="folder to write to, - for standard output; default: RUN/out")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Write the segments of a finished run for other programs, in one format or several."""
    from diglot.corpus.formats import CESALIGN, DOCUMENT_FORMATS
    from diglot.results.run import open_run
    from diglot.results.user_choices import asked_pairs, left_unjoined

    opened, names = open_run(run), list(split_names(to))
    options: ExportKeywords = {**chosen, **form}
    langs, is_told = chosen["langs"], not quiet and out != Path("-")
    paths: list[Path] = []
    if out == Path("-"):
        opened.export_text(names, sys.stdout.buffer, **options)
    else:
        with nullcontext() if quiet else waiting("export", f"writing {to}"):
            paths = opened.export(names, out, **options)
    for path in paths if is_told else ():
        typer.echo(f"wrote {path}")
    is_usual = chosen["min_score"] is None and chosen["excluded"] is None and not chosen["min_prob"]
    kept = opened.summary()["kept"] if is_usual else opened.count_kept(**chosen)
    pairs = asked_pairs(opened.settings, langs)
    if is_told:
        typer.echo(_kept_text(kept, pairs))
    if is_told and "tmx-multi" in names:
        by, without = left_unjoined(opened.settings, langs, form["pivot"])
        typer.echo(f"tmx-multi joins segments by {by}" + (f"; left out: {without}" if without else ""))
    if not any(kept["-".join(pair)] for pair in pairs) and not {*names} <= {CESALIGN, *DOCUMENT_FORMATS}:
        advice = "" if is_usual else " with these limits; lower --min-score or --min-prob, or drop fewer flags"
        raise NothingFound(f"{run}: no segment is kept{advice}")


def _kept_text(kept: Mapping[str, int], pairs: Sequence[tuple[str, str]]) -> str:
    """Number of segments kept of some language pairs; the largest pairs by name."""
    from diglot.outputs.run_text import PAIRS_SHOWN

    counts = {"-".join(pair): kept["-".join(pair)] for pair in pairs}
    named = [f"{n:,} {name}" for name, n in largest_first(counts)[:PAIRS_SHOWN] if n]
    more = ["others"] if len(counts) > PAIRS_SHOWN else []
    empty = [name for name, n in counts.items() if not n]
    none = f"; none in {names_text(empty, PAIRS_SHOWN)}" if empty else ""
    most = f": {', '.join([*named, *more])}" if named else ""
    return f"{count_text(sum(counts.values()), 'segment')} kept{most}{none}"


@takes(console=json_console_options)
def merge_command(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="finished run folders")],
    out: Out,
    *,
    console: Lines,
) -> None:
    """Merge finished runs into one; segments of several runs are kept once."""
    from diglot.merging import merge

    tell_finished(merge(runs, out, progress=console), console)
