"""Commands that look into a finished run: its numbers, and segments that contain a text."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from diglot.cli.options import Json, PairsOf, RunDir
from diglot.layout import largest_first

if TYPE_CHECKING:
    from diglot.results.search import Hit, Span

NOT_FOUND = 1
"""Exit code of a search without a hit, as grep's."""


def stats_command(run: RunDir, as_json: Json = False) -> None:
    """Numbers of a finished run: pages, segments and words by language, scores, what was left out, sites."""
    from diglot.results.run import open_run
    from diglot.results.stats import run_stats

    found = run_stats(open_run(run))
    typer.echo(json.dumps(found, ensure_ascii=False) if as_json else stats_text(found))


def stats_text(found: dict[str, Any]) -> str:
    """The numbers of :func:`diglot.results.stats.run_stats` as tables."""
    from diglot.layout import table_lines
    from diglot.outputs.run_text import site_lines

    pages, pairs = found["pages"], found["pairs"]
    lines = [f"{pages['pages']:,} pages: {pages['used']:,} used, {pages['pages'] - pages['used']:,} dropped"]
    lines += ["", *table_lines([("dropped", "pages"), *_counts(pages["dropped"])])] if pages["dropped"] else []
    lines += ["", *table_lines([("language", "pages"), *_counts(found["documents_by_language"])])]
    rows = [("pair", "page pairs", "segments", "kept", "words")]
    for name, told in pairs.items():
        words = ", ".join(f"{n:,} {lang}" for lang, n in told["words"].items())
        rows.append((name, *(f"{told[key]:,}" for key in ("page_pairs", "segments", "kept")), words))
    lines += ["", *table_lines(rows)]
    bands = [("score", *next(iter(pairs.values()))["scores"])]
    bands += [(name, *(f"{n:,}" for n in told["scores"].values())) for name, told in pairs.items()]
    lines += ["", "segments that no flag excludes, by score", *table_lines(bands)]
    lines += ["", *table_lines([("left out", "segments"), *_counts(found["left_out"])])]
    if found["warned"]:
        lines += ["", *table_lines([("kept with a warning", "segments"), *_counts(found["warned"])])]
    if sites := site_lines(found["sites"]):
        lines += ["", *sites]
    return "\n".join(lines)


def _counts(counts: dict[str, int]) -> list[tuple[str, ...]]:
    return [(name, f"{n:,}") for name, n in largest_first(counts) if n]


def search_command(
    run: RunDir,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="what to look for, in either language")],
    word: Annotated[bool, typer.Option("--word", "-w", help="only as whole words")] = False,
    regex: Annotated[bool, typer.Option("--regex", "-E", help="TEXT is a regular expression")] = False,
    langs: PairsOf = "",
    limit: Annotated[int, typer.Option("--limit", min=0, help="at most so many segments; 0: all")] = 0,
    everything: Annotated[bool, typer.Option("--all", help="segments that were left out, too")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON object a line")] = False,
) -> None:
    """Segments of a finished run that contain a text, whatever its case and accents; exit code 1 where none does."""
    from diglot.results.run import open_run
    from diglot.results.search import search

    hits = search(open_run(run), text, word=word, regex=regex, langs=langs, everything=everything)
    marked = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    found = False
    for hit in islice(hits, limit or None):
        typer.echo(json.dumps(hit.plain(), ensure_ascii=False) if as_json else hit_text(hit, marked=marked))
        found = True
    if not found:
        raise typer.Exit(NOT_FOUND)


def hit_text(hit: Hit, *, marked: bool) -> str:
    """Both sides of a segment with score and addresses; ``marked``: what was found stands out in a terminal."""
    row = hit.row
    flags = f"  {','.join(row['flags'])}" if row["flags"] else ""
    width = max(len(row["src_lang"]), len(row["tgt_lang"]))
    lines = [f"score {row['score']:.4f}{flags}"]
    for side, spans in (("src", hit.src_spans), ("tgt", hit.tgt_spans)):
        text = _with_marks(row[side], spans) if marked else row[side]
        lines.append(f"  {row[f'{side}_lang']:<{width}}  {text}")
        lines.append(f"  {'':<{width}}  {row[f'{side}_url']}")
    return "\n".join(lines)


def _with_marks(text: str, spans: Iterable[Span]) -> str:
    parts, end = [], 0
    for start, stop in spans:
        parts += [text[end:start], typer.style(text[start:stop], fg="red", bold=True)]
        end = stop
    return "".join([*parts, text[end:]])
