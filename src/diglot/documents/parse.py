"""Pages -> documents, or drops with their reason: decode, linearise, mark the main text, identify the language."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from diglot.arrays import Mask
from diglot.document_kinds import Medium, medium_of
from diglot.documents.blocks import ReadDocument
from diglot.documents.convert import MAX_TITLE_CHARS, Converted, block_pages, convert, read_document
from diglot.documents.encoding import decode
from diglot.documents.html.as_document import as_document
from diglot.documents.html.hostile import CROWDED_TAG, hostile_markup, without_long_values
from diglot.documents.html.linearise import Linear, linearise_all
from diglot.documents.html.pieces import no_break_places
from diglot.documents.language import SAMPLE_CHARS, UNDETERMINED, identify, sample_lengths
from diglot.documents.language_parts import language_address, parts_by_language
from diglot.documents.link_header import alternates_markup
from diglot.documents.machine_translated import machine_mark
from diglot.documents.misread import reread
from diglot.errors import UnreadableDocument
from diglot.pages.media import HTML
from diglot.reasons import LEADS_ON, Reason
from diglot.records import DOCUMENT_SCHEMA, PAGE_SCHEMA, BlockKind, Drop, Page

MAX_STUB_CHARS = 200
"""Characters below which a page that redirects at once is a stub: a sentence and a link to the other page."""
MAX_LINK_DENSITY = 0.5
"""Share of link characters from which a block is navigation (Kohlschütter et al. 2010 find the cut between .3 and .6 on
news and web pages)."""

_COLUMNS = (DOCUMENT_SCHEMA.names, DOCUMENT_SCHEMA.types)
_EMPTY_OF: tuple[tuple[Callable[[pa.DataType], bool], Any], ...] = (
    (pa.types.is_integer, 0),
    (pa.types.is_floating, 0.0),
    (pa.types.is_list, []),
    (pa.types.is_boolean, False),
)
_EMPTY: dict[str, Any] = {
    name: next((empty for is_of, empty in _EMPTY_OF if is_of(kind)), "") for name, kind in zip(*_COLUMNS, strict=True)
}
_REASONS = {
    "no_reader": Reason.NO_READER,
    "encrypted": Reason.ENCRYPTED,
    "no_text_layer": Reason.NO_TEXT_LAYER,
    "damaged": Reason.DAMAGED_RECORD,
    "truncated": Reason.TRUNCATED,
    "too_large": Reason.TOO_LARGE,
    "several_languages": Reason.SEVERAL_LANGUAGES,
}
"""Reasons for a drop, by the reason of :class:`diglot.errors.UnreadableDocument`."""


class _Readable(NamedTuple):
    """A decoded page."""

    page: Page
    html: bytes
    """In UTF-8."""
    charset: str
    charset_by: str
    media: str = HTML
    document: Converted | None = None
    """A page that is a document, None for HTML."""


def parse_page(page: Page) -> dict[str, Any] | Drop:
    """Row of :data:`diglot.records.DOCUMENT_SCHEMA` for a page, or a drop with its reason; the first row for a document
    in several languages."""
    return parse_pages([page])[0]


def parse_pages(pages: Sequence[Page], *, split_pages: bool = False) -> list[dict[str, Any] | Drop]:
    """A row or a drop for each page; a document in several languages has a row for each language.

    ``split_pages``: HTML pages in several languages are split as well, with their hidden text. Each step runs on all
    pages before the next step, because :func:`linearise_all` takes many pages at once.
    """
    decoded = [readable for page in pages for readable in _decode(page)]
    if split_pages:
        decoded = [part for readable in decoded for part in _split(readable)]
    found = [page for page in decoded if not isinstance(page, Drop)]
    linears = linearise_all([page.html for page in found], [page.page.url for page in found])
    mains = [mark_main(linear) for linear in linears]
    samples = list(map(_prose_sample, linears, mains))
    declared = [
        linear.links.declared_lang or page.page.declared_lang for linear, page in zip(linears, found, strict=True)
    ]
    langs = list(zip(declared, map(_identify, samples, linears, declared), strict=True))
    marks = [machine_mark(page.html) for page in found]
    rows = map(_row, found, linears, mains, langs, marks)
    return [page if isinstance(page, Drop) else next(rows) for page in decoded]


def _decode(page: Page) -> list[_Readable | Drop]:
    medium = medium_of(page.body)
    found = [_decode_html(page)] if medium is None else _convert(page, medium)
    return [each if isinstance(each, Drop) else _without_hostile(each) for each in found]


def _without_hostile(readable: _Readable) -> _Readable | Drop:
    hostile = hostile_markup(readable.html)
    if hostile == CROWDED_TAG:  # the supposed attributes may be words in a long quoted value, such as an image path
        readable = readable._replace(html=without_long_values(readable.html))
        hostile = hostile_markup(readable.html)
    return _drop(readable.page, Reason.HOSTILE_MARKUP, hostile) if hostile else readable


def _convert(page: Page, medium: Medium) -> list[_Readable | Drop]:
    """The pages of a document: a single page, or a page for each language, whose address names the language."""
    try:
        parts = parts_by_language(read_document(page.body, medium))
    except UnreadableDocument as error:
        return [_drop(page, _REASONS[error.reason], f"{medium.name.upper()}: {error.detail}".removesuffix(": "))]
    if len(parts) == 1:
        return [_document(page, medium.name, parts[0], {})]
    return [*_parts(page, medium.name, parts)]


def _parts(page: Page, media: str, parts: Sequence[ReadDocument]) -> list[_Readable]:
    """The parts of a document by language, each with links to the other parts as language versions."""
    addresses = {part.lang: language_address(page.url, part.lang) for part in parts}
    return [_document(replace(page, url=addresses[part.lang]), media, part, addresses) for part in parts]


def _document(page: Page, media: str, document: ReadDocument, addresses: Mapping[str, str]) -> _Readable:
    """A document, or a part of it with links to the other parts as language versions; ``addresses``: of all parts."""
    converted = convert(document, {lang: url for lang, url in addresses.items() if url != page.url})
    return _Readable(page, converted.html, "utf-8", "document", media, converted)


def _split(readable: _Readable | Drop) -> Sequence[_Readable | Drop]:
    """An HTML page that holds a text in several languages as a part for each; anything else as it is."""
    if isinstance(readable, Drop) or readable.document is not None:
        return [readable]
    # Scripts show the language that a reader chooses, and hide the others.
    (linear,) = linearise_all([readable.html], [readable.page.url], with_hidden=True)
    with suppress(UnreadableDocument):  # languages mixed in paragraphs: the page stays whole
        parts = parts_by_language(as_document(linear, mark_main(linear)))
        if len(parts) > 1:
            return _parts(readable.page, readable.media, parts)
    return [readable]


def _decode_html(page: Page) -> _Readable | Drop:
    decoded = decode(page.body, page.content_type)
    if decoded is None:
        return _drop(page, Reason.UNDECODABLE, page.content_type)
    text, charset, charset_by = decoded
    # At the end, where it changes nothing else of the page.
    text += alternates_markup(page.link_header, page.url)
    return _Readable(page, reread(text.encode("utf-8", "replace")), charset, charset_by)


def _row(
    readable: _Readable, linear: Linear, main: Mask, langs: tuple[str, tuple[str, float]], mark: str
) -> dict[str, Any] | Drop:
    page = readable.page
    if len(linear.chunks.offsets) == 1:
        detail = f"{linear.hidden_chars} characters hidden" if linear.hidden_chars else ""
        return _drop(page, Reason.NO_TEXT, detail)
    # No visitor reads such a page: site generators put one at each former address of a page, mirrors at each redirect.
    if linear.links.leads_on_to and linear.blocks.chars.sum() < MAX_STUB_CHARS:
        return _drop(page, Reason.NO_TEXT, f"{LEADS_ON}{linear.links.leads_on_to}")
    declared, (lang, confidence) = langs
    return {
        **_EMPTY,
        **{name: getattr(page, name) for name in ("url", "source", "offset", "fetched")},
        **{f"link_{name}": getattr(linear.links, name) for name in ("anchors", "hreflangs", "alternate", "fragments")},
        "size_bytes": len(page.body),
        "charset": readable.charset,
        "charset_by": readable.charset_by,
        "media": readable.media,
        "tagged": readable.document is None or readable.document.tagged,
        "declared_lang": declared,
        "title": _title(linear),
        "licence": linear.licence,
        "lang": lang,
        "lang_confidence": confidence,
        "tokens": linear.chunks.tokens,
        "chunks": linear.chunks.texts(),
        "block_ends": linear.blocks.ends,
        "block_kinds": linear.blocks.kinds,
        "block_main": main,
        "block_pages": _page_numbers(readable, linear),
        "no_breaks": no_break_places(linear.chunks, linear.blocks.ends),
        "link_urls": _link_urls(linear) if readable.document else linear.links.urls,
        "link_firsts": linear.links.spans[:, 0],
        "link_ends": linear.links.spans[:, 1],
        "images": linear.links.images,
        "text_length_chars": int(linear.blocks.chars.sum()),
        "hidden_chars": linear.hidden_chars,
        "machine_mark": mark,
    }


def _link_urls(linear: Linear) -> list[str]:
    """Addresses of links; parts of a document differ in their fragment alone, so links to them keep it."""
    links = linear.links
    return [
        f"{url}#{fragment}" if is_alternate else url
        for url, fragment, is_alternate in zip(links.urls, links.fragments, links.alternate, strict=True)
    ]


def _page_numbers(readable: _Readable, linear: Linear) -> list[int]:
    """Page of every block; [] for HTML."""
    if readable.document is None or not readable.document.pages:
        return []
    chunks, bounds = linear.chunks.texts().to_pylist(), [0, *linear.blocks.ends.tolist()]
    return block_pages(["".join(chunks[start:end]) for start, end in pairwise(bounds)], readable.document)


def _title(linear: Linear) -> str:
    """Text of the page's ``title`` element, "" without one."""
    titles = np.flatnonzero(linear.blocks.kinds == BlockKind.TITLE)
    if not len(titles):
        return ""
    first, behind = np.append(0, linear.blocks.ends)[[titles[0], titles[0] + 1]].tolist()
    return " ".join(linear.chunks.beginning(first, behind, MAX_TITLE_CHARS).split())


