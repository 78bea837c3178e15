"""Records of the pipeline and their Arrow schemas.

``Page`` (bytes as fetched) -> document (text and links of a page) -> pair -> segment. Pages are never written to disk;
documents, pairs and segments are Parquet tables in the run folder, with a row for each record. Dropped records stay in
their table with a ``Reason``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from diglot.reasons import Reason


@dataclass(frozen=True, slots=True)
class Page:
    """A fetched page: all bytes, and the statements of the server about them."""

    url: str
    body: bytes
    content_type: str = ""
    """Value of the HTTP Content-Type header, "" if unknown."""
    source: str = ""
    """Name of the file the page came from."""
    offset: int = 0
    """Byte offset of the record (WARC), line number (.lett) or 0."""
    fetched: str = ""
    """ISO 8601 time of the fetch, "" where unknown."""
    declared_lang: str = ""
    """Language stated outside the page: Content-Language header or the .lett column."""
    link_header: str = ""
    """Value of the HTTP Link header, which may name language versions."""


@dataclass(frozen=True, slots=True)
class Drop:
    """A record dropped before it became a document, with the reason."""

    url: str
    """Address, or ``SOURCE@OFFSET`` if the address is lost."""
    reason: Reason
    detail: str = ""
    source: str = ""
    offset: int = 0


class Refused(Exception):
    """A record gives no page. Holds the reason and detail of its :class:`Drop`."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


class Damaged(Refused):
    """The bytes of a record are not those that were written."""

    def __init__(self, detail: str) -> None:
        super().__init__(Reason.DAMAGED_RECORD, detail)


class Cut(Refused):
    """The bytes of a record end too early."""

    def __init__(self, detail: str) -> None:
        super().__init__(Reason.CUT_RECORD, detail)


class BlockKind(IntEnum):
    """Role of a block of text in the page."""

    PARAGRAPH = 0
    TITLE = 1
    HEADING = 2
    LIST_ITEM = 3
    TABLE_CELL = 4
    CAPTION = 5
    CONTROL = 6
    PREFORMATTED = 7

    @property
    def label(self) -> str:
        """Name in files: ``list_item``."""
        return self.name.lower()


PAGE_SCHEMA = pa.schema(
    [
        pa.field("url", pa.string(), nullable=False),
        pa.field("body", pa.large_binary(), nullable=False),
        pa.field("content_type", pa.string(), nullable=False),
        pa.field("source", pa.string(), nullable=False),
        pa.field("offset", pa.int64(), nullable=False),
        pa.field("fetched", pa.string(), nullable=False),
        pa.field("declared_lang", pa.string(), nullable=False),
        pa.field("link_header", pa.string(), nullable=False),
    ]
)

