"""``diglot stats`` and ``diglot search``: numbers and segments of a finished run."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from diglot.cli.options import Json, PairsOf, RunDir
from diglot.cli.streams import say
from diglot.layout import largest_first

if TYPE_CHECKING:
    from diglot.results.search import Hit, Span
    from diglot.results.stats import PairStats, Stats

NO_HIT = 1
"""Exit code of a search without a hit, as grep's."""


def stats_command(run: RunDir, as_json: Json = False) -> None:
    """Print numbers of a finished run: pages, segments and words by language, scores, segments left out, sites."""
    from diglot.results.stats import stats

    found = stats(run)
    typer.echo(json.dumps(found, ensure_ascii=False) if as_json else stats_text(found))


def stats_text(found: Stats) -> str:
    """The numbers of :func:`diglot.results.stats.stats` as tables."""
    from diglot.corpus.flags import flag_meaning
    from diglot.corpus.flags.keeping import BELOW_MIN_SCORE
    from diglot.layout import table_lines
    from diglot.outputs.run_text import site_lines
    from diglot.reasons import REASON_TEXT

    pages, pairs = found["pages"], found["pairs"]
    lines = [f"{pages['pages']:,} pages: {pages['used']:,} used, {pages['pages'] - pages['used']:,} dropped"]
    if pages["dropped"]:
        lines += ["", *_table_with_meanings("dropped", "pages", pages["dropped"], REASON_TEXT)]
    lines += ["", *table_lines([("language", "pages"), *_counts(found["documents_by_language"])])]
    rows: list[tuple[str, ...]] = [("pair", "page pairs", "segments", "kept", "words")]
    shown = {name: pairs[name] for name in largest_pairs(pairs)}
    for name, pair in shown.items():
        words = ", ".join(f"{n:,} {lang}" for lang, n in pair["words"].items())
        rows.append((name, *(f"{pair[key]:,}" for key in ("page_pairs", "segments", "kept")), words))
    lines += ["", *table_lines(rows)]
    if len(pairs) > len(shown):
        lines += [f"and {len(pairs) - len(shown):,} more language pairs: --json", "", "segments kept"]
        lines += table_lines(matrix_rows(pairs))
    bands: list[tuple[str, ...]] = [("score", *next(iter(pairs.values()))["scores"])]
    bands += [(name, *(f"{n:,}" for n in pair["scores"].values())) for name, pair in shown.items()]
    lines += ["", "segments without an excluding flag, by score", *table_lines(bands)]
    meanings = {flag: flag_meaning(flag) for flag in [*found["left_out"], *found["warned"]]}
    meanings[BELOW_MIN_SCORE] = "a score below --min-score"
    lines += ["", *_table_with_meanings("left out", "segments", found["left_out"], meanings)]
    if found["warned"]:
        lines += ["", *_table_with_meanings("kept with a warning", "segments", found["warned"], meanings)]
    if sites := site_lines(found["sites"]):
        lines += ["", *sites]
    return "\n".join(lines)


def largest_pairs(pairs: Mapping[str, PairStats]) -> list[str]:
    """Names of all language pairs; of more than :data:`PAIRS_SHOWN`, those with most segments kept."""
    from diglot.outputs.run_text import PAIRS_SHOWN

    if len(pairs) <= PAIRS_SHOWN:
        return list(pairs)
    return [name for name, _ in largest_first({name: pair["kept"] for name, pair in pairs.items()})][:PAIRS_SHOWN]


def matrix_rows(pairs: Mapping[str, PairStats]) -> list[tuple[str, ...]]:
    """Kept segments of language pairs as a table of source by target languages."""
    kept = {(langs[0], langs[-1]): pair["kept"] for pair in pairs.values() if (langs := [*pair["words"]])}
    sources, targets = (list(dict.fromkeys(names)) for names in zip(*kept, strict=True))
    cells = ((src, *(f"{kept[src, tgt]:,}" if (src, tgt) in kept else "" for tgt in targets)) for src in sources)
    return [("", *targets), *cells]


def _table_with_meanings(title: str, unit: str, counts: dict[str, int], meanings: Mapping[Any, str]) -> list[str]:
    """A table of codes with counts and meanings, the most frequent code first; ``unit``: plural noun for the counts."""
    from diglot.layout import table_lines

    rows = [(*row, meanings[row[0]]) for row in _counts(counts)]
    return table_lines([(title, unit, ""), *rows], left=(0, 2))


def _counts(counts: dict[str, int]) -> list[tuple[str, ...]]:
    return [(name, f"{n:,}") for name, n in largest_first(counts) if n]


def search_command(
    run: RunDir,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="text to search for, in either language")],
    word: Annotated[bool, typer.Option("--word", "-w", help="whole words only")] = False,
    regex: Annotated[bool, typer.Option("--regex", "-E", help="TEXT is a regular expression")] = False,
    langs: PairsOf = "",
    limit: Annotated[int, typer.Option("--limit", min=0, help="largest number of segments; 0: all")] = 0,
    everything: Annotated[bool, typer.Option("--all", help="also search segments left out")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object a line")] = False,
) -> None:
    """Print segments of a finished run that contain a text, ignoring case and accents. Exit code 1 without a hit."""
    from diglot.results.search import search

    hits = search(run, text, word=word, regex=regex, langs=langs, everything=everything)
    marked = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    found = False
    for hit in islice(hits, min(limit, sys.maxsize) or None):
        typer.echo(json.dumps(hit.plain(), ensure_ascii=False) if as_json else hit_text(hit, marked=marked))
        found = True
    if not found:
        if not everything:
            say(f"no kept segment has {text!r}; --all looks in those left out, too")
        raise typer.Exit(NO_HIT)


def hit_text(hit: Hit, *, marked: bool) -> str:
    """Both sides of a segment with score and addresses; ``marked``: hits in colour, for a terminal."""
    flags = f"  {','.join(hit.flags)}" if hit.flags else ""
    width = max(len(hit.src_lang), len(hit.tgt_lang))
    lines = [f"score {hit.score:.4f}{flags}"]
    src = hit.src_lang, hit.src, hit.src_url, hit.src_spans
    tgt = hit.tgt_lang, hit.tgt, hit.tgt_url, hit.tgt_spans
    for lang, text, url, spans in (src, tgt):
        lines.append(f"  {lang:<{width}}  {_with_marks(text, spans) if marked else text}")
        lines.append(f"  {'':<{width}}  {url}")
    return "\n".join(lines)


def _with_marks(text: str, spans: Iterable[Span]) -> str:
    parts, end = [], 0
    for start, stop in spans:
        parts += [text[end:start], typer.style(text[start:stop], fg="red", bold=True)]
        end = stop
    return "".join([*parts, text[end:]])