def _drop(page: Page, reason: Reason, detail: str) -> Drop:
    return Drop(page.url, reason, detail, page.source, page.offset)


def mark_main(linear: Linear) -> Mask:
    """Mask of main-text blocks, as far as one page tells: no navigation, not mostly links; shape (blocks,)."""
    is_text = ~linear.blocks.aside & (linear.blocks.kinds != BlockKind.CONTROL)
    is_main: Mask = is_text & (linear.blocks.link_chars <= MAX_LINK_DENSITY * linear.blocks.chars)
    return is_main


def _identify(prose: str, linear: Linear, declared: str) -> tuple[str, float]:
    """Language and confidence of the page's prose, or of all its text if there is too little prose."""
    lang, confidence = identify(prose, declared)
    if lang == UNDETERMINED:
        return identify(" ".join(linear.chunks.texts()[:SAMPLE_CHARS].to_pylist())[:SAMPLE_CHARS], declared)
    return lang, confidence


def _prose_sample(linear: Linear, main: Mask) -> str:
    """Beginnings of main blocks from all over the page."""
    prose = np.flatnonzero(main & (linear.blocks.kinds != BlockKind.PREFORMATTED))
    taken = sample_lengths(linear.blocks.chars[prose].astype(np.int64))
    sample = []
    for place in np.flatnonzero(taken).tolist():
        block = int(prose[place])
        first = int(linear.blocks.ends[block - 1]) if block else 0
        sample.append(linear.chunks.beginning(first, int(linear.blocks.ends[block]), int(taken[place])))
    return " ".join(sample)


