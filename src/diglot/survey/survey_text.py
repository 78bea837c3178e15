"""A survey as text for a person, as plain values, and with the next command to type."""

from __future__ import annotations

import dataclasses
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from diglot.language_names import language_name
from diglot.languages import language_pairs, wanted_language
from diglot.layout import count_text, duration_text, largest_first, table_lines
from diglot.pages import Source
from diglot.reasons import REASON_TEXT, Reason
from diglot.survey.sampling import FoundLanguage, Survey
from diglot.threads import cores

ALL_AT_MOST = 6
"""Most languages named in the next command: language pairs grow with the square of their number."""
SHOWN_DECLARED = 3
HEADS = ("language", "pages", "text", "declare it", "declare another")

READ_SHARE = 0.6
"""Time for reading a page in a run with all cores, as a share of the survey's: the survey also pays for starting
processes."""
ALIGN_S_PER_MCHAR = 16.0
"""Seconds of a core from pairing to the report for a million characters on both sides of a language pair; 10 to 30 on
four sites of 98 to 445 pages."""


def languages_text(seen: Survey, typed: Sequence[str]) -> str:
    """Table of the languages, most pages first, then notes and the next command; ``typed``: sources and options as
    typed."""
    rows = [HEADS, *(_row(found, seen.text_chars) for found in seen.languages)]
    lines = table_lines(rows, left=(0, len(HEADS) - 1)) if seen.languages else ["no language found"]
    return "\n".join([*lines, "", *_notes(seen), _last_line(seen, next_command(seen, typed))])


def _row(found: FoundLanguage, all_chars: int) -> tuple[str, ...]:
    name = f"{found.tag} {language_name(found.tag)}"
    others = list(found.declared_other.items())
    named = [f"{lang} {count:,}" for lang, count in others[:SHOWN_DECLARED]]
    rest = sum(count for _, count in others[SHOWN_DECLARED:])
    share = f"{found.chars / max(1, all_chars):.1%}"
    shown = ", ".join(named + ([f"others {rest:,}"] if rest else []))
    return name, f"{found.pages:,}", share, f"{found.declared:,}", shown


def _notes(seen: Survey, asked: Sequence[str] = ()) -> list[str]:
    """Lines on records and pages; ``asked``: languages asked for, which are never left out."""
    if seen.looked_at < seen.pages:
        lines = [f"records   {seen.records:,}: {count_text(seen.pages, 'page')}", *_count_lines(seen.dropped)]
        lines += [_looked_at(seen), *_count_lines(seen.unreadable)]
    else:
        lines = [f"records   {seen.records:,}: {count_text(seen.pages, 'page')} of {count_text(seen.sites, 'site')}"]
        # One reason may drop records before their pages are parsed, and others after.
        lines += _count_lines(dict(largest_first(Counter(seen.dropped) + Counter(seen.unreadable))))
    if seen.unknown:
        lines.append(f"unknown   {count_text(seen.unknown, 'page')} whose language cannot be told")
    if left_out := seen.left_out_text(asked):
        lines.append(left_out.replace("left out: ", "left out  ", 1))
    if unsure := [tag for tag in seen.unsure_languages() if not wanted_language(tag, "", tuple(asked))]:
        lines.append(
            f"unsure    {', '.join(unsure)}: few pages, and none declares it; to leave it out, name the others in -l"
        )
    return [*lines, *(f"note      {note}" for note in seen.notes)]


def _count_lines(reasons: Mapping[str, int]) -> list[str]:
    return [f"{count:>20,}  {REASON_TEXT[Reason(reason)]}" for reason, count in reasons.items()]


def _looked_at(seen: Survey) -> str:
    sites = count_text(seen.sites, "site")
    return f"looked at {seen.looked_at:,} of the pages, chosen by their addresses, of {sites}; what follows is of these"


def _size(size_bytes: int) -> str:
    """Bytes to three digits.

    >>> _size(404_534), _size(1_234_567), _size(12)
    ('405 kB', '1.23 MB', '0.012 kB')
    >>> _size(999_499), _size(999_500), _size(999_499_999), _size(999_999_999), _size(5 * 10**12)
    ('999 kB', '1 MB', '999 MB', '1 GB', '5 TB')
    """
    for power, unit in ((12, "TB"), (9, "GB"), (6, "MB")):
        # From here on, three digits of the next smaller unit would round to 1000.
        if size_bytes >= 0.9995 * 10**power:
            return f"{size_bytes / 10**power:.3g} {unit}"
    return f"{size_bytes / 1000:.3g} kB"


