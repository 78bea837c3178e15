"""A finished run in words: funnel, files, and the commands to type next."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from diglot import svg
from diglot.arguments import MANY_PAIRS
from diglot.corpus.flags import flag_meaning
from diglot.documents.language import UNDETERMINED
from diglot.layout import estimate_text, names_text, share_text, table_lines
from diglot.outputs.corpus_files import KINDS, OUT
from diglot.outputs.funnel import SITE_COUNTS
from diglot.reasons import REASON_TEXT, Reason
from diglot.report import REPORT
from diglot.run.log import LOG

SITE_HEADS = (*SITE_COUNTS[:-1], "segments kept")
SITES_SHOWN = 10
NOTES_SHOWN = 10
FILES_NAMED = 12
LANGUAGES_NAMED = 3
PAIRS_SHOWN = 10
"""Most language pairs with a line each, the largest of more; of the rest their sum."""
NEXT = (
    ("diglot open {run}", "look at pairs and segments"),
    ("diglot sample {run}", "some segments to judge by hand"),
    ("diglot export {run} --to xliff,xlsx", "other formats"),
)
"""Commands to type after a run, and what they are for."""


def finished_text(
    run: Path, summary: dict[str, Any], options: Mapping[str, Any] | None = None, columns: int | None = None
) -> str:
    """The funnel of a finished run, its files, and the next commands.

    ``options``: of the run, for a long text with all options and all sites; ``columns``: width of the screen.
    """
    below = [] if options is None else _option_lines(options, summary["recipe"])
    below += [*_file_lines(run, summary["kept"]), *_next_lines(run)]
    sites_shown = SITES_SHOWN if options is None else None
    return "\n".join([funnel_text(summary, sites_shown=sites_shown, columns=columns), *below])


def funnel_text(summary: dict[str, Any], *, sites_shown: int | None = SITES_SHOWN, columns: int | None = None) -> str:
    """The funnel in lines of text. ``sites_shown``: most sites to show, None for all; ``columns``: screen width."""
    languages = ", ".join(f"{lang} {n:,}" for lang, n in Counter(summary["documents_by_language"]).most_common())
    dropped = sum(summary["dropped"].values())
    found = [pair for pair, n in summary["pairs"].items() if n]
    lines = [
        f"pages     {summary['pages']:,} records: {summary['used']:,} used, {dropped:,} dropped",
        *_count_lines((n, _reason_text(summary, reason)) for reason, n in Counter(summary["dropped"]).most_common()),
        f"languages {languages or 'none'}",
        *_pair_lines(summary, found),
        *_segment_lines(summary, found),
        *site_lines(summary.get("sites", ()), sites_shown, columns),
    ]
    notes = summary.get("notes", ())
    shown = notes if sites_shown is None else notes[:NOTES_SHOWN]
    lines += [f"note      {note}" for note in shown]
    lines += [f"          and {len(notes) - len(shown):,} more, in out/summary.json"] if len(shown) < len(notes) else []
    return "\n".join(lines)


def _reason_text(summary: Mapping[str, Any], reason: str) -> str:
    """Why pages were dropped; of those in another language the languages, the most frequent first."""
    if reason != Reason.OTHER_LANGUAGE:
        return REASON_TEXT[Reason(reason)]
    pairs = [f"-{pair}-" for pair in summary["pairs"]]
    counts = Counter(summary["documents_by_language"]).most_common()
    others = {lang: n for lang, n in counts if lang != UNDETERMINED and not any(f"-{lang}-" in pair for pair in pairs)}
    named = list(others)[:LANGUAGES_NAMED]
    have_most = 2 * sum(others[lang] for lang in named) > sum(others.values())
    which = f"most in {', '.join(named)}" if have_most else f"{len(others):,} others, such as {', '.join(named)}"
    return f"{REASON_TEXT[Reason.OTHER_LANGUAGE]}{f' ({which})' if others else ''}"


def _pair_lines(summary: Mapping[str, Any], found: Sequence[str]) -> list[str]:
    """Page pairs and candidates, in all and by language pair, with estimated precision and recall."""
    estimate_of, pairs = summary.get("estimates", {}), summary["pairs"]
    whole = estimate_of.get("all", {})
    estimated = f": estimated {text}" if (text := estimate_text(whole)) else ""
    lines = [
        f"pairs     {sum(pairs.values()):,} page pairs out of {summary['candidates'] or 0:,} candidates{estimated}"
    ]
    # A single language pair would only repeat the line above.
    repeats = len(found) == 1 and estimate_of.get(found[0]) == whole
    own = {pair: "" if repeats else estimate_text(estimate_of.get(pair, {})) for pair in found}
    word = "" if estimated else "estimated "
    texts = {pair: f"{pair}: {word}{text}" if text else pair for pair, text in own.items()}
    lines += largest_lines(pairs, texts if len(pairs) > 1 else {})
    empty = [pair for pair in pairs if pair not in found]
    return [*lines, f"            no pairs for: {names_text(empty, PAIRS_SHOWN)}"] if found and empty else lines


def largest_lines(counts: Mapping[str, int], texts: Mapping[str, str]) -> list[str]:
    """A line for each of the language pairs in ``texts``; of many, the largest pairs and a line for the rest."""
    if len(texts) <= PAIRS_SHOWN:
        return _count_lines((counts[pair], text) for pair, text in texts.items())
    ordered = sorted(texts, key=lambda pair: (-counts[pair], pair))
    rest = ordered[PAIRS_SHOWN:]
    sum_of_rest = (
        sum(counts[pair] for pair in rest),
        f"in {len(rest):,} more language pairs, which `diglot stats` shows",
    )
    return _count_lines([*((counts[pair], texts[pair]) for pair in ordered[:PAIRS_SHOWN]), sum_of_rest])


def _segment_lines(summary: Mapping[str, Any], found: Sequence[str]) -> list[str]:
    """Lines on aligned, kept and left-out segments, each segment counted once; then warnings on kept segments."""
    aligned, kept = (sum(summary[name].values()) for name in ("segments", "kept"))
    right = summary.get("kept_right", {})
    lines = [f"segments  {aligned:,} aligned: {kept:,} kept, {aligned - kept:,} left out"]
    if kept:
        # Of 93 sites read by hand, the estimate was off by more than a tenth on 40 (decision 82).
        rough = ": an estimated {} right in every word; a single site may have a tenth more or less"
        lines.append(f"          kept{_share_text(right.get('all'), rough)}")
        # The share of a single language pair would only repeat the line above.
        own = {pair: right.get(pair) if len(found) > 1 else None for pair in found}
        texts = {pair: f"{pair}{_share_text(share, ': {} right')}" for pair, share in own.items()}
        lines += largest_lines(summary["kept"], texts if len(summary["kept"]) > 1 else {})
    if aligned > kept:
        lines.append("          left out, each counted once, under its first flag that excludes")
        lines += _flag_lines(summary["left_out"])
    if below := summary["below_min_score"]:
        lines += _count_lines([(below, f"score below {summary['min_score']:g} (--min-score), no flag that excludes")])
    if summary["warned"]:
        lines.append("          kept with a flag that warns; a segment may have several")
        lines += _flag_lines(summary["warned"])
    return lines


def _flag_lines(flags: dict[str, int]) -> list[str]:
    # Flags of equal counts stand by name; the summary lists them by the order in which they exclude.
    return _count_lines(
        (n, f"{flag}: {flag_meaning(flag)}") for flag, n in Counter(dict(sorted(flags.items()))).most_common()
    )


def _count_lines(rows: Iterable[tuple[int, str]]) -> list[str]:
    return [f"            {n:>8,}  {text}" for n, text in rows]


def _share_text(share: float | None, words: str) -> str:
    return "" if share is None else words.format(share_text(share, 0))


def site_lines(
    sites: Sequence[dict[str, Any]], most: int | None = SITES_SHOWN, columns: int | None = None
) -> list[str]:
    """Lines on the first ``most`` sites (None: all), nothing for a single site.

    A table, or a sentence for every site where the table is wider than ``columns``.
    """
    if len(sites) < 2:
        return []
    shown = sites[:most]
    rows = [("", *SITE_HEADS), *((row["site"], *(f"{row[name]:,}" for name in SITE_COUNTS)) for row in shown)]
    lines = table_lines(rows)
    if columns is not None and 10 + max(map(len, lines)) > columns:
        counts = (", ".join(f"{n} {head}" for n, head in zip(cells, SITE_HEADS, strict=True)) for _, *cells in rows[1:])
        lines = [f"{row['site']}: {text}" for row, text in zip(shown, counts, strict=True)]
    if len(sites) > len(shown):
        lines.append(f"and {len(sites) - len(shown):,} more")
    return [f"{'' if number else 'sites':<10}{line}" for number, line in enumerate(lines)]


def funnel_picture(summary: Mapping[str, Any], title: str, notes: Sequence[str] = ()) -> str:
    """The funnel as HTML: a bar for every step from records to kept segments, and the first notes below."""
    pages = [_bar("records read", {"": summary["pages"]}), _bar("pages used", {"": summary["used"]})]
    segments = [_bar("segments aligned", summary["segments"]), _bar("segments kept", summary["kept"])]
    funnel = svg.bars([*pages, _bar("page pairs", summary["pairs"])], title=title) + svg.bars(segments)
    shown = [f"Note: {note}" for note in notes[:NOTES_SHOWN]]
    more = [f"{len(notes) - NOTES_SHOWN:,} more in .notes"] if len(notes) > NOTES_SHOWN else []
    return funnel + "".join(map(svg.line, [*shown, *more]))


def _bar(name: str, counts: Mapping[str, int]) -> tuple[str, int, str]:
    """Name, length and label of a bar for a sum of counts."""
    of_pairs = [f"{pair} {n:,}" for pair, n in counts.items() if pair]
    return name, sum(counts.values()), ", ".join([f"{sum(counts.values()):,}", *of_pairs])


def _option_lines(options: Mapping[str, Any], signature: str) -> list[str]:
    plain = {name: ",".join(value) if isinstance(value, list) else value for name, value in options.items()}
    lines = [f"{name} = {value}" for name, value in plain.items() if value not in ("", {})]
    return [f"{'' if number else 'options':<9} {line}" for number, line in enumerate([*lines, signature])]


def _file_lines(run: Path, kept: Mapping[str, int]) -> list[str]:
    has_folders = any((run / OUT / "tmx").glob("*.tmx"))
    memories = [f"{'tmx/' if has_folders else ''}{pair}*.tmx" for pair, count in kept.items() if count]
    paths = [path for pattern in memories for path in sorted((run / OUT).glob(pattern))]
    names = [path.relative_to(run / OUT).as_posix() for path in paths]
    left = len(names) - FILES_NAMED
    shown = [*names[:FILES_NAMED], *([f"{left:,} more"] if left > 0 else [])]
    others = "segments.*.tsv, pairs.*.tsv, conflicts.*.tsv, pages.tsv, summary.json"
    if has_folders:
        others = "segments/, pairs/, conflicts/, pages.tsv, summary.json"
    elif len(kept) > MANY_PAIRS:
        others += f"; {len(KINDS) * len(kept):,} files, which `diglot harvest --folders` puts into four folders"
    return [f"wrote     {run / OUT}: {', '.join([*shown, others])}", f"          {run / REPORT}, {run / LOG}"]


def _next_lines(run: Path) -> list[str]:
    commands = (f"{command.format(run=shlex.quote(str(run)))}  # {what}" for command, what in NEXT)
    return [f"{'' if number else 'next':<9} {command}" for number, command in enumerate(commands)]