def pages_table(pages: Sequence[Page]) -> pa.Table:
    """Pages as a table of :data:`diglot.records.PAGE_SCHEMA`."""
    rows = [{name: getattr(page, name) for name in PAGE_SCHEMA.names} for page in pages]
    return pa.Table.from_pylist(rows, schema=PAGE_SCHEMA)


def dropped_table(drops: Sequence[Drop]) -> pa.Table:
    """Drops as rows of :data:`diglot.records.DOCUMENT_SCHEMA`."""
    return _documents_table([_dropped_row(drop) for drop in drops])


def parse_table(pages: pa.Table, *, split_pages: bool = False) -> pa.Table:
    """Parse every page of a table, in order: a row each, and one more for each further language of a document.

    Dropped pages have a reason. ``split_pages``: HTML pages in several languages are split as documents are, with
    their hidden text.
    """
    parsed = parse_pages([Page(**record) for record in pages.to_pylist()], split_pages=split_pages)
    return _documents_table([_dropped_row(row) if isinstance(row, Drop) else row for row in parsed])


def _documents_table(rows: Sequence[dict[str, Any]]) -> pa.Table:
    columns = [_column(kind, [row[name] for row in rows]) for name, kind in zip(*_COLUMNS, strict=True)]
    return pa.Table.from_arrays(columns, schema=DOCUMENT_SCHEMA)


def _column(kind: pa.DataType, values: list[Any]) -> pa.Array:
    """A column from the values of every row; lists are Python lists or arrays, of one type in all non-empty rows."""
    if not pa.types.is_list(kind):
        return pa.array(values, kind)
    ends = np.cumsum([0, *map(len, values)], dtype=np.int32)
    return pa.ListArray.from_arrays(ends, _items([value for value in values if len(value)], kind.value_type), type=kind)


def _items(values: list[Any], kind: pa.DataType) -> pa.Array:
    """All items of all rows in one array."""
    if values and isinstance(values[0], pa.Array):
        return pa.concat_arrays(values)
    if values and isinstance(values[0], np.ndarray):
        return pa.array(np.concatenate(values), kind)
    return pa.array([item for value in values for item in value], kind)


def failed_page(page: pa.Table, reason: Reason, detail: str) -> pa.Table:
    """The row of a page that killed its worker."""
    record = page.select(["url", "source", "offset"]).to_pylist()[0]
    return dropped_table([Drop(record["url"], reason, detail, record["source"], record["offset"])])


def _dropped_row(drop: Drop) -> dict[str, Any]:
    return {
        **_EMPTY,
        "url": drop.url,
        "source": drop.source,
        "offset": drop.offset,
        "reason": drop.reason.value,
        "detail": drop.detail,
    }
