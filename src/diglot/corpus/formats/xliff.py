"""XLIFF, the exchange format of translation tools, versions 2.0 and 1.2: one file element for each page pair.

OASIS standards of 2014 and 2008. Tools with support for 2.0 support 1.2, too, but not the other way round.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, groupby
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from diglot.corpus.characters import clean_text, is_valid_tag
from diglot.corpus.flags import VOUCHED
from diglot.corpus.formats.tmx import SegmentUnit
from diglot.disk.atomic import replacing
from diglot.errors import LanguageError

XLIFF_NAMESPACE = "urn:oasis:names:tc:xliff:document:2.0"
XLIFF12_NAMESPACE = "urn:oasis:names:tc:xliff:document:1.2"
SCORE_DIGITS = 4

_Notes = Iterable[tuple[str, str]]
"""Kind and text of notes; empty notes are not written."""


class _Version(NamedTuple):
    """Writers of the elements in one version of XLIFF."""

    start: Callable[[str, str], str]
    """First lines of the file; called with both languages."""
    file: Callable[[int, SegmentUnit, tuple[str, str], _Notes], str]
    """Start of a file element; called with its number, one of its units, both languages, and notes on the page pair."""
    unit: Callable[[int, SegmentUnit, _Notes], str]
    """A unit; called with its number, the segment, and notes on the segment."""
    file_end: str


def write_xliff(path: str | os.PathLike[str], units: Iterable[SegmentUnit], *, src_lang: str, tgt_lang: str) -> int:
    """Write units in order as XLIFF 2.0; returns how many.

    Notes of a file element have the addresses and the fetch time of the page pair, notes of a unit the score, bead,
    flags and position of the segment, its pages in documents, its variants and the addresses of its copies. A segment
    is ``translated``, and ``reviewed`` if a person judged it right or corrected it. Units with a side of blanks or
    forbidden characters alone are left out. Without units no file is written.

    Raises: LanguageError for an invalid BCP 47 tag; UsageError if ``path`` cannot be written.
    """
    return _write(path, units, (src_lang, tgt_lang), _VERSION_2_0)


def write_xliff12(path: str | os.PathLike[str], units: Iterable[SegmentUnit], *, src_lang: str, tgt_lang: str) -> int:
    """Write units in order as XLIFF 1.2, valid by the strict schema; see :func:`write_xliff`. What a person judged
    right or corrected is ``approved``."""
    return _write(path, units, (src_lang, tgt_lang), _VERSION_1_2)


def _write(
    path: str | os.PathLike[str], units: Iterable[SegmentUnit], langs: tuple[str, str], version: _Version
) -> int:
    for lang in langs:
        if not is_valid_tag(lang):
            raise LanguageError(f"{lang!r} cannot stand in an XLIFF file: use a BCP 47 tag such as en or zh-Hant")
    usable = (unit for unit in units if clean_text(unit.src).strip() and clean_text(unit.tgt).strip())
    # XLIFF requires at least one file element, and without units there is none.
    first = next(usable, None)
    if first is None:
        return 0
    count = 0
    with replacing(path) as handle:
        handle.write(f'<?xml version="1.0" encoding="UTF-8"?>\n{version.start(*langs)}'.encode())
        for number, group in enumerate(_by_pages(chain([first], usable)), start=1):
            of_pages = [(name.replace("_", "-"), getattr(group[0], name)) for name in ("src_url", "tgt_url", "fetched")]
            lines = [version.file(number, group[0], langs, of_pages)]
            lines += [
                version.unit(place, unit, _segment_notes(unit)) for place, unit in enumerate(group, start=count + 1)
            ]
            handle.write("\n".join([*lines, version.file_end]).encode())
            count += len(group)
        handle.write(b"</xliff>\n")
    return count


def _by_pages(units: Iterable[SegmentUnit]) -> Iterator[Sequence[SegmentUnit]]:
    return (list(group) for _, group in groupby(units, lambda unit: (unit.src_url, unit.tgt_url)))


def _segment_notes(unit: SegmentUnit) -> _Notes:
    copies = [("also-at", " ".join(pair)) for pair in zip(unit.other_src_urls, unit.other_tgt_urls, strict=True)]
    return [
        ("score", f"{unit.score:.{SCORE_DIGITS}f}"),
        ("bead", unit.bead),
        ("flags", ",".join(unit.flags)),
        ("position", "" if unit.position is None else str(unit.position)),
        ("src-page", str(unit.src_page or "")),
        ("tgt-page", str(unit.tgt_page or "")),
        ("src-variant", unit.src_variant),
        ("tgt-variant", unit.tgt_variant),
        *copies,
    ]


def _start_2_0(src_lang: str, tgt_lang: str) -> str:
    return f'<xliff xmlns="{XLIFF_NAMESPACE}" version="2.0" srcLang="{src_lang}" trgLang="{tgt_lang}">\n'


def _file_2_0(number: int, unit: SegmentUnit, langs: tuple[str, str], stated: _Notes) -> str:
    return f'<file id="f{number}" original={quoteattr(clean_text(unit.src_url))}>\n{_notes_2_0(stated)}'


def _unit_2_0(number: int, unit: SegmentUnit, stated: _Notes) -> str:
    state = "reviewed" if _is_vouched(unit) else "translated"
    segment = f'<segment state="{state}">{_both(unit)}</segment>'
    return f'<unit id="u{number}">{_notes_2_0(stated)}{segment}</unit>'


def _notes_2_0(stated: _Notes) -> str:
    notes = "".join(f'<note category="{kind}">{escape(clean_text(value))}</note>' for kind, value in stated if value)
    return f"<notes>{notes}</notes>" if notes else ""


def _start_1_2(src_lang: str, tgt_lang: str) -> str:
    return f'<xliff xmlns="{XLIFF12_NAMESPACE}" version="1.2">\n'


def _file_1_2(number: int, unit: SegmentUnit, langs: tuple[str, str], stated: _Notes) -> str:
    original = quoteattr(clean_text(unit.src_url))
    start = f'<file original={original} source-language="{langs[0]}" target-language="{langs[1]}"'
    notes = _notes_1_2(stated)
    return f'{start} datatype="plaintext">\n' + (f"<header>{notes}</header>\n" if notes else "") + "<body>"


def _unit_1_2(number: int, unit: SegmentUnit, stated: _Notes) -> str:
    both = _both(unit).replace("<target>", '<target state="translated">')
    # The default is no: a translation that has not passed its review.
    approved = ' approved="yes"' if _is_vouched(unit) else ""
    return f'<trans-unit id="u{number}"{approved} xml:space="preserve">{both}{_notes_1_2(stated)}</trans-unit>'


def _is_vouched(unit: SegmentUnit) -> bool:
    """Whether a person judged or corrected the segment. It is reviewed, but not final: who gets the file decides that,
    and tools let nobody change what is final."""
    return not set(VOUCHED).isdisjoint(unit.flags)


def _notes_1_2(stated: _Notes) -> str:
    return "".join(f'<note from="{kind}">{escape(clean_text(value))}</note>' for kind, value in stated if value)


_VERSION_2_0 = _Version(_start_2_0, _file_2_0, _unit_2_0, "</file>\n")
_VERSION_1_2 = _Version(_start_1_2, _file_1_2, _unit_1_2, "</body>\n</file>\n")


def _both(unit: SegmentUnit) -> str:
    return f"<source>{escape(clean_text(unit.src))}</source><target>{escape(clean_text(unit.tgt))}</target>"
