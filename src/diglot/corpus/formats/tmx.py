"""TMX 1.4b, written and read as a stream.

What a file of ours looks like, and the one convention it keeps::

    <tu creationdate="20240102T030405Z"><prop type="x-score">0.9731</prop><prop type="x-bead">1-1</prop>\
    <prop type="x-src-url">https://...</prop><prop type="x-tgt-url">https://...</prop>
    <tuv xml:lang="en"><seg>...</seg></tuv>
    <tuv xml:lang="fr"><seg>...</seg></tuv></tu>

``creationdate`` of a tu is when its page was fetched; ``x-score`` has four decimals; the addresses are
those that the two texts come from; ``x-also-at``, once a copy, holds two addresses more, ``x-flags`` what speaks
against the unit, ``x-variant`` of a tuv the written form of its language where the text shows it. In a unit of more
than two languages address, score, bead and flags stand in the tuv that they belong to (``x-url``). There is no
DOCTYPE: parsers that load it would look for the DTD beside the file. The same units give the same bytes on
every day and machine.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple
from xml.sax.saxutils import escape, quoteattr

import pyarrow as pa
from lxml import etree

from diglot.corpus.characters import clean_text, is_valid_tag
from diglot.disk.atomic import replacing
from diglot.disk.safe_read import require_regular
from diglot.errors import LanguageError, SourceError


class Prop(StrEnum):
    """The ``type`` of every prop we write."""

    SCORE = "x-score"
    BEAD = "x-bead"
    SRC_URL = "x-src-url"
    TGT_URL = "x-tgt-url"
    FLAGS = "x-flags"
    POSITION = "x-position"
    ALSO_AT = "x-also-at"
    VARIANT = "x-variant"
    URL = "x-url"
    SIGNATURE = "x-signature"


_BATCH_ROWS = 10_000
_FLUSH_UNITS = 1_000
_CODE = " or ".join(f"ancestor::{name}" for name in ("bpt", "ept", "it", "ph", "ut"))
_text_nodes = etree.XPath(f"descendant::text()[not({_CODE})]")


class SegmentUnit(NamedTuple):
    """What one tu of ours says: a segment row."""

    src: str
    tgt: str
    score: float
    bead: str
    src_url: str
    tgt_url: str
    fetched: str = ""
    """ISO 8601 time of the fetch, "" where unknown."""
    position: int | None = None
    """Order in its page pair, from 0; None where it has none."""
    flags: Sequence[str] = ()
    other_src_urls: Sequence[str] = ()
    """Where copies stand for which this one is kept, beside ``other_tgt_urls``."""
    other_tgt_urls: Sequence[str] = ()
    src_variant: str = ""
    tgt_variant: str = ""


class Side(NamedTuple):
    """One language of a unit of several, and how it is tied to the first of them."""

    lang: str
    """The tag to be written."""
    text: str
    url: str
    variant: str = ""
    score: float | None = None
    """None for the first language, which the others are scored against."""
    bead: str = ""
    flags: Sequence[str] = ()
    fetched: str = ""


@dataclass(frozen=True, slots=True)
class Header:
    """What the header of a TMX file says beyond its languages."""

    segtype: Literal["sentence", "block"] = "sentence"
    created: str = ""
    """ISO 8601; the latest fetch time of the units (never the clock), "" leaves it out."""
    signature: str = ""
    """Signature of the recipe, "" leaves it out."""


@dataclass(frozen=True, slots=True)
class Written:
    """What became of the units given to the writer."""

    units: int
    characters_removed: int
    units_emptied: int
    """Units left out because a side held nothing once forbidden characters were gone."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One language of a tu in any TMX file."""

    lang: str
    text: str
    """Text of the segment without the content of inline codes."""
    props: dict[str, str]


@dataclass(frozen=True, slots=True)
class TmxUnit:
    """One tu of any TMX file."""

    variants: tuple[Variant, ...]
    props: dict[str, str]


def units_of(batches: Iterable[pa.RecordBatch]) -> Iterator[SegmentUnit]:
    """The rows of segment tables as units, in order; memory of one batch.

    ``batches`` are of SEGMENT_SCHEMA: ``table.to_batches()`` or ``ParquetFile.iter_batches()``. Filter
    flagged rows before (:func:`diglot.corpus.flags.clean`).
    """
    for batch in batches:
        for start in range(0, batch.num_rows, _BATCH_ROWS):
            names = [name for name in SegmentUnit._fields if name in batch.schema.names]
            columns = [batch.column(name).slice(start, _BATCH_ROWS).to_pylist() for name in names]
            rows = zip(*columns, strict=True)
            if len(names) == len(SegmentUnit._fields):
                yield from map(SegmentUnit._make, rows)
            else:
                yield from (SegmentUnit(**dict(zip(names, row, strict=True))) for row in rows)


