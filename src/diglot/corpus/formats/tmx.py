"""TMX 1.4b, written and read as a stream.

A unit written by Diglot::

    <tu creationdate="20240102T030405Z"><prop type="x-score">0.9731</prop><prop type="x-bead">1-1</prop>\
    <prop type="x-src-url">https://...</prop><prop type="x-tgt-url">https://...</prop>
    <tuv xml:lang="en"><seg>...</seg></tuv>
    <tuv xml:lang="fr"><seg>...</seg></tuv></tu>

``creationdate`` of a tu is the fetch time of its page. ``x-score`` has four decimals. The addresses are the pages of
the two texts; ``x-also-at`` has the two addresses of a copy, one prop for each copy. ``x-position`` is the place of the
segment in its page pair, from 0. ``x-flags`` has the flags of the segment, ``x-variant`` of a tuv the variant of its
language, if the text shows the variant. ``x-src-page`` and ``x-tgt-page`` have the page of a PDF where the text begins.
In a unit of more than two languages each tuv has its own address (``x-url``), page of a PDF (``x-page``), score, bead
and flags. ``x-signature`` of the header states the recipe. The same units give the same bytes on every day and machine.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from xml.sax.saxutils import escape, quoteattr

import pyarrow as pa
from lxml import etree

from diglot.corpus.characters import clean_text, is_valid_tag
from diglot.corpus.formats.xml_bounds import MAX_UNIT_BYTES
from diglot.disk.atomic import replacing
from diglot.disk.safe_read import require_regular
from diglot.errors import LanguageError, SourceError


class Prop(StrEnum):
    """Values of ``type`` of the written props."""

    SCORE = "x-score"
    BEAD = "x-bead"
    SRC_URL = "x-src-url"
    TGT_URL = "x-tgt-url"
    SRC_PAGE = "x-src-page"
    TGT_PAGE = "x-tgt-page"
    FLAGS = "x-flags"
    POSITION = "x-position"
    ALSO_AT = "x-also-at"
    VARIANT = "x-variant"
    URL = "x-url"
    PAGE = "x-page"
    SIGNATURE = "x-signature"


MAX_EMPTY_UNITS = 1_000_000
"""Most units without text in excess of the units with text; one takes five bytes, and no program writes so many."""
_BATCH_ROWS = 10_000
_FLUSH_UNITS = 1_000
_CODE = " or ".join(f"ancestor::{name}" for name in ("bpt", "ept", "it", "ph", "ut"))
_text_nodes = etree.XPath(f"descendant::text()[not({_CODE})]")


class SegmentUnit(NamedTuple):
    """A tu written by Diglot: a segment row."""

    src: str
    tgt: str
    score: float
    bead: str
    src_url: str
    tgt_url: str
    fetched: str = ""
    """ISO 8601 time of the fetch, "" if unknown."""
    position: int | None = None
    """Place in the page pair, from 0; None if unknown."""
    flags: Sequence[str] = ()
    other_src_urls: Sequence[str] = ()
    """Addresses of copies of the segment, parallel to ``other_tgt_urls``."""
    other_tgt_urls: Sequence[str] = ()
    src_variant: str = ""
    tgt_variant: str = ""
    src_page: int = 0
    """Page of a document, from 1; 0 for none."""
    tgt_page: int = 0


class Side(NamedTuple):
    """One language of a multilingual unit, with the score of its link to the first language."""

    lang: str
    """Tag in the file."""
    text: str
    url: str
    variant: str = ""
    score: float | None = None
    """None for the first language; all scores are against the first language."""
    bead: str = ""
    flags: Sequence[str] = ()
    fetched: str = ""
    page: int = 0


@dataclass(frozen=True, slots=True)
class Header:
    """Header of a TMX file, without the languages."""

    created: str = ""
    """ISO 8601; the latest fetch time of the units, "" for none."""
    signature: str = ""
    """Signature of the recipe, "" for none."""


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

    ``batches``: of SEGMENT_SCHEMA, from ``table.to_batches()`` or ``ParquetFile.iter_batches()``. Filter flagged rows
    first (:func:`diglot.corpus.flags.keeping.clean`).
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
) -> int:
    """Write units as TMX 1.4b, in constant memory, and return how many; a path is replaced only by a complete file.

    A unit is left out if a side has nothing but white space and characters forbidden in XML.

    Raises: LanguageError for an invalid BCP 47 tag; UsageError if ``target`` cannot be
    written. Source: LISA OSCAR, TMX 1.4b specification (2005).
    """
    langs = _require_tag(src_lang), _require_tag(tgt_lang)
    if not isinstance(target, str | os.PathLike):
        return _write(target, units, langs, header or Header())
    with replacing(target) as handle:
        return _write(handle, units, langs, header or Header())


def _write(handle: BinaryIO, units: Iterable[SegmentUnit], langs: tuple[str, str], header: Header) -> int:
    count = 0
    lines = [_header_xml(header, langs[0])]
    for unit in units:
        src, tgt = clean_text(unit.src), clean_text(unit.tgt)
        if src.isspace() or tgt.isspace() or not (src and tgt):
            continue
        count += 1
        tuvs = _tuv_xml(langs[0], unit.src_variant, src), _tuv_xml(langs[1], unit.tgt_variant, tgt)
        lines.append(_unit_xml(unit, *tuvs))
        if len(lines) >= _FLUSH_UNITS:
            handle.write("".join(lines).encode())
            lines.clear()
    lines.append("</body>\n</tmx>\n")
    handle.write("".join(lines).encode())
    return count


def write_multilingual_tmx(
    path: str | os.PathLike[str], units: Iterable[Sequence[Side]], *, src_lang: str, header: Header | None = None
) -> int:
    """Write units of two languages or more as TMX 1.4b, in constant memory; returns how many.

    ``src_lang``: the tag of the first side of each unit. Sides with nothing but white space and characters forbidden in
    XML are left out; so are units without their first side, or with fewer than two sides. Raises: LanguageError for an
    invalid BCP 47 tag; UsageError if ``path`` cannot be written.
    """
    count = 0
    with replacing(path) as handle:
        handle.write(_header_xml(header or Header(), _require_tag(src_lang)).encode())
        for unit in units:
            sides = [side._replace(text=clean_text(side.text)) for side in unit]
            filled = [side for side in sides if side.text.strip()]
            if len(filled) < 2 or filled[0].lang != src_lang:
                continue
            date = _tmx_date(max(side.fetched for side in filled))
            tuvs = "\n".join(map(_side_xml, filled))
            start = f'<tu creationdate="{date}">' if date else "<tu>"
            handle.write(f"{start}\n{tuvs}</tu>\n".encode())
            count += 1
        handle.write(b"</body>\n</tmx>\n")
    return count


def _side_xml(side: Side) -> str:
    stated = [
        (Prop.URL, side.url),
        (Prop.PAGE, _page_number(side.page)),
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
        "segtype": "sentence",
        "o-tmf": "diglot",
        "adminlang": "en",
        "srclang": src_lang,
        "datatype": "plaintext",
    }
    if date := _tmx_date(header.created):
        attributes["creationdate"] = date
    stated = "".join(f" {name}={quoteattr(value)}" for name, value in attributes.items())
    prop = _prop_xml(Prop.SIGNATURE, header.signature) if header.signature else ""
    # No DOCTYPE: a parser that loads DTDs would look for the file beside the memory, and fail.
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
        (Prop.SRC_PAGE, _page_number(unit.src_page)),
        (Prop.TGT_PAGE, _page_number(unit.tgt_page)),
        (Prop.POSITION, "" if unit.position is None else str(unit.position)),
        (Prop.FLAGS, ",".join(unit.flags)),
        *((Prop.ALSO_AT, " ".join(pair)) for pair in zip(unit.other_src_urls, unit.other_tgt_urls, strict=True)),
    ]
    props = "".join(_prop_xml(kind, value) for kind, value in stated if value)
    return f"{start}{props}\n{src_tuv}\n{tgt_tuv}</tu>\n"


def _page_number(page: int) -> str:
    return str(page) if page else ""


def _tuv_xml(lang: str, variant: str, text: str, props: str = "") -> str:
    prop = _prop_xml(Prop.VARIANT, variant) if variant and variant != lang else ""
    return f'<tuv xml:lang="{lang}">{props}{prop}<seg>{escape(text)}</seg></tuv>'


@lru_cache(maxsize=4096)
def _prop_xml(kind: str, value: str) -> str:
    return f'<prop type="{kind}">{escape(clean_text(value))}</prop>'


@lru_cache(maxsize=4096)
def _tmx_date(iso: str) -> str:
    """An ISO 8601 time in the form of TMX, YYYYMMDDThhmmssZ; "" for any other text. No zone means UTC."""
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
    """The units of any TMX file in order; memory holds one unit, of at most 16 MiB.

    The language is ``xml:lang``, else the deprecated ``lang``. No DTD or network address is loaded, and no entity
    expanded.

    Raises: SourceError for a file that is missing, is not XML, is not TMX, uses declared entities, has a unit of more
    than 16 MiB, or has over a million more units without text than with text.
    """
    require_regular(path)
    try:
        with Path(path).open("rb") as handle:
            yield from _units_in(handle, path)
    except OSError as error:
        raise SourceError(f"cannot read {path}: {error.strerror or error}") from error
    except etree.XMLSyntaxError as error:
        raise SourceError(f"{path} is not well-formed XML: {error.msg}; see `diglot check`") from error


class _BoundedFile:
    """A file that refuses to read on within a unit of more than :data:`MAX_UNIT_BYTES`; units are reported as read."""

    def __init__(self, handle: BinaryIO, path: str | os.PathLike[str]) -> None:
        self._handle = handle
        self._path = path
        self._since_unit = 0

    def read(self, size: int) -> bytes:
        """The next bytes. Raises: SourceError."""
        if self._since_unit > MAX_UNIT_BYTES:
            raise SourceError(
                f"{self._path}: a unit of more than {MAX_UNIT_BYTES:,} bytes, as no program writes it; "
                "cut the unit, or see `diglot check`"
            )
        step = self._handle.read(size)
        self._since_unit += len(step)
        return step

    def unit_ended(self) -> None:
        """Report that a unit has been read."""
        self._since_unit = 0


def _units_in(handle: BinaryIO, path: str | os.PathLike[str]) -> Iterator[TmxUnit]:
    file, empty = _BoundedFile(handle, path), 0
    events = etree.iterparse(
        file,
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
        # An unresolved entity would be lost text; in a file without a DOCTYPE, the parser itself refuses it.
        if has_doctype and next(tu.iter(etree.Entity), None) is not None:
            raise SourceError(f"{path} line {tu.sourceline} uses entities of a DOCTYPE: replace them by characters")
        unit = TmxUnit(variants=tuple(map(_variant, tu.iterchildren("tuv"))), props=_props(tu))
        empty += -1 if any(variant.text for variant in unit.variants) else 1
        if empty > MAX_EMPTY_UNITS:
            raise SourceError(
                f"{path} line {tu.sourceline}: {MAX_EMPTY_UNITS:,} units without text; take them out, "
                "see `diglot check`"
            )
        yield unit
        _forget(tu)
        file.unit_ended()
    if events.root.tag != "tmx":
        raise SourceError(f"{path} is not TMX: its root element is {events.root.tag}, not tmx")


def _forget(tu: Any) -> None:
    """Remove what was read: lxml keeps elements in their parent, and memory would grow with the file."""
    tu.clear()
    for element in (tu, *tu.iterancestors()):
        parent = element.getparent()
        while parent is not None and element.getprevious() is not None:
            del parent[0]


def _variant(tuv: Any) -> Variant:
    seg = next(tuv.iterchildren("seg"), None)
    lang = tuv.get("{http://www.w3.org/XML/1998/namespace}lang") or tuv.get("lang", "")
    return Variant(lang=lang, text="" if seg is None else _text(seg), props=_props(tuv))


def _text(seg: Any) -> str:
    # Most segments have no inline codes and need no XPath.
    return "".join(_text_nodes(seg)) if len(seg) else seg.text or ""


def _props(element: Any) -> dict[str, str]:
    return {prop.get("type", ""): prop.text or "" for prop in element.iterchildren("prop")}
