"""Multilingual units: segments of several language pairs, joined by their text in one language, the pivot.

Two segments join if they have the same pivot text on the same page; pages of copies count, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import pyarrow as pa

from diglot.corpus.formats.tables import rows_of
from diglot.corpus.formats.tmx import Side
from diglot.corpus.shown_segments import shown_segments
from diglot.no_breaks import plain_blanks

_COLUMNS = ("lang", "text", "url", "variant", "page")
_SHARED = ("score", "bead", "flags", "fetched", "position")


class _Row(NamedTuple):
    """A segment as seen from the pivot."""

    pivot: Side
    other: Side
    position: int
    places: frozenset[str]
    """Addresses of the pages with the pivot text."""


@dataclass(slots=True)
class _Unit:
    """Rows of different languages with the same pivot text; ``places``: pages common to all."""

    rows: list[_Row]
    places: frozenset[str]
    languages: set[str] = field(default_factory=set)

    def can_take(self, row: _Row) -> bool:
        return row.other.lang not in self.languages and bool(self.places & row.places)

    def take(self, row: _Row) -> None:
        self.rows.append(row)
        self.places &= row.places
        self.languages.add(row.other.lang)


def joined_units(segments: Iterable[pa.Table], pivot: str, langs: Sequence[str]) -> Iterator[list[Side]]:
    """Units of two languages or more, the pivot first, then the languages in the order of ``langs``.

    ``segments``: kept segments, :data:`diglot.records.FLAGGED_SCHEMA`; pairs without the pivot are left out. Of several
    translations into one language the best scored joins; every further translation begins another unit. Units are
    sorted by the pages of the pivot and the order of the text on the page. All rows are in memory.
    """
    of_text: dict[str, list[_Row]] = {}
    for table in segments:
        for row in _rows(table, pivot):
            of_text.setdefault(plain_blanks(row.pivot.text), []).append(row)
    units = [unit for rows in of_text.values() for unit in _join_rows(rows)]
    place = {lang: number for number, lang in enumerate(langs)}
    for unit in sorted(units, key=_order):
        first = min(unit.rows, key=lambda row: (row.pivot.url not in unit.places, row.pivot.url))
        url = first.pivot.url if first.pivot.url in unit.places else min(unit.places)
        others = sorted((row.other for row in unit.rows), key=lambda side: place[side.lang])
        # The page belongs to the address of its own row.
        page = first.pivot.page if url == first.pivot.url else 0
        yield [first.pivot._replace(url=url, page=page), *others]


def with_tags(unit: Sequence[Side], tags: Mapping[str, str]) -> list[Side]:
    """The unit with the language tags that the file uses."""
    return [side._replace(lang=tags[side.lang]) for side in unit]


def _join_rows(rows: Iterable[_Row]) -> list[_Unit]:
    """Units of rows with the same pivot text, best scored first."""
    units: list[_Unit] = []
    for row in sorted(rows, key=lambda row: (-(row.other.score or 0.0), *_key(row), row.other.lang, row.other.text)):
        unit = next((unit for unit in units if unit.can_take(row)), None)
        if unit is None:
            unit = _Unit([], row.places)
            units.append(unit)
        unit.take(row)
    return units


def _order(unit: _Unit) -> tuple[object, ...]:
    first = min(unit.rows, key=_key)
    return (*_key(first), first.pivot.text, sorted(row.other.lang for row in unit.rows), first.other.text)


def _key(row: _Row) -> tuple[str, int]:
    return row.pivot.url, row.position


def _rows(table: pa.Table, pivot: str) -> Iterator[_Row]:
    sides = [tuple(f"{side}_{name}" if name != "text" else side for name in _COLUMNS) for side in ("src", "tgt")]
    names = (*sides[0], *sides[1], *_SHARED, "other_src_urls", "other_tgt_urls")
    for values in rows_of(shown_segments(table), names):
        row = dict(zip(names, values, strict=True))
        if pivot not in (row["src_lang"], row["tgt_lang"]):
            continue
        is_source = row["src_lang"] == pivot
        both = sides if is_source else sides[::-1]
        mine, theirs = (Side(**{key: row[name] for key, name in zip(_COLUMNS, side, strict=True)}) for side in both)
        copies = row["other_src_urls" if is_source else "other_tgt_urls"]
        # The bead counts sentences of the pivot first.
        bead = row["bead"] if is_source else "-".join(row["bead"].split("-")[::-1])
        link = {"bead": bead, **{name: row[name] for name in ("score", "flags", "fetched")}}
        places = frozenset((mine.url, *copies))
        yield _Row(mine._replace(fetched=row["fetched"]), theirs._replace(**link), row["position"], places)