def next_command(seen: Survey, typed: Sequence[str], langs: str = "") -> str:
    """The command for a harvest. ``typed``: sources and options; ``langs``: typed languages, "" for all."""
    found = [each.tag for each in seen.languages]
    command = shlex.join(["diglot", "harvest", *typed])
    if not langs and len(found) < 2:
        return f"{command} -l LANG,LANG -o run, with the languages that you know of"
    chosen = langs or (",".join(found) if len(found) <= ALL_AT_MOST else f"{found[0]},*")
    return f"{command} -l {shlex.quote(chosen)} -o run"


def _last_line(seen: Survey, following: str) -> str:
    """The next command; of sources without a page, advice in its place."""
    if not seen.pages:
        return "nothing to harvest here: no record is a page; name other sources"
    return f"next      {following}"


def plan_text(
    seen: Survey, sources: Sequence[Source], langs: Sequence[str], pivot: str = "", *, following: str = ""
) -> str:
    """Preview of a harvest: records, pages, languages, pairs, size, time; ``following``: the next command."""
    found = pages_by_wanted(seen, langs)
    lines = [f"source    {source.name}: {source.kind}, {_size(source.size_bytes())}" for source in sources[:10]]
    if len(sources) > 10:
        lines.append(f"          and {len(sources) - 10:,} more, {_size(seen.size_bytes)} in all")
    lines += _notes(seen, langs)
    lines.append(f"languages {', '.join(f'{tag} {pages:,}' for tag, pages in found.items()) or 'none found'}")
    if len(langs) > 1:
        pairs = language_pairs(langs, pivot)
        shown = ", ".join(f"{src}-{tgt} {min(found[src], found[tgt]):,}" for src, tgt in pairs[:ALL_AT_MOST])
        more = f", and {len(pairs) - ALL_AT_MOST:,} more language pairs" if len(pairs) > ALL_AT_MOST else ""
        lines.append(f"pairs     at most {shown}{more}")
        lines.append(f"time      about {duration_text(expected_seconds(seen, langs, pivot))} on this machine")
    return "\n".join([*lines, _last_line(seen, following)])


def plan_table(seen: Survey, sources: Sequence[Source], langs: Sequence[str], pivot: str = "") -> dict[str, Any]:
    """The preview as plain values, with the meanings of its reasons."""
    return {
        **survey_table(seen),
        "reason_texts": {each: REASON_TEXT[Reason(each)] for each in sorted({*seen.dropped, *seen.unreadable})},
        "sources": [{"name": each.name, "kind": str(each.kind), "size_bytes": each.size_bytes()} for each in sources],
        "wanted": pages_by_wanted(seen, langs),
        "expected_seconds": round(expected_seconds(seen, langs, pivot), 1) if len(langs) > 1 else None,
    }


def survey_table(seen: Survey) -> dict[str, Any]:
    """A survey as plain values, without times, so the same sources give the same."""
    plain = dataclasses.asdict(seen)
    plain["languages"] = [found._asdict() for found in seen.languages]
    return {name: value for name, value in plain.items() if name not in ("parse_seconds", "read_seconds")}


def pages_by_wanted(seen: Survey, langs: Sequence[str]) -> dict[str, int]:
    """Number of pages of the sample in every wanted language, in every found language where none is wanted."""
    if not langs:
        return {found.tag: found.pages for found in seen.languages}
    pages = dict.fromkeys(langs, 0)
    for tag, count in [*((found.tag, found.pages) for found in seen.languages), *seen.left_out.items()]:
        wanted = wanted_language(tag, "", tuple(langs))
        if wanted:
            pages[wanted] += count
    return pages


def expected_seconds(seen: Survey, langs: Sequence[str], pivot: str = "") -> float:
    """Estimated seconds of a harvest, rather too many than too few: duplicates are not known yet."""
    # Of split pages, more are looked at than there are pages.
    grown = max(1.0, seen.pages / max(1, seen.looked_at))
    chars: Mapping[str, float] = {
        lang: sum(found.chars for found in seen.languages if wanted_language(found.tag, "", (lang,))) for lang in langs
    }
    # The shorter side limits what can be aligned.
    both = sum(2 * min(chars[src], chars[tgt]) for src, tgt in language_pairs(langs, pivot))
    aligning = ALIGN_S_PER_MCHAR * both / 1e6 * grown / cores()
    return seen.read_seconds + seen.parse_seconds * READ_SHARE * grown + aligning
