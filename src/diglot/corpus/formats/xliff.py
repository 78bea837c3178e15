"""XLIFF 2.0, the exchange format of translation tools (OASIS standard, 2014): one file element a page pair."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import groupby
from typing import BinaryIO
from xml.sax.saxutils import escape, quoteattr

from diglot.corpus.characters import clean_text, is_valid_tag
from diglot.corpus.formats.tmx import SegmentUnit
from diglot.disk.atomic import replacing
from diglot.errors import LanguageError

XLIFF_NAMESPACE = "urn:oasis:names:tc:xliff:document:2.0"
SCORE_DIGITS = 4


def write_xliff(path: str | os.PathLike[str], units: Iterable[SegmentUnit], *, src_lang: str, tgt_lang: str) -> int:
    """Write units in order; returns how many.

    What belongs to a page pair (addresses, time of the fetch) stands in notes of its file element, what
    belongs to a segment (score, bead, flags, position) in notes of its unit. XLIFF knows no document without
    units: none gives no file at all. A unit with a side that holds nothing but forbidden characters is left out.

    Raises: LanguageError for a language that is no BCP 47 tag; UsageError where ``path`` cannot be written.
    """
    for lang in (src_lang, tgt_lang):
        if not is_valid_tag(lang):
            raise LanguageError(f"{lang!r} cannot stand in an XLIFF file: use a BCP 47 tag such as en or zh-Hant")
    usable = (unit for unit in units if _text(unit.src).strip() and _text(unit.tgt).strip())
    first = next(usable, None)
    if first is None:
        return 0
    with replacing(path) as handle:
        return _write(handle, _chain(first, usable), src_lang, tgt_lang)


def _chain(first: SegmentUnit, rest: Iterable[SegmentUnit]) -> Iterable[SegmentUnit]:
    yield first
    yield from rest


def _write(handle: BinaryIO, units: Iterable[SegmentUnit], src_lang: str, tgt_lang: str) -> int:
    handle.write(
        f'<?xml version="1.0" encoding="UTF-8"?>\n<xliff xmlns="{XLIFF_NAMESPACE}" version="2.0" '
        f'srcLang="{src_lang}" trgLang="{tgt_lang}">\n'.encode()
    )
    count = 0
    for number, (_, group) in enumerate(groupby(units, lambda unit: (unit.src_url, unit.tgt_url)), start=1):
        lines: list[str] = []
        for unit in group:
            count += 1
            if not lines:
                lines.append(f'<file id="f{number}" original={quoteattr(_text(unit.src_url))}>')
                page = (("src-url", unit.src_url), ("tgt-url", unit.tgt_url), ("fetched", unit.fetched))
                lines.append(_notes(page))
            lines.append(_unit(count, unit))
        handle.write("\n".join([*lines, "</file>\n"]).encode())
    handle.write(b"</xliff>\n")
    return count


def _unit(number: int, unit: SegmentUnit) -> str:
    copies = [("also-at", " ".join(pair)) for pair in zip(unit.other_src_urls, unit.other_tgt_urls, strict=True)]
    stated = [
        ("score", f"{unit.score:.{SCORE_DIGITS}f}"),
        ("bead", unit.bead),
        ("flags", ",".join(unit.flags)),
        ("position", "" if unit.position is None else str(unit.position)),
        ("src-variant", unit.src_variant),
        ("tgt-variant", unit.tgt_variant),
        *copies,
    ]
    source, target = escape(_text(unit.src)), escape(_text(unit.tgt))
    segment = f'<segment state="translated"><source>{source}</source><target>{target}</target></segment>'
    return f'<unit id="u{number}">{_notes(stated)}{segment}</unit>'


def _notes(stated: Iterable[tuple[str, str]]) -> str:
    notes = "".join(f'<note category="{kind}">{escape(_text(value))}</note>' for kind, value in stated if value)
    return f"<notes>{notes}</notes>" if notes else ""


def _text(text: str) -> str:
    return clean_text(text)[0]