def write_tmx(
    target: str | os.PathLike[str] | BinaryIO,
    units: Iterable[SegmentUnit],
    *,
    src_lang: str,
    tgt_lang: str,
    header: Header | None = None,
) -> Written:
    """Write units as TMX 1.4b, in constant memory; a path is replaced only by a whole file.

    Raises: LanguageError for a language that is no BCP 47 tag; UsageError where ``target`` cannot be
    written. Source: LISA OSCAR, TMX 1.4b specification (2005).
    """
    langs = _require_tag(src_lang), _require_tag(tgt_lang)
    if not isinstance(target, str | os.PathLike):
        return _write(target, units, langs, header or Header())
    with replacing(target) as handle:
        return _write(handle, units, langs, header or Header())


def _write(handle: BinaryIO, units: Iterable[SegmentUnit], langs: tuple[str, str], header: Header) -> Written:
    count = removed = emptied = 0
    lines = [_header_xml(header, langs[0])]
    for unit in units:
        src, src_removed = clean_text(unit.src)
        tgt, tgt_removed = clean_text(unit.tgt)
        removed += src_removed + tgt_removed
        if src.isspace() or tgt.isspace() or not (src and tgt):
            emptied += 1
            continue
        count += 1
        tuvs = _tuv_xml(langs[0], unit.src_variant, src), _tuv_xml(langs[1], unit.tgt_variant, tgt)
        lines.append(_unit_xml(unit, *tuvs))
        if len(lines) >= _FLUSH_UNITS:
            handle.write("".join(lines).encode())
            lines.clear()
    lines.append("</body>\n</tmx>\n")
    handle.write("".join(lines).encode())
    return Written(units=count, characters_removed=removed, units_emptied=emptied)


def write_multilingual_tmx(
    path: str | os.PathLike[str], units: Iterable[Sequence[Side]], *, src_lang: str, header: Header | None = None
) -> int:
    """Write units of two languages or more as TMX 1.4b, in constant memory; returns how many.

    ``src_lang``: the tag of the first side of each unit. A side that holds nothing once forbidden characters are gone
    is left out, and with it a unit that has no other or that lacks its first. Raises: LanguageError for a language that
    is no BCP 47 tag; UsageError where ``path`` cannot be written.
    """
    count = 0
    with replacing(path) as handle:
        handle.write(_header_xml(header or Header(), _require_tag(src_lang)).encode())
        for unit in units:
            sides = [side._replace(text=clean_text(side.text)[0]) for side in unit]
            told = [side for side in sides if side.text.strip()]
            if len(told) < 2 or told[0].lang != src_lang:
                continue
            date = _tmx_date(max(side.fetched for side in told))
            tuvs = "\n".join(map(_side_xml, told))
            start = f'<tu creationdate="{date}">' if date else "<tu>"
            handle.write(f"{start}\n{tuvs}</tu>\n".encode())
            count += 1
        handle.write(b"</body>\n</tmx>\n")
    return count


def _side_xml(side: Side) -> str:
    stated = [
        (Prop.URL, side.url),
        (Prop.SCORE, "" if side.score is None else f"{side.score:.4f}"),
        (Prop.BEAD, side.bead),
        (Prop.FLAGS, ",".join(side.flags)),
    ]
    props = "".join(_prop_xml(kind, value) for kind, value in stated if value)
    return _tuv_xml(_require_tag(side.lang), side.variant, side.text, props)


def _require_tag(lang: str) -> str:
    if not is_valid_tag(lang):
        raise LanguageError(f"{lang!r} cannot stand in a TMX file: use a BCP 47 tag such as en or zh-Hant")
    return lang


def _header_xml(header: Header, src_lang: str) -> str:
    attributes = {
        "creationtool": "diglot",
        "creationtoolversion": _tool_version(),
        "segtype": header.segtype,
        "o-tmf": "diglot",
        "adminlang": "en",
        "srclang": src_lang,
        "datatype": "plaintext",
    }
    if date := _tmx_date(header.created):
        attributes["creationdate"] = date
    stated = "".join(f" {name}={quoteattr(value)}" for name, value in attributes.items())
    prop = _prop_xml(Prop.SIGNATURE, header.signature) if header.signature else ""
    start = '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n'
    return f"{start}<header{stated}>{prop}</header>\n<body>\n"