# A row for each record of the source. A record without a page has only address, source, offset, reason and detail.
DOCUMENT_SCHEMA = pa.schema(
    [
        pa.field("url", pa.string(), nullable=False),
        pa.field("source", pa.string(), nullable=False),
        pa.field("offset", pa.int64(), nullable=False),
        pa.field("fetched", pa.string(), nullable=False),
        pa.field("reason", pa.string(), nullable=False),  # Reason, "" for a readable page
        pa.field("detail", pa.string(), nullable=False),
        pa.field("site", pa.string(), nullable=False),  # name, see diglot.site; "" before sites are resolved
        pa.field("size_bytes", pa.int64(), nullable=False),
        pa.field("charset", pa.string(), nullable=False),
        pa.field("charset_by", pa.string(), nullable=False),  # bom | http | meta | detected | document
        pa.field("media", pa.string(), nullable=False),  # html, or a name in pages.media.MEDIA
        pa.field("tagged", pa.bool_(), nullable=False),  # whether the page itself says what is a heading, a list ...
        pa.field("declared_lang", pa.string(), nullable=False),
        pa.field("title", pa.string(), nullable=False),  # text of <title>
        pa.field("licence", pa.string(), nullable=False),  # address, see documents.html.licence; "" if none is stated
        pa.field("lang", pa.string(), nullable=False),  # BCP 47, "und" if unknown
        pa.field("lang_confidence", pa.float32(), nullable=False),
        pa.field("lang_by", pa.string(), nullable=False),  # evidence for the language; "" before it is resolved
        pa.field("edition", pa.string(), nullable=False),  # language version of the page; "" if unknown
        # Language versions that show the page untranslated, with blanks between: "de fr". Null in documents read by
        # earlier versions.
        pa.field("untranslated_in", pa.string()),
        # Addresses of the pages with equal text, and of the reprints, that the page represents in its own language
        # version. Null in documents read by earlier versions.
        pa.field("equal_urls", pa.list_(pa.string())),
        # Token stream, see documents.html.tags: a negative number is a tag, a number >= 0 the length in
        # characters of a text chunk; the k-th of those is the k-th of `chunks`.
        pa.field("tokens", pa.list_(pa.int32()), nullable=False),
        pa.field("chunks", pa.list_(pa.string()), nullable=False),
        # Blocks partition the chunks: block b holds chunks [block_ends[b-1], block_ends[b]).
        pa.field("block_ends", pa.list_(pa.int32()), nullable=False),
        pa.field("block_kinds", pa.list_(pa.int8()), nullable=False),  # BlockKind
        pa.field("block_main", pa.list_(pa.bool_()), nullable=False),  # main text, as seen from the page alone
        # Page of the document, from 1, where each block begins; empty for HTML and for documents without pages.
        pa.field("block_pages", pa.list_(pa.int32()), nullable=False),
        # Places of no-break blanks, see diglot.no_breaks; null in documents read by earlier versions.
        pa.field("no_breaks", pa.list_(pa.int32())),
        # Links in page order, as parallel lists: <a>, <area> and <frame>, and <link> elements for versions in another
        # language. Addresses are absolute, without fragment. The address is "" for schemes other than http and https
        # (mailto:, tel:, javascript:, data: ...) and for fragments of the page itself; anchor and hreflang are kept.
        pa.field("link_urls", pa.list_(pa.string()), nullable=False),
        pa.field("link_anchors", pa.list_(pa.string()), nullable=False),
        pa.field("link_hreflangs", pa.list_(pa.string()), nullable=False),
        pa.field("link_alternate", pa.list_(pa.bool_()), nullable=False),  # <link rel=alternate>
        pa.field("link_fragments", pa.list_(pa.string()), nullable=False),  # behind the "#", unquoted
        # The text of link k is in the chunks [link_firsts[k], link_ends[k]).
        pa.field("link_firsts", pa.list_(pa.int32()), nullable=False),
        pa.field("link_ends", pa.list_(pa.int32()), nullable=False),
        # Addresses of <img> and of the contents of iframes and objects, without data: addresses.
        pa.field("images", pa.list_(pa.string()), nullable=False),
        pa.field("text_length_chars", pa.int32(), nullable=False),
        pa.field("hidden_chars", pa.int32(), nullable=False),
        pa.field("machine_mark", pa.string(), nullable=False),  # see documents.machine_translated; "" without a mark
    ]
)

# Facts about both pages of a segment, in outputs with room for them: columns with the prefixes `src_` and `tgt_`.
PAGE_FACTS_SCHEMA = pa.schema([DOCUMENT_SCHEMA.field(name) for name in ("url", "title", "fetched", "licence")])

PAIR_SCHEMA = pa.schema(
    [
        pa.field("site", pa.string(), nullable=False),
        pa.field("src_url", pa.string(), nullable=False),
        pa.field("tgt_url", pa.string(), nullable=False),
        pa.field("src_lang", pa.string(), nullable=False),
        pa.field("tgt_lang", pa.string(), nullable=False),
        pa.field("accepted", pa.bool_(), nullable=False),
        pa.field("probability", pa.float32(), nullable=False),
        pa.field("method", pa.string(), nullable=False),
        # Gate that refused the pair, or COMPETITION or IMPROBABLE of pairing.cascade; "" for an accepted pair.
        pa.field("refused_by", pa.string(), nullable=False),
        pa.field("evidence", pa.map_(pa.string(), pa.float32()), nullable=False),
    ]
)