def _unit_xml(unit: SegmentUnit, src_tuv: str, tgt_tuv: str) -> str:
    date = _tmx_date(unit.fetched)
    start = f'<tu creationdate="{date}">' if date else "<tu>"
    stated = [
        (Prop.SCORE, f"{unit.score:.4f}"),
        (Prop.BEAD, unit.bead),
        (Prop.SRC_URL, unit.src_url),
        (Prop.TGT_URL, unit.tgt_url),
        (Prop.POSITION, "" if unit.position is None else str(unit.position)),
        (Prop.FLAGS, ",".join(unit.flags)),
        *((Prop.ALSO_AT, " ".join(pair)) for pair in zip(unit.other_src_urls, unit.other_tgt_urls, strict=True)),
    ]
    props = "".join(_prop_xml(kind, value) for kind, value in stated if value)
    return f"{start}{props}\n{src_tuv}\n{tgt_tuv}</tu>\n"


def _tuv_xml(lang: str, variant: str, text: str, props: str = "") -> str:
    prop = _prop_xml(Prop.VARIANT, variant) if variant and variant != lang else ""
    return f'<tuv xml:lang="{lang}">{props}{prop}<seg>{escape(text)}</seg></tuv>'


@lru_cache(maxsize=4096)
def _prop_xml(kind: str, value: str) -> str:
    return f'<prop type="{kind}">{escape(clean_text(value)[0])}</prop>'


@lru_cache(maxsize=4096)
def _tmx_date(iso: str) -> str:
    """An ISO 8601 time in TMX's form YYYYMMDDThhmmssZ, "" where it is none; no zone means UTC."""
    try:
        time = datetime.fromisoformat(iso)
    except ValueError:
        return ""
    # A year before 1000 or a shift out of the calendar is no fetch time.
    if not 1000 < time.year < 9999:
        return ""
    return (time.astimezone(UTC) if time.tzinfo else time).strftime("%Y%m%dT%H%M%SZ")


def _tool_version() -> str:
    try:
        return version("diglot")
    except PackageNotFoundError:
        return "unknown"


def read_tmx(path: str | os.PathLike[str]) -> Iterator[TmxUnit]:
    """The units of any TMX file in order, in memory that does not grow with the file.

    Namespaced ``xml:lang`` is read, the deprecated ``lang`` where it is missing. No DTD and nothing from
    the network is loaded, no entity expanded.

    Raises: SourceError for a file that is missing, is not XML, not TMX, or uses entities of its own.
    """
    require_regular(path)
    try:
        with Path(path).open("rb") as handle:
            yield from _units_in(handle, path)
    except OSError as error:
        raise SourceError(f"cannot read {path}: {error.strerror or error}") from error
    except etree.XMLSyntaxError as error:
        raise SourceError(f"{path} is not well-formed XML: {error.msg}; see `diglot check`") from error


def _units_in(handle: BinaryIO, path: str | os.PathLike[str]) -> Iterator[TmxUnit]:
    events = etree.iterparse(
        handle,
        tag="tu",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
        huge_tree=True,  # files beyond 1 GB; the parser's limit on entity amplification stays
    )
    has_doctype: bool | None = None
    for _event, tu in events:
        if has_doctype is None:
            has_doctype = bool(tu.getroottree().docinfo.doctype)
        # An entity left unresolved is text lost; without a DOCTYPE the parser has refused it already.
        if has_doctype and next(tu.iter(etree.Entity), None) is not None:
            raise SourceError(f"{path} line {tu.sourceline} uses entities of a DOCTYPE: replace them by characters")
        yield TmxUnit(variants=tuple(map(_variant, tu.iterchildren("tuv"))), props=_props(tu))
        tu.clear()
        parent = tu.getparent()
        while parent is not None and tu.getprevious() is not None:
            del parent[0]
    if events.root.tag != "tmx":
        raise SourceError(f"{path} is not TMX: its root element is {events.root.tag}, not tmx")


def _variant(tuv: Any) -> Variant:
    seg = next(tuv.iterchildren("seg"), None)
    lang = tuv.get("{http://www.w3.org/XML/1998/namespace}lang") or tuv.get("lang", "")
    return Variant(lang=lang, text="" if seg is None else _text(seg), props=_props(tuv))


def _text(seg: Any) -> str:
    return "".join(_text_nodes(seg)) if len(seg) else seg.text or ""


def _props(element: Any) -> dict[str, str]:
    return {prop.get("type", ""): prop.text or "" for prop in element.iterchildren("prop")}