SEGMENT_SCHEMA = pa.schema(
    [
        pa.field("src", pa.string(), nullable=False),
        pa.field("tgt", pa.string(), nullable=False),
        # Blanks of the text in order, see diglot.no_breaks; null where all are plain.
        pa.field("src_blanks", pa.string()),
        pa.field("tgt_blanks", pa.string()),
        pa.field("src_lang", pa.string(), nullable=False),
        pa.field("tgt_lang", pa.string(), nullable=False),
        pa.field("score", pa.float32(), nullable=False),  # in [0, 1]
        pa.field("bead", pa.string(), nullable=False),  # "1-1", "2-1", "0-1" ...
        pa.field("kind", pa.int8(), nullable=False),  # BlockKind of the source side (target side in 0-n)
        pa.field("flags", pa.list_(pa.string()), nullable=False),  # corpus.flags
        pa.field("src_url", pa.string(), nullable=False),
        pa.field("tgt_url", pa.string(), nullable=False),
        pa.field("position", pa.int32(), nullable=False),  # order of the bead in its page pair, from 0
        pa.field("fetched", pa.string(), nullable=False),
        # Page of the document, from 1, where the text begins; 0 for HTML, and for documents without pages.
        pa.field("src_page", pa.int32(), nullable=False),
        pa.field("tgt_page", pa.int32(), nullable=False),
        # Number of the first target sentence on its page, from 0; null where the targets of the page are in its order.
        pa.field("tgt_start", pa.int32()),
    ]
)

# A cleaned segment: text in NFC, with flags.
FLAGGED_SCHEMA = pa.schema(
    [
        *SEGMENT_SCHEMA,
        # Pages of the duplicates of a kept segment: two parallel lists.
        pa.field("other_src_urls", pa.list_(pa.string()), nullable=False),
        pa.field("other_tgt_urls", pa.list_(pa.string()), nullable=False),
        pa.field("src_variant", pa.string(), nullable=False),  # BCP 47: zh-Hant, sr-Latn, pt-BR; "" if unknown
        pa.field("tgt_variant", pa.string(), nullable=False),
    ]
)


def rows_where(table: pa.Table, mask: pa.ChunkedArray | pa.Array) -> pa.Table:
    """Rows under a mask; no copy is made if the mask is true everywhere."""
    return table if pc.all(mask).as_py() else table.filter(mask)


def numbers_of(table: pa.Table, keys: Sequence[tuple[str, str]], first: str, second: str) -> pa.ChunkedArray:
    """Position in ``keys`` of each row's values in columns ``first`` and ``second``, null if missing; int32 of shape
    (rows,)."""
    # The separator occurs in no address and in no language.
    joined = pa.array(["\x1f".join(key) for key in keys], pa.string())
    rows = pc.binary_join_element_wise(table[first], table[second], "\x1f")
    return pc.index_in(rows, value_set=joined)


def of_languages(table: pa.Table, src_lang: str, tgt_lang: str) -> pa.Table:
    """Rows of a language pair."""
    return rows_where(table, pc.and_(pc.equal(table["src_lang"], src_lang), pc.equal(table["tgt_lang"], tgt_lang)))


def zip_columns(table: pa.Table, *names: str) -> Iterator[tuple[Any, ...]]:
    """The rows of a table as tuples of Python's values, one for each of the named columns."""
    return zip(*(table[name].to_pylist() for name in names), strict=True)


def with_columns(table: pa.Table, **columns: Any) -> pa.Table:
    """A table with other values in the named columns. Values: an Arrow array, or a list or NumPy array that fits."""
    for name, values in columns.items():
        field = table.schema.field(name)
        column = values if isinstance(values, pa.Array | pa.ChunkedArray) else pa.array(values, field.type)
        table = table.set_column(table.schema.get_field_index(name), field, column)
    return table
